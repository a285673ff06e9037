/** The demo: what the arguments say, the cast, the two parts, the end. `--help` tells the rest. */

import { parseArgs } from "node:util";
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
  const stage = new Stage({ lang, members: TEAM, start: START, timeline, words: texts });
  const cast = { lead: stage.spawn("team-lead") };
  for (const { name } of TEAM.slice(1)) cast[name] = stage.spawn(name);
  for (const text of texts.intro) for (const line of wrap(text, columns)) timeline.line(line);

  await exercises(stage, cast);
  await failures(stage, cast);

  timeline.part(texts.summary);
  timeline.line();
  const entries = showAudit(stage);
  timeline.line(`  ${texts.checked(entries, timeline.time(stage.now))}`);
  timeline.line();
  for (const line of wrap(texts.next, columns - 2)) timeline.line(`  ${line}`);
  for (const engine of stage.lives) engine.close();
}
