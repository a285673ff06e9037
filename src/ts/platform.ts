/**
 * The few things of the platform that are not part of ECMAScript: every runtime this package runs
 * in has them, and declaring them here keeps the types of its users free of DOM and Node.
 */

interface Platform {
  atob(base64: string): string;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
  queueMicrotask(run: () => void): void;
  readonly TextDecoder: new (
    label: string,
    options: { ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array): string };
  readonly TextEncoder: new () => {
    encodeInto(text: string, into: Uint8Array): { read: number; written: number };
  };
}

/** The global object, seen through what this package uses of it. */
export const platform = globalThis as unknown as Platform;

/** What this package uses of an `AbortSignal`: any object with these members will do. */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean;
  /** Why. */
  readonly reason: unknown;
  /** Calls `listener` when it is aborted. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Takes the listener away. */
  removeEventListener(type: "abort", listener: () => void): void;
}
