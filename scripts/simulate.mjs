import { resolve } from "node:path";
import { Failure, main, run } from "./lib/run.mjs";
import { ensureRust } from "./lib/setup.mjs";

const usage = "usage: npm run simulate -- [--events 10_000_000] [--seed 1] | --script FILE";

/** Whole teams under simulation, until so many inputs were given; a broken law is told and fails. */
await main(async () => {
  const { events, seed, script } = read(process.argv.slice(2));
  ensureRust();
  const test = ["test", "--release", "--locked", "--test", "sim"];
  run("cargo", [...test, script ? "story" : "long_run", "--", "--ignored", "--nocapture"], {
    env: {
      ...process.env,
      SIMULATE_EVENTS: events,
      SIMULATE_SEED: seed,
      SIMULATE_SCRIPT: script,
      RUST_BACKTRACE: "0",
    },
  });
});

function read(args) {
  const options = { events: "10_000_000", seed: "1", script: "" };
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at].replace(/^--/, ""), args[at + 1] ?? ""];
    const fits = name === "script" ? value !== "" : /^[0-9][0-9_]*$/.test(value);
    if (!(name in options) || !fits) throw new Failure(usage);
    options[name] = name === "script" ? resolve(value) : value;
  }
  return options;
}
