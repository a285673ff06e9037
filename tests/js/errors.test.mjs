// ProtocolError: its fields, across copies and realms, and in two languages.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { ProtocolError } from "team-protocols";
import { engineFor, makeTeam, stateOf } from "./support.mjs";

const HAN = /\p{Script=Han}/u;

function thrownBy(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

const unknown = (engine) => thrownBy(() => engine.say("alise", "hi"));

test("an error says whose fault it is, which rule, where, what and what to do", () => {
  const { lead } = makeTeam();
  const error = unknown(lead);
  assert.ok(error instanceof ProtocolError && error instanceof Error);
  assert.equal(error.name, "ProtocolError");
  assert.equal(error.code, "unknown_recipient");
  assert.equal(error.family, "invalid");
  assert.equal(error.rule, "addressing");
  assert.equal(error.path, "to");
  assert.match(error.message + error.hint, /alice/);
  assert.match(String(error), /^ProtocolError: /);
  assert.match(error.stack, /errors\.test\.mjs/);
});

test("an error as JSON is plain data, without a path where there is none", () => {
  const { lead } = makeTeam();
  const { message, hint } = unknown(lead);
  assert.deepEqual(JSON.parse(JSON.stringify(unknown(lead))), {
    family: "invalid",
    code: "unknown_recipient",
    rule: "addressing",
    path: "to",
    message,
    hint,
  });
  lead.close();
  const closed = thrownBy(() => lead.say("alice", "hi"));
  assert.deepEqual(Object.keys(closed.toJSON()), ["family", "code", "rule", "message", "hint"]);
  assert.equal(closed.path, undefined);
});

test("an error is made anew from what it tells", () => {
  const data = { family: "misuse", code: "c", rule: "r", path: "p", message: "m", hint: "h" };
  const error = new ProtocolError(data, { cause: 7 });
  assert.deepEqual(error.toJSON(), data);
  assert.equal(error.cause, 7);
  assert.ok(!("cause" in new ProtocolError(data)));
});

test("errors of another copy of the package are recognised", async () => {
  const copy = await import(new URL("./errors.js?copy", import.meta.resolve("team-protocols")));
  const { lead } = makeTeam();
  const [own, foreign] = [unknown(lead), new copy.ProtocolError(unknown(lead).toJSON())];
  assert.notEqual(copy.ProtocolError, ProtocolError);
  assert.ok(!(foreign instanceof ProtocolError));
  assert.ok(ProtocolError.is(foreign) && copy.ProtocolError.is(own));
  assert.deepEqual(foreign.toJSON(), own.toJSON());
});

test("errors of another realm are recognised, and nothing else is", () => {
  const foreign = vm.runInNewContext(`
    const error = new Error("from another realm");
    error.name = "ProtocolError";
    error.code = "late";
    error;
  `);
  assert.ok(!(foreign instanceof Error));
  assert.ok(ProtocolError.is(foreign));
  const values = [undefined, null, 7, "ProtocolError", {}, [], new Error("plain"), () => undefined];
  values.push(Object.assign(new Error("half"), { name: "ProtocolError" }), { code: "late" });
  for (const value of values) assert.equal(ProtocolError.is(value), false, String(value));
});

test("a frame's refusal carries the same kind of error as a thrown one", () => {
  const { error } = engineFor({}).receive("?", { from: "bob" });
  assert.ok(error instanceof ProtocolError);
  assert.equal(error.code, "not_json");
  assert.equal(error.family, "undecodable");
});

test('with `lang: "zh"` every text for readers is Chinese, and the codes are the same', async () => {
  const english = makeTeam();
  const chinese = makeTeam({ lang: "zh" });
  const calls = [
    ({ lead }) => lead.say("alise", "hi"),
    ({ lead }) => lead.cancel("req_unknown"),
    ({ lead }) => lead.say("\ud800", "hi"),
    ({ lead }) => lead.say(7, "hi"),
    ({ alice }) => alice.respond("x", { approve: "yes" }),
    ({ alice }) => alice.gate.enter("write:x"),
    ({ lead }) => lead.callTool("?"),
    ({ lead }) => lead.callTool(undefined),
    ({ lead }) => lead.addMember({ name: "alice" }),
    ({ alice }) => alice.enterCriticalSection("s", { etaMs: -1 }),
    ({ alice }) => alice.enterCriticalSection("s", { policy: "?" }),
    ({ alice }) => alice.onRequest("*", () => undefined) && alice.onRequest("*", () => undefined),
    ({ bob }) => bob.close() ?? bob.say("alice", "hi"),
  ];
  for (const call of calls) {
    const [en, zh] = [english, chinese].map((team) => thrownBy(() => call(team)));
    assert.equal(zh.code, en.code);
    for (const field of ["family", "rule", "path"]) assert.equal(zh[field], en[field], zh.code);
    for (const text of [en.message, en.hint]) assert.doesNotMatch(text, HAN, en.code);
    for (const text of [zh.message, zh.hint]) assert.match(text, HAN, zh.code);
  }
  const lead = engineFor({
    member: "team-lead",
    lang: "zh",
    transport: () => {
      throw new Error("down");
    },
  });
  const waiting = [lead.requestShutdown("alice"), lead.settled("req_unknown")];
  for (const promise of waiting) assert.match((await stateOf(promise)).reason.message, HAN);
  assert.match(thrownBy(() => engineFor({ lang: "zh", transport: null })).message, HAN);
  assert.match(thrownBy(() => engineFor({ lang: "zh", member: "nobody" })).message, HAN);
});
