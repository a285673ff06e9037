// Everyone is asked to leave at once, by the promise and by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, ManualClock, ProtocolError, reject } from "team-protocols";
import {
  ended,
  engineFor,
  makeTeam,
  owed,
  record,
  refused,
  START,
  stateOf,
  TEAM,
} from "./support.mjs";

const brief = (results) =>
  results.map(({ member, asked, outcome, error }) => [
    member,
    asked,
    outcome?.status ?? error?.code,
  ]);

test("every worker has its entry: how its own request ended", async () => {
  const { lead, alice, bob } = makeTeam();
  alice.onRequest("shutdown", () => approve("done anyway"));
  bob.onRequest("shutdown", ({ reason }) => reject(`not now: ${reason}`, { retryAfterMs: 500 }));
  const results = await ended(lead.shutdownAll({ reason: "work is done" }));
  assert.deepEqual(brief(results), [
    ["alice", "new", "approved"],
    ["bob", "new", "rejected"],
  ]);
  const [ofAlice, ofBob] = results;
  assert.equal(ofBob.outcome.reason, "not now: work is done");
  assert.equal(ofBob.outcome.retryAfterMs, 500);
  assert.notEqual(ofAlice.requestId, ofBob.requestId);
  assert.equal(ofAlice.outcome.requestId, ofAlice.requestId);
  assert.equal(ofAlice.liveness, "active");
});

test("it waits for the last one, and a silent one times out", async () => {
  const { lead, alice, clock } = makeTeam();
  const pending = lead.shutdownAll({ timeoutMs: 5_000 });
  alice.respond(owed(alice).requestId, approve());
  assert.equal((await stateOf(pending)).state, "waiting");
  await clock.advance(5_000);
  assert.deepEqual(brief(await ended(pending)), [
    ["alice", "new", "approved"],
    ["bob", "new", "timed_out"],
  ]);
});

test("who is asked already, is leaving or cannot be asked is listed with why", async () => {
  const { lead, alice, bob } = makeTeam();
  const first = lead.requestShutdown("alice", { reason: "first" });
  bob.exit();
  const pending = lead.shutdownAll({ reason: "second" });
  assert.equal(alice.obligations().length, 1, "alice is asked once");
  assert.equal(owed(alice).reason, "first");
  alice.respond(owed(alice).requestId, approve());
  const results = await ended(pending);
  assert.deepEqual(brief(results), [
    ["alice", "pending", "approved"],
    ["bob", "refused", "recipient_left"],
  ]);
  assert.equal(results[0].requestId, first.requestId);
  assert.equal(results[1].liveness, "left");
  assert.ok(ProtocolError.is(results[1].error));
  assert.equal(results[1].requestId, undefined);
  const again = await ended(lead.shutdownAll());
  assert.deepEqual(brief(again)[0], ["alice", "agreed", "approved"]);
  assert.equal(again[0].requestId, first.requestId);
});

test("a call that breaks a rule asks nobody", async () => {
  const { lead, alice, bob } = makeTeam();
  await assert.rejects(alice.shutdownAll(), refused("not_allowed"));
  await assert.rejects(lead.shutdownAll({ timeoutMs: 0 }), refused("zero_limit"));
  await assert.rejects(lead.shutdownAll({ timeoutMs: -1 }), refused("bad_span"));
  assert.deepEqual([...alice.obligations(), ...bob.obligations()], []);
  lead.close();
  await assert.rejects(lead.shutdownAll(), refused("closed"));
});

test("a transport that fails for one is that one's error", async () => {
  const clock = new ManualClock(START);
  const failing = engineFor({
    member: "team-lead",
    clock,
    transport: ({ to }) => {
      if (to === "bob") throw new Error("no route");
    },
  });
  const pending = failing.shutdownAll({ timeoutMs: 1_000 });
  await clock.advance(1_000);
  const results = await ended(pending);
  assert.deepEqual(brief(results), [
    ["alice", "new", "timed_out"],
    ["bob", "new", "send_failed"],
  ]);
  assert.equal(results[1].error.cause.message, "no route");
});

test("an abort withdraws what began here, and leaves what was asked before", async () => {
  const { lead, alice, bob } = makeTeam();
  const before = lead.requestShutdown("alice");
  const closed = record(bob, "closed");
  const controller = new AbortController();
  const pending = lead.shutdownAll({ signal: controller.signal });
  controller.abort(new Error("changed my mind"));
  await assert.rejects(pending, /changed my mind/);
  assert.equal(closed.length, 1);
  assert.equal(closed[0].status, "cancelled");
  assert.equal(lead.request(before.requestId).status, "pending");
  alice.respond(owed(alice).requestId, approve());
  assert.equal((await ended(before)).status, "approved");
  const late = lead.shutdownAll({ signal: controller.signal });
  await assert.rejects(late, /changed my mind/);
  assert.deepEqual(bob.obligations(), []);
});

test("a team without workers is done at once", async () => {
  const { lead } = makeTeam({
    members: ["team-lead"],
    team: [{ name: "team-lead", role: "lead" }],
  });
  assert.deepEqual(await ended(lead.shutdownAll()), []);
});

test("by hand: the entries come at once, the frames as effects", () => {
  const lead = new Engine({ team: TEAM, member: "team-lead", seed: "lead" }, START);
  lead.memberGone(START, "bob");
  while (lead.pollEffect() !== undefined);
  const [alice, bob] = lead.shutdownAll(START, { reason: "done", timeoutMs: 7_000 });
  assert.deepEqual(
    { ...alice },
    {
      member: "alice",
      liveness: "active",
      asked: "new",
      requestId: alice.requestId,
    },
  );
  assert.equal(bob.asked, "refused");
  assert.ok(refused("recipient_left")(bob.error));
  const effect = lead.pollEffect();
  assert.deepEqual([effect.type, effect.to], ["send", "alice"]);
  const { message } = JSON.parse(effect.frame);
  assert.equal(message.request_id, alice.requestId);
  assert.deepEqual([message.reason, message.timeout_ms], ["done", 7_000]);
  assert.equal(lead.pollEffect(), undefined);
  lead.dispose();
});

test("the refusal of a shutdown to everyone names the way", () => {
  for (const [lang, word] of [
    ["en", "shutdownAll"],
    ["zh", "shutdownAll"],
  ]) {
    const lead = new Engine({ team: TEAM, member: "team-lead", seed: "lead", lang }, START);
    assert.throws(
      () => lead.requestShutdown(START, "*"),
      (error) => refused("broadcast")(error) && error.hint.includes(word),
    );
    lead.dispose();
  }
});
