/** What a host of a `ProtocolEngine` hands in and gets back. */

import type { Clock } from "./clock.js";
import type { Journal } from "./journal.js";
import type { KindDeclaration, RequestOf } from "./kinds.js";
import type { InvalidPayloadEvent } from "./payloads.js";
import type { AbortSignalLike } from "./platform.js";
import type { ProtocolEngine } from "./protocol-engine.js";
import type {
  Decision,
  Disposition,
  EngineOptions,
  Event,
  Outcome,
  OutgoingFrame,
  Saved,
} from "./types.js";

/** Options of a `ProtocolEngine`: those of the core, and what connects it to the world. */
export interface ProtocolEngineOptions extends Omit<EngineOptions, "kinds" | "writeJournal"> {
  /** Kinds of requests beside those that are always there, with schemas of what they carry. */
  readonly kinds?: readonly KindDeclaration[] | undefined;
  /**
   * Sends a frame. May return a promise; may deliver synchronously and re-enter this engine or any
   * other. When it throws or rejects, the request that the frame carried ends as `cancelled`,
   * cause `send_failed`.
   */
  readonly transport: (frame: OutgoingFrame) => void | PromiseLike<void>;
  /** Where time comes from. Default: the machine's clock and timers. */
  readonly clock?: Clock | undefined;
  /**
   * Keeps every input before what it causes goes out, so that {@link ProtocolEngine.restore} goes on
   * from there after a crash. Default: nothing is kept.
   */
  readonly journal?: Journal | undefined;
  /**
   * Gets what listeners and handlers throw, a journal that cannot be written (`journal_failed`), and the errors of a transport that failed to send
   * anything but a request. Default: the error is thrown from a microtask of its own, as with any
   * listener.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** How an engine is restored, and what connects it to the world. */
export interface RestoringOptions
  extends Pick<
    ProtocolEngineOptions,
    "transport" | "clock" | "onError" | "kinds" | "lang" | "seed" | "journal"
  > {
  /** The member that it must be. */
  readonly member: string;
  /** What was kept of it. Default: what `journal` has. */
  readonly saved?: Saved | undefined;
  /** Registers handlers and listeners, before anything is told. */
  readonly setup?: ((engine: ProtocolEngine) => void) | undefined;
}

/** Something that happened: an event of the core, what became of an arriving frame, or of a payload. */
export type HostEvent = Event | FrameEvent | InvalidPayloadEvent;

/** A frame came in. */
export interface FrameEvent {
  /** Always `frame`. */
  readonly type: "frame";
  /** Who sent it, by the word of the transport. */
  readonly from: string | undefined;
  /** What became of it. */
  readonly disposition: Disposition;
}

/** Decides on requests of one kind. `undefined` leaves the request open: answer with `respond`. */
export type RequestHandler<Payload = unknown> = (
  request: RequestOf<Payload>,
) => Decision | undefined | PromiseLike<Decision | undefined>;

/** How a request ended, where the type of what its answer carries is known. */
export type OutcomeOf<Answer> = unknown extends Answer
  ? Outcome
  : Outcome & {
      /** What the schema made of the payload of the answer. */
      readonly payload?: Answer;
    };

/** The promise of an outcome, with the id under which it is known. */
export interface PendingOutcome<Answer = unknown> extends Promise<OutcomeOf<Answer>> {
  /**
   * The request's id; `undefined` when the call was refused, and as long as an asynchronous schema
   * judges the payload.
   */
  readonly requestId: string | undefined;
}

/** A way to give up waiting. */
export interface Abortable {
  /** Withdraws the request when it is aborted; the promise then rejects with its reason. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Work that the gate let through. */
export interface Permit {
  /** The action. */
  readonly action: string;
  /** The plan that covers it. */
  readonly requestId: string;
  /** The work could not start: a one-shot approval is given back. */
  startFailed(): void;
}

/** The gate of a worker: guarded actions are denied until an approved plan covers them. */
export interface Gate {
  /**
   * Lets one action start. Not where a journal is kept whose writes take time
   * (`journal_takes_time`): no action may start before the journal has it.
   *
   * @throws {ProtocolError} `gate_no_plan`, `gate_out_of_scope` or `gate_spent` when no approved
   * plan covers it; `hint` says what to do.
   */
  enter(action: string): Permit;
  /** As `enter`; resolves when the journal has it. */
  enterAsync(action: string): Promise<Permit>;
}

/** An open critical section. */
export interface CriticalSection {
  /** Its name. */
  readonly name: string;
  /** Leaves it; a second call does nothing. */
  leave(): void;
  /** As `leave`, for `using`. */
  [Symbol.dispose](): void;
}

/** A yes, with an optional note. */
export function approve(note?: string): Decision {
  return { approve: true, reason: note };
}

/** A no, with the reason it must have, and optionally when to ask again (ms from now). */
export function reject(reason: string, options: { retryAfterMs?: number } = {}): Decision {
  return { approve: false, reason, ...options };
}
