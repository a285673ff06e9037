import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./lib/package.mjs";
import { main, npm, root, run, say } from "./lib/run.mjs";

await main(async () => {
  buildPackage();
  if (!existsSync(join(root, "benches/node_modules/.package-lock.json"))) {
    say("installing the peers (npm ci in benches)");
    run(...npm("ci", "--prefix", "benches"));
  }
  run(process.execPath, ["--expose-gc", "benches/handshake.mjs"]);
});
