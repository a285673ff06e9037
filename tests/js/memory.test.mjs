// Wasm memory: what crosses the boundary must not stay there.

import "./watch-memory.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, Engine, LocalBus, ManualClock, ProtocolEngine } from "team-protocols";
import { START, TEAM } from "./support.mjs";
import { memories } from "./watch-memory.mjs";

const [memory] = memories;
const pages = () => memory.buffer.byteLength / 65_536;

function pair(seed = "s") {
  const clock = new ManualClock(START);
  const bus = new LocalBus({ clock });
  const make = (member) => {
    const transport = bus.transport(member);
    const engine = new ProtocolEngine({
      team: TEAM,
      member,
      seed: `${seed} ${member}`,
      transport,
      clock,
    });
    bus.connect(engine);
    return engine;
  };
  return { lead: make("team-lead"), alice: make("alice"), bob: make("bob"), clock };
}

test("the memory of the module can be watched", () => {
  assert.equal(memories.length, 1);
  assert.ok(pages() > 0);
});

test("a frame over the limit is refused without touching wasm memory", () => {
  const { lead } = pair();
  lead.receive("warm up", { from: "alice" });
  const before = pages();
  for (const size of [2 ** 20 + 1, 10 * 2 ** 20, 50 * 2 ** 20]) {
    const { type, error } = lead.receive("x".repeat(size), { from: "alice" });
    assert.equal(type, "refused");
    assert.equal(error.code, "too_large");
    assert.match(error.message, /1048576|1 048 576|1,048,576/);
  }
  assert.equal(pages(), before);
  // Fewer units than bytes: three bytes each.
  const wide = lead.receive("漢".repeat(400_000), { from: "alice" });
  assert.equal(wide.error.code, "too_large");
});

test("engines work on while memory grows under them", () => {
  const clock = new ManualClock(START);
  const before = pages();
  const { lead, alice } = pair("growing");
  const engines = [];
  for (let count = 0; count < 2_000; count += 1) {
    engines.push(new Engine({ team: TEAM, member: "alice", seed: `${count}` }, START));
    if (count % 100 === 0) {
      // The memory moves between the two texts of a call, and between a call and its result.
      lead.say("alice", "x".repeat(count * 10));
      alice.say("team-lead", `${count}`);
    }
  }
  assert.ok(pages() > before, "memory grew");
  assert.equal(engines[1_999].say(clock.now(), "bob", "hello 漢"), 1);
  assert.equal(JSON.parse(engines[1_999].pollEffect().frame).message, "hello 漢");
  assert.notEqual(engines[0].incarnation, engines[1].incarnation);
  for (const engine of engines) engine.dispose();
});

test("engines that were disposed of give their memory back", () => {
  const round = () => {
    for (let count = 0; count < 500; count += 1) {
      new Engine({ team: TEAM, member: "alice" }, START).dispose();
    }
  };
  round();
  const before = pages();
  for (let rounds = 0; rounds < 5; rounds += 1) round();
  assert.equal(pages(), before);
});

test("engines whose options are refused leave no memory behind", () => {
  const round = () => {
    for (let count = 0; count < 1_000; count += 1) {
      assert.throws(() => new Engine({ team: TEAM, member: "nobody" }, START));
    }
  };
  round();
  const before = pages();
  for (let rounds = 0; rounds < 5; rounds += 1) round();
  assert.equal(pages(), before);
});

test("ten thousand handshakes need no more memory than a thousand", async () => {
  const { lead, alice, clock } = pair("long");
  let yes = 0;
  alice.onRequest("shutdown", () => ({ approve: false, reason: "busy" }));
  const shake = async (times) => {
    for (let count = 0; count < times; count += 1) {
      const { status } = await lead.requestShutdown("alice", { reason: `round ${count}` });
      if (status === "rejected") yes += 1;
      if (count % 100 === 0) await clock.advance(1_000);
    }
  };
  await shake(1_000);
  const before = pages();
  const heap = lead.team().length;
  await shake(10_000);
  assert.equal(yes, 11_000);
  assert.equal(pages(), before);
  assert.equal(lead.team().length, heap);
  assert.equal(lead.audit().length, 1_024);
  await clock.advance(60_000);
  assert.equal(clock.pending, 0);
});

test("two engines may be called within each other's calls", async () => {
  const { lead, alice, bob } = pair("nested");
  const read = [];
  lead.subscribe(({ type }) => {
    if (type !== "settled") return;
    read.push(alice.team().length, bob.stateHash(), alice.obligations().length);
    bob.progress({ note: "漢".repeat(1_000) });
  });
  alice.onRequest("shutdown", ({ requestId }) => {
    bob.idle("x".repeat(20_000));
    assert.equal(lead.request(requestId).status, "pending");
    assert.equal(alice.obligations()[0].request.requestId, requestId);
    return approve("from inside");
  });
  const outcome = await lead.requestShutdown("alice");
  assert.equal(outcome.reason, "from inside");
  assert.ok(read.length > 0);
});

test("effects read late are the ones that were made, whatever was called meanwhile", () => {
  const make = (member) => new Engine({ team: TEAM, member, seed: member }, START);
  const [lead, alice] = [make("team-lead"), make("alice")];
  lead.say(START, "alice", "first");
  const id = lead.requestShutdown(START, "alice", { reason: "second" });
  alice.say(START, "team-lead", "y".repeat(100_000));
  make("bob").say(START, "alice", "z".repeat(200_000));
  const bodies = [lead.pollEffect(), lead.pollEffect()].map(
    ({ frame }) => JSON.parse(frame).message,
  );
  assert.equal(bodies[0], "first");
  assert.equal(bodies[1].request_id, id);
  assert.equal(lead.pollEffect(), undefined);
});
