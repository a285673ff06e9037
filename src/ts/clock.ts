/** Time, as the host loop needs it. */

import { platform } from "./platform.js";

/** Where the host loop takes time from. Hand in your own to run on virtual time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` once, `ms` milliseconds from now. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Takes back what `setTimeout` returned. */
  clearTimeout(handle: unknown): void;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => platform.setTimeout(run, ms),
  clearTimeout: (handle) => platform.clearTimeout(handle),
};

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * A clock that moves when it is told to: for tests, simulations and demonstrations.
 *
 * ```ts
 * const clock = new ManualClock();
 * // … engines with { clock } …
 * await clock.advance(60_000);
 * ```
 */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** Begins at `now`, in ms since the Unix epoch. */
  constructor(now = 0) {
    this.#now = now;
  }

  /** The present moment. */
  now(): number {
    return this.#now;
  }

  /** Calls `run` when the clock has been advanced by `ms`. */
  setTimeout(run: () => void, ms: number): unknown {
    this.#order += 1;
    const timer = { at: this.#now + Math.max(0, ms || 0), order: this.#order, run };
    this.#timers.add(timer);
    return timer;
  }

  /** Takes a timer back. */
  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves time forward by `ms`, timer by timer, and lets promises settle before, between and
   * after them.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Moves time without running what is due: a machine that slept. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #first(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      const earlier =
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order);
      if (earlier) first = timer;
    }
    return first;
  }
}

/** Lets chains of promises run: a handler's answer takes a few turns of the microtask queue. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < MICROTASK_TURNS; turn += 1) await undefined;
}

/** Longer chains than any of this package, with room for a handler's own. */
const MICROTASK_TURNS = 32;
