//! Noise: what is said again and again is not told or answered again and again.

use super::receive::Stop;
use super::{Actor, Disposition, Engine};
use crate::effect::{Alarm, Event, IdleEvent};
use crate::error::{NotNow, ProtocolError};
use crate::ids::MemberIndex;
use crate::journal::{DropReason, Noted};
use crate::member::Again;
use crate::time::{Millis, Timestamp};

impl Engine {
    /// A member has nothing to do. The host is told once; again only when the member has said
    /// anything else since, or what is open between the two has changed. A receipt is none of its
    /// words, for its engine sends it unasked.
    pub(super) fn idle_from(
        &mut self,
        from: MemberIndex,
        note: Option<String>,
    ) -> Result<Disposition, Stop> {
        let told = self.roster.get(from).is_some_and(|member| member.idle_told);
        if told {
            self.refuse_storm(from, Again::Idle)?;
            return Ok(Disposition::Noted(Noted::IdleAgain));
        }
        if let Some(member) = self.roster.get_mut(from) {
            member.idle_told = true;
        }
        let unanswered = self.unanswered_by(from);
        self.event(Event::Idle(IdleEvent { from: self.name_of(from), note, unanswered }));
        Ok(Disposition::Noted(Noted::SignOfLife))
    }

    /// Something is new between us and a member: when it is idle the next time, that is news.
    pub(super) fn idle_is_news(&mut self, member: MemberIndex) {
        if let Some(member) = self.roster.get_mut(member) {
            member.idle_told = false;
        }
    }

    /// Of a repeat that we would answer: it is dropped while its sender storms.
    pub(super) fn refuse_storm(&mut self, from: MemberIndex, sort: Again) -> Result<(), Stop> {
        let (now, window, bound) = self.repeat_limits();
        let Some(member) = self.roster.get_mut(from) else { return Ok(()) };
        if !member.repeats.is_beyond(now, window, bound, sort) {
            return Ok(());
        }
        if member.repeats.tell() {
            self.touched = true;
            self.alarm(Alarm::Storm, from, None);
        }
        Err(Stop::Drop(DropReason::Throttled))
    }

    /// A request began between us and this member: what may be repeated about it is no storm.
    pub(super) fn expect_repeats(&mut self, of: MemberIndex) {
        let repeats = u32::try_from(self.config.limits.repeats_per_request).unwrap_or(u32::MAX);
        let (now, window, _) = self.repeat_limits();
        if let Some(member) = self.roster.get_mut(of) {
            member.repeats.earn(now, window, repeats);
        }
    }

    /// Counts a frame that only says again what was said. One that is beyond the bound is dropped
    /// for that reason; what we answer was stopped before by [`refuse_storm`](Self::refuse_storm).
    pub(super) fn count_repeat(&mut self, result: Result<Disposition, Stop>) -> Disposition {
        let result = match (&self.actor, again(&result)) {
            (Actor::Member(from), Some(sort)) => {
                let from = *from;
                self.refuse_storm(from, sort).and_then(|()| {
                    let (now, window, _) = self.repeat_limits();
                    self.touched = true;
                    if let Some(member) = self.roster.get_mut(from) {
                        member.repeats.count(now, window, sort);
                    }
                    result
                })
            }
            (_, _) => result,
        };
        match result {
            Ok(done) => done,
            Err(Stop::Drop(reason) | Stop::Told(reason)) => Disposition::Dropped(reason),
            Err(Stop::Refuse(error)) => Disposition::Refused(*error),
        }
    }

    /// The time, the window, and how many repeats of one sender are borne in it.
    fn repeat_limits(&self) -> (Timestamp, Millis, u32) {
        let limits = &self.config.limits;
        let bound = limits.open_per_member.saturating_mul(limits.repeats_per_request);
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        (self.now, self.config.timing.repeat_window, bound)
    }
}

/// Which sort of repeat a dropped frame was. Frames of a former life are none: its successor does
/// not answer for them.
pub(super) const fn repeat_of(reason: DropReason) -> Option<Again> {
    match reason {
        DropReason::Duplicate => Some(Again::Said),
        DropReason::StaleFrame => Some(Again::OldFrame),
        DropReason::Late => Some(Again::Late),
        DropReason::Orphan => Some(Again::Orphan),
        DropReason::Conflicting => Some(Again::Contradiction),
        DropReason::StaleIncarnation
        | DropReason::Unannounced
        | DropReason::Forged
        | DropReason::Unidentified
        | DropReason::UnknownSender
        | DropReason::SenderLeft
        | DropReason::Misaddressed
        | DropReason::Broadcast
        | DropReason::FromSelf
        | DropReason::WrongResponder
        | DropReason::WrongKind
        | DropReason::DigestMismatch
        | DropReason::Unapproved
        | DropReason::NotRejected
        | DropReason::Throttled
        | DropReason::ReceiverLeft => None,
    }
}

fn again(result: &Result<Disposition, Stop>) -> Option<Again> {
    match result {
        Ok(Disposition::Noted(Noted::AskedAgain)) => Some(Again::Request),
        Ok(Disposition::Noted(Noted::IdleAgain)) => Some(Again::Idle),
        Ok(Disposition::Noted(Noted::EndedEarly)) => Some(Again::Orphan),
        Ok(Disposition::Dropped(reason)) | Err(Stop::Drop(reason)) => repeat_of(*reason),
        Err(Stop::Refuse(error)) => match **error {
            ProtocolError::NotNow(NotNow::IdReused { .. }) => Some(Again::ReusedId),
            ProtocolError::NotNow(_)
            | ProtocolError::Decode(_)
            | ProtocolError::Invalid(_)
            | ProtocolError::Misuse(_)
            | ProtocolError::Config(_)
            | ProtocolError::Restore(_) => None,
        },
        Ok(
            Disposition::Noted(
                Noted::Chat
                | Noted::Progress
                | Noted::SignOfLife
                | Noted::Report
                | Noted::Exit
                | Noted::Confirmed
                | Noted::Reopened
                | Noted::Undeliverable
                // Searches go their own way at their own time.
                | Noted::Probe
                | Noted::ProbeEnded,
            )
            | Disposition::Accepted(_)
            | Disposition::Settled(_)
            | Disposition::VoteRecorded(_)
            | Disposition::Refused(_),
        )
        | Err(Stop::Told(_)) => None,
    }
}
