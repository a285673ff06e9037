// The end of an engine, and async iteration.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve } from "team-protocols";
import { makeTeam, PLAN, record, refused, settle, stateOf } from "./support.mjs";

test("close ends what this member asked for, with cause `closed`", async () => {
  const { lead, alice, clock } = makeTeam();
  const pending = [lead.requestShutdown("alice"), lead.requestShutdown("bob")];
  lead.close();
  for (const outcome of await Promise.all(pending)) {
    assert.deepEqual([outcome.status, outcome.cause], ["cancelled", "closed"]);
  }
  assert.deepEqual(alice.obligations(), []);
  alice.close();
  assert.equal(clock.pending, 1, "bob still owes a receipt; nobody else has a timer");
});

test("closing twice is closing once, also from inside", async () => {
  const { lead, alice } = makeTeam();
  const events = record(lead, "settled");
  lead.subscribe(({ type }) => {
    if (type === "settled") lead.close();
  });
  const pending = lead.requestShutdown("alice");
  lead.close();
  lead.close();
  assert.equal((await pending).cause, "closed");
  assert.equal(events.length, 1);
  assert.deepEqual(alice.obligations(), []);
});

test("a member that agreed to leave confirms its exit by closing", async () => {
  const { lead, alice, clock } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  await lead.requestShutdown("alice");
  alice.close();
  assert.equal(alice.liveness, "left");
  assert.equal(lead.team().find(({ name }) => name === "alice").liveness, "left");
  await clock.advance(60_000);
  assert.equal(clock.pending, 0);
});

test("a leaving member may be closed again by its own transport", async () => {
  const { lead, alice, bus, errors } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  await lead.requestShutdown("alice");
  bus.observe(({ from }) => {
    if (from === "alice") alice.close();
  });
  alice.close();
  assert.equal(lead.team().find(({ name }) => name === "alice").liveness, "left");
  assert.deepEqual(errors, []);
});

test("a closed engine can be read but does nothing", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  const { requestId } = await lead.requestShutdown("alice");
  const audit = lead.audit().length;
  lead.close();
  assert.equal(lead.member, "team-lead");
  assert.equal(lead.role, "lead");
  assert.equal(lead.liveness, "active");
  assert.equal(lead.team().length, 3);
  assert.deepEqual(lead.obligations(), []);
  assert.ok(lead.audit().length >= audit);
  assert.equal(lead.outcome(requestId).status, "approved");
  assert.equal(lead.request(requestId).status, "approved");
  assert.match(lead.stateHash(), /[0-9a-f]{16}/);
  assert.equal((await lead.settled(requestId)).status, "approved");
  const calls = [
    () => lead.say("alice", "hi"),
    () => lead.cancel(requestId),
    () => lead.respond(requestId, approve()),
    () => lead.progress(),
    () => lead.idle(),
    () => lead.exit(),
    () => lead.callTool("{}"),
    () => lead.report(requestId, { ok: true }),
    () => lead.gate.enter("a:b"),
    () => lead.enterCriticalSection("late"),
    () => lead.addMember({ name: "eve" }),
    () => lead.announce("alice", alice.incarnation),
    () => lead.memberGone("alice"),
  ];
  for (const call of calls) assert.throws(call, refused("closed", { family: "misuse" }), `${call}`);
  await assert.rejects(lead.requestShutdown("alice"), refused("closed"));
  await assert.rejects(lead.submitPlan(PLAN), refused("closed"));
});

test("waiting on a closed engine for what it does not know rejects", async () => {
  const { lead } = makeTeam();
  lead.close();
  const { state, reason } = await stateOf(lead.settled("req_unknown"));
  assert.equal(state, "rejected");
  refused("unknown_request")(reason);
});

test("a frame for a closed engine is dropped: the receiver left", async () => {
  const { lead, alice } = makeTeam();
  lead.close();
  assert.deepEqual(lead.receive("not even JSON", { from: "alice" }), {
    type: "dropped",
    reason: "receiver_left",
  });
  lead[Symbol.dispose]();
  assert.equal(lead.receive("{}").reason, "receiver_left");
  alice.say("team-lead", "anybody there?");
});

test("leaving a section after close is harmless", () => {
  const { alice, errors } = makeTeam();
  const section = alice.enterCriticalSection("last words");
  alice.close();
  section.leave();
  section[Symbol.dispose]();
  assert.deepEqual(errors, []);
});

test("dispose closes, confirms nothing twice, and refuses every later reading", async () => {
  const { lead, alice, clock } = makeTeam();
  const pending = lead.requestShutdown("alice");
  lead[Symbol.dispose]();
  lead[Symbol.dispose]();
  lead.close();
  assert.equal((await pending).cause, "closed");
  for (const read of ["team", "obligations", "audit", "sections", "stateHash"]) {
    assert.throws(() => lead[read](), refused("closed"), read);
  }
  for (const field of ["member", "role", "incarnation", "liveness"]) {
    assert.throws(() => lead[field], refused("closed"), field);
  }
  alice[Symbol.dispose]();
  assert.equal(clock.pending, 0);
});

test("an engine may be disposed of from inside its own delivery", async () => {
  const { lead, alice, errors } = makeTeam();
  alice.subscribe(({ type }) => {
    if (type === "request") alice[Symbol.dispose]();
  });
  const pending = lead.requestShutdown("alice");
  assert.deepEqual(errors, []);
  lead.cancel(pending.requestId);
  assert.equal((await pending).status, "cancelled");
});

test("async iteration tells everything in order and ends on close", async () => {
  const { lead, alice } = makeTeam();
  const types = [];
  const loop = (async () => {
    for await (const event of alice) types.push(event.type);
    return "ended";
  })();
  lead.say("alice", "one");
  await settle();
  lead.requestShutdown("alice");
  lead.say("alice", "two");
  alice.close();
  assert.equal(await loop, "ended");
  assert.deepEqual(types, ["frame", "message", "frame", "request", "frame", "message"]);
});

test("close from inside a listener lets iteration see what it caused, then end", async () => {
  const { lead, alice } = makeTeam();
  const events = lead[Symbol.asyncIterator]();
  const loop = (async () => {
    const types = [];
    for await (const { type } of { [Symbol.asyncIterator]: () => events }) types.push(type);
    return types;
  })();
  lead.requestShutdown("alice");
  lead.subscribe(({ type }) => {
    if (type === "message") lead.close();
  });
  alice.say("team-lead", "stop");
  assert.deepEqual(await loop, ["frame", "message", "settled"]);
  assert.deepEqual(await events.next(), { done: true, value: undefined });
});

test("`break` ends the iteration and nothing is kept for it", async () => {
  const { lead, alice } = makeTeam();
  const events = alice[Symbol.asyncIterator]();
  lead.say("alice", "one");
  for await (const event of events) {
    assert.equal(event.type, "frame");
    break;
  }
  lead.say("alice", "two");
  assert.deepEqual(await events.next(), { done: true, value: undefined });
});

test("a reader that waits is told the end", async () => {
  const { alice } = makeTeam();
  const events = alice[Symbol.asyncIterator]();
  const readers = [events.next(), events.next()];
  alice.close();
  for (const result of await Promise.all(readers)) assert.equal(result.done, true);
});

test("iterating over a closed engine ends at once", async () => {
  const { alice } = makeTeam();
  alice.close();
  for await (const event of alice) assert.fail(event.type);
  assert.equal((await alice[Symbol.asyncIterator]().next()).done, true);
});

test("a reader that is too slow gets what could wait, and then is told", async () => {
  const { alice, lead } = makeTeam();
  const reader = lead[Symbol.asyncIterator]();
  const most = 65_536;
  // Each text is two events: the frame, and what it says.
  for (let n = 0; n < most / 2 + 10; n += 1) alice.say("team-lead", `text ${n}`);
  for (let n = 0; n < most; n += 1) assert.equal((await reader.next()).done, false);
  await assert.rejects(reader.next(), { code: "reader_too_slow" });
  assert.equal((await reader.next()).done, true);
});
