// Several members decide, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { makeTeam, PLAN, record, refused, TEAM } from "./support.mjs";

const members = ["team-lead", "alice", "carol", "dave"];
const team = [
  ...TEAM,
  { name: "carol", role: "approver" },
  { name: "dave", role: "approver", title: "security" },
];

function makePanel() {
  const made = makeTeam({ members, team });
  const [carol, dave] = ["carol", "dave"].map((name) => made.engines[name]);
  return { ...made, carol, dave };
}

test("a plan that two approvers must approve", async () => {
  const { alice, carol, dave } = makePanel();
  const votes = record(alice, "vote");
  const closed = record(carol, "closed");
  carol.onRequest("plan_approval", () => approve("fine by me"));
  const stages = [{ approvers: ["carol", "dave"], threshold: 2 }];
  const pending = alice.submitPlan(PLAN, { stages });
  const view = alice.request(pending.requestId);
  assert.deepEqual(view.awaiting, ["dave"]);
  assert.throws(() => alice.gate.enter("write:db/sessions"), refused("gate_no_plan"));
  dave.respond(pending.requestId, approve());
  const outcome = await pending;
  assert.equal(outcome.status, "approved");
  assert.deepEqual(outcome.votes, [
    { by: "carol", vote: "approve", counted: true, reason: "fine by me" },
    { by: "dave", vote: "approve", counted: true },
  ]);
  assert.deepEqual(
    votes.map(({ by, awaiting }) => [by, awaiting]),
    [
      ["carol", ["dave"]],
      ["dave", []],
    ],
  );
  assert.deepEqual(
    closed.map(({ status }) => status),
    ["approved"],
  );
  assert.equal(alice.gate.enter("write:db/sessions").requestId, pending.requestId);
});

test("a veto ends it, and a later stage is never asked", async () => {
  const { lead, alice, carol } = makePanel();
  carol.onRequest("plan_approval", () => reject("the law forbids it"));
  const outcome = await alice.submitPlan(PLAN, {
    stages: [
      { approvers: ["carol", "dave"], threshold: 1, veto: true },
      { approvers: ["team-lead"], threshold: 1 },
    ],
  });
  assert.equal(outcome.status, "rejected");
  assert.equal(outcome.reason, "the law forbids it");
  assert.deepEqual(lead.obligations(), []);
});

test("stages that cannot decide are refused with the place", async () => {
  const { alice } = makePanel();
  const submit = (stages) => () => alice.submitPlan(PLAN, { stages });
  for (const [stages, code, path] of [
    [[{ approvers: ["carol"], threshold: 2 }], "invalid_stages", "stages"],
    [[{ approvers: ["carol"], threshold: Number.NaN }], "wrong_type", "stages[0].threshold"],
    [[{ approvers: "carol", threshold: 1 }], "wrong_type", "stages[0].approvers"],
    [[{ approvers: ["carol"], threshold: 1, quorum: 1 }], "unknown_field", "stages[0].quorum"],
    [[{ approvers: ["bob"], threshold: 1 }], "not_allowed", "message.type"],
    [[{ approvers: ["alice"], threshold: 1 }], "to_oneself", "to"],
  ]) {
    await assert.rejects(submit(stages), refused(code, { path }), code);
  }
});
