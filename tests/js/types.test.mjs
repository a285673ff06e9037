// The types: usable by a strict consumer, documented, without `any`, and equal to the Rust lists.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DROP_REASONS, NOTED_AS } from "team-protocols";
import ts from "typescript";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

function problems(program) {
  return ts.getPreEmitDiagnostics(program).map(({ file: where, start, messageText }) => {
    const at = where && ts.getLineAndCharacterOfPosition(where, start).line + 1;
    return `${where?.fileName}:${at} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** The program of a configuration, and its options. */
function programOf(name) {
  const { config } = ts.readConfigFile(file(`types/${name}`), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, file("types"));
  assert.deepEqual(parsed.errors, []);
  return { program: ts.createProgram(parsed.fileNames, parsed.options), options: parsed.options };
}

test("the types of payloads come from the schemas of zod and valibot", () => {
  // Their declarations need the DOM or Node, so those are not checked themselves.
  const { program } = programOf("schemas.tsconfig.json");
  assert.deepEqual(problems(program), []);
  const names = program.getSourceFiles().map(({ fileName }) => fileName);
  for (const part of ["/pkg/index.d.ts", "/zod/", "/valibot/"]) {
    assert.ok(
      names.some((name) => name.includes(part)),
      part,
    );
  }
});

test("a strict consumer without DOM compiles, and what it must not do does not", () => {
  const { program, options } = programOf("tsconfig.json");
  assert.equal(options.skipLibCheck, false);
  assert.deepEqual(problems(program), []);
  const names = program.getSourceFiles().map(({ fileName }) => fileName);
  assert.ok(names.some((name) => name.endsWith("/pkg/index.d.ts")));
  assert.ok(!names.some((name) => /lib\.dom|@types\/node/.test(name)), "no DOM, no Node");
});

/** What the entries export, in declarations: the symbol, its name, and the checker. */
function* publicSymbols() {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true };
  const entries = ["index", "slim", "workerd", "node/index", "browser/indexeddb-journal"].map(
    (entry) => file(`../../pkg/${entry}.d.ts`),
  );
  const program = ts.createProgram(entries, { ...options, allowArbitraryExtensions: true });
  const checker = program.getTypeChecker();
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
    for (const exported of checker.getExportsOfModule(module)) {
      const alias = exported.flags & ts.SymbolFlags.Alias;
      const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
      yield { symbol, name: exported.name, checker };
    }
  }
}

const isPublic = (declaration) =>
  declaration.name?.kind !== ts.SyntaxKind.PrivateIdentifier &&
  !(ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private);

/** A declaration and what is declared inside it, as far as users can see it. */
function* declarations(symbol) {
  for (const declaration of symbol.declarations ?? []) {
    yield { declaration, name: symbol.name };
    if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) continue;
    for (const member of declaration.members.filter(isPublic)) {
      yield {
        declaration: member,
        name: `${symbol.name}.${member.name?.getText() ?? "constructor"}`,
      };
    }
  }
}

function documented(declaration) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.getJSDocCommentsAndTags(node).some(({ comment }) => (comment?.length ?? 0) > 0);
}

test("every public symbol, and everything public in it, is documented", () => {
  const missing = new Set();
  let seen = 0;
  for (const { symbol } of publicSymbols()) {
    for (const { declaration, name } of declarations(symbol)) {
      seen += 1;
      if (!documented(declaration)) missing.add(name);
    }
  }
  assert.ok(seen > 300, `${seen} declarations`);
  assert.deepEqual([...missing], []);
});

test("no public type contains `any`", () => {
  const found = new Set();
  const look = (node, name) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.add(name);
    if (node.name?.kind === ts.SyntaxKind.PrivateIdentifier) return;
    ts.forEachChild(node, (child) => look(child, name));
  };
  for (const { symbol, name } of publicSymbols()) {
    for (const declaration of symbol.declarations ?? []) look(declaration, name);
  }
  assert.deepEqual([...found], []);
});

/** The names that a Rust function gives to the variants of an enum. */
function rustNames(type, method) {
  const source = readFileSync(file("../../src/journal.rs"), "utf8");
  const implementation = source.slice(source.indexOf(`impl ${type} {`));
  const body = implementation.slice(implementation.indexOf(`fn ${method}(self)`));
  const names = body.slice(0, body.indexOf("\n    }\n")).matchAll(/=> "([a-z_]+)"/g);
  return Array.from(names, ([, name]) => name);
}

test("the lists of dispositions are those of the core", () => {
  assert.ok(rustNames("Noted", "name").length > 3);
  assert.deepEqual([...NOTED_AS], rustNames("Noted", "name"));
  assert.ok(rustNames("DropReason", "code").length > 10);
  assert.deepEqual([...DROP_REASONS].sort(), rustNames("DropReason", "code").sort());
});
