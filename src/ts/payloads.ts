/** Payloads and the schemas that judge them. */

import { hostError } from "./errors.js";
import { isPromise } from "./handlers.js";
import type { Schemas } from "./kinds.js";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";
import type { Decision, Event, Outcome, RequestEvent } from "./types.js";

/** What is wrong with a payload, at one place. */
export interface PayloadIssue {
  /** Where: `payload`, or a field below it (`payload.gpus[0].id`). */
  readonly path: string;
  /** What, in the words of the schema. */
  readonly message: string;
}

/** A payload came in that does not fit the schema of its kind. No handler has seen it. */
export interface InvalidPayloadEvent {
  /** Always `invalid_payload`. */
  readonly type: "invalid_payload";
  /**
   * `request`: it was put to this member, and was rejected. `answer`: it came with the decision on
   * a request of this member; the decision stands, and the promise of the outcome is rejected.
   */
  readonly of: "request" | "answer";
  /** The request. */
  readonly requestId: string;
  /** What it is about. */
  readonly kind: string;
  /** Who sent the payload. */
  readonly from: string;
  /** What is wrong, the first few. */
  readonly issues: readonly PayloadIssue[];
}

/** The event of a request that came in. */
type Arrival = Extract<Event, { readonly type: "request" }>;

/** What judging payloads needs of the engine. */
export interface Judges {
  /** The language of errors and reasons. */
  readonly lang: "en" | "zh";
  /** Whether a request that was put to this member is still to be answered. */
  awaits(requestId: string): boolean;
  /** Puts a request before the host: as its handler sees it, and as it came. */
  admit(request: RequestEvent, event: Arrival): void;
  /** Answers a request with a no. */
  reject(requestId: string, reason: string): void;
  /** Tells of a payload that does not fit. */
  tell(event: InvalidPayloadEvent): void;
  /** Gets what schemas throw. */
  onError(error: unknown): void;
}

/** The verdict of a schema; `error` is what it threw, where it could not judge. */
type Verdict =
  | { readonly value: unknown }
  | { readonly issues: readonly PayloadIssue[]; readonly error?: unknown };

/** Judges what goes out and what comes in, for the kinds that have schemas. */
export class Payloads {
  readonly #schemas: ReadonlyMap<string, Schemas>;
  readonly #engine: Judges;
  /** Whether any answer is judged. */
  readonly judgesAnswers: boolean;

  constructor(schemas: ReadonlyMap<string, Schemas>, engine: Judges) {
    this.#schemas = schemas;
    this.#engine = engine;
    this.judgesAnswers = [...schemas.values()].some(({ answer }) => answer !== undefined);
  }

  /** The payload of a request that is to go out, as JSON carries it. Throws where it does not fit. */
  outgoing(kind: string, payload: unknown): unknown {
    return this.#outgoing(this.#schemas.get(kind)?.payload, payload);
  }

  /** An answer that is to go out, likewise. */
  answer(kind: string | undefined, decision: Decision): Decision | PromiseLike<Decision> {
    const schema = kind === undefined ? undefined : this.#schemas.get(kind)?.answer;
    if (schema === undefined || !isJudged(decision.approve === true, decision.payload)) {
      return decision;
    }
    const payload = this.#outgoing(schema, decision.payload);
    const whole = (payload: unknown): Decision => ({ ...decision, payload });
    return isPromise(payload) ? payload.then(whole) : whole(payload);
  }

  /** A request came in: it goes on to the host, or is rejected. */
  request(event: Arrival): void {
    const schema = this.#schemas.get(event.kind)?.payload;
    if (schema === undefined) {
      this.#engine.admit(event, event);
      return;
    }
    const verdict = this.#judge(schema, event.payload);
    if (isPromise(verdict)) {
      verdict.then((late) => {
        if (this.#engine.awaits(event.requestId)) this.#judged(event, late);
      }, this.#engine.onError);
    } else this.#judged(event, verdict);
  }

  /**
   * An outcome as its waiters get it: with the payload that comes out of the schema, or as a
   * promise that is rejected. `first` when it has just come in: then what is wrong is told.
   */
  outcome(outcome: Outcome, first = false): Outcome | PromiseLike<Outcome> {
    const schema = this.#schemas.get(outcome.kind)?.answer;
    if (schema === undefined || outcome.cause !== "member") return outcome;
    if (!isJudged(outcome.status === "approved", outcome.payload)) return outcome;
    const judged = (verdict: Verdict): Outcome => {
      if (!("issues" in verdict)) return { ...outcome, payload: verdict.value };
      const { issues, error } = verdict;
      if (first) {
        const { requestId, kind, by, to } = outcome;
        this.#tell({ of: "answer", requestId, kind, from: by ?? to, issues }, error);
      }
      throw this.#refusal("invalid_answer", issues, error);
    };
    const verdict = this.#judge(schema, outcome.payload);
    const told = Promise.resolve(verdict).then(judged);
    // Perhaps nobody waits for it.
    told.catch(() => undefined);
    return told;
  }

  #outgoing(schema: StandardSchema | undefined, payload: unknown): unknown {
    if (schema === undefined) return payload;
    const json = asJson(payload);
    // What cannot be written is refused by the engine, which says so better.
    if (json === undefined && payload !== undefined) return payload;
    const written = (): unknown => (json === undefined ? undefined : JSON.parse(json));
    const judged = (verdict: Verdict): unknown => {
      if (!("issues" in verdict)) return written();
      throw this.#refusal("invalid_payload", verdict.issues, verdict.error);
    };
    const verdict = this.#judge(schema, written());
    return isPromise(verdict) ? verdict.then(judged) : judged(verdict);
  }

  #judged(event: Arrival, verdict: Verdict): void {
    if (!("issues" in verdict)) {
      this.#engine.admit({ ...event, payload: verdict.value }, event);
      return;
    }
    const { requestId, kind, from } = event;
    const { issues, error } = verdict;
    this.#engine.reject(requestId, WORDS[this.#engine.lang].reason(kind, listed(issues)));
    this.#tell({ of: "request", requestId, kind, from, issues }, error);
  }

  #tell(event: Omit<InvalidPayloadEvent, "type">, error: unknown): void {
    this.#engine.tell({ type: "invalid_payload", ...event });
    if (error !== undefined) this.#engine.onError(error);
  }

  #refusal(
    code: "invalid_payload" | "invalid_answer",
    issues: readonly PayloadIssue[],
    cause: unknown,
  ) {
    const path = issues[0]?.path ?? PAYLOAD;
    return hostError(code, this.#engine.lang, { path, cause, detail: listed(issues) });
  }

  #judge(schema: StandardSchema, value: unknown): Verdict | PromiseLike<Verdict> {
    const broken = (error: unknown): Verdict => {
      const { broken: message } = WORDS[this.#engine.lang];
      return { issues: [{ path: PAYLOAD, message }], error };
    };
    try {
      const result = schema["~standard"].validate(value);
      return isPromise(result)
        ? Promise.resolve(result).then(verdict).catch(broken)
        : verdict(result);
    } catch (error) {
      return broken(error);
    }
  }
}

/** Whether the payload of an answer is judged: a refusal need not have any. */
function isJudged(approved: boolean, payload: unknown): boolean {
  return approved || payload !== undefined;
}

/** What a schema said, read without trust: neither `issues` nor `value` is no yes. */
function verdict(result: StandardResult<unknown>): Verdict {
  if (result.issues !== undefined) {
    const issues = result.issues.slice(0, MOST_ISSUES).map(issue);
    return { issues: issues.length > 0 ? issues : [{ path: PAYLOAD, message: "not accepted" }] };
  }
  if ("value" in result) return { value: result.value };
  throw new TypeError("the schema returned neither `value` nor `issues`");
}

function issue({ message, path = [] }: StandardIssue): PayloadIssue {
  const steps = path.map((step) => field(typeof step === "object" ? step.key : step));
  return {
    path: cut(`${PAYLOAD}${steps.join("")}`, LONGEST_PATH),
    message: cut(String(message), LONGEST_MESSAGE),
  };
}

function field(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  const name = String(key);
  return IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Bounds what a peer can make grow; what is cut in the middle of a character stays a text. */
function cut(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return short.replace(LONE_SURROGATE, "\ufffd");
}

function listed(issues: readonly PayloadIssue[]): string {
  return issues.map(({ path, message }) => `\`${path}\`: ${message}`).join("; ");
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const WORDS = {
  en: {
    reason: (kind: string, issues: string) =>
      `the payload does not fit the schema of \`${kind}\`: ${issues}`,
    broken: "the schema could not judge it",
  },
  zh: {
    reason: (kind: string, issues: string) => `载荷不符合 \`${kind}\` 的模式：${issues}`,
    broken: "模式未能完成校验",
  },
};

const PAYLOAD = "payload";
const MOST_ISSUES = 8;
const LONGEST_PATH = 120;
const LONGEST_MESSAGE = 240;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
