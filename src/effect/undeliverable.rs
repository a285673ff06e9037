//! A text that did not get through.

use serde::Serialize;

use crate::ids::MemberName;
use crate::message::Cause;

/// A text could not be delivered: the member it was for has not read it. Its writer is told, and
/// the lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct UndeliverableEvent {
    /// Who wrote it.
    pub from: MemberName,
    /// Whom it was for.
    pub to: MemberName,
    /// How it begins; a longer text ends here with `…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub excerpt: Option<String>,
    /// Why it did not get through.
    pub cause: Cause,
}
