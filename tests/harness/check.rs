//! What must hold after every input, whatever it was.
//!
//! - A frame has exactly one disposition, and exactly one audit entry says so.
//! - A frame that is dropped or refused leaves the state hash as it was, unless the mere fact that
//!   the sender spoke, or leaves, changed its liveness; the host was told then.
//! - A request of this member that has ended never changes its status, and its end is told once.
//! - The audit has no gap, goes forward in time, and never names a status change out of an end.
//! - Nothing that is due is left undone.

use std::collections::BTreeMap;

use team_protocols::{AuditEntry, Disposition, Engine, Event, Status, Verdict};

/// What the harness remembers of one engine.
#[derive(Default)]
pub(crate) struct Watch {
    ended: BTreeMap<String, Status>,
    told: BTreeMap<String, usize>,
    last_audit: u64,
    /// Where its audit went on after the engine was restored.
    restored_at: u64,
}

/// What stood before a frame came in.
pub(crate) struct Before {
    hash: String,
    last_audit: u64,
}

impl Watch {
    /// Watches an engine from here on.
    pub(crate) fn new(engine: &Engine) -> Self {
        let restored = engine.audit().filter(|entry| entry.code == Some("restored")).last();
        Self { restored_at: restored.map_or(0, |entry| entry.seq + 1), ..Self::default() }
    }

    /// How often the end of a request was told.
    pub(crate) fn settled(&self, id: &str) -> usize {
        self.told.get(id).copied().unwrap_or(0)
    }

    pub(crate) fn before_frame(&self, engine: &Engine) -> Before {
        let last_audit = engine.audit().last().map_or(0, |entry| entry.seq);
        Before { hash: engine.state_hash().to_string(), last_audit }
    }

    pub(crate) fn after_frame(
        &self,
        engine: &Engine,
        before: &Before,
        disposition: &Disposition,
        events: &[Event],
    ) {
        let new: Vec<&AuditEntry> =
            engine.audit().filter(|entry| entry.seq > before.last_audit).collect();
        let count = |verdict| new.iter().filter(|entry| entry.verdict == verdict).count();
        let about = |verdict, id: &str| {
            let fits = |entry: &&&AuditEntry| {
                entry.verdict == verdict
                    && entry.request_id.as_ref().is_some_and(|other| other.as_str() == id)
            };
            new.iter().filter(fits).count()
        };
        let (noted, dropped, refused) =
            (count(Verdict::Noted), count(Verdict::Dropped), count(Verdict::Refused));
        let (entries, own) = match disposition {
            Disposition::Accepted(id) => ((0, 0, 0), about(Verdict::Accepted, id.as_str())),
            Disposition::Settled(id) => ((0, 0, 0), about(Verdict::Settled, id.as_str())),
            Disposition::Noted(_) | Disposition::VoteRecorded(_) => ((1, 0, 0), 1),
            Disposition::Dropped(_) => ((0, 1, 0), 1),
            Disposition::Refused(_) => ((0, 0, 1), 1),
        };
        assert_eq!((noted, dropped, refused), entries, "audit of {disposition:?}: {new:#?}");
        assert_eq!(own, 1, "audit of {disposition:?}: {new:#?}");
        let futile = matches!(disposition, Disposition::Dropped(_) | Disposition::Refused(_));
        let spoke = events.iter().any(|event| matches!(event, Event::Liveness(_)));
        if futile && !spoke {
            assert_eq!(
                engine.state_hash().to_string(),
                before.hash,
                "{disposition:?} left a trace"
            );
        }
    }

    pub(crate) fn after_input(&mut self, engine: &Engine, events: &[Event]) {
        for event in events {
            if let Event::Settled(outcome) = event {
                let id = outcome.request_id.as_str().to_owned();
                assert!(outcome.status.is_terminal(), "{id} settled as pending");
                let told = self.told.entry(id.clone()).or_insert(0);
                *told += 1;
                assert_eq!(*told, 1, "the end of {id} was told twice");
                self.ended.insert(id, outcome.status);
            }
        }
        for (id, status) in &self.ended {
            if let Some(view) = engine.request(id).filter(|view| view.mine) {
                assert_eq!(view.status, *status, "{id} changed after its end");
            }
        }
        self.check_audit(engine);
    }

    fn check_audit(&mut self, engine: &Engine) {
        let mut previous: Option<&AuditEntry> = None;
        for entry in engine.audit() {
            if let Some(previous) = previous {
                // Of what was refused before a restore the number is known, and nothing else.
                let told = entry.seq == previous.seq + 1
                    || entry.seq > previous.seq && entry.seq < self.restored_at;
                assert!(told, "the audit has a gap");
                assert!(entry.at >= previous.at, "the audit goes back in time");
            }
            let asked_end = entry.was.is_some_and(Status::is_terminal) && entry.cause.is_none();
            assert!(!asked_end, "an ended request moved: {entry:?}");
            previous = Some(entry);
        }
        let last = previous.map_or(0, |entry| entry.seq);
        assert!(last >= self.last_audit, "the audit lost its end");
        self.last_audit = last;
    }
}
