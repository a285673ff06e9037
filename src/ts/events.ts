/** Listeners, and event streams made of them. */

import { Queue } from "./queue.js";

/** Calls every listener with every event; a listener that throws does not disturb the others. */
export class Listeners<T> {
  readonly #listeners = new Set<(event: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Whether anybody listens. */
  get any(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener; returns a function that takes it away. */
  add(listener: (event: T) => void): () => void {
    // A wrapper, so that the same function can be added twice and taken away once.
    const own = (event: T) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Tells every listener. */
  emit(event: T): void {
    // Who is added while an event is told hears from the next one on.
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

/**
 * What comes in while the consumer is busy waits in memory, in order, until it is read. A consumer that
 * is too slow for that is told so, after what waited: the process must not grow without end.
 */
export class EventStream<T> implements AsyncIterableIterator<T> {
  readonly #waiting = new Queue<T>();
  readonly #tooSlow: () => Error;
  #overflowed = false;
  readonly #readers: ((result: IteratorResult<T>) => void)[] = [];
  readonly #stop: () => void;
  #ended = false;

  /**
   * `start` gets the functions that feed and end the stream, and returns the one that stops;
   * `tooSlow` makes the error of a consumer that is.
   */
  constructor(
    tooSlow: () => Error,
    start: (push: (event: T) => void, end: () => void) => () => void,
  ) {
    this.#tooSlow = tooSlow;
    this.#stop = start(
      (event) => this.#push(event),
      () => this.#end(),
    );
  }

  /** The next event. */
  next(): Promise<IteratorResult<T>> {
    const event = this.#waiting.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#overflowed) {
      this.#overflowed = false;
      return Promise.reject(this.#tooSlow());
    }
    if (this.#ended) return Promise.resolve(END);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** Stops listening: what `break` in a `for await` does. */
  return(): Promise<IteratorResult<T>> {
    this.#stop();
    this.#waiting.clear();
    this.#overflowed = false;
    this.#end();
    return Promise.resolve(END);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #push(event: T): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) reader({ done: false, value: event });
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(event);
    else {
      this.#overflowed = true;
      this.#stop();
      this.#end();
    }
  }

  #end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader(END);
  }
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** How many events wait for a consumer at most. */
const MOST_WAITING = 65_536;
