// The shutdown handshake through ProtocolEngine and LocalBus.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { engineFor, makeTeam, owed, PLAN, record, refused, START, stateOf } from "./support.mjs";

test("an approved shutdown tells the lead who said yes and leaves the worker leaving", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => approve("all committed"));
  const pending = lead.requestShutdown("alice", { reason: "work is done" });
  assert.match(pending.requestId, /^req_[0-9a-f]{32}$/);
  assert.deepEqual(await pending, {
    requestId: pending.requestId,
    kind: "shutdown",
    to: "alice",
    status: "approved",
    cause: "member",
    by: "alice",
    reason: "all committed",
    settledAt: START,
  });
  assert.equal(alice.liveness, "leaving");
  assert.equal(lead.team().find(({ name }) => name === "alice").liveness, "leaving");
});

test("a plain handshake is two frames", async () => {
  const { lead, alice, bus } = makeTeam();
  const frames = [];
  bus.observe(({ from, to, frame }) => frames.push([from, to, JSON.parse(frame).message.type]));
  alice.onRequest("shutdown", () => approve());
  await lead.requestShutdown("alice");
  assert.deepEqual(frames, [
    ["team-lead", "alice", "shutdown_request"],
    ["alice", "team-lead", "shutdown_response"],
  ]);
});

test("a refusal carries its reason and when to ask again", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => reject("tests are writing", { retryAfterMs: 10_000 }));
  const outcome = await lead.requestShutdown("alice");
  assert.equal(outcome.status, "rejected");
  assert.equal(outcome.by, "alice");
  assert.equal(outcome.reason, "tests are writing");
  assert.equal(outcome.retryAfterMs, 10_000);
  assert.equal(alice.liveness, "active");
});

test("asking again after a refusal is a new request", async () => {
  const { lead, alice } = makeTeam();
  let busy = true;
  alice.onRequest("shutdown", () => (busy ? reject("not yet") : approve()));
  const first = await lead.requestShutdown("alice");
  busy = false;
  const second = await lead.requestShutdown("alice");
  assert.deepEqual([first.status, second.status], ["rejected", "approved"]);
  assert.notEqual(first.requestId, second.requestId);
});

test("a member that is leaving is not asked twice", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  const first = await lead.requestShutdown("alice");
  const again = lead.requestShutdown("alice");
  assert.equal(again.requestId, first.requestId);
  assert.deepEqual(await again, first);
});

test("a confirmed exit makes the member left on both sides", async () => {
  const { lead, alice, clock } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  const liveness = record(lead, "liveness");
  await lead.requestShutdown("alice");
  alice.exit();
  assert.equal(alice.liveness, "left");
  assert.deepEqual(
    liveness.map((event) => [event.member, event.liveness]),
    [
      ["alice", "leaving"],
      ["alice", "left"],
    ],
  );
  assert.throws(() => alice.say("team-lead", "one more thing"), refused("self_leaving"));
  await assert.rejects(lead.requestShutdown("alice"), refused("recipient_left", { path: "to" }));
  assert.equal(clock.pending, 0);
});

test("a refusal without a reason is refused and the request stays open", () => {
  const { lead, alice } = makeTeam();
  lead.requestShutdown("alice");
  const { requestId } = owed(alice);
  for (const reason of [undefined, "", "   ", "\u200b\u00a0"]) {
    const error = refused("reason_required", { family: "invalid" });
    assert.throws(() => alice.respond(requestId, { approve: false, reason }), error);
  }
  assert.equal(owed(alice).requestId, requestId);
});

test("a decision that is no boolean is refused whatever its truthiness", () => {
  const { lead, alice } = makeTeam();
  lead.requestShutdown("alice");
  const { requestId } = owed(alice);
  const hash = alice.stateHash();
  for (const value of ["true", "false", 1, 0, null, undefined, {}, []]) {
    assert.throws(() => alice.respond(requestId, { approve: value }), refused("not_boolean"));
  }
  assert.equal(alice.stateHash(), hash);
});

test("an obligation spells the answer out, and that answer is accepted as tool input", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice", { reason: "done", timeoutMs: 30_000 });
  const [obligation] = alice.obligations();
  assert.equal(obligation.request.requestId, pending.requestId);
  assert.equal(obligation.request.from, "team-lead");
  assert.equal(obligation.request.reason, "done");
  assert.equal(obligation.deferred, false);
  assert.equal(obligation.timeLeftMs, 30_000);
  alice.callTool(obligation.approveWith);
  assert.equal((await pending).status, "approved");
  assert.deepEqual(alice.obligations(), []);
});

test("the refusal that an obligation spells out works once its reason is filled in", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice");
  const shape = JSON.parse(alice.obligations()[0].rejectWith);
  shape.message.reason = "the build runs";
  alice.callTool(shape);
  const outcome = await pending;
  assert.deepEqual([outcome.status, outcome.reason], ["rejected", "the build runs"]);
});

test("an unambiguous beginning of an id names the request", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice");
  alice.respond(pending.requestId.slice(0, 12), approve());
  assert.equal((await pending).status, "approved");
});

test("a beginning that two requests share is refused with both", () => {
  const { lead, alice } = makeTeam();
  const frames = [];
  const transport = ({ frame }) => void frames.push(frame);
  engineFor({ member: "team-lead", transport }).requestShutdown("alice");
  const ids = ["deploy-2024-a", "deploy-2024-b"];
  for (const [at, id] of ids.entries()) {
    const frame = JSON.parse(frames[0]);
    frame.seq = at + 1;
    frame.id = `${at}`;
    frame.message.request_id = id;
    const { type } = alice.receive(JSON.stringify(frame), { from: "team-lead" });
    assert.equal(type, "accepted");
  }
  assert.throws(
    () => alice.respond("deploy-2024", approve()),
    (error) => {
      for (const id of ids) assert.ok(error.message.includes(id), error.message);
      return refused("ambiguous_prefix")(error);
    },
  );
  assert.equal(alice.obligations().length, 2);
  assert.throws(() => lead.cancel("req_zzzzzzzz"), refused("unknown_request"));
});

test("the other answer to an answered request is refused and the first stands", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice");
  alice.respond(pending.requestId, reject("busy"));
  assert.throws(() => alice.respond(pending.requestId, approve()), refused("answer_conflicts"));
  assert.equal((await pending).status, "rejected");
});

test("cancel ends the request for both sides", async () => {
  const { lead, alice } = makeTeam();
  const closed = record(alice, "closed");
  const pending = lead.requestShutdown("alice");
  lead.cancel(pending.requestId);
  const outcome = await pending;
  assert.equal(outcome.status, "cancelled");
  assert.deepEqual(alice.obligations(), []);
  assert.equal(closed.length, 1);
  assert.equal(closed[0].status, "cancelled");
  assert.equal(closed[0].approvalWithoutEffect, false);
  lead.cancel(pending.requestId);
  assert.equal(closed.length, 1);
});

test("only the lead asks for shutdowns, only of workers, never of itself", async () => {
  const { lead, alice } = makeTeam();
  await assert.rejects(alice.requestShutdown("bob"), refused("not_allowed"));
  await assert.rejects(alice.requestShutdown("team-lead"), refused("not_allowed"));
  await assert.rejects(lead.requestShutdown("team-lead"), refused("to_oneself"));
  await assert.rejects(lead.requestShutdown("*"), refused("broadcast"));
  await assert.rejects(lead.requestShutdown("alise"), (error) => {
    assert.match(error.message + error.hint, /alice/);
    return refused("unknown_recipient")(error);
  });
});

test("a refused request has no id and leaves nothing behind", async () => {
  const { lead } = makeTeam();
  const hash = lead.stateHash();
  const pending = lead.requestShutdown("nobody");
  assert.equal(pending.requestId, undefined);
  await assert.rejects(pending, refused("unknown_recipient"));
  assert.equal(lead.stateHash(), hash);
});

test("a section that rejects answers with its name and its end", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => assert.fail("the section answers, not the handler"));
  const section = alice.enterCriticalSection("database migration", { etaMs: 8_000 });
  const outcome = await lead.requestShutdown("alice");
  assert.equal(outcome.status, "rejected");
  assert.match(outcome.reason, /database migration/);
  assert.equal(outcome.retryAfterMs, 8_000);
  assert.deepEqual(alice.sections(), ["database migration"]);
  section.leave();
  assert.deepEqual(alice.sections(), []);
});

test("a section that defers holds the request back until it is disposed of", async () => {
  const { lead, alice, errors } = makeTeam();
  const progress = record(lead, "progress");
  let asked = 0;
  alice.onRequest("shutdown", () => {
    asked += 1;
    return approve();
  });
  const section = alice.enterCriticalSection("backup", { etaMs: 5_000, policy: "defer" });
  const pending = lead.requestShutdown("alice");
  assert.equal((await stateOf(pending)).state, "waiting");
  assert.equal(alice.obligations()[0].deferred, true);
  assert.equal(asked, 0);
  assert.match(progress[0].note, /backup/);
  section[Symbol.dispose]();
  assert.equal((await pending).status, "approved");
  assert.equal(asked, 1);
  section[Symbol.dispose]();
  section.leave();
  assert.deepEqual(errors, []);
});

test("inner sections keep holding a deferred request back", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", () => approve());
  const outer = alice.enterCriticalSection("outer", { policy: "defer" });
  const inner = alice.enterCriticalSection("inner", { policy: "defer" });
  const pending = lead.requestShutdown("alice");
  outer.leave();
  assert.equal((await stateOf(pending)).state, "waiting");
  inner.leave();
  assert.equal((await pending).status, "approved");
});

test("a worker that leaves ends its own requests and shuts its gate", async () => {
  const { lead, alice } = makeTeam();

  alice.onRequest("shutdown", () => approve());
  const plan = alice.submitPlan(PLAN);
  await lead.requestShutdown("alice");
  const outcome = await plan;
  assert.deepEqual([outcome.status, outcome.cause], ["cancelled", "leaving"]);
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("self_leaving"));
  assert.deepEqual(lead.obligations(), []);
  await assert.rejects(alice.submitPlan(PLAN), refused("self_leaving"));
});

test("an exit that nobody agreed to ends what was asked as cancelled", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice");
  alice.exit();
  const outcome = await pending;
  assert.deepEqual([outcome.status, outcome.cause], ["cancelled", "peer_left"]);
});
