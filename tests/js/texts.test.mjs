// Texts across the boundary: every character, every size.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, reject } from "team-protocols";
import {
  engineFor,
  makeTeam,
  owed,
  PLAN,
  record,
  refused,
  START,
  settle,
  TEAM,
} from "./support.mjs";

const TEXTS = {
  "NUL and control characters": "a\0b\u0001\u001f\u007f\r\n\t",
  "Chinese, Japanese and Korean": "关闭请求 シャットダウン 종료",
  "emoji with joiners and flags": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
  "astral letters": "𝒜𠜎𐍈",
  "the ends of Unicode": "\ud7ff\ue000\uffff\u{10000}\u{10ffff}",
  "a byte order mark": "\ufeffmark\ufeff",
  "line separators": "a\u2028b\u2029c",
  "combining characters, not normalised": "e\u0301 \u00e9 \u212b",
  "quotes and backslashes": '"\\" \\u0041 </script> $ `',
  "right to left": "\u202eסגור\u202c",
  "one of everything": "a\0é漢👍\ufeff",
};

for (const [what, text] of Object.entries(TEXTS)) {
  test(`${what} come through exactly`, async () => {
    const { lead, alice, bob, bus } = makeTeam();
    const frames = [];
    bus.observe(({ frame }) => frames.push(JSON.parse(frame)));
    const messages = record(alice, "message");
    lead.say("alice", text);
    assert.equal(messages[0].text, text);
    assert.equal(frames.at(-1).message, text);
    alice.onRequest("shutdown", ({ reason }) => {
      assert.equal(reason, text);
      return reject(`${text}!`);
    });
    const outcome = await lead.requestShutdown("alice", { reason: text });
    assert.equal(outcome.reason, `${text}!`);
    assert.equal(lead.outcome(outcome.requestId).reason, `${text}!`);
    const plan = { ...PLAN, title: `t ${text}`, steps: [text, "", text], risk: `r${text}`, text };
    const submitted = bob.submitPlan(plan);
    assert.deepEqual(owed(lead).plan, plan);
    lead.callTool({
      to: "bob",
      message: {
        type: "plan_approval_response",
        request_id: submitted.requestId,
        approve: true,
        feedback: text,
      },
    });
    assert.equal((await submitted).reason, text);
    const reports = record(lead, "report");
    bob.report(submitted.requestId, { ok: true, detail: text });
    assert.equal(reports[0].detail, text);
    const progress = record(lead, "progress");
    alice.progress({ note: text });
    assert.equal(progress[0].note, text);
    const idle = record(lead, "idle");
    alice.idle(text);
    assert.equal(idle[0].note, text);
    alice.enterCriticalSection(`s${text}`);
    assert.deepEqual(alice.sections(), [`s${text}`]);
  });
}

const HALVES = ["\ud83d", "\udc4d", "cut \ud83d", "\udc4d\ud83d", "a\ud800b", "👍\ude00"];

test("half a surrogate pair is refused in every text, and changes nothing", async () => {
  const { lead, alice } = makeTeam();
  const pending = lead.requestShutdown("alice");
  const hashes = [lead.stateHash(), alice.stateHash()];
  for (const half of HALVES) {
    const error = refused("not_well_formed", { family: "undecodable" });
    const calls = [
      () => lead.say("bob", half),
      () => lead.say(half, "hi"),
      () => lead.callTool(`{"to":"bob","message":"${half}"}`),
      () => lead.cancel(half),
      () => lead.announce(half, alice.incarnation),
      () => lead.announce("alice", half),
      () => lead.memberGone(half),
      () => lead.request(half),
      () => lead.outcome(half),
      () => alice.respond(half, approve()),
      () => alice.respond(pending.requestId, reject(half)),
      () => alice.report(half, { ok: true }),
      () => alice.report(pending.requestId, { ok: true, detail: half }),
      () => alice.progress({ note: half }),
      () => alice.progress({ requestId: half }),
      () => alice.idle(half),
      () => alice.gate.enter(half),
      () => alice.enterCriticalSection(half),
    ];
    for (const call of calls) assert.throws(call, error, `${call}`);
    await assert.rejects(lead.requestShutdown(half), error);
    await assert.rejects(lead.requestShutdown("bob", { reason: half }), error);
    await assert.rejects(lead.settled(half), error);
    // In values that become JSON it is escaped, and refused by the core.
    const inJson = (thrown) => ProtocolErrorOf(thrown);
    await assert.rejects(alice.submitPlan({ ...PLAN, text: half }), inJson);
    assert.throws(() => lead.addMember({ name: "eve", title: half }), inJson);
    assert.throws(() => lead.callTool({ to: "bob", message: half }), refused("lone_surrogate"));
    assert.throws(() => engineFor({ seed: half }), inJson);
  }
  assert.deepEqual([lead.stateHash(), alice.stateHash()], hashes);
  alice.respond(pending.requestId, approve());
  assert.equal((await pending).status, "approved");
});

test("half a surrogate pair in a frame is refused and the next frame works", () => {
  const { alice } = makeTeam({ members: ["alice"] });
  const frames = [];
  engineFor({ member: "team-lead", transport: ({ frame }) => void frames.push(frame) }).say(
    "alice",
    "hi",
  );
  const hash = alice.stateHash();
  for (const half of HALVES) {
    const written = alice.receive(frames[0].replace('"hi"', `"${half}"`), { from: "team-lead" });
    assert.equal(written.type, "refused");
    refused("lone_surrogate", { family: "undecodable" })(written.error);
    const text = JSON.stringify(half);
    const escaped = alice.receive(frames[0].replace('"hi"', text), { from: "team-lead" });
    assert.equal(escaped.type, "refused");
    refused("lone_surrogate")(escaped.error);
  }
  assert.equal(alice.stateHash(), hash);
  assert.equal(alice.receive(frames[0], { from: "team-lead" }).type, "noted");
});

test("what is no text is refused where a text is due", async () => {
  const { lead, alice } = makeTeam();
  const hash = lead.stateHash();
  for (const value of [undefined, null, 7, true, {}, ["alice"], Symbol("s"), new String("alice")]) {
    const error = refused("not_text", { family: "misuse" });
    assert.throws(() => lead.say(value, "hi"), error);
    assert.throws(() => lead.say("alice", value), error);
    assert.throws(() => lead.cancel(value), error);
    assert.throws(() => lead.request(value), error);
    assert.throws(() => alice.gate.enter(value), error);
    assert.throws(() => alice.enterCriticalSection(value), error);
    await assert.rejects(lead.requestShutdown(value), error);
    if (value !== undefined) {
      assert.throws(() => alice.idle(value), error);
      await assert.rejects(lead.requestShutdown("alice", { reason: value }), error);
    }
  }
  assert.equal(lead.stateHash(), hash);
});

test("texts of every size up to the limit come through, and one byte more is refused", () => {
  const { lead, alice } = makeTeam();
  const messages = record(alice, "message");
  const limit = 262_144;
  for (const size of [1, 2, 100, 5_460, 5_461, 5_462, 16_384, 65_536, limit]) {
    const text = "x".repeat(size);
    lead.say("alice", text);
    assert.equal(messages.at(-1).text, text);
  }
  for (const [unit, bytes] of [
    ["é", 2],
    ["漢", 3],
    ["👍", 4],
  ]) {
    const most = unit.repeat(Math.floor(limit / bytes));
    lead.say("alice", most);
    assert.equal(messages.at(-1).text, most);
    assert.throws(() => lead.say("alice", most + unit), refused("text_too_long"), unit);
  }
  assert.throws(() => lead.say("alice", "x".repeat(limit + 1)), refused("text_too_long"));
});

test("a text of ten megabytes is refused by code, and the engine goes on", async () => {
  const { lead, alice } = makeTeam();
  const huge = "漢".repeat(10_000_000 / 3);
  const hash = lead.stateHash();
  assert.throws(() => lead.say("alice", huge), refused("text_too_long"));
  assert.throws(() => lead.callTool(huge), refused("too_large"));
  await assert.rejects(lead.requestShutdown(huge), refused("unknown_recipient"));
  await assert.rejects(lead.requestShutdown("alice", { reason: huge }), refused("text_too_long"));
  await assert.rejects(alice.submitPlan({ ...PLAN, text: huge }), (error) =>
    ProtocolErrorOf(error),
  );
  assert.throws(
    () => alice.gate.enter(`write:${huge}`),
    (error) => ProtocolErrorOf(error),
  );
  assert.equal(lead.request(huge), undefined);
  assert.equal(lead.stateHash(), hash);
  const pending = lead.requestShutdown("alice");
  alice.respond(pending.requestId, approve());
  assert.equal((await pending).status, "approved");
});

test("a refusal quotes no more than a little of what it refuses", () => {
  const { lead } = makeTeam();
  const huge = "n".repeat(100_000);
  for (const call of [
    () => lead.say(huge, "hi"),
    () => lead.cancel(huge),
    () => lead.memberGone(huge),
    () => lead.announce("alice", huge),
    () => lead.addMember({ name: huge }),
    () => lead.callTool(`{"to":"${huge}","message":"hi"}`),
    () => lead.callTool({ to: "alice", message: { type: huge } }),
  ]) {
    assert.throws(
      call,
      (error) => ProtocolErrorOf(error) && error.message.length + error.hint.length < 2_000,
    );
  }
});

test("texts that were given earlier do not shine through later ones", async () => {
  const engine = new Engine({ team: TEAM, member: "team-lead", seed: "s" }, START);
  engine.requestShutdown(START, "alice", { reason: "a very long secret reason".repeat(1_000) });
  engine.requestShutdown(START, "bob", { reason: "short" });
  const frames = [];
  for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect())
    frames.push(effect.frame);
  assert.equal(JSON.parse(frames[1]).message.reason, "short");
  engine.cancel(START, engine.team().find(({ name }) => name === "bob").asked[0].requestId);
  engine.requestShutdown(START, "bob");
  while (engine.pollEffect()?.type === "event");
  await settle();
  assert.equal(engine.team().find(({ name }) => name === "bob").asked.length, 1);
});

function ProtocolErrorOf(error) {
  return refused(error.code)(error) && !["internal", "not_a_number"].includes(error.code);
}
