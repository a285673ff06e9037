/** English. */

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
  ●   a request that changed its state          ○   a member whose liveness changed
  ✓   the plan gate lets an action start        ✗   something was refused, with the next step
  ⚠   an alarm                                  ·   what a host does or sees

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
  held: ({ requestId, kind, status, title, scope = [] }, short) =>
    `it held ${kind} ${short(requestId)} (${status})` +
    (title ? `: “${title}”, may be half done: ${scope.join(", ")}` : ""),
  said: (type, message) => {
    const { plan, approve, ok, status, retry_after_ms: again } = message;
    if (type === "text") return [`“${message}”`];
    if (type === "receipt") return ["acknowledged by the engine itself"];
    if (status) return [`told how it ended: ${status}`];
    if (plan) return [`“${plan.title}”`, `scope ${plan.scope.join(", ")}`, `risk ${plan.risk}`];
    const said = [];
    if (approve !== undefined) said.push(approve ? "yes" : "no");
    if (ok !== undefined) said.push(ok ? "done" : "failed");
    if (again) said.push(`ask again in ${seconds(again)}`);
    const text = message.reason ?? message.feedback ?? message.detail;
    if (text) said.push(`“${text}”`);
    return said.length > 0 ? [said.join(", ")] : [];
  },

  partA: "The five exercises",
  partB: "The three failures",
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
  },

  intro: [
    "Five members, one engine each, on a bus in this process and a clock that is moved by hand.",
    "✎ a model writes   ──▶ a frame   ╌╌▷ a frame nobody reads   ● a request changes state",
    "○ liveness   ✓ gate opens   ✗ refused   ⚠ alarm   · the host   (--help tells more)",
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
  next: "Read next: docs/protocol.md for the rules, src/ts/protocol-engine.ts for the API, demo/exercises.mjs for this story as code.",
};
