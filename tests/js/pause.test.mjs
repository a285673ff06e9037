// Two clocks: human time that is paused and resumed, and the report that is due.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine } from "team-protocols";
import {
  ended,
  engineFor,
  makeTeam,
  owed,
  PLAN,
  record,
  refused,
  START,
  stateOf,
  TEAM,
} from "./support.mjs";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test("while a person decides, neither limits nor reminders run", async () => {
  const { lead, alice, clock } = makeTeam();
  const reminders = record(lead, "reminder");
  const pending = alice.submitPlan(PLAN);
  await clock.advance(10_000);
  alice.pause(pending.requestId);
  assert.equal(alice.request(pending.requestId).pausedUntil, START + 10_000 + DAY);
  await clock.advance(8 * HOUR);
  assert.equal((await stateOf(pending)).state, "waiting");
  assert.deepEqual(reminders, []);
  lead.respond(owed(lead).requestId, { approve: true });
  await clock.advance(0);
  assert.equal((await ended(pending)).status, "approved");
});

test("a resumed request has the time it had, on both sides", async () => {
  const { lead, alice, clock } = makeTeam();
  const pending = alice.submitPlan(PLAN);
  await clock.advance(10_000);
  alice.pause(pending.requestId);
  await clock.advance(HOUR);
  alice.resume(pending.requestId);
  await clock.advance(0);
  assert.equal(alice.request(pending.requestId).pausedUntil, undefined);
  assert.equal(owed(lead).answerBy, START + HOUR + MINUTE);
  await clock.advance(50_000 - 1);
  assert.equal((await stateOf(pending)).state, "waiting");
  await clock.advance(1);
  const { status, settledAt } = await ended(pending);
  assert.deepEqual([status, settledAt], ["timed_out", START + HOUR + MINUTE]);
});

test("a pause ends by itself after `pauseMaxMs`", async () => {
  const { alice, clock } = makeTeam({ timing: { pauseMaxMs: HOUR } });
  const pending = alice.submitPlan(PLAN);
  const { requestId } = pending;
  assert.throws(() => alice.resume(requestId), refused("not_paused", { path: "request_id" }));
  alice.pause(requestId);
  assert.throws(() => alice.pause(requestId), refused("already_paused"));
  await clock.advance(HOUR);
  assert.throws(() => alice.resume(requestId), refused("not_paused"));
  assert.throws(() => alice.pause(requestId), refused("pause_used_up"));
  await clock.advance(MINUTE);
  assert.equal((await ended(pending)).status, "timed_out");
  assert.throws(() => alice.pause(requestId), refused("not_pending"));
});

test("zero forbids pauses, and what is no span is refused with its place", () => {
  const { alice } = makeTeam({ timing: { pauseMaxMs: 0 } });
  const pending = alice.submitPlan(PLAN);
  assert.throws(() => alice.pause(pending.requestId), refused("pause_used_up"));
  alice.cancel(pending.requestId);
  const make = (timing) => engineFor({ timing });
  const path = "options.timing.pauseMaxMs";
  assert.throws(() => make({ pauseMaxMs: "a day" }), refused("bad_option", { path }));
  assert.throws(() => make({ reportDueMs: 0 }), refused("config_zero", { path: "report_due" }));
});

test("the sans-IO engine takes the beginning of an id and gives the whole one", () => {
  const engine = new Engine({ team: TEAM, member: "alice", seed: "s" }, START);
  const id = engine.submitPlan(START, PLAN);
  const hash = engine.stateHash();
  assert.equal(engine.pause(START + 1, id.slice(0, 12)), id);
  assert.notEqual(engine.stateHash(), hash);
  assert.equal(engine.request(id).pausedUntil, START + 1 + DAY);
  assert.equal(engine.pollDeadline(), START + 15_001, "when it is told again");
  assert.equal(engine.resume(START + 2, id), id);
  assert.equal(engine.pollDeadline(), START + 15_001);
});

test("a pause of weeks never meets a 32-bit timer", async () => {
  const WEEK = 7 * DAY;
  const { alice, clock } = makeTeam({ timing: { pauseMaxMs: 12 * WEEK } });
  const waits = [];
  const original = clock.setTimeout.bind(clock);
  clock.setTimeout = (run, ms) => {
    waits.push(ms);
    return original(run, ms);
  };
  const pending = alice.submitPlan(PLAN);
  alice.pause(pending.requestId);
  await clock.advance(12 * WEEK + MINUTE - 1);
  assert.equal((await stateOf(pending)).state, "waiting");
  await clock.advance(1);
  assert.equal((await ended(pending)).settledAt, START + 12 * WEEK + MINUTE);
  for (const ms of waits) assert.ok(ms >= 0 && ms <= 2 ** 31 - 1, `setTimeout(${ms})`);
});

test("approved work that is not reported in time raises one alarm; progress gives it time", async () => {
  const { lead, alice, clock } = makeTeam({ timing: { reportDueMs: MINUTE } });
  lead.onRequest("plan_approval", () => approve());
  const alarms = record(lead, "alarm");
  const reports = record(lead, "report");
  const { requestId } = await alice.submitPlan(PLAN);
  await clock.advance(50_000);
  alice.progress({ requestId, note: "half done" });
  await clock.advance(MINUTE - 1);
  assert.deepEqual(alarms, []);
  await clock.advance(HOUR);
  assert.deepEqual(
    alarms.map(({ alarm, member, requestId }) => [alarm, member, requestId]),
    [["report_overdue", "alice", requestId]],
  );
  alice.report(requestId, { ok: true });
  await clock.advance(0);
  assert.deepEqual(
    reports.map(({ ok }) => ok),
    [true],
  );
  assert.throws(() => alice.progress({ requestId }), refused("already_answered"));
});
