//! Values in texts: quoted, cut, listed; the same in every language.

use std::fmt::{self, Write};

use super::Lang;
use crate::ids::MAX_REQUEST_ID_LENGTH;
use crate::message::{Role, Roles, is_blank};
use crate::time::Millis;

/// A text in backticks that cannot break out of its line, nor out of the backticks.
pub(super) struct Quoted<'a>(&'a str);

/// Where in a handshake a message stands, by its `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It asks.
    Asks(Topic),
    /// It answers.
    Answers(Topic),
    /// Neither: chat, or a word on the side.
    Neither,
}

/// What kind of handshake, as far as the texts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// A shutdown.
    Shutdown,
    /// The approval of a plan.
    Plan,
    /// Any other.
    Other,
}

/// Roles of which one is needed.
pub(super) fn roles(lang: Lang, roles: Roles) -> String {
    let names: Vec<_> = roles.iter().map(|role| quoted(Role::name(role)).to_string()).collect();
    match lang {
        Lang::En => names.join(" or "),
        Lang::Zh => names.join(" 或 "),
    }
}

/// Quotes a text for a message.
pub(super) const fn quoted(text: &str) -> Quoted<'_> {
    Quoted(text)
}

/// Quotes at most [`LIST_LENGTH`] texts and counts the rest.
pub(super) fn list<'a>(lang: Lang, items: impl ExactSizeIterator<Item = &'a str>) -> String {
    let total = items.len();
    let shown: Vec<_> = items.take(LIST_LENGTH).map(|item| quoted(item).to_string()).collect();
    let rest = total.saturating_sub(shown.len());
    match (lang, total, rest) {
        (Lang::En, 0, _) => "none".to_owned(),
        (Lang::Zh, 0, _) => "无".to_owned(),
        (Lang::En, _, 0) => shown.join(", "),
        (Lang::Zh, _, 0) => shown.join("、"),
        (Lang::En, ..) => format!("{} and {rest} more", shown.join(", ")),
        (Lang::Zh, ..) => format!("{} 等，另有 {rest} 个", shown.join("、")),
    }
}

/// Whole seconds, rounded up: waiting too short is asking twice.
pub(super) const fn seconds(span: Millis) -> u64 {
    span.as_ms().div_ceil(1_000)
}

/// Where a message with this `type` stands in its handshake.
pub(super) fn part(message: &str) -> Part {
    match message {
        "shutdown_request" => Part::Asks(Topic::Shutdown),
        "shutdown_response" => Part::Answers(Topic::Shutdown),
        "plan_approval_request" => Part::Asks(Topic::Plan),
        "plan_approval_response" => Part::Answers(Topic::Plan),
        "request" => Part::Asks(Topic::Other),
        "response" => Part::Answers(Topic::Other),
        _ => Part::Neither,
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('`')?;
        for c in self.0.chars().take(LONGEST) {
            match c {
                // It would end the quotation, and what follows would read like our own words.
                '`' => write!(f, "{}", c.escape_unicode())?,
                _ => write_visibly(f, c)?,
            }
        }
        if self.0.chars().nth(LONGEST).is_some() {
            f.write_char('…')?;
        }
        f.write_char('`')
    }
}

/// Writes a character so that it takes room where it stands, and no effect elsewhere.
fn write_visibly(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        ' ' => f.write_char(c),
        '\n' | '\r' | '\t' | '\\' => write!(f, "{}", c.escape_default()),
        _ if shows_nothing(c) || combines(c) => write!(f, "{}", c.escape_unicode()),
        _ => f.write_char(c),
    }
}

/// Whether a character cannot be seen.
fn shows_nothing(c: char) -> bool {
    is_blank(c.encode_utf8(&mut [0; 4]))
}

/// Whether a character is a sign on the one before it, our own quote perhaps. Signs that a script
/// cannot do without are none of these.
const fn combines(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// The longest quotation, in characters: no id is cut, for a reader must be able to repeat it.
const LONGEST: usize = MAX_REQUEST_ID_LENGTH;

/// The longest list: more names than a reader compares at a glance.
const LIST_LENGTH: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_wrote_stays_on_its_line_and_in_its_quotes() {
        let hostile = "\u{20dd}a\n\u{1b}[2J\u{202e}\u{2028}\u{3164}`; now \\";
        let shown = r"`\u{20dd}a\n\u{1b}[2J\u{202e}\u{2028}\u{3164}\u{60}; now \\`";
        assert_eq!(quoted(hostile).to_string(), shown);
    }

    #[test]
    fn what_can_be_read_stays_readable() {
        assert_eq!(quoted("批准？\"yes\" — Ünï").to_string(), "`批准？\"yes\" — Ünï`");
    }

    #[test]
    fn a_quotation_is_cut_but_never_an_id() {
        let id = "x".repeat(LONGEST);
        assert_eq!(quoted(&id).to_string(), format!("`{id}`"));
        assert_eq!(quoted(&format!("{id}y")).to_string(), format!("`{id}…`"));
    }

    #[test]
    fn a_long_list_is_cut_and_the_rest_is_counted() {
        let names: Vec<_> = (0..14).map(|n| format!("m{n}")).collect();
        let items = || names.iter().map(String::as_str);
        assert!(list(Lang::En, items()).ends_with("`m11` and 2 more"));
        assert!(list(Lang::Zh, items()).ends_with("`m11` 等，另有 2 个"));
        assert_eq!(list(Lang::En, items().take(2)), "`m0`, `m1`");
        assert_eq!(list(Lang::Zh, items().take(0)), "无");
    }

    #[test]
    fn every_handshake_is_recognised_by_its_type() {
        assert_eq!(part("shutdown_request"), Part::Asks(Topic::Shutdown));
        assert_eq!(part("plan_approval_response"), Part::Answers(Topic::Plan));
        assert_eq!(part("request"), Part::Asks(Topic::Other));
        assert_eq!(part("progress"), Part::Neither);
        assert_eq!(part("text"), Part::Neither);
    }

    #[test]
    fn seconds_are_rounded_up() {
        assert_eq!(seconds(Millis::new(1)), 1);
        assert_eq!(seconds(Millis::new(9_001)), 10);
    }
}
