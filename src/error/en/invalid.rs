//! English: why a message that could be read may not be sent or believed.

use crate::authority::AuthorityError;
use crate::error::Lang;
use crate::error::render::{Part, Topic, list, part, quoted, roles};
use crate::ids::MemberName;
use crate::message::{Role, Roles, ScopeError};
use crate::validate::{InvalidMessage, StageError};

pub(super) fn message(error: &InvalidMessage) -> String {
    match error {
        InvalidMessage::Broadcast { message } => {
            format!("a `{message}` must not go to `*`, it concerns one member")
        }
        InvalidMessage::ToOneself { message } => {
            format!("this `{message}` goes from a member to itself")
        }
        InvalidMessage::UnknownRecipient { name, nearest, roster } => {
            unknown_recipient(name, nearest.as_ref(), roster)
        }
        InvalidMessage::ResponseNotToLead { to } => {
            format!("a worker answers a shutdown to the lead only, this goes to `{}`", to.name())
        }
        InvalidMessage::NotAllowed { message, from, to, between, why } => {
            not_allowed(message, *from, *to, *between, *why)
        }
        InvalidMessage::UnknownKind { kind, nearest } => {
            let nearest = nearest.as_ref().map(|kind| format!("; the nearest is `{kind}`"));
            format!("no kind `{kind}` is declared{}", nearest.unwrap_or_default())
        }
        InvalidMessage::OwnMessages { kind } => {
            format!("`{kind}` has messages of its own: no `request`, no `response`, no `payload`")
        }
        InvalidMessage::ScopeMismatch { kind, gate: true } => {
            format!("an approval of `{kind}` opens a gate, and `scope` does not say for what")
        }
        InvalidMessage::ScopeMismatch { kind, gate: false } => {
            format!("an approval of `{kind}` opens no gate, found `scope` or `uses`")
        }
        InvalidMessage::DigestRequired => {
            "this decision opens a gate and does not say for what: `digest` is missing".to_owned()
        }
        InvalidMessage::InvalidStages { stage, why } => stages(*stage, why),
        InvalidMessage::ReasonRequired { message, path } => {
            format!("a `{message}` that refuses needs a reason in `{path}`, found none")
        }
        InvalidMessage::TextTooLong { path, bytes, limit } => {
            format!("{} has {bytes} bytes, at most {limit} are accepted", quoted(path))
        }
        InvalidMessage::Blank { path } => format!("`{path}` says nothing, expected a visible text"),
        InvalidMessage::InvalidScope { path, why } => {
            format!("{} is no scope entry: {}", quoted(path), scope(*why))
        }
        InvalidMessage::ZeroLimit { path } => {
            format!("`{path}` is 0 ms, expected at least 1: the request would be over at once")
        }
        InvalidMessage::TimeoutOverCap { timeout, cap } => {
            let (timeout, cap) = (timeout.as_ms(), cap.as_ms());
            format!("the idle limit of {timeout} ms is longer than the hard limit of {cap} ms")
        }
    }
}

pub(super) fn hint(error: &InvalidMessage) -> String {
    match error {
        InvalidMessage::Broadcast { message } => broadcast_hint(message),
        InvalidMessage::ToOneself { message } => to_oneself_hint(message),
        InvalidMessage::UnknownRecipient { .. } => {
            "use a name from the list, letter by letter; a member that is not on it is not in the \
             team"
        }
        InvalidMessage::ResponseNotToLead { .. } => {
            "if the lead asked you to leave, address the answer to the lead under that request's \
             id; otherwise send nothing"
        }
        InvalidMessage::NotAllowed { message, from, why, .. } => {
            not_allowed_hint(message, *from, *why)
        }
        InvalidMessage::UnknownKind { .. } => {
            "use a kind that the host of the team has declared; what you only want to say goes as \
             plain text"
        }
        InvalidMessage::OwnMessages { .. } => {
            "use `shutdown_request` or `plan_approval_request`, and their responses"
        }
        InvalidMessage::ScopeMismatch { gate: true, .. } => {
            "list the guarded actions in `scope`, as in `write:src/auth/**`"
        }
        InvalidMessage::ScopeMismatch { gate: false, .. } => "leave `scope` and `uses` out",
        InvalidMessage::DigestRequired => {
            "repeat the digest of what you decided on, or leave the answer to an engine"
        }
        InvalidMessage::InvalidStages { .. } => {
            "name distinct members who may decide, at least one in each stage, and how many of them \
             must say yes; leave `stages` out to ask one member"
        }
        InvalidMessage::ReasonRequired { message, path } => return reason_hint(message, path),
        InvalidMessage::TextTooLong { .. } => {
            "say it shorter, or put the long version where the reader can fetch it and say where"
        }
        InvalidMessage::Blank { .. } => "say it in words that can be seen",
        InvalidMessage::InvalidScope { .. } => {
            "write every entry as `verb:resource` or `verb:folder/**`, as in `write:src/auth/**`, \
             and list only what the plan needs"
        }
        InvalidMessage::ZeroLimit { .. } => "leave the limit out to get the default, or set it",
        InvalidMessage::TimeoutOverCap { .. } => {
            "lower the idle limit or raise the hard limit; leave both out to get the defaults"
        }
    }
    .to_owned()
}

/// What every reader of a scope must know: which part of an entry is wrong.
pub(super) const fn scope(why: ScopeError) -> &'static str {
    match why {
        ScopeError::NoVerb => "expected a verb of `a-z 0-9 _ -` and a colon in front",
        ScopeError::NoResource => "expected a resource after the colon",
        ScopeError::DotSegment => "a segment `.` or `..` means another place than it says",
        ScopeError::EmptySegment => "a segment between two slashes or at the end is empty",
        ScopeError::Wildcard => "`*` is accepted only in a trailing `/**`",
        ScopeError::BadCharacter => "control characters and backslashes are not accepted",
    }
}

fn stages(stage: usize, why: &StageError) -> String {
    match why {
        StageError::Nobody => format!("`stages[{stage}]` names nobody"),
        StageError::Repeated { name } => {
            format!("`stages[{stage}]` names `{name}`, who votes already")
        }
        StageError::Threshold { threshold, most } => {
            format!("`stages[{stage}]` needs {threshold} of {most} votes, expected 1 to {most}")
        }
        StageError::TooMany { limit } => format!("there are more than {limit} stages"),
        StageError::OneDecides => {
            "whoever approves this leaves: one member decides that, and no stages".to_owned()
        }
    }
}

fn unknown_recipient(name: &str, nearest: Option<&MemberName>, roster: &[MemberName]) -> String {
    let roster = list(Lang::En, roster.iter().map(MemberName::as_str));
    let unknown = match name {
        "" => "no recipient is named".to_owned(),
        name => format!("{} is not in the team", quoted(name)),
    };
    match nearest {
        Some(nearest) => {
            format!(
                "{unknown}; the nearest name is {}, members are {roster}",
                quoted(nearest.as_str())
            )
        }
        None => format!("{unknown}; members are {roster}"),
    }
}

fn not_allowed(
    message: &str,
    from: Role,
    to: Role,
    between: Option<(Roles, Roles)>,
    why: AuthorityError,
) -> String {
    let why = match why {
        AuthorityError::MayNotAsk => "the asking side lacks the role",
        AuthorityError::LeadIsNoTarget => "nobody can ask the lead to leave",
        AuthorityError::PeersDoNotDecide => "workers do not decide for each other",
        AuthorityError::MayNotDecide => "the deciding side lacks the role",
    };
    let (from, to) = (from.name(), to.name());
    let rule = between.map_or("another pair of roles".to_owned(), |(from, to)| {
        format!("{} to {}", roles(Lang::En, from), roles(Lang::En, to))
    });
    format!("a `{message}` goes from {rule}, this one from `{from}` to `{to}`: {why}")
}

fn broadcast_hint(message: &str) -> &'static str {
    match part(message) {
        Part::Asks(Topic::Shutdown) => {
            "the lead sends it to each worker by name, one message per worker, as `shutdownAll` does \
             for a host; plain text may go to `*`"
        }
        Part::Asks(Topic::Plan) => "submit the plan to the lead alone; plain text may go to `*`",
        Part::Asks(Topic::Other) => "ask one member at a time, by name; plain text may go to `*`",
        Part::Answers(_) => {
            "an answer goes only to the member whose open request it answers; without such a \
             request send nothing"
        }
        Part::Neither => "send it to the one member it concerns; plain text may go to `*`",
    }
}

fn to_oneself_hint(message: &str) -> &'static str {
    match part(message) {
        Part::Asks(_) => {
            "do not send it: nobody decides on a request of its own; name another member only if \
             you meant that member from the start"
        }
        Part::Answers(_) => "send nothing: nobody answers a request of its own",
        Part::Neither => "send nothing: nobody waits for a message to itself",
    }
}

fn not_allowed_hint(message: &str, from: Role, why: AuthorityError) -> &'static str {
    match (part(message), why) {
        (Part::Answers(_) | Part::Neither, _) if from == Role::Lead => {
            "send nothing and carry on as the lead: no answer is due from you"
        }
        (Part::Answers(_) | Part::Neither, _) => {
            "send nothing: this is not yours to decide; what you want to say goes to the lead as \
             plain text"
        }
        (Part::Asks(Topic::Shutdown), AuthorityError::LeadIsNoTarget) => {
            "do not send it: the lead stays until the host ends the team"
        }
        (Part::Asks(Topic::Shutdown), _) if from == Role::Lead => {
            "do not send it: only workers are asked to leave"
        }
        (Part::Asks(Topic::Shutdown), _) => {
            "tell the lead in plain text what you have noticed; whether to ask is the lead's choice"
        }
        (Part::Asks(Topic::Plan), _) if from == Role::Worker => {
            "submit the plan to the lead and wait for the decision; talk with others in plain text"
        }
        (Part::Asks(Topic::Plan), _) => {
            "only workers submit plans: describe the work to a worker in plain text"
        }
        (Part::Asks(Topic::Other), _) => {
            "do not send it: this kind goes between other roles; plain text may go to anybody"
        }
    }
}

fn reason_hint(message: &str, path: &str) -> String {
    match part(message) {
        Part::Answers(Topic::Plan) => format!(
            "keep your decision and say in `{path}` what the plan must change before it is \
             submitted again"
        ),
        Part::Answers(Topic::Shutdown | Topic::Other) | Part::Asks(_) | Part::Neither => format!(
            "keep your decision and say in `{path}` what blocks and, if you know, when you will be \
             free"
        ),
    }
}
