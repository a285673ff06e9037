import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "./lib/package.mjs";
import { main, npm, output, root, run, runTool, say } from "./lib/run.mjs";

// What users get is the archive, not the working tree: pack it, install it into an empty project,
// then load it and compile against it there.
function checkPackage() {
  buildPackage();
  runTool("publint/src/cli.js", "--strict");
  const directory = mkdtempSync(join(tmpdir(), "team-protocols-"));
  try {
    checkArchive(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function checkArchive(directory) {
  const archive = pack(directory);
  runTool("@arethetypeswrong/cli/dist/index.js", archive, ...attw);
  const project = join(directory, "project");
  mkdirSync(project);
  const files = {
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "load.mjs": load,
    "load.cjs": loadCommonJs,
    "use.ts": use,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  run(...npm("install", "--offline", "--no-save", archive), { cwd: project });
  say("loading the installed package");
  run(process.execPath, ["load.mjs"], { cwd: project });
  run(process.execPath, ["--no-warnings", "load.cjs"], { cwd: project });
  say("compiling against the installed package");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const mode of resolutions) {
    run(process.execPath, [tsc, ...consumer, ...mode, "use.ts"], { cwd: project });
  }
}

function pack(directory) {
  const [command, args] = npm(
    "pack",
    "--json",
    "--ignore-scripts",
    "--pack-destination",
    directory,
  );
  const [{ filename }] = JSON.parse(output(command, args));
  return join(directory, filename);
}

const load = `import * as main from "team-protocols";
import * as slim from "team-protocols/slim";
if (Object.keys(main).length === 0) throw new Error("team-protocols exports nothing");
if (Object.keys(slim).length === 0) throw new Error("team-protocols/slim exports nothing");
import.meta.resolve("team-protocols/team_protocols.wasm");
`;
const loadCommonJs = `require("team-protocols");\n`;
const use = `export * from "team-protocols";
export * as slim from "team-protocols/slim";
`;

// The strictest consumer: no DOM, no Node types, and declaration files are checked too.
const consumer = [
  "--ignoreConfig",
  "--noEmit",
  "--strict",
  "--target",
  "ES2022",
  "--lib",
  "ES2022",
];
const resolutions = [
  ["--module", "NodeNext"],
  ["--module", "ESNext", "--moduleResolution", "bundler"],
];
const attw = ["--profile", "esm-only", "--exclude-entrypoints", "./team_protocols.wasm"];

await main(checkPackage);
