/** Where the journal of an engine is kept. */

import type { Saved } from "./types.js";

/**
 * Keeps the lines of one engine's journal. An engine makes one call at a time: it waits for the
 * promise of one before it makes the next. What a call causes goes out when it returns or resolves;
 * if it throws or rejects, the engine stops and nothing more goes out.
 */
export interface Journal {
  /** Adds lines, each with its newline, behind all others. They are safe when it returns, or resolves. */
  append(lines: string): void | PromiseLike<void>;
}

/** A journal that an engine can be restored from. */
export interface JournalStore extends Journal {
  /** Whether nothing is kept yet: a new engine must begin with nothing, to restore takes something. */
  readonly empty: boolean;
  /** Whether so much has come since the last snapshot that another one is worth its while. */
  readonly crowded: boolean;
  /** Everything that is kept. */
  load(): Saved | PromiseLike<Saved>;
  /** Cuts the lines off behind so many bytes of UTF-8. */
  cut(bytes: number): void | PromiseLike<void>;
  /** Keeps a snapshot in the place of all that was kept. At no time may less be there than that. */
  compact(snapshot: string): void | PromiseLike<void>;
}

/** Whether an engine can be restored from it. */
export function isStore(journal: Journal | undefined): journal is JournalStore {
  return typeof (journal as Partial<JournalStore> | undefined)?.load === "function";
}
