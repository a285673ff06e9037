//! Liveness, lives, and leaving: what the engine believes of the other members, and of itself.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use super::critical::waits_for_leave;
use super::ledger::{Content, Entry, Side};
use super::panel::Audience;
use super::record::Call;
use super::{Engine, Refusable};
use crate::authority::Approval;
use crate::config::MemberConfig;
use crate::deadline::Subject;
use crate::effect::{Alarm, AlarmEvent, DrainEvent, Event, Holding, LivenessEvent};
use crate::error::Misuse;
use crate::ids::{Incarnation, MemberIndex};
use crate::journal::{AuditEntry, Verdict};
use crate::member::{Breaker, Judgement};
use crate::message::{Cause, Liveness, Role, Status};
use crate::request::{Answer, Feedback, Input};
use crate::time::Timestamp;

impl Engine {
    // ---- commands ----

    /// Adds a member to the roster.
    ///
    /// # Errors
    /// [`Misuse`] when the name is taken, a second lead would appear, or the team is full.
    pub fn add_member(&mut self, now: Timestamp, member: &MemberConfig) -> Refusable<()> {
        let told = self.write_down(|| Call::AddMember { member: Cow::Borrowed(member) });
        self.command(now, told, |engine| {
            let limit = engine.config.limits.members;
            if member.role == Role::Lead {
                return Err(Misuse::SecondLead.into());
            }
            if !engine.roster.is_free(&member.name) {
                return Err(Misuse::NameTaken { name: member.name.clone() }.into());
            }
            if engine.roster.len() >= limit {
                return Err(Misuse::TooManyMembers { limit }.into());
            }
            engine.roster.add(member);
            Ok(())
        })
    }

    /// Announces a new life of a member: everything open with the former one ends, and nothing
    /// addressed to it or coming from it counts any more.
    ///
    /// # Errors
    /// When the member is unknown, or the life is not later than the one that is known.
    pub fn announce(&mut self, now: Timestamp, name: &str, life: Incarnation) -> Refusable<()> {
        let told = self.write_down(|| Call::Announce { name: name.into(), life });
        self.command(now, told, |engine| {
            let index = engine.known_member(name)?;
            let known = engine.roster.get(index).and_then(|member| member.incarnation);
            if known == Some(life) {
                return Ok(());
            }
            if known.is_some_and(|known| life < known) || index == engine.roster.me() {
                return Err(Misuse::LifeNotLater { name: engine.name_of(index) }.into());
            }
            if known.is_some() {
                engine.end_all(index, Cause::PeerLeft);
                engine.forget_requests(index);
            }
            engine.begin_life(index, life);
            let (to, reason) = (Some(engine.name_of(index)), Some(life.to_string()));
            let entry = engine.entry(Verdict::Noted);
            engine.audit.push(AuditEntry { code: Some("announced"), to, reason, ..entry });
            Ok(())
        })
    }

    /// Records that a member is gone, on the host's word (its process ended, say).
    ///
    /// # Errors
    /// When the member is unknown or is this one.
    pub fn member_gone(&mut self, now: Timestamp, name: &str) -> Refusable<()> {
        let told = self.write_down(|| Call::MemberGone { name: name.into() });
        self.command(now, told, |engine| {
            let index = engine.known_member(name)?;
            engine.refuse_self(index, "exited")?;
            engine.member_left(index);
            Ok(())
        })
    }

    // ---- what requests do to members ----

    /// A request to this member timed out. The verdict waits for its mail.
    pub(super) fn summon(&mut self, slot: usize) {
        let Some(since) = self.ledger.get(slot).map(|entry| entry.opened_at) else { return };
        for member in self.audience(slot, Audience::Undecided) {
            self.summon_member(member, since);
        }
    }

    fn summon_member(&mut self, peer: MemberIndex, since: Timestamp) {
        let at = self.now.after(self.config.timing.judgement_grace);
        let Some(member) = self.roster.get_mut(peer) else { return };
        if matches!(member.presence, Liveness::Leaving | Liveness::Left) {
            return;
        }
        member.strikes = member.strikes.saturating_add(1);
        let at = at.max(member.busy_until.unwrap_or(at));
        let new = Judgement { at, since, adjourned: false };
        let judgement =
            member.judgement.map_or(new, |out| Judgement { since: out.since.max(since), ..out });
        member.judgement = Some(judgement);
        self.deadlines.set(Subject::Member(peer.0), member.next_deadline());
        let member = self.name_of(peer);
        self.event(Event::Drain(DrainEvent { member, judged_at: judgement.at }));
    }

    /// The host slept over a judgement: the mail of that time may still speak for the member.
    pub(super) fn adjourn(&mut self, index: MemberIndex) {
        let at = self.now.after(self.config.timing.judgement_grace);
        let Some(member) = self.roster.get_mut(index) else { return };
        let Some(judgement) = &mut member.judgement else { return };
        *judgement = Judgement { at, adjourned: true, ..*judgement };
        self.deadlines.set(Subject::Member(index.0), member.next_deadline());
        let member = self.name_of(index);
        self.event(Event::Drain(DrainEvent { member, judged_at: at }));
    }

    /// The member decided: it lives and answers.
    pub(super) fn member_answered(&mut self, index: MemberIndex) {
        let Some(member) = self.roster.get_mut(index) else { return };
        member.strikes = 0;
        member.judgement = None;
        member.silence_told = false;
        member.breaker = Breaker::Closed;
        let recovered = matches!(member.presence, Liveness::Suspect | Liveness::Lost);
        self.deadlines.set(Subject::Member(index.0), member.next_deadline());
        if recovered {
            self.set_presence(index, Liveness::Active);
        }
    }

    /// Silence of this member is explained until then.
    pub(super) fn member_busy(&mut self, index: MemberIndex, until: Timestamp) {
        let Some(member) = self.roster.get_mut(index) else { return };
        member.busy_until = Some(until);
        if let Some(judgement) = &mut member.judgement {
            judgement.at = judgement.at.max(until);
        }
        self.deadlines.set(Subject::Member(index.0), member.next_deadline());
    }

    /// The member agreed to leave: what waits between us ends at once. It will answer nothing more,
    /// and what it asks for it withdraws itself; that word of it may be late or lost. Approved work
    /// goes on waiting for its report.
    pub(super) fn member_leaving(&mut self, index: MemberIndex) {
        self.set_presence(index, Liveness::Leaving);
        self.end_waits(Some(index), Cause::PeerLeft);
        let waits = |e: &Entry| e.concerns(index) && e.state.status() == Status::Pending;
        for slot in self.slots(&waits) {
            let Some(entry) = self.ledger.get(slot) else { continue };
            let asks_to_leave = entry.terms.approval == Approval::Leaves;
            match entry.side() {
                // That one it still answers: yes.
                Side::Asked if asks_to_leave => {}
                Side::Asked => self.end_with(slot, index, Cause::PeerLeft),
                Side::Owed => self.end_with(slot, index, Cause::Leaving),
            }
        }
    }

    /// The member is gone: everything that is open with it ends.
    pub(super) fn member_left(&mut self, index: MemberIndex) {
        self.set_presence(index, Liveness::Left);
        self.end_all(index, Cause::PeerLeft);
    }

    /// A judgement falls.
    pub(super) fn judge(&mut self, index: MemberIndex) {
        let limit = self.config.timing.strikes;
        let Some(member) = self.roster.get_mut(index) else { return };
        let Some(judgement) = member.judgement.take() else { return };
        let (presence, role) = (member.presence, member.role);
        let verdict = judgement.verdict(member.last_heard, member.strikes, limit);
        self.deadlines.set(Subject::Member(index.0), member.next_deadline());
        if matches!(presence, Liveness::Leaving | Liveness::Left) {
            return;
        }
        match (verdict, role) {
            (crate::member::Verdict::Lost, Role::Worker) => self.give_up(index),
            // Only workers can be lost.
            (crate::member::Verdict::Lost, Role::Lead) => self.silent(index, Alarm::LeadSilent),
            (crate::member::Verdict::Lost, Role::Approver) => {
                self.silent(index, Alarm::ApproverSilent);
            }
            (crate::member::Verdict::Suspect, _) => {
                if let Some(member) = self.roster.get_mut(index) {
                    member.breaker.trial_over();
                }
                self.set_presence(index, Liveness::Suspect);
            }
        }
    }

    /// Moves a member to another presence and tells the host; nothing when it is there already.
    pub(super) fn set_presence(&mut self, index: MemberIndex, presence: Liveness) {
        let Some(member) = self.roster.get_mut(index) else { return };
        let was = std::mem::replace(&mut member.presence, presence);
        if matches!(presence, Liveness::Leaving | Liveness::Left | Liveness::Lost) {
            member.judgement = None;
            member.busy_until = None;
        }
        if matches!(presence, Liveness::Leaving | Liveness::Left) {
            // It told so itself, or the host did: there is nothing to try.
            member.breaker = Breaker::Closed;
        }
        if presence == Liveness::Left {
            member.receipt_at = None;
        }
        self.deadlines.set(Subject::Member(index.0), member.next_deadline());
        if was == presence {
            return;
        }
        let (name, incarnation) = (member.name.clone(), member.incarnation);
        self.event(Event::Liveness(LivenessEvent {
            member: name,
            was,
            liveness: presence,
            incarnation,
        }));
    }

    // ---- this member ----

    /// We agreed to leave: nothing new begins, what we asked for ends, the gate closes. Whoever
    /// else asked us to leave has our yes, and nobody waits for our other decisions.
    pub(super) fn leave(&mut self) {
        self.set_presence(self.roster.me(), Liveness::Leaving);
        self.end_own(Cause::Leaving);
        let waits =
            |entry: &Entry| entry.side() == Side::Owed && entry.state.status() == Status::Pending;
        for slot in self.slots(&waits) {
            let input = if self.ledger.get(slot).is_some_and(waits_for_leave) {
                Input::Decide(Answer { approve: true, ..Answer::default() })
            } else {
                Input::Gone(Cause::Leaving)
            };
            self.apply_quietly(slot, input);
        }
    }

    /// Ends everything that this member has asked for.
    pub(super) fn end_own(&mut self, cause: Cause) {
        self.gate.close_all();
        for slot in self.slots(&|entry| entry.side() == Side::Asked) {
            self.apply_quietly(slot, Input::Gone(cause));
        }
        self.end_waits(None, cause);
    }

    // ---- inside ----

    /// Forgets every request between us and a former life, and what it had opened.
    fn forget_requests(&mut self, index: MemberIndex) {
        let opened = self.ledger.iter().filter(|(_, e)| e.peer == index && e.ends_with_peer());
        let opened: Vec<_> = opened.map(|(_, entry)| entry.id.clone()).collect();
        opened.iter().for_each(|id| self.gate.close(id));
        for slot in self.ledger.forget_member(index) {
            self.deadlines.set(Subject::Request(slot), None);
        }
    }

    fn begin_life(&mut self, index: MemberIndex, life: Incarnation) {
        let Some(member) = self.roster.get_mut(index) else { return };
        let was = member.presence;
        member.reborn(life);
        let name = member.name.clone();
        self.deadlines.set(Subject::Member(index.0), None);
        self.event(Event::Liveness(LivenessEvent {
            member: name,
            was,
            liveness: Liveness::Active,
            incarnation: Some(life),
        }));
    }

    /// A member that cannot be lost does not answer: told once.
    fn silent(&mut self, index: MemberIndex, alarm: Alarm) {
        self.set_presence(index, Liveness::Suspect);
        let Some(member) = self.roster.get_mut(index) else { return };
        if !std::mem::replace(&mut member.silence_told, true) {
            self.alarm(alarm, index, None);
        }
    }

    /// A worker is lost: alarm once, open the breaker, end what is open with it.
    fn give_up(&mut self, index: MemberIndex) {
        let until = self.now.after(self.config.timing.breaker_cooldown);
        let Some(member) = self.roster.get_mut(index) else { return };
        member.breaker = Breaker::Open { until };
        if member.presence == Liveness::Lost {
            return;
        }
        let holding = self.held_by(index);
        self.set_presence(index, Liveness::Lost);
        self.alarm(Alarm::WorkerLost, index, None);
        let member = self.name_of(index);
        let (alarm, request_id) = (Alarm::Reclaim, None);
        self.note_alarm(alarm, &member, None);
        self.event(Event::Alarm(AlarmEvent {
            alarm,
            member,
            request_id,
            holding,
            cycle: Vec::new(),
            refused: None,
        }));
        self.end_all(index, Cause::PeerLost);
    }

    /// What the host should take back from a lost member: what it was asked and had not answered,
    /// what it asked for, and approved work that it has not reported.
    fn held_by(&self, index: MemberIndex) -> Vec<Holding> {
        let held = |entry: &&Entry| entry.concerns(index) && entry.state.is_open();
        let entries = self.ledger.iter().map(|(_, entry)| entry);
        entries.filter(held).map(holding).collect()
    }

    fn end_all(&mut self, index: MemberIndex, cause: Cause) {
        for slot in self.slots(&|entry| entry.concerns(index)) {
            self.end_with(slot, index, cause);
        }
        self.end_waits(Some(index), cause);
    }

    /// The slots of open requests that fit, in order of arrival.
    pub(super) fn slots(&self, fits: &dyn Fn(&Entry) -> bool) -> Vec<usize> {
        self.all_slots(&|entry| entry.state.is_open() && fits(entry))
    }

    /// The slots of requests that fit, open or not, in order of arrival.
    pub(super) fn all_slots(&self, fits: &dyn Fn(&Entry) -> bool) -> Vec<usize> {
        let open = self.ledger.iter().filter(|(_, entry)| fits(entry));
        // A heap sorts as fast as it needs to be here, in a tenth of the code of `sort`.
        let open: BinaryHeap<_> =
            open.map(|(slot, entry)| (entry.opened_at, entry.seq, slot)).collect();
        open.into_sorted_vec().into_iter().map(|(_, _, slot)| slot).collect()
    }
}

fn holding(entry: &Entry) -> Holding {
    let due = matches!(entry.state.feedback(), Some(Feedback::ReportDue { .. }));
    let (title, scope) = match &entry.content {
        Content::Plan { plan: Some(plan), .. } if due => {
            (Some(plan.title.clone()), plan.scope.clone())
        }
        Content::Other { details, .. } if due => (None, details.scope.clone()),
        Content::Plan { .. } | Content::Shutdown { .. } | Content::Other { .. } => {
            (None, Vec::new())
        }
    };
    Holding {
        request_id: entry.id.clone(),
        kind: entry.content.kind().clone(),
        status: entry.state.status(),
        title,
        scope,
    }
}
