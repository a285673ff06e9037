// The export map: what can be imported, how, and what that needs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as whole from "team-protocols";
import ts from "typescript";

const NAMES = [
  "DROP_REASONS",
  "Engine",
  "LocalBus",
  "ManualClock",
  "NOTED_AS",
  "ProtocolEngine",
  "ProtocolError",
  "approve",
  "reject",
  "systemClock",
];

const MAKE = `(t) => new t.Engine(
  { team: [{ name: "team-lead", role: "lead" }], member: "team-lead", seed: "s" }, 5).incarnation`;

/** Runs a script in a process of its own, in the package, and returns what it prints. */
function run(script, ...flags) {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = [...flags, "--eval", script];
  return execFileSync(process.execPath, args, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

const module = (script) => run(script, "--input-type=module");

test("the root entry exports these names and no other", () => {
  assert.deepEqual(Object.keys(whole).sort(), NAMES);
});

test("the root entry is ready when it is imported", () => {
  const script = `import * as t from "team-protocols"; console.log((${MAKE})(t))`;
  assert.match(module(script), /^5-[0-9a-f]{16}$/);
});

test("`require` gives the same, synchronously", () => {
  const required = run(`
    const t = require("team-protocols");
    console.log(JSON.stringify([Object.keys(t).filter((n) => n !== "__esModule").sort(), (${MAKE})(t)]));
  `);
  const [names, incarnation] = JSON.parse(required);
  assert.deepEqual(names, NAMES);
  assert.match(incarnation, /^5-[0-9a-f]{16}$/);
});

test("the slim entry exports the same and `init`, and says so when it was forgotten", () => {
  const answer = module(`
    import * as t from "team-protocols/slim";
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    const answer = { names: Object.keys(t).sort() };
    try { (${MAKE})(t) } catch (error) { answer.forgotten = error.message }
    const path = fileURLToPath(import.meta.resolve("team-protocols/team_protocols.wasm"));
    t.init(readFileSync(path));
    t.init(readFileSync(path));
    answer.made = (${MAKE})(t);
    console.log(JSON.stringify(answer));
  `);
  const { names, forgotten, made } = JSON.parse(answer);
  assert.deepEqual(names, [...NAMES, "init"].sort());
  assert.match(forgotten, /init\(\)/);
  assert.match(made, /^5-[0-9a-f]{16}$/);
});

test("the slim entry takes a compiled module", () => {
  const script = `
    import * as t from "team-protocols/slim";
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    const path = fileURLToPath(import.meta.resolve("team-protocols/team_protocols.wasm"));
    t.init(new WebAssembly.Module(readFileSync(path)));
    console.log((${MAKE})(t));
  `;
  assert.match(module(script), /^5-[0-9a-f]{16}$/);
});

test("the same seed makes the same life whichever way the core is loaded", () => {
  const root = module(`import * as t from "team-protocols"; console.log((${MAKE})(t))`);
  const slim = module(`
    import * as t from "team-protocols/slim";
    import { readFileSync } from "node:fs";
    t.init(readFileSync("pkg/wasm/team_protocols_bg.wasm"));
    console.log((${MAKE})(t));
  `);
  assert.equal(root, slim);
});

test("the wasm in the root entry is the exported file", () => {
  const path = fileURLToPath(import.meta.resolve("team-protocols/team_protocols.wasm"));
  const bytes = readFileSync(path);
  assert.deepEqual([...bytes.subarray(0, 4)], [0, 0x61, 0x73, 0x6d]);
  const inline = readFileSync(new URL("../../pkg/wasm/inline.js", import.meta.url), "utf8");
  assert.ok(inline.includes(bytes.toString("base64")));
});

/** Every module that an entry imports, and what they import. */
function reachable(entry, seen = new Map()) {
  if (seen.has(entry.href)) return seen;
  const source = readFileSync(entry, "utf8");
  seen.set(entry.href, source);
  for (const { fileName } of ts.preProcessFile(source).importedFiles) {
    if (!fileName.startsWith(".")) seen.set(fileName, "");
    else if (fileName.endsWith(".js")) reachable(new URL(fileName, entry), seen);
  }
  return seen;
}

const NODE = /["']node:|\brequire\(|\bprocess\.|\bBuffer\b|\b__dirname\b/;

for (const entry of ["index.js", "slim.js", "workerd.js"]) {
  test(`${entry} imports nothing but this package and names no Node`, () => {
    const seen = reachable(new URL(`../../pkg/${entry}`, import.meta.url));
    assert.ok(seen.size > 5, `${seen.size} modules`);
    for (const [name, source] of seen) {
      assert.match(name, /^file:/);
      const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "");
      assert.ok(!NODE.test(code), `${name}: ${NODE.exec(code)?.[0]}`);
    }
  });
}

test("the root entry needs nothing of Node and of the DOM to run", () => {
  const script = `
    for (const name of ["process", "Buffer", "require", "fetch", "setImmediate", "structuredClone"]) {
      globalThis[name + "Before"] = globalThis[name];
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() { throw new Error(name + " was used") },
      });
    }
    const say = console.log;
    const t = await import("team-protocols");
    const made = (${MAKE})(t);
    for (const name of ["process", "Buffer", "require", "fetch", "setImmediate", "structuredClone"]) {
      Object.defineProperty(globalThis, name, { value: globalThis[name + "Before"], configurable: true });
    }
    say(made);
  `;
  assert.match(module(script), /^5-[0-9a-f]{16}$/);
});

test("nothing else of the package can be imported", async () => {
  for (const path of ["pkg/index.js", "pkg/boundary.js", "boundary", "src/ts/index.ts"]) {
    await assert.rejects(import(`team-protocols/${path}`), {
      code: "ERR_PACKAGE_PATH_NOT_EXPORTED",
    });
  }
  assert.match(import.meta.resolve("team-protocols/package.json"), /package\.json$/);
});
