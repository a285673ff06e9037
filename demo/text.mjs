/** Text on a terminal: how wide it is, where it may break, how it is coloured. */

const WIDE = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/** How many columns a text takes; Chinese characters take two. */
export function width(text) {
  let columns = 0;
  for (const character of text) columns += isWide(character) ? 2 : 1;
  return columns;
}

/** The text, filled up with spaces to so many columns. */
export function pad(text, columns) {
  return text + " ".repeat(Math.max(0, columns - width(text)));
}

/** The text, cut with an ellipsis if it takes more than so many columns. */
export function cut(text, columns) {
  if (width(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  for (const character of text) {
    if (width(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The text in lines of at most so many columns. */
export function wrap(text, columns) {
  const lines = [];
  let line = "";
  for (const piece of text.split("\n").flatMap((part) => pieces(part, columns))) {
    if (width(line + piece.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += line === "" ? piece.trimStart() : piece;
  }
  lines.push(line.trimEnd());
  return lines;
}

/** As much of it as fits into so many lines, with an ellipsis if that is not all. */
export function wrapShort(text, columns, most) {
  const whole = wrap(text, columns);
  if (whole.length <= most) return whole;
  let [fits, over] = [0, text.length];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (wrap(`${text.slice(0, middle)}…`, columns).length <= most) fits = middle;
    else over = middle;
  }
  return wrap(`${text.slice(0, fits).trimEnd()}…`, columns);
}

/** What a line may not break in: words with the space after them, single Chinese characters. */
function pieces(text, columns) {
  const found = [];
  let piece = "";
  const end = () => {
    if (piece !== "") found.push(piece);
    piece = "";
  };
  for (const character of text) {
    const closes = CLOSING.has(character) || (character === '"' && isWide(last(piece)));
    const glued = character === " " || closes;
    const ended = piece.endsWith(" ") || piece.endsWith(",");
    const apart = (isWide(character) && !OPENING.has(last(piece))) || isWide(last(piece));
    const starts = !glued && (ended || apart);
    if (starts || width(piece + character) > columns) end();
    piece += character;
  }
  end();
  return found;
}

function last(text) {
  return text === "" ? "" : String.fromCodePoint(text.codePointAt(text.length - 1));
}

function isWide(character) {
  const code = character.codePointAt(0) ?? 0;
  return WIDE.some(([first, end]) => code >= first && code <= end);
}

/** What must not begin a line. */
const CLOSING = new Set("，。；：！？）」》、”,.;:!?)]}");

/** What must not end a line. */
const OPENING = new Set('“「《（([{"');

/** Colours, or none: `paint.red("…")`. */
export function painter(on) {
  const style = (code) => (text) => (on && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text);
  const styles = Object.entries(STYLES).map(([name, code]) => [name, style(code)]);
  return { ...Object.fromEntries(styles), plain: (text) => text };
}

const STYLES = {
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  blue: "34",
  magenta: "35",
  cyan: "36",
  title: "1;36",
  alarm: "1;41;97",
};

/** Whether to use colour: the two variables people set, else whether a terminal reads along. */
export function wantsColour(stream, env) {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}
