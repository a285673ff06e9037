/** Who waits for the outcome of which request. */

import { hostError } from "./errors.js";
import type { Outcome } from "./types.js";

/** The two ends of a promise. */
export interface Waiter {
  resolve(outcome: Outcome | PromiseLike<Outcome>): void;
  reject(error: unknown): void;
}

/** Promises that wait for outcomes, by request. */
export class Waiters {
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #sendErrors = new Map<string, unknown>();
  readonly #lang: "en" | "zh";

  constructor(lang: "en" | "zh") {
    this.#lang = lang;
  }

  /** The requests that somebody waits for. */
  ids(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Whether somebody waits for this request. */
  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Adds somebody who waits. */
  add(id: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(id);
    if (waiters === undefined) this.#waiting.set(id, [waiter]);
    else waiters.push(waiter);
  }

  /** Whoever waited for one request waits for another from now on. */
  move(from: string, to: string): void {
    const waiters = this.#waiting.get(from) ?? [];
    this.#waiting.delete(from);
    for (const waiter of waiters) this.add(to, waiter);
  }

  /** Keeps why the transport could not send this request, for whoever waits for it. */
  sendFailed(id: string, error: unknown): void {
    this.#sendErrors.set(id, error);
  }

  /** Tells everybody who waits how the request ended; `told` is what they get of it. */
  settle(outcome: Outcome, told: Outcome | PromiseLike<Outcome>): void {
    const { requestId } = outcome;
    const waiters = this.#waiting.get(requestId) ?? [];
    const sendError = this.#sendErrors.get(requestId);
    this.#waiting.delete(requestId);
    this.#sendErrors.delete(requestId);
    for (const waiter of waiters) this.tell(waiter, outcome, told, sendError);
  }

  /** Nobody will learn how any request ended. */
  fail(error: unknown): void {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#sendErrors.clear();
    for (const { reject } of waiting) reject(error);
  }

  /** Tells one who waits: a request that could not be sent is an error, any other end is not. */
  tell(
    { resolve, reject }: Waiter,
    outcome: Outcome,
    told: Outcome | PromiseLike<Outcome>,
    sendError?: unknown,
  ): void {
    if (outcome.cause === "send_failed") {
      reject(hostError("send_failed", this.#lang, { cause: sendError }));
    } else resolve(told);
  }
}
