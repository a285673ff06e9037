// Clocks that are wrong.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, ManualClock } from "team-protocols";
import { ended, engineFor, makeTeam, PLAN, refused, START, stateOf, TEAM } from "./support.mjs";

const NO_TIMES = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 2 ** 53];

test("an engine is not made at a time that is none", () => {
  for (const now of NO_TIMES) {
    assert.throws(
      () => engineFor({ clock: { ...new ManualClock(), now: () => now } }),
      refused("bad_clock"),
    );
    assert.throws(() => new Engine({ team: TEAM, member: "bob" }, now), refused("bad_clock"));
  }
});

for (const bad of NO_TIMES) {
  test(`every call at ${bad} is refused, changes nothing, and the next good one works`, async () => {
    const { lead, alice, clock } = makeTeam();
    const pending = lead.requestShutdown("alice");
    const frame = await frameOf();
    const hashes = [lead.stateHash(), alice.stateHash()];
    const audit = [lead.audit().length, alice.audit().length];
    const sound = clock.now;
    clock.now = () => bad;
    const error = refused("bad_clock", { family: "misuse", rule: "clock", path: "now" });
    const calls = [
      () => lead.cancel(pending.requestId),
      () => lead.say("alice", "hi"),
      () => lead.callTool({ to: "alice", message: "hi" }),
      () => lead.addMember({ name: "eve" }),
      () => lead.memberGone("alice"),
      () => lead.close(),
      () => alice.respond(pending.requestId, approve()),
      () => alice.receive(frame, { from: "team-lead" }),
      () => alice.receive("garbage", { from: "team-lead" }),
      () => alice.progress(),
      () => alice.idle(),
      () => alice.exit(),
      () => alice.gate.enter("a:b"),
      () => alice.enterCriticalSection("s"),
    ];
    for (const call of calls) assert.throws(call, error, `${call}`);
    await assert.rejects(lead.requestShutdown("bob"), error);
    await assert.rejects(alice.submitPlan(PLAN), error);
    assert.deepEqual([lead.stateHash(), alice.stateHash()], hashes);
    assert.deepEqual([lead.audit().length, alice.audit().length], audit);
    clock.now = sound;
    alice.respond(pending.requestId, approve());
    assert.equal((await ended(pending)).status, "approved");
    lead.close();
    assert.throws(() => lead.say("alice", "hi"), refused("closed"));
  });

  test(`a glance at ${bad} does not stop the timers`, async () => {
    const { lead, bus, clock } = makeTeam();
    bus.disconnect("alice");
    const pending = lead.requestShutdown("alice");
    const waits = watchTimers(clock);
    const sound = clock.now;
    clock.now = () => bad;
    assert.throws(() => lead.say("alice", "hi"), refused("bad_clock"));
    clock.now = sound;
    await clock.advance(60_000);
    assert.equal((await ended(pending)).status, "timed_out");
    for (const ms of waits) assert.ok(ms >= 0 && ms <= 2 ** 31 - 1, `setTimeout(${ms})`);
  });
}

test("a clock that reads wrong while the timer is set does not delay the deadline", async () => {
  for (const bad of [...NO_TIMES, 0, START - 1]) {
    const { lead, alice, bus, clock, errors } = makeTeam();
    alice.onRequest("shutdown", () => undefined);
    bus.disconnect("bob");
    let reads = 0;
    const sound = clock.now.bind(clock);
    clock.now = () => {
      reads += 1;
      return reads === 2 ? bad : sound();
    };
    // Read once for the call, once for the timer.
    const pending = lead.requestShutdown("bob", { timeoutMs: 30_000 });
    assert.ok(reads >= 2);
    await clock.advance(30_000);
    const { state, value } = await stateOf(pending);
    assert.equal(state, "resolved", `after ${bad}`);
    assert.equal(value.settledAt, START + 30_000);
    assert.deepEqual(errors, []);
  }
});

test("a clock that breaks while nobody calls is told, asked again without haste, and recovers", async () => {
  const { lead, bus, clock, errors } = makeTeam();
  bus.disconnect("alice");
  const pending = lead.requestShutdown("alice", { timeoutMs: 8_000 });
  const sound = clock.now;
  clock.now = () => Number.NaN;
  await clock.advance(60_000);
  assert.ok(errors.length > 0 && errors.length <= 60, `${errors.length} errors in a minute`);
  for (const error of errors) refused("bad_clock")(error);
  clock.now = sound;
  await clock.advance(10_000);
  assert.equal((await ended(pending)).status, "timed_out");
});

test("a clock that goes backward holds time still and wakes nobody in haste", async () => {
  const { lead, bus, clock } = makeTeam();
  bus.disconnect("alice");
  const pending = lead.requestShutdown("alice", { timeoutMs: 10_000 });
  clock.jump(-3_600_000);
  const hash = lead.stateHash();
  const waits = watchTimers(clock);
  lead.say("alice", "at an earlier time");
  assert.equal(lead.stateHash(), hash);
  assert.equal(lead.audit().at(-1).at, START);
  await clock.advance(3_600_000);
  assert.equal((await stateOf(pending)).state, "waiting");
  assert.ok(waits.length < 3_601, `${waits.length} timers in an hour`);
  await clock.advance(11_000);
  assert.equal((await ended(pending)).status, "timed_out");
});

test("fractions of a millisecond wake nobody too early", async () => {
  const clock = new ManualClock(START + 0.75);
  const waits = watchTimers(clock);
  const lead = engineFor({ member: "team-lead", clock });
  const pending = lead.requestShutdown("alice", { timeoutMs: 1_000 });
  await clock.advance(2_000);
  assert.equal((await ended(pending)).status, "timed_out");
  assert.ok(waits.length <= 8, `${waits.length} timers`);
});

function watchTimers(clock) {
  const waits = [];
  const original = clock.setTimeout.bind(clock);
  clock.setTimeout = (run, ms) => {
    waits.push(ms);
    return original(run, ms);
  };
  return waits;
}

/** A good frame of the lead that nobody has seen. */
async function frameOf() {
  const frames = [];
  const transport = ({ frame }) => void frames.push(frame);
  engineFor({ member: "team-lead", seed: "other life", transport }).say("alice", "hello");
  return frames[0];
}
