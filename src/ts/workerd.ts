/** The package for workerd, which takes wasm only as a module. */

import "./load-module.js";

export * from "./api.js";
