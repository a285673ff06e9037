// The examples, run as a reader runs them: each checks itself.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../examples/kinds", import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"));

test("the examples are there", () => {
  assert.deepEqual(names.sort(), ["data_sync.mjs", "resource_grant.mjs"]);
});

for (const name of names) {
  test(`${name} is short, uses the package by its name, and does what it says`, () => {
    const text = readFileSync(`${folder}/${name}`, "utf8");
    assert.ok(text.split("\n").length <= 61, "60 lines at most");
    assert.match(text, /from "team-protocols"/);
    assert.match(text, /\bassert\./);
    const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/${name}`], {
      encoding: "utf8",
      timeout: 20_000,
    });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.equal(stdout.split(":")[0], name.replace(".mjs", ""));
  });
}

test("durable.mjs goes on where its first process ended", (t) => {
  const home = mkdtempSync(join(tmpdir(), "team-protocols-"));
  t.after(() => rmSync(home, { recursive: true }));
  const run = () => {
    const example = fileURLToPath(new URL("../../examples/durable.mjs", import.meta.url));
    const args = [example, join(home, "alice.journal")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout.trim().split("\n");
  };
  const [ended] = run();
  const [id, ...pending] = ended.split(" ");
  assert.equal(pending.join(" "), "is pending; this process ends");
  const [goesOn, approved, starts] = run();
  assert.equal(goesOn, "alice goes on with 2 lines of her journal");
  assert.equal(approved, `${id} is approved`);
  assert.equal(starts, "write:src/main.js may start");
});
