// A worker whose life is longer than its process. Run it twice:
//
//   node examples/durable.mjs alice.journal
//
// The first process hands in a plan and ends without a word, as by a crash; the second one goes on, and
// is told the answer that the first one waited for.

import { approve, LocalBus, ProtocolEngine } from "team-protocols";
import { FileJournal } from "team-protocols/node";

const team = [{ name: "team-lead", role: "lead" }, { name: "alice" }];
const bus = new LocalBus();
const transport = bus.transport("alice");

const journal = await FileJournal.open(process.argv[2] ?? "alice.journal");
if (journal.empty) {
  const alice = new ProtocolEngine({ team, member: "alice", transport, journal });
  const plan = alice.submitPlan({ title: "tidy up", scope: ["write:src/**"], risk: "none" });
  await alice.saved();
  console.log(`${plan.requestId} is ${alice.request(plan.requestId).status}; this process ends`);
  process.exit(0);
}

// Handlers are registered before anything is told: `setup` is called first.
let settled;
const alice = await ProtocolEngine.restore({
  member: "alice",
  transport,
  journal,
  setup: (engine) => {
    settled = new Promise((resolve) => {
      engine.subscribe((event) => event.type === "settled" && resolve(event));
    });
  },
});
console.log(`alice goes on with ${alice.restored.lines} lines of her journal`);
bus.connect(alice);

const lead = new ProtocolEngine({
  team,
  member: "team-lead",
  transport: bus.transport("team-lead"),
});
lead.onRequest("plan_approval", () => approve());
// What was sent and may not have arrived was sent again, and waits in the lead's mailbox.
bus.connect(lead);

const { requestId, status } = await settled;
console.log(`${requestId} is ${status}`);
const permit = await alice.gate.enterAsync("write:src/main.js");
console.log(`${permit.action} may start`);
await alice.suspend();
await journal.close();
lead.close();
