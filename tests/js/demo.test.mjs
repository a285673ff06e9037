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
  return text.split(/^(?=\d+ · |═══ )/m).reduce((found, part) => {
    const number = /^(\d+) · /.exec(part)?.[1] ?? (found.has("12") ? "summary" : "0");
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

/**
 * What happens in this order in the harder scenes. `<a>` is an id: the same wherever it stands in a
 * scene, and another one than `<b>`. A space is any number of them.
 */
const STEPS = {
  9: [
    "model ──▶ qa plan_approval_request <a> pending",
    "model ──▶ dba plan_approval_request <a> pending",
    "model ──▶ ops plan_approval_request <a> pending",
    "model ◐ <a> .*qa.*dba\\W+ops",
    "model ◐ <a> .*ops.*security\\W+team-lead",
    "model ──▶ security plan_approval_request <a> pending",
    "model ──▶ team-lead plan_approval_request <a> pending",
    "model ◐ <a> (no by dba: recorded, too late to count|dba 不同意：已记录，来得太迟，不计票)",
    "model ◐ <a> (no by security|security 不同意)",
    "model ● <a> pending → rejected .*security",
    ...["qa", "dba", "ops", "security", "team-lead"].map((to) => `model ──▶ ${to} settled <a>`),
    "model ──▶ qa plan_approval_request <b> pending",
    "(a revision of <a>|<a> 的修订)",
    "model ◐ <b> .*qa.*dba",
    "team-lead ○ dba: active → left",
    "model ● <b> pending → cancelled \\(quorum_unreachable\\)",
  ],
  10: [
    "interface ──▶ team-lead plan_approval_request <a> pending",
    "interface ● <a> pending → rejected .*team-lead",
    "interface ✗ .*already_rejected",
    "(state hash unchanged|状态哈希未变)",
    "interface ──▶ team-lead plan_approval_request <b> pending",
    "(an appeal against <a>|对 <a> 的申诉).*“.+",
    "team-lead · .*<a>.* b3_[0-9a-f]{8}…",
    "interface ● <b> pending → approved .*team-lead",
    "interface ✓ .*write:api/user.ts.* <b>",
  ],
  11: [
    // Both ask before anything arrives.
    "\\d\\d:\\d\\d interface · .*\\n model · .*\\n \\.020 ",
    "interface ──▶ model request <a> pending",
    "model ──▶ interface request <b> pending",
    "──▶ \\w+ probe",
    "(ALARM|警报) deadlock",
    "(interface \\(<a>\\) → model \\(<b>\\) → interface|model \\(<b>\\) → interface \\(<a>\\) → model)",
    "(<a>|<b>) pending → cancelled \\(deadlock_broken\\)",
    "60 (ms|毫秒)",
    "(<a>|<b>) pending → approved",
    "(a retry of <a>|a retry of <b>|<a> 的重试|<b> 的重试)",
    "interface ✗ .*would_deadlock",
    "(state hash unchanged|状态哈希未变)",
    "interface ✗ .*not_allowed",
    "(state hash unchanged|状态哈希未变)",
    "(name one deadlock|只有一次死锁)",
  ],
  12: [
    "model ──▶ team-lead plan_approval_request <a> pending",
    "model ● <a> pending → approved .*team-lead",
    "model · .*“load”.*approved.*1",
    "model ✓ .*write:db/features.* <a>",
    "model ✗ “load”.*1550",
    "model ──▶ team-lead execution_report <a>\\n (failed, “|失败，“)",
    "model · .*“restore”.*compensation.*2",
    "model ──▶ team-lead execution_report <a>\\n (failed, undone|失败，已撤销)",
    "team-lead · .*<a>.*(undone|已撤销)",
    "model ✗ .*already_answered",
    "model ✗ .*gate_no_plan",
  ],
};

/** The steps come in this order. */
function assertSteps(text, steps, about) {
  const ids = new Map();
  let rest = text;
  for (const step of steps) {
    const known = (_, name) => ids.get(name) ?? `(?<${name}>req_[0-9a-f]{8})`;
    const pattern = step.replaceAll(" ", " +").replaceAll(/<(\w)>/g, known);
    const found = new RegExp(pattern).exec(rest);
    assert.ok(found, `${about}: no ${pattern} in\n${rest}`);
    for (const [name, id] of Object.entries(found.groups ?? {})) ids.set(name, id);
    rest = rest.slice(found.index + found[0].length);
  }
  assert.equal(new Set(ids.values()).size, ids.size, `${about}: the ids differ`);
}

/** How often something happens in a scene, whatever the language. */
const TIMES = [
  [9, /pending → \w+/g, 2],
  [9, /──▶ \w[\w-]* +settled /g, 6],
  [9, /(──▶|╌╌▷) dba +settled /g, 1],
  [10, /✗/g, 1],
  [11, /⚠/g, 1],
  [11, /pending → cancelled/g, 1],
  [11, /pending → approved/g, 3],
  [11, /✗/g, 2],
  [12, /· +(runs |执行)“load”/g, 1],
  [12, /· +(runs |执行)“restore”/g, 1],
  [12, /(failed, undone|失败，已撤销)/g, 1],
];

for (const [lang, args, words] of [
  [
    "en",
    [],
    ["Shutdown", "refused:", "next:", "understood: a quoted boolean", "undone, once", "Read next"],
  ],
  [
    "zh",
    ["--lang", "zh"],
    ["关机", "拒绝：", "下一步：", "理解为：带引号的布尔值", "撤销恰好一次", "接着读"],
  ],
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

    it("tells the harder cases step by step", () => {
      const found = scenes(run.stdout);
      for (const [number, steps] of Object.entries(STEPS)) {
        assertSteps(found.get(number) ?? "", steps, `scene ${number}`);
      }
    });

    it("shows it no more often than it happens", () => {
      const found = scenes(run.stdout);
      for (const [number, what, times] of TIMES) {
        const shown = (found.get(`${number}`) ?? "").match(what)?.length ?? 0;
        assert.equal(shown, times, `scene ${number}: ${what}`);
      }
    });

    it("breaks the deadlock at one request and lets the other be decided", () => {
      const scene = scenes(run.stdout).get("11") ?? "";
      const asked = [...scene.matchAll(/──▶ \w+ +request +(req_\w{8}) /g)].map(([, id]) => id);
      const [, victim] = /(req_\w{8}) +pending → cancelled/.exec(scene) ?? [];
      const circle = asked.slice(0, 2);
      assert.equal(victim, circle.toSorted().at(-1), "the greatest id");
      const survivor = circle.find((id) => id !== victim);
      assert.match(scene, new RegExp(`${survivor} +pending → approved`));
      const end = scene.indexOf("pending → cancelled");
      assert.ok(end < scene.indexOf(`${survivor}  pending → approved`), "in this order");
    });

    it("sums up the audit trails", () => {
      const summary = scenes(run.stdout).get("summary") ?? "";
      assert.match(summary, /4 approved.*3 rejected.*1 timed_out/);
      assert.match(summary, /2 rejected.*5 approved.*2 cancelled/);
      const sums = summary.split("\n").filter((line) => /^ +(together|合计) /.test(line));
      const columns = sums.map((line) => line.trim().split(/ +/).length);
      assert.deepEqual(columns, [8, 8]);
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
