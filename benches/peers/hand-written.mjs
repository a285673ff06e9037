/**
 * The shutdown handshake as a careful JavaScript author would write it by hand: one Map of pending
 * requests, JSON text through a callback, the essential rules only (shape, roles, addressee,
 * reason, id, responder, deadline). No repeats, lives, liveness, audit, or bounds: less than the
 * product does.
 */

import { randomUUID } from "node:crypto";

export class HandWritten {
  #pending = new Map();
  #owed = new Map();

  constructor({ member, lead, members, send, tell }) {
    this.member = member;
    this.lead = lead;
    this.members = new Set(members);
    this.send = send;
    this.tell = tell;
  }

  requestShutdown(now, to, reason) {
    if (this.member !== this.lead) throw new Error("only the lead asks for shutdowns");
    if (to === "*") throw new Error("no broadcast");
    if (to === this.member || !this.members.has(to)) throw new Error(`no such worker: ${to}`);
    const id = `req_${randomUUID()}`;
    this.#pending.set(id, { to, deadline: now + 60_000, status: "pending" });
    this.#post(to, { type: "shutdown_request", request_id: id, reason });
    return id;
  }

  respond(id, approve, reason) {
    const request = this.#owed.get(id);
    if (request === undefined) throw new Error(`unknown request: ${id}`);
    if (request.answer !== undefined) throw new Error("answered already");
    if (!approve && (typeof reason !== "string" || reason.trim() === "")) {
      throw new Error("a refusal says why");
    }
    request.answer = approve;
    this.#post(request.from, { type: "shutdown_response", request_id: id, approve, reason });
  }

  receive(now, text, from) {
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      return "not_json";
    }
    if (typeof frame !== "object" || frame === null) return "not_an_object";
    if (frame.from !== from || !this.members.has(from)) return "forged";
    if (frame.to !== this.member) return "misaddressed";
    const { message } = frame;
    if (typeof message !== "object" || message === null) return "chat";
    if (typeof message.request_id !== "string" || message.request_id === "") return "no_id";
    switch (message.type) {
      case "shutdown_request":
        return this.#asked(now, from, message);
      case "shutdown_response":
        return this.#decided(now, from, message);
      default:
        return "unknown_type";
    }
  }

  /** Ends what is overdue: called by one timer. */
  sweep(now) {
    for (const [id, request] of this.#pending) {
      if (request.status === "pending" && now >= request.deadline) this.#settle(id, "timed_out");
    }
  }

  #asked(now, from, message) {
    if (from !== this.lead) return "not_allowed";
    if (message.reason !== undefined && typeof message.reason !== "string") return "wrong_type";
    if (this.#owed.has(message.request_id)) return "duplicate";
    this.#owed.set(message.request_id, { from, at: now, answer: undefined });
    this.tell({ type: "request", requestId: message.request_id, from, reason: message.reason });
    return "accepted";
  }

  #decided(now, from, message) {
    if (typeof message.approve !== "boolean") return "wrong_type";
    if (message.reason !== undefined && typeof message.reason !== "string") return "wrong_type";
    if (!message.approve && (message.reason ?? "").trim() === "") return "reason_required";
    const request = this.#pending.get(message.request_id);
    if (request === undefined) return "orphan";
    if (request.to !== from) return "wrong_responder";
    if (request.status !== "pending") return "duplicate";
    if (now >= request.deadline) {
      this.#settle(message.request_id, "timed_out");
      return "late";
    }
    this.#settle(message.request_id, message.approve ? "approved" : "rejected", message.reason);
    return "settled";
  }

  #settle(id, status, reason) {
    const request = this.#pending.get(id);
    request.status = status;
    this.#pending.delete(id);
    this.tell({ type: "settled", requestId: id, status, reason });
  }

  /** What a host does now and then, so that neither side grows without end. */
  forget(id) {
    this.#owed.delete(id);
  }

  #post(to, message) {
    this.send(to, JSON.stringify({ from: this.member, to, message }));
  }
}
