/** The package as most users import it: ready when the import is. */

import "./load-inline.js";

export * from "./api.js";
