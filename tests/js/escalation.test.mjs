// A shutdown that is asked again by itself, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { ended, engineFor, makeTeam, owed, record, refused, settle, stateOf } from "./support.mjs";

const escalate = { attempts: 3 };

test("the promise resolves once, with the end of it all", async () => {
  const { lead, alice, clock } = makeTeam();
  const asked = [];
  alice.onRequest("shutdown", ({ requestId }) => {
    asked.push(requestId);
    return asked.length < 3 ? reject("tests are writing", { retryAfterMs: 5_000 }) : approve();
  });
  const events = record(lead, "escalation", "settled");
  const promise = lead.requestShutdown("alice", { reason: "done", escalate });
  await settle();
  assert.equal((await stateOf(promise)).state, "waiting");
  assert.deepEqual(lead.request(promise.requestId).attempt, {
    attempt: 1,
    of: 3,
    nextAt: clock.now() + 5_000,
  });
  await clock.advance(4_999);
  await settle();
  assert.equal(asked.length, 1);
  await clock.advance(1);
  await settle();
  await clock.advance(5_000);
  const outcome = await ended(promise);
  assert.deepEqual(
    [outcome.status, outcome.requestId, outcome.requests],
    ["approved", asked[2], asked],
  );
  assert.equal(promise.requestId, asked[0]);
  const steps = events.map(({ type, step, status, attempt }) => [type, step ?? status, attempt]);
  assert.deepEqual(steps, [
    ["escalation", "asked", 1],
    ["settled", "rejected", undefined],
    ["escalation", "waiting", 1],
    ["escalation", "asked", 2],
    ["settled", "rejected", undefined],
    ["escalation", "waiting", 2],
    ["escalation", "asked", 3],
    ["settled", "approved", undefined],
    ["escalation", "ended", 3],
  ]);
  assert.equal(lead.outcome(asked[0]).status, "rejected", "each decision stays");
  const codes = lead.audit().filter(({ verdict }) => verdict === "escalated");
  assert.equal(codes.length, 6);
});

test("refused as often as it may be asked: one alarm with the last reason", async () => {
  const { lead, alice, clock } = makeTeam({ timing: { askAgainMs: 7_000 } });
  let times = 0;
  alice.onRequest("shutdown", () => {
    times += 1;
    return reject(`no ${times}`);
  });
  const alarms = record(lead, "alarm");
  const promise = lead.requestShutdown("alice", { escalate: { attempts: 2 } });
  await settle();
  await clock.advance(7_000);
  const { status, reason, requests } = await ended(promise);
  assert.deepEqual([status, reason, requests.length], ["rejected", "no 2", 2]);
  assert.equal(alarms.length, 1);
  const { alarm, member, refused: said } = alarms[0];
  assert.deepEqual(
    [alarm, member, said.times, said.reason],
    ["refused_repeatedly", "alice", 2, "no 2"],
  );
  assert.deepEqual(said.requests, requests);
});

test("an abort between two attempts ends it, and so does a withdrawal", async () => {
  const { lead, alice, clock, errors } = makeTeam();
  alice.onRequest("shutdown", () => reject("busy", { retryAfterMs: 5_000 }));
  const abort = new AbortController();
  const first = lead.requestShutdown("alice", { escalate, signal: abort.signal });
  await settle();
  abort.abort(new Error("enough"));
  await assert.rejects(first, /enough/);
  await clock.advance(10_000);
  await settle();
  assert.equal(lead.request(first.requestId).attempt, undefined);
  const second = lead.requestShutdown("alice", { escalate });
  await settle();
  await clock.advance(5_000);
  await settle();
  lead.cancel(second.requestId);
  const { status, cause, requests } = await ended(second);
  assert.deepEqual([status, cause, requests.length], ["cancelled", "member", 2]);
  assert.deepEqual(errors, []);
});

test("everyone may be asked like this, and who is asked already is waited for", async () => {
  const { lead, alice, bob, clock } = makeTeam();
  for (const worker of [alice, bob]) {
    let times = 0;
    worker.onRequest("shutdown", () => {
      times += 1;
      return times < 2 ? reject("busy", { retryAfterMs: 1_000 }) : approve();
    });
  }
  const alone = lead.requestShutdown("bob", { escalate });
  await settle();
  const all = lead.shutdownAll({ escalate });
  await settle();
  await clock.advance(1_000);
  const found = (await ended(all)).map(({ member, asked, outcome }) => [
    member,
    asked,
    outcome.status,
    outcome.requests.length,
  ]);
  assert.deepEqual(found, [
    ["alice", "new", "approved", 2],
    ["bob", "pending", "approved", 2],
  ]);
  assert.equal((await ended(alone)).status, "approved");
});

test("a transport that fails in a later attempt rejects the promise with why", async () => {
  let broken = false;
  const { bus, alice, clock } = makeTeam({ members: ["alice"] });
  const send = bus.transport("team-lead");
  const transport = (frame) => {
    if (broken) throw new Error("no route");
    return send(frame);
  };
  const lead = engineFor({ member: "team-lead", clock, transport, errors: [] });
  bus.connect(lead);
  alice.onRequest("shutdown", () => reject("busy", { retryAfterMs: 1_000 }));
  const promise = lead.requestShutdown("alice", { escalate });
  await settle();
  broken = true;
  await clock.advance(1_000);
  await assert.rejects(promise, refused("send_failed"));
});

test("work on approval runs for whichever attempt is approved", async () => {
  const { lead, alice, clock } = makeTeam();
  let times = 0;
  alice.onRequest("shutdown", () => {
    times += 1;
    return times < 3 ? reject("busy", { retryAfterMs: 1_000 }) : approve();
  });
  const ran = [];
  const onApproved = ({ requestId }) => void ran.push(requestId);
  const promise = lead.requestShutdown("alice", { escalate, onApproved });
  await settle();
  await clock.advance(1_000);
  await settle();
  await clock.advance(1_000);
  const { requestId } = await ended(promise);
  await settle();
  assert.deepEqual(ran, [requestId]);
});

test("a lost worker is asked no more", async () => {
  const { lead, alice, clock } = makeTeam({ members: ["team-lead", "alice"] });
  const alarms = record(lead, "alarm");
  alice.onRequest("shutdown", () => reject("busy", { retryAfterMs: 1_000 }));
  const promise = lead.requestShutdown("alice", { escalate });
  await settle();
  alice.close();
  await clock.advance(70_000);
  await settle();
  const { status, cause, requests } = await ended(promise);
  assert.deepEqual([status, cause, requests.length], ["cancelled", "peer_lost", 2]);
  assert.deepEqual(
    alarms.map(({ alarm }) => alarm),
    ["worker_lost", "reclaim"],
  );
});

test("what cannot be is refused with the place", async () => {
  const { lead, alice } = makeTeam();
  for (const [wrong, code, path] of [
    [{ attempts: 0 }, "bad_escalation", "escalate"],
    [{ attempts: 9 }, "bad_escalation", "escalate"],
    [{}, "missing_field", "escalate.attempts"],
    [{ attempts: 2, retryAfterMs: Number.NaN }, "wrong_type", "escalate.retryAfterMs"],
    [{ attempts: 2, after: 5 }, "unknown_field", "escalate.after"],
  ]) {
    await assert.rejects(
      lead.requestShutdown("alice", { escalate: wrong }),
      refused(code, { path }),
    );
    await assert.rejects(lead.shutdownAll({ escalate: wrong }), refused(code, { path }));
  }
  assert.deepEqual(alice.obligations(), []);
  lead.requestShutdown("alice");
  assert.equal(owed(alice).kind, "shutdown");
});
