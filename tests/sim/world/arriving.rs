//! Frames and events: what each was, for the log and for the counts.

use team_protocols::{Alarm, Cause, Disposition, DropReason, Engine, Event, Sender, Status};

use super::World;
use crate::faults::Fault;
use crate::harness::{Packet, verdict};
use crate::laws::events::Arrival;

impl World {
    pub(super) fn meet_due(&mut self, place: usize) {
        let own = &self.members[place].name;
        let engine = self.net.engine(own);
        let local = self.net.local(own);
        let views = engine.team().into_iter().flat_map(|of| [of.asked, of.owed].concat());
        let due = views.filter(|view| view.expires_at.is_some_and(|at| at <= local));
        let due: Vec<_> = due.map(|view| (view.mine, view.status)).collect();
        due.into_iter().for_each(|(mine, status)| self.cover.met(mine, status, "due"));
    }

    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::Alarm(alarm) => {
                self.cover.seen("alarm", alarm.alarm.name());
                match alarm.alarm {
                    Alarm::NotExited | Alarm::ReportLost => {
                        self.cover.met(true, Status::Approved, "due");
                    }
                    Alarm::ReportOverdue => self.cover.met(false, Status::Approved, "due"),
                    _ => {}
                }
            }
            Event::Settled(outcome) => {
                self.cover.seen("cause", outcome.cause.name());
                let input = match outcome.cause {
                    Cause::Member | Cause::Clock => return,
                    Cause::DeadlockBroken => "deadlock",
                    Cause::QuorumUnreachable | Cause::PeerLost => "approver_gone",
                    Cause::SendFailed => "send_failed",
                    Cause::PeerLeft if outcome.status == Status::Approved => "exited",
                    Cause::PeerLeft => "approver_gone",
                    Cause::Leaving | Cause::Closed | Cause::Superseded => "gone",
                };
                self.cover.met(true, Status::Pending, input);
            }
            Event::Closed(closed) => {
                self.cover.seen("cause", closed.cause.name());
                if !matches!(closed.cause, Cause::Member | Cause::Clock) {
                    self.cover.met(false, Status::Pending, "gone");
                }
            }
            _ => {}
        }
    }

    /// A call about a request meets it in the status that it has.
    pub(crate) fn meets(&mut self, place: usize, id: &str, input: &'static str) {
        if let Some(view) = self.engine(place).and_then(|engine| engine.request(id)) {
            self.cover.met(view.mine, view.status, input);
        }
    }

    /// The same for everything approved that is open with a member.
    pub(crate) fn meets_all(&mut self, place: usize, peer: &str, input: &'static str) {
        let team = self.engine(place).map(Engine::team).unwrap_or_default();
        let open = team.into_iter().filter(|of| of.name.as_str() == peer);
        let open = open.flat_map(|of| [of.asked, of.owed].concat());
        for view in open.filter(|view| view.status == Status::Approved) {
            self.cover.met(view.mine, view.status, input);
        }
    }

    /// Hands over a frame on the channel of `channel`.
    pub(crate) fn hand_over(&mut self, packet: &Packet, channel: &str) {
        let honest = channel == packet.from;
        self.take_in(packet, channel, !honest);
    }

    /// Hands over a frame that may not be what its sender sent.
    pub(crate) fn take_in(&mut self, packet: &Packet, channel: &str, tampered: bool) {
        let Some(place) = self.place_of(&packet.to) else { return };
        if !self.members[place].up {
            return self.keep_mail(place, (packet.clone(), channel.to_owned(), tampered));
        }
        if self.members[place].asleep_until > self.now() {
            self.members[place].held.push((packet.clone(), channel.to_owned(), tampered));
            return;
        }
        self.wake(place);
        if !self.members[place].up {
            return self.keep_mail(place, (packet.clone(), channel.to_owned(), tampered));
        }
        let (kind, id, mut status) = parts(&packet.frame);
        if self.fault == Some(Fault::ToldOther) {
            status = Some("rejected");
        }
        let honest = self.fault != Some(Fault::Misjudged);
        match (kind, input_of(kind), id) {
            // That a member has left meets everything that it agreed to leave by.
            ("exited", ..) => self.meets_all(place, &packet.from, "exited"),
            (_, Some(input), Some(id)) => self.meets(place, id, input),
            _ => {}
        }
        let to = packet.to.clone();
        let written = self.written(place);
        let disposition = self.net.deliver(&to, &packet.frame, Sender::Channel(channel));
        self.input(place);
        if self.torn(place, written) {
            return self.judge(place);
        }
        let verdict = if honest { verdict(&disposition) } else { "wrong_kind" };
        self.trace(|| format!("{channel} > {to}: {} = {verdict}", packet.frame));
        match &disposition {
            Disposition::Dropped(reason) => {
                self.cover.seen("dropped", reason.code());
            }
            Disposition::Refused(error) => {
                self.cover.seen("refused", error.code());
            }
            _ => self.cover.seen("taken", verdict),
        }
        let at = self.net.local(&to).as_ms();
        let heard = heard(&disposition);
        let from = packet.from.as_str();
        let arrival = Arrival { from, to: &to, kind, id, status, verdict, at, tampered, heard };
        self.laws.arrived(&arrival);
        self.judge(place);
    }
}

/// The `type`, the request and the status that a frame of ours tells.
fn parts(frame: &str) -> (&str, Option<&str>, Option<&str>) {
    let after = |field: &str| {
        let at = frame.find(field)? + field.len();
        let rest = &frame[at..];
        Some(&rest[..rest.find('"')?])
    };
    let kind = after("\"message\":{\"type\":\"").unwrap_or("text");
    if kind == "text" {
        return (kind, None, None);
    }
    (kind, after("\"request_id\":\""), after("\"status\":\""))
}

fn input_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "shutdown_response" | "plan_approval_response" | "response" => "response",
        "shutdown_request" | "plan_approval_request" | "request" => "asked_again",
        "progress" => "progress",
        "settled" | "cancel" => "told",
        "exited" => "exited",
        "execution_report" => "report",
        "receipt" => "acknowledged",
        "reopen" => "reopened",
        _ => return None,
    })
}

/// Whether a frame came from the life that we know and was new: a sign of life.
fn heard(disposition: &Disposition) -> bool {
    match disposition {
        Disposition::Accepted(_)
        | Disposition::Settled(_)
        | Disposition::VoteRecorded(_)
        | Disposition::Noted(_) => true,
        Disposition::Dropped(reason) => matches!(
            reason,
            DropReason::Orphan
                | DropReason::Late
                | DropReason::Conflicting
                | DropReason::WrongResponder
                | DropReason::WrongKind
                | DropReason::DigestMismatch
                | DropReason::Unapproved
        ),
        Disposition::Refused(error) => error.family().name() == "not_now",
    }
}
