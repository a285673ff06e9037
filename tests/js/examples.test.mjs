// The examples, run as a reader runs them: each checks itself.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
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
