/** What an engine causes goes out in order, and not before the journal has what caused it. */

import { hostError, type ProtocolError } from "./errors.js";
import { isPromise } from "./handlers.js";
import { isStore, type Journal } from "./journal.js";
import { Queue } from "./queue.js";
import type { Effect, Event, OutgoingFrame } from "./types.js";

/** What delivers needs of its engine. */
export interface Delivers {
  /** The language of errors. */
  readonly lang: "en" | "zh";
  /** How many effects wait in the core. */
  pending(): number;
  /** The next effect. */
  pollEffect(): Effect | undefined;
  /** Everything that this line caused was handed over. */
  released(n: number): void;
  /** The whole state; `undefined` after the end. */
  snapshot(): string | undefined;
  /** Hands a frame over. */
  send(frame: OutgoingFrame): void;
  /** Tells an event. */
  happened(event: Event): void;
  /** The journal cannot be written: nothing goes out any more. */
  failed(error: ProtocolError): void;
}

/** Somebody who waits until all that was before is safe. */
interface Waiting {
  readonly type: "then";
  readonly run: () => void;
  readonly fail: (error: ProtocolError) => void;
}

/**
 * Takes effects out of the core and hands them over. Lines of the journal that wait together are
 * written together: while one write is under way, the lines of further inputs gather.
 */
export class Delivery {
  readonly #engine: Delivers;
  readonly #journal: Journal | undefined;
  readonly #waiting = new Queue<Effect | Waiting>();
  #busy = false;
  /** Whether the journal is at work. */
  #writing = false;
  /** Up to which line the journal has everything. */
  #safe = 0;
  /** The line whose effects are being handed over. */
  #line = 0;
  #failure: ProtocolError | undefined;
  #takesTime = false;

  constructor(engine: Delivers, journal: Journal | undefined) {
    this.#engine = engine;
    this.#journal = journal;
  }

  /** Whether the journal is one whose writes take time. */
  get takesTime(): boolean {
    return this.#takesTime;
  }

  /** Whether so much waits for a journal that is slow that no more frames may come in. */
  get full(): boolean {
    return this.#writing && this.#waiting.length + this.#engine.pending() >= MOST_WAITING;
  }

  /** Why nothing goes out any more. */
  get failure(): ProtocolError | undefined {
    return this.#failure;
  }

  /**
   * Hands over what may go out. Law 9: the core is not borrowed here, so whatever is called may call
   * back in; what it causes comes behind what is there.
   */
  run(): void {
    if (this.#busy || this.#writing) return;
    this.#busy = true;
    try {
      while (this.#step());
      this.#release();
    } finally {
      this.#busy = false;
    }
    if (this.#idle && isStore(this.#journal) && this.#journal.crowded) this.#compact(this.#journal);
  }

  /** Runs when everything so far is safe and handed over; at once if it is. */
  whenSafe(run: () => void, fail: (error: ProtocolError) => void): void {
    if (this.#failure !== undefined) {
      fail(this.#failure);
      return;
    }
    this.#take();
    this.#waiting.push({ type: "then", run, fail });
    this.run();
  }

  /** Writes what can be written at once, also from inside; whether everything so far is safe. */
  secure(): boolean {
    this.#take();
    return this.#write();
  }

  get #idle(): boolean {
    return this.#waiting.length === 0 && !this.#writing && this.#failure === undefined;
  }

  /** Hands over one thing; whether there may be another one. */
  #step(): boolean {
    this.#take();
    const next = this.#waiting.first;
    if (next === undefined || this.#failure !== undefined) return false;
    if (next.type === "journal" && next.n > this.#safe && !this.#write()) return false;
    this.#waiting.shift();
    switch (next.type) {
      case "journal":
        this.#release();
        this.#line = next.n;
        break;
      case "send":
        this.#engine.send(next);
        break;
      case "event":
        this.#engine.happened(next.event);
        break;
      case "then":
        next.run();
    }
    return true;
  }

  #release(): void {
    if (this.#line > 0) this.#engine.released(this.#line);
  }

  #take(): void {
    const { pollEffect } = this.#engine;
    for (let effect = pollEffect(); effect; effect = pollEffect()) this.#waiting.push(effect);
  }

  /** Writes all lines that wait; whether they are safe now. */
  #write(): boolean {
    if (this.#writing || this.#failure !== undefined) return false;
    let [text, last] = ["", this.#safe];
    for (const effect of this.#waiting) {
      if (effect.type !== "journal" || effect.n <= this.#safe) continue;
      text += `${effect.line}\n`;
      last = effect.n;
    }
    if (last === this.#safe) return true;
    const { lang } = this.#engine;
    const journal = this.#journal;
    if (journal === undefined) {
      this.#fail(hostError("bad_option", lang, { path: "options.journal" }));
      return false;
    }
    return this.#work(
      () => journal.append(text),
      () => {
        this.#safe = last;
      },
    );
  }

  #compact(journal: { compact(snapshot: string): void | PromiseLike<void> }): void {
    const snapshot = this.#engine.snapshot();
    if (snapshot === undefined) return;
    this.#work(
      () => journal.compact(snapshot),
      () => undefined,
    );
  }

  /** Lets the journal do something; whether it is done. What takes time goes on by itself. */
  #work(start: () => void | PromiseLike<void>, done: () => void): boolean {
    const failed = (cause: unknown) =>
      this.#fail(hostError("journal_failed", this.#engine.lang, { cause }));
    try {
      const under = start();
      if (!isPromise(under)) {
        done();
        return true;
      }
      this.#takesTime = true;
      this.#writing = true;
      under.then(() => {
        this.#writing = false;
        done();
        this.run();
      }, failed);
    } catch (cause) {
      failed(cause);
    }
    return false;
  }

  #fail(error: ProtocolError): void {
    this.#failure = error;
    const waiting = this.#waiting.clear();
    this.#engine.failed(error);
    for (const entry of waiting) if (entry.type === "then") entry.fail(error);
  }
}

/** How many effects may wait for the journal: at a few hundred bytes each, some megabytes. */
const MOST_WAITING = 16_384;
