// The sans-IO engine by itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DROP_REASONS, Engine, NOTED_AS } from "team-protocols";
import { PLAN, refused, START, TEAM } from "./support.mjs";

const make = (member, more = {}) =>
  new Engine({ team: TEAM, member, seed: member, ...more }, START);

function drain(engine) {
  const effects = [];
  for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) effects.push(effect);
  return effects;
}

const frames = (engine) => drain(engine).filter(({ type }) => type === "send");
const events = (engine) =>
  drain(engine)
    .filter(({ type }) => type === "event")
    .map(({ event }) => event);

/** Hands every frame of `from` to `to`; returns what became of each. */
function pass(from, to, now = START) {
  return frames(from).map(({ frame }) => to.receive(now, frame, from.member));
}

/** A frame with fields changed; `message` is merged. */
function forge(frame, { message, ...envelope }) {
  const changed = { ...JSON.parse(frame), ...envelope };
  if (message !== undefined) changed.message = { ...changed.message, ...message };
  return JSON.stringify(changed);
}

test("a new engine has nothing to do", () => {
  const engine = make("alice");
  assert.equal(engine.pollEffect(), undefined);
  assert.equal(engine.pollDeadline(), undefined);
  assert.equal(engine.member, "alice");
  assert.equal(engine.role, "worker");
  assert.equal(engine.liveness, "active");
});

test("effects come out once, in the order in which they arose", () => {
  const lead = make("team-lead");
  lead.say(START, "alice", "one");
  const id = lead.requestShutdown(START, "bob");
  lead.say(START, "*", "two");
  lead.cancel(START, id);
  const effects = drain(lead);
  assert.deepEqual(
    effects.map(({ type, to, seq, requestId }) => [type, to ?? requestId, seq]),
    [
      ["send", "alice", 1],
      ["send", "bob", 2],
      ["send", "alice", 3],
      ["send", "bob", 4],
      ["event", id, undefined],
      ["send", "bob", 5],
    ],
  );
  assert.equal(lead.pollEffect(), undefined);
  assert.equal(lead.pollEffect(), undefined);
  lead.say(START, "alice", "three");
  assert.equal(drain(lead)[0].seq, 6);
});

test("an event is parsed once, and tells its request before", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const id = lead.requestShutdown(START, "alice");
  pass(lead, alice);
  lead.requestShutdown(START, "bob");
  const [frame] = frames(lead);
  alice.receive(START, frame.frame, "team-lead");
  const again = make("alice");
  lead.cancel(START, id);
  const ended = drain(lead).find(({ type }) => type === "event");
  assert.equal(ended.requestId, id);
  assert.equal(ended.event, ended.event);
  assert.equal(ended.event.type, "settled");
  assert.equal(again.pollEffect(), undefined);
});

test("the deadline is the earliest thing that is due, and goes when nothing is", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const id = lead.requestShutdown(START, "alice", { timeoutMs: 8_000 });
  assert.equal(lead.pollDeadline(), START + 2_000);
  pass(lead, alice);
  assert.equal(alice.pollDeadline(), START + 5_000);
  lead.handleDeadline(START + 1_999);
  assert.deepEqual(drain(lead), []);
  lead.handleDeadline(START + 2_000);
  const [reminder] = frames(lead);
  assert.equal(JSON.parse(reminder.frame).reminder.count, 1);
  assert.equal(lead.pollDeadline(), START + 4_000);
  lead.handleDeadline(START + 8_000);
  const told = drain(lead);
  const outcome = told.find(({ requestId }) => requestId === id).event;
  assert.equal(outcome.status, "timed_out");
  lead.memberGone(START + 8_000, "alice");
  assert.equal(lead.pollDeadline(), undefined);
});

test("an earlier time than before moves nothing back", () => {
  const lead = make("team-lead");
  lead.say(START + 5_000, "alice", "later");
  lead.requestShutdown(START, "alice");
  const [, request] = frames(lead);
  assert.equal(JSON.parse(request.frame).at, START + 5_000);
});

test("a frame has one disposition, and each kind of it is seen here", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const id = lead.requestShutdown(START, "alice");
  const [request] = frames(lead);
  const accepted = alice.receive(START, request.frame, "team-lead");
  assert.deepEqual(accepted, { type: "accepted", requestId: id });
  assert.deepEqual(alice.receive(START, request.frame, "team-lead"), {
    type: "dropped",
    reason: "duplicate",
  });
  const refusedFrame = alice.receive(START, "{}", "team-lead");
  assert.equal(refusedFrame.type, "refused");
  refused("missing_field")(refusedFrame.error);
  drain(alice);
  alice.respond(START, id, { approve: true });
  const [answer] = pass(alice, lead);
  assert.deepEqual(answer, { type: "settled", requestId: id });
  alice.exit(START);
  assert.deepEqual(pass(alice, lead), [{ type: "noted", as: "exit" }]);
});

test("every way of being noted is reached by a frame", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const seen = new Set();
  const see = (dispositions) => {
    for (const { type, as } of dispositions) if (type === "noted") seen.add(as);
  };
  alice.say(START, "team-lead", "hello");
  alice.progress(START, { note: "at it" });
  alice.idle(START);
  alice.idle(START);
  see(pass(alice, lead));
  alice.say(START, "bob", "hello");
  const [toBob] = frames(alice);
  alice.handleSendFailed(START, toBob.seq);
  see(pass(alice, lead));
  const id = alice.submitPlan(START, PLAN, { timeoutMs: 8_000 });
  pass(alice, lead);
  alice.handleDeadline(START + 2_000);
  see(pass(alice, lead, START + 2_000));
  lead.respond(START + 2_000, id, { approve: true });
  pass(lead, alice, START + 2_000);
  alice.report(START + 2_000, id, { ok: true });
  see(pass(alice, lead, START + 2_000));
  const stages = [{ approvers: ["team-lead"], threshold: 1 }];
  const staged = alice.submitPlan(START + 2_000, { ...PLAN, title: "another" }, { stages });
  pass(alice, lead, START + 2_000);
  lead.respond(START + 2_000, staged, { approve: true });
  pass(lead, alice, START + 2_000);
  see(pass(alice, lead, START + 2_000));
  const bob = make("bob");
  alice.ask(START + 2_000, "dependency", "bob");
  bob.ask(START + 2_000, "dependency", "alice");
  const [fromAlice, fromBob] = [frames(alice), frames(bob)];
  for (const { frame } of fromAlice) bob.receive(START + 2_000, frame, "alice");
  for (const { frame } of fromBob) alice.receive(START + 2_000, frame, "bob");
  for (let lap = 0; lap < 4; lap += 1) {
    see(pass(alice, bob, START + 2_000));
    see(pass(bob, alice, START + 2_000));
  }
  const refused = alice.submitPlan(START + 2_000, { ...PLAN, title: "a third" });
  pass(alice, lead, START + 2_000);
  lead.respond(START + 2_000, refused, { approve: false, reason: "too early" });
  pass(lead, alice, START + 2_000);
  lead.reopen(START + 2_000, refused);
  see(pass(lead, alice, START + 2_000));
  const withdrawn = lead.requestShutdown(START + 2_000, "alice");
  lead.cancel(START + 2_000, withdrawn);
  const [request, cancel] = frames(lead).reverse();
  see([request, cancel].map(({ frame }) => alice.receive(START + 2_000, frame, "team-lead")));
  alice.exit(START + 2_000);
  see(pass(alice, lead, START + 2_000));
  assert.deepEqual([...seen].sort(), [...NOTED_AS].sort());
});

test("every reason to drop a frame is reached by one, and none changes the state", () => {
  const seen = new Map();
  const drop = (engine, frame, from, now = START) => {
    const hash = engine.stateHash();
    const disposition = engine.receive(now, frame, from);
    assert.equal(disposition.type, "dropped", JSON.stringify(disposition));
    assert.equal(engine.stateHash(), hash, disposition.reason);
    seen.set(disposition.reason, true);
    return disposition.reason;
  };
  const [lead, alice, bob] = [make("team-lead"), make("alice"), make("bob")];
  const id = lead.requestShutdown(START, "alice");
  const [request] = frames(lead);
  assert.equal(drop(alice, request.frame, "bob"), "forged");
  assert.equal(drop(alice, request.frame), "unidentified");
  assert.equal(drop(alice, forge(request.frame, { from: "mallory" }), "mallory"), "unknown_sender");
  assert.equal(drop(bob, request.frame, "team-lead"), "misaddressed");
  assert.equal(drop(alice, forge(request.frame, { to: "*" }), "team-lead"), "broadcast_frame");
  assert.equal(drop(alice, forge(request.frame, { from: "alice" }), "alice"), "from_self");
  alice.receive(START, request.frame, "team-lead");
  assert.equal(drop(alice, request.frame, "team-lead"), "duplicate");
  alice.respond(START, id, { approve: false, reason: "busy" });
  const [answer] = frames(alice);
  const answered = (changes, from = "alice") => forge(answer.frame, { ...changes, from });
  assert.equal(
    drop(lead, forge(answer.frame, { message: { request_id: "nobody's" } }), "alice"),
    "orphan",
  );
  const bobs = forge(answered({}, "bob"), { from_incarnation: bob.incarnation });
  assert.equal(drop(lead, bobs, "bob"), "wrong_responder");
  assert.equal(lead.receive(START, answer.frame, "alice").type, "settled");
  const next = (frame, seq, message) => forge(frame, { seq, id: `n${seq}`, message });
  assert.equal(drop(lead, next(answer.frame, 50, { approve: true }), "alice"), "conflicting");
  const plan = alice.submitPlan(START, PLAN);
  const [submitted] = frames(alice);
  lead.receive(START, forge(submitted.frame, { seq: 60, id: "n60" }), "alice");
  lead.respond(START, plan, { approve: true });
  const decided = frames(lead).at(-1);
  assert.equal(
    drop(alice, forge(decided.frame, { message: { digest: `b3_${"0".repeat(64)}` } }), "team-lead"),
    "digest_mismatch",
  );
  const word = { type: "reopen", request_id: plan };
  const reopen = JSON.stringify({
    ...JSON.parse(decided.frame),
    message: word,
    seq: 70,
    id: "n70",
  });
  alice.receive(START, forge(decided.frame, { seq: 65, id: "n65" }), "team-lead");
  assert.equal(drop(alice, reopen, "team-lead"), "not_rejected");
  const plan2 = alice.submitPlan(START, { ...PLAN, title: "another" });
  pass(alice, lead);
  const report = (frame, request_id) => {
    const message = { type: "execution_report", request_id, ok: true };
    return JSON.stringify({ ...JSON.parse(frame), message, seq: 90, id: "n90" });
  };
  assert.equal(drop(lead, report(answer.frame, plan2), "alice"), "unapproved");
  const leaving = make("bob");
  const shutdown = lead.requestShutdown(START, "bob");
  pass(lead, leaving);
  leaving.respond(START, shutdown, { approve: true });
  const toBob = forge(decided.frame, { to: "bob", to_incarnation: leaving.incarnation });
  assert.equal(drop(leaving, report(toBob, shutdown), "team-lead"), "wrong_kind");
  const former = forge(answer.frame, { from_incarnation: `${START - 1}-0000000000000001`, seq: 1 });
  assert.equal(drop(lead, former, "alice"), "stale_incarnation");
  const coming = forge(answer.frame, { from_incarnation: `${START + 1}-0000000000000001`, seq: 1 });
  assert.equal(drop(lead, coming, "alice"), "unannounced_life");
  alice.exit(START);
  pass(alice, lead);
  const missing = DROP_REASONS.filter((reason) => !seen.has(reason));
  // These need a history of their own: the next tests.
  assert.deepEqual(missing.sort(), [
    "late",
    "receiver_left",
    "sender_left",
    "stale_frame",
    "throttled",
  ]);
});

test("an answer that comes with the deadline is late, and its sender is alive", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  const id = lead.requestShutdown(START, "alice", { timeoutMs: 1_000 });
  pass(lead, alice);
  alice.respond(START, id, { approve: true });
  const late = pass(alice, lead, START + 1_000);
  assert.deepEqual(late, [{ type: "dropped", reason: "late" }]);
  const [settled] = events(lead).filter(({ type }) => type === "settled");
  assert.equal(settled.status, "timed_out");
});

test("after an exit, frames of the one who left and for the one who left are dropped", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  alice.say(START, "team-lead", "late mail");
  const [chat] = frames(alice);
  alice.exit(START);
  pass(alice, lead);
  assert.equal(lead.receive(START, chat.frame, "alice").reason, "sender_left");
  lead.say(START, "bob", "hi");
  const [toBob] = frames(lead);
  const forAlice = forge(toBob.frame, { to: "alice" });
  assert.equal(alice.receive(START, forAlice, "team-lead").reason, "receiver_left");
});

test("a frame below what is remembered of its sender is stale", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  for (let count = 0; count < 5_000; count += 1) alice.say(START, "team-lead", `${count}`);
  const sent = frames(alice);
  for (const { frame } of sent.slice(1))
    assert.equal(lead.receive(START, frame, "alice").type, "noted");
  assert.equal(lead.receive(START, sent[0].frame, "alice").reason, "stale_frame");
});

test("a respawned member is a new life: the old one is not heard any more", () => {
  const [lead, alice] = [make("team-lead"), make("alice")];
  alice.say(START, "team-lead", "first life");
  pass(alice, lead);
  const open = lead.requestShutdown(START, "alice");
  const next = new Engine({ team: TEAM, member: "alice", seed: "second" }, START + 1);
  lead.announce(START + 1, "alice", next.incarnation);
  const settled = events(lead).find(({ type }) => type === "settled");
  assert.deepEqual([settled.requestId, settled.cause], [open, "peer_left"]);
  alice.say(START + 1, "team-lead", "from the grave");
  assert.deepEqual(
    pass(alice, lead, START + 1).map(({ reason }) => reason),
    ["stale_incarnation"],
  );
  next.say(START + 1, "team-lead", "second life");
  assert.deepEqual(pass(next, lead, START + 1), [{ type: "noted", as: "chat" }]);
  assert.throws(() => lead.announce(START, "alice", alice.incarnation), refused("life_not_later"));
});

test("a refused command leaves no effect and the same state", () => {
  const lead = make("team-lead");
  const hash = lead.stateHash();
  for (const run of [
    () => lead.requestShutdown(START, "nobody"),
    () => lead.submitPlan(START, PLAN),
    () => lead.respond(START, "x", { approve: true }),
    () => lead.cancel(START, "x"),
    () => lead.callTool(START, "{"),
    () => lead.leaveSection(START, 99),
    () => lead.startFailed(START, 99),
    () => lead.say(Number.NaN, "alice", "hi"),
  ]) {
    assert.throws(run, (error) => refused(error.code)(error), `${run}`);
    assert.equal(lead.pollEffect(), undefined, `${run}`);
  }
  assert.equal(lead.stateHash(), hash);
});

test("the same inputs give the same state, ids and frames; another seed other ids", () => {
  const run = (seed) => {
    const lead = make("team-lead", { seed });
    lead.requestShutdown(START, "alice", { reason: "done" });
    lead.handleDeadline(START + 20_000);
    return [lead.incarnation, lead.stateHash(), drain(lead).map(({ frame }) => frame)];
  };
  assert.deepEqual(run("one"), run("one"));
  assert.notDeepEqual(run("one"), run("two"));
  const ids = [undefined, undefined].map((seed) =>
    make("team-lead", { seed }).requestShutdown(START, "bob"),
  );
  assert.notEqual(ids[0], ids[1]);
});

test("a disposed engine refuses everything and may be disposed of again", () => {
  const engine = make("alice");
  engine.say(START, "bob", "unsent");
  engine[Symbol.dispose]();
  engine.dispose();
  assert.throws(() => engine.say(START, "bob", "hi"), refused("closed"));
  assert.throws(() => engine.pollDeadline(), refused("closed"));
  assert.throws(() => engine.receive(START, "{}"), refused("closed"));
});
