import { buildPackage } from "./lib/package.mjs";
import { main } from "./lib/run.mjs";

await main(buildPackage);
