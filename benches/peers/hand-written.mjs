/**
 * Both handshakes as a careful JavaScript author would write them by hand: one Map of pending
 * requests, JSON text through a callback, the essential rules only (shape, roles, addressee,
 * reason, id, responder, deadline). No repeats, lives, liveness, audit, digests or bounds: less than
 * the product does. Who judges the shape can be another one: that makes the peers with a validator.
 */

import { randomUUID } from "node:crypto";

export class HandWritten {
  #pending = new Map();
  #owed = new Map();

  constructor({ member, lead, members, send, tell, fits = byHand }) {
    this.member = member;
    this.lead = lead;
    this.members = new Set(members);
    this.send = send;
    this.tell = tell;
    this.fits = fits;
  }

  requestShutdown(now, to, reason) {
    if (this.member !== this.lead) throw new Error("only the lead asks for shutdowns");
    if (to === "*") throw new Error("no broadcast");
    if (to === this.member || !this.members.has(to)) throw new Error(`no such worker: ${to}`);
    return this.#ask(now, to, { type: "shutdown_request", reason });
  }

  submitPlan(now, plan) {
    if (this.member === this.lead) throw new Error("the lead has nobody to ask");
    return this.#ask(now, this.lead, { type: "plan_approval_request", plan });
  }

  respond(id, approve, reason) {
    const request = this.#owed.get(id);
    if (request === undefined) throw new Error(`unknown request: ${id}`);
    if (request.answer !== undefined) throw new Error("answered already");
    if (!approve && (typeof reason !== "string" || reason.trim() === "")) {
      throw new Error("a refusal says why");
    }
    request.answer = approve;
    const type = request.plan ? "plan_approval_response" : "shutdown_response";
    const said = request.plan ? { feedback: reason } : { reason };
    this.#post(request.from, { type, request_id: id, approve, ...said });
  }

  receive(now, text, from) {
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      return "not_json";
    }
    if (!this.fits(frame)) return "wrong_type";
    if (frame.from !== from || !this.members.has(from)) return "forged";
    if (frame.to !== this.member) return "misaddressed";
    const { message } = frame;
    switch (message.type) {
      case "shutdown_request":
        return from === this.lead ? this.#asked(now, from, message) : "not_allowed";
      case "plan_approval_request":
        return this.member === this.lead ? this.#asked(now, from, message) : "not_allowed";
      case "shutdown_response":
        return this.#decided(now, from, message, message.reason);
      default:
        return this.#decided(now, from, message, message.feedback);
    }
  }

  /** Ends what is overdue: called by one timer. */
  sweep(now) {
    for (const [id, request] of this.#pending) {
      if (request.status === "pending" && now >= request.deadline) this.#settle(id, "timed_out");
    }
  }

  /** What a host does now and then, so that neither side grows without end. */
  forget(id) {
    this.#owed.delete(id);
  }

  #ask(now, to, message) {
    const id = `req_${randomUUID()}`;
    this.#pending.set(id, { to, deadline: now + 60_000, status: "pending" });
    this.#post(to, { ...message, request_id: id });
    return id;
  }

  #asked(now, from, { request_id: requestId, reason, plan }) {
    if (this.#owed.has(requestId)) return "duplicate";
    this.#owed.set(requestId, { from, at: now, plan: plan !== undefined, answer: undefined });
    this.tell({ type: "request", requestId, from, reason, plan });
    return "accepted";
  }

  #decided(now, from, message, reason) {
    if (!message.approve && (reason ?? "").trim() === "") return "reason_required";
    const request = this.#pending.get(message.request_id);
    if (request === undefined) return "orphan";
    if (request.to !== from) return "wrong_responder";
    if (request.status !== "pending") return "duplicate";
    if (now >= request.deadline) {
      this.#settle(message.request_id, "timed_out");
      return "late";
    }
    this.#settle(message.request_id, message.approve ? "approved" : "rejected", reason);
    return "settled";
  }

  #settle(id, status, reason) {
    const request = this.#pending.get(id);
    request.status = status;
    this.#pending.delete(id);
    this.tell({ type: "settled", requestId: id, status, reason });
  }

  #post(to, message) {
    this.send(to, JSON.stringify({ from: this.member, to, message }));
  }
}

/** The shape of a frame, checked by hand. */
export function byHand(frame) {
  if (typeof frame !== "object" || frame === null) return false;
  const { message } = frame;
  if (typeof message !== "object" || message === null) return false;
  if (typeof message.request_id !== "string" || message.request_id === "") return false;
  switch (message.type) {
    case "shutdown_request":
      return optionalText(message.reason);
    case "plan_approval_request":
      return isPlan(message.plan);
    case "shutdown_response":
      return typeof message.approve === "boolean" && optionalText(message.reason);
    case "plan_approval_response":
      return typeof message.approve === "boolean" && optionalText(message.feedback);
    default:
      return false;
  }
}

function isPlan(plan) {
  if (typeof plan !== "object" || plan === null) return false;
  const { title, scope, steps, risk, text } = plan;
  return (
    [title, risk, text].every((part) => typeof part === "string") &&
    [scope, steps].every((list) => Array.isArray(list) && list.every(isText))
  );
}

const isText = (value) => typeof value === "string";
const optionalText = (value) => value === undefined || isText(value);
