// Options, frames and plans that are not what they should be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, ManualClock, ProtocolEngine } from "team-protocols";
import { engineFor, makeTeam, PLAN, refused, START, TEAM } from "./support.mjs";

const GOOD = { team: TEAM, member: "alice", seed: "s" };

test("options of wrong types and unknown names are refused with the place", () => {
  const bad = [
    [{ memberr: "alice" }, "bad_option", "options.memberr"],
    [{ member: undefined }, "bad_option", "options.member"],
    [{ member: 7 }, "bad_option", "options.member"],
    [{ member: "carol" }, "config_self_not_listed", "member"],
    [{ member: "" }, "bad_option", "options.member"],
    [{ member: "a b" }, "bad_option", "options.member"],
    [{ team: undefined }, "bad_option", "options.team"],
    [{ team: {} }, "bad_option", "options.team"],
    [{ team: [] }, "config_no_lead", "members"],
    [{ team: [...TEAM, { name: "x", role: "lead" }] }, "config_several_leads", "members"],
    [{ team: [...TEAM, { name: "ALICE" }] }, "config_duplicate_member", "members"],
    [{ team: [...TEAM, { name: "x", role: "boss" }] }, "bad_option", "options.team[3].role"],
    [{ team: [...TEAM, { name: "x", rolle: "worker" }] }, "bad_option", "options.team[3].rolle"],
    [{ team: ["alice"] }, "bad_option", "options.team[0]"],
    [{ incarnation: "yesterday" }, "bad_option", "options.incarnation"],
    [{ leadAliases: ["bob"] }, "config_alias_is_member", "lead_aliases"],
    [{ leadAliases: "chief" }, "bad_option", "options.leadAliases"],
    [{ booleans: "loose" }, "bad_option", "options.booleans"],
    [{ lang: "fr" }, "bad_option", "options.lang"],
    [{ trustClaimedSender: "yes" }, "bad_option", "options.trustClaimedSender"],
    [{ timing: { timeout: 1 } }, "bad_option", "options.timing.timeout"],
    [{ timing: { timeoutMs: -1 } }, "bad_option", "options.timing.timeoutMs"],
    [{ timing: { timeoutMs: 1.5 } }, "bad_option", "options.timing.timeoutMs"],
    [{ timing: { timeoutMs: "60000" } }, "bad_option", "options.timing.timeoutMs"],
    [{ timing: { timeoutMs: Number.NaN } }, "bad_option", "options.timing.timeoutMs"],
    [{ timing: { capMs: Number.POSITIVE_INFINITY } }, "bad_option", "options.timing.capMs"],
    [{ timing: { timeoutMs: 0 } }, "config_zero", "timeout"],
    [{ timing: { timeoutMs: 10, capMs: 5 } }, "config_timeout_over_cap", "timing"],
    [{ limits: { depth: 0 } }, "config_zero", "depth"],
    [{ limits: { depth: [] } }, "bad_option", "options.limits.depth"],
    [{ seed: 7 }, "bad_option", "options.seed"],
  ];
  for (const [change, code, path] of bad) {
    const options = { ...GOOD, ...change };
    const clock = new ManualClock(START);
    const name = JSON.stringify(change);
    assert.throws(() => new Engine(options, START), refused(code, { path }), name);
    const make = () => new ProtocolEngine({ ...options, clock, transport: () => undefined });
    assert.throws(make, refused(code, { path }), name);
  }
});

test("values that cannot be JSON are refused by code", () => {
  const { lead } = makeTeam();
  const cycle = {};
  cycle.self = cycle;
  for (const value of [cycle, { id: 1n }, { toJSON: () => undefined }]) {
    assert.throws(() => lead.callTool(value), refused("not_json"));
    assert.throws(() => lead.addMember(value), refused("not_json"));
    assert.throws(
      () => new Engine({ ...GOOD, seed: value, ...value }, START),
      (e) => refused(e.code)(e),
    );
  }
  for (const value of [undefined, () => "{}", Symbol("tool")]) {
    assert.throws(() => lead.callTool(value), refused("not_json"));
  }
});

test("spans that are none are refused with the name of the option", async () => {
  const { lead, alice } = makeTeam();
  const hashes = [lead.stateHash(), alice.stateHash()];
  for (const ms of [
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "5000",
    null,
    {},
    5n,
    true,
  ]) {
    const is = (path) => refused("bad_span", { family: "misuse", path });
    await assert.rejects(lead.requestShutdown("alice", { timeoutMs: ms }), is("timeoutMs"));
    await assert.rejects(lead.requestShutdown("alice", { capMs: ms }), is("capMs"));
    await assert.rejects(alice.submitPlan(PLAN, { timeoutMs: ms }), is("timeoutMs"));
    assert.throws(() => alice.progress({ busyForMs: ms }), is("busyForMs"));
    assert.throws(() => alice.enterCriticalSection("s", { etaMs: ms }), is("etaMs"));
  }
  await assert.rejects(lead.requestShutdown("alice", { timeoutMs: 0 }), refused("zero_limit"));
  await assert.rejects(lead.requestShutdown("alice", { timeoutMs: 0.9 }), refused("zero_limit"));
  await assert.rejects(
    lead.requestShutdown("alice", { timeoutMs: 9, capMs: 8 }),
    refused("timeout_over_cap"),
  );
  assert.deepEqual([lead.stateHash(), alice.stateHash()], hashes);
  const pending = lead.requestShutdown("alice", { timeoutMs: 1_000.9 });
  assert.equal(lead.request(pending.requestId).expiresAt, START + 1_000);
  assert.throws(
    () => alice.respond(pending.requestId, { approve: false, reason: "busy", retryAfterMs: -5 }),
    refused("bad_span", { path: "retryAfterMs" }),
  );
  assert.equal(alice.obligations().length, 1);
});

test("a choice that is none is refused: a misspelt `once` opens no gate for good", async () => {
  const { alice } = makeTeam();
  for (const uses of ["Once", "", "forever", null, true]) {
    await assert.rejects(alice.submitPlan(PLAN, { uses }), refused("bad_option", { path: "uses" }));
  }
  for (const policy of ["Defer", null, 1]) {
    const enter = () => alice.enterCriticalSection("s", { policy });
    assert.throws(enter, refused("bad_option", { path: "policy" }));
  }
  assert.deepEqual(alice.sections(), []);
});

test("a bigint where a number is due is refused by code, and the engine goes on", () => {
  const engine = new Engine(GOOD, START);
  assert.throws(() => engine.say(5n, "bob", "hi"), refused("not_a_number"));
  assert.throws(() => engine.leaveSection(START, 1n), refused("not_a_number"));
  assert.throws(() => engine.startFailed(START, Symbol("permit")), refused("not_a_number"));
  assert.equal(engine.say(START, "bob", "hi"), 1);
});

test("frames that are no texts are refused by type, and the next good one works", () => {
  const { alice } = makeTeam({ members: ["alice"] });
  const frames = [];
  const transport = ({ frame }) => void frames.push(frame);
  engineFor({ member: "team-lead", transport }).say("alice", "hi");
  const hash = alice.stateHash();
  const values = [
    undefined,
    null,
    7,
    Number.NaN,
    true,
    1n,
    Symbol("f"),
    {},
    [],
    () => "",
    new Date(0),
  ];
  values.push(
    Buffer.from(frames[0]),
    new Uint8Array(4),
    JSON.parse(frames[0]),
    new String(frames[0]),
  );
  for (const value of values) {
    const { type, error } = alice.receive(value, { from: "team-lead" });
    assert.equal(type, "refused");
    refused("wrong_type", { family: "undecodable", path: "frame" })(error);
  }
  for (const text of ["", " ", "{", "null", "[]", '"text"', "1", "{}", "[".repeat(10_000), "\0"]) {
    assert.equal(alice.receive(text, { from: "team-lead" }).type, "refused", text.slice(0, 9));
  }
  assert.equal(alice.stateHash(), hash);
  assert.equal(alice.receive(frames[0], { from: "team-lead" }).type, "noted");
});

test("`__proto__` and its kind pollute nothing, wherever they are written", async () => {
  const { lead, alice } = makeTeam();
  const frames = [];
  engineFor({
    member: "team-lead",
    transport: ({ frame }) => void frames.push(frame),
  }).requestShutdown("alice");
  for (const key of ["__proto__", "constructor", "prototype", "toString"]) {
    const poison = `"${key}":{"polluted":true}`;
    const envelope = frames[0].replace("{", `{${poison},`);
    const inner = frames[0].replace('"message":{', `"message":{${poison},`);
    for (const frame of [envelope, inner, `{${poison}}`, `{"message":{${poison}}}`]) {
      alice.receive(frame, { from: "team-lead" });
    }
    await assert.rejects(
      alice.submitPlan(JSON.parse(`{"title":"t","scope":["a:b"],"risk":"r",${poison}}`)),
    );
    assert.throws(() => lead.callTool(`{"to":"alice",${poison}}`));
    assert.throws(() =>
      lead.callTool(JSON.parse(`{"to":"alice","message":{"type":"${key}",${poison}}}`)),
    );
    assert.throws(
      () => lead.addMember(JSON.parse(`{"name":"eve",${poison}}`)),
      refused("bad_option"),
    );
    assert.throws(() => lead.addMember({ name: key, role: "__proto__" }));
    const options = JSON.parse(`{"member":"alice",${poison}}`);
    assert.throws(() => new Engine({ ...options, team: TEAM }, START), refused("bad_option"));
    assert.equal(lead.request(key), undefined);
    assert.equal(lead.outcome(key), undefined);
    assert.throws(() => alice.respond(key, { approve: true }), refused("unknown_request"));
  }
  assert.equal({}.polluted, undefined);
  assert.equal(Object.prototype.polluted, undefined);
});

test("members may be called like properties of every object", async () => {
  const team = [
    { name: "team-lead", role: "lead" },
    { name: "constructor" },
    { name: "__proto__" },
  ];
  const { lead, bus, clock } = makeTeam({ members: ["team-lead"], team });
  for (const member of ["constructor", "__proto__"]) {
    const worker = engineFor({ team, member, clock, transport: bus.transport(member) });
    bus.connect(worker);
    worker.onRequest("shutdown", () => ({ approve: false, reason: member }));
    assert.equal((await lead.requestShutdown(member)).reason, member);
  }
});
