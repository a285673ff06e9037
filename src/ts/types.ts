/** The data types of the core, made from its Rust types, and those that only JavaScript needs. */

import type { ProtocolError } from "./errors.js";
import type { Event, Kind, Link, Liveness, Outcome, Plan } from "./wasm/team_protocols.js";

export type {
  Alarm,
  AlarmEvent,
  Attempt,
  AuditEntry,
  BooleanReading,
  Cause,
  Choice,
  ClosedEvent,
  DrainEvent,
  EngineOptions,
  EscalationEvent,
  EscalationStep,
  Event,
  FollowsView,
  Holding,
  IdleEvent,
  Kind,
  KindOptions,
  LimitOptions,
  Link,
  Liveness,
  LivenessEvent,
  MemberName,
  MemberOptions,
  MemberView,
  MessageEvent,
  Obligation,
  Outcome,
  Plan,
  ProgressEvent,
  Refused,
  ReminderEvent,
  ReopenedEvent,
  ReportEvent,
  RequestEvent,
  RequestId,
  RequestView,
  Restored,
  Role,
  SettleCode,
  Status,
  TimingOptions,
  ToolOutcome,
  UndeliverableEvent,
  Uses,
  Verdict,
  VoteEvent,
  VoteView,
  Waiting,
  WorkCause,
  WorkEvent,
  WorkFailedEvent,
} from "./wasm/team_protocols.js";

/** Limits of one request in milliseconds; what is left out comes from the engine's options. */
export interface AskOptions {
  /** How long it may stay without progress. */
  readonly timeoutMs?: number | undefined;
  /** How long it may stay at all. */
  readonly capMs?: number | undefined;
}

/** That a request goes on from an earlier one. */
export interface Following {
  /**
   * The earlier request of this member, and what this one is to it: a `retry` or an `appeal` asks
   * for the same again, a `revision` for something else instead. An appeal must say what the earlier
   * decision did not consider.
   */
  readonly follows?:
    | {
        /** The earlier request. */
        readonly requestId: string;
        /** What this one is to it. */
        readonly as: Link;
        /** With an appeal: what the earlier decision did not consider. */
        readonly justification?: string | undefined;
      }
    | undefined;
}

/**
 * Work that begins when a request is approved. With an {@link Engine} it is a name, which the
 * `work` event repeats; a {@link ProtocolEngine} also takes a function.
 */
export interface Continued<Work = string> {
  /** What runs when the request is approved, once, and otherwise never. */
  readonly onApproved?: Work | undefined;
}

/** Work that begins when a request is approved, and work that undoes it. */
export interface Undoable<Work = string> extends Continued<Work> {
  /**
   * Where an approval opens a gate: what runs, once, when the execution report says that the
   * approved work failed.
   */
  readonly compensation?: Work | undefined;
}

/** That a shutdown is asked again by itself. */
export interface Escalating {
  /**
   * Asks again by itself, up to `attempts` requests in all: after a refusal when the worker said, after
   * a timeout once it was judged, until it agrees, is gone or lost, or has refused the last time
   * (alarm `refused_repeatedly`). The outcome is that of the last one; its `requests` names all.
   */
  readonly escalate?:
    | {
        /** How often it is asked at most, the first time included. */
        readonly attempts: number;
        /** How long to wait after a refusal that does not say. Default: `timing.askAgainMs`. */
        readonly retryAfterMs?: number | undefined;
        /** How long to wait at most, whatever it says. Default: `timing.askAgainMaxMs`. */
        readonly longestMs?: number | undefined;
      }
    | undefined;
}

/** Options of a shutdown request. */
export interface ShutdownOptions<Work = string>
  extends AskOptions,
    Following,
    Continued<Work>,
    Escalating {
  /** Why; the worker sees it. */
  readonly reason?: string | undefined;
}

/** Options of asking every worker to leave. */
export type EveryoneOptions = Omit<ShutdownOptions, "follows" | "onApproved">;

/** What became of asking one worker to leave. */
export interface WorkerAsked {
  /** The worker. */
  readonly member: string;
  /** How alive it was when it came to its turn. */
  readonly liveness: Liveness;
  /**
   * `new`: it is asked now. `pending`: it was asked before; that request goes on, with its own
   * limits. `agreed`: it has agreed before, and is leaving. `refused`: it cannot be asked, `error`
   * says why.
   */
  readonly asked: "new" | "pending" | "agreed" | "refused";
  /** The request by which it is asked. */
  readonly requestId?: string | undefined;
  /** Why it cannot be asked. */
  readonly error?: ProtocolError | undefined;
}

/** What came of asking one worker to leave: an `outcome` or an `error`. */
export interface WorkerOutcome extends WorkerAsked {
  /** How its request ended. */
  readonly outcome?: Outcome | undefined;
  /** Why it could not be asked: a refusal (`asked` says so), or a transport that failed. */
  readonly error?: ProtocolError | undefined;
}

/** Several members that decide together. */
export interface Stage {
  /**
   * Who votes. Each holds a role that decides on the kind, or that of an approver; nobody votes
   * twice, and nobody on a request of its own.
   */
  readonly approvers: readonly string[];
  /** How many of them must say yes: from 1 to all. */
  readonly threshold: number;
  /** Whether a single no ends the request. Default: `false`. */
  readonly veto?: boolean | undefined;
}

/** Who decides, where it is not one member alone. */
export interface Staged {
  /** The stages, in order. With them nobody else is asked, whomever the call names. */
  readonly stages?: readonly Stage[] | undefined;
}

/** Options of a plan approval request. */
export interface PlanOptions<Work = string> extends AskOptions, Staged, Following, Undoable<Work> {
  /**
   * How often an approval may be used: `until_report` (default) for any number of actions in the
   * plan's scope until the execution report, `once` for one.
   */
  readonly uses?: "until_report" | "once" | undefined;
}

/** Options of a request of a kind without messages of its own. */
export interface RequestOptions<Work = string, Payload = unknown>
  extends AskOptions,
    Staged,
    Following,
    Undoable<Work> {
  /** What the kind defines: any JSON. */
  readonly payload?: Payload | undefined;
  /** With a kind that opens a gate, and only there: the guarded actions an approval covers. */
  readonly scope?: readonly string[] | undefined;
  /** With a kind that opens a gate: how often an approval may be used. */
  readonly uses?: "until_report" | "once" | undefined;
}

/** A plan as a worker writes it; `steps` and `text` may be left out. */
export type PlanInput = Omit<Plan, "steps" | "text"> & Partial<Pick<Plan, "steps" | "text">>;

/** A yes or no, with what is said about it. */
export interface Decision {
  /** Yes or no. */
  readonly approve: boolean;
  /** Why not (required with a no), or a note on the yes. */
  readonly reason?: string | undefined;
  /** With a no: when to ask again, in ms from now. */
  readonly retryAfterMs?: number | undefined;
  /** With a kind without messages of its own: what it defines as an answer, any JSON. */
  readonly payload?: unknown;
}

/** What a critical section does with a shutdown request, and how long it is expected to take. */
export interface SectionOptions {
  /** How long the section is expected to take, in ms. */
  readonly etaMs?: number | undefined;
  /**
   * `reject` (default): answer no, with the section's name and its end. `defer`: hold the request
   * back until the section ends, and tell the lead so.
   */
  readonly policy?: "reject" | "defer" | undefined;
}

/** Options of a progress report. */
export interface ProgressOptions {
  /**
   * The request it is about: one that this member must answer, or one of its own whose approved
   * work it has not reported. Without, it goes to the lead.
   */
  readonly requestId?: string | undefined;
  /** What is being done. */
  readonly note?: string | undefined;
  /** For how long silence is no sign of death, in ms. */
  readonly busyForMs?: number | undefined;
}

/** How work went. */
export interface Report {
  /** Whether it worked. */
  readonly ok: boolean;
  /** What happened. */
  readonly detail?: string | undefined;
}

/** A frame for the transport: one JSON text for one member. */
export interface OutgoingFrame {
  /** The member it is for. */
  readonly to: string;
  /** The frame. Opaque to the transport. */
  readonly frame: string;
  /** Its number among the frames of this engine. */
  readonly seq: number;
}

/** A line of the journal: one input of the engine. */
export interface JournalLine {
  /** Its number: the lines are numbered from 1 without gaps. */
  readonly n: number;
  /** The line, without a newline at its end; there is none within. */
  readonly line: string;
}

/** What a host has kept of an engine: a snapshot, the journal since then, or a journal from its first line on. */
export interface Saved {
  /** The last snapshot. */
  readonly snapshot?: string | undefined;
  /** The lines of the journal, each with its newline. Those that the snapshot covers may be among them. */
  readonly journal?: string | undefined;
}

/** How an engine is restored. */
export interface RestoreOptions {
  /** The member that it must be. */
  readonly member: string;
  /** The language of errors of restoring itself; the engine has the one that it had. Default: `en`. */
  readonly lang?: "en" | "zh" | undefined;
  /** As with a new engine, and another one than any before: else ids come out that were used. */
  readonly seed?: string | undefined;
}

/** One thing for a host to do, in order. */
export type Effect =
  | ({
      /** Keep the line. What follows it was caused by it, and goes out when the line is safe. */
      readonly type: "journal";
    } & JournalLine)
  | ({
      /** Hand the frame to the transport. */
      readonly type: "send";
    } & OutgoingFrame)
  | {
      /** Something happened. */
      readonly type: "event";
      /** The request it settles, opens or closes; `""` for other events. */
      readonly requestId: string;
      /** What happened; parsed when it is first read. */
      readonly event: Event;
    };

/** What became of an arriving frame: always exactly one of these. */
export type Disposition =
  /** A new request: this member must answer it. */
  | { readonly type: "accepted"; readonly requestId: string }
  /** It settled a request of ours, or closed one of theirs. */
  | { readonly type: "settled"; readonly requestId: string }
  /** One of several approvers has voted; the request is not settled by it. */
  | { readonly type: "vote_recorded"; readonly requestId: string }
  /** It changed no request. */
  | { readonly type: "noted"; readonly as: NotedAs }
  /** It was dropped. */
  | { readonly type: "dropped"; readonly reason: DropReason }
  /** It was refused as malformed or against the rules. */
  | { readonly type: "refused"; readonly error: ProtocolError };

/** What a frame was good for, where it changes no request. */
export type NotedAs = (typeof NOTED_AS)[number];

/** Why a well-formed frame changes nothing. */
export type DropReason = (typeof DROP_REASONS)[number];

/** Every value of {@link NotedAs}. */
export const NOTED_AS = [
  "chat",
  "progress",
  "sign_of_life",
  "idle_again",
  "asked_again",
  "report",
  "exit",
  "confirmed",
  "ended_early",
  "reopened",
  "undeliverable",
  "probe",
  "probe_ended",
] as const;

/** Every value of {@link DropReason}. */
export const DROP_REASONS = [
  "orphan",
  "late",
  "duplicate",
  "conflicting",
  "stale_incarnation",
  "stale_frame",
  "unannounced_life",
  "forged",
  "unidentified",
  "unknown_sender",
  "sender_left",
  "misaddressed",
  "broadcast_frame",
  "from_self",
  "wrong_responder",
  "wrong_kind",
  "digest_mismatch",
  "unapproved",
  "not_rejected",
  "throttled",
  "receiver_left",
] as const;

/** A handler for requests of one kind, or of every kind that has none of its own. */
export type HandlerKind = Kind | "*";
