/** What waits in order: taking the first is as quick with many as with few, which arrays do not promise. */
export class Queue<T> {
  #items: T[] = [];
  #next = 0;

  /** How many wait. */
  get length(): number {
    return this.#items.length - this.#next;
  }

  /** The first, which stays. */
  get first(): T | undefined {
    return this.#items[this.#next];
  }

  /** Adds one behind all others. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first. */
  shift(): T | undefined {
    const first = this.#items[this.#next];
    if (this.length === 0) return undefined;
    this.#next += 1;
    // What was taken must not be kept alive for long.
    if (this.length === 0 || (this.#next >= MOST_TAKEN && this.#next > this.length)) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return first;
  }

  /** Takes all. */
  clear(): T[] {
    const all = this.#items.slice(this.#next);
    this.#items = [];
    this.#next = 0;
    return all;
  }

  /** All of them, in order; they stay. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let at = this.#next; at < this.#items.length; at += 1) yield this.#items[at] as T;
  }
}

const MOST_TAKEN = 1_024;
