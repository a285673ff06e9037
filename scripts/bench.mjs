import { buildPackage } from "./lib/package.mjs";
import { main } from "./lib/run.mjs";

await main(async () => {
  buildPackage();
  await import("../benches/handshake.mjs");
});
