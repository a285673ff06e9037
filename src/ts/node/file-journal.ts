/** A journal in files. */

import {
  close,
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  write,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { hostError } from "../errors.js";
import type { JournalStore } from "../journal.js";
import type { Saved } from "../types.js";
import { takeLock } from "./file-lock.js";

/** How a journal in files is kept. */
export interface FileJournalOptions {
  /**
   * `true`: lines are on the disk when they are written (`fdatasync`), and survive a power failure.
   * `false`: they are with the operating system, and survive the end of the process. Default: `true`.
   */
  readonly sync?: boolean | undefined;
  /**
   * Writes at once, so that `gate.enter` may be called; each input waits for the disk. Default:
   * `false`: lines that come while one write is under way are written together by the next.
   */
  readonly blocking?: boolean | undefined;
  /**
   * How many bytes the journal may have before a snapshot takes its place; where the snapshot is
   * larger, as many as it has. Default: 1 048 576.
   */
  readonly compactAfterBytes?: number | undefined;
  /** The language of errors. Default: `en`. */
  readonly lang?: "en" | "zh" | undefined;
}

/**
 * Keeps the journal of one member in a file to which lines are only added, beside it its last snapshot
 * (`<path>.snapshot`) and, while it is open, a lock (`<path>.lock`) that keeps other processes out.
 *
 * A line that a process did not finish writing is cut off when the engine is restored
 * (`restored.tornBytes` tells). A snapshot is written to a file of its own, and put in the place of the
 * one before by renaming; only then is the journal emptied. Whatever happens in between, what is there
 * is enough.
 */
export class FileJournal implements JournalStore {
  readonly #path: string;
  readonly #file: number;
  readonly #unlock: () => void;
  readonly #sync: boolean;
  readonly #blocking: boolean;
  readonly #compactAfter: number;
  #bytes: number;
  #snapshotBytes: number;
  #open = true;

  private constructor(
    path: string,
    { sync = true, blocking = false, compactAfterBytes = COMPACT_AFTER }: FileJournalOptions,
    unlock: () => void,
  ) {
    this.#path = path;
    this.#unlock = unlock;
    this.#sync = sync;
    this.#blocking = blocking;
    this.#compactAfter = compactAfterBytes;
    this.#file = openSync(path, "a+");
    this.#bytes = fstatSync(this.#file).size;
    this.#snapshotBytes = statSync(this.#snapshot, { throwIfNoEntry: false })?.size ?? 0;
    syncFolder(path);
  }

  /**
   * Opens the journal at `path`, or begins one; its folder must be there.
   *
   * @throws {ProtocolError} `journal_in_use` while a process that lives has it open.
   */
  static async open(path: string, options: FileJournalOptions = {}): Promise<FileJournal> {
    const unlock = await takeLock(`${path}.lock`);
    if (unlock === undefined) throw hostError("journal_in_use", options.lang, { path });
    try {
      return new FileJournal(path, options, unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Whether nothing is kept yet. */
  get empty(): boolean {
    return this.#bytes === 0 && this.#snapshotBytes === 0;
  }

  /** Whether the journal has outgrown `compactAfterBytes`. */
  get crowded(): boolean {
    return this.#bytes > Math.max(this.#compactAfter, this.#snapshotBytes);
  }

  /** Everything that is kept. */
  load(): Saved {
    const journal = readFileSync(this.#path, "utf8");
    if (this.#snapshotBytes === 0) return { journal };
    return { snapshot: readFileSync(this.#snapshot, "utf8"), journal };
  }

  /** Adds lines, each with its newline. */
  append(lines: string): void | Promise<void> {
    const bytes = Buffer.from(lines, "utf8");
    if (!this.#blocking) return this.#appendLater(bytes);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    if (this.#sync) fdatasyncSync(this.#file);
    this.#bytes += bytes.length;
  }

  /** Cuts the lines off behind so many bytes of UTF-8. */
  cut(bytes: number): void {
    ftruncateSync(this.#file, bytes);
    fsyncSync(this.#file);
    this.#bytes = bytes;
  }

  /** Puts a snapshot in the place of all that was kept. */
  compact(snapshot: string): void {
    const fresh = `${this.#snapshot}.new`;
    const file = openSync(fresh, "w");
    try {
      const bytes = Buffer.from(snapshot, "utf8");
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      fsyncSync(file);
      this.#snapshotBytes = bytes.length;
    } finally {
      closeSync(file);
    }
    renameSync(fresh, this.#snapshot);
    syncFolder(this.#path);
    this.cut(0);
  }

  /** Closes the file and lets other processes have it. Close the engine first, and await its `saved`. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await promisify(close)(this.#file);
    this.#unlock();
  }

  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #appendLater(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += (await promisify(write)(this.#file, bytes, done)).bytesWritten;
    }
    if (this.#sync) await promisify(fdatasync)(this.#file);
    this.#bytes += bytes.length;
  }

  get #snapshot(): string {
    return `${this.#path}.snapshot`;
  }
}

/** A file is there after a power failure when its folder is on the disk. */
function syncFolder(path: string): void {
  // Windows has no such thing, and does not need it.
  if (process.platform === "win32") return;
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const COMPACT_AFTER = 1024 * 1024;
