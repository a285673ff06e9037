// What only a browser can show: the same state from the same journal, and a journal in IndexedDB.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser-support.mjs";
import { PLAN, TEAM } from "./support.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

test("the journals of the Rust core give the same state in Chromium", async () => {
  const read = (file) =>
    readFileSync(new URL(`../vectors/journals/${file}`, import.meta.url), "utf8");
  const expected = Object.entries(JSON.parse(read("hashes.json")));
  const saved = expected.map(([member]) => ({
    journal: read(`${member}.jsonl`),
    snapshot: read(`${member}.snapshot`),
  }));
  const page = await browser.page();
  const found = await page.evaluate(async (saved) => {
    const { Engine } = await import("team-protocols");
    const hash = (saved) => Engine.replay(saved).engine.stateHash();
    return saved.map(({ journal, snapshot }) => [
      hash({ journal }),
      hash({ journal, snapshot }),
      hash({ snapshot }),
      Engine.replay({ snapshot }).engine.snapshot() === snapshot.trimEnd(),
    ]);
  }, saved);
  await page.close();
  const wanted = expected.map(([, { stateHash }]) => [stateHash, stateHash, stateHash, true]);
  assert.deepEqual(found, wanted);
});

/** In a page: an engine of alice's on her journal, new or restored. */
async function begin({ team, name, compactAfter }) {
  const { ProtocolEngine } = await import("team-protocols");
  const { IndexedDbJournal } = await import("team-protocols/indexeddb");
  const journal = await IndexedDbJournal.open(name, { compactAfter });
  const sent = [];
  const transport = (frame) => void sent.push(frame);
  const alice = journal.empty
    ? new ProtocolEngine({ team, member: "alice", transport, journal })
    : await ProtocolEngine.restore({ member: "alice", transport, journal });
  await alice.saved();
  Object.assign(globalThis, { alice, journal, sent });
  return { restored: alice.restored, hash: alice.stateHash(), life: alice.incarnation };
}

test("a tab goes on where the one before it was closed", async () => {
  const options = { team: TEAM, name: "goes-on" };
  const first = await browser.page();
  const begun = await first.evaluate(begin, options);
  assert.equal(begun.restored, undefined);
  const kept = await first.evaluate(async (plan) => {
    const { alice } = globalThis;
    for (let n = 0; n < 20; n += 1) alice.say("team-lead", `你好 ${n}`);
    const { requestId } = alice.submitPlan(plan);
    await alice.saved();
    return { requestId, hash: alice.stateHash() };
  }, PLAN);
  await first.close();
  const second = await browser.page();
  const again = await second.evaluate(begin, options);
  assert.deepEqual([again.hash, again.life], [kept.hash, begun.life]);
  assert.deepEqual([again.restored.lines, again.restored.tornBytes], [22, 0]);
  const status = await second.evaluate((id) => globalThis.alice.request(id).status, kept.requestId);
  assert.equal(status, "pending");
  await second.close();
});

test("one tab at a time has a journal, and gives it back when it is closed", async () => {
  const options = { team: TEAM, name: "one-at-a-time" };
  const [first, second] = [await browser.page(), await browser.page()];
  await first.evaluate(begin, options);
  const code = await second.evaluate(async (name) => {
    const { IndexedDbJournal } = await import("team-protocols/indexeddb");
    return IndexedDbJournal.open(name).then(
      () => "open",
      ({ code }) => code,
    );
  }, options.name);
  assert.equal(code, "journal_in_use");
  await first.evaluate(async () => {
    await globalThis.alice.suspend();
    globalThis.journal.close();
  });
  const again = await second.evaluate(begin, options);
  assert.equal(again.restored.lines, 1);
  await first.close();
  await second.close();
});

test("a snapshot takes the place of a journal that has grown", async () => {
  const options = { team: TEAM, name: "grows", compactAfter: 5_000 };
  const page = await browser.page();
  await page.evaluate(begin, options);
  const grown = await page.evaluate(async () => {
    const { alice, journal } = globalThis;
    for (let n = 0; n < 60; n += 1) {
      alice.say("team-lead", `text number ${n}`);
      await alice.saved();
    }
    const { journal: lines, snapshot } = await journal.load();
    const hash = alice.stateHash();
    await alice.suspend();
    journal.close();
    return { lines: lines.length, snapshot: snapshot?.length, hash };
  });
  assert.ok(grown.snapshot > 0);
  assert.ok(grown.lines < 8_000, `${grown.lines} characters`);
  const again = await page.evaluate(begin, options);
  assert.equal(again.hash, grown.hash);
  assert.ok(again.restored.lines < 60);
  await page.close();
});
