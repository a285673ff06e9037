//! The host wants something.
//!
//! Every command checks everything first and changes nothing when it is refused.

use super::ledger::{Content, Entry, Side};
use super::outbox::{request_message, response_message};
use super::{Actor, Engine};
use crate::authority::{self, Approval};
use crate::effect::{Alarm, Outcome};
use crate::error::{Misuse, NotNow, ProtocolError};
use crate::gate::Permit;
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::member::{Liveness, Passage};
use crate::message::{
    Action as GuardedAction, Body, ExecutionReport, Exited, Idle, Kind, Message, Plan, Progress,
    Role, Status, Timing, Uses, is_blank,
};
use crate::request::{Answer, Asked, Clocks, Feedback, Input, Rejection, State};
use crate::time::{Millis, Timestamp};
use crate::validate::{self, InvalidMessage, Origin, Target};

/// What a refusable call returns.
pub type Refusable<T> = Result<T, ProtocolError>;

/// Limits of one request; the configuration fills in what is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AskOptions {
    /// Idle limit.
    pub timeout: Option<Millis>,
    /// Hard limit.
    pub cap: Option<Millis>,
}

/// A decision on a request of another member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Yes or no.
    pub approve: bool,
    /// Reason of a refusal, or a note on an approval.
    pub reason: Option<String>,
    /// With a refusal: when to ask again, from now.
    pub retry_after: Option<Millis>,
}

impl Engine {
    /// Asks a worker to leave. A member that is leaving already is not asked again: the id of the
    /// shutdown it agreed to comes back.
    ///
    /// # Errors
    /// When this member is not the lead, or the other one is unknown, lost, gone, no worker, or
    /// asked already.
    pub fn request_shutdown(
        &mut self,
        now: Timestamp,
        to: &str,
        reason: Option<String>,
        options: AskOptions,
    ) -> Refusable<RequestId> {
        self.command(now, |engine| {
            let content = Content::Shutdown { reason };
            if let Some(id) = engine.shutdown_agreed(to) {
                return Ok(id);
            }
            engine.ask(to, content, options)
        })
    }

    /// Asks the lead to approve a plan. The gate stays closed until it does.
    ///
    /// # Errors
    /// When this member is no worker, the plan breaks a rule, or the same plan waits already.
    pub fn submit_plan(
        &mut self,
        now: Timestamp,
        plan: Plan,
        uses: Uses,
        options: AskOptions,
    ) -> Refusable<RequestId> {
        self.command(now, |engine| {
            let digest = plan.digest(uses);
            let content = Content::Plan { plan: Some(Box::new(plan)), uses, digest };
            let lead = engine.name_of(engine.roster.lead());
            engine.ask(lead.as_str(), content, options)
        })
    }

    /// Answers a request that was put to this member. `id` may be an unambiguous beginning.
    ///
    /// # Errors
    /// When there is no such request, it is over or answered, or a refusal says no reason.
    pub fn respond(
        &mut self,
        now: Timestamp,
        id: &str,
        response: Response,
    ) -> Refusable<RequestId> {
        self.command(now, |engine| engine.answer(id, None, response))
    }

    /// Withdraws a request of this member. Withdrawing what was withdrawn is fine.
    ///
    /// # Errors
    /// When there is no such request, or it ended otherwise.
    pub fn cancel(&mut self, now: Timestamp, id: &str) -> Refusable<RequestId> {
        self.command(now, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            match engine.apply(slot, Input::Cancel) {
                Ok(()) | Err(Rejection::NotPending { status: Status::Cancelled }) => {}
                Err(rejection) => return Err(not_now(rejection).into()),
            }
            engine.id_of(slot)
        })
    }

    /// Tells how the work of an approved plan went. The gate closes for it.
    ///
    /// # Errors
    /// When the plan is unknown, not approved, or reported already.
    pub fn report(
        &mut self,
        now: Timestamp,
        id: &str,
        ok: bool,
        detail: Option<String>,
    ) -> Refusable<RequestId> {
        self.command(now, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.check_texts(&[detail.as_deref()])?;
            engine.apply(slot, Input::Finish { ok }).map_err(not_now)?;
            let request_id = engine.id_of(slot)?;
            let lead = engine.ledger.get(slot).map_or(engine.roster.lead(), |entry| entry.peer);
            let report = ExecutionReport { request_id: request_id.clone(), ok, detail };
            engine.post_message(lead, Message::ExecutionReport(report));
            Ok(request_id)
        })
    }

    /// Says something to one member, or to everyone with `*`. Text is never a decision. Returns
    /// how many members it goes to.
    ///
    /// # Errors
    /// When the member is unknown, lost or gone, or the text is too long.
    pub fn say(&mut self, now: Timestamp, to: &str, text: &str) -> Refusable<usize> {
        self.command(now, |engine| {
            engine.refuse_when_left()?;
            validate::check_text(text, &engine.config.limits)?;
            let receivers = if to == "*" {
                engine.everyone_present()
            } else {
                let index = engine.known_member(to)?;
                engine.refuse_self(index, "text")?;
                engine.refuse_absent(index)?;
                vec![index]
            };
            for index in &receivers {
                engine.post(*index, Body::Text(text.to_owned()), None);
            }
            Ok(receivers.len())
        })
    }

    /// Tells that this member is at work: on a request that it owes, or in general (to the lead).
    /// With `busy_for`, silence for that long is no sign of death.
    ///
    /// # Errors
    /// When there is no such request.
    pub fn progress(
        &mut self,
        now: Timestamp,
        id: Option<&str>,
        note: Option<String>,
        busy_for: Option<Millis>,
    ) -> Refusable<()> {
        self.command(now, |engine| {
            engine.refuse_when_left()?;
            engine.check_texts(&[note.as_deref()])?;
            let (to, request_id) = match id {
                Some(id) => {
                    let slot = engine.resolve_pending(Side::Owed, id)?;
                    (engine.peer_of(slot), Some(engine.id_of(slot)?))
                }
                None => (engine.roster.lead(), None),
            };
            engine.refuse_self(to, "progress")?;
            let progress = Progress { request_id, note, busy_for_ms: busy_for };
            engine.post_message(to, Message::Progress(progress));
            Ok(())
        })
    }

    /// Tells the lead that this member has nothing to do.
    ///
    /// # Errors
    /// When this member is the lead or has left.
    pub fn idle(&mut self, now: Timestamp, note: Option<String>) -> Refusable<()> {
        self.command(now, |engine| {
            engine.refuse_when_left()?;
            engine.check_texts(&[note.as_deref()])?;
            let lead = engine.roster.lead();
            engine.refuse_self(lead, "idle")?;
            engine.post_message(lead, Message::Idle(Idle { note }));
            Ok(())
        })
    }

    /// Confirms that this member has left; afterwards it takes part in nothing. After an approved
    /// shutdown this completes it; it may also leave unasked.
    ///
    /// # Errors
    /// When this member is the lead, has left already, or a critical section is open.
    pub fn exit(&mut self, now: Timestamp) -> Refusable<()> {
        self.command(now, |engine| {
            engine.refuse_when_left()?;
            engine.refuse_in_section()?;
            let (me, lead) = (engine.roster.me(), engine.roster.lead());
            engine.refuse_self(lead, "exited")?;
            let agreed = engine.slots(|entry| {
                matches!(entry.state.feedback(), Some(Feedback::ExitDue { .. }))
                    && entry.side() == Side::Owed
            });
            let request_id = agreed.first().and_then(|slot| engine.id_of(*slot).ok());
            engine.end_own(crate::message::Cause::Leaving);
            for slot in agreed {
                engine.apply_quietly(slot, Input::Exited);
            }
            engine.set_presence(me, Liveness::Left);
            engine.post_message(lead, Message::Exited(Exited { request_id }));
            Ok(())
        })
    }

    /// Lets a guarded action start if an approved plan covers it.
    ///
    /// # Errors
    /// [`NotNow::GateClosed`] otherwise, with what to do about it.
    pub fn enter_gate(&mut self, now: Timestamp, action: &str) -> Refusable<(Permit, RequestId)> {
        self.command(now, |engine| {
            engine.refuse_leaving()?;
            let parsed = GuardedAction::parse(action)
                .map_err(|why| Misuse::BadAction { found: action.to_owned(), why })?;
            engine.gate.enter(&parsed).map_err(|why| {
                let pending = engine.open_ids(Side::Asked, None);
                NotNow::GateClosed { action: action.to_owned(), why, pending }.into()
            })
        })
    }

    /// The work a permit was given for could not start: a one-shot approval is not spent.
    ///
    /// # Errors
    /// [`Misuse::UnknownPermit`] when there is nothing to give back.
    pub fn start_failed(&mut self, now: Timestamp, permit: Permit) -> Refusable<()> {
        self.command(now, |engine| {
            let given = engine.gate.give_back(permit);
            given.then_some(()).ok_or_else(|| Misuse::UnknownPermit.into())
        })
    }

    /// The transport could not send the frame with this number. A request that it carried ends as
    /// `cancelled`, cause `send_failed`; anything else raises an alarm, and is sent again when the
    /// other side reminds us.
    pub fn handle_send_failed(&mut self, now: Timestamp, seq: u64) {
        if self.closed {
            return;
        }
        self.begin(now, Actor::Transport);
        let carried = self.slots(|entry| entry.side() == Side::Asked && entry.seq == seq);
        let ended =
            carried.first().is_some_and(|slot| self.apply(*slot, Input::SendFailed).is_ok());
        if !ended {
            self.alarm(Alarm::SendFailed, self.roster.me(), None);
        }
    }

    /// Closes the engine: what it asked for ends as `cancelled`, and no later input counts.
    pub fn close(&mut self, now: Timestamp) {
        if self.closed {
            return;
        }
        self.begin(now, Actor::Host);
        self.end_own(crate::message::Cause::Closed);
        self.closed = true;
        self.deadlines = crate::deadline::DeadlineQueue::default();
    }

    // ---- inside ----

    /// Registers and sends a request.
    fn ask(&mut self, to: &str, content: Content, options: AskOptions) -> Refusable<RequestId> {
        let kind = content.kind();
        let AskOptions { timeout, cap } = options;
        let cap = cap.unwrap_or_else(|| self.config.timing.cap.max(timeout.unwrap_or_default()));
        let timeout = timeout.unwrap_or_else(|| self.config.timing.timeout.min(cap));
        let mut entry = Entry {
            id: self.new_id(),
            peer: self.roster.me(),
            content,
            opened_at: self.now,
            seq: self.seq + 1,
            state: self.pending(timeout, cap),
        };
        let timing = Timing { timeout_ms: Some(timeout), cap_ms: Some(cap) };
        let message = request_message(&entry, timing);
        let target = self.target(to);
        if let Some(message) = message {
            validate::check(message, Origin::Own, self.role(), target, &self.config.limits)?;
        }
        let peer = self.known_member(to)?;
        self.refuse_leaving()?;
        if self.presence_of(peer) != Some(Liveness::Leaving) {
            self.refuse_absent(peer)?;
        }
        self.refuse_pending_twin(peer, &entry)?;
        let limit = self.config.limits.open_per_member;
        if self.ledger.open(Side::Asked, peer) >= limit {
            return Err(NotNow::TooManyOpen { limit }.into());
        }
        if self.pass_breaker(peer)? {
            entry.state = self.pending(timeout.min(self.config.timing.trial_timeout), cap);
        }
        entry.peer = peer;
        let id = entry.id.clone();
        debug_assert!(authority::rules(kind).asked_by == self.role(), "validated above");
        let slot = self.register(entry);
        self.send_request(slot);
        Ok(id)
    }

    /// Answers a request; `kind` is what the answer says it is about, where it says so.
    pub(super) fn answer(
        &mut self,
        id: &str,
        kind: Option<Kind>,
        response: Response,
    ) -> Refusable<RequestId> {
        let slot = self.resolve(Side::Owed, id)?;
        let Some(entry) = self.ledger.get(slot) else {
            return Err(self.unknown_request(Side::Owed, id).into());
        };
        let request = entry.content.kind();
        if let Some(answer) = kind.filter(|kind| *kind != request) {
            return Err(NotNow::KindMismatch { request, answer }.into());
        }
        let Response { approve, reason, retry_after } = response;
        let reason = reason.filter(|reason| !is_blank(reason));
        let answer =
            Answer { approve, note: reason, retry_after: retry_after.filter(|_| !approve) };
        let target = Target::Member(self.role_of(entry.peer));
        let message = response_message(entry, &answer);
        validate::check(message, Origin::Own, self.role(), target, &self.config.limits)?;
        if approve && authority::rules(request).approval == Approval::Leaves {
            self.refuse_in_section()?;
        }
        self.apply(slot, Input::Decide(answer)).map_err(not_now)?;
        self.id_of(slot)
    }

    fn new_id(&mut self) -> RequestId {
        loop {
            let id = RequestId::from_random(self.ids.random_u128());
            if self.ledger.find_asked(id.as_str()).is_none() {
                return id;
            }
        }
    }

    fn pending(&self, timeout: Millis, cap: Millis) -> State {
        Asked::Pending(Clocks::start(self.now, timeout, cap, self.config.timing.reminders)).into()
    }

    /// Whether the request goes out as a trial.
    fn pass_breaker(&mut self, peer: MemberIndex) -> Refusable<bool> {
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
    fn shutdown_agreed(&self, to: &str) -> Option<RequestId> {
        let index = self.roster.find(&MemberName::parse(to).ok()?)?;
        if self.presence_of(index) != Some(Liveness::Leaving) {
            return None;
        }
        let agreed = |entry: &&Entry| {
            entry.peer == index
                && entry.side() == Side::Asked
                && entry.content.kind() == Kind::Shutdown
                && entry.state.status() == Status::Approved
        };
        self.ledger.iter().map(|(_, entry)| entry).find(agreed).map(|entry| entry.id.clone())
    }

    fn refuse_pending_twin(&self, peer: MemberIndex, new: &Entry) -> Refusable<()> {
        let twin = |entry: &&Entry| {
            let same = match (&entry.content, &new.content) {
                (Content::Shutdown { .. }, Content::Shutdown { .. }) => true,
                (old, new) => old.same_as(new),
            };
            entry.peer == peer
                && entry.side() == Side::Asked
                && entry.state.status() == Status::Pending
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

    /// Finds one request by its whole id, or an open one by an unambiguous beginning of it.
    pub(super) fn resolve(&self, side: Side, id: &str) -> Result<usize, NotNow> {
        let exact = self.ledger.iter().filter(|(_, e)| e.side() == side && e.id.as_str() == id);
        let mut exact: Vec<_> = exact.map(|(slot, entry)| (slot, &entry.id)).collect();
        if exact.is_empty() && id.len() >= SHORTEST_PREFIX {
            let begins = |entry: &Entry| {
                entry.side() == side && entry.state.is_open() && entry.id.as_str().starts_with(id)
            };
            let found = self.ledger.iter().filter(|(_, entry)| begins(entry));
            exact = found.map(|(slot, entry)| (slot, &entry.id)).collect();
        }
        match exact.as_slice() {
            [(slot, _)] => Ok(*slot),
            [] => Err(self.unknown_request(side, id)),
            several => Err(NotNow::AmbiguousPrefix {
                found: id.to_owned(),
                candidates: several.iter().map(|(_, id)| (*id).clone()).collect(),
            }),
        }
    }

    fn resolve_pending(&self, side: Side, id: &str) -> Result<usize, NotNow> {
        let slot = self.resolve(side, id)?;
        match self.ledger.get(slot).map(|entry| entry.state.status()) {
            Some(Status::Pending) => Ok(slot),
            Some(status) => Err(NotNow::NotPending { status }),
            None => Err(self.unknown_request(side, id)),
        }
    }

    pub(super) fn unknown_request(&self, side: Side, id: &str) -> NotNow {
        let found = id.chars().take(MAX_EXCERPT).collect();
        NotNow::UnknownRequest { found, open: self.open_ids(side, None) }
    }

    /// A recipient as the rules see it.
    pub(super) fn target(&self, name: &str) -> Target {
        if name == "*" {
            return Target::Everyone;
        }
        let parsed = MemberName::parse(name).ok();
        match parsed.as_ref().and_then(|name| self.roster.find(name)) {
            Some(index) if index == self.roster.me() => Target::Oneself,
            Some(index) => Target::Member(self.role_of(index)),
            None => {
                let UnknownName { name, nearest, roster } = self.unknown_name(name);
                Target::Unknown { name, nearest, roster }
            }
        }
    }

    /// A name nobody has, with the names there are.
    fn unknown_name(&self, name: &str) -> UnknownName {
        let roster: Vec<_> = self.roster.iter().map(|(_, m)| m.name.clone()).collect();
        UnknownName {
            name: name.chars().take(MAX_EXCERPT).collect(),
            nearest: validate::nearest_name(name, roster.iter()),
            roster,
        }
    }

    /// Finds a member by name or alias; the refusal lists the roster and the nearest name.
    pub(super) fn known_member(&self, name: &str) -> Refusable<MemberIndex> {
        let parsed = MemberName::parse(name).ok();
        let found = parsed.as_ref().and_then(|name| self.roster.find(name));
        found.ok_or_else(|| {
            let UnknownName { name, nearest, roster } = self.unknown_name(name);
            InvalidMessage::UnknownRecipient { name, nearest, roster }.into()
        })
    }

    pub(super) fn refuse_self(&self, index: MemberIndex, message: &'static str) -> Refusable<()> {
        if index == self.roster.me() {
            return Err(InvalidMessage::ToOneself { message }.into());
        }
        Ok(())
    }

    pub(super) fn refuse_when_left(&self) -> Refusable<()> {
        if self.presence() == Liveness::Left { Err(NotNow::SelfLeaving.into()) } else { Ok(()) }
    }

    pub(super) fn refuse_leaving(&self) -> Refusable<()> {
        let leaving = matches!(self.presence(), Liveness::Leaving | Liveness::Left);
        if leaving { Err(NotNow::SelfLeaving.into()) } else { Ok(()) }
    }

    /// Nothing is sent to a member that cannot receive it.
    fn refuse_absent(&self, index: MemberIndex) -> Refusable<()> {
        let Some(member) = self.roster.get(index) else { return Ok(()) };
        let name = member.name.clone();
        match member.presence {
            Liveness::Active | Liveness::Busy | Liveness::Suspect => Ok(()),
            Liveness::Leaving => Err(NotNow::RecipientLeaving { name }.into()),
            Liveness::Left => Err(NotNow::RecipientLeft { name }.into()),
            Liveness::Lost => match member.breaker.passage(self.now) {
                Passage::Blocked { until } => Err(NotNow::RecipientLost {
                    name,
                    retry_in: until.map(|until| until.since(self.now)),
                }
                .into()),
                Passage::Free | Passage::Trial => Ok(()),
            },
        }
    }

    fn everyone_present(&self) -> Vec<MemberIndex> {
        let others = self.roster.iter().filter(|(index, _)| *index != self.roster.me());
        others.map(|(index, _)| index).filter(|index| self.refuse_absent(*index).is_ok()).collect()
    }

    fn presence_of(&self, index: MemberIndex) -> Option<Liveness> {
        self.roster.get(index).map(|member| member.presence)
    }

    pub(super) fn role_of(&self, index: MemberIndex) -> Role {
        self.roster.get(index).map_or(Role::Worker, |member| member.role)
    }

    fn peer_of(&self, slot: usize) -> MemberIndex {
        self.ledger.get(slot).map_or(self.roster.lead(), |entry| entry.peer)
    }

    fn id_of(&self, slot: usize) -> Refusable<RequestId> {
        let id = self.ledger.get(slot).map(|entry| entry.id.clone());
        id.ok_or_else(|| self.unknown_request(Side::Asked, "").into())
    }

    pub(super) fn check_texts(&self, texts: &[Option<&str>]) -> Refusable<()> {
        for text in texts.iter().flatten() {
            validate::check_text(text, &self.config.limits)?;
        }
        Ok(())
    }

    /// How a request of ours ended, while it is remembered.
    #[must_use]
    pub fn outcome_of(&self, id: &str) -> Option<Outcome> {
        let entry = self.ledger.get(self.ledger.find_asked(id)?)?;
        self.outcome(entry)
    }
}

fn not_now(rejection: Rejection) -> NotNow {
    match rejection {
        Rejection::Duplicate { status } => NotNow::AlreadyAnswered { status },
        Rejection::Conflicting { status } => NotNow::AnswerConflicts { status },
        Rejection::Late { status } | Rejection::NotPending { status } => {
            NotNow::NotPending { status }
        }
        Rejection::NotApproved { status } => NotNow::NotApproved { status },
        Rejection::WrongSide | Rejection::WrongKind | Rejection::NotDue => NotNow::NothingToReport,
    }
}

/// A name nobody has.
struct UnknownName {
    name: String,
    nearest: Option<MemberName>,
    roster: Vec<MemberName>,
}

/// `req_` and one digit more: shorter beginnings are accidents.
const SHORTEST_PREFIX: usize = 5;

/// Names and ids in errors are cut to this many characters.
const MAX_EXCERPT: usize = 80;
