// A worker in a process of its own, whose journal is in a file. It hands in plans, and acts once on
// each that is approved; its parent kills it whenever it likes.

import { approve, ProtocolEngine } from "team-protocols";
import { FileJournal } from "team-protocols/node";
import { PLAN, TEAM } from "./support.mjs";

const ACTION = "write:db/sessions";
const [path, compactAfterBytes] = process.argv.slice(2);

const journal = await FileJournal.open(path, { compactAfterBytes: Number(compactAfterBytes) });
const transport = ({ to, frame }) => void process.send({ to, frame });
const setup = (engine) => {
  engine.onRequest("shutdown", () => approve());
  process.on("message", ({ frame, from }) => engine.receive(frame, { from }));
  // An approval that nobody has used yet, from before this process.
  engine.subscribe((event) => {
    if (event.type === "settled" && event.status === "approved") act(engine, event.requestId);
  });
};
const alice = journal.empty
  ? new ProtocolEngine({ team: TEAM, member: "alice", transport, journal })
  : await ProtocolEngine.restore({ member: "alice", transport, journal, setup });
if (alice.restored === undefined) setup(alice);
process.send({ ready: alice.restored ?? null, incarnation: alice.incarnation });

// Whatever was approved and not used may be used now, but nothing twice.
await act(alice);
for (let n = 0; ; n += 1) {
  const title = `${process.pid} ${n}`;
  await alice.submitPlan({ ...PLAN, title, scope: [ACTION] }, { uses: "once" });
  await new Promise((resolve) => setImmediate(resolve));
}

async function act(engine) {
  try {
    const { requestId } = await engine.gate.enterAsync(ACTION);
    process.send({ acted: requestId });
    engine.report(requestId, { ok: true });
  } catch (error) {
    if (!error.code?.startsWith("gate_")) throw error;
  }
}
