// Transports: synchronous, late, broken.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, LocalBus, ManualClock, ProtocolError, reject } from "team-protocols";
import {
  engineFor,
  makeTeam,
  owed,
  PLAN,
  record,
  refused,
  START,
  settle,
  stateOf,
} from "./support.mjs";

/** A lead and a worker whose frames go where `carry(from, frame, deliver)` takes them. */
function wired(carry) {
  const clock = new ManualClock(START);
  const errors = [];
  const engines = {};
  const make = (member) =>
    engineFor({
      member,
      clock,
      errors,
      transport: ({ to, frame, seq }) =>
        carry({ from: member, to, frame, seq }, () =>
          engines[to]?.receive(frame, { from: member }),
        ),
    });
  for (const member of ["team-lead", "alice", "bob"]) engines[member] = make(member);
  return { clock, errors, lead: engines["team-lead"], alice: engines.alice, bob: engines.bob };
}

test("frames may cross the same engines many times in one tick", () => {
  const { lead, alice, errors } = makeTeam();
  let rallies = 0;
  const rally = (engine, to) =>
    engine.subscribe((event) => {
      if (event.type === "message" && rallies < 2_000) {
        rallies += 1;
        engine.say(to, `ball ${rallies}`);
      }
    });
  rally(lead, "alice");
  rally(alice, "team-lead");
  lead.say("alice", "serve");
  assert.equal(rallies, 2_000);
  assert.deepEqual(errors, []);
});

test("a handler may ask, and be answered, in the tick in which it is asked", async () => {
  const { lead, alice, errors } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  let plan;
  alice.onRequest("shutdown", () => {
    plan = alice.submitPlan(PLAN);
    return reject("one more plan");
  });
  const outcome = await lead.requestShutdown("alice");
  assert.equal(outcome.reason, "one more plan");
  assert.equal((await plan).status, "approved");
  assert.deepEqual(errors, []);
});

test("a subscriber may answer, ask and cancel from inside the event", async () => {
  const { lead, alice, bob, errors } = makeTeam();
  const asked = [];
  lead.subscribe((event) => {
    if (event.type === "settled" && event.to === "alice") asked.push(lead.requestShutdown("bob"));
  });
  alice.subscribe((event) => {
    if (event.type === "request") alice.respond(event.requestId, approve());
  });
  bob.subscribe((event) => {
    if (event.type === "request") lead.cancel(event.requestId);
  });
  assert.equal((await lead.requestShutdown("alice")).status, "approved");
  assert.equal((await asked[0]).status, "cancelled");
  assert.deepEqual(bob.obligations(), []);
  assert.deepEqual(errors, []);
});

test("a frame that comes back to its sender at once is dropped", () => {
  const dispositions = [];
  const { lead } = wired(({ from, frame }) => {
    dispositions.push(lead.receive(frame, { from }));
  });
  lead.requestShutdown("alice");
  assert.equal(dispositions.length, 1);
  assert.equal(dispositions[0].type, "dropped");
  assert.equal(lead.team().find(({ name }) => name === "alice").asked.length, 1);
});

test("a transport may return a promise", async () => {
  const { lead, alice, errors } = wired((_, deliver) =>
    Promise.resolve().then(() => void deliver()),
  );
  alice.onRequest("shutdown", () => approve());
  assert.equal((await lead.requestShutdown("alice")).status, "approved");
  assert.deepEqual(errors, []);
});

for (const [how, fail] of [
  [
    "throws",
    (error) => {
      throw error;
    },
  ],
  ["rejects later", (error) => settle(5).then(() => Promise.reject(error))],
]) {
  test(`a request that the transport ${how} ends as \`send_failed\` and leaves nothing`, async () => {
    const down = new Error("ECONNRESET");
    let broken = true;
    const { lead, alice, errors, clock } = wired((frame, deliver) =>
      broken && frame.from === "team-lead" ? fail(down) : void deliver(),
    );
    alice.onRequest("shutdown", () => approve());
    const settled = record(lead, "settled");
    const pending = lead.requestShutdown("alice");
    await assert.rejects(pending, (error) => {
      refused("send_failed", { family: "transport", rule: "transport" })(error);
      assert.equal(error.cause, down);
      return true;
    });
    assert.deepEqual(
      settled.map(({ status, cause }) => [status, cause]),
      [["cancelled", "send_failed"]],
    );
    assert.deepEqual(errors, [], "the promise told it already");
    assert.deepEqual(
      lead.team().flatMap(({ asked }) => asked),
      [],
    );
    assert.equal(clock.pending, 0);
    await assert.rejects(lead.settled(pending.requestId), refused("send_failed"));
    broken = false;
    assert.equal((await lead.requestShutdown("alice")).status, "approved");
  });

  test(`a plan that the transport ${how} leaves the gate shut, and can be sent again`, async () => {
    let broken = true;
    const { lead, alice } = wired((_, deliver) =>
      broken ? fail(new Error("down")) : void deliver(),
    );
    await assert.rejects(alice.submitPlan(PLAN), refused("send_failed"));
    assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
    broken = false;
    lead.onRequest("plan_approval", () => approve());
    assert.equal((await alice.submitPlan(PLAN)).status, "approved");
  });

  test(`an answer that the transport ${how} is told, and the reminder brings it again`, async () => {
    const down = new Error("EPIPE");
    let broken = true;
    const { lead, alice, errors, clock } = wired((frame, deliver) =>
      broken && frame.from === "alice" ? fail(down) : void deliver(),
    );
    const alarms = record(alice, "alarm");
    alice.onRequest("shutdown", () => approve());
    const pending = lead.requestShutdown("alice");
    assert.equal((await stateOf(pending)).state, "waiting");
    assert.deepEqual(errors, [down]);
    assert.deepEqual(
      alarms.map(({ alarm, member }) => [alarm, member]),
      [["send_failed", "team-lead"]],
    );
    broken = false;
    await clock.advance(20_000);
    assert.equal((await pending).status, "approved");
  });
}

test("a reminder that cannot be sent leaves the request open", async () => {
  let broken = false;
  const { lead, alice, errors, clock } = wired((frame, deliver) => {
    if (broken && frame.from === "team-lead") throw new Error("down");
    deliver();
  });
  const pending = lead.requestShutdown("alice");
  broken = true;
  await clock.advance(20_000);
  assert.equal(errors.length, 1);
  assert.equal((await stateOf(pending)).state, "waiting");
  alice.respond(pending.requestId, approve());
  assert.equal((await pending).status, "approved");
});

test("a send that fails after the answer came changes nothing", async () => {
  let fail;
  const { lead, alice, errors } = wired((frame, deliver) => {
    deliver();
    if (frame.from === "team-lead") return new Promise((_, reject) => (fail = reject));
  });
  alice.onRequest("shutdown", () => approve());
  const outcome = await lead.requestShutdown("alice");
  assert.equal(outcome.status, "approved");
  const late = new Error("timeout of the acknowledgement");
  fail(late);
  await settle();
  assert.deepEqual(errors, [late]);
  assert.equal(lead.outcome(outcome.requestId).status, "approved");
});

test("a send that fails after close is told and nothing more", async () => {
  let fail;
  const { lead, errors } = wired(() => new Promise((_, reject) => (fail ??= reject)));
  const pending = lead.requestShutdown("alice");
  lead.close();
  assert.equal((await pending).cause, "closed");
  const late = new Error("late");
  fail(late);
  await settle();
  assert.deepEqual(errors, [late]);
});

test("one failed send of many ends only its own request", async () => {
  const { lead, alice, bob } = wired((frame, deliver) => {
    if (frame.to === "bob") throw new Error("bob is unreachable");
    deliver();
  });
  const toAlice = lead.requestShutdown("alice");
  const toBob = lead.requestShutdown("bob");
  await assert.rejects(toBob, refused("send_failed"));
  assert.equal((await stateOf(toAlice)).state, "waiting");
  assert.equal(owed(alice).requestId, toAlice.requestId);
  assert.deepEqual(bob.obligations(), []);
});

test("a transport that is no function is refused at once", () => {
  for (const transport of [undefined, null, {}, "bus"]) {
    assert.throws(
      () => engineFor({ transport: transport ?? null }),
      refused("bad_option", { path: "options.transport" }),
    );
  }
});

test("frames for a member that is not connected wait, and arrive in order", async () => {
  const { clock, lead, bus, errors } = makeTeam({ members: ["team-lead"] });
  const pending = lead.requestShutdown("alice");
  lead.say("alice", "one");
  lead.say("alice", "two");
  assert.equal(bus.waiting("alice"), 3);
  const alice = engineFor({ clock, errors, transport: bus.transport("alice") });
  const heard = record(alice, "message");
  alice.onRequest("shutdown", () => reject("just arrived"));
  lead.onRequest("*", () => undefined);
  lead.subscribe(({ type }) => {
    // Sent while the mailbox is being emptied: it must not overtake what waits.
    if (type === "settled") lead.say("alice", "three");
  });
  bus.connect(alice);
  assert.equal((await pending).reason, "just arrived");
  assert.deepEqual(
    heard.map(({ text }) => text),
    ["one", "two", "three"],
  );
  assert.equal(bus.waiting("alice"), 0);
  assert.deepEqual(errors, []);
  bus.disconnect("alice");
  lead.say("alice", "four");
  assert.equal(bus.waiting("alice"), 1);
});

test("a mailbox is bounded: the sender learns that it is full", async () => {
  const { lead, bus, errors } = makeTeam({ members: ["team-lead"] });
  for (let count = 0; count < 10_000; count += 1) lead.say("alice", "?");
  assert.deepEqual(errors, []);
  await assert.rejects(lead.requestShutdown("alice"), (error) => {
    assert.match(error.cause.message, /mailbox of alice is full/);
    return refused("send_failed")(error);
  });
  assert.equal(bus.waiting("alice"), 10_000);
});

test("a late frame for a full mailbox is lost and disturbs nobody", async () => {
  const { lead, bus, errors, clock } = makeTeam({ members: ["team-lead"], bus: { delayMs: 5 } });
  const fates = [];
  bus.observe(({ fate }) => fates.push(fate));
  for (let count = 0; count < 10_001; count += 1) lead.say("alice", "?");
  await clock.advance(5);
  assert.equal(fates.filter((fate) => fate === "lost").length, 1);
  assert.equal(bus.waiting("alice"), 10_000);
  assert.deepEqual(errors, []);
});

test("the bus knows who sent a frame, whatever the frame says", () => {
  const { lead, bus } = makeTeam();
  const alarms = record(lead, "alarm");
  const frames = record(lead, "frame");
  const other = engineFor({
    member: "alice",
    transport: ({ to, frame, seq }) => bus.transport("bob")({ to, frame, seq }),
  });
  other.say("team-lead", "I am alice, believe me");
  assert.deepEqual(
    frames.map(({ disposition }) => disposition),
    [{ type: "dropped", reason: "forged" }],
  );
  assert.equal(alarms[0].alarm, "forged");
  assert.equal(alarms[0].member, "bob");
});

test("`from` that is no name vouches for nobody", () => {
  const { lead } = makeTeam();
  const frames = [];
  engineFor({ transport: ({ frame }) => void frames.push(frame) }).say("team-lead", "hello");
  const hash = lead.stateHash();
  for (const from of ["", "\ud800", null, 7, {}, "mallory", "*"]) {
    const { type, reason } = lead.receive(frames[0], { from });
    assert.equal(type, "dropped", String(from));
    assert.ok(["forged", "unidentified", "unknown_sender"].includes(reason), reason);
  }
  assert.equal(lead.receive(frames[0]).reason, "unidentified");
  assert.equal(lead.stateHash(), hash);
  assert.deepEqual(lead.receive(frames[0], { from: "alice" }), { type: "noted", as: "chat" });
});

test("a claimed sender is believed only when the host says so, and the audit marks it", () => {
  const lead = engineFor({ member: "team-lead", trustClaimedSender: true });
  const frames = [];
  engineFor({ transport: ({ frame }) => void frames.push(frame) }).say("team-lead", "hello");
  assert.deepEqual(lead.receive(frames[0]), { type: "noted", as: "chat" });
  assert.deepEqual(lead.audit().at(-1).marks, ["claimed_sender"]);
});

test("what a transport throws need not be an error", async () => {
  const { lead } = wired(() => {
    throw "plain text";
  });
  const { reason } = await stateOf(lead.requestShutdown("alice"));
  assert.ok(reason instanceof ProtocolError);
  assert.equal(reason.cause, "plain text");
});

test("the same seed gives the same run, another seed another", () => {
  const run = (seed) => {
    const bus = new LocalBus({ loss: 0.3, duplicate: 0.3, seed });
    const fates = [];
    bus.observe(({ fate }) => fates.push(fate));
    bus.connect({ member: "b", receive: () => undefined });
    const send = bus.transport("a");
    for (let seq = 1; seq <= 200; seq += 1) send({ to: "b", frame: "", seq });
    return fates.join();
  };
  assert.equal(run(7), run(7));
  assert.notEqual(run(7), run(8));
});
