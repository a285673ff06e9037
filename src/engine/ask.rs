//! Requests and answers of this member: everything is checked, then registered and sent.

use super::commands::{AskOptions, Response};
use super::ledger::{Content, Entry, Lineage, Patience, Side};
use super::outbox::{request_message, response_message};
use super::{Checked, Engine};
use crate::authority::Approval;
use crate::error::NotNow;
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::member::Passage;
use crate::message::{Cause, EscalationStep, Kind, Liveness, Role, Status, Timing, is_blank};
use crate::request::{Answer, Asked, Ballot, Clocks, Input, Panel, Rejection, State, Works};
use crate::time::Millis;
use crate::validate::{self, InvalidMessage, Origin, Target};

impl Engine {
    /// Registers and sends a request.
    pub(super) fn ask(
        &mut self,
        to: &str,
        content: Content,
        options: AskOptions,
    ) -> Checked<RequestId> {
        let (timeout, cap) = self.limits_of(content.kind(), &options);
        let (me, mut entry) = (self.roster.me(), self.draft(content, &options));
        let terms = entry.terms;
        self.check_works(&entry)?;
        self.link(&mut entry, options.follows.as_ref())?;
        if let Some(escalation) = &options.escalate {
            self.escalate(&mut entry, escalation, (timeout, cap))?;
        }
        let timing = Timing { timeout_ms: Some(timeout), cap_ms: Some(cap) };
        let peer = if options.stages.is_empty() {
            if let Some(message) = request_message(&entry, timing) {
                let target = self.target(to);
                validate::check(message, Origin::Own, self.roles(), target, self.rulebook())?;
            }
            self.known_member(to)?
        } else {
            entry.panel = self.panel(&options.stages, terms)?;
            self.check_panel(&entry, timing)?;
            entry.panel.approvers(0).first().copied().unwrap_or(me)
        };
        self.refuse_leaving()?;
        if entry.panel.is_one() {
            entry.panel = Panel::One(peer);
            if self.presence_of(peer) != Some(Liveness::Leaving) {
                self.refuse_absent(peer)?;
            }
        }
        self.refuse_pending_twin(peer, &entry)?;
        if terms.blocking {
            let indispensable = Ballot::default().indispensable(&entry.panel);
            let names: Vec<_> = indispensable.iter().map(|index| self.name_of(*index)).collect();
            self.refuse_deadlock(&names)?;
        }
        let limit = self.config.limits.open_per_member;
        if self.ledger.open(Side::Asked, peer) >= limit {
            return Err(NotNow::TooManyOpen { limit }.into());
        }
        if entry.panel.is_one() && self.pass_breaker(peer)? {
            entry.state = self.pending(timeout.min(self.config.timing.trial_timeout), cap);
        }
        entry.peer = peer;
        let id = entry.id.clone();
        let slot = self.register(entry);
        self.linked(slot);
        self.open_stage(slot);
        self.tell_step(slot, EscalationStep::Asked, None);
        if terms.blocking {
            self.begin_round();
        }
        Ok(id)
    }

    /// A request before it is known to whom it may go.
    fn draft(&mut self, content: Content, options: &AskOptions) -> Entry {
        let (timeout, cap) = self.limits_of(content.kind(), options);
        let me = self.roster.me();
        Entry {
            id: self.new_id(),
            peer: me,
            panel: Panel::One(me),
            mail: Vec::new(),
            terms: self.terms(content.kind()),
            content,
            follows: None,
            lineage: Lineage::default(),
            opened_at: self.now,
            seq: self.seq + 1,
            state: self.pending(timeout, cap),
            idle: Patience { limit: timeout, ends: self.now.after(timeout), told_in: 0 },
            detail: None,
            works: Works::named(options.on_approved.clone(), options.compensation.clone()),
            ladder: None,
        }
    }

    /// The idle limit and the hard limit of a request: as asked with, as its kind has them, or the
    /// common ones.
    pub(super) fn limits_of(&self, kind: &Kind, options: &AskOptions) -> (Millis, Millis) {
        let rules = self.kinds.find(kind);
        let AskOptions { timeout, cap, .. } = options;
        let (timeout, cap) = (*timeout, *cap);
        let timeout = timeout.or_else(|| rules.and_then(|rules| rules.timeout));
        let cap = cap.unwrap_or_else(|| {
            let usual = rules.and_then(|rules| rules.cap).unwrap_or(self.config.timing.cap);
            usual.max(timeout.unwrap_or_default())
        });
        (timeout.unwrap_or_else(|| self.config.timing.timeout.min(cap)), cap)
    }

    /// Answers a request; `kind` is what the answer says it is about, where it says so.
    pub(super) fn answer(
        &mut self,
        id: &str,
        kind: Option<Kind>,
        response: Response,
    ) -> Checked<RequestId> {
        self.refuse_when_left()?;
        let slot = self.resolve(Side::Owed, id)?;
        self.about_request(slot);
        let Some(entry) = self.ledger.get(slot) else {
            return Err(self.unknown_request(Side::Owed, id).into());
        };
        let request = entry.content.kind();
        if let Some(answer) = kind.filter(|kind| kind != request) {
            return Err(NotNow::KindMismatch { request: request.clone(), answer }.into());
        }
        let Response { approve, reason, retry_after, payload } = response;
        let note = reason.filter(|reason| !is_blank(reason));
        let retry_after = retry_after.filter(|_| !approve);
        let answer = Answer { approve, note, retry_after, payload, confirmed: false };
        if answer.payload.is_some() && !matches!(entry.content, Content::Other { .. }) {
            return Err(InvalidMessage::OwnMessages { kind: request.clone() }.into());
        }
        let leaves = entry.terms.approval == Approval::Leaves;
        let target = Target::Member(self.roles_of(entry.peer));
        let message = response_message(entry, &answer);
        validate::check(message, Origin::Own, self.roles(), target, self.rulebook())?;
        if approve && leaves {
            self.refuse_in_section()?;
        }
        self.apply(slot, Input::Decide(answer)).map_err(not_now)?;
        self.id_of(slot)
    }

    /// Withdraws a request of ours; the other side is told why.
    pub(super) fn withdraw(&mut self, id: &str, reason: Option<String>) -> Checked<RequestId> {
        let slot = match self.resolve(Side::Asked, id) {
            Ok(slot) => slot,
            Err(unknown) => {
                let owed = self.role() == Role::Lead && self.resolve(Side::Owed, id).is_ok();
                return if owed { self.call_off(id, reason) } else { Err(unknown.into()) };
            }
        };
        // An attempt that is over stands for the one that goes on.
        let slot = self.attempt_now(slot).unwrap_or(slot);
        self.about_request(slot);
        self.check_texts(&[reason.as_deref()])?;
        if self.ledger.get(slot).is_some_and(|entry| entry.asked_again_at().is_some()) {
            self.end_ladder(slot, Some(Cause::Member));
            return self.id_of(slot);
        }
        let before = self.ledger.swap_detail(slot, reason);
        if let Err(rejection) = self.apply(slot, Input::Cancel) {
            self.ledger.swap_detail(slot, before);
            if rejection != (Rejection::NotPending { status: Status::Cancelled }) {
                return Err(not_now(rejection).into());
            }
        }
        self.id_of(slot)
    }

    fn new_id(&mut self) -> RequestId {
        let mut bits = self.ids.draw();
        loop {
            let id = RequestId::from_random(bits);
            if self.ledger.find_asked(id.as_str()).is_none() {
                return id;
            }
            // Counting on from there ends even if the source repeats itself for ever.
            bits = bits.wrapping_add(1);
        }
    }

    fn pending(&self, timeout: Millis, cap: Millis) -> State {
        let clocks = Clocks::start(self.now, timeout, cap, self.config.timing.reminders);
        Asked::Pending(clocks, Ballot::default()).into()
    }

    /// Whether the request goes out as a trial.
    fn pass_breaker(&mut self, peer: MemberIndex) -> Checked<bool> {
        let now = self.now;
        let Some(member) = self.roster.get_mut(peer) else { return Ok(false) };
        match member.breaker.passage(now) {
            Passage::Free => Ok(false),
            Passage::Trial => {
                member.breaker.trial();
                Ok(true)
            }
            Passage::Blocked { until } => Err(NotNow::RecipientLost {
                name: member.name.clone(),
                retry_in: until.map(|until| until.since(now)),
            }
            .into()),
        }
    }

    /// The shutdown that a leaving or gone member agreed to.
    pub(super) fn shutdown_agreed(&self, to: &str) -> Option<RequestId> {
        let index = self.roster.find(&MemberName::parse(to).ok()?)?;
        if self.presence_of(index) != Some(Liveness::Leaving) {
            return None;
        }
        let agreed = |entry: &&Entry| {
            entry.peer == index
                && entry.side() == Side::Asked
                && entry.terms.approval == Approval::Leaves
                && entry.state.status() == Status::Approved
        };
        self.ledger.iter().map(|(_, entry)| entry).find(agreed).map(|entry| entry.id.clone())
    }

    fn refuse_pending_twin(&self, peer: MemberIndex, new: &Entry) -> Checked<()> {
        let twin = |entry: &&Entry| {
            let same = match (&entry.content, &new.content) {
                (Content::Shutdown { .. }, Content::Shutdown { .. }) => true,
                (old, new) => old.same_as(new),
            };
            entry.peer == peer
                && entry.side() == Side::Asked
                && (entry.state.status() == Status::Pending || entry.asked_again_at().is_some())
                && same
        };
        if self.ledger.open(Side::Asked, peer) == 0 {
            return Ok(());
        }
        match self.ledger.iter().map(|(_, entry)| entry).find(twin) {
            Some(entry) => Err(NotNow::AlreadyPending { request_id: entry.id.clone() }.into()),
            None => Ok(()),
        }
    }
}

impl Engine {
    /// Why a report is refused. An approval that takes none is one that ended with our leaving.
    pub(super) fn no_report(&self, rejection: Rejection) -> NotNow {
        match rejection {
            Rejection::NotApproved { status: Status::Approved } => match self.presence() {
                Liveness::Left => NotNow::SelfLeaving,
                Liveness::Active
                | Liveness::Busy
                | Liveness::Leaving
                | Liveness::Suspect
                | Liveness::Lost => NotNow::ApprovalEnded,
            },
            Rejection::NotApproved { .. }
            | Rejection::Late { .. }
            | Rejection::Duplicate { .. }
            | Rejection::Conflicting { .. }
            | Rejection::NotPending { .. }
            | Rejection::Pause(_)
            | Rejection::WrongSide
            | Rejection::WrongKind
            | Rejection::NotDue => not_now(rejection),
        }
    }
}

pub(super) fn not_now(rejection: Rejection) -> NotNow {
    match rejection {
        Rejection::Duplicate { status } => NotNow::AlreadyAnswered { status },
        Rejection::Conflicting { status } => NotNow::AnswerConflicts { status },
        Rejection::Late { status } | Rejection::NotPending { status } => {
            NotNow::NotPending { status }
        }
        Rejection::NotApproved { status } => NotNow::NotApproved { status },
        Rejection::Pause(why) => NotNow::Pause(why),
        Rejection::WrongSide | Rejection::WrongKind | Rejection::NotDue => NotNow::NothingToReport,
    }
}
