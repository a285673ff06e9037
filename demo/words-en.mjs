/** English. */

import { asOption, chain, short } from "./timeline.mjs";

const seconds = (ms) => `${ms / 1000} s`;

export const en = {
  help: `A team of LLM agents shakes hands: the demo of team-protocols.

  npm run demo                     the whole story, in English
  npm run demo -- --lang zh        in Chinese
  node demo/main.mjs --help        this text

Options
  --lang en|zh    the language of everything that is printed, also of the engines' errors
  --help, -h      this text

What you see
  ✎   what a model wrote as the input of its message tool, from tests/vectors/field/demo-*.json
  ──▶ a frame from one member to another        ╌╌▷ a frame that nobody fetches
  ●   a request that changed its state          ◐   what one of several deciders said
  ○   a member whose liveness changed           ·   what a host does or sees
  ✓   the plan gate lets an action start        ✗   something was refused, with the next step
  ⚠   an alarm

One engine per member runs in this process, on a bus and a clock of its own: a story of minutes
takes well under a second and comes out the same every time. Nothing is printed as if it had
happened: frames, outcomes, refusals and alarms are what the engines report. When one of them is
not what the story expects, the demo ends with exit code 1.

Colour is used on terminals; NO_COLOR=1 turns it off, FORCE_COLOR=1 turns it on.`,
  usage: (argument) => `unknown argument: ${argument}\nsee: node demo/main.mjs --help`,
  failed: (why) => `The demo did not go as it should: ${why}`,
  stuck: "something that the story waits for never happened",

  comma: ", ",
  readAs: "understood: ",
  refused: "refused: ",
  hint: "next: ",
  alarm: "ALARM",
  notes: {
    coerced: "a quoted boolean read as a boolean",
    alias: "other field names read as ours",
    unwrapped: "JSON inside a string unwrapped",
    unknown_field: "unknown fields left out",
    text_from_summary: "the text taken from the summary",
  },
  shortId: (given, whole) => `${given} is the beginning of ${whole}`,
  unchanged: (hash) => `state hash unchanged: ${hash}…`,
  by: (member) => `by ${member}`,
  cause: (cause) => `(${cause})`,
  reminder: (count) => `reminder ${count}: same id, the answer spelled out`,
  drain: (member, when) => `last look into ${member}'s mail; it is judged at ${when}`,
  held: ({ requestId, kind, status, title, scope = [] }) =>
    `it held ${kind} ${short(requestId)} (${status})` +
    (title ? `: “${title}”, may be half done: ${scope.join(", ")}` : ""),
  said: (type, message, to) => {
    const { plan, approve, ok, status, retry_after_ms: again } = message;
    if (type === "text") return [`“${message}”`];
    if (type === "receipt") return ["acknowledged by the engine itself"];
    if (status) return [`told how it ended: ${status}`];
    if (message.path) return [`who waits for whom: ${chain(message.path, to)}`];
    if (message.cycle) return [`a circle: ${chain(message.cycle, message.cycle[0].member)}`];
    const asked = message.follows ? [follows(asOption(message.follows))] : [];
    if (type === "request") return [...asked, `${message.kind} on ${message.payload.on}`];
    if (plan) {
      return [...asked, `“${plan.title}”`, `scope ${plan.scope.join(", ")}`, `risk ${plan.risk}`];
    }
    const said = [];
    if (approve !== undefined) said.push(approve ? "yes" : "no");
    if (ok !== undefined) said.push(ok ? "done" : "failed");
    if (message.rolled_back !== undefined) said.push(message.rolled_back ? "undone" : "not undone");
    if (again) said.push(`ask again in ${seconds(again)}`);
    const text = message.reason ?? message.feedback ?? message.detail;
    if (text) said.push(`“${text}”`);
    return said.length > 0 ? [said.join(", ")] : [];
  },
  vote: ({ by, approve, counted, awaiting }) => {
    const said = `${approve ? "yes" : "no"} by ${by}`;
    if (!counted) return `${said}: recorded, too late to count`;
    return awaiting.length > 0 ? `${said}, still to decide: ${awaiting.join(", ")}` : said;
  },
  submits: ({ stages, follows: link, onApproved, compensation }) => {
    const parts = ["submits a plan"];
    if (link) parts.push(`, ${follows({ ...link, justification: undefined })}`);
    if (stages) parts.push(`${link ? "," : ""} to ${stages.map(panel).join(", then to ")}`);
    if (onApproved) parts.push(`; to do it: “${onApproved}”, to undo it: “${compensation}”`);
    return parts.join("");
  },
  gone: (member) => `is told by its host that ${member} is gone`,
  lineage: ({ follows: { as, requestId: id }, digest }) =>
    `sees ${LINKS[as]} ${short(id)}, with the same digest ${digest.slice(0, DIGEST_SHOWN)}…`,
  waitsFor: (member, on) => `cannot go on without ${on}, asks ${member} for it`,
  circle: (cycle, victim) => [
    chain(cycle, cycle[0].member),
    `${short(victim)}, the greatest id of the circle, is given up`,
  ],
  freeAfter: (ms, limit) =>
    `waits no more after ${ms} ms; without the probes both would have waited ${limit}, for the clock`,
  works: ({ name, cause, run }) => `runs “${name}” (${cause}, run ${run} of this plan)`,
  workFailed: ({ name, detail }) => `“${name}” failed: ${detail}`,
  undone: (done, id) => `sees that the work of ${id} was ${done ? "undone" : "not undone"}`,

  partA: "The five exercises",
  partB: "The three failures",
  partC: "Four harder cases",
  secondTeam:
    "A second team goes on: the workers interface and model, the approvers qa, dba, ops and security, and their lead. Nobody writes tool input here: the hosts call the API.",
  scenes: {
    shutdown: {
      title: "Shutdown: asked first, gone afterwards",
      look: "One id ties the answer to the question. Being approved is not being gone: alice is leaving until she confirms her exit.",
    },
    table: {
      title: "The team after it",
      look: "The lead's table, from one call of team(): alice has left, the others are untouched.",
    },
    rejected: {
      title: "A risky plan is rejected, and the gate stays shut",
      look: "A “no” must say why: the first attempt is refused and changes nothing. What bob may not do, he cannot start.",
    },
    approved: {
      title: "A plan is approved, executed and reported",
      look: "The approval opens the gate for what the plan names and nothing else, until the work is reported. The lead copied only the short form of the id.",
    },
    team: {
      title: "The whole team at a glance",
      look: "alice is back as a new process, with a new life. ⇢ is what the lead asked and waits for; ⇠ is what waits for the lead.",
    },
    section: {
      title: "A worker in a critical section is asked to leave",
      look: "The engine answers for the busy worker at once, with the reason and the time to ask again. The lead asks again then.",
    },
    unplanned: {
      title: "A destructive action without a plan",
      look: "charlie's approval ended with his report. The denial tells what to do instead, in words that a model can follow.",
    },
    silent: {
      title: "A worker falls silent",
      look: "Three reminders, a timeout, a last look into the mail, then the alarms, with what the lost worker held. The lead is never blocked.",
    },
    quorum: {
      title: "Several members decide, in two stages",
      look: "One id, one frame to each approver. A stage is over as soon as its outcome is certain: two of three are enough in the first, one no is a veto in the second. Later votes are recorded.",
    },
    appeal: {
      title: "A rejected plan comes back as an appeal",
      look: "The same plan is the same question: its digest tells. Only an appeal may ask it again: with what the first decision did not consider, and a few times at most.",
    },
    deadlock: {
      title: "Two workers wait for each other",
      look: "A circle of waiting is refused where it can be known, and found and broken where it cannot. A refusal by role is neither.",
    },
    rollback: {
      title: "Approved work fails and is undone, once",
      look: "The plan names two works by their handlers: one for the approval, one to undo it. The lead learns of both ends from the reports.",
    },
  },
  quorum: {
    plan: {
      title: "Drop the old feature table",
      scope: ["run:drop_features_v1"],
      risk: "high: what is dropped is gone",
    },
    changed: {
      title: "Rename the old feature table, drop it in a week",
      scope: ["run:rename_features_v1"],
      risk: "low: the rename can be taken back",
    },
    qa: "all tests pass without it",
    ops: "nothing has read it for a month",
    dba: "two reports still name it",
    security: "the law wants it kept until the audit in May",
  },
  appeal: {
    plan: {
      title: "Rename the field mail to email in the public interface",
      scope: ["write:api/user.ts"],
      risk: "medium: clients that read mail find nothing",
    },
    no: "clients in the field still read mail",
    again: "submits the same plan again, as if nothing had been said",
    justification: "the gateway answers under both names for a year, since today",
    yes: "that was not known, go ahead",
    action: "write:api/user.ts",
  },
  deadlock: {
    sameInstant: `In the same instant: neither request has arrived when the other is made. A frame takes 20 ms here and is shown when it arrives. Probes travel along the requests that wait; where one comes back, there is a circle.`,
    knownBefore:
      "Known before: a member does not ask whoever waits for its own answer. That is refused at once, and no frame is sent.",
    byRole:
      "Refused by role: a worker asks a worker to approve its plan. The table of roles forbids it, whoever waits for whom; this is no detected deadlock.",
    plan: {
      title: "Split the interface package in two",
      scope: ["write:api/**"],
      risk: "low: the old name stays as an alias",
    },
    nobodyWaits:
      "nobody was asked, nobody waits; the audit trails name one deadlock, the one above",
    fields: "the field names of User",
    signature: "the signature of save()",
    errors: "the type of errors",
    texts: "the texts of errors",
    ready: (on) => `here you are: ${on}`,
  },
  rollback: {
    plan: {
      title: "Load the new features into the table",
      scope: ["write:db/features"],
      risk: "medium: a load that stops half-way leaves a mixed table",
    },
    once: "reports the failure once more",
    yes: "go ahead, with a backup",
    action: "write:db/features",
    full: (rows) => `disk full, stopped at ${rows} rows`,
    restored: (rows) => `restored from the backup, ${rows} rows`,
  },

  intro: [
    "Five members, one engine each, on a bus in this process and a clock that is moved by hand.",
    "✎ a model writes   ──▶ a frame   ╌╌▷ a frame nobody reads   ● a request changes state",
    "◐ a vote   ○ liveness   ✓ gate opens   ✗ refused   ⚠ alarm   · the host   (--help tells more)",
  ],
  table: {
    head: ["member", "role", "liveness", "life since", "open requests", "waiting"],
    asked: (kind, id) => `⇢ ${kind} ${id}`,
    owed: (kind, id) => `⇠ ${kind} ${id}`,
    none: "–",
  },
  owes: (member, { kind, from }, until) =>
    `${member} owes ${from} a ${kind} decision until ${until}:`,
  yesShape: "yes: ",
  noShape: "no: ",
  seconds,
  exits: "the process ends: exit()",
  wantsTo: (action) => `wants to start ${action}`,
  gateOpen: (action, id) => `gate open for ${action}, covered by ${id}`,
  respawn: "a new process is started; the lead announces the new life",
  enters: (section, eta) => `enters the critical section “${section}”, about ${eta}`,
  sectionName: "schema migration",
  leaves: (section) => `leaves the critical section “${section}”`,
  answeredFor: (mark) => `its engine answered, not the model (audit mark ${mark})`,
  waits: (time) => `comes back after the ${time} it was told`,
  hangs: "the process hangs: it reads no mail any more",
  mailbox: (count, member) => `${count} frames wait unread for ${member}`,
  released: (status, after) => `the call returns after ${after}: ${status}`,

  summary: "What the audit trails say",
  teams: ["The team of the exercises and the failures", "The team of the harder cases"],
  summaryHead: [
    "member",
    "accepted",
    "answered",
    "settled",
    "noted",
    "dropped",
    "refused",
    "alarms",
  ],
  life: (member, number) => (number > 1 ? `${member} (life ${number})` : member),
  total: "together",
  byStatus: (counts) => `requests settled: ${counts}`,
  checked: (count, time) =>
    `${count} audit entries, ${time} of virtual time, every step as expected`,
  next: "Read next: docs/protocol.md for the rules, src/ts/protocol-engine.ts for the API, demo/exercises.mjs and demo/cases.mjs for this story as code.",
};

const LINKS = { retry: "a retry of", appeal: "an appeal against", revision: "a revision of" };

/** How much of a digest is shown. */
const DIGEST_SHOWN = 11;

function panel({ approvers, threshold, veto }) {
  if (approvers.length === 1) return approvers[0];
  const rule = veto ? ", one no is a veto" : "";
  return `${threshold} of ${approvers.length} (${approvers.join(", ")}${rule})`;
}

function follows({ as, requestId, justification }) {
  const what = `${LINKS[as]} ${short(requestId)}`;
  return justification ? `${what}: “${justification}”` : what;
}
