/**
 * Full handshakes, product and peers in turns in one run. Read the ratios: the microseconds depend on
 * the machine.
 */

import { TEXTS } from "./cases.mjs";
import { PLAIN, WITH_PROMISES } from "./contestants.mjs";
import { FRAMEWORKS } from "./peers/frameworks.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 7);

const TABLES = [
  { title: "shutdown, sans-IO", contestants: PLAIN, run: (c, n) => c.shutdown(n), count: 10_000 },
  ...Object.entries(TEXTS).map(([language, text]) => ({
    title: `plan of 2 KB, ${language}, sans-IO`,
    contestants: PLAIN,
    run: (c, n) => c.plan(n, text),
    count: 4_000,
  })),
  {
    title: "shutdown, with promises",
    contestants: { ...WITH_PROMISES, ...FRAMEWORKS },
    run: (c, n) => c.shutdown(n),
    count: 2_000,
  },
  {
    title: "plan of 2 KB, English, with promises",
    contestants: { ...WITH_PROMISES, ...FRAMEWORKS },
    run: (c, n) => c.plan(n, TEXTS.English),
    count: 1_000,
  },
];

const only = process.env.ONLY ?? "";
for (const { title, contestants, run, count } of TABLES.filter(({ title }) =>
  title.includes(only),
)) {
  const names = Object.keys(contestants);
  const times = new Map(names.map((name) => [name, []]));
  for (const name of names) await run(contestants[name], count);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each begins in turn, so that none always follows the same other one.
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(at + round) % names.length];
      times.get(name).push(await measure(() => run(contestants[name], count), count));
    }
  }
  print(title, count, times);
}
// Connections in memory keep the process alive.
process.exit(0);

async function measure(run, count) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function print(title, count, times) {
  const [[, product]] = times;
  console.log(`\n${title}: ${ROUNDS} rounds of ${count}, CPU µs each, both ends`);
  console.log(`  ${"".padEnd(26)}   median     from       to   product : this`);
  for (const [name, rounds] of times) {
    const sorted = [...rounds].sort((a, b) => a - b);
    const figures = [sorted[ROUNDS >> 1], sorted[0], sorted[ROUNDS - 1]];
    const ratios = product.map((time, round) => time / rounds[round]).sort((a, b) => a - b);
    const ratio = rounds === product ? "" : ratios[ROUNDS >> 1].toFixed(2);
    const columns = figures.map((figure) => figure.toFixed(2).padStart(8)).join(" ");
    console.log(`  ${name.padEnd(26)} ${columns}   ${ratio.padStart(8)}`);
  }
}
