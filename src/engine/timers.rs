//! Deadlines come.

use super::record::Told;
use super::{Actor, Engine};
use crate::deadline::{DeadlineKind, Subject};
use crate::ids::MemberIndex;
use crate::request::Input;
use crate::time::Timestamp;

impl Engine {
    /// Does what is due. Call it at [`poll_deadline`](Self::poll_deadline) or later; early and
    /// repeated calls do nothing. Every other input does the same first, so a late host loses
    /// nothing but time.
    pub fn handle_deadline(&mut self, now: Timestamp) {
        if !self.closed {
            let begun = self.begin(now, Actor::Clock);
            self.record(&begun, Told::NOTHING);
        }
    }

    pub(super) fn sweep(&mut self) {
        if self.deadlines.earliest().is_none_or(|at| at > self.now) {
            return;
        }
        for subject in self.deadlines.due(self.now) {
            self.swept = true;
            match subject {
                Subject::Request(slot) => self.sweep_request(slot),
                Subject::Member(index) => self.sweep_member(MemberIndex(index)),
            }
        }
    }

    fn sweep_request(&mut self, slot: usize) {
        let due = self.ledger.get(slot).and_then(|entry| entry.due(self.now));
        match due {
            Some(
                kind @ (DeadlineKind::Idle
                | DeadlineKind::Cap
                | DeadlineKind::Reminder
                | DeadlineKind::PauseEnd
                | DeadlineKind::ExitGrace
                | DeadlineKind::Report
                | DeadlineKind::ReportOverdue
                | DeadlineKind::ObligationEnd),
            ) => self.apply_quietly(slot, Input::Due(kind)),
            Some(DeadlineKind::AskAgain) => self.ask_again(slot),
            Some(DeadlineKind::Receipt | DeadlineKind::Judgement) | None => {}
        }
    }

    pub(super) fn sweep_member(&mut self, index: MemberIndex) {
        let Some(member) = self.roster.get(index) else { return };
        if member.receipt_at.is_some_and(|at| at <= self.now) {
            self.send_receipt(index);
        }
        let Some(member) = self.roster.get(index) else { return };
        if let Some(judgement) = member.judgement.filter(|judgement| judgement.at <= self.now) {
            // A clock that jumped: the mail of the time in between had no chance to arrive.
            let overslept = self.now.since(judgement.at) > self.config.timing.judgement_grace;
            if overslept && !judgement.adjourned {
                self.adjourn(index);
            } else {
                self.judge(index);
            }
        }
    }
}
