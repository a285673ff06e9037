// Noise as a host sees it: idle notices, storms, and texts that do not get through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "team-protocols";
import { engineFor, makeTeam, record, refused, START, settle, TEAM } from "./support.mjs";

const make = (member, more = {}) =>
  new Engine({ team: TEAM, member, seed: member, ...more }, START);

function drain(engine) {
  const effects = [];
  for (let next = engine.pollEffect(); next; next = engine.pollEffect()) effects.push(next);
  return effects;
}

test("an idle member costs one event until something changes", async () => {
  const { lead, alice } = makeTeam();
  const idle = record(lead, "idle");
  const frames = record(lead, "frame");
  for (let times = 0; times < 4; times += 1) alice.idle();
  await settle();
  assert.equal(idle.length, 1);
  assert.deepEqual(
    frames.map(({ disposition }) => disposition.as),
    ["sign_of_life", "idle_again", "idle_again", "idle_again"],
  );
  const pending = lead.requestShutdown("alice");
  alice.idle();
  alice.idle();
  await settle();
  assert.deepEqual(
    idle.map(({ unanswered }) => unanswered),
    [[], [pending.requestId]],
  );
});

test("a storm is throttled with one alarm per window, as the options say", () => {
  const limits = { openPerMember: 1, repeatsPerRequest: 5 };
  const lead = make("team-lead", { limits, timing: { repeatWindowMs: 2_000 } });
  const alice = make("alice");
  alice.say(START, "team-lead", "hello");
  const [{ frame }] = drain(alice);
  const storm = (now) =>
    Array.from({ length: 9 }, () => {
      const { as, reason } = lead.receive(now, frame, "alice");
      return as ?? reason;
    });
  assert.deepEqual(storm(START), ["chat", ...Array(5).fill("duplicate"), ..."TTT"].map(long));
  assert.deepEqual(storm(START + 1_999), Array(9).fill("throttled"));
  assert.deepEqual(storm(START + 2_000), [...Array(5).fill("duplicate"), ..."TTTT"].map(long));
  const alarms = drain(lead).filter(({ event }) => event?.type === "alarm");
  assert.deepEqual(
    alarms.map(({ event }) => [event.alarm, event.member]),
    [
      ["storm", "alice"],
      ["storm", "alice"],
    ],
  );
  assert.throws(() => make("bob", { limits: { repeatsPerRequest: 0 } }), refused("config_zero"));
  assert.throws(() => make("bob", { timing: { repeatWindowMs: 0 } }), refused("config_zero"));
});

const long = (name) => (name === "T" ? "throttled" : name);

test("a text that the transport could not send is told to its writer and to the lead", async () => {
  const { lead, bus, errors } = makeTeam({ members: ["team-lead"] });
  const towards = bus.transport("alice");
  const writer = engineFor({
    member: "alice",
    errors,
    transport: (frame) => {
      if (frame.to === "bob") throw new Error("no route");
      return towards(frame);
    },
  });
  bus.connect(writer);
  const [told, heard] = [record(writer, "undeliverable"), record(lead, "undeliverable")];
  writer.say("bob", "the interface has changed");
  await settle();
  const expected = {
    type: "undeliverable",
    from: "alice",
    to: "bob",
    excerpt: "the interface has changed",
    cause: "send_failed",
  };
  assert.deepEqual(told, [expected]);
  assert.deepEqual(heard, [expected]);
  assert.deepEqual(
    errors.map(({ message }) => message),
    ["no route"],
  );
});
