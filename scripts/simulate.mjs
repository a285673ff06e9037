import { Failure, main, run } from "./lib/run.mjs";
import { ensureRust } from "./lib/setup.mjs";

const usage = "usage: npm run simulate -- [--events 10_000_000] [--seed 1]";

/** Whole teams under simulation, until so many inputs were given; a broken law is told and fails. */
await main(async () => {
  const { events, seed } = read(process.argv.slice(2));
  ensureRust();
  const test = ["test", "--release", "--locked", "--test", "sim", "long_run"];
  run("cargo", [...test, "--", "--ignored", "--nocapture"], {
    env: { ...process.env, SIMULATE_EVENTS: events, SIMULATE_SEED: seed, RUST_BACKTRACE: "0" },
  });
});

function read(args) {
  const options = { events: "10_000_000", seed: "1" };
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at].replace(/^--/, ""), args[at + 1]];
    if (!(name in options) || !/^[0-9][0-9_]*$/.test(value ?? "")) throw new Failure(usage);
    options[name] = value;
  }
  return options;
}
