/** The package without the wasm in it: the host brings the bytes, or says where they are. */

import { start } from "./boundary.js";

export * from "./api.js";

/**
 * Starts the core, once, before anything else is used. `module` is the content of
 * `team-protocols/team_protocols.wasm` as bytes, or a compiled `WebAssembly.Module`.
 */
export function init(module: object): void {
  start(module);
}
