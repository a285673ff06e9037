// Handshakes over a bus that loses, doubles, delays and reorders.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { makeTeam, PLAN, record } from "./support.mjs";

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
