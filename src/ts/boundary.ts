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

/** A line of the journal. */
export interface RawLine {
  readonly kind: "journal";
  readonly n: number;
  readonly line: string;
}

/** One thing that a call left to do. */
export type RawEffect = RawSend | RawEvent | RawLine;

/** What a call left behind. */
export interface Output {
  readonly result: string;
  readonly effects: readonly RawEffect[];
}

/** The length that stands for a text that is not given. */
const ABSENT = 0xffff_ffff;

const WORD_BYTES = 4;

/** The words of the header. */
const RECORDS = 0;
const COUNT = 1;
const TEXT = 2;
const TEXT_BYTES = 3;
const RESULT_END = 5;

/** The words of a record: what it is and the upper half of its number, the lower half, where its two
 * texts end. */
const RECORD_WORDS = 4;
const KIND_BITS = 8;
const SEND = 0;
const EVENT = 1;

/** A UTF-16 unit takes three bytes of UTF-8 at the most. */
const BYTES_PER_UNIT = 3;

const encoder = new platform.TextEncoder();
const decoder = new platform.TextDecoder("utf-8", { ignoreBOM: true });

let exports: RawExports | undefined;
let input = new Uint8Array(0);
let words = new Uint32Array(0);
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
  if (room > input.length) openInput(room);
  const { written } = encoder.encodeInto(text, cursor === 0 ? input : input.subarray(cursor));
  cursor += written;
  return written;
}

/** Takes out what the last call left behind. */
export function take(): Output {
  const { buffer } = memory();
  // Growing memory detaches every view of it; a detached view has no length.
  if (words.length === 0) words = new Uint32Array(buffer);
  const head = headerAddress / WORD_BYTES;
  const bytes = words[head + TEXT_BYTES] as number;
  if (bytes === 0) return NOTHING;
  const all = decoder.decode(new Uint8Array(buffer, words[head + TEXT] as number, bytes));
  const count = words[head + COUNT] as number;
  if (count === 0) return { result: all, effects: NO_EFFECTS };
  const effects: RawEffect[] = [];
  let at = (words[head + RECORDS] as number) / WORD_BYTES;
  let from = words[head + RESULT_END] as number;
  for (let left = count; left > 0; left -= 1, at += RECORD_WORDS) {
    const middle = words[at + 2] as number;
    const end = words[at + 3] as number;
    const first = all.slice(from, middle);
    const second = all.slice(middle, end);
    from = end;
    effects.push(effect(at, first, second));
  }
  return { result: all.slice(0, words[head + RESULT_END]), effects };
}

/** One effect from its record and its texts. */
function effect(at: number, first: string, second: string): RawEffect {
  const word = words[at] as number;
  const kind = word & ((1 << KIND_BITS) - 1);
  if (kind === EVENT) return { kind: "event", requestId: first, json: second };
  const number = (word >>> KIND_BITS) * 2 ** 32 + (words[at + 1] as number);
  if (kind === SEND) return { kind: "send", seq: number, to: first, frame: second };
  return { kind: "journal", n: number, line: second };
}

function openInput(bytes: number): void {
  const address = reserve(bytes);
  input = new Uint8Array(memory().buffer, address, Math.max(bytes, FIRST_INPUT));
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
