// What the types must refuse. Only compiled.

import { DROP_REASONS, Engine, NOTED_AS, ProtocolEngine, reject } from "team-protocols";

const team = [{ name: "team-lead", role: "lead" as const }, { name: "alice" }];
const transport = () => undefined;
const PLAN = { title: "t", scope: [], risk: "r" };

// @ts-expect-error a transport is required
new ProtocolEngine({ team, member: "alice" });
// @ts-expect-error a member is required
new ProtocolEngine({ team, transport });
// @ts-expect-error an unknown option
new ProtocolEngine({ team, member: "alice", transport, timeout: 5 });
// @ts-expect-error an unknown language
new ProtocolEngine({ team, member: "alice", transport, lang: "fr" });
// @ts-expect-error an unknown role
new Engine({ team: [{ name: "x", role: "boss" }], member: "x" }, 0);
// @ts-expect-error the time is required
new Engine({ team, member: "alice" });
// @ts-expect-error a transport takes one frame
new ProtocolEngine({ team, member: "alice", transport: (_frame: string) => undefined });

const engine = new ProtocolEngine({ team, member: "alice", transport });

// @ts-expect-error a decision is a boolean
engine.respond("id", { approve: "true" });
// @ts-expect-error a decision has an answer
engine.respond("id", { reason: "because" });
// @ts-expect-error a refusal says why
reject();
// @ts-expect-error a handler decides; it does not return texts
engine.onRequest("shutdown", () => "yes");
// @ts-expect-error a kind is a text
engine.onRequest(7, () => undefined);
// @ts-expect-error a misspelt choice
engine.submitPlan({ title: "t", scope: [], risk: "r" }, { uses: "Once" });
// @ts-expect-error a plan has a risk
engine.submitPlan({ title: "t", scope: [] });
// @ts-expect-error a plan has no other fields
engine.submitPlan({ title: "t", scope: [], risk: "r", undo: "u" });
// @ts-expect-error a misspelt option
engine.requestShutdown("bob", { timeout: 5 });
// @ts-expect-error frames are texts
engine.receive(new Uint8Array(4));
// @ts-expect-error a report has a verdict
engine.workDone("id", 1, { detail: "done" });
// @ts-expect-error work says nothing, a text, or a report
engine.onWork("deploy", () => 7);
// @ts-expect-error leaving opens no gate, so there is nothing to undo
engine.requestShutdown("bob", { compensation: "rollback" });
// @ts-expect-error an engine without promises takes names
new Engine({ team, member: "alice" }, 0).submitPlan(0, PLAN, { onApproved: () => undefined });
// @ts-expect-error the sender is an option
engine.receive("frame", "bob");
// @ts-expect-error the core of an engine is private
engine.engine;
// @ts-expect-error the gate cannot be replaced
engine.gate = { enter: () => undefined };
// @ts-expect-error the lists are constants
NOTED_AS.push("chat");
// @ts-expect-error the lists are constants
DROP_REASONS[0] = "late";

for (const { status, by } of [await engine.settled("id")]) {
  // @ts-expect-error no such status
  if (status === "accepted") throw new Error();
  // @ts-expect-error nobody may have decided
  by.length;
}
