/** The texts of the demo, by language. */

import { en } from "./words-en.mjs";
import { zh } from "./words-zh.mjs";

export const words = { en, zh };
