/** A transport within one process: direct, or as unreliable as a test wants it. */

import { type Clock, systemClock } from "./clock.js";
import type { Disposition, OutgoingFrame } from "./types.js";

/** What the bus needs of an engine. */
export interface BusMember {
  /** Its name. */
  readonly member: string;
  /** Takes in a frame. */
  receive(frame: string, options: { from: string }): Disposition;
}

/** How a bus behaves. Without options it delivers every frame at once, in order. */
export interface LocalBusOptions {
  /** How long a frame travels, in ms: a number, or the bounds of a range. Default: 0. */
  readonly delayMs?: number | readonly [number, number];
  /** The share of frames that is lost, 0 to 1. Default: 0. */
  readonly loss?: number;
  /** The share of frames that arrives twice, 0 to 1. Default: 0. */
  readonly duplicate?: number;
  /** The share of frames that is held back for another `delayMs` or 10 ms. Default: 0. */
  readonly reorder?: number;
  /** Where chance comes from: the same seed, the same run. Default: 1. */
  readonly seed?: number;
  /** Where time comes from. */
  readonly clock?: Clock;
}

/** A frame on its way, as an observer sees it. */
export interface BusFrame extends OutgoingFrame {
  /** Who sent it. */
  readonly from: string;
  /** What the bus does with it. */
  readonly fate: "delivered" | "lost" | "duplicated" | "held_back" | "waiting";
}

/**
 * Carries frames between engines of one process.
 *
 * ```ts
 * const bus = new LocalBus();
 * const lead = new ProtocolEngine({ team, member: "team-lead", transport: bus.transport("team-lead") });
 * bus.connect(lead);
 * ```
 *
 * The bus knows who sent a frame, whatever the frame says. Frames for a member that is not
 * connected wait for it, as in a mailbox.
 */
export class LocalBus {
  readonly #members = new Map<string, BusMember>();
  readonly #mailboxes = new Map<string, { from: string; frame: string }[]>();
  readonly #observers = new Set<(frame: BusFrame) => void>();
  readonly #clock: Clock;
  readonly #delay: readonly [number, number];
  readonly #options: LocalBusOptions;
  readonly #random: () => number;

  /** A bus with these habits. */
  constructor(options: LocalBusOptions = {}) {
    const { delayMs = 0 } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#delay = typeof delayMs === "number" ? [delayMs, delayMs] : delayMs;
    this.#random = seeded(options.seed ?? 1);
  }

  /** The transport of one member: give it to that member's engine. */
  transport(from: string): (frame: OutgoingFrame) => void {
    return (frame) => this.#carry(from, frame);
  }

  /** Delivers to this engine from now on, first what waited for it. */
  connect(member: BusMember): void {
    const name = member.member;
    this.#members.set(name, member);
    const mailbox = this.#mailboxes.get(name) ?? [];
    try {
      // What comes in meanwhile waits behind the rest.
      while (this.#members.get(name) === member) {
        const waiting = mailbox.shift();
        if (waiting === undefined) break;
        member.receive(waiting.frame, { from: waiting.from });
      }
    } catch (error) {
      this.disconnect(name);
      throw error;
    }
    if (mailbox.length === 0) this.#mailboxes.delete(name);
  }

  /** Delivers no more to this member; its frames wait. */
  disconnect(name: string): void {
    this.#members.delete(name);
  }

  /** How many frames wait for a member that is not connected. */
  waiting(name: string): number {
    return this.#mailboxes.get(name)?.length ?? 0;
  }

  /** Shows every frame that is sent. Returns a function that ends it. */
  observe(observer: (frame: BusFrame) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  #carry(from: string, outgoing: OutgoingFrame): void {
    const { loss = 0, duplicate = 0, reorder = 0 } = this.#options;
    if (this.#happens(loss)) {
      this.#show(from, outgoing, "lost");
      return;
    }
    const twice = this.#happens(duplicate);
    const heldBack = this.#happens(reorder);
    const connected = this.#members.has(outgoing.to);
    const fate = twice ? "duplicated" : heldBack ? "held_back" : "delivered";
    this.#show(from, outgoing, connected ? fate : "waiting");
    const delay = this.#travel();
    this.#send(from, outgoing, heldBack ? delay + this.#holdBack() : delay);
    if (twice) this.#send(from, outgoing, this.#travel());
  }

  #send(from: string, outgoing: OutgoingFrame, delay: number): void {
    const { to, frame } = outgoing;
    if (delay <= 0) this.#deliver(from, to, frame);
    else {
      this.#clock.setTimeout(() => {
        // Its sender took it for sent long ago.
        if (this.waiting(to) >= MAILBOX_FRAMES) this.#show(from, outgoing, "lost");
        else this.#deliver(from, to, frame);
      }, delay);
    }
  }

  #deliver(from: string, to: string, frame: string): void {
    const member = this.#members.get(to);
    const waiting = this.#mailboxes.get(to);
    if (member !== undefined && waiting === undefined) {
      member.receive(frame, { from });
      return;
    }
    const mailbox = waiting ?? [];
    // The engine learns of it as a failed send.
    if (mailbox.length >= MAILBOX_FRAMES) throw new Error(`the mailbox of ${to} is full`);
    this.#mailboxes.set(to, mailbox);
    mailbox.push({ from, frame });
  }

  #show(from: string, { to, frame, seq }: OutgoingFrame, fate: BusFrame["fate"]): void {
    for (const observer of this.#observers) observer({ from, to, frame, seq, fate });
  }

  #happens(share: number): boolean {
    return share > 0 && this.#random() < share;
  }

  #travel(): number {
    const [least, most] = this.#delay;
    return most > least ? least + this.#random() * (most - least) : least;
  }

  #holdBack(): number {
    return Math.max(HOLD_BACK_MS, this.#delay[1]);
  }
}

/** A member that nobody connects must not make the process grow. */
const MAILBOX_FRAMES = 10_000;

/** Enough for the frames sent right after it to overtake it. */
const HOLD_BACK_MS = 10;

/** Numbers from 0 to 1 that follow from the seed (xorshift, 32 bits). */
function seeded(seed: number): () => number {
  let state = (seed | 0) ^ 0x9e37_79b9 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
