/** The functions that do the work that requests name. */

import { hostError, ProtocolError } from "./errors.js";
import type { Report, Undoable, WorkCause, WorkEvent } from "./types.js";

/**
 * What work says of itself when it is over: nothing or a text (it worked), or a report. Work that
 * failed throws, or reports `ok: false`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: work that returns nothing is the common case
export type WorkResult = Report | string | undefined | void;

/** Does one run of work. Its end, also that of the promise it returns, is the end of the run. */
export type WorkHandler = (work: WorkEvent) => WorkResult | PromiseLike<WorkResult>;

/**
 * Work as a request of a `ProtocolEngine` names it: the name of a handler (`onWork`), or a function
 * for this request alone. Only a name outlives the process: a function is gone with it, and its work
 * is then `work_missing`.
 */
export type Work = string | WorkHandler;

/** What running work needs of the engine. */
export interface Employs {
  /** The language of errors. */
  readonly lang: "en" | "zh";
  /** Whether the core still remembers a request. */
  remembers(requestId: string): boolean;
  /** Tells the core that a run begins; `begin` is called when that is safe. */
  workStarted(requestId: string, run: number, begin: () => void): void;
  /** Tells the core how a run went. */
  workDone(requestId: string, run: number, report: Report): void;
  /** Tells the core that nobody knows how to do a run. */
  workMissing(requestId: string, run: number): void;
  /** Gets refusals of what handlers said, and what they throw where no event can tell it. */
  onError(error: unknown): void;
}

/** The functions of one request. */
type Functions = Partial<Record<WorkCause, WorkHandler>>;

/** The names of the works of a request, as the core takes them. */
export type Names = Record<keyof Undoable, string | undefined>;

/** What a request names, and the functions behind that. */
export interface Named {
  /** The names. */
  readonly names: Names;
  /** The functions; to be kept once the request has an id. */
  readonly functions: Functions | undefined;
}

/** Handlers of work by name, and the functions of single requests. */
export class Works {
  readonly #handlers = new Map<string, WorkHandler>();
  readonly #functions = new Map<string, Functions>();
  readonly #engine: Employs;
  #count = 0;
  #sweepAt = FEW;

  constructor(engine: Employs) {
    this.#engine = engine;
  }

  /** Adds a handler; returns a function that takes it away. */
  add(name: string, handler: WorkHandler): () => void {
    const { lang } = this.#engine;
    if (typeof name !== "string") throw hostError("not_text", lang, { path: "name" });
    if (name.startsWith(OWN)) throw hostError("bad_option", lang, { path: "name" });
    if (typeof handler !== "function") throw hostError("bad_option", lang, { path: "handler" });
    if (this.#handlers.has(name)) throw hostError("handler_taken", lang);
    this.#handlers.set(name, handler);
    return () => {
      if (this.#handlers.get(name) === handler) this.#handlers.delete(name);
    };
  }

  /** Gives names to the functions among the works of a request. */
  name({ onApproved, compensation }: Undoable<Work>): Named {
    const functions: Functions = {};
    const named = (cause: WorkCause, work: Work | undefined): string | undefined => {
      if (typeof work !== "function") return work;
      functions[cause] = work;
      this.#count += 1;
      return `${OWN}${this.#count}`;
    };
    const names = {
      onApproved: named("approved", onApproved),
      compensation: named("compensation", compensation),
    };
    return { names, functions: Object.keys(functions).length > 0 ? functions : undefined };
  }

  /** Keeps the functions of a request that has begun. */
  keep(requestId: string, functions: Functions | undefined): void {
    if (functions === undefined) return;
    this.#functions.set(requestId, functions);
    if (this.#functions.size < this.#sweepAt) return;
    for (const id of this.#functions.keys())
      if (!this.#engine.remembers(id)) this.#functions.delete(id);
    this.#sweepAt = Math.max(FEW, 2 * this.#functions.size);
  }

  /** What belongs to one request belongs to another from now on. */
  move(from: string, to: string): void {
    const functions = this.#functions.get(from);
    if (functions === undefined) return;
    this.#functions.delete(from);
    this.#functions.set(to, functions);
  }

  /** Drops the functions of a request that was not approved. */
  forget(requestId: string): void {
    this.#functions.delete(requestId);
  }

  /** Does one run, or tells that nobody knows how. */
  run(work: WorkEvent): void {
    const { requestId, name, cause, run } = work;
    const handler = this.#functions.get(requestId)?.[cause] ?? this.#handlers.get(name);
    if (handler === undefined) {
      this.#tell(() => this.#engine.workMissing(requestId, run));
      return;
    }
    const begin = () => {
      // Also what is thrown at once makes the promise reject.
      new Promise<WorkResult>((resolve) => resolve(handler(work))).then(
        (result) => this.#ended(work, result),
        (error) => this.#failed(work, error),
      );
    };
    this.#tell(() => this.#engine.workStarted(requestId, run, begin));
  }

  #ended(work: WorkEvent, result: WorkResult): void {
    if (typeof result === "string") this.#done(work, { ok: true, detail: result });
    else if (typeof result !== "object" || result === null) this.#done(work, { ok: true });
    // Any other object is no report: reading it as a success would be a guess.
    else if (typeof result.ok === "boolean") this.#done(work, result);
    else this.#failed(work, hostError("not_boolean", this.#engine.lang, { path: "ok" }));
  }

  #failed(work: WorkEvent, error: unknown): void {
    this.#done(work, { ok: false, detail: told(error) }, error);
  }

  #done({ requestId, run }: WorkEvent, { ok, detail }: Report, error?: unknown): void {
    const tell = (report: Report) => this.#engine.workDone(requestId, run, report);
    try {
      tell({ ok, detail });
    } catch (refusal) {
      if (isOver(refusal)) {
        // No event tells what failed after the engine was closed.
        if (error !== undefined) this.#engine.onError(error);
        return;
      }
      // Whatever is wrong with what it says, the run is over.
      this.#engine.onError(error ?? refusal);
      this.#tell(() => tell({ ok }));
    }
  }

  #tell(tell: () => void): void {
    try {
      tell();
    } catch (refusal) {
      if (!isOver(refusal)) this.#engine.onError(refusal);
    }
  }
}

/** What an error says, as a text. */
function told(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return typeof error;
  }
}

/** Whether a refusal only says that the run was over before. */
function isOver(refusal: unknown): boolean {
  return ProtocolError.is(refusal) && OVER.has(refusal.code);
}

const OVER: ReadonlySet<string> = new Set(["work_not_running", "unknown_request", "closed"]);

/**
 * Begins the names that functions get. No handler may be called so: after a restore the name of a
 * function must never mean another one.
 */
const OWN = "function:";

/** Below this many requests with functions there is nothing to sweep. */
const FEW = 64;
