//! Kinds of requests, as JavaScript declares and names them.

use tsify::Tsify;

use super::options::{HOST_LIMITS, flag, flag_or, object};
use crate::authority::{Approval, KindRules};
use crate::engine::{AskOptions, Escalation, FollowSpec, StageSpec};
use crate::message::{Kind, Link, Role, Roles};
use crate::time::Millis;
use crate::wire::{Decode, Fields, Shape, Value, choice, json, kind, texts, wrong_type};

/// A kind of requests beside those that are always there.
#[derive(Tsify)]
#[serde(rename_all = "camelCase")]
pub struct KindOptions {
    /// Its name: a small letter, then `a-z 0-9 _`, 64 characters at most.
    #[tsify(type = "string")]
    pub kind: Kind,
    /// Which roles ask.
    #[tsify(type = "readonly Role[]")]
    pub asked_by: Roles,
    /// Which roles decide; no other member may be addressed.
    #[tsify(type = "readonly Role[]")]
    pub decided_by: Roles,
    /// Whether whoever refuses must say why. Default: `true`.
    #[tsify(optional, type = "boolean | undefined")]
    pub refusal_needs_reason: bool,
    /// What an approval means: `nothing` beyond itself (default), `opens_gate` for the scope of the
    /// request, or `leaves`: the member that approves leaves the team.
    #[tsify(optional, type = "\"nothing\" | \"leaves\" | \"opens_gate\" | undefined")]
    pub approval: Approval,
    /// Whether the requester can do nothing else until it is decided. Default: `true`.
    #[tsify(optional, type = "boolean | undefined")]
    pub blocking: bool,
    /// Whether members may wait for each other in a circle through this kind; deadlocks are then
    /// searched for and broken when they form. Default: `false`, and such a kind is refused.
    #[tsify(optional, type = "boolean | undefined")]
    pub cyclic: bool,
    /// Its idle limit in ms. Default: the common one.
    #[tsify(optional, type = "number | undefined")]
    pub timeout_ms: Option<Millis>,
    /// Its hard limit in ms. Default: the common one.
    #[tsify(optional, type = "number | undefined")]
    pub cap_ms: Option<Millis>,
}

impl KindOptions {
    /// Reads the list of them.
    pub(super) fn read_all(fields: &mut Fields<'_, '_>) -> Decode<Vec<Self>> {
        let Some(value) = fields.optional("kinds") else { return Ok(Vec::new()) };
        let Value::Array(kinds) = value else {
            return Err(wrong_type("options.kinds", Shape::ObjectList, &value));
        };
        let path = |at| format!("options.kinds[{at}]");
        let kinds = kinds.into_iter().enumerate();
        kinds.map(|(at, kind)| Self::read(kind, &path(at))).collect()
    }

    fn read(value: Value<'_>, path: &str) -> Decode<Self> {
        let mut fields = object(value, path)?;
        let kind = Self {
            kind: fields.kind("kind")?,
            asked_by: roles(&mut fields, "askedBy")?,
            decided_by: roles(&mut fields, "decidedBy")?,
            refusal_needs_reason: flag_or(&mut fields, "refusalNeedsReason", true)?,
            approval: fields
                .optional_choice("approval", &Approval::ALL, Approval::name)?
                .unwrap_or_default(),
            blocking: flag_or(&mut fields, "blocking", true)?,
            cyclic: flag(&mut fields, "cyclic")?,
            timeout_ms: fields.optional_millis("timeoutMs")?,
            cap_ms: fields.optional_millis("capMs")?,
        };
        fields.refuse_rest()?;
        Ok(kind)
    }

    /// The row that they stand for.
    pub(super) fn rules(self) -> KindRules {
        let Self {
            kind,
            asked_by,
            decided_by,
            refusal_needs_reason,
            approval,
            blocking,
            cyclic,
            timeout_ms,
            cap_ms,
        } = self;
        KindRules {
            refusal_needs_reason,
            approval,
            blocking,
            cyclic,
            timeout: timeout_ms,
            cap: cap_ms,
            ..KindRules::new(kind, asked_by, decided_by)
        }
    }
}

/// A list of roles; each counts once.
fn roles(fields: &mut Fields<'_, '_>, field: &str) -> Decode<Roles> {
    let names = fields.texts(field)?;
    let path = |at| format!("{}[{at}]", fields.path_of(field));
    let mut roles = Roles::NONE;
    for (at, name) in names.iter().enumerate() {
        roles = roles.and(choice(name, &Role::ALL, Role::name, || path(at))?);
    }
    Ok(roles)
}

/// The name of a kind, in a call.
pub(super) fn kind_of(text: &str) -> Decode<Kind> {
    kind(text, || "kind".to_owned())
}

/// A scope, in a call (JSON).
pub(super) fn scope_of(json: &str) -> Decode<Vec<String>> {
    let value = json::parse(json, &HOST_LIMITS)?;
    texts(value, "scope")
}

/// Who decides, what a request goes on from, and the work that it names (JSON).
pub(super) fn more_of(json: &str) -> Decode<AskOptions> {
    let mut fields = object(json::parse(json, &HOST_LIMITS)?, "")?;
    let options = AskOptions {
        stages: fields.optional("stages").map(stages_of).transpose()?.unwrap_or_default(),
        follows: fields.optional("follows").map(follows_of).transpose()?,
        on_approved: fields.optional_text("onApproved")?,
        compensation: fields.optional_text("compensation")?,
        escalate: fields.optional("escalate").map(escalation_of).transpose()?,
        ..AskOptions::default()
    };
    fields.refuse_rest()?;
    Ok(options)
}

fn stages_of(value: Value<'_>) -> Decode<Vec<StageSpec>> {
    let Value::Array(stages) = value else {
        return Err(wrong_type("stages", Shape::ObjectList, &value));
    };
    let stages = stages.into_iter().enumerate();
    stages.map(|(at, stage)| stage_of(stage, &format!("stages[{at}]"))).collect()
}

fn follows_of(value: Value<'_>) -> Decode<FollowSpec> {
    let mut fields = object(value, "follows")?;
    let follows = FollowSpec {
        request_id: fields.text("requestId")?,
        link: fields.choice("as", &Link::ALL, Link::name)?,
        justification: fields.optional_text("justification")?,
    };
    fields.refuse_rest()?;
    Ok(follows)
}

fn escalation_of(value: Value<'_>) -> Decode<Escalation> {
    let mut fields = object(value, "escalate")?;
    let escalation = Escalation {
        attempts: u32::try_from(fields.integer("attempts", 0)?).unwrap_or(u32::MAX),
        retry_after: fields.optional_millis("retryAfterMs")?,
        longest: fields.optional_millis("longestMs")?,
    };
    fields.refuse_rest()?;
    Ok(escalation)
}

fn stage_of(value: Value<'_>, path: &str) -> Decode<StageSpec> {
    let mut fields = object(value, path)?;
    let stage = StageSpec {
        approvers: fields.texts("approvers")?,
        threshold: usize::try_from(fields.integer("threshold", 0)?).unwrap_or(usize::MAX),
        veto: flag(&mut fields, "veto")?,
    };
    fields.refuse_rest()?;
    Ok(stage)
}
