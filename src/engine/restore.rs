//! An engine is saved, and another process goes on from there.
//!
//! What is saved is a snapshot, the journal since then, or both; a journal from its first line
//! needs no snapshot. To restore is to load the one, to put in the lines of the other again, and
//! then to take up life at the present time:
//!
//! 1. What the lines caused goes out again as far as nobody knows that it went out before: frames
//!    are known by their numbers, so whoever has them drops them.
//! 2. Verdicts on silent members wait one grace more: their mail was waiting, too.
//! 3. Work that the host was at is interrupted, for nobody knows how far it came, and critical
//!    sections end.
//! 4. What is overdue settles.
//! 5. The new host is told what the former one had before it: requests that wait for an answer, and
//!    work that is due and had not begun. Only then does anything new come in.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Serialize;

use super::critical::Sections;
use super::ledger::{Ledger, LedgerParts};
use super::record::{Begun, Call, Told};
use super::undeliverable::Sent;
use super::{Actor, Engine, Refusable};
use crate::config::Config;
use crate::deadline::Subject;
use crate::effect::{Effect, Event};
use crate::error::{Misuse, ProtocolError};
use crate::gate::Gate;
use crate::ids::{IdSource, MemberIndex, MemberName};
use crate::journal::line::{self, Head, Line};
use crate::journal::{AuditEntry, Verdict};
use crate::member::Roster;
use crate::request::{Owed, State};
use crate::snapshot::{self, RestoreError};
use crate::stored::from_store;
use crate::time::Timestamp;
use crate::wire::json;

/// What a host has kept of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved<'a> {
    /// The last snapshot.
    pub snapshot: Option<&'a str>,
    /// The lines of the journal, each with its newline. Those that the snapshot covers may be among
    /// them.
    pub journal: &'a str,
}

/// What came of restoring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// How many lines of the journal were put in again.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub lines: u64,
    /// How many bytes of the journal (UTF-8) are whole lines. Cut off what is behind them before the
    /// next line is added.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub sound_bytes: usize,
    /// How many bytes were behind them, for the host ended while it wrote; nothing that they caused
    /// had gone out.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub torn_bytes: usize,
    /// Whether the engine writes its journal on.
    pub journal: bool,
}

/// The state of an engine.
#[derive(Serialize)]
struct Stored<'a> {
    config: Cow<'a, Config>,
    now: Timestamp,
    n: u64,
    sum: u64,
    roster: Cow<'a, Roster>,
    ledger: LedgerParts<'a>,
    gate: Cow<'a, Gate>,
    sections: Cow<'a, Sections>,
    audit_seq: u64,
    seq: u64,
    round: u64,
    sent: Cow<'a, VecDeque<Sent>>,
    closed: bool,
}

from_store!(<'a> struct Stored<'a> { config, now, n, sum, roster, ledger, gate, sections, audit_seq, seq, round, sent, closed });

/// Randomness of an engine that only repeats what was.
struct NoIds;

impl IdSource for NoIds {
    fn random_u128(&mut self) -> u128 {
        // To have asked for it is found by the count of what was drawn.
        0
    }
}

impl Engine {
    /// The whole state as one text, from which [`restore`](Self::restore) makes an engine that
    /// goes on as this one would. Equal states give equal texts. The audit is not in it.
    ///
    /// # Errors
    /// [`Misuse::EffectsPending`] before everything was handed over: a restored engine would not
    /// know of it.
    pub fn snapshot(&self) -> Refusable<String> {
        let super::record::Recorder { on, head, released, .. } = self.recorder;
        if !self.effects.is_empty() || (on && released < head.n) {
            return Err(Misuse::EffectsPending.into());
        }
        let stored = Stored {
            config: Cow::Borrowed(&self.config),
            now: self.now,
            n: head.n,
            sum: head.sum,
            roster: Cow::Borrowed(&self.roster),
            ledger: self.ledger.parts(),
            gate: Cow::Borrowed(&self.gate),
            sections: Cow::Borrowed(&self.sections),
            audit_seq: self.audit.next_seq(),
            seq: self.seq,
            round: self.round,
            sent: Cow::Borrowed(&self.sent),
            closed: self.closed,
        };
        Ok(snapshot::seal(&json::to_string(&stored)))
    }

    /// Goes on from what was saved of `member`, with its life, its ids and its absolute deadlines.
    /// Nothing may have happened to that engine that was not saved; with a snapshot alone that
    /// cannot be known, so its frames are numbered on from far above.
    ///
    /// # Errors
    /// [`RestoreError`] when what was saved is damaged, incomplete, another member's, or of a later
    /// version.
    pub fn restore(
        now: Timestamp,
        member: &MemberName,
        saved: Saved<'_>,
        ids: Box<dyn IdSource>,
    ) -> Result<(Self, Restored), ProtocolError> {
        let (mut engine, restored) = Self::repeat(Some(member), saved)?;
        engine.ids = super::record::Ids::new(ids);
        engine.take_up(now);
        Ok((engine, restored))
    }

    /// Puts what was saved in again and stops where it ends: to look at, not to go on from. Its
    /// effects are those that nobody knows to have gone out.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), but whose it is does not matter.
    pub fn replay(saved: Saved<'_>) -> Result<(Self, Restored), ProtocolError> {
        Ok(Self::repeat(None, saved)?)
    }

    fn repeat(
        member: Option<&MemberName>,
        saved: Saved<'_>,
    ) -> Result<(Self, Restored), RestoreError> {
        let mut engine = saved.snapshot.map(Self::load).transpose()?;
        if let Some(engine) = &engine {
            engine.check_owner(member)?;
        }
        let (lines, torn) = line::split_torn(saved.journal);
        let (sound_bytes, torn_bytes) = (lines.len(), torn.len());
        let mut restored = Restored { sound_bytes, torn_bytes, ..Restored::default() };
        let mut pending = VecDeque::new();
        for (place, text) in lines.lines().enumerate() {
            let place = place + 1;
            let Some(engine) = &mut engine else {
                let first = Self::first_line(text, place)?;
                first.check_owner(member)?;
                engine = Some(first);
                restored.lines += 1;
                continue;
            };
            if restored.lines == 0 && engine.covers(text, place)? {
                continue;
            }
            engine.repeat_line(text, place, &mut pending)?;
            restored.lines += 1;
        }
        let mut engine = engine.ok_or(RestoreError::Nothing)?;
        restored.journal = engine.recorder.on;
        engine.effects = pending.into_iter().flat_map(|(_, effects)| effects).collect();
        Ok((engine, restored))
    }

    fn load(text: &str) -> Result<Self, RestoreError> {
        let corrupt = |_| RestoreError::Corrupt { path: "snapshot".to_owned() };
        let value = snapshot::unseal(text)?;
        let stored: Stored<'static> = json::from_value(value).map_err(corrupt)?;
        let now = stored.now;
        let config = stored.config.into_owned();
        let (on, remembered) = (config.journal, config.limits.remembered_per_member);
        let nonce = config.incarnation.nonce();
        let config = Config { journal: false, ..config };
        let mut engine = Self::new(now, config, Box::new(NoIds))
            .map_err(|_| RestoreError::Corrupt { path: "snapshot".to_owned() })?;
        engine.config.journal = on;
        engine.recorder.on = on;
        engine.recorder.head = Head { n: stored.n, sum: stored.sum };
        engine.recorder.released = stored.n;
        engine.recorder.audit = stored.audit_seq;
        engine.roster = stored.roster.into_owned();
        engine.ledger = Ledger::from_parts(stored.ledger, nonce, remembered);
        engine.gate = stored.gate.into_owned();
        engine.sections = stored.sections.into_owned();
        engine.audit.go_on_from(stored.audit_seq);
        engine.seq = stored.seq;
        engine.round = stored.round;
        engine.sent = stored.sent.into_owned();
        engine.closed = stored.closed;
        if !engine.closed {
            engine.schedule_all();
        }
        Ok(engine)
    }

    /// Every deadline follows from the state.
    fn schedule_all(&mut self) {
        for (slot, entry) in self.ledger.iter() {
            self.deadlines.set(Subject::Request(slot), entry.next_deadline());
        }
        for (index, member) in self.roster.iter() {
            self.deadlines.set(Subject::Member(index.0), member.next_deadline());
        }
    }

    fn check_owner(&self, member: Option<&MemberName>) -> Result<(), RestoreError> {
        match member {
            Some(expected) if *expected != self.config.member => Err(RestoreError::Foreign {
                found: self.config.member.clone(),
                expected: expected.clone(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn first_line(text: &str, place: usize) -> Result<Self, RestoreError> {
        let path = || format!("journal[{place}]");
        let line = line::read(Head::default(), text)
            .map_err(|error| RestoreError::of_line(error, place, 1))?;
        let Line { head, at, released: _, audit: _, drawn: _, input } = line;
        let call: Call<'static> =
            json::from_value(input).map_err(|_| RestoreError::Corrupt { path: path() })?;
        let Call::Open { config } = call else { return Err(RestoreError::Nothing) };
        let mut engine = Self::new(at, config.into_owned(), Box::new(NoIds))
            .map_err(|_| RestoreError::Corrupt { path: path() })?;
        engine.effects.clear();
        engine.recorder.head = head;
        engine.recorder.audit = engine.audit.next_seq();
        Ok(engine)
    }

    /// Whether the snapshot that this engine was loaded from covers a line; that it does so means
    /// that the last one it covers is the one it remembers.
    fn covers(&self, text: &str, place: usize) -> Result<bool, RestoreError> {
        let path = format!("journal[{place}]");
        let head = line::head_of(text).ok_or(RestoreError::Corrupt { path: path.clone() })?;
        if head.n == self.recorder.head.n && head != self.recorder.head {
            return Err(RestoreError::Twice { path, n: head.n });
        }
        Ok(head.n <= self.recorder.head.n)
    }

    fn repeat_line(
        &mut self,
        text: &str,
        place: usize,
        pending: &mut VecDeque<(u64, Vec<Effect>)>,
    ) -> Result<(), RestoreError> {
        let path = || format!("journal[{place}]");
        let before = self.recorder.head;
        let line = line::read(before, text)
            .map_err(|error| RestoreError::of_line(error, place, before.n + 1))?;
        let Line { head, at, released, audit, drawn, input } = line;
        let call: Call<'static> =
            json::from_value(input).map_err(|_| RestoreError::Corrupt { path: path() })?;
        let count = drawn.len();
        self.ids.replay(drawn);
        if let Some(audit) = audit {
            self.audit.go_on_from(audit);
        }
        let on = std::mem::replace(&mut self.recorder.on, false);
        self.repeat_call(at, call).map_err(|()| RestoreError::Diverged { path: path() })?;
        self.recorder.on = on;
        if self.now != at || !self.ids.replayed(count) {
            return Err(RestoreError::Diverged { path: path() });
        }
        self.recorder.head = head;
        self.recorder.audit = self.audit.next_seq();
        self.recorder.released = self.recorder.released.max(released);
        while pending.front().is_some_and(|(n, _)| *n <= released) {
            pending.pop_front();
        }
        pending.push_back((head.n, self.effects.drain(..).collect()));
        Ok(())
    }

    /// Does once more what was done; it cannot be refused now if it was not then.
    #[expect(clippy::too_many_lines, reason = "one arm per input")]
    fn repeat_call(&mut self, now: Timestamp, call: Call<'_>) -> Result<(), ()> {
        let text = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        let done = match call {
            Call::Open { .. } => return Err(()),
            Call::Restored => {
                self.wake_up(now);
                Ok(())
            }
            Call::Tick => {
                self.handle_deadline(now);
                Ok(())
            }
            Call::Frame { frame, from } => {
                let sender = from.as_deref().map_or(super::Sender::Unknown, super::Sender::Channel);
                self.handle_frame(now, &frame, sender);
                Ok(())
            }
            Call::SendFailed { seq } => {
                self.handle_send_failed(now, seq);
                Ok(())
            }
            Call::Close => {
                self.close(now);
                Ok(())
            }
            Call::AskFor { kind, to, details, options } => {
                let (details, options) = (details.into_owned(), options.into_owned());
                self.ask_for(now, &kind, &to, details, options).map(drop)
            }
            Call::RequestShutdown { to, reason, options } => {
                self.request_shutdown(now, &to, text(reason), options.into_owned()).map(drop)
            }
            Call::ShutdownAll { reason, options } => {
                self.shutdown_all(now, text(reason), options.into_owned()).map(drop)
            }
            Call::SubmitPlan { plan, uses, options } => {
                self.submit_plan(now, plan.into_owned(), uses, options.into_owned()).map(drop)
            }
            Call::Respond { id, kind, response } => {
                let (kind, response) = (kind.map(Cow::into_owned), response.into_owned());
                self.command(now, Told::NOTHING, |engine| engine.answer(&id, kind, response))
                    .map(drop)
            }
            Call::Cancel { id, reason } => self.withdraw_for(now, &id, text(reason)).map(drop),
            Call::Reopen { id, reason } => self.reopen(now, &id, text(reason)).map(drop),
            Call::Pause { id } => self.pause(now, &id).map(drop),
            Call::Resume { id } => self.resume(now, &id).map(drop),
            Call::Report { id, ok, detail } => self.report(now, &id, ok, text(detail)).map(drop),
            Call::Say { to, text } => self.say(now, &to, &text).map(drop),
            Call::Progress { id, note, busy_for } => {
                self.progress(now, id.as_deref(), text(note), busy_for)
            }
            Call::Idle { note } => self.idle(now, text(note)),
            Call::Exit => self.exit(now),
            Call::EnterGate { action } => self.enter_gate(now, &action).map(drop),
            Call::StartFailed { permit } => self.start_failed(now, crate::gate::Permit(permit)),
            Call::EnterSection { name, eta, policy } => {
                self.enter_section(now, &name, eta, policy).map(drop)
            }
            Call::LeaveSection { id } => self.leave_section(now, super::SectionId(id)),
            Call::AddMember { member } => self.add_member(now, &member),
            Call::Announce { name, life } => self.announce(now, &name, life),
            Call::MemberGone { name } => self.member_gone(now, &name),
            Call::WorkDone { id, run, ok, detail } => {
                self.work_done(now, &id, run, ok, text(detail)).map(drop)
            }
            Call::WorkStarted { id, run } => self.work_started(now, &id, run).map(drop),
            Call::WorkMissing { id, run } => self.work_missing(now, &id, run).map(drop),
            Call::Rerun { id } => self.rerun(now, &id).map(drop),
            Call::InterruptWorks => self.interrupt_works(now),
        };
        done.map_err(drop)
    }

    /// Life goes on, at the present time.
    fn take_up(&mut self, now: Timestamp) {
        if self.closed {
            return;
        }
        if !self.recorder.on {
            self.seq = self.seq.saturating_add(SEQ_LEAP);
        }
        // These are told again below, as they stand.
        let again =
            |effect: &Effect| matches!(effect, Effect::Event(Event::Work(_) | Event::Request(_)));
        self.effects.retain(|effect| !again(effect));
        self.wake_up(now);
    }

    fn wake_up(&mut self, now: Timestamp) {
        let told = self.write_down(|| Call::Restored);
        let begun = Begun { effects: self.effects.len(), audit: self.audit.next_seq() };
        (self.now, self.actor) = (self.now.max(now), Actor::Host);
        let judged: Vec<MemberIndex> =
            self.roster.iter().filter(|(_, m)| m.judgement.is_some()).map(|(at, _)| at).collect();
        judged.into_iter().for_each(|index| self.adjourn(index));
        self.interrupt_all(true);
        let entry = self.entry(Verdict::Noted);
        self.audit.push(AuditEntry { code: Some("restored"), ..entry });
        self.begin(now, Actor::Host);
        for slot in self.slots(&|entry| matches!(entry.state, State::Owed(Owed::Open { .. }))) {
            self.ask_host(slot);
        }
        self.end_sections();
        self.tell_due_works();
        self.touched = true;
        self.record(&begun, told);
    }
}

/// With no journal, nobody knows what the saved engine has sent since: its numbers are left out.
/// More than a member can send between two snapshots, and few enough that a number a JavaScript
/// host reads stays exact through a million restores.
const SEQ_LEAP: u64 = 1 << 32;
