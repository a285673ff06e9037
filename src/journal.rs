//! What happened, in order: one audit entry for every accept, settlement, drop, refusal, alarm.
//!
//! Owns the dispositions of arriving frames and the bounded audit trail. Imports `ids`,
//! `message`, `time` and how `wire` writes JSON.

pub(crate) mod line;

use std::collections::VecDeque;

use serde::Serialize;

use crate::ids::{MemberName, RequestId};
use crate::message::{Attempt, Cause, Kind, Status};
use crate::time::Timestamp;
use crate::wire::json;

/// Why a well-formed frame changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// It answers or concerns a request that we do not know.
    Orphan,
    /// The request had ended before it came.
    Late,
    /// The same was said before.
    Duplicate,
    /// The opposite was decided before.
    Conflicting,
    /// Its sender or its addressee is a former life.
    StaleIncarnation,
    /// It is older than what we remember of its sender.
    StaleFrame,
    /// Its sender is a life that nobody announced.
    Unannounced,
    /// It claims another sender than the transport says.
    Forged,
    /// The transport does not say who sent it.
    Unidentified,
    /// Its sender is not in the team.
    UnknownSender,
    /// Its sender has left.
    SenderLeft,
    /// It is addressed to somebody else.
    Misaddressed,
    /// It is a structured message to everyone.
    Broadcast,
    /// It comes from ourselves.
    FromSelf,
    /// It answers a request that was addressed to somebody else.
    WrongResponder,
    /// It answers a request of another kind.
    WrongKind,
    /// It decides on another plan than the one we asked about.
    DigestMismatch,
    /// It reports on work that was not approved.
    Unapproved,
    /// It reopens a request that was not rejected, or was decided anew since.
    NotRejected,
    /// It only repeats what was said, and its sender repeats itself beyond the bound.
    Throttled,
    /// We have left; nothing reaches us any more.
    ReceiverLeft,
}

/// What a frame was good for, where it changes no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// Chat.
    Chat,
    /// Progress.
    Progress,
    /// A sign of life.
    SignOfLife,
    /// The member is idle still: the host knows, and nothing has changed.
    IdleAgain,
    /// A request that we know; where we had answered it, the answer was sent again.
    AskedAgain,
    /// The execution report of approved work.
    Report,
    /// The member has left.
    Exit,
    /// The outcome of a request that this member had decided the same way, with others.
    Confirmed,
    /// The end of a request that has not arrived: when it comes, it is late.
    EndedEarly,
    /// A plan that was rejected may be asked about once more.
    Reopened,
    /// A text of the member's did not get through.
    Undeliverable,
    /// A search for a deadlock: it goes on from here.
    Probe,
    /// A search for a deadlock: there is none this way.
    ProbeEnded,
}

/// What became of an arriving frame: always exactly one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disposition<E> {
    /// A new request: this member must answer it.
    Accepted(RequestId),
    /// It settled a request of ours, or closed one of theirs.
    Settled(RequestId),
    /// It is a vote of one of several approvers; the request is not settled by it.
    VoteRecorded(RequestId),
    /// It changed no request.
    Noted(Noted),
    /// It was dropped.
    Dropped(DropReason),
    /// It was refused as malformed or against the rules.
    Refused(E),
}

/// What kind of thing an audit entry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A request was registered, ours or theirs.
    Accepted,
    /// This member answered.
    Answered,
    /// A request ended.
    Settled,
    /// Something came in that changes no request.
    Noted,
    /// A frame was dropped.
    Dropped,
    /// A frame or a call was refused.
    Refused,
    /// An alarm was raised.
    Alarm,
    /// A request that is asked again by itself went a step on.
    Escalated,
}

/// One entry of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Numbered from 1 without gaps.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub seq: u64,
    /// When (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub at: Timestamp,
    /// Who did it: a member by the word of the transport, `clock`, `host`, `transport`, or
    /// `unidentified`.
    pub actor: String,
    /// What kind of thing this is.
    pub verdict: Verdict,
    /// The code of a drop, refusal or alarm; what a noted frame was good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub code: Option<&'static str>,
    /// The request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub kind: Option<Kind>,
    /// The `type` of the message; `text` for chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub message: Option<&'static str>,
    /// Who said it, as the message has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub from: Option<MemberName>,
    /// To whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub to: Option<MemberName>,
    /// Where the request stood.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub was: Option<Status>,
    /// Where it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub status: Option<Status>,
    /// The reason or feedback given; with a refusal, the field that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// Who or what settled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cause: Option<Cause>,
    /// Of a request that is asked again by itself: how often it was, and when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub attempt: Option<Attempt>,
    /// How input was bent to fit, or on whose word it was believed: `coerced`, `claimed_sender`,
    /// `unknown_field` and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string[]"))]
    pub marks: Vec<&'static str>,
}

/// The last entries, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    entries: VecDeque<AuditEntry>,
    next_seq: u64,
    limit: usize,
}

impl AuditEntry {
    /// An entry that tells only what and when; the audit numbers it.
    pub(crate) fn new(at: Timestamp, actor: &str, verdict: Verdict) -> Self {
        Self {
            seq: 0,
            at,
            actor: actor.to_owned(),
            verdict,
            code: None,
            request_id: None,
            kind: None,
            message: None,
            from: None,
            to: None,
            was: None,
            status: None,
            reason: None,
            cause: None,
            attempt: None,
            marks: Vec::new(),
        }
    }

    /// The entry as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::to_string(self)
    }
}

impl Audit {
    pub(crate) fn new(limit: usize) -> Self {
        Self { entries: VecDeque::new(), next_seq: 1, limit }
    }

    /// Numbers an entry and keeps it; beyond the limit the oldest goes.
    pub(crate) fn push(&mut self, mut entry: AuditEntry) {
        entry.seq = self.next_seq;
        self.next_seq += 1;
        if self.entries.len() >= self.limit {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    /// The number of the next entry.
    pub(crate) const fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The next entry has this number.
    pub(crate) const fn go_on_from(&mut self, next_seq: u64) {
        self.next_seq = next_seq;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &AuditEntry> {
        self.entries.iter()
    }
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 21] = [
        Self::Orphan,
        Self::Late,
        Self::Duplicate,
        Self::Conflicting,
        Self::StaleIncarnation,
        Self::StaleFrame,
        Self::Unannounced,
        Self::Forged,
        Self::Unidentified,
        Self::UnknownSender,
        Self::SenderLeft,
        Self::Misaddressed,
        Self::Broadcast,
        Self::FromSelf,
        Self::WrongResponder,
        Self::WrongKind,
        Self::DigestMismatch,
        Self::Unapproved,
        Self::NotRejected,
        Self::Throttled,
        Self::ReceiverLeft,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Orphan => "orphan",
            Self::Late => "late",
            Self::Duplicate => "duplicate",
            Self::Conflicting => "conflicting",
            Self::StaleIncarnation => "stale_incarnation",
            Self::StaleFrame => "stale_frame",
            Self::Unannounced => "unannounced_life",
            Self::Forged => "forged",
            Self::Unidentified => "unidentified",
            Self::UnknownSender => "unknown_sender",
            Self::SenderLeft => "sender_left",
            Self::Misaddressed => "misaddressed",
            Self::Broadcast => "broadcast_frame",
            Self::FromSelf => "from_self",
            Self::WrongResponder => "wrong_responder",
            Self::WrongKind => "wrong_kind",
            Self::DigestMismatch => "digest_mismatch",
            Self::Unapproved => "unapproved",
            Self::NotRejected => "not_rejected",
            Self::Throttled => "throttled",
            Self::ReceiverLeft => "receiver_left",
        }
    }
}

impl Noted {
    /// The name that programs see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Progress => "progress",
            Self::SignOfLife => "sign_of_life",
            Self::IdleAgain => "idle_again",
            Self::AskedAgain => "asked_again",
            Self::Report => "report",
            Self::Exit => "exit",
            Self::Confirmed => "confirmed",
            Self::EndedEarly => "ended_early",
            Self::Reopened => "reopened",
            Self::Undeliverable => "undeliverable",
            Self::Probe => "probe",
            Self::ProbeEnded => "probe_ended",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_when_old_entries_go() {
        let mut audit = Audit::new(2);
        for at in 1..=3 {
            audit.push(AuditEntry::new(Timestamp::from_ms(at), "host", Verdict::Noted));
        }
        let seqs: Vec<u64> = audit.iter().map(|entry| entry.seq).collect();
        assert_eq!(seqs, [2, 3]);
    }

    #[test]
    fn an_entry_is_one_line_and_leaves_out_what_it_does_not_know() {
        let mut entry = AuditEntry::new(Timestamp::from_ms(7), "clock", Verdict::Settled);
        entry.reason = Some("two\nlines".into());
        let line = r#"{"seq":0,"at":7,"actor":"clock","verdict":"settled","reason":"two\nlines"}"#;
        assert_eq!(entry.to_json(), line);
    }

    #[test]
    fn codes_of_drops_are_unique() {
        let codes: std::collections::BTreeSet<_> = DropReason::ALL.map(DropReason::code).into();
        assert_eq!(codes.len(), DropReason::ALL.len());
    }
}
