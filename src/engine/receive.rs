//! A frame comes in: who sent it, which life of whom, seen before?

use super::noise::repeat_of;
use super::record::{Call, Told};
use super::{Actor, Disposition, Engine};
use crate::deadline::Subject;
use crate::effect::{Alarm, Event, MessageEvent};
use crate::error::ProtocolError;
use crate::ids::{Incarnation, MemberIndex, MemberName};
use crate::journal::{DropReason, Noted, Verdict};
use crate::member::{LifeCheck, Repeat};
use crate::message::{Liveness, Recipient};
use crate::validate;
use crate::wire::{self, Head, RawBody};

/// Who sent a frame, by the word of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender<'a> {
    /// The transport vouches for this name.
    Channel(&'a str),
    /// The transport does not know.
    Unknown,
}

/// Why a frame goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Drop(DropReason),
    /// It changes no request, and still it told something for the first time: it is no repeat.
    Told(DropReason),
    Refuse(Box<ProtocolError>),
}

impl Engine {
    /// Takes in one frame. It has exactly one disposition, which is also in the audit trail; a
    /// frame that is dropped or refused changes no request.
    pub fn handle_frame(
        &mut self,
        now: crate::time::Timestamp,
        frame: &str,
        sender: Sender<'_>,
    ) -> Disposition {
        let told = self.write_down(|| {
            let from = match sender {
                Sender::Channel(name) => Some(name.into()),
                Sender::Unknown => None,
            };
            Call::Frame { frame: frame.into(), from }
        });
        let head = wire::decode_envelope(frame, &self.config.limits.clone());
        self.handle_decoded(now, told, head, sender)
    }

    /// Takes in a frame that the binding could not even hand over: its text is larger than the
    /// limit, or no text at all.
    pub fn handle_undecodable(
        &mut self,
        now: crate::time::Timestamp,
        error: wire::DecodeError,
        sender: Sender<'_>,
    ) -> Disposition {
        self.handle_decoded(now, Told::NOTHING, Err(error), sender)
    }

    fn handle_decoded(
        &mut self,
        now: crate::time::Timestamp,
        told: Told,
        head: Result<Head<'_>, wire::DecodeError>,
        sender: Sender<'_>,
    ) -> Disposition {
        let begun = self.begin(now, Actor::Unidentified);
        let result = match head {
            Ok(head) => self.take_in(head, sender),
            Err(error) => {
                self.actor = self.channel_actor(sender);
                Err(Stop::Refuse(error.into()))
            }
        };
        let disposition = self.count_repeat(result);
        self.note_disposition(&disposition);
        self.record(&begun, told);
        disposition
    }

    fn take_in(&mut self, head: Head<'_>, sender: Sender<'_>) -> Result<Disposition, Stop> {
        let from = match self.admit(&head, sender) {
            Ok(from) => from,
            Err(reason) => {
                if let (Actor::Member(from), Some(sort)) = (&self.actor, repeat_of(reason)) {
                    // A storm is not even read.
                    self.refuse_storm(*from, sort)?;
                }
                self.turn_away(head, reason);
                return Err(Stop::Drop(reason));
            }
        };
        let learned = self.heard(from, head.from_incarnation, head.seq);
        let result = self.read(from, head);
        if let (true, Err(_), Some(member)) = (learned, &result, self.roster.get_mut(from)) {
            member.unlearn_life();
        }
        result
    }

    /// Whether the sender may speak to us at all, and who it is.
    fn admit(&mut self, head: &Head<'_>, sender: Sender<'_>) -> Result<MemberIndex, DropReason> {
        if self.closed || self.presence() == Liveness::Left {
            self.actor = self.channel_actor(sender);
            return Err(DropReason::ReceiverLeft);
        }
        let from = self.identify(head, sender)?;
        self.actor = Actor::Member(from);
        if from == self.roster.me() {
            return Err(DropReason::FromSelf);
        }
        self.check_addressee(head)?;
        self.check_sender_life(from, head.from_incarnation)?;
        self.check_repeat(from, head.seq)?;
        Ok(from)
    }

    /// A frame goes no further: the audit learns what it was about. One that repeats a request we
    /// have answered still gets the answer again, for the first one may be lost.
    fn turn_away(&mut self, head: Head<'_>, reason: DropReason) {
        self.about.claimed = head.from;
        let RawBody::Structured(object) = head.body else {
            self.about.message = Some("text");
            return;
        };
        let Ok(decoded) = wire::decode_message(object, self.config.booleans) else { return };
        self.about.message = Some(decoded.message.type_name());
        self.about.request_id = decoded.message.request_id().cloned();
        if let (DropReason::Duplicate, Actor::Member(from)) = (reason, &self.actor) {
            self.answer_repeat(*from, &decoded.message);
        }
    }

    fn read(&mut self, from: MemberIndex, head: Head<'_>) -> Result<Disposition, Stop> {
        self.marks.extend(head.notes.iter().map(wire::Note::code));
        self.about.seq = head.seq;
        match head.body {
            RawBody::Text(text) => {
                self.about.message = Some("text");
                self.chat(from, text)
            }
            RawBody::Structured(object) => {
                let decoded = wire::decode_message(object, self.config.booleans)?;
                self.marks.extend(decoded.notes.iter().map(wire::Note::code));
                self.about.message = Some(decoded.message.type_name());
                self.about.request_id = decoded.message.request_id().cloned();
                self.dispatch(from, decoded.message, head.reminder)
            }
        }
    }

    /// Law 5: identity belongs to the channel.
    fn identify(&mut self, head: &Head<'_>, sender: Sender<'_>) -> Result<MemberIndex, DropReason> {
        let claimed = head.from.as_ref().map(|name| self.roster.find(name));
        let Sender::Channel(channel) = sender else {
            if !self.config.trust_claimed_sender {
                return Err(DropReason::Unidentified);
            }
            self.marks.push("claimed_sender");
            let claimed = claimed.ok_or(DropReason::Unidentified)?;
            return claimed.ok_or(DropReason::UnknownSender);
        };
        let vouched = MemberName::parse(channel).ok().and_then(|name| self.roster.find(&name));
        let vouched = vouched.ok_or(DropReason::UnknownSender)?;
        if claimed.is_some_and(|claimed| claimed != Some(vouched)) {
            self.actor = Actor::Member(vouched);
            self.alarm(Alarm::Forged, vouched, None);
            return Err(DropReason::Forged);
        }
        Ok(vouched)
    }

    fn check_addressee(&self, head: &Head<'_>) -> Result<(), DropReason> {
        let structured = matches!(head.body, RawBody::Structured(_));
        match &head.to {
            Recipient::Everyone if structured => return Err(DropReason::Broadcast),
            Recipient::Everyone => {}
            Recipient::Member(name) if self.roster.find(name) == Some(self.roster.me()) => {}
            Recipient::Member(_) => return Err(DropReason::Misaddressed),
        }
        // A frame that names no life of ours was not meant for us if it is older than we are. Clocks
        // need not agree: what its sender may still wait for counts as new.
        let mine = self.config.incarnation;
        let latest = head.at.after(self.config.timing.timeout);
        let meant = head.to_incarnation.map_or(latest >= mine.started_at(), |life| life == mine);
        if meant { Ok(()) } else { Err(DropReason::StaleIncarnation) }
    }

    fn check_sender_life(
        &mut self,
        from: MemberIndex,
        claimed: Incarnation,
    ) -> Result<(), DropReason> {
        let Some(member) = self.roster.get(from) else { return Err(DropReason::UnknownSender) };
        match member.check_life(claimed) {
            LifeCheck::Known | LifeCheck::First if member.presence == Liveness::Left => {
                Err(DropReason::SenderLeft)
            }
            LifeCheck::Known | LifeCheck::First => Ok(()),
            LifeCheck::Former => Err(DropReason::StaleIncarnation),
            LifeCheck::Unannounced => {
                self.alarm(Alarm::UnannouncedLife, from, None);
                Err(DropReason::Unannounced)
            }
        }
    }

    fn check_repeat(&self, from: MemberIndex, seq: u64) -> Result<(), DropReason> {
        let Some(member) = self.roster.get(from) else { return Err(DropReason::UnknownSender) };
        member.window.check(seq).map_err(|repeat| match repeat {
            Repeat::Stale => DropReason::StaleFrame,
            Repeat::Duplicate => DropReason::Duplicate,
        })
    }

    /// An authentic frame: the sender lives. Whether it taught us which life that is.
    fn heard(&mut self, from: MemberIndex, life: Incarnation, seq: u64) -> bool {
        self.touched = true;
        let now = self.now;
        let Some(member) = self.roster.get_mut(from) else { return false };
        let learned = member.incarnation.is_none();
        member.incarnation.get_or_insert(life);
        member.window.note(seq);
        member.last_heard = Some(now);
        member.breaker.heard();
        let was_lost = member.presence == Liveness::Lost;
        self.deadlines.set(Subject::Member(from.0), member.next_deadline());
        if was_lost {
            self.set_presence(from, Liveness::Suspect);
            self.alarm(Alarm::LostWorkerAlive, from, None);
        }
        learned
    }

    fn chat(&mut self, from: MemberIndex, text: String) -> Result<Disposition, Stop> {
        validate::check_text(&text, &self.config.limits)?;
        let event = MessageEvent {
            from: self.name_of(from),
            looks_like_protocol: wire::looks_like_protocol(&text),
            unanswered: self.unanswered_by(from),
            text,
        };
        self.event(Event::Message(event));
        self.idle_is_news(from);
        Ok(Disposition::Noted(Noted::Chat))
    }

    fn channel_actor(&self, sender: Sender<'_>) -> Actor {
        let Sender::Channel(channel) = sender else { return Actor::Unidentified };
        let name = MemberName::parse(channel).ok();
        let member = name.and_then(|name| self.roster.find(&name));
        member.map_or(Actor::Unidentified, Actor::Member)
    }

    /// What was accepted or settled has its entry already, written where it was done.
    fn note_disposition(&mut self, disposition: &Disposition) {
        match disposition {
            Disposition::Accepted(_) | Disposition::Settled(_) => {}
            Disposition::VoteRecorded(_) => {
                self.note_about(Verdict::Noted, "vote_recorded", None);
            }
            Disposition::Noted(noted) => self.note_about(Verdict::Noted, noted.name(), None),
            Disposition::Dropped(reason) => self.note_about(Verdict::Dropped, reason.code(), None),
            Disposition::Refused(error) => self.note_refusal(error),
        }
    }
}

impl<E: Into<Box<ProtocolError>>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Refuse(error.into())
    }
}
