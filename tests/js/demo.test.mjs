/** The demo, run as a reader runs it: piped, in both languages. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { width } from "../../demo/text.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const WIDEST = 100;
const ESCAPE = "\u001b";

function demo(args = [], environment = {}) {
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  const options = { cwd: root, encoding: "utf8", env: { ...rest, ...environment } };
  return spawnSync(process.execPath, ["demo/main.mjs", ...args], options);
}

/** The scenes by number; what comes before the first one is number 0. */
function scenes(text) {
  return text.split(/^(?=\d · |═══ )/m).reduce((found, part) => {
    const number = /^(\d) · /.exec(part)?.[1] ?? (found.has("8") ? "summary" : "0");
    return found.set(number, (found.get(number) ?? "") + part);
  }, new Map());
}

/** What happens in each scene, whatever the language. */
const FACTS = {
  1: [
    /"approve":"true"/,
    /team-lead ──▶ alice +shutdown_request +req_[0-9a-f]{8} +pending/,
    /alice +──▶ team-lead +shutdown_response/,
    /pending → approved/,
    /active → leaving/,
    /alice +──▶ team-lead +exited/,
    /leaving → left/,
  ],
  2: [/alice +worker +left/, /bob +worker +active/],
  3: [
    /reason_required/,
    /"approve":"False"/,
    /pending → rejected/,
    /gate_no_plan/,
    /`delete:src\/legacy_auth\/session\.rs`/,
  ],
  4: [
    /"request_id":"req_[0-9a-f]{8}"[^✗]*req_[0-9a-f]{32}/,
    /pending → approved/,
    /✓ .*write:src\/parser\/errors\.rs/,
    /gate_out_of_scope/,
    /charlie +──▶ team-lead +execution_report/,
  ],
  5: [
    /alice +worker +active +00:37 +⇢ shutdown req_[0-9a-f]{8} +00:42/,
    /dave +worker +active +00:00 +⇠ plan_approval req_[0-9a-f]{8} +00:44/,
    /(until|应在) 01:44/,
    /"approve":true}}/,
    /pending → rejected/,
  ],
  6: [/critical_section/, /7 (s|秒)/, /pending → rejected/, /pending → approved/, /leaving → left/],
  7: [/gate_no_plan/, /`delete:vendor\/openssl`/],
  8: [
    /team-lead ╌╌▷ dave +shutdown_request/,
    /team-lead ──▶ bob +text/,
    /pending → timed_out +TIMEOUT_REJECTED/,
    /dave: active → lost/,
    /(ALARM|警报) worker_lost dave/,
    /(ALARM|警报) reclaim dave\n.*plan_approval req_[0-9a-f]{8}/,
    /recipient_lost/,
    /dave +worker +lost/,
  ],
};

for (const [lang, args, words] of [
  ["en", [], ["Shutdown", "refused:", "next:", "understood: a quoted boolean", "Read next"]],
  ["zh", ["--lang", "zh"], ["关机", "拒绝：", "下一步：", "理解为：带引号的布尔值", "接着读"]],
]) {
  describe(`the demo in ${lang}`, () => {
    const run = demo(args);

    it("succeeds and says nothing on stderr", () => {
      assert.equal(run.stderr, "");
      assert.equal(run.status, 0);
    });

    it("is plain text of at most 100 columns when piped", () => {
      assert.ok(!run.stdout.includes(ESCAPE));
      const wide = run.stdout.split("\n").filter((line) => width(line) > WIDEST);
      assert.deepEqual(wide, []);
    });

    it("is in that language", () => {
      for (const word of words) assert.ok(run.stdout.includes(word), word);
    });

    it("shows what each scene is about", () => {
      const found = scenes(run.stdout);
      for (const [number, facts] of Object.entries(FACTS)) {
        for (const fact of facts) assert.match(found.get(number) ?? "", fact, `scene ${number}`);
      }
    });

    it("sums up the audit trails", () => {
      const summary = scenes(run.stdout).get("summary") ?? "";
      assert.match(summary, /4 approved.*3 rejected.*1 timed_out/);
      const sums = summary.split("\n").find((line) => /^ +(together|合计) /.test(line)) ?? "";
      assert.equal(sums.trim().split(/ +/).length, 8);
    });

    it("comes out the same every time", () => {
      assert.equal(demo(args).stdout, run.stdout);
    });
  });
}

describe("the demo's arguments and environment", () => {
  it("refuses what it does not know", () => {
    for (const args of [["--nonsense"], ["nonsense"], ["--lang", "fr"], ["--lang"], ["--"]]) {
      const { status, stdout, stderr } = demo(args);
      assert.equal(status, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.ok(stderr.includes(args.join(" ")), stderr);
    }
  });

  it("explains itself", () => {
    const { status, stdout } = demo(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /--lang en\|zh/);
    assert.match(demo(["--lang", "zh", "-h"]).stdout, /选项/);
  });

  it("uses colour when it is forced, and none when that is forbidden", () => {
    const coloured = demo([], { FORCE_COLOR: "1" }).stdout;
    assert.ok(coloured.includes(ESCAPE));
    const codes = new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g");
    assert.equal(coloured.replaceAll(codes, ""), demo().stdout);
    assert.ok(!demo([], { FORCE_COLOR: "1", NO_COLOR: "1" }).stdout.includes(ESCAPE));
  });
});
