//! What goes in is written down, before what it causes goes out.
//!
//! An input that changed something leaves one line for the journal, and the effect that carries it
//! comes before all others of that input. What changed nothing leaves none: a refused call, a frame
//! that was turned away before it could count as a sign of life, a sweep that found nothing. So
//! nobody makes a journal grow by sending garbage.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Serialize;

use super::commands::{AskOptions, Response};
use super::critical::SectionPolicy;
use super::{Engine, Refusable};
use crate::config::{Config, MemberConfig};
use crate::effect::{Effect, JournalLine};
use crate::ids::{IdSource, Incarnation};
use crate::journal::line::{self, Head};
use crate::message::{Details, Kind, Plan, Uses};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};
use crate::wire::json;

/// An input, as it stands in the journal.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call<'a> {
    Open {
        config: Cow<'a, Config>,
    },
    Restored,
    Tick,
    Frame {
        frame: Cow<'a, str>,
        from: Option<Cow<'a, str>>,
    },
    SendFailed {
        seq: u64,
    },
    Close,
    AskFor {
        kind: Cow<'a, Kind>,
        to: Cow<'a, str>,
        details: Cow<'a, Details>,
        options: Cow<'a, AskOptions>,
    },
    RequestShutdown {
        to: Cow<'a, str>,
        reason: Option<Cow<'a, str>>,
        options: Cow<'a, AskOptions>,
    },
    ShutdownAll {
        reason: Option<Cow<'a, str>>,
        options: Cow<'a, AskOptions>,
    },
    SubmitPlan {
        plan: Cow<'a, Plan>,
        uses: Uses,
        options: Cow<'a, AskOptions>,
    },
    Respond {
        id: Cow<'a, str>,
        kind: Option<Cow<'a, Kind>>,
        response: Cow<'a, Response>,
    },
    Cancel {
        id: Cow<'a, str>,
        reason: Option<Cow<'a, str>>,
    },
    Reopen {
        id: Cow<'a, str>,
        reason: Option<Cow<'a, str>>,
    },
    Pause {
        id: Cow<'a, str>,
    },
    Resume {
        id: Cow<'a, str>,
    },
    Report {
        id: Cow<'a, str>,
        ok: bool,
        detail: Option<Cow<'a, str>>,
    },
    Say {
        to: Cow<'a, str>,
        text: Cow<'a, str>,
    },
    Progress {
        id: Option<Cow<'a, str>>,
        note: Option<Cow<'a, str>>,
        busy_for: Option<Millis>,
    },
    Idle {
        note: Option<Cow<'a, str>>,
    },
    Exit,
    EnterGate {
        action: Cow<'a, str>,
    },
    StartFailed {
        permit: u64,
    },
    EnterSection {
        name: Cow<'a, str>,
        eta: Option<Millis>,
        policy: SectionPolicy,
    },
    LeaveSection {
        id: u64,
    },
    AddMember {
        member: Cow<'a, MemberConfig>,
    },
    Announce {
        name: Cow<'a, str>,
        life: Incarnation,
    },
    MemberGone {
        name: Cow<'a, str>,
    },
    WorkDone {
        id: Cow<'a, str>,
        run: u32,
        ok: bool,
        detail: Option<Cow<'a, str>>,
    },
    WorkStarted {
        id: Cow<'a, str>,
        run: u32,
    },
    WorkMissing {
        id: Cow<'a, str>,
        run: u32,
    },
    Rerun {
        id: Cow<'a, str>,
    },
    InterruptWorks,
}

from_store!(<'a> enum Call<'a> {
    "open" => Open { config },
    "restored" => Restored,
    "tick" => Tick,
    "frame" => Frame { frame, from },
    "send_failed" => SendFailed { seq },
    "close" => Close,
    "ask_for" => AskFor { kind, to, details, options },
    "request_shutdown" => RequestShutdown { to, reason, options },
    "shutdown_all" => ShutdownAll { reason, options },
    "submit_plan" => SubmitPlan { plan, uses, options },
    "respond" => Respond { id, kind, response },
    "cancel" => Cancel { id, reason },
    "reopen" => Reopen { id, reason },
    "pause" => Pause { id },
    "resume" => Resume { id },
    "report" => Report { id, ok, detail },
    "say" => Say { to, text },
    "progress" => Progress { id, note, busy_for },
    "idle" => Idle { note },
    "exit" => Exit,
    "enter_gate" => EnterGate { action },
    "start_failed" => StartFailed { permit },
    "enter_section" => EnterSection { name, eta, policy },
    "leave_section" => LeaveSection { id },
    "add_member" => AddMember { member },
    "announce" => Announce { name, life },
    "member_gone" => MemberGone { name },
    "work_done" => WorkDone { id, run, ok, detail },
    "work_started" => WorkStarted { id, run },
    "work_missing" => WorkMissing { id, run },
    "rerun" => Rerun { id },
    "interrupt_works" => InterruptWorks,
});

/// An input that is ready to be written down; `None` where no journal is kept, or for a call that
/// only asks.
pub(super) struct Told(Option<String>);

impl Told {
    /// A call that changes nothing by itself.
    pub(super) const NOTHING: Self = Self(None);
}

/// The journal as this engine keeps it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorder {
    /// Whether lines are written.
    pub(super) on: bool,
    /// The last line.
    pub(super) head: Head,
    /// Up to which line the host has handed everything over.
    pub(super) released: u64,
    /// The number of the next audit entry, as whoever reads the lines knows it.
    pub(super) audit: u64,
}

/// Where an input began.
pub(super) struct Begun {
    /// How many effects of earlier inputs were waiting.
    pub(super) effects: usize,
    /// The number of the next audit entry.
    pub(super) audit: u64,
}

/// The host's randomness; what is drawn is kept for the journal, and a replay draws it again.
pub(super) struct Ids {
    source: Box<dyn IdSource>,
    drawn: Vec<u128>,
    again: VecDeque<u128>,
}

impl Ids {
    pub(super) fn new(source: Box<dyn IdSource>) -> Self {
        Self { source, drawn: Vec::new(), again: VecDeque::new() }
    }

    pub(super) fn draw(&mut self) -> u128 {
        let bits = self.again.pop_front().unwrap_or_else(|| self.source.random_u128());
        self.drawn.push(bits);
        bits
    }

    /// A new input begins.
    pub(super) fn forget(&mut self) {
        self.drawn.clear();
    }

    /// What comes next was drawn before.
    pub(super) fn replay(&mut self, drawn: Vec<u128>) {
        self.again = drawn.into();
    }

    /// Whether exactly what was to be drawn again was drawn.
    pub(super) fn replayed(&mut self, drawn: usize) -> bool {
        let exact = self.again.is_empty() && self.drawn.len() == drawn;
        self.again.clear();
        exact
    }
}

impl Engine {
    /// Everything that the inputs up to this line have caused was handed over: a restored engine
    /// need not do it again. Call it when the effects of a line were delivered, with its number.
    /// Without these calls a restored engine hands over everything since the last snapshot once
    /// more, which is right as well: frames are known by their numbers.
    pub fn released(&mut self, n: u64) {
        self.recorder.released = self.recorder.released.max(n.min(self.recorder.head.n));
    }

    /// Writes a call down, where a journal is kept.
    pub(super) fn write_down<'c>(&self, call: impl FnOnce() -> Call<'c>) -> Told {
        Told(self.recorder.on.then(|| json::to_string(&call())))
    }

    /// Runs a call of the host: time first, then the call, and an audit entry if it is refused.
    pub(super) fn command<T>(
        &mut self,
        now: Timestamp,
        told: Told,
        run: impl FnOnce(&mut Self) -> super::Checked<T>,
    ) -> Refusable<T> {
        if self.closed {
            return Err(crate::error::Misuse::Closed.into());
        }
        let begun = self.begin(now, super::Actor::Host);
        let result = run(self).map_err(|error| {
            self.note_refusal(&error);
            *error
        });
        self.touched |= result.is_ok();
        self.record(&begun, told);
        result
    }

    /// Ends an input: its line comes before what it has caused.
    pub(super) fn record(&mut self, begun: &Begun, told: Told) {
        if !self.recorder.on {
            return;
        }
        let input = match told.0.filter(|_| self.touched) {
            Some(input) => input,
            None if self.swept => json::to_string(&Call::Tick),
            None => return,
        };
        let Recorder { head, released, audit, .. } = self.recorder;
        // What was refused in between has entries, and no line.
        let audit = (begun.audit != audit).then_some(begun.audit);
        let rest =
            line::Rest { at: self.now, released, audit, drawn: &self.ids.drawn, input: &input };
        let (head, text) = line::write(head, &rest);
        self.recorder.head = head;
        self.recorder.audit = self.audit.next_seq();
        let line = Effect::Journal(JournalLine { n: head.n, text });
        self.effects.insert(begun.effects.min(self.effects.len()), line);
    }
}
