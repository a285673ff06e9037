// What nobody catches. Runs in a process of its own: the test runner has a say in uncaught errors.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const PRELUDE = `
  import { approve } from "team-protocols";
  import { makeTeam } from "./tests/js/support.mjs";
  const thrown = [];
  process.on("uncaughtException", (error) => thrown.push(error.message));
  const say = (rest) => setImmediate(() => console.log(JSON.stringify({ thrown, ...rest })));
`;

function run(script) {
  const args = ["--input-type=module", "--eval", PRELUDE + script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("without `onError` an error is thrown from a microtask of its own", () => {
  const { thrown, atOnce, status } = run(`
    const { lead, alice } = makeTeam({ onError: undefined });
    alice.onRequest("shutdown", () => approve());
    lead.subscribe(({ type }) => {
      if (type === "settled") throw new Error("bad listener");
    });
    const pending = lead.requestShutdown("alice");
    const atOnce = thrown.length;
    const { status } = await pending;
    say({ atOnce, status });
  `);
  assert.deepEqual([thrown, atOnce, status], [["bad listener"], 0, "approved"]);
});

test("an `onError` that throws does not stop the delivery", () => {
  const { thrown, status } = run(`
    const onError = () => { throw new Error("onError is broken too"); };
    const { lead, alice } = makeTeam({ onError });
    alice.subscribe(({ type }) => {
      if (type === "request") throw new Error("bad listener");
    });
    alice.onRequest("shutdown", () => approve());
    const { status } = await lead.requestShutdown("alice");
    say({ status });
  `);
  assert.deepEqual([thrown, status], [["onError is broken too"], "approved"]);
});

test("a clock that breaks while nobody looks is told to `onError`, and time goes on later", () => {
  const { thrown, timeouts } = run(`
    const { lead, alice, clock, bus } = makeTeam({ onError: undefined });
    bus.disconnect("alice");
    const pending = lead.requestShutdown("alice", { timeoutMs: 10_000 });
    const sound = clock.now.bind(clock);
    clock.now = () => Number.NaN;
    await clock.advance(3_000);
    clock.now = sound;
    await clock.advance(60_000);
    const { status } = await pending;
    say({ timeouts: status });
  `);
  assert.equal(timeouts, "timed_out");
  assert.ok(thrown.length > 0 && thrown.length < 10, `${thrown.length} errors`);
});
