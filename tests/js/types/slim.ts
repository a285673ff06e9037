// The slim entry has the same types, and `init`. Only compiled.

import type * as whole from "team-protocols";
import * as slim from "team-protocols/slim";

slim.init(new Uint8Array(4));
// @ts-expect-error neither bytes nor a module
slim.init("team_protocols.wasm");

export const same: typeof whole = slim;
