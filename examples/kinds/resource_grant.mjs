// A worker asks the lead for a resource for so long, uses it behind its gate, and gives it back.

import assert from "node:assert/strict";
import { LocalBus, ProtocolEngine, reject } from "team-protocols";
import * as z from "zod";

/** All members declare the same. The gate stays open until the worker reports, which gives back. */
const RESOURCE_GRANT = {
  kind: "resource_grant",
  askedBy: ["worker"],
  decidedBy: ["lead"],
  refusalNeedsReason: true,
  approval: "opens_gate",
  timeoutMs: 30_000,
  payload: z.object({ resource: z.string().min(1), forMs: z.int().positive() }),
  answer: z.object({ until: z.int() }),
};

const team = [{ name: "team-lead", role: "lead" }, { name: "alice" }, { name: "bob" }];
const bus = new LocalBus();
const [lead, alice, bob] = team.map(({ name: member }) => {
  const transport = bus.transport(member);
  const engine = new ProtocolEngine({ team, member, transport, kinds: [RESOURCE_GRANT] });
  bus.connect(engine);
  return engine;
});

const held = new Map();
lead.onRequest(RESOURCE_GRANT, ({ requestId, from, scope, payload: { resource, forMs } }) => {
  const other = held.get(resource);
  if (other) return reject(`${other.from} has it`, { retryAfterMs: other.until - Date.now() });
  // The scope is what an approval opens: it must be what the payload speaks of.
  if (scope.join() !== `use:${resource}`) return reject(`the scope must be use:${resource}`);
  const until = Date.now() + forMs;
  held.set(resource, { requestId, from, until });
  return { approve: true, payload: { until } };
});
const release = (id) => {
  for (const [name, { requestId }] of held) if (requestId === id) held.delete(name);
};
lead.subscribe((event) => {
  if (event.type === "report" || event.approvalWithoutEffect) release(event.requestId);
  if (event.alarm === "reclaim") for (const { requestId } of event.holding) release(requestId);
});

const want = { scope: ["use:gpu/0"], payload: { resource: "gpu/0", forMs: 60_000 } };
const grant = await alice.ask(RESOURCE_GRANT, "team-lead", want);
assert.ok(grant.status === "approved" && grant.payload.until > Date.now());
alice.gate.enter("use:gpu/0");

const refused = await bob.ask(RESOURCE_GRANT, "team-lead", want);
assert.deepEqual([refused.status, refused.reason], ["rejected", "alice has it"]);
assert.throws(() => bob.gate.enter("use:gpu/0"), { code: "gate_no_plan" });

alice.report(grant.requestId, { ok: true, detail: "trained" });
assert.throws(() => alice.gate.enter("use:gpu/0"), { code: "gate_no_plan" });
const follows = { requestId: refused.requestId, as: "retry" };
assert.equal((await bob.ask(RESOURCE_GRANT, "team-lead", { ...want, follows })).status, "approved");
for (const engine of [alice, bob, lead]) engine.close();
console.log("resource_grant: granted, refused, given back, granted");
