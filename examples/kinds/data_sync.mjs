// Workers fetch each other's data, both at once: nobody stands still for it, so nobody deadlocks.

import assert from "node:assert/strict";
import { LocalBus, ProtocolEngine, reject } from "team-protocols";
import * as v from "valibot";

const version = v.pipe(v.number(), v.integer(), v.minValue(0));

/** All members declare the same. A yes opens no gate: workers cannot give each other leave. */
const DATA_SYNC = {
  kind: "data_sync",
  askedBy: ["worker"],
  decidedBy: ["worker"],
  approval: "nothing",
  blocking: false,
  payload: v.object({ table: v.string(), since: version }),
  answer: v.object({ version, rows: v.record(v.string(), v.number()) }),
};

const team = [{ name: "team-lead", role: "lead" }, { name: "alice" }, { name: "bob" }];
const bus = new LocalBus();

/** A worker with data of its own, which it hands out unless it is writing. */
function worker(member, rows) {
  const transport = bus.transport(member);
  const engine = new ProtocolEngine({ team, member, transport, kinds: [DATA_SYNC] });
  bus.connect(engine);
  const store = { engine, version: Object.keys(rows).length, rows, writing: false };
  engine.onRequest(DATA_SYNC, ({ payload: { since } }) => {
    if (store.writing) return reject("rows are being written", { retryAfterMs: 500 });
    const news = Object.entries(store.rows).slice(since);
    return { approve: true, payload: { version: store.version, rows: Object.fromEntries(news) } };
  });
  return store;
}

const alice = worker("alice", { parser: 1, lexer: 2 });
const bob = worker("bob", { tests: 3 });

const want = { payload: { table: "coverage", since: 0 } };
const both = [
  alice.engine.ask(DATA_SYNC, "bob", want),
  bob.engine.ask(DATA_SYNC, "alice", { payload: { ...want.payload, since: 1 } }),
];
const [fromBob, fromAlice] = await Promise.all(both);
assert.deepEqual(fromBob.payload, { version: 1, rows: { tests: 3 } });
assert.deepEqual(fromAlice.payload, { version: 2, rows: { lexer: 2 } });

bob.writing = true;
const later = await alice.engine.ask(DATA_SYNC, "bob", want);
assert.deepEqual([later.status, later.retryAfterMs], ["rejected", 500]);
bob.writing = false;
const follows = { requestId: later.requestId, as: "retry" };
assert.equal((await alice.engine.ask(DATA_SYNC, "bob", { ...want, follows })).status, "approved");
const bad = { payload: { table: "coverage", since: -1 } };
await assert.rejects(alice.engine.ask(DATA_SYNC, "bob", bad), { code: "invalid_payload" });
for (const { engine } of [alice, bob]) engine.close();
console.log("data_sync: both ways, refused while writing, fetched again");
