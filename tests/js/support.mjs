// What the tests share: a team on virtual time, and ways to look at it.

import assert from "node:assert/strict";
import { LocalBus, ManualClock, ProtocolEngine, ProtocolError } from "team-protocols";

export const START = 1_700_000_000_000;

export const TEAM = [
  { name: "team-lead", role: "lead" },
  { name: "alice", title: "coder" },
  { name: "bob" },
];

export const PLAN = {
  title: "Move the sessions table",
  scope: ["write:db/sessions", "run:migrations/**"],
  steps: ["copy", "switch"],
  risk: "sessions are lost when the copy is cut short",
  text: "Copy first, switch after the counts agree.",
};

/** Engines of one team over one bus and one clock. `errors` holds what went to `onError`. */
export function makeTeam({
  bus: busOptions = {},
  members = ["team-lead", "alice", "bob"],
  ...core
} = {}) {
  const clock = new ManualClock(START);
  const bus = new LocalBus({ clock, ...busOptions });
  const errors = [];
  const engines = {};
  for (const member of members) {
    engines[member] = engineFor({
      member,
      clock,
      transport: bus.transport(member),
      errors,
      ...core,
    });
    bus.connect(engines[member]);
  }
  const { "team-lead": lead, alice, bob } = engines;
  return { clock, bus, errors, engines, lead, alice, bob };
}

/** One engine with a seed of its own, so that every run has the same ids. */
export function engineFor({ member = "alice", errors, clock = new ManualClock(START), ...rest }) {
  const onError = errors && ((error) => errors.push(error));
  const transport = () => undefined;
  return new ProtocolEngine({
    team: TEAM,
    member,
    seed: member,
    transport,
    clock,
    onError,
    ...rest,
  });
}

/** Lets promises that are under way settle. */
export async function settle(turns = 40) {
  for (let turn = 0; turn < turns; turn += 1) await undefined;
}

/** Collects what an engine tells; `only` keeps events of these types. */
export function record(engine, ...only) {
  const events = [];
  engine.subscribe((event) => {
    if (only.length === 0 || only.includes(event.type)) events.push(event);
  });
  return events;
}

/** The state of a promise without waiting for it. */
export async function stateOf(promise) {
  const waiting = Symbol("waiting");
  await settle();
  try {
    const value = await Promise.race([promise, Promise.resolve(waiting)]);
    return value === waiting ? { state: "waiting" } : { state: "resolved", value };
  } catch (reason) {
    return { state: "rejected", reason };
  }
}

/** The outcome of a promise that has one by now; a test that waits for ever tells nothing. */
export async function ended(promise) {
  const { state, value, reason } = await stateOf(promise);
  if (state === "rejected") throw reason;
  assert.equal(state, "resolved", "still waiting");
  return value;
}

/** A matcher for `assert.throws` and `assert.rejects`: this code, and everything filled in. */
export function refused(code, more = {}) {
  return (error) => {
    assert.ok(ProtocolError.is(error), `no ProtocolError: ${error?.stack ?? error}`);
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.length > 0 && error.hint.length > 0 && error.rule.length > 0);
    for (const [field, value] of Object.entries(more)) assert.equal(error[field], value, field);
    return true;
  };
}

/** The pending request that `engine` owes an answer. */
export function owed(engine) {
  const [obligation] = engine.obligations();
  assert.ok(obligation !== undefined, "nothing is owed");
  return obligation.request;
}

/** Random numbers that are the same in every run. */
export function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
