// Deadlines, silence and timers, on virtual time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, ManualClock, reject } from "team-protocols";
import { ended, engineFor, makeTeam, PLAN, record, refused, START, stateOf } from "./support.mjs";

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

test("silence sends three reminders under the same id, then times out", async () => {
  const { lead, alice, clock } = makeTeam();
  const reminders = record(alice, "reminder");
  const pending = lead.requestShutdown("alice");
  const asked = record(alice, "request");
  await clock.advance(MINUTE - 1);
  assert.equal((await stateOf(pending)).state, "waiting");
  assert.equal(reminders.length, 3);
  assert.equal(asked.length, 0, "a reminder is no new request");
  for (const { requestId, text } of reminders) {
    assert.equal(requestId, pending.requestId);
    assert.ok(text.includes(requestId) && text.includes("approve"), text);
  }
  await clock.advance(1);
  const { state, value } = await stateOf(pending);
  assert.equal(state, "resolved");
  assert.equal(value.status, "timed_out");
  assert.equal(value.code, "TIMEOUT_REJECTED");
  assert.equal(value.cause, "clock");
  assert.equal(value.by, undefined);
  assert.equal(value.settledAt, START + MINUTE);
});

test("an approval that comes too late has no effect, and both sides know", async () => {
  const { lead, alice, clock } = makeTeam();
  const closed = record(lead, "closed");
  const frames = record(alice, "frame");
  const pending = alice.submitPlan(PLAN, { timeoutMs: 5_000 });
  const { requestId } = lead.obligations()[0].request;
  await clock.advance(4_999);
  assert.equal((await stateOf(pending)).state, "waiting");
  clock.jump(1);
  // No timer has run: the deadline is checked on receipt.
  lead.respond(requestId, approve());
  assert.equal((await ended(pending)).status, "timed_out");
  assert.ok(frames.some(({ disposition }) => disposition.reason === "late"));
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
  assert.equal(closed.length, 1);
  assert.equal(closed[0].status, "timed_out");
  assert.equal(closed[0].approvalWithoutEffect, true);
});

test("a worker that shows signs of life is suspect; a dead one is lost and reclaimed once", async () => {
  const { lead, clock, bus } = makeTeam({ members: ["team-lead", "alice"] });
  const alarms = record(lead, "alarm");
  const liveness = record(lead, "liveness");
  const drains = record(lead, "drain");
  const asked = [lead.requestShutdown("alice"), lead.requestShutdown("bob")];
  await clock.advance(MINUTE);
  for (const { status } of await ended(Promise.all(asked))) assert.equal(status, "timed_out");
  assert.ok(drains.some(({ member, judgedAt }) => member === "bob" && judgedAt > clock.now()));
  await clock.advance(10_000);
  assert.deepEqual(liveness.map(({ member, liveness }) => `${member} ${liveness}`).sort(), [
    "alice suspect",
    "bob lost",
  ]);
  assert.deepEqual(
    alarms.map(({ alarm, member }) => `${member} ${alarm}`),
    ["bob worker_lost", "bob reclaim"],
  );
  await clock.advance(WEEK);
  assert.equal(alarms.length, 2, "told once");
  assert.equal(bus.waiting("bob"), 5, "one request, three reminders, one `settled`");
});

test("what a lost worker held is named by the alarm", async () => {
  const { lead, bob, bus, clock } = makeTeam();
  const alarms = record(lead, "alarm");
  lead.onRequest("plan_approval", () => approve());
  const { requestId } = await bob.submitPlan(PLAN);
  bus.disconnect("bob");
  lead.requestShutdown("bob");
  await clock.advance(MINUTE + 10_000);
  const reclaim = alarms.find(({ alarm }) => alarm === "reclaim");
  const held = reclaim.holding.find((holding) => holding.requestId === requestId);
  assert.equal(held.kind, "plan_approval");
  assert.equal(held.status, "approved");
  assert.equal(held.title, PLAN.title);
  assert.deepEqual(held.scope, PLAN.scope);
});

test("mail that waited speaks for a silent member before it is judged", async () => {
  const { lead, bob, bus, clock } = makeTeam();
  bus.disconnect("bob");
  const pending = lead.requestShutdown("bob");
  lead.subscribe((event) => {
    if (event.type === "drain") lead.receive(mail[0], { from: "bob" });
  });
  const mail = [];
  const transport = ({ frame }) => void mail.push(frame);
  engineFor({ member: "bob", transport, incarnation: bob.incarnation }).say("team-lead", "here");
  bob.close();
  await clock.advance(MINUTE + 10_000);
  assert.equal((await ended(pending)).status, "timed_out");
  assert.equal(lead.team().find(({ name }) => name === "bob").liveness, "suspect");
});

test("the breaker opens for a lost worker, lets one trial through, and closes on its answer", async () => {
  const { lead, bob, bus, clock } = makeTeam();
  bus.disconnect("bob");
  lead.requestShutdown("bob");
  await clock.advance(MINUTE + 10_000);
  await assert.rejects(
    lead.requestShutdown("bob"),
    refused("recipient_lost", { family: "not_now" }),
  );
  await clock.advance(2 * MINUTE);
  const trial = lead.requestShutdown("bob");
  await clock.advance(9_999);
  assert.equal((await stateOf(trial)).state, "waiting");
  await clock.advance(1);
  assert.equal((await ended(trial)).status, "timed_out");
  await clock.advance(5_000);
  refused("recipient_lost")((await stateOf(lead.requestShutdown("bob"))).reason);
  bus.connect(bob);
  bob.say("team-lead", "I am back");
  bob.onRequest("shutdown", () => reject("I have work again"));
  assert.equal((await lead.requestShutdown("bob")).status, "rejected");
  assert.equal(lead.team().find(({ name }) => name === "bob").liveness, "active");
});

test("progress restarts the idle limit, never the cap", async () => {
  const { lead, alice, clock } = makeTeam();
  const pending = lead.requestShutdown("alice", { timeoutMs: 10_000, capMs: 25_000 });
  for (let step = 0; step < 3; step += 1) {
    await clock.advance(8_000);
    alice.progress({ requestId: pending.requestId, note: `step ${step}` });
    assert.equal((await stateOf(pending)).state, "waiting", `step ${step}`);
  }
  await clock.advance(1_000);
  const outcome = await ended(pending);
  assert.deepEqual([outcome.status, outcome.settledAt], ["timed_out", START + 25_000]);
});

test("a worker that said how long it is busy is not judged before", async () => {
  const { lead, bob, bus, clock } = makeTeam();
  bob.progress({ note: "compiling", busyForMs: 5 * MINUTE });
  const bobsView = () => lead.team().find(({ name }) => name === "bob");
  assert.equal(bobsView().liveness, "busy");
  assert.equal(bobsView().busyUntil, START + 5 * MINUTE);
  bus.disconnect("bob");
  lead.requestShutdown("bob");
  await clock.advance(4 * MINUTE);
  assert.notEqual(bobsView().liveness, "lost");
  await clock.advance(2 * MINUTE);
  assert.equal(bobsView().liveness, "lost");
});

test("a worker that does not confirm its exit raises the alarm", async () => {
  const { lead, alice, clock } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  const alarms = record(lead, "alarm");
  await lead.requestShutdown("alice");
  await clock.advance(9_999);
  assert.deepEqual(alarms, []);
  await clock.advance(1);
  assert.deepEqual(
    alarms.map(({ alarm, member }) => [alarm, member]),
    [["not_exited", "alice"]],
  );
});

test("a report that nobody acknowledges is sent again, then given up with an alarm", async () => {
  const { lead, alice, bus, clock } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const alarms = record(alice, "alarm");
  const { requestId } = await alice.submitPlan(PLAN);
  bus.disconnect("team-lead");
  alice.report(requestId, { ok: true });
  await clock.advance(10 * MINUTE);
  assert.deepEqual(
    alarms.map(({ alarm }) => alarm),
    ["report_lost"],
  );
  assert.ok(bus.waiting("team-lead") > 1);
  assert.equal(clock.pending, 0);
});

test("a request of weeks never meets a 32-bit timer", async () => {
  const { lead, alice, bus, clock } = makeTeam({ timing: { reminders: 0 } });
  const waits = [];
  const original = clock.setTimeout.bind(clock);
  clock.setTimeout = (run, ms) => {
    waits.push(ms);
    return original(run, ms);
  };
  bus.disconnect("alice");
  const limits = { timeoutMs: 12 * WEEK, capMs: 20 * WEEK };
  const pending = lead.requestShutdown("alice", limits);
  await clock.advance(12 * WEEK - 1);
  assert.equal((await stateOf(pending)).state, "waiting");
  await clock.advance(1);
  assert.equal((await ended(pending)).settledAt, START + 12 * WEEK);
  assert.ok(waits.length >= 4, "it took stages");
  for (const ms of waits) assert.ok(ms >= 0 && ms <= 2 ** 31 - 1, `setTimeout(${ms})`);
  assert.equal(alice.liveness, "active");
});

test("the longest limits there are do not overflow", async () => {
  const { lead, clock } = makeTeam();
  const limits = { timeoutMs: Number.MAX_SAFE_INTEGER, capMs: Number.MAX_SAFE_INTEGER };
  const pending = lead.requestShutdown("alice", limits);
  await clock.advance(WEEK);
  assert.equal((await stateOf(pending)).state, "waiting");
  lead.cancel(pending.requestId);
  assert.equal((await ended(pending)).status, "cancelled");
});

test("no timer stays behind when nothing is due", async () => {
  const { lead, alice, clock } = makeTeam();
  assert.equal(clock.pending, 0);
  alice.onRequest("shutdown", () => reject("busy"));
  lead.onRequest("plan_approval", () => reject("no"));
  await lead.requestShutdown("alice");
  await alice.submitPlan(PLAN);
  assert.equal(clock.pending, 0);
  const cancelled = lead.requestShutdown("bob");
  assert.ok(clock.pending > 0);
  lead.cancel(cancelled.requestId);
  await clock.advance(MINUTE);
  assert.equal(clock.pending, 0);
});

test("no timer stays behind after close", () => {
  const { lead, alice, bob, clock } = makeTeam();
  lead.requestShutdown("alice");
  lead.requestShutdown("bob");
  bob.submitPlan(PLAN);
  assert.ok(clock.pending > 0);
  for (const engine of [alice, lead, bob]) engine.close();
  assert.equal(clock.pending, 0);
});

test("wake-ups that come early or twice change nothing", async () => {
  const { lead, alice, clock } = makeTeam();
  let wake = [];
  const original = clock.setTimeout.bind(clock);
  clock.setTimeout = (run, ms) => {
    wake.push(run);
    return original(run, ms);
  };
  const reminders = record(alice, "reminder");
  const pending = lead.requestShutdown("alice");
  const hash = lead.stateHash();
  for (let round = 0; round < 50; round += 1) {
    const now = wake;
    wake = [];
    for (const run of now) run();
  }
  assert.equal(lead.stateHash(), hash);
  assert.deepEqual(reminders, []);
  assert.equal((await stateOf(pending)).state, "waiting");
  await clock.advance(MINUTE);
  assert.equal((await ended(pending)).settledAt, START + MINUTE);
});

test("a machine that slept sends one reminder or ends the request, not all at once", async () => {
  const { lead, alice, clock } = makeTeam();
  const reminders = record(alice, "reminder");
  const pending = lead.requestShutdown("alice");
  clock.jump(50_000);
  await clock.advance(0);
  assert.equal(reminders.length, 1);
  clock.jump(10 * MINUTE);
  await clock.advance(0);
  assert.equal((await ended(pending)).status, "timed_out");
  await clock.advance(10_000);
  assert.equal(lead.team().find(({ name }) => name === "alice").liveness, "suspect");
});

test("a manual clock takes times that are none as now, and stays sound", async () => {
  const clock = new ManualClock(5);
  const ran = [];
  for (const ms of [Number.NaN, -7, undefined]) clock.setTimeout(() => ran.push(clock.now()), ms);
  await clock.advance(1);
  assert.deepEqual(ran, [5, 5, 5]);
  assert.equal(clock.now(), 6);
  assert.equal(clock.pending, 0);
});

test("a manual clock runs timers in order of time, then of setting", async () => {
  const clock = new ManualClock();
  const ran = [];
  clock.setTimeout(() => ran.push("late"), 10);
  clock.setTimeout(() => {
    ran.push("early");
    clock.setTimeout(() => ran.push("nested"), 5);
  }, 5);
  clock.setTimeout(() => ran.push("late too"), 10);
  clock.clearTimeout(clock.setTimeout(() => ran.push("never"), 1));
  await clock.advance(10);
  assert.deepEqual(ran, ["early", "late", "late too", "nested"]);
});
