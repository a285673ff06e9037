//! The one definition of a blank text.

/// Whether a text says nothing: only Unicode white space and characters of no width.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Characters that take no room on the screen and are not white space to Unicode.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' // controls
        | '\u{ad}' // soft hyphen
        | '\u{34f}' // grapheme joiner
        | '\u{61c}' // Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}' // Mongolian selectors
        | '\u{200b}'..='\u{200f}' // zero-width spaces, joiners, marks
        | '\u{202a}'..='\u{202e}' // embeddings
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators
        | '\u{fe00}'..='\u{fe0f}' // variation selectors
        | '\u{feff}' // byte order mark
        | '\u{fff9}'..='\u{fffb}' // annotation anchors
        | '\u{e0000}'..='\u{e0fff}') // tags, further selectors
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn what_shows_nothing_is_blank() {
        for text in
            ["", " \t\r\n", "\u{3000}", "\u{a0}", "\u{200b}\u{feff}", "\u{2060} \u{ad}", "\0"]
        {
            assert!(is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn what_shows_something_is_not() {
        for text in ["x", " 忙 ", "\u{200b}.", "-"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}
