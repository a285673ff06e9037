//! What a misspelt word was meant to be.

/// The candidate that `text` most likely stands for; the first of several equally near ones.
///
/// Case does not count. A third of the letters may be wrong (at least one, at most three; two
/// letters in the wrong order are one mistake), but never all of them.
pub(crate) fn nearest<T>(
    text: &str,
    candidates: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &str,
) -> Option<T> {
    if text.len() > LONGEST_WORD {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let distance = |candidate: &T| {
        let name = name(candidate).to_ascii_lowercase();
        let length = text.chars().count().max(name.chars().count());
        let distance = strsim::osa_distance(&text, &name);
        (distance <= (length / 3).clamp(1, 3) && distance < length).then_some(distance)
    };
    let near = candidates.filter_map(|candidate| Some((distance(&candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// The comparison takes time and memory by the product of both lengths; nothing longer than this
/// resembles a name or type.
const LONGEST_WORD: usize = 80;

#[cfg(test)]
mod tests {
    use super::nearest;

    fn among<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
        nearest(text, names.iter().copied(), |name| name)
    }

    #[test]
    fn a_slip_is_understood() {
        let team = ["team-lead", "alice", "bob"];
        for (text, meant) in [
            ("alcie", "alice"),
            ("Alice", "alice"),
            ("alice1", "alice"),
            ("bobb", "bob"),
            ("teamlead", "team-lead"),
            ("team_leader", "team-lead"),
        ] {
            assert_eq!(among(text, &team), Some(meant), "{text}");
        }
    }

    #[test]
    fn another_word_is_not() {
        for text in ["", "x", "charlie", "al", "robert", "user", "请"] {
            assert_eq!(among(text, &["team-lead", "alice", "bob"]), None, "{text}");
        }
        assert_eq!(among("a", &["b"]), None);
        let name = "release-manager";
        assert_eq!(among("releasemanagr", &[name]), Some(name));
        assert_eq!(among("rlsemnager", &[name]), None, "four mistakes and more");
        assert_eq!(among("releasemana", &[name]), None, "four letters missing");
        assert_eq!(among("alice", &[]), None);
    }

    #[test]
    fn the_nearest_wins_and_then_the_first() {
        assert_eq!(among("worker-2", &["worker-10", "worker-21", "worker-3"]), Some("worker-21"));
        assert_eq!(among("worker-2", &["worker-3", "worker-4"]), Some("worker-3"));
    }

    #[test]
    fn a_huge_text_is_not_compared() {
        assert_eq!(among(&"a".repeat(1 << 20), &["alice"]), None);
    }
}
