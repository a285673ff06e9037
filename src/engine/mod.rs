//! The one mutable type: an engine speaks for one member of a team.
//!
//! Owns the ledger, the roster, the deadlines and the gate, and is the only room that changes
//! them. Imports every room above it. Each file below is one step of the flow:
//!
//! | file | step |
//! |---|---|
//! | `receive` | a frame comes in: who sent it, which life, seen before? |
//! | `dispatch` | a message is for which request? |
//! | `commands`, `tool` | the host, or its model, wants something |
//! | `fan_out` | every worker is asked at once |
//! | `ask`, `resolve` | a request or answer of ours; who and which is meant |
//! | `act` | transition, commit, carry out |
//! | `panel` | requests that several members decide |
//! | `lineage` | retry, appeal, revision |
//! | `reopen` | a rejected plan may be asked about once more |
//! | `escalation` | a shutdown that is asked again by itself |
//! | `outbox` | frames go out |
//! | `record`, `restore` | what came in is written down, and put in again |
//! | `members` | liveness, lives, leaving |
//! | `noise` | repeats: told once, answered up to a bound |
//! | `timers` | deadlines come |
//! | `critical` | critical sections |
//! | `pause` | human time |
//! | `undeliverable` | texts that do not get through |
//! | `works` | the host runs what requests name |
//! | `waits` | deadlocks |
//! | `views`, `hash` | what can be read |
//! | `shape`, `words` | what the engine itself says |
//! | `ledger` | where request state is stored |

mod act;
mod ask;
mod commands;
mod critical;
mod dispatch;
mod escalation;
mod fan_out;
mod hash;
mod ledger;
mod lineage;
mod members;
mod noise;
mod outbox;
mod panel;
mod pause;
mod receive;
mod record;
mod reopen;
mod resolve;
mod restore;
mod shape;
mod timers;
mod tool;
mod undeliverable;
mod views;
mod waits;
mod words;
mod works;

use std::borrow::Cow;
use std::collections::VecDeque;

pub use self::commands::{AskOptions, Refusable, Response, StageSpec};
pub use self::critical::{SectionId, SectionPolicy};
pub use self::escalation::Escalation;
pub use self::fan_out::{Asking, WorkerAsked};
pub use self::hash::StateHash;
pub use self::lineage::FollowSpec;
pub use self::receive::Sender;
pub use self::restore::{Restored, Saved};
pub use self::tool::ToolOutcome;

use self::critical::Sections;
use self::ledger::Ledger;
use self::record::{Begun, Call, Ids, Recorder};
use self::undeliverable::Sent;
pub use self::views::{MemberView, Obligation, RequestView};
use crate::authority::{KindRules, KindTable, Terms};
use crate::config::Config;
use crate::deadline::DeadlineQueue;
use crate::effect::{Effect, Event};
use crate::error::ProtocolError;
use crate::gate::Gate;
use crate::ids::{IdSource, Incarnation, MemberIndex, MemberName, RequestId};
use crate::journal::{self, Audit, AuditEntry, Verdict};
use crate::member::Roster;
use crate::message::{Kind, Liveness, Role, Roles};
use crate::time::Timestamp;
use crate::validate::Rulebook;

/// What a check gives inside the engine. The error is behind a pointer, for it is wide and rare.
type Checked<T> = Result<T, Box<ProtocolError>>;

/// What became of an arriving frame.
pub type Disposition = journal::Disposition<ProtocolError>;

/// Speaks for one member of a team.
///
/// It never blocks, reads no clock and draws no randomness. Its methods come in four families:
///
/// - **read** (`&self`): [`team`](Self::team), [`obligations`](Self::obligations),
///   [`request`](Self::request), [`audit`](Self::audit), [`state_hash`](Self::state_hash), …
/// - **commands**, from the host: [`request_shutdown`](Self::request_shutdown),
///   [`submit_plan`](Self::submit_plan), [`respond`](Self::respond), …
/// - **`handle_*`**, from the world: [`handle_frame`](Self::handle_frame),
///   [`handle_deadline`](Self::handle_deadline), [`handle_send_failed`](Self::handle_send_failed)
/// - **`poll_*`**, out: [`poll_effect`](Self::poll_effect), [`poll_deadline`](Self::poll_deadline)
///
/// The one law for hosts: after each input drain all effects, then read the next deadline.
pub struct Engine {
    config: Config,
    /// Every kind there is.
    kinds: KindTable,
    /// The latest time seen; an earlier `now` never moves it back.
    now: Timestamp,
    ids: Ids,
    recorder: Recorder,
    /// Whether the present input has found something due.
    swept: bool,
    /// Whether the present input has changed anything that a replay needs to know.
    touched: bool,
    roster: Roster,
    ledger: Ledger,
    deadlines: DeadlineQueue,
    gate: Gate,
    sections: Sections,
    audit: Audit,
    effects: VecDeque<Effect>,
    /// The number of the last frame sent.
    seq: u64,
    /// The last search for a deadlock that began here.
    round: u64,
    /// The last frames: the transport may tell later that it could not send one.
    sent: VecDeque<Sent>,
    closed: bool,
    /// Who gives the present input, for the audit.
    actor: Actor,
    /// How the present input was bent to fit, for the audit.
    marks: Vec<&'static str>,
    /// What the present input is about, for the audit.
    about: About,
}

/// What an input is about, as far as it was read.
#[derive(Clone, Debug, Default)]
struct About {
    message: Option<&'static str>,
    request_id: Option<RequestId>,
    /// The sender that a frame claims, where that is not the actor.
    claimed: Option<MemberName>,
    /// The number that the sender gave the frame.
    seq: u64,
}

/// Who gives an input.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Actor {
    Member(MemberIndex),
    /// A frame whose sender nobody vouches for.
    Unidentified,
    Clock,
    Host,
    Transport,
}

impl Engine {
    /// Makes an engine.
    ///
    /// # Errors
    /// [`ProtocolError::Config`] when the configuration makes no sense.
    pub fn new(
        now: Timestamp,
        config: Config,
        ids: Box<dyn IdSource>,
    ) -> Result<Self, ProtocolError> {
        config.check()?;
        let kinds = config.kind_table()?;
        let roster = Roster::new(&config).ok_or_else(|| {
            crate::config::ConfigError::SelfNotListed { name: config.member.clone() }
        })?;
        let mut engine = Self {
            now,
            kinds,
            ids: Ids::new(ids),
            recorder: Recorder { on: config.journal, ..Recorder::default() },
            swept: false,
            touched: false,
            roster,
            ledger: Ledger::new(config.incarnation.nonce(), config.limits.remembered_per_member),
            deadlines: DeadlineQueue::default(),
            gate: Gate::default(),
            sections: Sections::default(),
            audit: Audit::new(config.limits.audit_entries),
            effects: VecDeque::new(),
            seq: 0,
            round: 0,
            sent: VecDeque::new(),
            closed: false,
            actor: Actor::Host,
            marks: Vec::new(),
            about: About::default(),
            config,
        };
        engine.touched = true;
        let told = engine.write_down(|| Call::Open { config: Cow::Borrowed(&engine.config) });
        engine.record(&Begun { effects: 0, audit: engine.recorder.audit }, told);
        Ok(engine)
    }

    // ---- read ----

    /// The member this engine speaks for.
    #[must_use]
    pub const fn member(&self) -> &MemberName {
        &self.config.member
    }

    /// Which life of that member.
    #[must_use]
    pub const fn incarnation(&self) -> Incarnation {
        self.config.incarnation
    }

    /// The bounds this engine keeps.
    #[must_use]
    pub const fn limits(&self) -> &crate::config::Limits {
        &self.config.limits
    }

    /// The kinds of requests that there are.
    #[must_use]
    pub const fn kinds(&self) -> &KindTable {
        &self.kinds
    }

    /// The role of that member.
    #[must_use]
    pub fn role(&self) -> Role {
        self.roster.get(self.roster.me()).map_or(Role::Worker, |me| me.role)
    }

    /// Whether this member may still take on anything: `active`, `leaving` or `left`.
    #[must_use]
    pub fn presence(&self) -> Liveness {
        self.roster.get(self.roster.me()).map_or(Liveness::Left, |me| me.presence)
    }

    /// The last audit entries, oldest first; how many stay is a limit of the configuration.
    pub fn audit(&self) -> impl Iterator<Item = &AuditEntry> {
        self.audit.iter()
    }

    // ---- out ----

    /// The next thing to do. Drain them all after each input, and deliver them afterwards.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When to call [`handle_deadline`](Self::handle_deadline) at the latest. With many open
    /// requests it may be early; the call then does nothing.
    #[must_use]
    pub fn poll_deadline(&self) -> Option<Timestamp> {
        self.deadlines.earliest()
    }

    // ---- inside ----

    /// Starts an input: moves time forward and lets what is due happen first.
    fn begin(&mut self, now: Timestamp, actor: Actor) -> Begun {
        let begun = Begun { effects: self.effects.len(), audit: self.audit.next_seq() };
        (self.swept, self.touched) = (false, false);
        self.ids.forget();
        self.now = self.now.max(now);
        self.marks.clear();
        self.about = About::default();
        self.actor = Actor::Clock;
        self.sweep();
        self.actor = actor;
        begun
    }

    /// What messages are judged by.
    const fn rulebook(&self) -> Rulebook<'_> {
        Rulebook { kinds: &self.kinds, limits: &self.config.limits }
    }

    /// What the table says of a kind; of one that it does not list, the least.
    fn terms(&self, kind: &Kind) -> Terms {
        self.kinds.find(kind).map(KindRules::terms).unwrap_or_default()
    }

    /// Every role of this member.
    fn roles(&self) -> Roles {
        self.roster.get(self.roster.me()).map_or(Roles::NONE, |me| me.roles)
    }

    fn event(&mut self, event: Event) {
        self.effects.push_back(Effect::Event(event));
    }

    /// An entry for the audit that tells what kind of thing it is, and who did it.
    fn entry(&self, verdict: Verdict) -> AuditEntry {
        let actor = match self.actor {
            Actor::Member(index) => {
                self.roster.get(index).map_or("unidentified", |member| member.name.as_str())
            }
            Actor::Unidentified => "unidentified",
            Actor::Clock => "clock",
            Actor::Host => "host",
            Actor::Transport => "transport",
        };
        let marks = self.marks.clone();
        AuditEntry { marks, ..AuditEntry::new(self.now, actor, verdict) }
    }

    fn note_refusal(&mut self, error: &ProtocolError) {
        self.note_about(Verdict::Refused, error.code(), error.path());
    }

    /// Notes what the present input was about.
    fn note_about(&mut self, verdict: Verdict, code: &'static str, reason: Option<&str>) {
        let About { message, request_id, claimed, seq: _ } = std::mem::take(&mut self.about);
        let (from, to) = match self.actor {
            Actor::Member(from) => {
                (claimed.or_else(|| Some(self.name_of(from))), Some(self.config.member.clone()))
            }
            Actor::Unidentified => (claimed, Some(self.config.member.clone())),
            Actor::Clock | Actor::Host | Actor::Transport => (None, None),
        };
        let (code, reason) = (Some(code), reason.map(str::to_owned));
        let entry = self.entry(verdict);
        self.audit.push(AuditEntry { code, message, request_id, from, to, reason, ..entry });
    }

    /// The present call is about this request.
    fn about_request(&mut self, slot: usize) {
        self.about.request_id = self.ledger.get(slot).map(|entry| entry.id.clone());
    }

    fn name_of(&self, index: MemberIndex) -> MemberName {
        self.roster
            .get(index)
            .map_or_else(|| self.config.member.clone(), |member| member.name.clone())
    }
}
