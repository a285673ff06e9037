/** The sans-IO engine: no timers, no promises, no transport. */

import {
  begin,
  isStarted,
  type Output,
  put,
  type RawEffect,
  type RawEvent,
  take,
} from "./boundary.js";
import { type ErrorData, hostError, ProtocolError } from "./errors.js";
import { Lives } from "./lives.js";
import { Queue } from "./queue.js";
import type {
  AuditEntry,
  Decision,
  Disposition,
  DropReason,
  Effect,
  EngineOptions,
  Escalating,
  Event,
  EveryoneOptions,
  Following,
  Liveness,
  MemberOptions,
  MemberView,
  NotedAs,
  Obligation,
  Outcome,
  PlanInput,
  PlanOptions,
  ProgressOptions,
  Report,
  RequestOptions,
  RequestView,
  Restored,
  RestoreOptions,
  Role,
  Saved,
  SectionOptions,
  ShutdownOptions,
  Staged,
  ToolOutcome,
  Undoable,
  WorkerAsked,
} from "./types.js";
import { RawEngine } from "./wasm/team_protocols.js";

/**
 * Speaks for one member of a team, without any input or output of its own.
 *
 * Its methods come in four families: reading (`team`, `obligations`, …), commands from the host
 * (`requestShutdown`, `respond`, …), the world (`receive`, `handleDeadline`, `handleSendFailed`),
 * and out (`pollEffect`, `pollDeadline`). The one law: after each input drain all effects, then
 * read the next deadline. `now` is milliseconds since the Unix epoch and comes first everywhere;
 * an earlier `now` than before never moves time back.
 *
 * Every command throws a {@link ProtocolError} when it is refused, and has then changed nothing.
 */
export class Engine {
  readonly #raw: RawEngine;
  readonly #lang: "en" | "zh";
  readonly #effects = new Queue<RawEffect>();
  #frameLimit = 0;
  #gone = false;

  /**
   * Makes the engine of one member, at the time `now`.
   *
   * @throws {ProtocolError} when the options make no sense; `path` says which.
   */
  constructor(options: EngineOptions, now: number);
  constructor(options: EngineOptions | Opening, now = 0) {
    if (!isStarted()) throw new Error("call init() of team-protocols/slim first");
    this.#lang = options.lang === "zh" ? "zh" : "en";
    const known = options instanceof Opening;
    const json = known ? "" : this.#json(options, "options", readable);
    this.#raw = new RawEngine();
    try {
      const put = (text: string | undefined) => this.#putOptional(text);
      const zh = this.#lang === "zh";
      const result = this.#call((raw) =>
        known ? options.open(raw, put, zh) : raw.open(now, put(json)),
      );
      if (known) options.result = result;
      else if (options.writeJournal) lives.add(this);
    } catch (error) {
      this.dispose();
      throw error;
    }
    this.#frameLimit = this.#raw.frameLimit();
  }

  /**
   * Goes on from what was saved of a member, with its life, its ids and its absolute deadlines.
   * First what nobody knows to have gone out goes out again, then what is overdue settles; requests
   * that wait for an answer and work that had not begun are told once more. The configuration is
   * the one that was saved.
   *
   * Nothing may have happened to the engine that was not saved. With a snapshot alone that cannot be
   * known, so its frames are numbered on from far above.
   *
   * @throws {ProtocolError} of the family `unrestorable` when what was saved is damaged, incomplete,
   * another member's or of a later version, and `restored_twice` also while another engine of the
   * same life is open here.
   */
  static restore(
    saved: Saved,
    options: RestoreOptions,
    now: number,
  ): { readonly engine: Engine; readonly restored: Restored } {
    const { member, seed, lang } = options;
    const opened = Engine.#saved(lang, (raw, put, zh) => {
      const texts = [member, saved.snapshot, saved.journal ?? "", seed] as const;
      const [name, snapshot, journal, of] = texts.map(put) as [number, number, number, number];
      return raw.restore(now, name, snapshot, journal, of, zh);
    });
    const { engine } = opened;
    if (lives.has(engine)) {
      engine.dispose();
      throw hostError("restored_twice", lang === "zh" ? "zh" : "en");
    }
    lives.add(engine);
    return opened;
  }

  /**
   * Puts what was saved in again and stops where it ends: an engine to look at, not to go on from.
   *
   * @throws {ProtocolError} as `restore`; whose it is does not matter.
   */
  static replay(
    saved: Saved,
    options: { readonly lang?: "en" | "zh" | undefined } = {},
  ): { readonly engine: Engine; readonly restored: Restored } {
    return Engine.#saved(options.lang, (raw, put, zh) =>
      raw.replay(put(saved.snapshot), put(saved.journal ?? ""), zh),
    );
  }

  // ---- read ----

  /** The member this engine speaks for. */
  get member(): string {
    return this.#call((raw) => raw.text(4));
  }

  /** The role of that member. */
  get role(): Role {
    return this.#call((raw) => raw.text(3)) as Role;
  }

  /** This life of the member: start in ms, and 64 random bits. */
  get incarnation(): string {
    return this.#call((raw) => raw.text(0));
  }

  /** Whether this member may still take on anything: `active`, `leaving` or `left`. */
  get liveness(): Liveness {
    return this.#call((raw) => raw.text(2)) as Liveness;
  }

  /** Every member with role, liveness, life, and what is open between it and this one. */
  team(): MemberView[] {
    return JSON.parse(this.#call((raw) => raw.view(0))) as MemberView[];
  }

  /** What this member must answer now, oldest first, with the exact shape of each answer. */
  obligations(): Obligation[] {
    return JSON.parse(this.#call((raw) => raw.view(1))) as Obligation[];
  }

  /** The last audit entries, oldest first: one for every accept, settlement, drop, refusal, alarm. */
  audit(): AuditEntry[] {
    return JSON.parse(this.#call((raw) => raw.view(2))) as AuditEntry[];
  }

  /** The names of the critical sections that are open. */
  sections(): string[] {
    return JSON.parse(this.#call((raw) => raw.view(3))) as string[];
  }

  /** One request by its whole id, while it is open or remembered. */
  request(requestId: string): RequestView | undefined {
    const json = this.#call((raw) => raw.request(0, this.#put(requestId)));
    return (JSON.parse(json) as RequestView | null) ?? undefined;
  }

  /** How a request of this member ended, while it is remembered. */
  outcome(requestId: string): Outcome | undefined {
    const json = this.#call((raw) => raw.request(1, this.#put(requestId)));
    return (JSON.parse(json) as Outcome | null) ?? undefined;
  }

  /**
   * A hash over ledger, roster and gate, the same on every machine for the same history. It does
   * not change over anything that changes no state.
   */
  stateHash(): string {
    return this.#call((raw) => raw.text(1));
  }

  // ---- commands ----

  /**
   * Asks a worker to leave; returns the request id. A member that is leaving already is not asked
   * again: the id of the shutdown it agreed to comes back.
   */
  requestShutdown(now: number, to: string, options: ShutdownOptions = {}): string {
    const { reason, follows, onApproved, escalate, timeoutMs, capMs } = options;
    const more = this.#more({ follows, onApproved, escalate });
    return this.#call((raw) =>
      raw.requestShutdown(
        now,
        this.#put(to),
        this.#putOptional(reason),
        this.#putOptional(more),
        span(timeoutMs),
        span(capMs),
      ),
    );
  }

  /**
   * Asks every worker to leave, each by a request of its own; tells of each what became of it.
   * One that cannot be asked does not keep the others from being asked, and none is left out.
   */
  shutdownAll(now: number, options: EveryoneOptions = {}): WorkerAsked[] {
    const { reason, escalate, timeoutMs, capMs } = options;
    const more = this.#more({ escalate });
    const json = this.#call((raw) =>
      raw.shutdownAll(
        now,
        this.#putOptional(reason),
        this.#putOptional(more),
        span(timeoutMs),
        span(capMs),
      ),
    );
    const workers = JSON.parse(json) as (WorkerAsked & { error?: ErrorData })[];
    return workers.map((worker) =>
      worker.error ? { ...worker, error: new ProtocolError(worker.error) } : worker,
    );
  }

  /**
   * Asks the lead, or those that `stages` names, to approve a plan; returns the request id. The gate
   * stays closed until then.
   */
  submitPlan(now: number, plan: PlanInput, options: PlanOptions = {}): string {
    const { uses, timeoutMs, capMs } = options;
    const json = this.#json({ steps: [], text: "", ...plan }, "plan");
    const more = this.#more(options);
    const once = this.#choice("uses", uses, "until_report", "once");
    return this.#call((raw) =>
      raw.submitPlan(
        now,
        this.#put(json),
        this.#putOptional(more),
        once,
        span(timeoutMs),
        span(capMs),
      ),
    );
  }

  /**
   * Asks a member for something of a kind that the host declared (`kinds`), or of the built-in
   * `dependency`; returns the request id.
   */
  ask(now: number, kind: string, to: string, options: RequestOptions = {}): string {
    const { payload, scope, uses, timeoutMs, capMs } = options;
    const json = payload === undefined ? undefined : this.#json(payload, "payload");
    const scopeJson = scope === undefined ? undefined : this.#json(scope, "scope");
    const more = this.#more(options);
    const once = this.#choice("uses", uses, "until_report", "once");
    return this.#call((raw) =>
      raw.askFor(
        now,
        this.#put(kind),
        this.#put(to),
        this.#putOptional(json),
        this.#putOptional(scopeJson),
        this.#putOptional(more),
        once,
        span(timeoutMs),
        span(capMs),
      ),
    );
  }

  /**
   * Answers a request that was put to this member; returns its whole id. `requestId` may be an
   * unambiguous beginning of it.
   */
  respond(now: number, requestId: string, decision: Decision): string {
    const { approve, reason, retryAfterMs, payload } = decision;
    if (typeof approve !== "boolean") throw hostError("not_boolean", this.#lang);
    const json = payload === undefined ? undefined : this.#json(payload, "payload");
    return this.#call((raw) =>
      raw.respond(
        now,
        this.#put(requestId),
        this.#putOptional(reason),
        this.#putOptional(json),
        approve,
        span(retryAfterMs),
      ),
    );
  }

  /**
   * Lets a plan that this member rejected be asked about once more; the requester is told, with the
   * reason. The decision stands, and the new request is no appeal.
   */
  reopen(now: number, requestId: string, reason?: string): string {
    return this.#call((raw) => raw.reopen(now, this.#put(requestId), this.#putOptional(reason)));
  }

  /** Withdraws a request of this member. */
  cancel(now: number, requestId: string): string {
    return this.#call((raw) => raw.cancel(now, this.#put(requestId)));
  }

  /**
   * Stops the clocks of a pending request of this member while a person decides: neither idle
   * limit nor reminders nor cap run, for `pauseMaxMs` at most (all pauses of a request together);
   * then it goes on by itself.
   */
  pause(now: number, requestId: string): string {
    return this.#call((raw) => raw.pause(now, this.#put(requestId)));
  }

  /** Lets the clocks of a paused request go on where they stopped. */
  resume(now: number, requestId: string): string {
    return this.#call((raw) => raw.resume(now, this.#put(requestId)));
  }

  /** Tells the lead how the work of an approved plan went. The gate closes for it. */
  report(now: number, requestId: string, report: Report): string {
    const { ok, detail } = report;
    if (typeof ok !== "boolean") throw hostError("not_boolean", this.#lang);
    return this.#call((raw) =>
      raw.report(now, this.#put(requestId), this.#putOptional(detail), ok),
    );
  }

  /**
   * Tells that a run of work that a `work` event asked for begins now. Whoever keeps a journal calls
   * it first, and begins when its line is safe: a restored engine asks once more for what has not
   * begun, and calls what has begun and not ended `interrupted`.
   */
  workStarted(now: number, requestId: string, run: number): string {
    const number = this.#whole(run);
    return this.#call((raw) => raw.workStarted(now, this.#put(requestId), number));
  }

  /**
   * Tells how a run of work went that a `work` event asked for; `run` is the number from there.
   * A failure changes nothing about the decision. When a compensation ends, whoever approved
   * learns it by a second execution report.
   */
  workDone(now: number, requestId: string, run: number, report: Report): string {
    const { ok, detail } = report;
    if (typeof ok !== "boolean") throw hostError("not_boolean", this.#lang);
    const number = this.#whole(run);
    return this.#call((raw) =>
      raw.workDone(now, this.#put(requestId), this.#putOptional(detail), number, ok),
    );
  }

  /**
   * Tells that a run of work that a `work` event asked for cannot begin, for nobody here knows it
   * by its name. A `work_missing` event says so; `rerun` runs it once it is known.
   */
  workMissing(now: number, requestId: string, run: number): string {
    const number = this.#whole(run);
    return this.#call((raw) => raw.workMissing(now, this.#put(requestId), number));
  }

  /**
   * Runs work of a request again that failed, was interrupted or was missing; of two, the
   * compensation. A new `work` event says so.
   */
  rerun(now: number, requestId: string): string {
    return this.#call((raw) => raw.rerun(now, this.#put(requestId)));
  }

  /**
   * Whatever ran work for this engine is gone, and with it every run that is under way: each is
   * told by a `work_failed` event with `interrupted`, and does not run again by itself.
   */
  interruptWorks(now: number): void {
    this.#call((raw) => raw.interruptWorks(now));
  }

  /** Says something to one member, or to everyone with `*`; returns how many it goes to. */
  say(now: number, to: string, text: string): number {
    return Number(this.#call((raw) => raw.say(now, this.#put(to), this.#put(text))));
  }

  /** Tells that this member is at work. */
  progress(now: number, options: ProgressOptions = {}): void {
    const { requestId, note, busyForMs } = options;
    this.#call((raw) =>
      raw.progress(now, this.#putOptional(requestId), this.#putOptional(note), span(busyForMs)),
    );
  }

  /** Tells the lead that this member has nothing to do. */
  idle(now: number, note?: string): void {
    this.#call((raw) => raw.idle(now, this.#putOptional(note)));
  }

  /** Confirms that this member has left; afterwards it takes part in nothing. */
  exit(now: number): void {
    this.#call((raw) => raw.exit(now));
  }

  /**
   * Does what a model wrote as the input of its message tool: a JSON text (or the parsed object)
   * in either of the forms models use. The engine fills in what a model need not know.
   */
  callTool(now: number, input: string | object): ToolOutcome {
    const text = typeof input === "string" ? input : this.#json(input, "input");
    return JSON.parse(this.#call((raw) => raw.callTool(now, this.#put(text)))) as ToolOutcome;
  }

  /** Lets a guarded action (`verb:resource`) start if an approved plan covers it. */
  enterGate(now: number, action: string): { permit: number; requestId: string } {
    const entered = this.#call((raw) => raw.enterGate(now, this.#put(action)));
    const space = entered.indexOf(" ");
    return { permit: Number(entered.slice(0, space)), requestId: entered.slice(space + 1) };
  }

  /** The work a permit was given for could not start: a one-shot approval is given back. */
  startFailed(now: number, permit: number): void {
    this.#call((raw) => raw.startFailed(now, permit));
  }

  /** Enters a critical section; returns its id. While it is open it answers shutdown requests. */
  enterSection(now: number, name: string, options: SectionOptions = {}): number {
    const { etaMs, policy } = options;
    const defer = this.#choice("policy", policy, "reject", "defer");
    return Number(this.#call((raw) => raw.enterSection(now, this.#put(name), span(etaMs), defer)));
  }

  /** Leaves a critical section. Requests that the last one held back come up now. */
  leaveSection(now: number, section: number): void {
    this.#call((raw) => raw.leaveSection(now, section));
  }

  /** Adds a member to the roster. */
  addMember(now: number, member: MemberOptions): void {
    const json = this.#json(member, "member", readable);
    this.#call((raw) => raw.addMember(now, this.#put(json)));
  }

  /**
   * Announces a new life of a member (a respawn): everything open with the former life ends, and
   * nothing addressed to it or coming from it counts any more.
   */
  announce(now: number, member: string, incarnation: string): void {
    this.#call((raw) => raw.announce(now, this.#put(member), this.#put(incarnation)));
  }

  /** Records that a member is gone, on the host's word. */
  memberGone(now: number, member: string): void {
    this.#call((raw) => raw.memberGone(now, this.#put(member)));
  }

  // ---- the world ----

  /**
   * Takes in one frame. `from` is who sent it by the word of the transport; without it the frame
   * is refused unless the engine was told to trust claimed senders. Never throws for anything a
   * peer can do: the disposition tells what became of the frame.
   */
  receive(now: number, frame: string, from?: string): Disposition {
    let status = REFUSED;
    const broken = this.#broken(frame);
    const result = this.#call((raw) => {
      status =
        broken === undefined
          ? raw.receive(now, put(frame), this.#putSender(from))
          : raw.receiveBroken(now, broken.what, broken.number, this.#putSender(from));
      return status;
    });
    return disposition(status, result);
  }

  /** Does what is due. Early and repeated calls do nothing. */
  handleDeadline(now: number): void {
    this.#call((raw) => raw.handleDeadline(now));
  }

  /** The transport could not send the frame with this number. */
  handleSendFailed(now: number, seq: number): void {
    this.#call((raw) => raw.handleSendFailed(now, seq));
  }

  // ---- out ----

  /** The next thing to do, or `undefined`. Drain them all after each input. */
  pollEffect(): Effect | undefined {
    const raw = this.#effects.shift();
    if (raw === undefined) return undefined;
    if (raw.kind === "event") return new EventEffect(raw);
    if (raw.kind === "journal") return { type: "journal", n: raw.n, line: raw.line };
    return { type: "send", to: raw.to, frame: raw.frame, seq: raw.seq };
  }

  /**
   * The whole state as one text, from which `restore` makes an engine that goes on as this one
   * would. Equal states give equal texts. The audit is not in it.
   *
   * @throws {ProtocolError} `effects_pending` before everything was handed over, and with a journal
   * before `released` said so.
   */
  snapshot(): string {
    const snapshot = this.#call((raw) => raw.snapshot(this.pendingEffects > 0));
    lives.add(this);
    return snapshot;
  }

  /**
   * Everything up to this line of the journal, and all that it caused, was handed over: a restored
   * engine need not do it again. Call it when the effects of a line were delivered, with its number.
   */
  released(n: number): void {
    if (!this.#gone) this.#raw.released(n);
  }

  /** How many effects wait to be taken. */
  get pendingEffects(): number {
    return this.#effects.length;
  }

  /** When to call `handleDeadline` at the latest, or `undefined` when nothing is due. */
  pollDeadline(): number | undefined {
    return this.#open().pollDeadline();
  }

  /** Ends what this member asked for as `cancelled`; no later input counts. */
  close(now: number): void {
    this.#call((raw) => raw.close(now));
    lives.delete(this);
  }

  /** Gives the core's memory back. Every later call is refused. */
  dispose(): void {
    if (this.#gone) return;
    lives.delete(this);
    this.#gone = true;
    this.#raw.free();
  }

  /** As {@link dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  // ---- inside ----

  /** Makes an engine of what was saved. */
  static #saved(lang: "en" | "zh" | undefined, open: Opening["open"]) {
    const opening = new Opening(lang, open);
    const engine = new Engine(opening as unknown as EngineOptions, 0);
    return { engine, restored: JSON.parse(opening.result) as Restored };
  }

  #open(): RawEngine {
    if (this.#gone) throw hostError("closed", this.#lang);
    return this.#raw;
  }

  #put(text: string): number {
    if (typeof text !== "string") throw hostError("not_text", this.#lang);
    if (!isWellFormed(text)) throw hostError("not_well_formed", this.#lang);
    return put(text);
  }

  #putOptional(text: string | undefined): number {
    return text === undefined ? put(undefined) : this.#put(text);
  }

  #putSender(from: string | undefined): number {
    // A transport that vouches for something that is no name vouches for nobody in the team.
    const known = from === undefined || (typeof from === "string" && isWellFormed(from));
    return put(known ? from : "");
  }

  #broken(frame: string): { what: number; number: number } | undefined {
    if (typeof frame !== "string") return { what: 2, number: 0 };
    // No text has fewer bytes of UTF-8 than UTF-16 units.
    if (frame.length > this.#frameLimit) return { what: 0, number: frame.length };
    if (!isWellFormed(frame)) return { what: 1, number: frame.search(LONE_SURROGATE) };
    return undefined;
  }

  #json(value: unknown, path: string, replacer?: (key: string, value: unknown) => unknown): string {
    let cause: unknown;
    try {
      const json: string | undefined = JSON.stringify(value, replacer);
      if (json !== undefined) return json;
    } catch (error) {
      if (ProtocolError.is(error)) throw error;
      cause = error;
    }
    throw hostError("not_json", this.#lang, { path, cause });
  }

  /** The options that cross as JSON, where there are any. */
  #more(options: Staged & Following & Undoable & Escalating): string | undefined {
    const { stages, follows, onApproved, compensation, escalate } = options;
    const more = { stages, follows, onApproved, compensation, escalate };
    // JSON would leave a function out, as if no work had been named.
    for (const path of ["onApproved", "compensation"] as const) {
      const name: unknown = more[path];
      if (name !== undefined && typeof name !== "string")
        throw hostError("not_text", this.#lang, { path });
    }
    const given = Object.values(more).some((option) => option !== undefined);
    return given ? this.#json(more, "options", readable) : undefined;
  }

  #whole(number: number): number {
    if (Number.isInteger(number)) return number;
    throw hostError("not_a_number", this.#lang);
  }

  /** Whether it is the second of two choices; left out, it is the first. */
  #choice(path: string, value: string | undefined, first: string, second: string): boolean {
    if (value === undefined || value === first) return false;
    if (value === second) return true;
    throw hostError("bad_option", this.#lang, { path });
  }

  /** Runs one call of the core and takes out what it left behind. */
  #call(run: (raw: RawEngine) => number): string {
    const raw = this.#open();
    begin();
    let status: number;
    try {
      status = run(raw);
    } catch (cause) {
      // The core refuses by status and never throws: what is thrown is a text that could not be
      // written, a value that wasm takes for no number, or a core that stopped.
      if (ProtocolError.is(cause)) throw cause;
      const code = cause instanceof TypeError ? "not_a_number" : "internal";
      throw hostError(code, this.#lang, { cause });
    }
    const { result, effects }: Output = take();
    for (const effect of effects) this.#effects.push(effect);
    if (status === REFUSED) throw new ProtocolError(JSON.parse(result) as ErrorData);
    return result;
  }
}

/** How an engine comes to be that is not made of options. */
class Opening {
  /** The language of errors. */
  readonly lang: "en" | "zh" | undefined;
  /** Opens the engine in the core; `put` writes its texts, in order. */
  readonly open: (raw: RawEngine, put: (text: string | undefined) => number, zh: boolean) => number;
  /** What the core said of it. */
  result = "";

  constructor(lang: "en" | "zh" | undefined, open: Opening["open"]) {
    this.lang = lang;
    this.open = open;
  }
}

/** An event whose JSON is parsed when somebody wants to know. */
class EventEffect {
  readonly type = "event";
  readonly #raw: RawEvent;
  #event: Event | undefined;

  constructor(raw: RawEvent) {
    this.#raw = raw;
  }

  get requestId(): string {
    return this.#raw.requestId;
  }

  get event(): Event {
    this.#event ??= JSON.parse(this.#raw.json) as Event;
    return this.#event;
  }
}

/** The engines here that may be saved. */
const lives = new Lives<Engine>();

function disposition(status: number, result: string): Disposition {
  switch (status) {
    case ACCEPTED:
      return { type: "accepted", requestId: result };
    case SETTLED:
      return { type: "settled", requestId: result };
    case VOTE_RECORDED:
      return { type: "vote_recorded", requestId: result };
    case NOTED:
      return { type: "noted", as: result as NotedAs };
    case DROPPED:
      return { type: "dropped", reason: result as DropReason };
    default:
      return { type: "refused", error: new ProtocolError(JSON.parse(result) as ErrorData) };
  }
}

/**
 * JSON would write a number that is none as `null`, as if it had not been given; as a text it is
 * refused, with its place.
 */
function readable(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** What is no number reaches the core as one that it refuses, with the name of the option. */
function span(ms: number | undefined): number | undefined {
  return ms === undefined || typeof ms === "number" ? ms : Number.NaN;
}

function isWellFormed(text: string): boolean {
  const { isWellFormed: native } = text as { isWellFormed?: () => boolean };
  return native === undefined ? !LONE_SURROGATE.test(text) : native.call(text);
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const REFUSED = 1;
const ACCEPTED = 2;
const SETTLED = 3;
const NOTED = 4;
const DROPPED = 5;
const VOTE_RECORDED = 7;
