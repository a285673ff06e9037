/** The functions that decide on requests. */

import { hostError, ProtocolError } from "./errors.js";
import type { RequestHandler } from "./host.js";
import type { Decision, HandlerKind, RequestEvent } from "./types.js";

/** What decides needs of the engine. */
export interface Decides {
  /** The language of errors. */
  readonly lang: "en" | "zh";
  /** Gives an answer; at once, or after its payload was judged. */
  respond(requestId: string, decision: Decision): PromiseLike<void> | undefined;
  /** Gets what handlers throw, and refusals of their answers. */
  onError(error: unknown): void;
}

/** One handler for each kind of request, and one for all other kinds. */
export class Handlers {
  readonly #handlers = new Map<HandlerKind, RequestHandler>();
  readonly #engine: Decides;

  constructor(engine: Decides) {
    this.#engine = engine;
  }

  /** Adds a handler; returns a function that takes it away. */
  add(kind: HandlerKind, handler: RequestHandler): () => void {
    if (this.#handlers.has(kind)) throw hostError("handler_taken", this.#engine.lang);
    this.#handlers.set(kind, handler);
    return () => {
      if (this.#handlers.get(kind) === handler) this.#handlers.delete(kind);
    };
  }

  /** Lets the handler for a request decide; without one the request waits as an obligation. */
  decide(request: RequestEvent): void {
    const handler = this.#handlers.get(request.kind) ?? this.#handlers.get("*");
    if (handler === undefined) return;
    let decision: ReturnType<RequestHandler>;
    try {
      decision = handler(request);
    } catch (error) {
      this.#engine.onError(error);
      return;
    }
    if (isPromise(decision)) {
      Promise.resolve(decision).then(
        (late) => this.answer(request.requestId, late),
        (error) => this.#engine.onError(error),
      );
    } else this.answer(request.requestId, decision);
  }

  /** An answer that comes without a caller. To what has ended meanwhile it is no error. */
  answer(requestId: string, decision: Decision | undefined): void {
    if (decision === undefined) return;
    const failed = (error: unknown) => {
      const over = ProtocolError.is(error) && ANSWERED_MEANWHILE.has(error.code);
      if (!over) this.#engine.onError(error);
    };
    try {
      this.#engine.respond(requestId, decision)?.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Whether a value is to be waited for. */
export function isPromise<T>(value: T | PromiseLike<T> | undefined): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

/** Codes of refusals that only say that somebody or something was quicker. */
const ANSWERED_MEANWHILE: ReadonlySet<string> = new Set([
  "not_pending",
  "already_answered",
  "answer_conflicts",
  "unknown_request",
  "closed",
]);
