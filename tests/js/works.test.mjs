// Work that requests name: run once after an approval, told when it fails, undone when it must be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, reject } from "team-protocols";
import { ended, makeTeam, PLAN, record, refused, START, settle, TEAM } from "./support.mjs";

const WORKS = { onApproved: "deploy", compensation: "rollback" };
const LONG = 10_000_000;

/** A team in which alice knows work by name; `runs` holds what was run. */
function working({ results = {}, decide = () => approve(), ...options } = {}) {
  const team = makeTeam(options);
  const runs = [];
  for (const name of ["deploy", "rollback"]) {
    team.alice.onWork(name, (work) => {
      runs.push(`${work.name} ${work.run}`);
      const result = results[name];
      return typeof result === "function" ? result(work) : result;
    });
  }
  team.lead.onRequest("plan_approval", decide);
  return { ...team, runs };
}

const told = (events) => events.map(({ type, requestId: _, ...rest }) => ({ type, ...rest }));

test("work runs once when its request is approved, however often frames come twice", async () => {
  for (const bus of [{}, { duplicate: 1 }, { duplicate: 1, delayMs: [5, 500], reorder: 0.5 }]) {
    const { alice, lead, clock, runs, errors } = working({ bus });
    const reports = record(lead, "report");
    const pending = alice.submitPlan(PLAN, WORKS);
    await clock.advance(30_000);
    const { status, requestId } = await ended(pending);
    assert.equal(status, "approved");
    assert.deepEqual(runs, ["deploy 1"]);
    alice.report(requestId, { ok: true });
    await clock.advance(LONG);
    assert.deepEqual(runs, ["deploy 1"]);
    assert.equal(reports.length, 1);
    assert.deepEqual(errors, []);
  }
});

test("work is not run when its request is refused, withdrawn or too late", async () => {
  const refusing = working({ decide: () => reject("too risky") });
  assert.equal((await refusing.alice.submitPlan(PLAN, WORKS)).status, "rejected");
  const silent = working({ decide: () => undefined });
  const withdrawn = silent.alice.submitPlan(PLAN, WORKS);
  silent.alice.cancel(withdrawn.requestId);
  assert.equal((await withdrawn).status, "cancelled");
  const late = silent.alice.submitPlan(PLAN, WORKS);
  await silent.clock.advance(LONG);
  assert.equal((await ended(late)).status, "timed_out");
  assert.throws(() => silent.lead.respond(late.requestId, approve()));
  await settle();
  assert.deepEqual([...refusing.runs, ...silent.runs], []);
});

test("an agreement to leave has work too, and so has a kind of the host's own", async () => {
  const kinds = [{ kind: "resource_grant", askedBy: ["worker"], decidedBy: ["lead"] }];
  const { lead, alice } = makeTeam({ kinds });
  const runs = [];
  lead.onWork("archive", ({ name, cause, run }) => runs.push({ name, cause, run }));
  alice.onWork("train", () => runs.push("train"));
  lead.onRequest("resource_grant", () => approve());
  alice.onRequest("shutdown", () => approve());
  await alice.ask("resource_grant", "team-lead", { onApproved: "train" });
  await lead.requestShutdown("alice", { onApproved: "archive" });
  assert.deepEqual(runs, ["train", { name: "archive", cause: "approved", run: 1 }]);
});

for (const [how, fail] of [
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))],
  ["throws a text", () => Promise.reject("disk full")],
  ["reports a failure", async () => ({ ok: false, detail: "disk full" })],
]) {
  test(`work that ${how} is told as failed, and the decision stands`, async () => {
    const { alice, clock, runs, errors } = working({ results: { deploy: fail } });
    const failed = record(alice, "work_failed");
    const { requestId, status } = await alice.submitPlan(PLAN, WORKS);
    await clock.advance(100_000);
    assert.deepEqual(told(failed), [
      {
        type: "work_failed",
        name: "deploy",
        cause: "approved",
        run: 1,
        detail: "disk full",
        interrupted: false,
      },
    ]);
    assert.deepEqual([status, alice.outcome(requestId).status], ["approved", "approved"]);
    assert.equal(alice.gate.enter(PLAN.scope[0]).requestId, requestId);
    assert.deepEqual([runs, errors], [["deploy 1"], []]);
  });
}

test("failed work runs again when it is told to, until it has succeeded", async () => {
  let broken = true;
  const deploy = async () => {
    if (broken) throw new Error("not yet");
    return "after a second try";
  };
  const { alice, runs } = working({ results: { deploy } });
  const { requestId } = await alice.submitPlan(PLAN, WORKS);
  await settle();
  broken = false;
  alice.rerun(requestId);
  assert.throws(() => alice.rerun(requestId), refused("nothing_to_rerun"), "it runs");
  await settle();
  assert.throws(() => alice.rerun(requestId), refused("nothing_to_rerun"), "it succeeded");
  assert.deepEqual(runs, ["deploy 1", "deploy 2"]);
});

test("work without a handler is told, and runs when there is one", async () => {
  const { lead, alice, clock, errors } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const events = record(alice, "work", "work_missing", "work_failed");
  const { requestId } = await alice.submitPlan(PLAN, { onApproved: "migrate" });
  const [work, ...rest] = events.splice(0);
  assert.deepEqual(work, {
    type: "work",
    requestId,
    name: "migrate",
    cause: "approved",
    run: 1,
  });
  assert.deepEqual(rest, [{ ...work, type: "work_missing" }]);
  alice.rerun(requestId);
  assert.deepEqual(
    events.splice(0).map(({ type, run }) => [type, run]),
    [
      ["work", 2],
      ["work_missing", 2],
    ],
  );
  let runs = 0;
  alice.onWork("migrate", () => {
    runs += 1;
  });
  await clock.advance(10_000);
  assert.equal(runs, 0, "not by itself");
  alice.rerun(requestId);
  await settle();
  assert.equal(runs, 1);
  assert.deepEqual(told(events), [{ ...told([work])[0], run: 3 }]);
  assert.deepEqual(errors, []);
});

test("a handler that was taken away does no more work", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const missing = record(alice, "work_missing");
  const off = alice.onWork("deploy", () => assert.fail("taken away"));
  off();
  off();
  await alice.submitPlan(PLAN, WORKS);
  assert.equal(missing.length, 1);
});

test("work that is reported as failed is undone once, and the lead learns that", async () => {
  for (const bus of [{}, { duplicate: 1, delayMs: [5, 3_000] }, { loss: 0.4, seed: 11 }]) {
    const { alice, lead, clock, runs } = working({ bus, results: { rollback: "restored" } });
    const reports = record(lead, "report");
    const pending = alice.submitPlan(PLAN, WORKS);
    await clock.advance(50_000);
    const { requestId, status } = await ended(pending);
    assert.equal(status, "approved", JSON.stringify(bus));
    alice.report(requestId, { ok: false, detail: "half copied" });
    assert.throws(() => alice.report(requestId, { ok: false }), refused("already_answered"));
    await clock.advance(LONG);
    assert.deepEqual(runs, ["deploy 1", "rollback 2"]);
    const last = reports.at(-1);
    assert.deepEqual([last.ok, last.rolledBack, last.detail], [false, true, "restored"]);
    assert.equal(reports.filter(({ rolledBack }) => rolledBack === true).length, 1);
    assert.throws(() => alice.rerun(requestId), refused("nothing_to_rerun"));
  }
});

test("a rollback that fails is told to the lead, and so is one that succeeds later", async () => {
  let broken = true;
  const rollback = () => ({ ok: !broken });
  const { alice, lead, runs } = working({ results: { rollback } });
  const reports = record(lead, "report");
  const { requestId } = await alice.submitPlan(PLAN, WORKS);
  await settle();
  alice.report(requestId, { ok: false });
  await settle();
  broken = false;
  alice.rerun(requestId);
  await settle();
  assert.deepEqual(
    reports.map(({ rolledBack }) => rolledBack),
    [undefined, false, true],
  );
  assert.deepEqual(runs, ["deploy 1", "rollback 2", "rollback 3"]);
});

test("a good report undoes nothing", async () => {
  const { alice, clock, runs } = working();
  const { requestId } = await alice.submitPlan(PLAN, WORKS);
  alice.report(requestId, { ok: true });
  await clock.advance(LONG);
  assert.deepEqual(runs, ["deploy 1"]);
});

test("a function is work of one request alone", async () => {
  const { lead, alice, clock } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const events = record(alice, "work", "work_missing", "work_failed");
  const runs = [];
  const ids = [];
  for (const at of [0, 1]) {
    const { requestId } = await alice.submitPlan(
      { ...PLAN, scope: [`write:${at}`] },
      {
        onApproved: async ({ cause, run }) => {
          runs.push([at, cause, run]);
          if (run === 1) throw new Error("once more");
        },
        compensation: ({ cause, run }) => runs.push([at, cause, run]) && undefined,
      },
    );
    ids.push(requestId);
  }
  await settle();
  for (const id of ids) alice.rerun(id);
  await settle();
  for (const id of ids) alice.report(id, { ok: false });
  await clock.advance(LONG);
  assert.deepEqual(runs, [
    [0, "approved", 1],
    [1, "approved", 1],
    [0, "approved", 2],
    [1, "approved", 2],
    [0, "compensation", 3],
    [1, "compensation", 3],
  ]);
  const names = new Set(events.map(({ name }) => name));
  assert.equal(names.size, 4, "each has a name of its own");
  // After a restore such a name must mean nothing, rather than the function of another request.
  for (const name of names) {
    assert.throws(() => alice.onWork(name, () => undefined), refused("bad_option"));
  }
  assert.ok(!events.some(({ type }) => type === "work_missing"));
});

test("the approval of the same plan once more brings no work of its own", async () => {
  const { alice, lead, clock } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const runs = [];
  const submit = (name) => alice.submitPlan(PLAN, { compensation: () => void runs.push(name) });
  const first = await submit("first");
  assert.equal((await submit("second")).requestId, first.requestId);
  alice.report(first.requestId, { ok: false });
  await clock.advance(LONG);
  assert.deepEqual(runs, ["first"]);
});

test("functions of requests that are over are not kept for ever", async () => {
  const limits = { rememberedPerMember: 1 };
  const { alice, lead } = makeTeam({ limits });
  lead.onRequest("plan_approval", () => approve());
  const kept = [];
  for (let at = 0; at < 200; at += 1) {
    const onApproved = () => undefined;
    kept.push(new WeakRef(onApproved));
    const plan = { ...PLAN, scope: [`write:${at}`] };
    const { requestId } = await alice.submitPlan(plan, { onApproved });
    alice.report(requestId, { ok: true });
    await settle();
  }
  if (globalThis.gc === undefined) {
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose_gc");
    globalThis.gc = runInNewContext("gc");
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
  globalThis.gc();
  const left = kept.filter((reference) => reference.deref() !== undefined).length;
  assert.ok(left < 150, `${left} of 200 are still there`);
});

test("work may call the engine while it begins", async () => {
  const { lead, alice } = makeTeam();
  lead.onRequest("plan_approval", () => approve());
  const heard = record(lead, "message", "report");
  await alice.submitPlan(PLAN, {
    onApproved: ({ requestId }) => {
      alice.gate.enter(PLAN.scope[0]);
      alice.say("team-lead", "here I go");
      alice.report(requestId, { ok: true });
    },
  });
  assert.deepEqual(
    heard.map(({ type }) => type),
    ["message", "report"],
  );
});

test("what work says of itself is never read by its truthiness", async () => {
  for (const result of [{ ok: "true" }, { ok: 1 }, { done: true }, []]) {
    const { alice, errors } = working({ results: { deploy: () => result } });
    const failed = record(alice, "work_failed");
    await alice.submitPlan(PLAN, WORKS);
    await settle();
    assert.equal(failed.length, 1, JSON.stringify(result));
    assert.deepEqual(errors, []);
  }
});

test("work is over even when what it says cannot be told", async () => {
  const half = "\ud800";
  for (const [result, fails, code] of [
    [() => half, 0, "not_well_formed"],
    [() => "x".repeat(300_000), 0, "text_too_long"],
    [() => ({ ok: false, detail: half }), 1, "not_well_formed"],
  ]) {
    const { alice, errors } = working({ results: { deploy: result } });
    const failed = record(alice, "work_failed");
    const { requestId } = await alice.submitPlan(PLAN, WORKS);
    await settle();
    assert.equal(failed.length, fails);
    assert.deepEqual(
      errors.map((error) => error.code),
      [code],
    );
    assert.throws(() => alice.workDone(requestId, 1, { ok: true }), refused("work_not_running"));
  }
});

test("an end that was told for the handler counts, and not what the handler says later", async () => {
  let finish;
  const deploy = () => new Promise((resolve) => (finish = resolve));
  const { alice, errors } = working({ results: { deploy } });
  const failed = record(alice, "work_failed");
  const { requestId } = await alice.submitPlan(PLAN, WORKS);
  alice.workDone(requestId, 1, { ok: false, detail: "the pipeline says so" });
  finish();
  await settle();
  assert.deepEqual(
    failed.map(({ detail }) => detail),
    ["the pipeline says so"],
  );
  assert.deepEqual(errors, []);
});

test("what fails after the engine was closed is told to `onError`, and what succeeds to nobody", async () => {
  const broken = new Error("cut off");
  for (const [end, value, expected] of [
    ["resolve", undefined, []],
    ["reject", broken, [broken]],
  ]) {
    let ends;
    const deploy = () => new Promise((resolve, reject) => (ends = { resolve, reject }));
    const { alice, errors } = working({ results: { deploy } });
    await alice.submitPlan(PLAN, WORKS);
    alice.close();
    ends[end](value);
    await settle();
    assert.deepEqual(errors, expected);
  }
});

test("misuse is refused by code and changes nothing", async () => {
  const { lead, alice } = makeTeam();
  const nothing = () => undefined;
  alice.onWork("deploy", nothing);
  for (const [run, code, path] of [
    [() => alice.onWork("deploy", nothing), "handler_taken"],
    [() => alice.onWork(7, nothing), "not_text", "name"],
    [() => alice.onWork("test", "deploy"), "bad_option", "handler"],
    [() => alice.workDone("req_nothing", 1, { ok: true }), "unknown_request", "request_id"],
    [() => alice.workDone("req_nothing", 1.5, { ok: true }), "not_a_number"],
    [() => alice.workDone("req_nothing", 1, { ok: "true" }), "not_boolean"],
    [() => alice.rerun("req_nothing"), "unknown_request", "request_id"],
  ]) {
    assert.throws(run, refused(code, { path }));
  }
  const before = alice.stateHash();
  for (const [options, code, path] of [
    [{ onApproved: " " }, "blank", "on_approved"],
    [{ compensation: "" }, "blank", "compensation"],
    [{ onApproved: 7 }, "not_text", "onApproved"],
    [{ compensation: Symbol("undo") }, "not_text", "compensation"],
  ]) {
    await assert.rejects(() => alice.submitPlan(PLAN, options), refused(code, { path }));
  }
  await assert.rejects(
    () => alice.ask("dependency", "bob", { compensation: nothing }),
    refused("nothing_to_undo"),
  );
  assert.equal(alice.stateHash(), before);
  assert.deepEqual(lead.obligations(), []);
  const pending = alice.submitPlan(PLAN, WORKS);
  const done = () => alice.workDone(pending.requestId, 1, { ok: true });
  assert.throws(done, refused("work_not_running"));
  assert.throws(() => alice.rerun(pending.requestId), refused("nothing_to_rerun"));
});

/** The events that an engine without input and output tells. */
function events(engine) {
  const told = [];
  for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
    if (effect.type === "event") told.push(effect.event);
    else if (effect.type === "send") told.push(effect);
  }
  return told;
}

test("the engine without input and output asks for work by name", () => {
  const make = (member) => new Engine({ team: TEAM, member, seed: member }, START);
  const [lead, alice] = [make("team-lead"), make("alice")];
  const id = alice.submitPlan(START, PLAN, WORKS);
  const carry = (from, to) => {
    for (const { type, frame } of events(from)) {
      if (type === "send") to.receive(START, frame, from.member);
    }
  };
  carry(alice, lead);
  lead.respond(START, id, approve());
  carry(lead, alice);
  const works = () =>
    events(alice)
      .filter(({ type }) => type.startsWith("work"))
      .map(({ type, run, interrupted }) => [type, run, interrupted]);
  assert.deepEqual(works(), [["work", 1, undefined]]);
  assert.equal(alice.workMissing(START, id, 1), id);
  assert.equal(alice.rerun(START, id), id);
  alice.interruptWorks(START);
  alice.interruptWorks(START);
  assert.deepEqual(works(), [
    ["work_missing", 1, undefined],
    ["work", 2, undefined],
    ["work_failed", 2, true],
  ]);
  alice.rerun(START, id);
  assert.equal(alice.workDone(START, id, 3, { ok: true, detail: "done" }), id);
  for (const run of [3, 2 ** 32 + 3, -1]) {
    assert.throws(() => alice.workMissing(START, id, run), refused("work_not_running"));
  }
  const named = { onApproved: () => undefined };
  const submit = () => alice.submitPlan(START, { ...PLAN, scope: ["write:x"] }, named);
  assert.throws(submit, refused("not_text", { path: "onApproved" }));
});
