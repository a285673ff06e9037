/** Everything public, whichever way the wasm is loaded. */

export { type Clock, ManualClock, systemClock } from "./clock.js";
export { Engine } from "./engine.js";
export { type ErrorData, type ErrorFamily, ProtocolError } from "./errors.js";
export {
  type Abortable,
  approve,
  type CriticalSection,
  type FrameEvent,
  type Gate,
  type HostEvent,
  type OutcomeOf,
  type PendingOutcome,
  type Permit,
  type ProtocolEngineOptions,
  type RequestHandler,
  type RestoringOptions,
  reject,
} from "./host.js";
export type { Journal, JournalStore } from "./journal.js";
export type {
  AnswerOutput,
  KindDeclaration,
  PayloadInput,
  PayloadOutput,
  RequestOf,
} from "./kinds.js";
export {
  type BusFrame,
  type BusMember,
  LocalBus,
  type LocalBusOptions,
} from "./local-bus.js";
export type { InvalidPayloadEvent, PayloadIssue } from "./payloads.js";
export type { AbortSignalLike } from "./platform.js";
export { ProtocolEngine } from "./protocol-engine.js";
export type {
  SchemaInput,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./standard-schema.js";
export * from "./types.js";
export type { Work, WorkHandler, WorkResult } from "./works.js";
