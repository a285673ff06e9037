import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, npm, output, root, run, say, tryRun } from "./run.mjs";

export const wasmTarget = "wasm32-unknown-unknown";

/** Installs the npm packages unless those present are the ones of the lock file. */
export function ensurePackages() {
  ensureNode();
  if (packagesMatchLock()) return;
  say("installing the npm packages (npm ci)");
  run(...npm("ci"));
}

/** Finds Rust and its wasm target; adds the target if it is missing. */
export function ensureRust() {
  if (output("cargo", ["--version"]) === undefined) {
    throw new Failure(
      "Rust does not run here: install it from https://rustup.rs, or install the stable toolchain " +
        "with `rustup toolchain install stable`. Then run this again.",
    );
  }
  if (hasWasmTarget()) return;
  say(`adding the Rust target ${wasmTarget}`);
  const added = output("rustup", ["--version"]) && tryRun("rustup", ["target", "add", wasmTarget]);
  if (!added || !hasWasmTarget()) {
    throw new Failure(
      `Rust's ${wasmTarget} target is missing and could not be added. With network access run ` +
        `\`rustup target add ${wasmTarget}\`; without rustup install your distribution's package ` +
        "of Rust's standard library for that target. Then run this again.",
    );
  }
}

function ensureNode() {
  const wanted = readJson("package.json").engines.node.replace(">=", "");
  const [major, minor] = wanted.split(".").map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split(".").map(Number);
  if (ourMajor < major || (ourMajor === major && ourMinor < minor)) {
    throw new Failure(`Node ${wanted} or later is needed; this is ${process.versions.node}.`);
  }
}

// Contents rather than file times: a fresh clone or a branch change says nothing by its times.
function packagesMatchLock() {
  const installedLock = "node_modules/.package-lock.json";
  if (!existsSync(join(root, installedLock))) return false;
  const installed = readJson(installedLock).packages;
  const { "": _project, ...locked } = readJson("package-lock.json").packages;
  return (
    Object.keys(installed).every((path) => path in locked) &&
    Object.entries(locked).every(([path, { version, optional }]) =>
      path in installed ? installed[path].version === version : optional,
    )
  );
}

function hasWasmTarget() {
  const directory = output("rustc", ["--print", "target-libdir", "--target", wasmTarget]);
  return directory !== undefined && existsSync(directory);
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
