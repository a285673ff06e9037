/** The timeline: one row for each thing that happens, drawn from what the engines report. */

import { cut, pad, width, wrap, wrapShort } from "./text.mjs";

const STAMP = 5;
const NAME = 9;
const GAP = "  ";
/** Where the text of a row begins that has one member. */
const NEAR = STAMP + 2 + NAME + 2 + 3;
/** Where the text of a row begins that goes from one member to another. */
const FAR = STAMP + 2 + NAME + 5 + NAME + 2;

/** An id as people see it. */
export function short(id) {
  return id.length > 12 ? id.slice(0, 12) : id;
}

/** Who waits for whom: each edge with the id of its request, and where the last one leads. */
export function chain(edges, last) {
  const steps = edges.map(({ member, request_id, requestId = request_id }) => {
    return `${member} (${short(requestId)})`;
  });
  return [...steps, last].join(" → ");
}

/** Draws rows. `start` is the moment that is 00:00. */
export class Timeline {
  #print;
  #start;
  #held;
  #shown;
  #blank = false;

  constructor({ print, paint, words, columns, start }) {
    this.#print = print;
    this.#start = start;
    this.paint = paint;
    this.words = words;
    this.columns = columns;
  }

  /** Keeps back the rows that come up in `run`, and returns them with its result. */
  hold(run) {
    const outer = this.#held;
    const rows = [];
    this.#held = rows;
    try {
      return { result: run(), rows };
    } finally {
      this.#held = outer;
    }
  }

  /** Prints a line, unless it is kept back. */
  line(text = "") {
    this.put([{ text }]);
  }

  /**
   * Prints rows, unless they are kept back. The time is shown where it differs from the last; of
   * two empty lines, one.
   */
  put(rows) {
    if (this.#held) {
      this.#held.push(...rows);
      return;
    }
    for (const { text, at } of rows) {
      const blank = text === "";
      if (blank && this.#blank) continue;
      this.#blank = blank;
      this.#print(at === undefined ? text : `${this.paint.dim(this.#stamp(at))}${text}`);
    }
  }

  /** A moment, where it differs from that of the row before: within a second only the rest of it. */
  #stamp(at) {
    const before = this.#shown;
    this.#shown = at;
    if (at === before) return " ".repeat(STAMP);
    if (before === undefined || this.time(at) !== this.time(before)) return this.time(at);
    return ` .${String((at - this.#start) % 1000).padStart(3, "0")}`;
  }

  /** A moment, as minutes and seconds since the start. */
  time(at) {
    const seconds = Math.floor((at - this.#start) / 1000);
    const two = (number) => String(number).padStart(2, "0");
    return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  }

  /** The head of a part of the demo. */
  part(title) {
    const { paint, columns } = this;
    this.line();
    this.line(paint.title(`═══ ${title} ${"═".repeat(Math.max(3, columns - width(title) - 5))}`));
  }

  /** The head of a scene: its number, its title, and what to look for. */
  scene(number, { title, look }) {
    const { paint, columns } = this;
    this.line();
    this.line(paint.title(`${number} · ${title}`));
    for (const line of wrap(look, columns - 4)) this.line(paint.dim(`    ${line}`));
    this.line();
  }

  /** A note about what comes next. */
  note(text) {
    this.line();
    for (const line of wrap(text, this.columns - 4)) this.line(this.paint.dim(`    ${line}`));
    this.line();
  }

  /** What a model wrote, and how it was read. */
  wrote(at, who, input) {
    const lines = wrapShort(input, this.columns - NEAR, this.columns < ROOMY ? 3 : 2);
    this.#near(at, who, "✎", lines, this.paint.dim);
  }

  /** How messy input was understood. */
  understood(remarks) {
    const { words, paint } = this;
    this.#below(NEAR, words.readAs + remarks.join(words.comma), paint.yellow);
  }

  /** A frame that goes from one member to another. */
  frame(at, { from, to, type, requestId, status, said, mark }) {
    const { paint } = this;
    const arrow = mark === "waiting" ? "╌╌▷" : "──▶";
    const head = `${GAP}${pad(from, NAME)} ${arrow} ${pad(to, NAME)}${GAP}`;
    const id = requestId === undefined ? "" : `${GAP}${paint.cyan(short(requestId))}`;
    const state = status === undefined ? "" : `${GAP}${this.#status(status)}`;
    this.put([{ at, text: head + paint.bold(type) + id + state }]);
    for (const text of said) this.#below(FAR, text);
  }

  /** A request that changed its state. */
  settled(at, who, { requestId, was, status, rest }) {
    const { paint } = this;
    const states = `${this.#status(was)} → ${this.#status(status)}`;
    const used = width(`${short(requestId)}${GAP}${was} → ${status}`);
    this.#fitting(at, who, "●", `${paint.cyan(short(requestId))}${GAP}${states}`, used, rest);
  }

  /** What one of several deciders said. */
  vote(at, who, vote) {
    const { paint, words } = this;
    const id = short(vote.requestId);
    const style = paint[vote.counted ? "plain" : "yellow"];
    this.#fitting(at, who, "◐", paint.cyan(id), width(id), words.vote(vote), style);
  }

  /** A change of a member's liveness. */
  liveness(at, who, { member, was, liveness }) {
    const { paint } = this;
    const to = LIVENESS_STYLE[liveness] ?? "plain";
    this.#head(at, who, "○", `${member}: ${was} → ${paint[to](liveness)}`);
  }

  /** Something the host does or sees. */
  host(at, who, text, mark = "·") {
    const style = mark === "✓" ? this.paint.green : this.paint.plain;
    this.#near(at, who, mark, wrap(text, this.columns - NEAR), style);
  }

  /** A refusal: its code, what was wrong, and the safe next step. */
  refused(at, who, error) {
    const { paint, words } = this;
    this.#head(at, who, "✗", `${paint.red(words.refused + error.code)}`);
    this.#below(NEAR, error.message);
    this.#below(NEAR, words.hint + error.hint, paint.green);
  }

  /** Something that needs attention. */
  alarm(at, who, name, text, details = []) {
    const { paint, words } = this;
    this.#head(at, who, "⚠", `${paint.alarm(`${words.alarm} ${name}`)} ${text}`);
    for (const detail of details) this.#below(NEAR, detail, paint.yellow);
  }

  /** A remark below a row. */
  remark(text) {
    this.#below(NEAR, text, this.paint.dim);
  }

  #head(at, who, mark, text) {
    const { paint } = this;
    const style = MARK_STYLE[mark] ?? "plain";
    const head = `${GAP}${pad(who, NAME)}${GAP}${paint[style](mark)}${GAP}`;
    this.put([{ at, text: head + text }]);
  }

  /** A row whose rest goes below where it does not fit behind the columns that are used. */
  #fitting(at, who, mark, text, used, rest, style = this.paint.plain) {
    const fits = NEAR + used + width(GAP + rest) <= this.columns;
    this.#head(at, who, mark, fits ? `${text}${GAP}${style(rest)}` : text);
    if (!fits) this.#below(NEAR, rest, style);
  }

  #near(at, who, mark, lines, style) {
    const [first = "", ...rest] = lines;
    this.#head(at, who, mark, style(first));
    for (const line of rest) this.line(`${" ".repeat(NEAR)}${style(line)}`);
  }

  #below(indent, text, style = this.paint.plain) {
    for (const line of wrap(text, this.columns - indent)) {
      this.line(`${" ".repeat(indent)}${style(line)}`);
    }
  }

  #status(status) {
    return this.paint[STATUS_STYLE[status] ?? "plain"](status);
  }

  /** A table; the first row is its head. What does not fit is cut off at the right. */
  table(texts) {
    const rows = texts.map((row) => row.map(String));
    const columns = rows[0].map((_, at) => Math.max(...rows.map((row) => width(row[at]))));
    rows.forEach((row, number) => {
      let left = this.columns;
      const cells = row.map((cell, at) => {
        const text = cut(`${GAP}${pad(cell, at < row.length - 1 ? columns[at] : 0)}`, left);
        left -= width(text);
        const style = number === 0 ? "dim" : (LIVENESS_STYLE[cell] ?? "plain");
        return this.paint[style](text);
      });
      this.line(cells.join("").trimEnd());
    });
  }
}

/** From how many columns on two lines of a model's input are enough. */
const ROOMY = 90;

const STATUS_STYLE = {
  pending: "yellow",
  approved: "green",
  rejected: "red",
  timed_out: "magenta",
  cancelled: "magenta",
};

const LIVENESS_STYLE = {
  active: "green",
  leaving: "yellow",
  left: "dim",
  suspect: "yellow",
  lost: "red",
};

const MARK_STYLE = { "✗": "red", "⚠": "red", "✓": "green", "●": "cyan", "◐": "cyan", "✎": "dim" };

/** What a frame says of an earlier request, in the names of JavaScript. */
export function asOption({ request_id: requestId, ...rest }) {
  return { requestId, ...rest };
}
