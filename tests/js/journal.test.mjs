// An engine that keeps a journal: nothing goes out before it is safe, and another process goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, LocalBus, ManualClock, ProtocolEngine, reject } from "team-protocols";
import { engineFor, PLAN, record, START, settle, stateOf, TEAM } from "./support.mjs";

/** A journal in memory whose writes are done when they are called. */
class Memory {
  lines = "";
  snapshot;
  writes = 0;

  get empty() {
    return this.lines === "" && this.snapshot === undefined;
  }

  get crowded() {
    return this.lines.length > (this.compactAfter ?? Number.POSITIVE_INFINITY);
  }

  append(lines) {
    this.writes += 1;
    this.lines += lines;
  }

  load() {
    return { journal: this.lines, snapshot: this.snapshot };
  }

  cut(bytes) {
    this.lines = Buffer.from(this.lines, "utf8").subarray(0, bytes).toString("utf8");
  }

  compact(snapshot) {
    this.snapshot = snapshot;
    this.lines = "";
  }
}

/** One whose writes are done when the test says so. */
class Slow extends Memory {
  #done = [];

  append(lines) {
    return new Promise((resolve, reject) => {
      this.#done.push({
        finish: () => {
          super.append(lines);
          resolve();
        },
        reject,
      });
    });
  }

  /** Lets the writes that are under way come to their end. */
  async finish() {
    for (const { finish } of this.#done.splice(0)) finish();
    await settle();
  }

  async fail(error) {
    for (const { reject } of this.#done.splice(0)) reject(error);
    await settle();
  }

  get underWay() {
    return this.#done.length;
  }
}

/** A lead on its own, and alice with a journal, on one bus. */
function makeTeam(journal, more = {}) {
  const clock = new ManualClock(START);
  const bus = new LocalBus({ clock });
  const errors = [];
  const make = (member, options) =>
    engineFor({ member, clock, transport: bus.transport(member), errors, ...options });
  const lead = make("team-lead", {});
  const alice = make("alice", { journal, ...more });
  for (const engine of [lead, alice]) bus.connect(engine);
  /** Another engine goes on from alice's journal. */
  const restore = (setup, options = {}) => {
    bus.disconnect("alice");
    return ProtocolEngine.restore({
      member: "alice",
      transport: bus.transport("alice"),
      clock,
      journal,
      onError: (error) => errors.push(error),
      setup: (engine) => {
        setup?.(engine);
        bus.connect(engine);
      },
      ...options,
    });
  };
  return { clock, bus, errors, lead, alice, restore };
}

test("nothing goes out before the line that caused it is safe", async () => {
  const journal = new Slow();
  const sent = [];
  const alice = engineFor({ journal, transport: ({ frame }) => void sent.push(JSON.parse(frame)) });
  const events = record(alice);
  await journal.finish();
  alice.say("team-lead", "one");
  const plan = alice.submitPlan(PLAN);
  assert.equal(sent.length, 0);
  assert.equal(journal.underWay, 1);
  await journal.finish();
  assert.equal(sent.length, 1, "what came meanwhile waits for the next write");
  await journal.finish();
  assert.deepEqual(
    sent.map(({ message }) => message?.type ?? "text"),
    ["text", "plan_approval_request"],
  );
  alice.cancel(plan.requestId);
  assert.deepEqual(await stateOf(plan), { state: "waiting" });
  assert.deepEqual(events, []);
  await journal.finish();
  assert.equal((await plan).status, "cancelled");
});

test("lines that come while a write is under way are written together", async () => {
  const journal = new Slow();
  const alice = engineFor({ journal });
  for (let n = 0; n < 100; n += 1) alice.say("team-lead", `text ${n}`);
  await journal.finish();
  await journal.finish();
  assert.equal(journal.writes, 2);
  assert.equal(journal.lines.split("\n").length, 102, "the first line is the configuration");
});

test("`saved` resolves when everything so far is safe and handed over, in order", async () => {
  const journal = new Slow();
  const order = [];
  const alice = engineFor({ journal, transport: () => void order.push("sent") });
  alice.say("team-lead", "hello");
  alice.saved().then(() => order.push("saved"));
  await journal.finish();
  assert.deepEqual(order, []);
  await journal.finish();
  assert.deepEqual(order, ["sent", "saved"]);
  await alice.saved();
  await engineFor({}).saved();
});

test("what waits for a slow journal is bounded, and nothing that was taken in is lost", async () => {
  const journal = new Slow();
  const { lead, alice } = makeTeam(journal);
  await journal.finish();
  const told = record(alice, "message");
  const frames = [];
  const talker = engineFor({
    member: "team-lead",
    transport: ({ frame }) => void frames.push(frame),
  });
  for (let n = 0; n < 20_000; n += 1) talker.say("alice", `text ${n}`);
  lead.close();
  const taken = frames.filter((frame) => {
    const { type, reason } = alice.receive(frame, { from: "team-lead" });
    assert.ok(type === "noted" || reason === "throttled");
    return type === "noted";
  });
  assert.ok(taken.length < 16_500, `${taken.length} of 20 000 were taken in`);
  assert.ok(taken.length > 5_000);
  await journal.finish();
  await journal.finish();
  assert.equal(told.length, taken.length);
  const again = alice.receive(frames.at(-1), { from: "team-lead" });
  assert.equal(again.type, "noted", "and then there is room again");
});

test("a journal that cannot be written stops the engine, and nothing goes out", async () => {
  const journal = new Slow();
  const [sent, errors] = [[], []];
  const alice = engineFor({ journal, errors, transport: (frame) => void sent.push(frame) });
  await journal.finish();
  const plan = alice.submitPlan(PLAN);
  const ended = (async () => {
    for await (const _ of alice);
    return "ended";
  })();
  const saved = alice.saved();
  const failed = { code: "journal_failed", family: "transport" };
  const rejected = [assert.rejects(plan, failed), assert.rejects(saved, failed)];
  await journal.fail(new Error("disk full"));
  await Promise.all(rejected);
  assert.equal(await ended, "ended");
  assert.deepEqual(sent, []);
  assert.equal(errors.length, 1);
  assert.equal(errors[0].cause.message, "disk full");
  assert.throws(() => alice.say("team-lead", "hello"), failed);
  await assert.rejects(alice.saved(), failed);
});

test("a write that throws stops the engine at once, and the call that caused it says so", () => {
  const journal = new Memory();
  const [sent, errors] = [[], []];
  const alice = engineFor({ journal, errors, transport: (frame) => void sent.push(frame) });
  journal.append = () => {
    throw new Error("disk full");
  };
  assert.throws(() => alice.say("team-lead", "hello"), { code: "journal_failed" });
  assert.deepEqual(sent, []);
  assert.equal(errors.length, 1);
});

test("an action may start when the journal has it, and not before", async () => {
  const slow = new Slow();
  const { lead, alice } = makeTeam(slow);
  lead.onRequest("plan_approval", () => approve());
  await slow.finish();
  const plan = alice.submitPlan(PLAN, { uses: "once" });
  for (let turn = 0; turn < 4; turn += 1) await slow.finish();
  assert.equal((await plan).status, "approved");
  const action = "write:db/sessions";
  assert.throws(() => alice.gate.enter(action), { code: "journal_takes_time" });
  const permit = alice.gate.enterAsync(action);
  assert.deepEqual(await stateOf(permit), { state: "waiting" });
  await slow.finish();
  assert.equal((await permit).action, action);
  await assert.rejects(alice.gate.enterAsync(action), { code: "gate_spent" });

  const quick = new Memory();
  const other = makeTeam(quick);
  other.lead.onRequest("plan_approval", () => approve());
  await other.alice.submitPlan(PLAN, { uses: "once" });
  const before = quick.lines.length;
  other.alice.gate.enter(action);
  assert.ok(quick.lines.slice(before).includes("enter_gate"), "it is written when `enter` returns");
});

test("an action that starts inside a listener is written before it starts, too", async () => {
  const journal = new Memory();
  const { lead, alice } = makeTeam(journal);
  lead.onRequest("plan_approval", () => approve());
  let inside;
  alice.subscribe(({ type }) => {
    if (type !== "settled") return;
    alice.gate.enter("write:db/sessions");
    inside = journal.lines.includes("enter_gate");
  });
  await alice.submitPlan(PLAN);
  assert.equal(inside, true);
});

test("another engine goes on where the former one was", async () => {
  const journal = new Memory();
  const { lead, alice, restore, errors } = makeTeam(journal);
  const plan = alice.submitPlan(PLAN, { uses: "once", onApproved: "deploy" });
  const { requestId } = plan;
  const [life, hash] = [alice.incarnation, alice.stateHash()];
  await Promise.all([alice.suspend(), assert.rejects(plan, { code: "suspended" })]);
  assert.throws(() => alice.say("team-lead", "hello"), { code: "closed" });
  const done = [];
  const again = await restore((engine) => {
    engine.onWork("deploy", ({ run }) => void done.push(run));
    engine.onRequest("shutdown", () => reject("busy"));
  });
  assert.deepEqual([again.incarnation, again.stateHash()], [life, hash]);
  assert.equal(again.restored.tornBytes, 0);
  assert.ok(again.restored.lines > 1);
  assert.equal(alice.restored, undefined);
  const outcome = again.settled(requestId);
  lead.respond(requestId, { approve: true });
  assert.equal((await outcome).status, "approved");
  await settle();
  assert.deepEqual(done, [1]);
  assert.equal((await lead.requestShutdown("alice")).status, "rejected");
  assert.deepEqual(errors, []);
});

test("what came in while nobody ran is told to the handlers that `setup` registers", async () => {
  const journal = new Memory();
  const { clock, lead, alice, restore } = makeTeam(journal);
  const overdue = alice.submitPlan(PLAN, { timeoutMs: 5_000 });
  const shutdown = lead.requestShutdown("alice");
  await Promise.all([alice.suspend(), assert.rejects(overdue)]);
  await clock.advance(6_000);
  const told = [];
  const again = await restore((engine) => {
    engine.subscribe(({ type, status }) => told.push(status ?? type));
    engine.onRequest("shutdown", () => approve());
  });
  assert.equal(told[0], "timed_out", `what is overdue settles first: ${told}`);
  assert.equal((await shutdown).status, "approved");
  assert.equal(again.outcome(overdue.requestId).status, "timed_out");
});

test("work that had begun when the process ended is interrupted, and runs again when it is told to", async () => {
  const journal = new Memory();
  const { lead, alice, restore } = makeTeam(journal);
  lead.onRequest("plan_approval", () => approve());
  alice.onWork("deploy", () => new Promise(() => undefined));
  const { requestId } = await alice.submitPlan(PLAN, { onApproved: "deploy" });
  await alice.suspend();
  const [failed, runs] = [[], []];
  const again = await restore((engine) => {
    engine.onWork("deploy", ({ run }) => void runs.push(run));
    engine.subscribe((event) => {
      if (event.type === "work_failed") failed.push(event);
    });
  });
  assert.deepEqual(
    failed.map(({ run, interrupted }) => [run, interrupted]),
    [[1, true]],
  );
  assert.deepEqual(runs, []);
  again.rerun(requestId);
  assert.deepEqual(runs, [2]);
});

test("work begins when the journal has that it does", async () => {
  const journal = new Slow();
  const { lead, alice } = makeTeam(journal);
  lead.onRequest("plan_approval", () => approve());
  let begun = false;
  alice.onWork("deploy", () => {
    begun = journal.lines.includes("work_started");
  });
  await journal.finish();
  const plan = alice.submitPlan(PLAN, { onApproved: "deploy" });
  for (let turn = 0; turn < 8; turn += 1) await journal.finish();
  await plan;
  assert.equal(begun, true);
});

test("a snapshot takes the place of a journal that has grown, and is enough", async () => {
  const journal = new Memory();
  journal.compactAfter = 10_000;
  const { alice, restore } = makeTeam(journal);
  for (let n = 0; n < 200; n += 1) alice.say("team-lead", `text number ${n}`);
  assert.ok(journal.lines.length < 12_000, `${journal.lines.length} characters`);
  assert.ok(journal.snapshot !== undefined);
  const hash = alice.stateHash();
  await alice.suspend();
  const again = await restore();
  assert.equal(again.stateHash(), hash);
  assert.ok(again.restored.lines < 100);
});

test("a torn end is cut off before the next line is written, and told", async () => {
  const journal = new Memory();
  const { alice, restore } = makeTeam(journal);
  alice.say("team-lead", "你好");
  await alice.suspend();
  const whole = journal.lines;
  const torn = '{"sum":"0123456789abcdef","after":"你';
  journal.lines += torn;
  const again = await restore();
  assert.equal(again.restored.tornBytes, Buffer.byteLength(torn));
  assert.equal(again.restored.soundBytes, Buffer.byteLength(whole));
  assert.ok(journal.lines.startsWith(whole));
  assert.equal(journal.lines.slice(whole.length).split("\n").length, 2, "the line of restoring");
  await again.suspend();
  assert.ok((await restore()).restored.lines > again.restored.lines);
});

test("a life is lived once at a time", async () => {
  const journal = new Memory();
  const { alice, restore } = makeTeam(journal);
  await assert.rejects(restore(), { code: "restored_twice", family: "unrestorable" });
  await alice.suspend();
  const again = await restore();
  await assert.rejects(restore(), { code: "restored_twice" });
  again.close();
  await restore();
});

test("a new engine does not begin on a journal that is kept", () => {
  const journal = new Memory();
  engineFor({ journal });
  assert.throws(() => engineFor({ journal }), { code: "journal_not_empty" });
});

test("what kept a journal goes on with one, and what kept none without", async () => {
  const journal = new Memory();
  const { alice, restore } = makeTeam(journal);
  await alice.suspend();
  const missing = { code: "bad_option", path: "options.journal" };
  await assert.rejects(restore(undefined, { saved: journal.load(), journal: undefined }), missing);
  const engine = new Engine({ team: TEAM, member: "alice" }, START);
  const saved = { snapshot: engine.snapshot() };
  engine.dispose();
  await assert.rejects(restore(undefined, { saved, journal: new Memory() }), missing);
  const again = await restore(undefined, { saved, journal: undefined });
  assert.equal(again.restored.lines, 0);
});

test("what is damaged is refused with its code, in the language that is asked for", async () => {
  const journal = new Memory();
  const { alice, restore } = makeTeam(journal);
  await alice.suspend();
  const { lines } = journal;
  for (const [text, code] of [
    ["", "nothing_saved"],
    [lines.replace("alice", "bobby"), "saved_corrupt"],
    [lines + lines, "restored_twice"],
  ]) {
    journal.lines = text;
    await assert.rejects(restore(), { code, family: "unrestorable" });
  }
  journal.lines = lines;
  await assert.rejects(restore(undefined, { member: "bob" }), { code: "saved_foreign" });
  await assert.rejects(restore(undefined, { member: "bob", lang: "zh" }), /应为/);
  await assert.rejects(restore(undefined, { member: "no name" }), { code: "bad_option" });
});

test("the sans-IO engine gives its lines before what they caused", () => {
  const engine = new Engine(
    { team: TEAM, member: "alice", writeJournal: true, seed: "alice" },
    START,
  );
  const drain = () => {
    const effects = [];
    for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
      effects.push(effect);
    }
    return effects;
  };
  const [open] = drain();
  assert.deepEqual([open.type, open.n], ["journal", 1]);
  engine.say(START, "team-lead", "hello");
  const effects = drain();
  assert.deepEqual(
    effects.map(({ type }) => type),
    ["journal", "send"],
  );
  assert.throws(() => engine.snapshot(), { code: "effects_pending" });
  engine.released(2);
  const snapshot = engine.snapshot();
  const journal = `${open.line}\n${effects[0].line}\n`;
  const hash = engine.stateHash();
  engine.dispose();
  for (const saved of [{ journal }, { snapshot, journal }, { snapshot }]) {
    const replayed = Engine.replay(saved);
    assert.equal(replayed.engine.stateHash(), hash);
    const { engine: again, restored } = Engine.restore(saved, { member: "alice" }, START + 5);
    assert.equal(again.stateHash(), hash);
    assert.equal(restored.journal, true);
    again.dispose();
  }
});

test("numbers of frames are whole after a restore from a snapshot alone", () => {
  const make = () => new Engine({ team: TEAM, member: "alice", seed: "alice" }, START);
  const [lead, alice] = [new Engine({ team: TEAM, member: "team-lead" }, START), make()];
  const snapshot = alice.snapshot();
  alice.dispose();
  const { engine } = Engine.restore({ snapshot }, { member: "alice" }, START);
  engine.say(START, "team-lead", "hello");
  const send = engine.pollEffect();
  assert.ok(send.seq > 2 ** 32, `${send.seq}`);
  assert.equal(JSON.parse(send.frame).seq, send.seq);
  assert.equal(lead.receive(START, send.frame, "alice").type, "noted");
  engine.handleSendFailed(START, send.seq);
  const told = engine.pollEffect();
  assert.equal(told?.event?.type, "undeliverable", "the number finds the frame again");
});
