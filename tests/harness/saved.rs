//! What a host keeps of an engine, and whether the engine comes back from it as it was.

use std::cell::Cell;

use team_protocols::{Engine, JournalLine, Saved};

/// The journal of one engine, and a snapshot from somewhere on the way.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) journal: String,
    pub(crate) snapshot: Option<String>,
    inputs: u32,
    last: u64,
    /// Whether the lines that the snapshot covers were thrown away.
    compact: bool,
}

impl Store {
    pub(crate) fn append(&mut self, line: &JournalLine) {
        assert_eq!(line.n, self.last + 1, "lines are numbered without gaps");
        assert!(!line.text.contains('\n'));
        self.last = line.n;
        self.journal.push_str(&line.text);
        self.journal.push('\n');
    }

    /// All effects were taken. Now and then a snapshot is kept.
    pub(crate) fn handed_over(&mut self, engine: &mut Engine) {
        engine.released(self.last);
        self.inputs += 1;
        if self.inputs.is_power_of_two() {
            self.snapshot = Some(engine.snapshot().unwrap());
        }
    }

    /// The number of the last line.
    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    /// The time of the last line, in ms.
    pub(crate) fn last_at(&self) -> Option<u64> {
        Some(field(self.whole_lines().last()?, "at"))
    }

    /// Whether a restore needs the snapshot.
    pub(crate) const fn is_compact(&self) -> bool {
        self.compact
    }

    /// The process ended while it wrote its last line, where it wrote any behind so many bytes: only
    /// a part of it is there.
    pub(crate) fn tear(&mut self, written: usize, part: u64) -> bool {
        if self.journal.len() <= written {
            return false;
        }
        let start = self.journal.trim_end().rfind('\n').map_or(0, |end| end + 1);
        let most = self.journal.len() - 1 - start;
        let end = start + (part as usize) % (most + 1);
        let end = (start..=end).rev().find(|end| self.journal.is_char_boundary(*end));
        self.journal.truncate(end.unwrap_or(start));
        self.last -= 1;
        true
    }

    /// Takes away so many bytes that are no whole line.
    pub(crate) fn cut(&mut self, torn: usize) {
        self.journal.truncate(self.journal.len() - torn);
    }

    /// Takes away the last line.
    pub(crate) fn lose_line(&mut self) {
        let torn = self.journal.lines().last().map_or(0, |line| line.len() + 1);
        self.cut(torn);
    }

    /// Throws away what the snapshot covers.
    pub(crate) fn compact(&mut self) {
        let Some(snapshot) = &self.snapshot else { return };
        let body: serde_json::Value = serde_json::from_str(snapshot).unwrap();
        let covered = body["body"]["n"].as_u64().unwrap();
        let later = |line: &&str| !line.ends_with('\n') || field(line, "n") > covered;
        self.journal = self.journal.split_inclusive('\n').filter(later).collect();
        self.compact = true;
    }

    fn whole_lines(&self) -> impl Iterator<Item = &str> {
        self.journal.split_inclusive('\n').filter(|line| line.ends_with('\n'))
    }

    /// The journal alone, and the snapshot with the rest of the journal, give the engine again.
    pub(crate) fn check(&self, engine: &Engine) {
        if let Some(how) = self.differs(engine) {
            panic!("{} comes back otherwise: {how}", engine.member());
        }
    }

    /// How an engine that comes back from this differs from the one that is there.
    pub(crate) fn differs(&self, engine: &Engine) -> Option<String> {
        let there = comparable(&engine.snapshot().unwrap());
        let snapshot = self.snapshot.as_deref();
        let ways = [None, snapshot];
        let ways = ways.into_iter().filter(|way| way.is_some() || !self.compact);
        ways.map(|snapshot| Saved { snapshot, journal: &self.journal })
            .find_map(|saved| self.differs_from(saved, engine, &there))
    }

    fn differs_from(
        &self,
        saved: Saved<'_>,
        engine: &Engine,
        there: &serde_json::Value,
    ) -> Option<String> {
        let mut again = match Engine::replay(saved) {
            Ok((again, _)) => again,
            Err(error) => return Some(format!("{error:?}")),
        };
        let (hash, own) = (again.state_hash().to_string(), engine.state_hash().to_string());
        // Nobody has told that the effects of the last line went out.
        while again.poll_effect().is_some() {}
        again.released(self.last);
        let (due, own_due) = (again.poll_deadline(), engine.poll_deadline());
        let here = match again.snapshot() {
            Ok(snapshot) => comparable(&snapshot),
            Err(error) => return Some(format!("{error:?}")),
        };
        let same = hash == own && due == own_due && here == *there;
        (!same).then(|| format!("{hash} for {own}, {due:?} for {own_due:?}, {here} for {there}"))
    }
}

/// A number in a line of a journal.
fn field(line: &str, name: &str) -> u64 {
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    line[name].as_u64().unwrap()
}

/// A snapshot without what inputs change that change nothing else: the time, and how many audit
/// entries there were.
fn comparable(snapshot: &str) -> serde_json::Value {
    let whole: serde_json::Value = serde_json::from_str(snapshot).unwrap();
    let mut body = whole["body"].clone();
    let body_fields = body.as_object_mut().unwrap();
    assert!(body_fields.remove("now").is_some() && body_fields.remove("audit_seq").is_some());
    body
}

thread_local! {
    /// How many engines of this test have ended.
    static CHECKED: Cell<u32> = const { Cell::new(0) };
}

impl Drop for super::Node {
    fn drop(&mut self) {
        // A test that goes through thousands of interleavings checks the first ones, then a sample.
        let nth = CHECKED.with(|checked| checked.replace(checked.get() + 1));
        let sampled = nth < 64 || nth.is_multiple_of(64);
        // A store that was taken away lives on with another process of the member.
        let kept = !self.store.journal.is_empty();
        if sampled && kept && !std::thread::panicking() {
            self.store.check(&self.engine);
        }
    }
}
