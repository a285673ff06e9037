//! English: what dropped frames and alarms mean.

use crate::effect::Alarm;
use crate::journal::DropReason;

pub(in crate::error) const fn dropped(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Orphan => "the frame concerns a request that this engine does not know",
        DropReason::Late => "the request had ended before the frame came",
        DropReason::Duplicate => "the frame says what was said before",
        DropReason::Conflicting => "the frame contradicts a decision that stands",
        DropReason::StaleIncarnation => {
            "the sender or the addressee is a former life of its member"
        }
        DropReason::StaleFrame => "the frame is older than what is remembered of its sender",
        DropReason::Unannounced => "the sender is a life of its member that nobody announced",
        DropReason::Forged => "the frame names another sender than the transport does",
        DropReason::Unidentified => "the transport does not say who sent the frame",
        DropReason::UnknownSender => "the sender is not in the team",
        DropReason::SenderLeft => "the sender has left the team",
        DropReason::Misaddressed => "the frame is addressed to another member",
        DropReason::Broadcast => "the frame is a structured message to everyone",
        DropReason::FromSelf => "the frame comes from the member that received it",
        DropReason::WrongResponder => "the answer comes from a member that was not asked",
        DropReason::WrongKind => "the frame belongs to another kind of request",
        DropReason::DigestMismatch => "the decision is about another plan than the one submitted",
        DropReason::Unapproved => "the report is about work that was not approved",
        DropReason::NotRejected => "the frame reopens a request that does not stand as rejected",
        DropReason::Throttled => "the sender repeats itself beyond what is answered",
        DropReason::ReceiverLeft => "the receiver has left, or its engine is closed",
    }
}

pub(in crate::error) const fn dropped_hint(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Orphan => {
            "nothing changed; an id that was long over is forgotten, one that never was is a \
             mistake of the sender"
        }
        DropReason::Late => {
            "nothing changed; a sender whose decision came too late is told how the request ended"
        }
        DropReason::Duplicate => "nothing to do: repeats are normal where frames can get lost",
        DropReason::Conflicting => {
            "the first decision stands; ask the sender in plain text what it meant"
        }
        DropReason::StaleIncarnation => {
            "nothing to do; if the member was started again, announce its new life"
        }
        DropReason::StaleFrame => "nothing to do; look at the transport if this happens often",
        DropReason::Unannounced => {
            "find out whether the member was really started again; only then announce the new life"
        }
        DropReason::Forged => {
            "do not act on the content; find out who can write to this channel under that name"
        }
        DropReason::Unidentified => "let the transport name the sender of each frame it hands over",
        DropReason::UnknownSender => "add the member to the team first, if it belongs there",
        DropReason::SenderLeft => "nothing to do; if the member is back, announce its new life",
        DropReason::Misaddressed => "let the transport deliver each frame to its addressee only",
        DropReason::Broadcast => {
            "the sender addresses it to the one member it concerns; only plain text goes to `*`"
        }
        DropReason::FromSelf => "let the transport hand no frame back to its sender",
        DropReason::WrongResponder => "wait for the member that was asked; only its answer counts",
        DropReason::WrongKind => "nothing changed; the sender looks up what that request was about",
        DropReason::DigestMismatch => {
            "keep the gate shut and wait for a decision on the plan as it was submitted"
        }
        DropReason::Unapproved => "ask the sender in plain text what it has done, and look at it",
        DropReason::NotRejected => {
            "nothing changed; what waits or is approved needs no reopening, and other ends can be \
             followed by a retry"
        }
        DropReason::Throttled => {
            "nothing changed; repeats are answered again when the sender has calmed down"
        }
        DropReason::ReceiverLeft => "send nothing more to this member; its work needs another one",
    }
}

pub(in crate::error) const fn alarm(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::WorkerLost => "a worker gives no sign of life and is given up",
        Alarm::Reclaim => "a lost worker held work that somebody must look after",
        Alarm::LostWorkerAlive => "a worker that was given up has spoken again",
        Alarm::LeadSilent => "the lead does not answer",
        Alarm::ApproverSilent => "an approver does not answer",
        Alarm::RequestLoop => "the same question comes again and again",
        Alarm::NotExited => "a member agreed to leave and has not confirmed its exit in time",
        Alarm::LeftDespiteCancel => {
            "a member agreed to leave after the request had ended; it leaves all the same"
        }
        Alarm::ConflictingDecision => "one request was decided twice, and differently",
        Alarm::Forged => dropped(DropReason::Forged),
        Alarm::IdReused => "a second, different request came under the id of a first one",
        Alarm::UnannouncedLife => dropped(DropReason::Unannounced),
        Alarm::SendFailed => "the transport could not send a frame",
        Alarm::Deadlock => {
            "members waited for each other in a circle; a request of this member was given up to \
             break it"
        }
        Alarm::ReportLost => "an execution report was sent several times and never acknowledged",
        Alarm::ReportOverdue => "approved work was not reported in time",
        Alarm::RefusedRepeatedly => "a member refused to leave as often as it was to be asked",
        Alarm::Storm => "a member sends the same over and over again; it gets no answer to repeats",
    }
}

pub(in crate::error) const fn alarm_hint(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::WorkerLost => "look whether its process still runs before you start another",
        Alarm::Reclaim => {
            "take stock of what is listed as held: some of it may be half done; then assign it anew"
        }
        Alarm::LostWorkerAlive => {
            "its former work may be with another member by now: settle who has it before it goes on"
        }
        Alarm::RequestLoop => "find out what keeps it from being settled before it is asked again",
        Alarm::ApproverSilent => "let a person look after it, or name other approvers",
        Alarm::LeadSilent => "wait with what needs the lead, and let a person look after it",
        Alarm::NotExited => "look whether its process still runs; count it as gone only when it is",
        Alarm::LeftDespiteCancel => "plan without this member, or start it again as a new life",
        Alarm::ConflictingDecision => {
            "the first decision stands; clear up in plain text what was meant, ask anew if needed"
        }
        Alarm::Forged => dropped_hint(DropReason::Forged),
        Alarm::IdReused => {
            "the first request stands; let the sender make a new id for every request"
        }
        Alarm::UnannouncedLife => dropped_hint(DropReason::Unannounced),
        Alarm::SendFailed => {
            "look at the transport; what matters is sent again when it is asked for"
        }
        Alarm::Deadlock => {
            "let this member decide on what others wait for, then ask again, or settle in plain text who \
             goes first"
        }
        Alarm::ReportLost => "tell the lead in plain text how the work went",
        Alarm::ReportOverdue => {
            "ask the member how the work stands and expect neither success nor failure until then; \
             a later report still counts"
        }
        Alarm::RefusedRepeatedly => {
            "read the last reason, and decide whether to wait, to ask again later, or to take back \
             what the member holds"
        }
        Alarm::Storm => {
            "look whether its program or the transport is in a loop; new messages still get through"
        }
    }
}
