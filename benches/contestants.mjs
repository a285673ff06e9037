/**
 * Who runs: each is `{ shutdown(count), plan(count, text) }`, one full handshake `count` times, both
 * ends: make the request, send it through a callback as text, parse, judge, record, put it before the
 * host, decide, send back, parse, judge, match, settle, tell the host. Each counts its settlements.
 */

import { Engine, LocalBus, ProtocolEngine } from "../pkg/index.js";
import { LEAD, NOW, planOf, REASON, REFUSAL, WORKERS } from "./cases.mjs";
import { HandWritten } from "./peers/hand-written.mjs";
import { VALIDATORS } from "./peers/validators.mjs";

const TEAM = [{ name: LEAD, role: "lead" }, ...WORKERS.map((name) => ({ name }))];

function counted(settled, count) {
  if (settled !== count) throw new Error(`${settled} of ${count} handshakes settled`);
}

/** The sans-IO class: no promises, no timers. */
function sansIo() {
  const run = (count, begin) => {
    const engines = new Map(
      TEAM.map(({ name }) => [name, new Engine({ team: TEAM, member: name }, NOW)]),
    );
    let settled = 0;
    const drain = (name) => {
      const engine = engines.get(name);
      for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
        if (effect.type === "send") {
          engines.get(effect.to).receive(NOW, effect.frame, name);
          drain(effect.to);
        } else if (effect.event.type === "request") {
          engine.respond(NOW, effect.event.requestId, REFUSAL);
        } else if (effect.event.type === "settled" && effect.event.status === "rejected") {
          settled += 1;
        }
      }
    };
    for (let n = 0; n < count; n += 1) drain(begin(engines, n));
    counted(settled, count);
    for (const engine of engines.values()) engine.dispose();
  };
  return {
    shutdown: (count) =>
      run(count, (engines, n) => {
        engines.get(LEAD).requestShutdown(NOW, WORKERS[n % WORKERS.length], { reason: REASON });
        return LEAD;
      }),
    plan: (count, text) =>
      run(count, (engines, n) => {
        const worker = WORKERS[n % WORKERS.length];
        engines.get(worker).submitPlan(NOW, planOf(text, n));
        return worker;
      }),
  };
}

/** With promises, events and timers, over the bus of the package. */
function withPromises() {
  const run = async (count, begin) => {
    const bus = new LocalBus();
    const engines = new Map();
    for (const { name } of TEAM) {
      const engine = new ProtocolEngine({
        team: TEAM,
        member: name,
        transport: bus.transport(name),
      });
      engine.onRequest("*", () => REFUSAL);
      bus.connect(engine);
      engines.set(name, engine);
    }
    let settled = 0;
    for (let n = 0; n < count; n += 1) {
      if ((await begin(engines, n)).status === "rejected") settled += 1;
    }
    counted(settled, count);
    for (const engine of engines.values()) engine[Symbol.dispose]();
  };
  return {
    shutdown: (count) =>
      run(count, (engines, n) =>
        engines.get(LEAD).requestShutdown(WORKERS[n % WORKERS.length], { reason: REASON }),
      ),
    plan: (count, text) =>
      run(count, (engines, n) =>
        engines.get(WORKERS[n % WORKERS.length]).submitPlan(planOf(text, n)),
      ),
  };
}

/** One Map of pending requests, and somebody who judges the shape. */
function inJavaScript(fits) {
  const run = (count, begin) => {
    const members = [LEAD, ...WORKERS];
    const engines = new Map();
    let settled = 0;
    for (const member of members) {
      const engine = new HandWritten({
        member,
        lead: LEAD,
        members,
        fits,
        send: (to, text) => engines.get(to).receive(NOW, text, member),
        tell: (event) => {
          if (event.type === "request") {
            engine.respond(event.requestId, REFUSAL.approve, REFUSAL.reason);
            engine.forget(event.requestId);
          } else if (event.status === "rejected") settled += 1;
        },
      });
      engines.set(member, engine);
    }
    for (let n = 0; n < count; n += 1) begin(engines, n);
    counted(settled, count);
  };
  return {
    shutdown: (count) =>
      run(count, (engines, n) =>
        engines.get(LEAD).requestShutdown(NOW, WORKERS[n % WORKERS.length], REASON),
      ),
    plan: (count, text) =>
      run(count, (engines, n) =>
        engines.get(WORKERS[n % WORKERS.length]).submitPlan(NOW, planOf(text, n)),
      ),
  };
}

/** Peers of the sans-IO class. */
export const PLAIN = {
  "Engine (sans-IO)": sansIo(),
  "hand-written JavaScript": inJavaScript(undefined),
  ...Object.fromEntries(
    Object.entries(VALIDATORS).map(([name, fits]) => [name, inJavaScript(fits)]),
  ),
};

/** Peers of the class with promises. */
export const WITH_PROMISES = { ProtocolEngine: withPromises() };
