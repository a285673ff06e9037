// Plans, the gate and the execution report.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { makeTeam, owed, PLAN, record, refused } from "./support.mjs";

test("the lead sees the whole plan, and its yes opens the gate for its scope only", async () => {
  const { lead, alice } = makeTeam();
  const seen = [];
  lead.onRequest("plan_approval", (request) => {
    seen.push(request);
    return approve("keep a copy");
  });
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
  const outcome = await alice.submitPlan(PLAN);
  assert.deepEqual(
    [outcome.status, outcome.by, outcome.reason],
    ["approved", "team-lead", "keep a copy"],
  );
  assert.deepEqual(seen[0].plan, PLAN);
  assert.equal(seen[0].from, "alice");
  assert.equal(seen[0].uses, "until_report");
  const permit = alice.gate.enter("run:migrations/2024/01.sql");
  assert.equal(permit.requestId, outcome.requestId);
  assert.equal(permit.action, "run:migrations/2024/01.sql");
  assert.throws(
    () => alice.gate.enter("write:db/users"),
    refused("gate_out_of_scope", { path: "action" }),
  );
});

test("a rejected plan brings the feedback and keeps the gate shut", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => reject("no rollback step"));
  const outcome = await alice.submitPlan(PLAN);
  assert.deepEqual([outcome.status, outcome.reason], ["rejected", "no rollback step"]);
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
});

test("a one-shot approval is spent by the work, and a failed start gives it back", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  await alice.submitPlan(PLAN, { uses: "once" });
  const first = alice.gate.enter("write:db/sessions");
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_spent"));
  first.startFailed();
  assert.throws(() => first.startFailed(), refused("unknown_permit"));
  alice.gate.enter("write:db/sessions");
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_spent"));
});

test("the report reaches the lead once and closes the gate", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const reports = record(lead, "report");
  const { requestId } = await alice.submitPlan(PLAN);
  alice.gate.enter("write:db/sessions");
  alice.report(requestId, { ok: false, detail: "the counts differ" });
  assert.deepEqual(reports, [
    { type: "report", requestId, from: "alice", ok: false, detail: "the counts differ" },
  ]);
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
  assert.throws(() => alice.report(requestId, { ok: true }), refused("already_answered"));
});

test("a report whose outcome is no boolean is refused", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const { requestId } = await alice.submitPlan(PLAN);
  for (const ok of ["true", 1, undefined, null]) {
    assert.throws(() => alice.report(requestId, { ok }), refused("not_boolean"));
  }
  alice.gate.enter("write:db/sessions");
});

test("a plan without steps and text is a plan", async () => {
  const { lead, alice } = makeTeam();
  const { title, scope, risk } = PLAN;
  alice.submitPlan({ title, scope, risk });
  assert.deepEqual(owed(lead).plan, { title, scope, risk, steps: [], text: "" });
});

test("a plan that names what a decision would not cover is refused by the field", async () => {
  const { alice } = makeTeam();
  const hash = alice.stateHash();
  const refusals = [
    [{ ...PLAN, undo: "none" }, "unknown_field"],
    [{ ...PLAN, title: undefined }, "missing_field"],
    [{ ...PLAN, title: "  " }, "blank"],
    [{ ...PLAN, risk: "" }, "blank"],
    [{ ...PLAN, scope: "write:db" }, "wrong_type"],
    [{ ...PLAN, scope: ["write"] }, "invalid_scope"],
    [{ ...PLAN, scope: ["write:../etc"] }, "invalid_scope"],
    [{ ...PLAN, steps: [1] }, "wrong_type"],
    [null, "missing_field"],
    ["drop everything", "missing_field"],
  ];
  for (const [plan, code] of refusals) {
    await assert.rejects(alice.submitPlan(plan), refused(code), JSON.stringify(plan));
  }
  assert.equal(alice.stateHash(), hash);
});

test("the lead cannot submit a plan to itself", async () => {
  const { lead } = makeTeam();
  await assert.rejects(lead.submitPlan(PLAN), (error) => error.family === "invalid");
});

test("actions that are no action are refused and name the field", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  await alice.submitPlan(PLAN);
  for (const action of ["", "write", "write:", ":db", "write:a/../b", "write:a/**"]) {
    assert.throws(
      () => alice.gate.enter(action),
      refused("bad_action", { path: "action" }),
      action,
    );
  }
});
