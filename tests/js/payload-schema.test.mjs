// Payloads are judged by the schemas of their kind: before they go out and when they come in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, LocalBus, ManualClock, reject } from "team-protocols";
import * as v from "valibot";
import * as z from "zod";
import {
  ended,
  engineFor,
  owed,
  record,
  refused,
  START,
  settle,
  stateOf,
  TEAM,
} from "./support.mjs";

const ROW = { kind: "resource_grant", askedBy: ["worker"], decidedBy: ["lead"] };

/** A schema made by hand: what is left of the libraries. */
const schema = (validate) => ({ "~standard": { version: 1, vendor: "by hand", validate } });

const byHand = schema((value) =>
  Number.isInteger(value?.gpu)
    ? { value: { ...value, node: `node-${value.gpu}` } }
    : { issues: [{ message: "a whole number", path: [{ key: "gpu" }] }] },
);

/** The same by three makers, each with something that only comes out. */
const MAKERS = {
  "a schema by hand": byHand,
  zod: z
    .object({ gpu: z.int() })
    .loose()
    .transform((value) => ({ ...value, node: `node-${value.gpu}` })),
  valibot: v.pipe(
    v.looseObject({ gpu: v.pipe(v.number(), v.integer()) }),
    v.transform((value) => ({ ...value, node: `node-${value.gpu}` })),
  ),
  "an asynchronous schema": schema(async (value) => {
    await undefined;
    return byHand["~standard"].validate(value);
  }),
  "zod with an asynchronous check": z
    .object({ gpu: z.number().refine(async (gpu) => Number.isInteger(gpu)) })
    .transform((value) => ({ ...value, node: `node-${value.gpu}` })),
};

/** A lead and a worker; what is given to one of them alone replaces the kind of both. */
function pair(kind, { worker = kind, lead = kind, ...options } = {}) {
  const clock = new ManualClock(START);
  const bus = new LocalBus({ clock });
  const errors = [];
  const frames = [];
  bus.observe(({ frame }) => frames.push(JSON.parse(frame).message));
  const make = (member, own) => {
    const transport = bus.transport(member);
    const kinds = own && [{ ...ROW, ...own }];
    const engine = engineFor({ member, kinds, clock, transport, errors, ...options });
    bus.connect(engine);
    return engine;
  };
  return { lead: make("team-lead", lead), alice: make("alice", worker), clock, errors, frames };
}

/** A team whose worker knows no schema, so that anything can arrive. */
const unsuspecting = (kind, options) => pair(kind, { worker: {}, ...options });

for (const [what, payload] of Object.entries(MAKERS)) {
  test(`${what}: what goes in travels, what comes out reaches the handler`, async () => {
    const { lead, alice, frames, errors } = pair({ payload });
    const seen = [];
    lead.onRequest("resource_grant", (request) => {
      seen.push(request.payload);
      return approve();
    });
    const events = record(lead, "request");
    const outcome = await alice.ask("resource_grant", "team-lead", { payload: { gpu: 2 } });
    assert.equal(outcome.status, "approved");
    assert.deepEqual(seen, [{ gpu: 2, node: "node-2" }]);
    assert.deepEqual(frames[0].payload, { gpu: 2 });
    assert.deepEqual(events[0].payload, { gpu: 2 }, "the event is as it came");
    assert.deepEqual(errors, []);
  });

  test(`${what}: what does not fit is not asked for`, async () => {
    const { lead, alice, frames } = pair({ payload });
    const before = alice.stateHash();
    for (const [value, path] of [
      [{ gpu: "two" }, "payload.gpu"],
      [{ gpu: 1.5 }, "payload.gpu"],
      [{ gpu: Number.NaN }, "payload.gpu"],
    ]) {
      const pending = alice.ask("resource_grant", "team-lead", { payload: value });
      await assert.rejects(pending, (error) => {
        assert.equal(error.family, "invalid");
        assert.ok(error.message.includes(path), error.message);
        return refused("invalid_payload", { path })(error);
      });
      assert.equal(pending.requestId, undefined);
    }
    await assert.rejects(alice.ask("resource_grant", "team-lead"), refused("invalid_payload"));
    assert.equal(alice.stateHash(), before);
    assert.deepEqual([frames, lead.obligations()], [[], []]);
  });

  for (const refusalNeedsReason of [true, false]) {
    const reasons = refusalNeedsReason ? "with" : "without";
    test(`${what}: what arrives and does not fit is rejected, ${reasons} required reasons`, async () => {
      const needs = { refusalNeedsReason };
      const { lead, alice, errors } = unsuspecting({ payload, ...needs }, { worker: needs });
      lead.onRequest("*", () => assert.fail("no handler may see it"));
      const events = record(lead, "invalid_payload", "request");
      const pending = alice.ask("resource_grant", "team-lead", { payload: { gpu: "two" } });
      const { status, by, reason, requestId } = await pending;
      assert.deepEqual([status, by], ["rejected", "team-lead"]);
      assert.match(reason, /`resource_grant`.*`payload\.gpu`: \S/);
      assert.equal(events.length, 1, "no request is told of");
      const [{ issues, ...event }] = events;
      assert.deepEqual(event, {
        type: "invalid_payload",
        of: "request",
        requestId,
        kind: "resource_grant",
        from: "alice",
      });
      assert.equal(issues.length, 1);
      assert.equal(issues[0].path, "payload.gpu");
      assert.ok(issues[0].message.length > 0);
      assert.deepEqual([errors, lead.obligations()], [[], []]);
    });
  }
}

test("what is judged is what JSON makes of a payload", async () => {
  const { lead, alice } = pair({ payload: z.object({ at: z.iso.datetime() }) });
  lead.onRequest("resource_grant", ({ payload }) => approve(payload.at));
  const asking = (payload) => alice.ask("resource_grant", "team-lead", { payload });
  assert.equal((await asking({ at: new Date(0) })).reason, "1970-01-01T00:00:00.000Z");
  const dates = pair({ payload: z.object({ at: z.date() }) });
  await assert.rejects(
    dates.alice.ask("resource_grant", "team-lead", { payload: { at: new Date(0) } }),
    refused("invalid_payload", { path: "payload.at" }),
  );
  const cycle = {};
  cycle.self = cycle;
  await assert.rejects(asking(cycle), refused("not_json", { path: "payload" }));
});

test("what is changed while or after it is judged does not travel", async () => {
  let release;
  const waiting = new Promise((resolve) => (release = resolve));
  for (const payload of [
    schema(async (value) => {
      await waiting;
      return { value };
    }),
    schema((value) => {
      value.gpu = "changed by the schema";
      return { value };
    }),
  ]) {
    const { alice, frames } = pair({ payload }, { lead: {} });
    const mine = { gpu: 1 };
    const pending = alice.ask("resource_grant", "team-lead", { payload: mine });
    mine.gpu = "changed by its owner";
    release();
    await settle();
    assert.deepEqual(frames[0].payload, { gpu: 1 });
    assert.equal(frames[0].request_id, pending.requestId, "it is known by now");
  }
});

test("the place of what is wrong reads like code", async () => {
  const places = [
    [["a", 0, "b"], "payload.a[0].b"],
    [["two words", { key: '"' }], 'payload["two words"]["\\""]'],
    [[Symbol("s"), "变量", "$x_1"], 'payload["Symbol(s)"].变量.$x_1'],
    [[], "payload"],
    [undefined, "payload"],
  ];
  for (const [path, expected] of places) {
    const issues = [{ message: "no", path }];
    const { alice } = pair({ payload: schema(() => ({ issues })) });
    const asking = alice.ask("resource_grant", "team-lead", { payload: 1 });
    await assert.rejects(asking, refused("invalid_payload", { path: expected }));
  }
});

test("a peer cannot make the words about its payload grow, nor break them", async () => {
  const { lead, alice, errors } = unsuspecting({
    payload: schema((value) => ({
      issues: value.keys.map((key) => ({ message: `${key}`.repeat(1_000), path: [key, key] })),
    })),
  });
  const events = record(lead, "invalid_payload");
  const keys = Array.from({ length: 900 }, (_, at) => `${at}👍`.repeat(20));
  const outcome = await alice.ask("resource_grant", "team-lead", { payload: { keys } });
  assert.equal(outcome.status, "rejected");
  assert.ok(outcome.reason.length < 4_000, `${outcome.reason.length}`);
  assert.ok(outcome.reason.isWellFormed());
  assert.equal(events[0].issues.length, 8);
  const half = unsuspecting({ payload: schema(() => ({ issues: [{ message: "cut \ud83d" }] })) });
  const { reason } = await half.alice.ask("resource_grant", "team-lead");
  assert.match(reason, /cut \ufffd/);
  assert.deepEqual([...errors, ...half.errors], []);
});

const broken = new Error("the schema is broken");
const BROKEN = {
  throws: [
    () => {
      throw broken;
    },
    broken,
  ],
  rejects: [() => Promise.reject(broken), broken],
  "says nothing": [() => undefined],
  "says neither yes nor no": [() => ({})],
  "says yes asynchronously without a value": [async () => ({ ok: true })],
  "gives issues that are none": [() => ({ issues: "all of it" })],
  "gives null for an issue": [() => ({ issues: [null] })],
};

for (const [how, [validate, cause]] of Object.entries(BROKEN)) {
  test(`a schema that ${how} lets nothing through`, async () => {
    const payload = schema(validate);
    const { alice, frames } = pair({ payload });
    await assert.rejects(alice.ask("resource_grant", "team-lead", { payload: 1 }), (error) => {
      if (cause !== undefined) assert.equal(error.cause, cause);
      return refused("invalid_payload", { path: "payload" })(error);
    });
    assert.deepEqual(frames, []);
    const receiving = unsuspecting({ payload });
    receiving.lead.onRequest("*", () => assert.fail("no handler may see it"));
    const pending = receiving.alice.ask("resource_grant", "team-lead", { payload: 1 });
    const outcome = await pending;
    assert.equal(outcome.status, "rejected");
    assert.doesNotMatch(outcome.reason, /the schema is broken/, "a peer need not know");
    assert.equal(receiving.errors.length, 1);
    if (cause !== undefined) assert.equal(receiving.errors[0], cause);
  });
}

test("issues that are an empty list are issues", async () => {
  const { alice } = pair({ payload: schema(() => ({ value: 1, issues: [] })) });
  const asking = alice.ask("resource_grant", "team-lead", { payload: 1 });
  await assert.rejects(asking, refused("invalid_payload"));
});

test("what ended while a schema was judging reaches no handler", async () => {
  for (const end of ["cancel", "close"]) {
    let judge;
    const payload = schema(() => new Promise((resolve) => (judge = resolve)));
    const { lead, alice, errors } = unsuspecting({ payload });
    const events = record(lead, "request", "invalid_payload");
    lead.onRequest("*", () => assert.fail("it is over"));
    const pending = alice.ask("resource_grant", "team-lead", { payload: 1 });
    assert.equal(owed(lead).requestId, pending.requestId, "it may be answered by hand");
    if (end === "cancel") alice.cancel(pending.requestId);
    else lead.close();
    judge({ value: 1 });
    await settle();
    assert.deepEqual([events, errors], [[], []]);
  }
});

test("an abort while a schema is judging sends nothing", async () => {
  let judge;
  const payload = schema(() => new Promise((resolve) => (judge = resolve)));
  const { alice, frames } = pair({ payload });
  const controller = new AbortController();
  const options = { payload: 1, signal: controller.signal };
  const pending = alice.ask("resource_grant", "team-lead", options);
  controller.abort("changed my mind");
  judge({ value: 1 });
  assert.deepEqual(await stateOf(pending), { state: "rejected", reason: "changed my mind" });
  assert.deepEqual(frames, []);
});

test("other kinds, and what a kind says nothing about, are not judged", async () => {
  const { lead, alice } = pair({ answer: schema(() => assert.fail("not asked for")) });
  lead.onRequest("resource_grant", ({ payload }) => reject(JSON.stringify(payload)));
  const outcome = await alice.ask("resource_grant", "team-lead", { payload: [1, {}] });
  assert.equal(outcome.reason, "[1,{}]");
  const bob = alice.ask("dependency", "bob", { payload: { on: "the interface" } });
  assert.equal((await stateOf(bob)).state, "waiting");
});

const TOKEN = z.object({ token: z.string(), until: z.iso.datetime().transform(Date.parse) });
const GOOD = { token: "t", until: "2030-01-01T00:00:00Z" };
const ASYNC_TOKEN = schema((value) => TOKEN["~standard"].validate(value));
ASYNC_TOKEN["~standard"].validate = async (value) => TOKEN["~standard"].validate(value);

for (const [what, answer] of [
  ["a schema", TOKEN],
  ["an asynchronous schema", ASYNC_TOKEN],
]) {
  test(`${what} of answers: what goes in travels, what comes out is the outcome's`, async () => {
    const { lead, alice, frames } = pair({ answer });
    lead.onRequest("resource_grant", () => ({ approve: true, payload: GOOD }));
    const outcome = await alice.ask("resource_grant", "team-lead");
    assert.deepEqual(outcome.payload, { token: "t", until: Date.parse(GOOD.until) });
    assert.deepEqual(await alice.settled(outcome.requestId), outcome);
    assert.deepEqual(frames[1].payload, GOOD);
    assert.deepEqual(alice.outcome(outcome.requestId).payload, GOOD, "as it came");
  });

  test(`${what} of answers: what does not fit is not sent`, async () => {
    const { lead, alice, frames, errors } = pair({ answer });
    const pending = alice.ask("resource_grant", "team-lead");
    // Also when the request is meant by the beginning of its id.
    for (const id of [pending.requestId, pending.requestId.slice(0, 12)]) {
      for (const decision of [
        approve(),
        { approve: true, payload: { token: 7, until: GOOD.until } },
        { approve: false, reason: "no", payload: { token: 7 } },
      ]) {
        const answering = async () => lead.respond(id, decision);
        await assert.rejects(answering, refused("invalid_payload"));
      }
    }
    assert.equal(frames.length, 1);
    await lead.respond(pending.requestId, reject("not today"));
    assert.equal((await pending).status, "rejected", "a no needs no payload");
    lead.onRequest("resource_grant", () => approve());
    const unanswered = alice.ask("resource_grant", "team-lead");
    await settle();
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["invalid_payload"],
    );
    assert.equal(owed(lead).requestId, unanswered.requestId);
  });

  test(`${what} of answers: a foreign answer that does not fit is told, and the decision stands`, async () => {
    const { lead, alice, errors } = pair({ answer }, { lead: {} });
    const events = record(alice, "invalid_payload");
    const pending = alice.ask("resource_grant", "team-lead");
    const waiting = alice.settled(pending.requestId);
    lead.respond(pending.requestId, { approve: true, payload: { token: 7, until: GOOD.until } });
    for (const promise of [pending, waiting, alice.settled(pending.requestId)]) {
      await assert.rejects(promise, refused("invalid_answer", { path: "payload.token" }));
    }
    assert.equal(alice.outcome(pending.requestId).status, "approved");
    assert.equal(events.length, 1);
    const { of, from, requestId, issues } = events[0];
    assert.deepEqual([of, from, requestId], ["answer", "team-lead", pending.requestId]);
    assert.equal(issues[0].path, "payload.token");
    assert.deepEqual(errors, []);
  });
}

test("an answer that nobody gave is not judged", async () => {
  const { alice, clock } = pair({ answer: schema(() => assert.fail("there is no answer")) });
  const pending = alice.ask("resource_grant", "team-lead");
  await clock.advance(100_000);
  assert.equal((await ended(pending)).status, "timed_out");
});

test("an answer to what was answered meanwhile is no error of a handler", async () => {
  let judge;
  const answer = schema(() => new Promise((resolve) => (judge = resolve)));
  const { lead, alice, errors } = pair({ answer }, { worker: {} });
  lead.onRequest("resource_grant", () => ({ approve: true, payload: 1 }));
  const pending = alice.ask("resource_grant", "team-lead");
  lead.respond(pending.requestId, reject("by hand"));
  judge({ value: 1 });
  assert.equal((await pending).reason, "by hand");
  await settle();
  assert.deepEqual(errors, []);
});

test("a declaration stands for its name", async () => {
  const GRANT = { ...ROW, payload: byHand };
  const { lead, alice } = pair(GRANT);
  lead.onRequest(GRANT, ({ payload }) => approve(payload.node));
  const outcome = await alice.ask(GRANT, "team-lead", { payload: { gpu: 3 } });
  assert.deepEqual([outcome.kind, outcome.reason], ["resource_grant", "node-3"]);
  assert.throws(() => lead.onRequest("resource_grant", () => approve()), refused("handler_taken"));
});

test("the words are Chinese where the team speaks it", async () => {
  const { lead, alice } = unsuspecting({ payload: byHand }, { lang: "zh" });
  const { reason } = await alice.ask("resource_grant", "team-lead", { payload: 1 });
  assert.match(reason, /载荷.*`payload\.gpu`: a whole number/);
  const own = pair({ payload: byHand, answer: byHand }, { lang: "zh" });
  await assert.rejects(own.alice.ask("resource_grant", "team-lead"), (error) => {
    assert.match(error.message, /载荷.*：`payload\.gpu`/);
    return refused("invalid_payload")(error);
  });
  assert.ok(lead);
});

test("what is no schema is refused when the engine is made", () => {
  const at = "options.kinds[0]";
  for (const [kind, path] of [
    [{ payload: (value) => value }, `${at}.payload`],
    [{ payload: null }, `${at}.payload`],
    [{ payload: { "~standard": { version: 2, validate: () => ({ value: 1 }) } } }, `${at}.payload`],
    [{ answer: { "~standard": { version: 1 } } }, `${at}.answer`],
    [{ answers: byHand }, `${at}.answers`],
  ]) {
    assert.throws(() => pair(kind), refused("bad_option", { path }));
  }
  // A function may be one: arktype makes such.
  assert.ok(pair({ payload: Object.assign(() => undefined, byHand) }));
  for (const kinds of [7, {}, [null], ["resource_grant"]]) {
    const make = () => engineFor({ kinds });
    assert.throws(make, refused("bad_option"), JSON.stringify(kinds));
  }
  const kinds = [{ ...ROW, payload: byHand }];
  const make = () => new Engine({ team: TEAM, member: "alice", kinds }, START);
  assert.throws(make, refused("bad_option", { path: `${at}.payload` }), "it judges nothing");
});
