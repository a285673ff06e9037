//! English: why a request may not go on from earlier ones.

use crate::error::render::quoted;
use crate::error::{FollowError, LineageError};

pub(super) fn message(error: &LineageError) -> String {
    match error {
        LineageError::AlreadyRejected { request_id, reason } => {
            let id = quoted(request_id.as_str());
            match reason {
                Some(reason) => format!("the same plan was rejected as {id}: {}", quoted(reason)),
                None => format!("the same plan was rejected as {id}"),
            }
        }
        LineageError::CannotFollow { request_id, link, why } => {
            let (id, link) = (quoted(request_id.as_str()), link.name());
            match why {
                FollowError::Status { status } => {
                    format!("no `{link}` of {id}: it is {}", status.name())
                }
                FollowError::OtherContent => format!("a `{link}` of {id} asks for the same again"),
                FollowError::SameContent => format!("a `{link}` of {id} asks for something else"),
                FollowError::SameJustification => {
                    format!("an earlier `{link}` in the line of {id} said the same")
                }
            }
        }
        LineageError::AppealsExhausted { limit } => {
            format!("{limit} appeals were made, which is the most accepted")
        }
        LineageError::LineageExhausted { limit } => {
            format!("{limit} requests went on from one another, which is the most accepted")
        }
    }
}

pub(super) const fn hint(error: &LineageError) -> &'static str {
    match error {
        LineageError::AlreadyRejected { .. } => {
            "change the plan as the reason says and submit it as a revision, or appeal once with \
             what the decision did not consider"
        }
        LineageError::CannotFollow { .. } => {
            "retry what failed or was refused, appeal only a rejection and with something new, and \
             revise what is not approved; otherwise make a new request"
        }
        LineageError::AppealsExhausted { .. } => {
            "accept the decision, or submit a plan that is changed as the reason says"
        }
        LineageError::LineageExhausted { .. } => {
            "stop asking, and tell the lead in plain text what keeps the request from being settled"
        }
    }
}
