// The codes of the catalogue that only JavaScript can cause: in Rust a type rules them out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "team-protocols";

const NOW = 1_700_000_000_000;
const options = { member: "alice", team: [{ name: "team-lead", role: "lead" }, { name: "alice" }] };
const code = (expected) => (error) => error.code === expected;

test("a clock that is no time is refused", () => {
  for (const now of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    assert.throws(() => new Engine(options, now), code("bad_clock"));
    assert.throws(() => new Engine(options, NOW).idle(now), code("bad_clock"));
  }
});

test("an option that nobody knows is refused", () => {
  assert.throws(() => new Engine({ ...options, lang: "fr" }, NOW), code("bad_option"));
  assert.throws(() => new Engine({ ...options, timing: { timeout: 1 } }, NOW), code("bad_option"));
});

test("a span that is none is refused", () => {
  const plan = { title: "t", scope: [], risk: "r" };
  for (const timeoutMs of [-1, Number.NaN]) {
    const submit = () => new Engine(options, NOW).submitPlan(NOW, plan, { timeoutMs });
    assert.throws(submit, code("bad_span"));
  }
});

test("a machine without random numbers is refused unless a seed stands in for them", () => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { configurable: true, value: undefined });
  try {
    assert.throws(() => new Engine(options, NOW), code("no_randomness"));
    assert.equal(new Engine({ ...options, seed: "s" }, NOW).member, "alice");
  } finally {
    Object.defineProperty(globalThis, "crypto", crypto);
  }
});
