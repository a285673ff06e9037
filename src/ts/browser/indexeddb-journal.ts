/** A journal in the browser's own database: `team-protocols/indexeddb`. */

import { hostError } from "../errors.js";
import type { JournalStore } from "../journal.js";
import type { Saved } from "../types.js";

/** How a journal in IndexedDB is kept. */
export interface IndexedDbJournalOptions {
  /**
   * How many characters the journal may have before a snapshot takes its place; where the snapshot
   * is larger, as many as it has. Default: 1 048 576.
   */
  readonly compactAfter?: number | undefined;
  /** The language of errors. Default: `en`. */
  readonly lang?: "en" | "zh" | undefined;
}

/**
 * Keeps the journal of one member in an IndexedDB database of its own. Each write is one transaction
 * of durability `strict`: it is there as a whole, or not at all. A lock of the same name keeps other
 * tabs out as long as it is open. Browsers may throw a site's data away when room is short;
 * `navigator.storage.persist()` asks them not to.
 */
export class IndexedDbJournal implements JournalStore {
  readonly #db: IDBDatabase;
  readonly #unlock: () => void;
  readonly #compactAfter: number;
  #length: number;
  #snapshotLength: number;

  private constructor(
    db: IDBDatabase,
    unlock: () => void,
    { journal = "", snapshot = "" }: Saved,
    { compactAfter = COMPACT_AFTER }: IndexedDbJournalOptions,
  ) {
    this.#db = db;
    this.#unlock = unlock;
    this.#compactAfter = compactAfter;
    this.#length = journal.length;
    this.#snapshotLength = snapshot.length;
  }

  /**
   * Opens the journal `name` of this site, or begins one.
   *
   * @throws {ProtocolError} `journal_in_use` while another tab or worker has it open.
   */
  static async open(
    name: string,
    options: IndexedDbJournalOptions = {},
  ): Promise<IndexedDbJournal> {
    const full = `team-protocols/${name}`;
    const unlock = await takeLock(full);
    if (unlock === undefined) throw hostError("journal_in_use", options.lang, { path: name });
    try {
      const request = indexedDB.open(full, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(LINES, { autoIncrement: true });
        request.result.createObjectStore(SNAPSHOT);
      };
      const db = await result(request);
      return new IndexedDbJournal(db, unlock, await read(db), options);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Whether nothing is kept yet. */
  get empty(): boolean {
    return this.#length === 0 && this.#snapshotLength === 0;
  }

  /** Whether the journal has outgrown `compactAfter`. */
  get crowded(): boolean {
    return this.#length > Math.max(this.#compactAfter, this.#snapshotLength);
  }

  /** Everything that is kept. */
  load(): Promise<Saved> {
    return read(this.#db);
  }

  /** Adds lines, each with its newline. */
  async append(lines: string): Promise<void> {
    await this.#change((stores) => stores(LINES).add(lines));
    this.#length += lines.length;
  }

  /** Cuts the lines off behind so many bytes of UTF-8. */
  async cut(bytes: number): Promise<void> {
    const { journal = "" } = await this.load();
    const kept = new TextDecoder().decode(new TextEncoder().encode(journal).slice(0, bytes));
    await this.#change((stores) => {
      stores(LINES).clear();
      if (kept !== "") stores(LINES).add(kept);
    });
    this.#length = kept.length;
  }

  /** Puts a snapshot in the place of all that was kept. */
  async compact(snapshot: string): Promise<void> {
    await this.#change((stores) => {
      stores(SNAPSHOT).put(snapshot, LAST);
      stores(LINES).clear();
    });
    [this.#length, this.#snapshotLength] = [0, snapshot.length];
  }

  /** Closes the database and lets other tabs have it. Close the engine first, and await its `saved`. */
  close(): void {
    this.#db.close();
    this.#unlock();
  }

  /** As {@link close}, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** One transaction. */
  #change(change: (stores: (name: string) => IDBObjectStore) => void): Promise<void> {
    const names = [LINES, SNAPSHOT];
    const transaction = this.#db.transaction(names, "readwrite", { durability: "strict" });
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      change((name) => transaction.objectStore(name));
    });
  }
}

async function read(db: IDBDatabase): Promise<Saved> {
  const transaction = db.transaction([LINES, SNAPSHOT], "readonly");
  const [lines, snapshot] = await Promise.all([
    result<string[]>(transaction.objectStore(LINES).getAll()),
    result<string | undefined>(transaction.objectStore(SNAPSHOT).get(LAST)),
  ]);
  return { journal: lines.join(""), ...(snapshot === undefined ? {} : { snapshot }) };
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Takes a lock until the function that it resolves with is called; `undefined` where it is taken. */
function takeLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const held = (lock: Lock | null) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    };
    navigator.locks.request(name, { ifAvailable: true }, held).catch(reject);
  });
}

const LINES = "lines";
const SNAPSHOT = "snapshot";
const LAST = "last";
const COMPACT_AFTER = 1024 * 1024;
