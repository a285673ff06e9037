// Handshakes over a bus that loses, doubles, delays and reorders.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, ManualClock, reject } from "team-protocols";
import { engineFor, makeTeam, mulberry32, PLAN, record, START } from "./support.mjs";

const SEEDS = Array.from({ length: 25 }, (_, index) => index + 1);

const HABITS = {
  "doubles every frame": { duplicate: 1 },
  delays: { delayMs: [1, 400] },
  reorders: { delayMs: [0, 50], reorder: 0.5 },
  "loses a tenth": { loss: 0.1 },
  "does all of it": { delayMs: [0, 300], reorder: 0.3, duplicate: 0.3, loss: 0.1 },
};

for (const [habit, bus] of Object.entries(HABITS)) {
  test(`handshakes settle exactly once over a bus that ${habit}`, async () => {
    let lost = 0;
    for (const seed of SEEDS) {
      const { lead, alice, bob, clock, errors } = makeTeam({ bus: { ...bus, seed } });
      const settled = [...["team-lead", "alice", "bob"].keys()].map(() => []);
      for (const [at, engine] of [lead, alice, bob].entries()) {
        engine.subscribe((event) => {
          if (event.type === "settled") settled[at].push(event);
        });
      }
      const asked = { alice: 0, bob: 0, lead: 0 };
      alice.onRequest("shutdown", () => {
        asked.alice += 1;
        return approve();
      });
      bob.onRequest("shutdown", () => {
        asked.bob += 1;
        return reject("busy");
      });
      lead.onRequest("plan_approval", () => {
        asked.lead += 1;
        return approve();
      });
      const waiting = [
        bob.submitPlan(PLAN),
        lead.requestShutdown("alice"),
        lead.requestShutdown("bob"),
      ];
      await clock.advance(120_000);
      const outcomes = await Promise.all(waiting);
      const expected = ["approved", "approved", "rejected"];
      for (const [at, { status }] of outcomes.entries()) {
        if (status !== expected[at]) lost += 1;
        else continue;
        assert.equal(status, "timed_out", `seed ${seed}`);
        assert.ok((bus.loss ?? 0) > 0, `seed ${seed}: nothing was lost, and still ${status}`);
      }
      assert.deepEqual(
        settled
          .flat()
          .map(({ requestId }) => requestId)
          .sort(),
        outcomes.map(({ requestId }) => requestId).sort(),
      );
      for (const [who, count] of Object.entries(asked)) {
        assert.ok(count <= 1, `seed ${seed}: ${who} was asked ${count} times`);
      }
      assert.deepEqual(errors, []);
    }
    assert.ok(lost <= 2, `${lost} of ${3 * SEEDS.length} handshakes were lost`);
  });
}

test("an answer that is doubled is a duplicate and settles nothing again", async () => {
  const { lead, alice } = makeTeam({ bus: { duplicate: 1 } });
  const frames = record(lead, "frame");
  alice.onRequest("shutdown", () => approve());
  assert.equal((await lead.requestShutdown("alice")).status, "approved");
  const [first, ...rest] = frames.map(({ disposition }) => disposition);
  assert.equal(first.type, "settled");
  assert.ok(rest.length > 0);
  for (const { type } of rest) assert.ok(type === "dropped" || type === "noted", type);
});

test("a whole session over a bad bus comes out the same with the same seed", async () => {
  const run = async () => {
    const { lead, alice, clock, bus } = makeTeam({
      bus: { delayMs: [0, 300], reorder: 0.3, duplicate: 0.3, loss: 0.2, seed: 99 },
    });
    const seen = [];
    bus.observe(({ from, to, frame, fate }) => seen.push([from, to, fate, frame]));
    alice.onRequest("shutdown", () => reject("busy"));
    lead.requestShutdown("alice");
    await clock.advance(120_000);
    return [seen, lead.stateHash(), alice.stateHash(), lead.audit()];
  };
  assert.deepEqual(await run(), await run());
});

/**
 * A transport that does with each frame one of all the things that transports do wrong, and tells how
 * often each was done. It never loses: what it holds back comes later.
 */
function faulty(deliver, random, later) {
  const done = new Map();
  const count = (what) => void done.set(what, (done.get(what) ?? 0) + 1);
  const held = [];
  const transport = ({ to, frame }, from) => {
    const pass = () => deliver(to, frame, from);
    switch (Math.floor(random() * 9)) {
      case 0:
        count("throws");
        throw new Error("no route");
      case 1:
        count("rejects");
        return Promise.reject(new Error("no route"));
      case 2:
        count("throws after it has sent");
        pass();
        throw new Error("the answer was lost");
      case 3:
        count("never says that it is done");
        pass();
        return new Promise(() => undefined);
      case 4:
        count("doubles");
        pass();
        return pass();
      case 5:
        count("holds back");
        held.push(pass);
        return undefined;
      case 6:
        count("delivers later");
        return new Promise((resolve) => {
          later(() => {
            pass();
            resolve();
          });
        });
      case 7:
        count("lies about the sender");
        deliver(to, frame, "bob");
        deliver(to, frame, undefined);
        return pass();
      default:
        count("re-enters");
        for (const release of held.splice(0).reverse()) release();
        return pass();
    }
  };
  const release = () => {
    for (const pass of held.splice(0)) pass();
  };
  return { transport, release, done };
}

test("whatever a transport does wrong, nothing is decided that nobody decided, and all ends", async () => {
  const habits = new Map();
  let settled = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const clock = new ManualClock(START);
    const random = mulberry32(seed);
    const engines = {};
    const deliver = (to, frame, from) => void engines[to].receive(frame, { from });
    const later = (run) => void clock.setTimeout(run, Math.floor(random() * 3_000));
    const { transport, release, done } = faulty(deliver, random, later);
    const frames = new Map();
    const errors = [];
    for (const member of ["team-lead", "alice", "bob"]) {
      engines[member] = engineFor({
        member,
        clock,
        errors,
        transport: (outgoing) => {
          const { message } = JSON.parse(outgoing.frame);
          if (message?.type.endsWith("_request")) {
            frames.set(message.request_id, (frames.get(message.request_id) ?? 0) + 1);
          }
          return transport(outgoing, member);
        },
      });
    }
    const { "team-lead": lead, alice, bob } = engines;
    const decided = new Map();
    const decide = (decision) => (request) => {
      const { requestId } = request;
      assert.ok(!decided.has(requestId), "no request is put before a host twice");
      decided.set(requestId, decision.approve);
      return decision;
    };
    lead.onRequest("plan_approval", decide(approve()));
    alice.onRequest("shutdown", decide(reject("busy")));
    bob.onRequest("shutdown", decide(approve()));
    const asked = [];
    for (const ask of [
      () => alice.submitPlan(PLAN),
      () => lead.requestShutdown("alice"),
      () => bob.submitPlan(PLAN),
      () => lead.requestShutdown("bob"),
    ]) {
      asked.push(ask().then(({ requestId, status }) => [requestId, status], refused));
      await clock.advance(2_000);
    }
    for (let turn = 0; turn < 14; turn += 1) {
      release();
      await clock.advance(60_000);
    }
    for (const [requestId, status] of await Promise.all(asked)) {
      settled += 1;
      if (status === "approved") assert.equal(decided.get(requestId), true, `seed ${seed}`);
      if (status === "rejected") assert.equal(decided.get(requestId), false, `seed ${seed}`);
    }
    // Once, and at most three reminders: a transport that fails is no reason to send again.
    for (const [requestId, times] of frames) assert.ok(times <= 4, `${requestId}: ${times}`);
    for (const error of errors) assert.match(String(error), /no route|answer was lost/);
    for (const [habit, times] of done) habits.set(habit, (habits.get(habit) ?? 0) + times);
  }
  assert.equal(settled, 160);
  assert.equal(habits.size, 9, [...habits.keys()].join());
});

/** What a request that could not be sent comes to. */
function refused(error) {
  assert.ok(["send_failed", "recipient_lost", "recipient_left"].includes(error.code), error);
  return [undefined, error.code];
}
