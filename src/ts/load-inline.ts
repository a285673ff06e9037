/** Starts the core from the bytes that are in the package. */

import { start } from "./boundary.js";
import { platform } from "./platform.js";
import { wasmBase64 } from "./wasm/inline.js";

start(Uint8Array.from(platform.atob(wasmBase64), (unit) => unit.charCodeAt(0)));
