//! Strict, typed handshakes for teams of LLM agents.
//!
//! A team is a set of named members that exchange messages over some transport. Each member has
//! one [`Engine`]. It turns what the member wants to say into valid protocol messages, judges
//! every message that arrives, keeps the ledger of open requests, watches deadlines, and tells
//! its host what to do next. One pattern carries every protocol: **request → decision →
//! execution feedback**.
//!
//! ```text
//!            commands ──────────────┐
//!                                   ▼
//!  frame ─▶ decode ─▶ validate ─▶ Engine ─▶ transition ─▶ effects ─▶ binding ─▶ host
//!           wire      validate      │         request       effect     wasm
//!                                   ├─ ledger: the one place with request state
//!  time  ─▶ deadlines ──────────────┘
//! ```
//!
//! The core is sans-IO: it reads no clock, draws no randomness and talks to no network. The host
//! does, and keeps one law: **after each input drain all effects, then read the next deadline.**
//!
//! ```
//! use team_protocols::{
//!     AskOptions, Config, Effect, Engine, Event, Incarnation, MemberConfig, MemberName, Response,
//!     Role, SeededIds, Sender, Status, Timestamp,
//! };
//!
//! let now = Timestamp::from_ms(1_000);
//! let member = |name: &str, role| MemberConfig::new(MemberName::parse(name).unwrap(), role);
//! let team = vec![member("team-lead", Role::Lead), member("alice", Role::Worker)];
//! let engine = |name: &str, nonce| {
//!     let name = MemberName::parse(name).unwrap();
//!     let config = Config::new(name, Incarnation::new(now, nonce), team.clone());
//!     Engine::new(now, config, Box::new(SeededIds::new("an example"))).unwrap()
//! };
//! let (mut lead, mut alice) = (engine("team-lead", 1), engine("alice", 2));
//!
//! // The lead asks; its host hands the frame to the transport.
//! let why = Some("work is done".to_owned());
//! let id = lead.request_shutdown(now, "alice", why, AskOptions::default()).unwrap();
//! let Some(Effect::Send(frame)) = lead.poll_effect() else { panic!("a frame to send") };
//!
//! // Alice's host takes it in, and alice agrees.
//! alice.handle_frame(now, &frame.frame, Sender::Channel("team-lead"));
//! let Some(Effect::Event(Event::Request(request))) = alice.poll_effect() else { panic!() };
//! let yes = Response { approve: true, ..Response::default() };
//! alice.respond(now, request.request_id.as_str(), yes).unwrap();
//! let Some(Effect::Send(answer)) = alice.poll_effect() else { panic!("an answer to send") };
//!
//! // The answer settles the request.
//! lead.handle_frame(now, &answer.frame, Sender::Channel("alice"));
//! assert_eq!(lead.outcome_of(id.as_str()).unwrap().status, Status::Approved);
//! ```

mod authority;
mod config;
mod deadline;
mod effect;
mod engine;
mod error;
mod gate;
mod ids;
mod journal;
mod member;
mod message;
mod request;
mod snapshot;
mod stored;
mod time;
mod validate;
mod waits;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
mod wire;

pub use crate::authority::{Approval, AuthorityError, KindError, KindRules, KindTable};
pub use crate::config::{BooleanPolicy, Config, ConfigError, Limits, MemberConfig, TimingConfig};
pub use crate::deadline::DeadlineKind;
pub use crate::effect::{
    Alarm, AlarmEvent, ClosedEvent, DrainEvent, Effect, EscalationEvent, Event, FollowsView,
    Holding, IdleEvent, JournalLine, LivenessEvent, MessageEvent, Outcome, ProgressEvent, Refused,
    ReminderEvent, ReopenedEvent, ReportEvent, RequestEvent, Send, UndeliverableEvent, VoteEvent,
    VoteView, Waiting, WorkEvent, WorkFailedEvent,
};
pub use crate::engine::{
    AskOptions, Asking, Disposition, Engine, Escalation, FollowSpec, MemberView, Obligation,
    Refusable, RequestView, Response, Restored, Saved, SectionId, SectionPolicy, Sender, StageSpec,
    StateHash, ToolOutcome, WorkerAsked,
};
pub use crate::error::{
    CodeInfo, EscalationError, Family, FollowError, Lang, LineageError, Misuse, NotNow,
    ProtocolError, RULES, catalogue, explain_code,
};
pub use crate::gate::{Denied, Permit};
pub use crate::ids::{
    IdSource, Incarnation, MAX_NAME_LENGTH, MAX_REQUEST_ID_LENGTH, MemberIndex, MemberName,
    NameError, RequestId, RequestIdError, SeededIds,
};
pub use crate::journal::{AuditEntry, DropReason, Noted, Verdict};
pub use crate::message::{
    Action, Attempt, Body, Cancel, Cause, Choice, Details, Digest, Envelope, EscalationStep,
    ExecutionReport, Exited, Follows, Idle, Kind, KindNameError, KindRequest, KindResponse, Link,
    Liveness, MAX_KIND_LENGTH, Message, Payload, Plan, PlanApprovalRequest, PlanApprovalResponse,
    Probe, Progress, Receipt, Received, Recipient, Reminder, Reopen, Role, Roles, ScopeEntry,
    ScopeError, SettleCode, Settled, ShutdownRequest, ShutdownResponse, Status, Timing,
    Undeliverable, Uses, WIRE_VERSION, Wait, WorkCause, is_blank,
};
pub use crate::request::PauseError;
pub use crate::snapshot::RestoreError;
pub use crate::time::{Millis, Timestamp};
pub use crate::validate::{
    InvalidMessage, Origin, Rulebook, StageError, Target, Valid, check, nearest_name,
};
pub use crate::wire::{
    DecodeError, Decoded, Head, JsonType, Note, Object, RawBody, Shape, Syntax, ToolCall,
    ToolMessage, decode_envelope, decode_message, decode_payload, decode_plan, decode_tool_call,
    encode, looks_like_protocol,
};

/// The life of one request, apart from any engine: its states, and the pure transition function.
pub mod fsm {
    pub use crate::request::{
        Action, Answer, Asked, Ballot, Clocks, Context, Decider, Feedback, Input, Owed, Panel,
        PauseError, Rejection, Settlement, Stage, Standing, State, Step, Vote, WorkInput,
        WorkReport, WorkState, transition, work_transition,
    };
}
