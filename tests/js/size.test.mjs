// The wasm must not grow unnoticed. The aim is 100 kB; docs/performance.md tells what was tried.
// The budget leaves 3 % for what another version of the compiler makes of the same source.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const BUDGET = 265_000;

test("the compressed wasm stays within its budget", (t) => {
  const path = fileURLToPath(import.meta.resolve("team-protocols/team_protocols.wasm"));
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  t.diagnostic(`${size} bytes compressed, budget ${BUDGET}`);
  assert.ok(size <= BUDGET, `${size} bytes`);
});
