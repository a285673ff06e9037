import { buildPackage } from "./lib/package.mjs";
import { main, run, runTool, say, timed } from "./lib/run.mjs";
import { ensurePackages, ensureRust, wasmTarget } from "./lib/setup.mjs";

const clippy = ["clippy", "--locked", "--all-targets"];
const strict = ["--", "-D", "warnings"];

/** Cheapest first, so that a slip in formatting is told in seconds. */
const steps = {
  "formatting of Rust": () => run("cargo", ["fmt", "--all", "--check"]),
  "formatting and lints of JavaScript": () => runTool("@biomejs/biome/bin/biome", "ci"),
  "lints of Rust": () => run("cargo", [...clippy, "--workspace", ...strict]),
  "lints of Rust for wasm": () =>
    run("cargo", ["clippy", "--locked", "--lib", "--target", wasmTarget, ...strict]),
  "build and types": buildPackage,
  tests: () => run(process.execPath, ["scripts/test.mjs"]),
  package: () => run(process.execPath, ["scripts/pack-check.mjs"]),
};

await main(async () => {
  ensurePackages();
  ensureRust();
  const times = [];
  for (const [name, step] of Object.entries(steps)) {
    say(`checking: ${name}`);
    const { seconds } = await timed(step);
    times.push(`${name} ${seconds} s`);
  }
  console.log(`\nall checks passed: ${times.join(", ")}`);
});
