// Kinds that the host declares go through the package as those that are always there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, reject } from "team-protocols";
import { makeTeam, refused } from "./support.mjs";

const KINDS = [
  { kind: "resource_grant", askedBy: ["worker"], decidedBy: ["lead"] },
  { kind: "gpu_use", askedBy: ["worker"], decidedBy: ["lead"], approval: "opens_gate" },
  { kind: "data_sync", askedBy: ["worker"], decidedBy: ["worker"], cyclic: true },
];

const team = (kinds = KINDS) => makeTeam({ kinds });

test("a request carries any JSON there, and its answer any JSON back", async () => {
  const { lead, alice } = team();
  const wanted = { gpu: 2, for: ["训练", null, 1.5], "": { deep: [[]] } };
  lead.onRequest("resource_grant", (request) => {
    assert.deepEqual(request.payload, wanted);
    return { ...approve("mind the queue"), payload: { token: "t-1" } };
  });
  const outcome = await alice.ask("resource_grant", "team-lead", { payload: wanted });
  assert.equal(outcome.status, "approved");
  assert.deepEqual(outcome.payload, { token: "t-1" });
  assert.equal(outcome.reason, "mind the queue");
});

test("a kind that opens a gate opens it for its scope", async () => {
  const { lead, alice } = team();
  lead.onRequest("gpu_use", () => approve());
  assert.throws(() => alice.gate.enter("use:gpu/0"), refused("gate_no_plan"));
  const outcome = await alice.ask("gpu_use", "team-lead", { scope: ["use:gpu/**"], uses: "once" });
  assert.equal(alice.gate.enter("use:gpu/0").requestId, outcome.requestId);
  assert.throws(() => alice.gate.enter("use:gpu/0"), refused("gate_spent"));
});

test("a worker waits for another one, and its refusal says why", async () => {
  const { alice, bob } = team();
  bob.onRequest("dependency", () => reject("the interface changes until noon"));
  const outcome = await alice.ask("dependency", "bob", { payload: { on: "the interface" } });
  assert.equal(outcome.status, "rejected");
  assert.equal(outcome.by, "bob");
  assert.equal(outcome.reason, "the interface changes until noon");
});

test("what a kind does not allow is refused by code and changes nothing", async () => {
  const { lead, alice } = team();
  const before = alice.stateHash();
  for (const [run, code, path] of [
    [() => alice.ask("resource_grnat", "team-lead"), "unknown_kind", "message.kind"],
    [() => alice.ask("Resource", "team-lead"), "invalid_kind", "kind"],
    [() => alice.ask("shutdown", "bob"), "own_messages", "message.kind"],
    [() => alice.ask("resource_grant", "bob"), "not_allowed", "message.type"],
    [() => alice.ask("gpu_use", "team-lead"), "scope_mismatch", "message.scope"],
    [
      () => alice.ask("resource_grant", "team-lead", { scope: ["use:a"] }),
      "scope_mismatch",
      "message.scope",
    ],
    [
      () => alice.ask("gpu_use", "team-lead", { scope: ["gpu"] }),
      "invalid_scope",
      "message.scope[0]",
    ],
    [() => alice.ask("gpu_use", "team-lead", { scope: "gpu" }), "wrong_type", "scope"],
  ]) {
    await assert.rejects(run, refused(code, { path }), code);
  }
  assert.equal(alice.stateHash(), before);
  assert.equal(lead.obligations().length, 0);
});

test("kinds that make no sense are refused when the engine is made", () => {
  const worker = ["worker"];
  const cases = [
    [{ kind: "shutdown", askedBy: ["lead"], decidedBy: worker }, "config_kind_taken", "kinds"],
    [{ kind: "x", askedBy: [], decidedBy: worker }, "config_kind_nobody", "kinds"],
    [{ kind: "x", askedBy: worker, decidedBy: worker }, "config_kind_circle", "kinds"],
    [
      { kind: "x", askedBy: ["boss"], decidedBy: worker },
      "bad_option",
      "options.kinds[0].askedBy[0]",
    ],
    [{ kind: "X", askedBy: worker, decidedBy: ["lead"] }, "bad_option", "options.kinds[0].kind"],
    [
      { kind: "x", askedBy: worker, decidedBy: ["lead"], veto: 1 },
      "bad_option",
      "options.kinds[0].veto",
    ],
  ];
  for (const [kind, code, path] of cases) {
    assert.throws(() => team([kind]), refused(code, { path }), code);
  }
});
