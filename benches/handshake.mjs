/**
 * A full shutdown handshake, product and peer in turns in one run.
 *
 * The work of one handshake: make the request, send it through a callback as text, parse, judge,
 * record, put it before the host, decide, send back, parse, judge, match, settle, tell the host.
 * Read the ratio: the microseconds depend on the machine.
 */

import { Engine } from "team-protocols";
import { HandWritten } from "./peers/hand-written.mjs";

const ROUNDS = 9;
const HANDSHAKES = 20_000;
const WORKERS = Array.from({ length: 8 }, (_, n) => `worker-${n}`);
const REASON = "the work is done, thank you";

/** Rejected, so that the workers stay and can be asked again. */
const DECISION = { approve: false, reason: "the tests are still writing" };

const contestants = { product: productHandshakes, "hand-written JavaScript": peerHandshakes };

const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
for (const run of Object.values(contestants)) run(HANDSHAKES / 4);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(contestants)) times[name].push(measure(run));
}
print(times);

function measure(run) {
  const before = process.cpuUsage();
  run(HANDSHAKES);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / HANDSHAKES;
}

function productHandshakes(count) {
  const now = 1_700_000_000_000;
  const team = [{ name: "team-lead", role: "lead" }, ...WORKERS.map((name) => ({ name }))];
  const engines = new Map(team.map(({ name }) => [name, new Engine({ team, member: name }, now)]));
  let settled = 0;
  const drain = (name) => {
    const engine = engines.get(name);
    for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect()) {
      if (effect.type === "send") {
        engines.get(effect.to).receive(now, effect.frame, name);
        drain(effect.to);
      } else if (effect.event.type === "request") {
        engine.respond(now, effect.event.requestId, DECISION);
      } else if (effect.event.type === "settled" && effect.event.status === "rejected") {
        settled += 1;
      }
    }
  };
  const lead = engines.get("team-lead");
  for (let n = 0; n < count; n += 1) {
    lead.requestShutdown(now, WORKERS[n % WORKERS.length], { reason: REASON });
    drain("team-lead");
  }
  if (settled !== count) throw new Error(`${settled} of ${count} handshakes settled`);
  for (const engine of engines.values()) engine.dispose();
}

function peerHandshakes(count) {
  const now = 1_700_000_000_000;
  const members = ["team-lead", ...WORKERS];
  const engines = new Map();
  let settled = 0;
  for (const member of members) {
    const engine = new HandWritten({
      member,
      lead: "team-lead",
      members,
      send: (to, text) => engines.get(to).receive(now, text, member),
      tell: (event) => {
        if (event.type === "request") {
          engine.respond(event.requestId, DECISION.approve, DECISION.reason);
          engine.forget(event.requestId);
        } else if (event.status === "rejected") settled += 1;
      },
    });
    engines.set(member, engine);
  }
  const lead = engines.get("team-lead");
  for (let n = 0; n < count; n += 1) {
    lead.requestShutdown(now, WORKERS[n % WORKERS.length], REASON);
  }
  if (settled !== count) throw new Error(`${settled} of ${count} handshakes settled`);
}

function print(times) {
  const [product, peer] = Object.values(times);
  console.log(`shutdown handshake, both ends, ${ROUNDS} rounds of ${HANDSHAKES}, CPU µs each`);
  for (const [name, rounds] of Object.entries(times)) {
    const sorted = [...rounds].sort((a, b) => a - b);
    const [least, median, most] = [sorted[0], sorted[ROUNDS >> 1], sorted[ROUNDS - 1]];
    const figures = [median, least, most].map((figure) => figure.toFixed(2));
    console.log(`  ${name.padEnd(26)} median ${figures[0]}   from ${figures[1]} to ${figures[2]}`);
  }
  const ratios = product.map((time, round) => time / peer[round]).sort((a, b) => a - b);
  const ratio = ratios[ROUNDS >> 1].toFixed(2);
  console.log(`  ratio, product : hand-written, median of the rounds: ${ratio}`);
}
