import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./lib/package.mjs";
import { Failure, main, root, say, timed, tryRun } from "./lib/run.mjs";
import { ensureRust } from "./lib/setup.mjs";

await main(async () => {
  const build = await timed(buildPackage);
  ensureRust();
  const rust = await timed(() => suite("cargo", ["test", "--workspace", "--locked"]));
  const javascript = await timed(() => suite(process.execPath, nodeArguments()));
  console.log(
    `\nRust ${verdict(rust)}, JavaScript ${verdict(javascript)}, build ${build.seconds} s`,
  );
  if (!rust.result || !javascript.result) process.exitCode = 1;
});

function suite(command, args) {
  say(`running ${command === "cargo" ? "the Rust" : "the JavaScript"} tests`);
  return tryRun(command, args);
}

// Node 20 expands no globs; without files it would look for tests everywhere.
function nodeArguments() {
  const directory = "tests/js";
  const names = existsSync(join(root, directory))
    ? readdirSync(join(root, directory), { recursive: true }).map((name) =>
        name.replaceAll("\\", "/"),
      )
    : [];
  const tests = names.filter((name) => name.endsWith(".test.mjs")).sort();
  if (tests.length === 0) throw new Failure(`there are no tests in ${directory}`);
  return ["--test", "--test-reporter=spec", ...tests.map((name) => `${directory}/${name}`)];
}

function verdict({ result, seconds }) {
  return `${result ? "passed" : "FAILED"} in ${seconds} s`;
}
