/** Tables: the team as one engine sees it, and what the audit trails add up to. */

import { short } from "./timeline.mjs";

/** The team as one engine sees it: one row per member, one more for each further request. */
export function showTeam({ timeline, words }, engine) {
  const { head, asked, owed, none } = words.table;
  const rows = engine.team().flatMap((member) => {
    const open = [
      ...member.asked.map(({ kind, requestId }) => asked(kind, short(requestId))),
      ...member.owed.map(({ kind, requestId }) => owed(kind, short(requestId))),
    ];
    const since = member.waitingSince;
    const first = [
      member.name,
      member.role,
      member.liveness,
      member.incarnation ? timeline.time(startOf(member.incarnation)) : none,
      open[0] ?? none,
      since === undefined ? none : timeline.time(since),
    ];
    return [first, ...open.slice(1).map((text) => ["", "", "", "", text, ""])];
  });
  timeline.table([head, ...rows]);
}

/** A life begins with the moment it started. */
function startOf(incarnation) {
  return Number(incarnation.split("-")[0]);
}

/** What every engine recorded, counted: a row for each life of a member, and their sum. */
export function showAudit({ timeline, words, lives }) {
  const rows = lives.map((engine, at) => {
    const earlier = lives.slice(0, at).filter((other) => other.member === engine.member).length;
    return [words.life(engine.member, earlier + 1), ...counts(engine.audit())];
  });
  const totals = VERDICTS.map((_, at) => rows.reduce((sum, row) => sum + row[at + 1], 0));
  timeline.table([words.summaryHead, ...rows, [words.total, ...totals]]);
  const settled = lives.flatMap((engine) =>
    engine.audit().filter(({ verdict, from }) => verdict === "settled" && from === engine.member),
  );
  const statuses = [...new Set(settled.map(({ status }) => status))];
  const count = (status) => settled.filter((entry) => entry.status === status).length;
  const text = statuses.map((status) => `${count(status)} ${status}`).join(words.comma);
  timeline.line();
  timeline.line(`  ${words.byStatus(text)}`);
  return totals.reduce((sum, total) => sum + total, 0);
}

function counts(audit) {
  return VERDICTS.map((name) => audit.filter(({ verdict }) => verdict === name).length);
}

const VERDICTS = ["accepted", "answered", "settled", "noted", "dropped", "refused", "alarm"];
