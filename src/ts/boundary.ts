/**
 * The room where JavaScript and the wasm core meet.
 *
 * Text goes in through one buffer in wasm memory, written with `encodeInto`; a call gets the byte
 * lengths. Out come a status, a result text and the effects: four numbers each, and one text for
 * all of them that is decoded once and sliced. Nothing read from here points into wasm memory.
 */

import { platform } from "./platform.js";
import { header, initSync, type RawExports, reserve } from "./wasm/team_protocols.js";

/** A frame to hand to the transport. */
export interface RawSend {
  readonly kind: "send";
  readonly seq: number;
  readonly to: string;
  readonly frame: string;
}

/** An event as JSON, and the request it settles, opens or closes ("" for other events). */
export interface RawEvent {
  readonly kind: "event";
  readonly requestId: string;
  readonly json: string;
}

/** What a call left behind. */
export interface Output {
  readonly result: string;
  readonly effects: readonly (RawSend | RawEvent)[];
}

/** The length that stands for a text that is not given. */
const ABSENT = 0xffff_ffff;

const RECORD_WORDS = 4;
const HEADER_WORDS = 6;
const SEND = 0;

/** A UTF-16 unit takes three bytes of UTF-8 at the most. */
const BYTES_PER_UNIT = 3;

const encoder = new platform.TextEncoder();
const decoder = new platform.TextDecoder("utf-8", { ignoreBOM: true });

let exports: RawExports | undefined;
let input = new Uint8Array(0);
let inputAddress = 0;
let headerAddress = 0;
let cursor = 0;

/** Starts the core, once; later calls do nothing. `module` is the wasm as bytes or compiled. */
export function start(module: object): void {
  if (exports !== undefined) return;
  exports = initSync({ module });
  headerAddress = header();
}

/** Whether the core was started. */
export function isStarted(): boolean {
  return exports !== undefined;
}

/** Begins the texts of the next call. */
export function begin(): void {
  cursor = 0;
}

/** Writes the next text of a call and returns its length for the core. */
export function put(text: string | undefined): number {
  if (text === undefined) return ABSENT;
  const room = cursor + text.length * BYTES_PER_UNIT;
  // Growing memory detaches every view of it; a detached view has no length.
  if (room > input.length) openInput(room);
  const { written } = encoder.encodeInto(text, cursor === 0 ? input : input.subarray(cursor));
  cursor += written;
  return written;
}

/** Takes out what the last call left behind. */
export function take(): Output {
  const { buffer } = memory();
  const [records = 0, count = 0, text = 0, bytes = 0, , resultEnd = 0] = new Uint32Array(
    buffer,
    headerAddress,
    HEADER_WORDS,
  );
  if (bytes === 0) return NOTHING;
  const all = decoder.decode(new Uint8Array(buffer, text, bytes));
  if (count === 0) return { result: all, effects: NO_EFFECTS };
  const words = new Uint32Array(buffer, records, count * RECORD_WORDS);
  const effects: (RawSend | RawEvent)[] = [];
  let from = resultEnd;
  for (let at = 0; at < words.length; at += RECORD_WORDS) {
    const [kind, seq = 0, middle = 0, end = 0] = words.subarray(at, at + RECORD_WORDS);
    const first = all.slice(from, middle);
    const second = all.slice(middle, end);
    from = end;
    effects.push(
      kind === SEND
        ? { kind: "send", seq, to: first, frame: second }
        : { kind: "event", requestId: first, json: second },
    );
  }
  return { result: all.slice(0, resultEnd), effects };
}

function openInput(bytes: number): void {
  inputAddress = reserve(bytes);
  input = new Uint8Array(memory().buffer, inputAddress, Math.max(bytes, FIRST_INPUT));
}

function memory(): RawExports["memory"] {
  if (exports === undefined) {
    throw new Error("the wasm core is not started: call init() of team-protocols/slim first");
  }
  return exports.memory;
}

/** The core keeps at least this much room for input. */
const FIRST_INPUT = 16 * 1024;

const NO_EFFECTS: Output["effects"] = Object.freeze([]);
const NOTHING: Output = Object.freeze({ result: "", effects: NO_EFFECTS });
