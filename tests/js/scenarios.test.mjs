// The scenarios of tests/vectors through the package. tests/vectors/README.md has the format.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine, ProtocolError } from "team-protocols";
import { START } from "./support.mjs";

const FOLDER = new URL("../vectors/scenarios/", import.meta.url);

/** Keys of a step that say what it does, not what must come of it. */
const DOING = "command at args as deliver keep lose frame from to again advance".split(" ");

class Stage {
  #now = 0;
  #mail = [];
  #engines = new Map();
  #events = new Map();
  #names = new Map();
  #kept = new Map();

  constructor({ workers, approvers = [], options = {} }) {
    const team = [
      { name: "team-lead", role: "lead" },
      ...workers.map((name) => ({ name, role: "worker" })),
      ...approvers.map((name) => ({ name, role: "approver" })),
    ];
    for (const [place, { name: member }] of team.entries()) {
      const incarnation = `${START}-${place.toString(16).padStart(16, "0")}`;
      const engine = new Engine({ team, member, incarnation, seed: member, ...options }, START);
      this.#engines.set(member, engine);
      this.#names.set(`${member}.life`, incarnation);
    }
  }

  step(step, number) {
    const hashes = new Map([...this.#engines].map(([name, engine]) => [name, engine.stateHash()]));
    for (const member of this.#engines.keys()) this.#events.set(member, []);
    const came = this.#perform(this.#resolve(step), number);
    this.#check(this.#resolve(step), { ...came, hashes });
  }

  #perform(step, number) {
    if (step.command !== undefined) return this.#command(step);
    if (step.deliver === "all") return this.#deliverAll();
    if (step.deliver === "next") {
      const mail = this.#mail.shift();
      if (step.keep !== undefined) this.#kept.set(step.keep, mail);
      return { disposition: this.#deliver(mail) };
    }
    if (step.lose !== undefined)
      return void this.#mail.splice(0, step.lose === "all" ? Infinity : 1);
    if (step.frame !== undefined) return { disposition: this.#deliver(this.#byHand(step, number)) };
    if (step.again !== undefined) return { disposition: this.#deliver(this.#kept.get(step.again)) };
    return this.#advance(step.advance);
  }

  #command({ at, command, args = [], as }) {
    try {
      const result = this.#act(at, (engine, now) => engine[command](now, ...args));
      if (as !== undefined) this.#name(as, result);
      return { result };
    } catch (error) {
      if (!ProtocolError.is(error)) throw error;
      return { error: error.code };
    }
  }

  #name(name, result) {
    const { requestId, permit } = Object(result);
    this.#names.set(name, permit ?? requestId ?? result);
    if (requestId !== undefined) this.#names.set(`${name}.requestId`, requestId);
  }

  #byHand({ frame, from, to }, number) {
    if (typeof frame === "string") return { from, to, frame };
    const filled = {
      v: 1,
      id: `by-hand-${number}`,
      seq: 1_000 + number,
      from,
      from_incarnation: this.#names.get(`${from}.life`),
      to,
      at: START + this.#now,
      ...frame,
    };
    const given = Object.entries(filled).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    return { from, to, frame: JSON.stringify(Object.fromEntries(given)) };
  }

  #advance(ms) {
    const end = this.#now + ms;
    for (let next = this.#nextMoment(); next <= end; next = this.#nextMoment()) {
      this.#now = Math.max(this.#now, next);
      this.#deliverAll();
      for (const [member, engine] of this.#engines) {
        if ((engine.pollDeadline() ?? Infinity) > START + this.#now) continue;
        this.#act(member, (one, now) => one.handleDeadline(now));
      }
    }
    this.#now = end;
  }

  #nextMoment() {
    if (this.#mail.length > 0) return this.#now;
    const deadlines = [...this.#engines.values()].map(
      (engine) => engine.pollDeadline() ?? Infinity,
    );
    return Math.min(...deadlines) - START;
  }

  #deliverAll() {
    while (this.#mail.length > 0) this.#deliver(this.#mail.shift());
  }

  #deliver({ from, to, frame }) {
    if (!this.#engines.has(to)) return undefined;
    const disposition = this.#act(to, (engine, now) =>
      engine.receive(now, frame, from ?? undefined),
    );
    return nameOf(disposition);
  }

  #act(member, run) {
    const engine = this.#engines.get(member);
    try {
      return run(engine, START + this.#now);
    } finally {
      for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
        if (effect.type === "event") this.#events.get(member).push(effect.event);
        else this.#mail.push({ from: member, to: effect.to, frame: effect.frame });
      }
    }
  }

  #check(step, came) {
    assert.equal(came.error, step.error, "error");
    for (const [key, expected] of Object.entries(step)) {
      if (DOING.includes(key)) continue;
      contains(this.#found(key, expected, came), key === "unchanged" ? [] : expected, key);
    }
  }

  #found(key, expected, { error, disposition, result, hashes }) {
    if (key === "error") return error;
    if (key === "disposition") return disposition;
    if (key === "result") return result;
    if (key === "mail") return this.#mail.map(({ from, to, frame }) => [from, to, typeOf(frame)]);
    const changed = (name) => this.#engines.get(name).stateHash() !== hashes.get(name);
    if (key === "unchanged") return expected.filter(changed);
    const look = ([member, asked]) => [member, this.#look(key, member, asked)];
    return Object.fromEntries(Object.entries(expected).map(look));
  }

  #look(key, member, asked) {
    const engine = this.#engines.get(member);
    const each = (find) => Object.fromEntries(Object.keys(asked).map((of) => [of, find(of)]));
    switch (key) {
      case "events":
        return this.#events.get(member);
      case "status":
        return each((id) => engine.request(id)?.status ?? null);
      case "liveness":
        return each((of) => engine.team().find(({ name }) => name === of).liveness);
      case "owes":
        return engine.obligations().map(({ request }) => request.requestId);
      case "deadline":
        return (engine.pollDeadline() ?? null) && engine.pollDeadline() - START;
      case "audit":
        return engine.audit().at(-1);
      default:
        return assert.fail(`no expectation \`${key}\``);
    }
  }

  #resolve(value) {
    if (typeof value === "string") return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item));
    if (typeof value !== "object" || value === null) return value;
    const resolved = ([key, inner]) => [this.#text(key), this.#resolve(inner)];
    return Object.fromEntries(Object.entries(value).map(resolved));
  }

  #text(text) {
    const whole = /^\$\{([^}]+)\}$/.exec(text);
    if (whole !== null) return this.#names.get(whole[1]) ?? text;
    return text.replaceAll(/\$\{([^}]+)\}/g, (all, name) => this.#names.get(name) ?? all);
  }
}

function nameOf({ type, as, reason, error }) {
  return as ?? reason ?? error?.code ?? type;
}

function typeOf(frame) {
  const { message } = JSON.parse(frame);
  return typeof message === "string" ? "text" : message.type;
}

/** Fields not mentioned are not compared; lists are compared whole. */
function contains(found, expected, path) {
  if (Array.isArray(expected)) {
    assert.equal(found?.length, expected.length, `${path}: ${JSON.stringify(found)}`);
    for (const [at, value] of expected.entries()) contains(found[at], value, `${path}[${at}]`);
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      if (value !== null) contains(found?.[key], value, `${path}.${key}`);
      else assert.ok(found?.[key] === undefined || found[key] === null, `${path}.${key}`);
    }
  } else assert.deepEqual(found, expected, path);
}

function play(scenario) {
  const stage = new Stage(scenario);
  for (const [number, step] of scenario.steps.entries()) {
    try {
      stage.step(step, number);
    } catch (cause) {
      throw new Error(`step ${number} ${JSON.stringify(step)}: ${cause.message}`, { cause });
    }
  }
}

const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

test("there are scenarios", () => assert.ok(files.length >= 15, `${files.length}`));

for (const file of files) {
  const scenario = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
  test(`${file}: ${scenario.about}`, () => play(scenario));
}

// A runner that checks nothing would pass everything.
test("a scenario that expects something else fails", () => {
  const say = { at: "team-lead", command: "say", args: ["alice", "hi"] };
  for (const wrong of [
    { ...say, error: "closed" },
    { ...say, args: ["alcie", "hi"] },
    { ...say, result: 2 },
    { ...say, mail: [] },
    { ...say, unchanged: ["team-lead"], deadline: { alice: 5 } },
    { ...say, owes: { alice: ["x"] } },
    { ...say, liveness: { "team-lead": { alice: "lost" } } },
    { ...say, events: { alice: [{ type: "alarm" }] } },
    { ...say, audit: { "team-lead": { verdict: "settled" } } },
    { ...say, status: { alice: { x: "pending" } } },
    { ...say, mystery: { alice: 1 } },
  ]) {
    assert.throws(() => play({ workers: ["alice"], steps: [wrong] }), JSON.stringify(wrong));
  }
});
