//! Texts that do not get through.
//!
//! A text is sent once, and nobody answers for it; so what is known of its end is told. A text to
//! a member that is leaving, gone or lost is refused when it is said, and its writer knows at
//! once. One that the transport could not send is told to its writer by an event, and to the lead
//! by a message with the beginning of the text: somebody waits for these words, and the lead is
//! who can do something about it. Whether a text that was handed over was read by a life that
//! ended meanwhile, nobody can know; it is not told as undelivered.

use serde::Serialize;

use super::receive::Stop;
use super::{Disposition, Engine};
use crate::effect::{Event, UndeliverableEvent};
use crate::ids::MemberIndex;
use crate::journal::Noted;
use crate::message::{Body, Cause, Message, Undeliverable};
use crate::stored::from_store;

/// A frame that was handed to the transport.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Sent {
    seq: u64,
    to: MemberIndex,
    /// How the text begins that it carried.
    excerpt: Option<String>,
}

from_store!(struct Sent { seq, to, excerpt });

impl Engine {
    /// Remembers a frame for a while: the transport may tell later that it could not send it.
    pub(super) fn remember_sent(&mut self, to: MemberIndex, body: &Body) {
        if self.sent.len() >= SENT_REMEMBERED {
            self.sent.pop_front();
        }
        let excerpt = match body {
            Body::Text(text) => Some(excerpt(text)),
            Body::Structured(_) => None,
        };
        self.sent.push_back(Sent { seq: self.seq, to, excerpt });
    }

    /// Tells that a frame was not sent: nobody but the host, or with a text the lead too. Returns
    /// whom it was for. A text is told of once.
    pub(super) fn not_sent(&mut self, seq: u64) -> Option<MemberIndex> {
        let sent = self.sent.iter_mut().find(|sent| sent.seq == seq)?;
        let (to, excerpt) = (sent.to, sent.excerpt.take());
        if excerpt.is_none() {
            return Some(to);
        }
        let (lead, cause) = (self.roster.lead(), Cause::SendFailed);
        let (from, name) = (self.config.member.clone(), self.name_of(to));
        // The lead cannot be reached by a text just now, or is who is told here.
        if lead != to && lead != self.roster.me() && self.refuse_absent(lead).is_ok() {
            let message = Undeliverable { to: name.clone(), excerpt: excerpt.clone(), cause };
            self.post_message(lead, Message::Undeliverable(message));
        }
        let event = UndeliverableEvent { from, to: name, excerpt, cause };
        self.event(Event::Undeliverable(event));
        Some(to)
    }

    /// A member tells that a text of its own did not get through.
    pub(super) fn undeliverable_from(
        &mut self,
        from: MemberIndex,
        message: Undeliverable,
    ) -> Result<Disposition, Stop> {
        let Undeliverable { to, excerpt, cause } = message;
        let from = self.name_of(from);
        self.event(Event::Undeliverable(UndeliverableEvent { from, to, excerpt, cause }));
        Ok(Disposition::Noted(Noted::Undeliverable))
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Two lines on a screen: enough to recognise a text by.
const EXCERPT_CHARS: usize = 160;

/// More frames than any transport keeps back before it says that it cannot send them.
const SENT_REMEMBERED: usize = 256;
