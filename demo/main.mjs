/** The demo: what the arguments say, the casts, the three parts, the end. `--help` tells the rest. */

import { parseArgs } from "node:util";
import { cases } from "./cases.mjs";
import { exercises } from "./exercises.mjs";
import { failures } from "./failures.mjs";
import { Stage, Unexpected } from "./stage.mjs";
import { showAudit } from "./table.mjs";
import { painter, wantsColour, wrap } from "./text.mjs";
import { Timeline } from "./timeline.mjs";
import { words } from "./words.mjs";

/** The moment of 00:00: fixed, so that every run is the same. */
const START = Date.UTC(2026, 0, 5, 9);
const TEAM = [
  { name: "team-lead", role: "lead" },
  { name: "alice" },
  { name: "bob" },
  { name: "charlie" },
  { name: "dave" },
];
const SECOND_TEAM = [
  { name: "team-lead", role: "lead" },
  { name: "interface" },
  { name: "model" },
  { name: "qa", role: "approver" },
  { name: "dba", role: "approver" },
  { name: "ops", role: "approver" },
  { name: "security", role: "approver" },
];
/** Between the end of the first team's story and the beginning of the second's. */
const INTERVAL_MS = 5_000;
const WIDEST = 100;
const NARROWEST = 60;

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const { lang, help, unknown } = read(args);
  const texts = words[lang];
  if (unknown !== undefined) {
    console.error(texts.usage(unknown));
    return 2;
  }
  if (help) {
    console.log(texts.help);
    return 0;
  }
  const stuck = () => {
    console.error(`\n${texts.failed(texts.stuck)}`);
    process.exitCode = 1;
  };
  // With nothing left to do, the process ends even though the story waits for something.
  process.once("exit", stuck);
  try {
    await play(lang, texts);
    return 0;
  } catch (error) {
    const why = error instanceof Unexpected ? error.message : (error?.stack ?? String(error));
    console.error(`\n${texts.failed(why)}`);
    return 1;
  } finally {
    process.off("exit", stuck);
  }
}

function read(args) {
  const options = { lang: { type: "string" }, help: { type: "boolean", short: "h" } };
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  let lang = "en";
  let help = false;
  for (const { kind, name, rawName, value } of tokens) {
    if (kind === "option" && name === "lang" && Object.hasOwn(words, value ?? "")) lang = value;
    else if (kind === "option" && name === "help" && value === undefined) help = true;
    else return { lang, help, unknown: [rawName, value].filter(Boolean).join(" ") || "--" };
  }
  return { lang, help };
}

async function play(lang, texts) {
  const columns = Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns ?? WIDEST));
  const paint = painter(wantsColour(process.stdout, process.env));
  const print = (line) => console.log(line);
  const timeline = new Timeline({ print, paint, words: texts, columns, start: START });
  const shared = { lang, timeline, words: texts };
  const first = new Stage({ ...shared, members: TEAM, seed: "the demo", start: START });
  const cast = spawn(first, TEAM);
  for (const text of texts.intro) for (const line of wrap(text, columns)) timeline.line(line);

  await exercises(first, cast);
  await failures(first, cast);
  const start = first.now + INTERVAL_MS;
  const second = new Stage({ ...shared, members: SECOND_TEAM, seed: "the second team", start });
  await cases(second, spawn(second, SECOND_TEAM));

  timeline.part(texts.summary);
  let entries = 0;
  for (const [at, stage] of [first, second].entries()) {
    timeline.line();
    timeline.line(`  ${texts.teams[at]}`);
    entries += showAudit(stage);
  }
  timeline.line();
  timeline.line(`  ${texts.checked(entries, timeline.time(second.now))}`);
  timeline.line();
  for (const line of wrap(texts.next, columns - 2)) timeline.line(`  ${line}`);
  for (const engine of [...first.lives, ...second.lives]) engine.close();
}

/** Everybody's first life, by name. */
function spawn(stage, team) {
  const lives = team.map(({ name, role }) => [role === "lead" ? "lead" : name, stage.spawn(name)]);
  return Object.fromEntries(lives);
}
