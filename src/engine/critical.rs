//! Critical sections: while one is open, this member cannot be asked to leave.

use serde::Serialize;

use super::ledger::Entry;
use super::record::Call;
use super::{Checked, Engine, Refusable, words};
use crate::authority::Approval;
use crate::error::{Misuse, NotNow};
use crate::message::{Lang, is_blank};
use crate::request::{Answer, Input, Owed, State};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};
use crate::validate::InvalidMessage;

/// Names one open critical section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SectionId(pub(crate) u64);

from_store!(newtype SectionId);

/// What a critical section does with a shutdown request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionPolicy {
    /// Answers it: no, with the name of the section and when it is expected to end.
    #[default]
    Reject,
    /// Holds it back until the section ends, and tells the requester so.
    Defer,
}

from_store!(enum SectionPolicy {
    "reject" => Reject,
    "defer" => Defer,
});

/// The open critical sections of this member.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Sections {
    open: Vec<Section>,
    next_id: u64,
}

from_store!(struct Sections { open, next_id });

#[derive(Clone, Debug, Serialize)]
struct Section {
    id: SectionId,
    name: String,
    /// When it is expected to end.
    free_at: Option<Timestamp>,
    policy: SectionPolicy,
}

from_store!(struct Section { id, name, free_at, policy });

impl Engine {
    /// Enters a critical section. While it is open the engine answers shutdown requests itself,
    /// also one that waits for the host's answer already.
    ///
    /// # Errors
    /// When the name is blank, too many sections are open, or this member is leaving.
    pub fn enter_section(
        &mut self,
        now: Timestamp,
        name: &str,
        eta: Option<Millis>,
        policy: SectionPolicy,
    ) -> Refusable<SectionId> {
        let told = self.write_down(|| Call::EnterSection { name: name.into(), eta, policy });
        self.command(now, told, |engine| {
            engine.refuse_leaving()?;
            if is_blank(name) {
                return Err(InvalidMessage::Blank { path: "name" }.into());
            }
            engine.check_texts(&[Some(name)])?;
            if engine.sections.open.len() >= MAX_SECTIONS {
                return Err(Misuse::TooManySections { limit: MAX_SECTIONS }.into());
            }
            let free_at = eta.map(|eta| engine.now.after(eta));
            engine.sections.next_id += 1;
            let id = SectionId(engine.sections.next_id);
            engine.sections.open.push(Section { id, name: name.to_owned(), free_at, policy });
            for slot in engine.slots(&waits_for_leave) {
                engine.answer_from_section(slot);
            }
            Ok(id)
        })
    }

    /// Leaves a critical section. Requests that the last one held back come to the host now.
    ///
    /// # Errors
    /// [`Misuse::UnknownSection`] when it is not open.
    pub fn leave_section(&mut self, now: Timestamp, id: SectionId) -> Refusable<()> {
        let told = self.write_down(|| Call::LeaveSection { id: id.0 });
        self.command(now, told, |engine| {
            let place = engine.sections.open.iter().position(|section| section.id == id);
            engine.sections.open.remove(place.ok_or(Misuse::UnknownSection)?);
            if !engine.sections.any() {
                engine.put_what_was_held_back();
            }
            Ok(())
        })
    }

    /// The process whose work the sections guarded has ended, and they with it.
    pub(super) fn end_sections(&mut self) {
        self.sections.open.clear();
        self.put_what_was_held_back();
    }

    fn put_what_was_held_back(&mut self) {
        for slot in self.slots(&|entry| matches!(entry.state, State::Owed(Owed::Deferred { .. }))) {
            self.apply_quietly(slot, Input::Resume);
        }
    }

    /// Answers a shutdown request for the host, or holds it back.
    pub(super) fn answer_from_section(&mut self, slot: usize) {
        if self.sections.open.iter().all(|section| section.policy == SectionPolicy::Defer) {
            self.apply_quietly(slot, Input::Defer);
            self.send_deferral(slot);
            return;
        }
        let (note, retry_after) = self.sections.explain(self.now, self.config.lang);
        let answer = Answer { approve: false, note: Some(note), retry_after, ..Answer::default() };
        self.marks.push("critical_section");
        self.apply_quietly(slot, Input::Decide(answer));
    }

    pub(super) fn refuse_in_section(&self) -> Checked<()> {
        match self.sections.last_to_end() {
            Some(section) => Err(NotNow::InCriticalSection {
                name: section.name.clone(),
                free_in: section.free_at.map(|at| at.since(self.now)),
            }
            .into()),
            None => Ok(()),
        }
    }
}

impl Sections {
    pub(super) fn any(&self) -> bool {
        !self.open.is_empty()
    }

    /// The sections by name, for views.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|section| section.name.as_str())
    }

    /// What blocks, and for how long if that is known.
    pub(super) fn explain(&self, now: Timestamp, lang: Lang) -> (String, Option<Millis>) {
        let names: Vec<_> = self.names().map(|name| format!("`{name}`")).collect();
        let left = self.last_to_end().and_then(|section| section.free_at).map(|at| at.since(now));
        let left = left.filter(|left| left.as_ms() > 0);
        (words::in_sections(lang, &names, left), left)
    }

    /// The section that is expected to end last; one without an expected end is later than all.
    fn last_to_end(&self) -> Option<&Section> {
        self.open.iter().max_by_key(|section| (section.free_at.is_none(), section.free_at))
    }
}

/// A shutdown that is not answered, whether it was put before the host or held back.
pub(super) fn waits_for_leave(entry: &Entry) -> bool {
    let leaves = entry.terms.approval == Approval::Leaves;
    leaves && matches!(entry.state, State::Owed(Owed::Open { .. } | Owed::Deferred { .. }))
}

/// Sections nest a few deep at most; more is a host that forgets to leave them.
const MAX_SECTIONS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(list: &[(&str, Option<u64>)]) -> Sections {
        let open = list.iter().map(|(name, free_at)| Section {
            id: SectionId(0),
            name: (*name).to_owned(),
            free_at: free_at.map(Timestamp::from_ms),
            policy: SectionPolicy::Reject,
        });
        Sections { open: open.collect(), next_id: 0 }
    }

    #[test]
    fn the_longest_section_tells_when_to_ask_again() {
        let both = sections(&[("tests", Some(9_500)), ("migration", Some(4_000))]);
        let (text, left) = both.explain(Timestamp::from_ms(1_000), Lang::En);
        assert_eq!(text, "in critical section `tests`, `migration`, free in about 9 s");
        assert_eq!(left, Some(Millis::new(8_500)));
    }

    #[test]
    fn a_section_that_overran_or_never_said_has_no_end() {
        let over = sections(&[("tests", Some(500))]);
        assert_eq!(over.explain(Timestamp::from_ms(1_000), Lang::En).1, None);
        let open_end = sections(&[("tests", Some(9_000)), ("deploy", None)]);
        let (text, left) = open_end.explain(Timestamp::from_ms(1_000), Lang::En);
        assert_eq!(text, "in critical section `tests`, `deploy`, end not known");
        assert_eq!(left, None);
    }
}
