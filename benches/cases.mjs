/** What is asked and answered: the same for everybody who runs. */

export const NOW = 1_700_000_000_000;
export const LEAD = "team-lead";
export const WORKERS = Array.from({ length: 8 }, (_, n) => `worker-${n}`);
export const REASON = "the work is done, thank you";

/** Rejected, so that the workers stay and can be asked again. */
export const REFUSAL = { approve: false, reason: "the tests are still writing" };

const ENGLISH =
  "Copy the table first, compare the counts of both, then switch the readers over one by one. ";
const CHINESE = "先复制数据表，核对两边的行数，再逐个切换读取方；任何一步失败都停下来并恢复备份。";

/** Texts of a plan of about 2 KB in UTF-8. */
export const TEXTS = {
  English: ENGLISH.repeat(23),
  Chinese: CHINESE.repeat(18),
};

/** A plan; each has a title of its own, so that none is a repeat of one that was decided. */
export function planOf(text, n) {
  return {
    title: `Move the sessions table, part ${n}`,
    scope: ["write:db/sessions", "run:migrations/**"],
    steps: ["copy", "compare", "switch"],
    risk: "sessions are lost when the copy is cut short",
    text,
  };
}
