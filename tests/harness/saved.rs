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

    /// The journal alone, and the snapshot with the rest of the journal, give the engine again.
    pub(crate) fn check(&self, engine: &Engine) {
        let there = comparable(&engine.snapshot().unwrap());
        let snapshot = self.snapshot.as_deref();
        for snapshot in [None, snapshot] {
            let saved = Saved { snapshot, journal: &self.journal };
            let (mut again, _) = Engine::replay(saved).unwrap();
            assert_eq!(again.state_hash(), engine.state_hash());
            // Nobody has told that the effects of the last line went out.
            while again.poll_effect().is_some() {}
            again.released(self.last);
            assert_eq!(comparable(&again.snapshot().unwrap()), there);
            assert_eq!(again.poll_deadline(), engine.poll_deadline());
        }
    }
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
