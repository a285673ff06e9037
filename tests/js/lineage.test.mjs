// Asking again, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { makeTeam, owed, PLAN, record, refused } from "./support.mjs";

test("a rejected plan comes again only as an appeal or a revision", async () => {
  const { lead, alice } = makeTeam();
  const stop = lead.onRequest("plan_approval", () => reject("no way back"));
  const first = await alice.submitPlan(PLAN);
  assert.equal(first.status, "rejected");
  await assert.rejects(() => alice.submitPlan(PLAN), refused("already_rejected"));
  stop();
  const justification = "there is a backup of an hour ago";
  const follows = { requestId: first.requestId, as: "appeal", justification };
  const appeal = alice.submitPlan(PLAN, { follows });
  assert.deepEqual(owed(lead).follows, {
    requestId: first.requestId,
    as: "appeal",
    justification,
  });
  lead.respond(appeal.requestId, approve());
  assert.equal((await appeal).status, "approved");
  const again = await alice.submitPlan(PLAN);
  assert.equal(again.requestId, appeal.requestId, "it is approved and not used up");
});

test("a rejected plan that its decider reopens is asked about once more", async () => {
  const { lead, alice } = makeTeam();
  const stop = lead.onRequest("plan_approval", () => reject("no way back"));
  const first = await alice.submitPlan(PLAN);
  stop();
  const events = record(alice, "reopened");
  lead.reopen(first.requestId, "there is a backup now");
  const { requestId, by, reason } = events[0];
  assert.deepEqual(
    [requestId, by, reason],
    [first.requestId, "team-lead", "there is a backup now"],
  );
  const again = alice.submitPlan(PLAN);
  lead.respond(again.requestId, approve());
  assert.equal((await again).status, "approved");
  assert.equal(alice.request(first.requestId).status, "rejected");
  assert.throws(() => lead.reopen(again.requestId), refused("nothing_to_reopen"));
  assert.throws(() => alice.reopen(first.requestId), refused("not_allowed"));
  assert.throws(() => lead.reopen(first.requestId, 7), refused("not_text"));
});

test("a refused shutdown may be asked again, linked", async () => {
  const { lead, alice } = makeTeam();
  alice.onRequest("shutdown", ({ follows }) =>
    follows?.as === "retry" ? approve() : reject("tests are writing"),
  );
  const first = await lead.requestShutdown("alice");
  const follows = { requestId: first.requestId, as: "retry" };
  assert.equal((await lead.requestShutdown("alice", { follows })).status, "approved");
});

test("what cannot be followed is refused with the place", async () => {
  const { alice } = makeTeam();
  const pending = alice.submitPlan(PLAN);
  const submit = (follows) => () => alice.submitPlan(PLAN, { follows });
  for (const [follows, code, path] of [
    [{ requestId: pending.requestId, as: "retry" }, "cannot_follow", undefined],
    [{ requestId: pending.requestId, as: "redo" }, "invalid_choice", "follows.as"],
    [{ as: "retry" }, "missing_field", "follows.requestId"],
    [{ requestId: "req_nothing", as: "retry" }, "unknown_request", undefined],
  ]) {
    await assert.rejects(submit(follows), refused(code, path && { path }), code);
  }
});
