/** The engine with promises, timers and a transport: what most hosts use. */

import { type Clock, systemClock } from "./clock.js";
import { Delivery } from "./delivery.js";
import { Engine } from "./engine.js";
import { hostError, ProtocolError } from "./errors.js";
import { EventStream, Listeners } from "./events.js";
import { Handlers, isPromise } from "./handlers.js";
import type {
  Abortable,
  CriticalSection,
  Gate,
  HostEvent,
  PendingOutcome,
  Permit,
  ProtocolEngineOptions,
  RequestHandler,
  RestoringOptions,
} from "./host.js";
import { isStore, type Journal } from "./journal.js";
import {
  type AnswerOutput,
  declared,
  type KindDeclaration,
  kindName,
  type PayloadInput,
  type PayloadOutput,
} from "./kinds.js";
import { Payloads } from "./payloads.js";
import { type AbortSignalLike, platform } from "./platform.js";
import { DeadlineTimer } from "./timer.js";
import type {
  AuditEntry,
  Decision,
  Disposition,
  EscalationEvent,
  Event,
  EveryoneOptions,
  HandlerKind,
  Liveness,
  MemberOptions,
  MemberView,
  Obligation,
  Outcome,
  OutgoingFrame,
  PlanInput,
  PlanOptions,
  ProgressOptions,
  Report,
  RequestOptions,
  RequestView,
  Restored,
  Role,
  SectionOptions,
  ShutdownOptions,
  ToolOutcome,
  Undoable,
  WorkerAsked,
  WorkerOutcome,
} from "./types.js";
import { type Waiter, Waiters } from "./waiters.js";
import { type Names, type Work, type WorkHandler, Works } from "./works.js";

/**
 * Speaks for one member of a team.
 *
 * ```ts
 * const lead = new ProtocolEngine({ team, member: "team-lead", transport });
 * const alice = new ProtocolEngine({ team, member: "alice", transport });
 * alice.onRequest("shutdown", () => (busy() ? reject("tests are writing") : approve()));
 * const outcome = await lead.requestShutdown("alice", { reason: "work is done" });
 * ```
 *
 * Promises of outcomes resolve however a request ends, also by timeout; they reject only for
 * misuse, a transport that failed, or an abort. Every frame that arrives goes to `receive`.
 */
export class ProtocolEngine {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #transport: ProtocolEngineOptions["transport"];
  readonly #lang: "en" | "zh";
  readonly #onError: (error: unknown) => void;
  readonly #timer: DeadlineTimer;
  readonly #listeners: Listeners<HostEvent>;
  readonly #handlers: Handlers;
  readonly #payloads: Payloads;
  readonly #waiters: Waiters;
  /** Who waits for the end of a shutdown that is asked again by itself, by its latest request. */
  readonly #escalations: Waiters;
  readonly #works: Works;
  readonly #delivery: Delivery;
  readonly #restored: Restored | undefined;
  readonly #endings = new Set<() => void>();
  #closing = false;
  #closed = false;

  /**
   * Makes the engine of one member.
   *
   * @throws {ProtocolError} when the options make no sense; `path` says which.
   */
  constructor(options: ProtocolEngineOptions);
  constructor(options: ProtocolEngineOptions | Restoring) {
    const {
      transport,
      clock = systemClock,
      onError = throwLater,
      kinds,
      journal,
      ...rest
    } = options;
    if (typeof transport !== "function") throw badOption("options.transport", options.lang);
    const now = clock.now();
    this.#lang = options.lang === "zh" ? "zh" : "en";
    const { rows, schemas } = declared(kinds, this.#lang);
    if ("restored" in rest) [this.#engine, this.#restored] = [rest.engine, rest.restored];
    else {
      refuseKept(journal, this.#lang);
      this.#engine = new Engine({ ...rest, kinds: rows, writeJournal: journal !== undefined }, now);
    }
    this.#clock = clock;
    this.#transport = transport;
    this.#onError = (error) => attempt(() => onError(error), throwLater);
    this.#timer = new DeadlineTimer(clock, now, () => this.#wake());
    this.#listeners = new Listeners(this.#onError);
    this.#waiters = new Waiters(this.#lang);
    this.#escalations = new Waiters(this.#lang);
    this.#handlers = new Handlers({
      lang: this.#lang,
      respond: (requestId, decision) => this.respond(requestId, decision),
      onError: this.#onError,
    });
    this.#payloads = new Payloads(schemas, {
      lang: this.#lang,
      awaits: (id) => !this.#closed && this.#engine.request(id)?.status === "pending",
      admit: (request, event) => {
        this.#handlers.decide(request);
        this.#listeners.emit(event);
      },
      reject: (requestId, reason) => this.#handlers.answer(requestId, { approve: false, reason }),
      tell: (event) => this.#listeners.emit(event),
      onError: this.#onError,
    });
    this.#works = new Works({
      lang: this.#lang,
      remembers: (requestId) => !this.#closed && this.#engine.request(requestId) !== undefined,
      workDone: (requestId, run, report) => this.workDone(requestId, run, report),
      workStarted: (requestId, run, begin) => {
        this.#input((now) => this.#engine.workStarted(now, requestId, run));
        this.#delivery.whenSafe(begin, () => undefined);
      },
      workMissing: (requestId, run) =>
        this.#input((now) => this.#engine.workMissing(now, requestId, run)),
      onError: this.#onError,
    });
    this.#delivery = new Delivery(
      {
        lang: this.#lang,
        pending: () => this.#engine.pendingEffects,
        pollEffect: () => this.#engine.pollEffect(),
        released: (n) => this.#engine.released(n),
        snapshot: () => (this.#closed ? undefined : this.#engine.snapshot()),
        send: (frame) => this.#send(frame),
        happened: (event) => this.#happened(event),
        failed: (error) => this.#stop(error),
      },
      journal,
    );
    if (this.#restored === undefined) this.#deliver();
  }

  /**
   * Goes on from what a member's journal has kept, with its life, its ids and its absolute deadlines;
   * resolves when what was due has happened. The configuration is the one that was saved: of the
   * options only what connects the engine to the world is given anew. Promises of the former process
   * are gone; `settled` waits for a request by its id.
   *
   * ```ts
   * const journal = await FileJournal.open("alice.journal");
   * const setup = (alice) => alice.onRequest("shutdown", () => approve());
   * const alice = await ProtocolEngine.restore({ member: "alice", transport, journal, setup });
   * ```
   *
   * @throws {ProtocolError} as {@link Engine.restore}, and `journal_failed`.
   */
  static async restore(options: RestoringOptions): Promise<ProtocolEngine> {
    const { member, journal, saved: given, setup, seed, ...world } = options;
    const { lang, clock = systemClock } = world;
    const saved = given ?? (isStore(journal) ? await journal.load() : {});
    const { engine, restored } = Engine.restore(saved, { member, lang, seed }, clock.now());
    try {
      if (restored.journal !== (journal !== undefined)) throw badOption("options.journal", lang);
      if (restored.tornBytes > 0 && isStore(journal)) await journal.cut(restored.soundBytes);
    } catch (error) {
      engine.dispose();
      if (ProtocolError.is(error)) throw error;
      throw hostError("journal_failed", lang, { cause: error });
    }
    const restoring: Restoring = { ...world, journal, engine, restored };
    const host = new ProtocolEngine(restoring as unknown as ProtocolEngineOptions);
    setup?.(host);
    host.#deliver();
    await host.saved();
    return host;
  }

  // ---- read ----

  /** How restoring went; `undefined` for an engine that began anew. */
  get restored(): Restored | undefined {
    return this.#restored;
  }

  /** The member this engine speaks for. */
  get member(): string {
    return this.#engine.member;
  }

  /** The role of that member. */
  get role(): Role {
    return this.#engine.role;
  }

  /** This life of the member. */
  get incarnation(): string {
    return this.#engine.incarnation;
  }

  /** Whether this member may still take on anything: `active`, `leaving` or `left`. */
  get liveness(): Liveness {
    return this.#engine.liveness;
  }

  /** Every member with role, liveness, life, and what is open between it and this one. */
  team(): MemberView[] {
    this.#present();
    return this.#engine.team();
  }

  /** What this member must answer now, oldest first, with the exact shape of each answer. */
  obligations(): Obligation[] {
    this.#present();
    return this.#engine.obligations();
  }

  /** The last audit entries, oldest first. */
  audit(): AuditEntry[] {
    return this.#engine.audit();
  }

  /** The names of the critical sections that are open. */
  sections(): string[] {
    return this.#engine.sections();
  }

  /** One request by its whole id, while it is open or remembered. */
  request(requestId: string): RequestView | undefined {
    return this.#engine.request(requestId);
  }

  /** How a request of this member ended, while it is remembered. */
  outcome(requestId: string): Outcome | undefined {
    return this.#engine.outcome(requestId);
  }

  /** A hash over ledger, roster and gate. */
  stateHash(): string {
    return this.#engine.stateHash();
  }

  // ---- requests of this member ----

  /**
   * Asks a worker to leave. With `escalate` the engine asks again by itself after a refusal; the
   * promise then resolves once, with the end of it all, and its outcome names every request.
   *
   * ```ts
   * const { status, requests } = await lead.requestShutdown("alice", { escalate: { attempts: 3 } });
   * ```
   */
  requestShutdown(to: string, options: ShutdownOptions<Work> & Abortable = {}): PendingOutcome {
    return this.#ask(options, (now, names) =>
      this.#engine.requestShutdown(now, to, { ...options, ...names }),
    );
  }

  /**
   * Asks every worker to leave, each by a request of its own, and resolves when all have ended,
   * with one entry per worker: its outcome, or why it could not be asked. Rejects only when nobody
   * was asked (a member that may not, a reason or limit that breaks a rule), or by an abort, which
   * withdraws the requests that began here.
   *
   * ```ts
   * for (const { member, outcome, error } of await lead.shutdownAll({ reason: "work is done" }))
   *   console.log(member, outcome?.status ?? error?.code);
   * ```
   */
  async shutdownAll(options: EveryoneOptions & Abortable = {}): Promise<WorkerOutcome[]> {
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    const workers = this.#input((now) =>
      this.#engine.shutdownAll(now, options).map((worker) => this.#outcomeOf(worker, signal)),
    );
    return Promise.all(workers);
  }

  /**
   * Asks the lead, or those that `stages` names, to approve a plan. The gate stays closed until then.
   *
   * ```ts
   * await alice.submitPlan(plan, { onApproved: "deploy", compensation: () => restoreBackup() });
   * ```
   */
  submitPlan(plan: PlanInput, options: PlanOptions<Work> & Abortable = {}): PendingOutcome {
    return this.#ask(options, (now, names) =>
      this.#engine.submitPlan(now, plan, { ...options, ...names }),
    );
  }

  /**
   * Asks a member for something of a kind that the host declared (`kinds`), or of the built-in
   * `dependency` (a worker waits for another one) and `plan_request` (the lead wants a plan; the
   * worker's gate is shut until one is approved).
   *
   * ```ts
   * const grant = await alice.ask("resource_grant", "team-lead", { payload: { gpu: 2 } });
   * ```
   *
   * A kind with a `payload` schema is asked for only with a payload that fits it; else the promise
   * rejects with `invalid_payload`, and nothing is sent.
   */
  ask<const Declared extends string | KindDeclaration>(
    kind: Declared,
    to: string,
    options: RequestOptions<Work, PayloadInput<Declared>> & Abortable = {},
  ): PendingOutcome<AnswerOutput<Declared>> {
    const name = kindName(kind);
    const judged = () => this.#payloads.outgoing(name, options.payload);
    const begin = (now: number, names: Names, payload: unknown) =>
      this.#engine.ask(now, name, to, { ...options, ...names, payload });
    return this.#ask(options, begin, judged) as PendingOutcome<AnswerOutput<Declared>>;
  }

  /**
   * Withdraws a request of this member. Of a shutdown that is asked again by itself, the id of any
   * of its requests ends it, also between two of them.
   */
  cancel(requestId: string): void {
    this.#input((now) => this.#engine.cancel(now, requestId));
  }

  /**
   * Stops the clocks of a pending request of this member while a person decides: neither idle
   * limit nor reminders nor cap run, for `pauseMaxMs` at most (all pauses of a request together);
   * then it goes on by itself.
   */
  pause(requestId: string): void {
    this.#input((now) => this.#engine.pause(now, requestId));
  }

  /** Lets the clocks of a paused request go on where they stopped. */
  resume(requestId: string): void {
    this.#input((now) => this.#engine.resume(now, requestId));
  }

  /**
   * Waits for the outcome of a request of this member that began elsewhere (`callTool`). Takes the
   * whole id; rejects at once when no such request is open or remembered.
   */
  async settled(requestId: string): Promise<Outcome> {
    const outcome = this.#engine.outcome(requestId);
    if (outcome === undefined && this.#engine.request(requestId)?.mine !== true) {
      throw hostError("unknown_request", this.#lang);
    }
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (outcome === undefined || this.#waiters.has(requestId))
        this.#waiters.add(requestId, waiter);
      else this.#waiters.tell(waiter, outcome, this.#payloads.outcome(outcome));
    });
  }

  /** Tells the lead how the work of an approved plan went. The gate closes for it. */
  report(requestId: string, report: Report): void {
    this.#input((now) => this.#engine.report(now, requestId, report));
  }

  /**
   * Does the work that requests of this member name by `name` (`onApproved`, `compensation`).
   * Whoever runs it tells how it went by its promise; what it throws becomes `work_failed`. Without
   * a handler such work is told as `work_missing`, and `rerun` runs it once there is one. Returns a
   * function that takes the handler away.
   *
   * ```ts
   * alice.onWork("deploy", async ({ requestId }) => deploy(planOf(requestId)));
   * ```
   */
  onWork(name: string, handler: WorkHandler): () => void {
    return this.#works.add(name, handler);
  }

  /**
   * Tells how a run of work went before its handler does: where somebody else does the work, and
   * the handler only sets it going and never resolves. What the handler says afterwards counts for
   * nothing.
   */
  workDone(requestId: string, run: number, report: Report): void {
    this.#input((now) => this.#engine.workDone(now, requestId, run, report));
  }

  /**
   * Runs work of a request again that failed, was interrupted or had no handler; of two, the
   * compensation.
   */
  rerun(requestId: string): void {
    this.#input((now) => this.#engine.rerun(now, requestId));
  }

  /** The plan gate of this member. */
  readonly gate: Gate = {
    enter: (action) => {
      if (this.#delivery.takesTime) throw hostError("journal_takes_time", this.#lang);
      const permit = this.#enter(action);
      if (this.#delivery.secure()) return permit;
      permit.startFailed();
      throw hostError("journal_takes_time", this.#lang);
    },
    enterAsync: async (action) => {
      const permit = this.#enter(action);
      await this.saved();
      return permit;
    },
  };

  #enter(action: string): Permit {
    const { permit, requestId } = this.#input((now) => this.#engine.enterGate(now, action));
    const startFailed = () => this.#input((now) => this.#engine.startFailed(now, permit));
    return { action, requestId, startFailed };
  }

  // ---- requests to this member ----

  /**
   * Decides on requests of one kind, or with `*` on every kind without a handler of its own.
   * Without a handler a request waits as an obligation. Returns a function that takes the handler
   * away.
   *
   * Where the kind has a `payload` schema, the handler gets what comes out of it. A request whose
   * payload does not fit is rejected with what is wrong, is told as `invalid_payload`, and reaches
   * no handler.
   */
  onRequest<const Declared extends HandlerKind | KindDeclaration>(
    kind: Declared,
    handler: RequestHandler<PayloadOutput<Declared>>,
  ): () => void {
    // What the handler takes is what the schema of this kind gives.
    return this.#handlers.add(kindName(kind), handler as RequestHandler);
  }

  /**
   * Lets a plan that this member rejected be asked about once more: the requester is told by a
   * `reopened` event, and its same plan is no appeal then. The decision stands until another one is
   * made. Doing it again tells it again, for the frame may be lost.
   */
  reopen(requestId: string, reason?: string): void {
    this.#input((now) => this.#engine.reopen(now, requestId, reason));
  }

  /**
   * Answers a request that was put to this member. Where the kind has an asynchronous `answer`
   * schema, the answer goes out when that has judged it, and the promise tells.
   *
   * @throws {ProtocolError} `invalid_payload` when the payload does not fit; nothing is sent.
   */
  respond(requestId: string, decision: Decision): Promise<void> | undefined {
    const kind = this.#payloads.judgesAnswers ? this.#kindOwed(requestId) : undefined;
    const send = (judged: Decision): void => {
      this.#input((now) => this.#engine.respond(now, requestId, judged));
    };
    const judged = this.#payloads.answer(kind, decision);
    if (isPromise(judged)) return Promise.resolve(judged).then(send);
    send(judged);
    return undefined;
  }

  /**
   * Enters a critical section: while it is open, shutdown requests are answered for this member.
   *
   * ```ts
   * using section = alice.enterCriticalSection("database migration", { etaMs: 8_000 });
   * ```
   */
  enterCriticalSection(name: string, options: SectionOptions = {}): CriticalSection {
    const id = this.#input((now) => this.#engine.enterSection(now, name, options));
    let open = true;
    const leave = () => {
      if (!open || this.#closed) return;
      this.#input((now) => {
        this.#engine.leaveSection(now, id);
        open = false;
      });
    };
    return { name, leave, [Symbol.dispose]: leave };
  }

  // ---- talk ----

  /** Says something to one member, or to everyone with `*`; returns how many it goes to. */
  say(to: string, text: string): number {
    return this.#input((now) => this.#engine.say(now, to, text));
  }

  /** Tells that this member is at work. */
  progress(options: ProgressOptions = {}): void {
    this.#input((now) => this.#engine.progress(now, options));
  }

  /** Tells the lead that this member has nothing to do. */
  idle(note?: string): void {
    this.#input((now) => this.#engine.idle(now, note));
  }

  /**
   * Does what a model wrote as the input of its message tool. A request that it begins is known
   * by the id in the result; `settled` waits for it.
   */
  callTool(input: string | object): ToolOutcome {
    return this.#input((now) => this.#engine.callTool(now, input));
  }

  // ---- the team ----

  /** Adds a member to the roster. */
  addMember(member: MemberOptions): void {
    this.#input((now) => this.#engine.addMember(now, member));
  }

  /** Announces a new life of a member: its respawned engine's `incarnation`. */
  announce(member: string, incarnation: string): void {
    this.#input((now) => this.#engine.announce(now, member, incarnation));
  }

  /** Records that a member is gone, on the host's word. */
  memberGone(member: string): void {
    this.#input((now) => this.#engine.memberGone(now, member));
  }

  // ---- the world ----

  /**
   * Takes in one frame. `from` is who sent it by the word of the transport. Never throws for
   * anything a peer can do. While 16 384 effects wait for a journal that is slow, frames are dropped
   * as `throttled`; whoever awaits `saved` between frames does not come that far.
   */
  receive(frame: string, options: { from?: string | undefined } = {}): Disposition {
    const { from } = options;
    if (this.#closed) return { type: "dropped", reason: "receiver_left" };
    if (this.#delivery.full) return { type: "dropped", reason: "throttled" };
    return this.#input((now) => {
      const disposition = this.#engine.receive(now, frame, from);
      if (this.#listeners.any) this.#listeners.emit({ type: "frame", from, disposition });
      return disposition;
    });
  }

  /** Calls `listener` with everything that happens. Returns a function that ends it. */
  subscribe(listener: (event: HostEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Everything that happens from now on, until the engine is closed. What happens while the reader is
   * busy waits for it, 65 536 events at most: after those the iteration ends with `reader_too_slow`.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<HostEvent> {
    const tooSlow = () => hostError("reader_too_slow", this.#lang);
    return new EventStream<HostEvent>(tooSlow, (push, end) => {
      if (this.#closed) {
        end();
        return () => undefined;
      }
      const unsubscribe = this.#listeners.add(push);
      this.#endings.add(end);
      return () => {
        unsubscribe();
        this.#endings.delete(end);
      };
    });
  }

  /**
   * Resolves when the journal has everything that happened so far, and what it caused was handed
   * over; at once where no journal is kept. A transport acknowledges a frame after it.
   *
   * @throws {ProtocolError} `journal_failed`.
   */
  saved(): Promise<void> {
    return new Promise((resolve, reject) => this.#delivery.whenSafe(resolve, reject));
  }

  // ---- the end ----

  /** Confirms that this member has left; afterwards it takes part in nothing. */
  exit(): void {
    this.#input((now) => this.#engine.exit(now));
  }

  /**
   * Closes the engine: what this member asked for ends as `cancelled`, cause `closed`. A member
   * that agreed to leave confirms its exit with it. A second call does nothing.
   */
  close(): void {
    if (this.#closed || this.#closing) return;
    this.#closing = true;
    try {
      if (this.#engine.liveness === "leaving" && this.#engine.sections().length === 0) this.exit();
      this.#input((now) => {
        this.#engine.close(now);
        this.#closed = true;
      });
    } finally {
      this.#closing = false;
    }
  }

  /**
   * Stops without ending anything, for another process to go on with {@link restore}: resolves when
   * the journal has everything. Promises of outcomes reject with `suspended`; the requests go on.
   *
   * @throws {ProtocolError} `journal_failed`.
   */
  async suspend(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#end();
    try {
      await this.saved();
    } finally {
      const error = hostError("suspended", this.#lang);
      for (const waiters of [this.#waiters, this.#escalations]) waiters.fail(error);
      this.#engine.dispose();
    }
  }

  /** As {@link close}, for `using`; also gives the core's memory back. */
  [Symbol.dispose](): void {
    this.close();
    this.#engine.dispose();
  }

  // ---- inside ----

  /** Runs one input, delivers its effects unless that is under way, and reads the deadline. */
  #input<T>(run: (now: number) => T): T {
    if (this.#delivery.failure) throw this.#delivery.failure;
    if (this.#closed) throw hostError("closed", this.#lang);
    let result: T;
    try {
      result = run(this.#clock.now());
    } finally {
      this.#deliver();
    }
    // What could not be written down did not happen.
    if (this.#delivery.failure) throw this.#delivery.failure;
    return result;
  }

  /** What depends on the time is read at the present time: what is due happens first. */
  #present(): void {
    if (!this.#closed) this.#input((now) => this.#engine.handleDeadline(now));
  }

  #wake(): void {
    if (this.#closed) return;
    attempt(() => this.#input((now) => this.#engine.handleDeadline(now)), this.#onError);
  }

  #deliver(): void {
    this.#delivery.run();
    if (this.#closed) this.#end();
    else this.#timer.set(this.#engine.pollDeadline());
  }

  /** The journal cannot be written: whoever waits is told, and nothing more happens. */
  #stop(error: ProtocolError): void {
    this.#closed = true;
    for (const waiters of [this.#waiters, this.#escalations]) waiters.fail(error);
    this.#end();
    this.#onError(error);
  }

  #end(): void {
    this.#timer.stop();
    for (const end of this.#endings) end();
    this.#endings.clear();
  }

  #send({ to, frame, seq }: OutgoingFrame): void {
    try {
      const sent = this.#transport({ to, frame, seq });
      if (sent !== undefined) Promise.resolve(sent).catch((error) => this.#sendFailed(seq, error));
    } catch (error) {
      this.#sendFailed(seq, error);
    }
  }

  #sendFailed(seq: number, error: unknown): void {
    if (this.#closed) {
      this.#onError(error);
      return;
    }
    const both = [this.#waiters, this.#escalations];
    const carried = both
      .flatMap((waiters) => waiters.ids())
      .filter((id) => this.#engine.request(id)?.status === "pending");
    const failed = (now: number) => {
      this.#engine.handleSendFailed(now, seq);
      const ended = carried.filter((id) => this.#engine.outcome(id)?.cause === "send_failed");
      for (const id of ended)
        for (const waiters of both) if (waiters.has(id)) waiters.sendFailed(id, error);
      if (ended.length === 0) this.#onError(error);
    };
    attempt(() => this.#input(failed), this.#onError);
  }

  #happened(event: Event): void {
    if (event.type === "settled") {
      const { type: _, ...outcome } = event;
      const goesOn = this.#escalations.has(outcome.requestId);
      if (outcome.status !== "approved" && !goesOn) this.#works.forget(outcome.requestId);
      this.#waiters.settle(outcome, this.#payloads.outcome(outcome, true));
    }
    if (event.type === "escalation") this.#escalated(event);
    if (event.type === "work") this.#works.run(event);
    // A request is told when its payload was judged.
    if (event.type === "request") this.#payloads.request(event);
    else this.#listeners.emit(event);
  }

  /** A shutdown that is asked again by itself went a step on. */
  #escalated({ requestId, requests, outcome }: EscalationEvent): void {
    const before = requests.at(-2);
    if (before !== undefined) {
      this.#escalations.move(before, requestId);
      this.#works.move(before, requestId);
    }
    if (outcome === undefined) return;
    if (outcome.status !== "approved") this.#works.forget(requestId);
    this.#escalations.settle(outcome, outcome);
  }

  #ask(
    { signal, ...works }: Undoable<Work> & Abortable,
    begin: (now: number, names: Names, payload: unknown) => string,
    payload?: () => unknown,
  ): PendingOutcome {
    let requestId: string | undefined;
    const promise = new Promise<Outcome>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const start = (judged: unknown) =>
        this.#input((now) => {
          const { names, functions } = this.#works.name(works);
          requestId = begin(now, names, judged);
          // What has ended before runs nothing more, and its own functions may still be needed.
          if (this.#engine.outcome(requestId) === undefined) this.#works.keep(requestId, functions);
          this.#await(requestId, { resolve, reject }, signal);
        });
      const judged = payload?.();
      if (!isPromise(judged)) return start(judged);
      const late = (value: unknown) => (signal?.aborted ? reject(signal.reason) : start(value));
      Promise.resolve(judged).then(late).catch(reject);
    });
    return Object.defineProperty(promise, "requestId", {
      get: () => requestId,
      enumerable: true,
    }) as PendingOutcome;
  }

  /** The kind of a request that this member must answer, by its id or the beginning of it. */
  #kindOwed(requestId: string): string | undefined {
    const owed = this.#engine.obligations().map(({ request }) => request);
    const exact = owed.find((request) => request.requestId === requestId);
    return (exact ?? owed.find((request) => request.requestId.startsWith(requestId)))?.kind;
  }

  /** One worker's entry, once its request has ended. */
  async #outcomeOf(worker: WorkerAsked, signal?: AbortSignalLike): Promise<WorkerOutcome> {
    const { requestId, asked } = worker;
    if (requestId === undefined) return worker;
    try {
      const outcome = await new Promise<Outcome>((resolve, reject) =>
        // What was asked before goes on when this caller gives up.
        this.#await(requestId, { resolve, reject }, signal, asked === "new"),
      );
      return { ...worker, outcome };
    } catch (error) {
      if (signal?.aborted || !ProtocolError.is(error)) throw error;
      return { ...worker, error };
    }
  }

  /** Waits for the outcome of a request of this member, or of all of which it is the latest. */
  #await(id: string, { resolve, reject }: Waiter, signal?: AbortSignalLike, withdraw = true) {
    const escalates = this.#engine.request(id)?.attempt !== undefined;
    const known = escalates ? undefined : this.#engine.outcome(id);
    if (known !== undefined) return resolve(this.#payloads.outcome(known));
    const waiters = escalates ? this.#escalations : this.#waiters;
    const stop = this.#watch(signal, id, reject, withdraw);
    waiters.add(id, {
      resolve: (outcome) => {
        stop();
        resolve(outcome);
      },
      reject: (error) => {
        stop();
        reject(error);
      },
    });
  }

  /** Stops waiting for a request, and withdraws it, when its caller gives up. Returns what ends
   * the watch. */
  #watch(
    signal: AbortSignalLike | undefined,
    id: string,
    reject: (reason: unknown) => void,
    withdraw: boolean,
  ) {
    if (signal === undefined) return () => undefined;
    const abort = () => {
      reject(signal.reason);
      if (!withdraw || this.#closed) return;
      attempt(
        () => this.cancel(id),
        (error) => {
          // What ended just now needs no withdrawal.
          if (!ProtocolError.is(error) || error.code !== "not_pending") this.#onError(error);
        },
      );
    };
    signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  }
}

/** A new engine begins with nothing. */
function refuseKept(journal: Journal | undefined, lang: "en" | "zh"): void {
  if (isStore(journal) && !journal.empty) throw hostError("journal_not_empty", lang);
}

/** An engine that was restored, on its way to being a `ProtocolEngine`. */
interface Restoring extends Omit<RestoringOptions, "member" | "saved" | "setup" | "seed"> {
  readonly engine: Engine;
  readonly restored: Restored;
}

function badOption(path: string, lang: "en" | "zh" | undefined): ProtocolError {
  return hostError("bad_option", lang === "zh" ? "zh" : "en", { path });
}

/** Runs what has no caller that could catch. */
function attempt(run: () => void, onError: (error: unknown) => void): void {
  try {
    run();
  } catch (error) {
    onError(error);
  }
}

function throwLater(error: unknown): void {
  platform.queueMicrotask(() => {
    throw error;
  });
}
