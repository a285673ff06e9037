import { Failure, main, run } from "./lib/run.mjs";
import { ensureRust } from "./lib/setup.mjs";

/** What the ordinary tests do in short, at length and in release: test binary, filter, environment. */
const runs = {
  model: { test: "model", env: { MODEL_LONG: "1" } },
  fuzz: { test: "fuzz", filter: ["whatever"], env: { FUZZ_RUNS: "20000" } },
  flood: { test: "flood", env: { FLOOD_FRAMES: "1000000" } },
};

await main(async () => {
  const [name, ...rest] = process.argv.slice(2);
  const found = Object.hasOwn(runs, name ?? "") ? runs[name] : undefined;
  if (!found || rest.length > 0) {
    throw new Failure(`usage: node scripts/long.mjs ${Object.keys(runs).join(" | ")}`);
  }
  ensureRust();
  const test = ["test", "--release", "--locked", "--test", found.test, ...(found.filter ?? [])];
  run("cargo", [...test, "--", "--nocapture"], {
    env: { ...process.env, RUST_BACKTRACE: "0", ...found.env },
  });
});
