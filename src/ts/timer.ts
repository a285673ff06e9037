/** One timer for one moving deadline. */

import type { Clock } from "./clock.js";

/**
 * Calls back at a deadline that moves often. The timer is set anew only when the deadline comes
 * nearer or goes away; one that moved further off costs an early wake-up, which finds nothing due.
 */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #handle: unknown;
  #at: number | undefined;
  /** The latest time seen. The core's time stands still while a clock is behind it. */
  #latest: number;

  /** Begins at `now`, which is a time that the clock gave. */
  constructor(clock: Clock, now: number, wake: () => void) {
    this.#clock = clock;
    this.#latest = now;
    this.#wake = wake;
  }

  /** Wakes at `deadline` (ms since the Unix epoch); never, when it is `undefined`. */
  set(deadline: number | undefined): void {
    if (this.#at !== undefined && deadline !== undefined && deadline >= this.#at) return;
    this.stop();
    if (deadline === undefined) return;
    // A longer wait than timers can hold is served in stages.
    const stage = Math.min(this.#wait(deadline), LONGEST_TIMER_MS);
    this.#at = Math.min(deadline, this.#latest + stage);
    this.#handle = this.#clock.setTimeout(() => {
      this.#at = undefined;
      this.#wake();
    }, stage);
  }

  /** Wakes no more. */
  stop(): void {
    if (this.#at === undefined) return;
    this.#at = undefined;
    this.#clock.clearTimeout(this.#handle);
  }

  #wait(deadline: number): number {
    const now = this.#clock.now();
    const sound = now >= this.#latest && now <= Number.MAX_SAFE_INTEGER;
    if (!sound) return Math.max(RECHECK_MS, deadline - this.#latest);
    this.#latest = now;
    return Math.max(0, Math.ceil(deadline - now));
  }
}

/** How soon to look again whether a clock that is behind, or broken, has recovered. */
const RECHECK_MS = 1_000;

/** Timers of the platforms hold 31 bits of milliseconds; above that they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
