// The journals of `tests/vectors/journals`, which the Rust core has written, give the same state here.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Engine } from "team-protocols";

const folder = fileURLToPath(new URL("../vectors/journals", import.meta.url));
const read = (file) => readFileSync(`${folder}/${file}`, "utf8");
const expected = Object.entries(JSON.parse(read("hashes.json")));

test("every journal and every snapshot gives the state that it is of", () => {
  assert.equal(readdirSync(folder).length, 1 + 2 * expected.length);
  for (const [member, { stateHash }] of expected) {
    const [journal, snapshot] = [read(`${member}.jsonl`), read(`${member}.snapshot`)];
    for (const saved of [{ journal }, { journal, snapshot }, { snapshot }]) {
      const { engine } = Engine.replay(saved);
      assert.equal(engine.stateHash(), stateHash, member);
      assert.equal(engine.member, member);
      engine.dispose();
    }
  }
});

test("a snapshot is the same text wherever it is taken", () => {
  for (const [member] of expected) {
    const snapshot = read(`${member}.snapshot`).trimEnd();
    const { engine } = Engine.replay({ snapshot });
    assert.equal(engine.snapshot(), snapshot);
    engine.dispose();
  }
});
