// The journal in files: what a process that is killed leaves behind is enough for the next one.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { approve, Engine, ProtocolEngine } from "team-protocols";
import { FileJournal } from "team-protocols/node";
import { engineFor, mulberry32, TEAM } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "team-protocols-"));
after(() => rmSync(folder, { recursive: true }));

/** Opens a journal for as long as `use` takes. */
async function opened(path, options, use) {
  const journal = await FileJournal.open(path, options);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

let files = 0;
function fresh() {
  files += 1;
  return join(folder, `${files}.journal`);
}

const restored = (journal, options) =>
  ProtocolEngine.restore({ member: "alice", transport: () => undefined, journal, ...options });

for (const blocking of [true, false]) {
  test(`what was written is there again (${blocking ? "blocking" : "in the background"})`, async () => {
    const path = fresh();
    const journal = await FileJournal.open(path, { blocking });
    assert.equal(journal.empty, true);
    const alice = engineFor({ journal });
    for (let n = 0; n < 50; n += 1) alice.say("team-lead", `你好 ${n}`);
    if (blocking) assert.equal(readFileSync(path, "utf8").split("\n").length, 52);
    const hash = alice.stateHash();
    await alice.suspend();
    await journal.close();
    await opened(path, { blocking }, async (next) => {
      assert.equal(next.empty, false);
      const again = await restored(next);
      assert.equal(again.stateHash(), hash);
      assert.deepEqual([again.restored.lines, again.restored.tornBytes], [51, 0]);
      again.say("team-lead", "and on");
      await again.suspend();
    });
  });
}

test("a line that was not finished is cut off at every length it can have, and told", async () => {
  const path = fresh();
  const journal = await FileJournal.open(path);
  const alice = engineFor({ journal });
  alice.say("team-lead", "one");
  await alice.saved();
  const before = statSync(path).size;
  alice.say("team-lead", "两个");
  await alice.suspend();
  await journal.close();
  const whole = statSync(path).size;
  for (let size = before; size < whole; size += 7) {
    const torn = fresh();
    copyFileSync(path, torn);
    truncateSync(torn, size);
    await opened(torn, { blocking: true }, async (next) => {
      const again = await restored(next);
      const { soundBytes, tornBytes } = again.restored;
      // What is left of a character is read as one that stands for it, of three bytes.
      assert.equal(soundBytes, before);
      assert.ok(Math.abs(tornBytes - (size - before)) <= 2, `${tornBytes} of ${size - before}`);
      await again.suspend();
      const { lines } = Engine.replay(next.load()).restored;
      assert.equal(lines, 3, "the line of restoring comes right behind the whole ones");
    });
  }
});

test("a snapshot takes the place of the journal, and a process may end at any point of that", async () => {
  const path = fresh();
  const journal = await FileJournal.open(path, { blocking: true, compactAfterBytes: 4_000 });
  const alice = engineFor({ journal });
  let before;
  while (!existsSync(`${path}.snapshot`)) {
    before = readFileSync(path, "utf8");
    alice.say("team-lead", `text ${before.length}`);
  }
  assert.equal(statSync(path).size, 0);
  const hash = alice.stateHash();
  await alice.suspend();
  await journal.close();
  const snapshot = readFileSync(`${path}.snapshot`, "utf8");
  for (const [left, lines, half] of [
    // The snapshot is there and the journal is not emptied: `before` lacks the last line only.
    [snapshot, before, undefined],
    // The new snapshot was begun.
    [snapshot, "", snapshot.slice(0, 100)],
  ]) {
    const at = fresh();
    writeFileSync(`${at}.snapshot`, left);
    writeFileSync(at, lines);
    if (half !== undefined) writeFileSync(`${at}.snapshot.new`, half);
    await opened(at, { blocking: true }, async (next) => {
      const again = await restored(next);
      assert.equal(again.stateHash(), hash);
      await again.suspend();
    });
  }
});

test("one process at a time: a journal in use is refused, that of a dead process is taken over", async () => {
  const path = fresh();
  const journal = await FileJournal.open(path);
  await assert.rejects(FileJournal.open(path), { code: "journal_in_use", path });
  await assert.rejects(FileJournal.open(path, { lang: "zh" }), /另一个进程/);
  const script = `import { FileJournal } from ${JSON.stringify(import.meta.resolve("team-protocols/node"))};
    await FileJournal.open(${JSON.stringify(path)}).then(
      () => process.send("open"), ({ code }) => process.send(code));
    setInterval(() => undefined, 1_000);`;
  const code = join(folder, "open.mjs");
  writeFileSync(code, script);
  const second = async () => {
    const child = fork(code);
    const [said] = await once(child, "message");
    return { child, said };
  };
  const { child: refused, said } = await second();
  assert.equal(said, "journal_in_use");
  refused.kill("SIGKILL");
  await journal.close();
  assert.equal(existsSync(`${path}.lock`), false);
  const { child, said: opened } = await second();
  assert.equal(opened, "open");
  await assert.rejects(FileJournal.open(path), { code: "journal_in_use" });
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(existsSync(`${path}.lock`), true);
  await (await FileJournal.open(path)).close();
  writeFileSync(`${path}.lock`, "");
  await assert.rejects(FileJournal.open(path), { code: "journal_in_use" });
});

test("a folder that is not there, or a file that cannot be written, is an error of its own", async () => {
  await assert.rejects(FileJournal.open(join(folder, "no", "such.journal")), { code: "ENOENT" });
  const path = fresh();
  const journal = await FileJournal.open(path);
  const errors = [];
  const alice = engineFor({ journal, errors });
  await alice.saved();
  await journal.close();
  alice.say("team-lead", "into a closed file");
  await assert.rejects(alice.saved(), { code: "journal_failed" });
  assert.equal(errors[0].cause.code, "EBADF");
});

test("killed at random, a worker loses nothing, and acts on no approval twice", {
  timeout: 120_000,
}, async (t) => {
  const path = fresh();
  const random = mulberry32(7);
  let child;
  const acted = new Map();
  const decided = new Map();
  const lives = new Set();
  const torn = [];
  const toAlice = ({ frame }) => {
    // A process that is gone gets nothing; what matters is sent again.
    if (child?.connected) child.send({ frame, from: "team-lead" }, () => undefined);
  };
  const lead = new ProtocolEngine({ team: TEAM, member: "team-lead", transport: toAlice });
  lead.onRequest("plan_approval", ({ requestId }) => {
    decided.set(requestId, (decided.get(requestId) ?? 0) + 1);
    return approve();
  });
  const errors = [];
  let kills = 0;
  const start = () =>
    new Promise((resolve) => {
      const script = fileURLToPath(new URL("file-journal-child.mjs", import.meta.url));
      child = fork(script, [path, "20000"], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
      child.stderr.on("data", (text) => errors.push(String(text)));
      child.on("message", ({ frame, acted: id, ready, incarnation }) => {
        if (frame !== undefined) lead.receive(frame, { from: "alice" });
        if (id !== undefined) acted.set(id, (acted.get(id) ?? 0) + 1);
        if (incarnation !== undefined) {
          lives.add(incarnation);
          if (ready?.tornBytes > 0) torn.push(ready.tornBytes);
          resolve();
        }
      });
    });
  while (kills < 20 || decided.size < 40) {
    await start();
    await wait(random() * 60);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    kills += 1;
  }
  await start();
  await wait(300);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  lead[Symbol.dispose]();
  t.diagnostic(
    `${kills} kills, ${decided.size} plans decided, ${acted.size} acted on, torn: ${torn.length}`,
  );
  assert.deepEqual(errors, []);
  assert.equal(lives.size, 1, "it is one life");
  assert.deepEqual([...new Set(decided.values())], [1], "no plan was put before the lead twice");
  assert.deepEqual([...new Set(acted.values())], [1], "no approval was used twice");
  for (const id of acted.keys()) assert.ok(decided.has(id), `${id} was never decided`);
  const { engine } = await opened(path, {}, (journal) => Engine.replay(journal.load()));
  const known = [...decided.keys()].map((id) => engine.request(id)).filter(Boolean);
  assert.ok(known.length > 0);
  const statuses = new Set(known.map(({ status }) => status));
  for (const status of statuses) assert.ok(["approved", "pending"].includes(status), status);
  // A decision on its way to a process that ends is lost with it; the next reminder fetches it.
  const onTheWay = known.filter(({ status }) => status === "pending").length;
  assert.ok(onTheWay <= kills + 1, `${onTheWay} decisions on their way at ${kills} kills`);
});
