import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure, root, run, runTool, say } from "./run.mjs";
import { ensurePackages, ensureRust, wasmTarget } from "./setup.mjs";

/**
 * Makes `pkg/` from `src/`: set-up, then Rust to wasm, then TypeScript. A step whose inputs are
 * those of its last run is skipped, without starting any program.
 */
export function buildPackage() {
  ensurePackages();
  const inputs = wasmInputs();
  if (!isCurrent("wasm", inputs, wasmOutputs)) {
    ensureRust();
    buildWasm();
    writeStamp("wasm", inputs);
  }
  const sources = fingerprint(["src/ts", ...tsConfigs, ...tools, `${out}/team_protocols.d.ts`]);
  if (!isCurrent("ts", sources, tsOutputs())) {
    buildTypeScript();
    writeStamp("ts", sources);
  }
}

function buildWasm() {
  say("compiling the core to wasm");
  run("cargo", ["fetch", "--locked"]);
  run("cargo", [
    "build",
    ...["--release", "--locked", "--lib", "--target", wasmTarget, "--target-dir", "target"],
    ...["--config", `target.${wasmTarget}.rustflags=${JSON.stringify(pathRemaps())}`],
  ]);
  say("making the JavaScript bindings");
  rmSync(join(root, staging), { recursive: true, force: true });
  const compiled = `target/${wasmTarget}/release/team_protocols.wasm`;
  run("cargo", ["run", "--locked", "--package", "xtask", "--", compiled, staging]);
  say("optimising the wasm");
  mkdirSync(join(root, out), { recursive: true });
  runTool(
    "binaryen/bin/wasm-opt",
    ...[`${staging}/team_protocols_bg.wasm`, "-o", `${out}/team_protocols_bg.wasm`],
    ...["-Os", "--converge", ...unwantedPasses.map((name) => `--skip-pass=${name}`)],
    ...["--strip-target-features", ...wasmFeatures.map((name) => `--enable-${name}`)],
  );
  copyFileSync(at(`${staging}/team_protocols.js`), at(`${out}/team_protocols.js`));
  write("team_protocols.d.ts", consumerTypes(read(`${staging}/team_protocols.d.ts`)));
  write("team_protocols_bg.d.wasm.ts", "declare const module: object;\nexport default module;\n");
  const base64 = readFileSync(at(`${out}/team_protocols_bg.wasm`)).toString("base64");
  write("inline.js", `export const wasmBase64 =\n  "${base64}";\n`);
  write("inline.d.ts", "export declare const wasmBase64: string;\n");
}

function buildTypeScript() {
  say("compiling the TypeScript");
  // A module that was deleted must not live on in the package.
  for (const name of readdirSync(at("pkg"))) {
    if (!kept.has(name)) rmSync(at(`pkg/${name}`), { recursive: true });
  }
  for (const config of tsProjects) runTool("typescript/bin/tsc", "-p", config);
}

/**
 * wasm-bindgen's types for users who have neither the DOM's types nor `skipLibCheck`: the classes
 * stay, its initialisers (`Response`, `WebAssembly.Module`, the raw exports) are declared anew.
 */
function consumerTypes(generated) {
  const start = generated.indexOf("export type InitInput");
  if (start < 0) throw new Failure("wasm-bindgen's types no longer start with `InitInput`.");
  return `/// <reference lib="esnext.disposable" preserve="true" />
${generated.slice(0, start)}/** The wasm as bytes (an \`ArrayBuffer\` or a view of one) or as a compiled \`WebAssembly.Module\`. */
export function initSync(options: { module: object }): RawExports;

/** What the boundary needs of the wasm's exports. */
export interface RawExports {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** As \`initSync\`, compiling off the calling thread; also takes a URL or a \`Response\`. */
export default function init(options: { module_or_path: string | object }): Promise<RawExports>;
`;
}

// Panic messages name source files; the published wasm should not tell where it was compiled.
function pathRemaps() {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const registries = existsSync(sources) ? readdirSync(sources).sort() : [];
  return [
    ...registries.map((name) => `--remap-path-prefix=${join(sources, name)}=crates`),
    `--remap-path-prefix=${root}=`,
  ];
}

function wasmInputs() {
  const paths = ["src", "xtask", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ...tools];
  return fingerprint(paths, (path) => !path.startsWith("src/ts/"));
}

function fingerprint(paths, wanted = () => true) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(files).filter(wanted)) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(at(path)))
      .update("\0");
  }
  return hash.digest("hex");
}

function files(path) {
  const found = statSync(at(path), { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(at(path))
    .sort()
    .flatMap((name) => files(`${path}/${name}`));
}

function tsOutputs() {
  return files("src/ts")
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .map((path) => path.replace(/^src\/ts\//, "pkg/").replace(/\.ts$/, ".js"));
}

function isCurrent(step, print, outputs) {
  return stamps()[step] === print && outputs.every((path) => existsSync(at(path)));
}

function writeStamp(step, print) {
  writeFileSync(at(stamp), `${JSON.stringify({ ...stamps(), [step]: print }, null, 2)}\n`);
}

function stamps() {
  return existsSync(at(stamp)) ? JSON.parse(read(stamp)) : {};
}

function at(path) {
  return join(root, path);
}

function read(path) {
  return readFileSync(at(path), "utf8");
}

function write(name, text) {
  writeFileSync(at(`${out}/${name}`), text);
}

const out = "pkg/wasm";
const staging = "target/bindings";
const stamp = "pkg/.stamp";
const kept = new Set(["README.md", ".stamp", "wasm"]);
const tools = ["package-lock.json", "scripts/lib/package.mjs"];
/** The package knows neither Node nor the DOM, but for the folders of what only one of them can do. */
const tsProjects = ["tsconfig.build.json", "tsconfig.node.json", "tsconfig.dom.json"];
const tsConfigs = ["tsconfig.json", ...tsProjects];
const wasmOutputs = [
  "team_protocols.js",
  "team_protocols.d.ts",
  "team_protocols_bg.wasm",
  "team_protocols_bg.d.wasm.ts",
  "inline.js",
  "inline.d.ts",
].map((name) => `${out}/${name}`);

// Both make the code shorter but give functions more local variables, and the compressed code grows.
// rustc has inlined what is worth it.
const unwantedPasses = ["inlining-optimizing", "local-cse"];

// What rustc's wasm32-unknown-unknown turns on: wasm-opt refuses a module that uses more than it
// was told. Every engine the package supports has had all of them since 2023.
const wasmFeatures = [
  "bulk-memory",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];
