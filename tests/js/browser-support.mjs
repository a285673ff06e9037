// A headless Chromium, and a small server of the package for it.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { ensureBrowser } from "../../scripts/lib/browser.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A page that knows the package by its names, as a bundler would. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>team-protocols</title>
<script type="importmap">{"imports": {
  "team-protocols": "/pkg/index.js",
  "team-protocols/indexeddb": "/pkg/browser/indexeddb-journal.js"
}}</script>`;

/** Starts a browser; `close` ends it and its server. `page()` opens the page of the package. */
export async function startBrowser() {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(new URL(url, "http://localhost").pathname);
    if (path === "/") return response.setHeader("content-type", "text/html").end(PAGE);
    try {
      const body = await readFile(join(ROOT, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "text/plain").end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({
    executablePath: ensureBrowser(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  });
  const context = await browser.newContext();
  const page = async () => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { url, context, page, close };
}
