/** Starts the core from a wasm module that the bundler or runtime resolves. */

import { start } from "./boundary.js";
import module from "./wasm/team_protocols_bg.wasm";

start(module);
