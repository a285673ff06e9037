//! Frames by hand, for what no engine of ours would send.

use serde_json::{Value, json};
use team_protocols::{Incarnation, Plan, Uses};

use super::{START, life};

/// A frame under construction.
#[derive(Clone, Debug)]
pub(crate) struct Frame(pub(crate) Value);

impl Frame {
    /// A frame from one member to another, numbered high above what its engine has sent.
    pub(crate) fn new(from: &str, from_life: Incarnation, to: &str, message: Value) -> Self {
        Self(json!({
            "v": 1,
            "id": format!("by-hand-{from}"),
            "seq": 500,
            "from": from,
            "from_incarnation": from_life.to_string(),
            "to": to,
            "at": START + 1,
            "message": message,
        }))
    }

    /// One from the worker at this place of a fresh team to the lead.
    pub(crate) fn from_worker(place: u64, from: &str, message: Value) -> Self {
        Self::new(from, life(place), super::LEAD, message)
    }

    /// One from the lead of a fresh team.
    pub(crate) fn from_lead(to: &str, message: Value) -> Self {
        Self::new(super::LEAD, life(0), to, message)
    }

    pub(crate) fn seq(self, seq: u64) -> Self {
        self.with("seq", json!(seq))
    }

    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.0[field] = value;
        self
    }

    pub(crate) fn without(mut self, field: &str) -> Self {
        self.0.as_object_mut().unwrap().remove(field);
        self
    }

    /// Changes a field of the message.
    pub(crate) fn message(mut self, field: &str, value: Value) -> Self {
        self.0["message"][field] = value;
        self
    }

    pub(crate) fn text(&self) -> String {
        self.0.to_string()
    }
}

/// A harmless plan with this scope.
pub(crate) fn scoped(scope: &[&str]) -> Plan {
    Plan {
        title: "tidy up".into(),
        scope: scope.iter().map(|entry| (*entry).to_owned()).collect(),
        steps: vec!["look".into(), "clean".into()],
        risk: "low".into(),
        text: "Remove what nobody uses.".into(),
    }
}

/// A plan that may write below `src`.
pub(crate) fn plan() -> Plan {
    scoped(&["write:src/**"])
}

/// The digest of a plan as text.
pub(crate) fn digest(plan: &Plan, uses: Uses) -> String {
    plan.digest(uses).to_string()
}
