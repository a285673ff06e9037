/** The stage: a team of engines on one bus, in virtual time, and what they report as it happens. */

import { readFileSync } from "node:fs";
import { LocalBus, ManualClock, ProtocolEngine, ProtocolError } from "team-protocols";
import { short } from "./timeline.mjs";

const VECTORS = new URL("../tests/vectors/field/", import.meta.url);

/** How much of a state hash is shown: its version and enough to compare. */
const HASH_SHOWN = 16;

/** Something happened that the story does not have. */
export class Unexpected extends Error {}

/** Stops the demo unless something came out as it should. */
export function expect(actual, expected, what) {
  if (actual === expected) return;
  throw new Unexpected(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** Runs the team. */
export class Stage {
  #lang;
  #members;
  #clock;
  #bus;
  #seed;
  #lives = [];
  #errors = [];
  #travel = 0;
  #shown = new Set();

  constructor({ lang, members, seed, start, timeline, words }) {
    this.#lang = lang;
    this.#members = members;
    this.#seed = seed;
    this.#clock = new ManualClock(start);
    this.#bus = new LocalBus({ clock: this.#clock });
    this.#bus.observe((frame) => this.#carried(frame));
    this.timeline = timeline;
    this.words = words;
  }

  /** Now, in virtual time. */
  get now() {
    return this.#clock.now();
  }

  /** Every engine that ever lived, in order. */
  get lives() {
    return this.#lives;
  }

  /** Begins a life of a member. */
  spawn(member) {
    const number = this.#lives.filter((engine) => engine.member === member).length + 1;
    const engine = new ProtocolEngine({
      team: this.#members,
      member,
      clock: this.#clock,
      transport: this.#transport(member),
      lang: this.#lang,
      seed: `${this.#seed}: ${member}, life ${number}`,
      onError: (error) => this.#errors.push(error),
    });
    engine.subscribe((event) => this.#happened(engine, event));
    this.#lives.push(engine);
    this.#bus.connect(engine);
    return engine;
  }

  /** Lets time pass; reports that something went wrong in it. */
  async pass(ms) {
    await this.#clock.advance(ms);
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  /** From now on a frame takes so long; it is shown when it arrives. */
  set travel(ms) {
    this.#travel = ms;
  }

  /** Cuts a member off, as if its process hung: what is sent to it waits. */
  cutOff(member) {
    this.#bus.disconnect(member);
  }

  /** How many frames wait for a member. */
  waiting(member) {
    return this.#bus.waiting(member);
  }

  /** A line about what the host does. */
  host(engine, text, mark) {
    this.timeline.host(this.now, engine.member, text, mark);
  }

  /** Does what the model of a member wrote; returns what the engine made of it. */
  tool(engine, vector, requestId) {
    const input = this.#input(vector, requestId);
    const { result, rows } = this.timeline.hold(() => engine.callTool(input));
    this.#wrote(engine, input, requestId);
    const remarks = result.notes.map((note) => this.words.notes[note] ?? note);
    const byShortId = requestId !== undefined && result.requestId !== requestId;
    if (byShortId) remarks.push(this.words.shortId(requestId, result.requestId));
    if (remarks.length > 0) this.timeline.understood(remarks);
    this.timeline.put(rows);
    return result;
  }

  /** The same, where the engine must refuse; returns the refusal. */
  toolRefused(engine, vector, code, requestId) {
    const input = this.#input(vector, requestId);
    const before = engine.stateHash();
    this.#wrote(engine, input, requestId);
    const error = this.refused(engine, code, () => engine.callTool(input));
    expect(engine.stateHash(), before, `state after ${code}`);
    this.timeline.remark(this.words.unchanged(before.slice(0, HASH_SHOWN)));
    return error;
  }

  /** Submits a plan; returns its outcome to come. */
  submits(engine, plan, options = {}) {
    this.host(engine, this.words.submits(options));
    return held(engine.submitPlan(plan, options));
  }

  /** A worker asks another one for something that it waits for. */
  waits(from, to, on, follows) {
    this.host(from, this.words.waitsFor(to.member, on));
    const outcome = held(from.ask("dependency", to.member, { payload: { on }, follows }));
    return { from, to, on, outcome, requestId: outcome.requestId };
  }

  /** Runs what an engine must refuse with this code, and shows the refusal. */
  refused(engine, code, run) {
    try {
      run();
    } catch (error) {
      return this.#refusal(engine, code, error);
    }
    throw new Unexpected(`${engine.member} was not refused with ${code}`);
  }

  /** The same with a request, whose promise rejects; and nothing of it may stay. */
  async askRefused(engine, code, ask) {
    const before = engine.stateHash();
    const ended = await ask().catch((error) => error);
    const error = this.#refusal(engine, code, ended);
    expect(engine.stateHash(), before, `state after ${code}`);
    this.timeline.remark(this.words.unchanged(before.slice(0, HASH_SHOWN)));
    return error;
  }

  /** An action that the gate must let through; returns the permit. */
  enters(engine, action) {
    this.host(engine, this.words.wantsTo(action));
    const permit = engine.gate.enter(action);
    this.host(engine, this.words.gateOpen(permit.action, short(permit.requestId)), "✓");
    return permit;
  }

  /** An action that the gate must not let through; returns the refusal. */
  denied(engine, action, code) {
    this.host(engine, this.words.wantsTo(action));
    return this.refused(engine, code, () => engine.gate.enter(action));
  }

  /** What a member must answer now, with the shape of each answer. */
  owes(engine) {
    const { words, timeline } = this;
    for (const { request, approveWith, rejectWith } of engine.obligations()) {
      this.host(engine, words.owes(engine.member, request, timeline.time(request.answerBy)));
      for (const [label, shape] of [
        [words.yesShape, approveWith],
        [words.noShape, rejectWith],
      ]) {
        timeline.remark(label + shape.replaceAll(request.requestId, short(request.requestId)));
      }
    }
  }

  #refusal(engine, code, error) {
    if (!(error instanceof Error)) throw new Unexpected(`${engine.member} was not refused`);
    if (!ProtocolError.is(error)) throw error;
    expect(error.code, code, `refusal to ${engine.member}`);
    this.timeline.refused(this.now, engine.member, error);
    return error;
  }

  #transport(member) {
    const carry = this.#bus.transport(member);
    return (frame) => {
      if (this.#travel === 0) carry(frame);
      else this.#clock.setTimeout(() => carry(frame), this.#travel);
    };
  }

  #input(vector, requestId) {
    const name = `demo-${vector}${this.#lang === "zh" ? ".zh" : ""}.json`;
    const { input } = JSON.parse(readFileSync(new URL(name, VECTORS), "utf8"));
    const text = typeof input === "string" ? input : JSON.stringify(input);
    return text.replaceAll("$REQUEST_ID", requestId ?? "$REQUEST_ID");
  }

  #wrote(engine, input, requestId) {
    const shown = requestId === undefined ? input : input.replaceAll(requestId, short(requestId));
    this.timeline.wrote(this.now, engine.member, shown);
  }

  #carried({ from, to, frame, seq, fate }) {
    const { message, reminder } = JSON.parse(frame);
    const type = typeof message === "string" ? "text" : message.type;
    const requestId = message.request_id;
    const sender = this.#lives.findLast((engine) => engine.member === from);
    const asks = type === "request" || type.endsWith("_request");
    const status = asks ? sender?.request(requestId)?.status : undefined;
    const said = reminder
      ? [this.words.reminder(reminder.count)]
      : this.#once([from, type, requestId ?? seq], this.words.said(type, message, to));
    this.timeline.frame(this.now, { from, to, type, requestId, status, said, mark: fate });
  }

  /** What is said about one request to several members is shown with the first of them. */
  #once(about, said) {
    const key = JSON.stringify([about, said]);
    if (this.#shown.has(key)) return [];
    this.#shown.add(key);
    return said;
  }

  #happened(engine, event) {
    const at = this.now;
    const who = engine.member;
    if (event.type === "settled") this.#settled(engine, event);
    if (event.type === "frame") this.#arrived(engine, event);
    if (event.type === "alarm") {
      const details = (event.holding ?? []).map((held) => this.words.held(held));
      if (event.cycle) details.push(...this.words.circle(event.cycle, event.requestId));
      this.timeline.alarm(at, who, event.alarm, event.member, details);
    }
    if (event.type === "vote") this.timeline.vote(at, who, event);
    if (event.type === "work_failed") this.host(engine, this.words.workFailed(event), "✗");
    if (event.type === "report" && event.rolledBack !== undefined) {
      this.host(engine, this.words.undone(event.rolledBack, short(event.requestId)));
    }
    if (event.type === "drain") {
      this.host(engine, this.words.drain(event.member, this.timeline.time(event.judgedAt)));
    }
    const seenByLead = event.type === "liveness" && engine.role === "lead";
    if (seenByLead) this.timeline.liveness(at, who, event);
  }

  #settled(engine, { requestId, status, code, by, cause }) {
    const entry = engine
      .audit()
      .findLast((entry) => entry.requestId === requestId && entry.verdict === "settled");
    expect(entry?.status, status, `audit of ${requestId}`);
    const whose = by === undefined ? this.words.cause(cause) : this.words.by(by);
    const rest = code === undefined ? whose : `${code} ${whose}`;
    this.timeline.settled(this.now, engine.member, { requestId, was: entry.was, status, rest });
  }

  #arrived(engine, { from, disposition }) {
    const { type } = disposition;
    if (type !== "dropped" && type !== "refused") return;
    const why = type === "dropped" ? disposition.reason : disposition.error.code;
    throw new Unexpected(`a frame from ${from} to ${engine.member} was ${type}: ${why}`);
  }
}

/** The story comes back to it later; a refusal must not end the process before. */
function held(outcome) {
  outcome.catch(() => undefined);
  return outcome;
}
