// What models really wrote, through `callTool`: understood input acts, the rest is refused by code.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine, ProtocolError } from "team-protocols";
import { START } from "./support.mjs";

const FOLDER = new URL("../vectors/field/", import.meta.url);
const TEAM = [{ name: "team-lead", role: "lead" }];
for (const name of ["alice", "bob", "charlie", "dave"]) TEAM.push({ name });

const PLAN = { title: "a plan", scope: ["write:src/**"], risk: "none to speak of" };

const vectors = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) }));

const make = (member) => new Engine({ team: TEAM, member, seed: member }, START);

/** What the request or the answer of this message needs before it: who speaks, and about what. */
function scene({ type, request_id }, to) {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const peer = TEAM.some(({ name }) => name === to) && to !== "team-lead" ? make(to) : make("bob");
  switch (type) {
    case "shutdown_response":
    case "progress":
    case "exited":
      lead.requestShutdown(START, "alice");
      pass(lead, alice, request_id);
      return alice;
    case "plan_approval_response":
      peer.submitPlan(START, PLAN);
      pass(peer, lead, request_id);
      return lead;
    case "execution_report": {
      const id = alice.submitPlan(START, PLAN);
      pass(alice, lead);
      lead.respond(START, id, { approve: true });
      pass(lead, alice);
      return Object.assign(alice, { own: id });
    }
    case "cancel":
      return Object.assign(lead, { own: lead.requestShutdown(START, "alice") });
    case "shutdown_request":
      return lead;
    case "text":
      return to === "team-lead" || to === null ? alice : lead;
    default:
      return alice;
  }
}

/** Hands the frames over; `requestId` becomes the id of the request in them. */
function pass(from, to, requestId) {
  for (let effect = from.pollEffect(); effect; effect = from.pollEffect()) {
    if (effect.type !== "send") continue;
    const frame = JSON.parse(effect.frame);
    if (requestId !== undefined) frame.message.request_id = requestId;
    const disposition = to.receive(START, JSON.stringify(frame), from.member);
    assert.ok(["accepted", "settled"].includes(disposition.type), JSON.stringify(disposition));
  }
}

/** Understood, and still against a rule that the reading does not know. */
const AGAINST_A_RULE = {
  "demo-lead-rejects-bob-without-reason.json": "reason_required",
  "demo-lead-rejects-bob-without-reason.zh.json": "reason_required",
  "gen-b-shutdown-reject-without-reason.json": "reason_required",
  "gen-b-structured-to-everyone.json": "broadcast",
  "request-id-missing.json": "request_id_missing",
};

test("there are vectors of both kinds", () => {
  assert.ok(vectors.filter(({ expect }) => expect.error === undefined).length > 50);
  assert.ok(vectors.filter(({ expect }) => expect.error !== undefined).length > 40);
});

for (const { name, input, expect } of vectors.filter(({ expect }) => expect.error !== undefined)) {
  test(`${name} is refused as \`${expect.error}\` and changes nothing`, () => {
    for (const engine of [make("team-lead"), make("alice")]) {
      const hash = engine.stateHash();
      assert.throws(
        () => engine.callTool(START, input),
        (error) => {
          assert.ok(ProtocolError.is(error), error);
          assert.equal(error.code, expect.error);
          assert.equal(error.path ?? null, expect.path);
          assert.equal(error.family, "undecodable");
          return true;
        },
      );
      assert.equal(engine.stateHash(), hash);
      assert.equal(engine.pollEffect(), undefined);
    }
  });
}

for (const { name, input, expect } of vectors.filter(({ expect }) => expect.error === undefined)) {
  test(`${name} acts as \`${expect.message.type}\``, () => {
    const { message, to } = expect;
    const engine = scene(message, to);
    while (engine.pollEffect() !== undefined);
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const called = () =>
      engine.callTool(START, engine.own ? text.replaceAll(message.request_id, engine.own) : text);
    const broken = AGAINST_A_RULE[name];
    if (broken !== undefined) {
      assert.throws(called, (error) => ProtocolError.is(error) && error.code === broken);
      return;
    }
    const outcome = called();
    assert.equal(outcome.sent, message.type);
    const codes = [...new Set(expect.notes.map(noteCode))].sort();
    assert.deepEqual(outcome.notes, codes);
    const sent = [];
    for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
      if (effect.type === "send") sent.push(JSON.parse(effect.frame).message);
    }
    if (message.type === "text") {
      assert.equal(outcome.receivers, to === "*" ? 4 : 1);
      assert.deepEqual(sent, Array(outcome.receivers).fill(message.text));
    } else {
      assert.equal(sent[0].type, message.type);
      for (const field of ["approve", "reason", "feedback", "note", "ok", "detail", "plan"]) {
        if (message[field] !== undefined && message.type !== "cancel") {
          assert.deepEqual(sent[0][field], message[field], field);
        }
      }
    }
  });
}

function noteCode({ note }) {
  return note === "boolean_from_text" ? "coerced" : note;
}
