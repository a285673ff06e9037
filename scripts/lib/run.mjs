import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A failure that the reader can act on: printed without a stack. */
export class Failure extends Error {}

/** Runs a script's main function; a `Failure` ends it with its message and exit code 1. */
export async function main(script) {
  try {
    await script();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Says what is being done, on stderr: stdout belongs to the demo and the test runners. */
export function say(text) {
  console.error(`» ${text}`);
}

/** Runs a program with its output passed through; true if it succeeded. */
export function tryRun(command, args, options = {}) {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error?.code === "ENOENT") throw new Failure(`\`${command}\` was not found.`);
  if (error) throw error;
  return status === 0;
}

export function run(command, args, options = {}) {
  if (!tryRun(command, args, options)) {
    throw new Failure(`failed: ${[command, ...args].join(" ")}`);
  }
}

/** The standard output of a program, trimmed; undefined if it is missing or failed. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The arguments for `run` that start npm: through Node, as `npm` is a `.cmd` file on Windows. */
export function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") ? [process.execPath, [cli, ...args]] : ["npm", args];
}

/** Runs a command of an installed development dependency, without a shell. */
export function runTool(script, ...args) {
  run(process.execPath, [`node_modules/${script}`, ...args]);
}

export async function timed(action) {
  const start = performance.now();
  const result = await action();
  return { result, seconds: ((performance.now() - start) / 1000).toFixed(1) };
}
