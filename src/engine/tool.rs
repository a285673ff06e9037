//! What a model wrote as tool input, done.

use std::borrow::Cow;

use serde::Serialize;

use super::ledger::{Content, Side};
use super::record::{Call, Told};
use super::{AskOptions, Checked, Engine, Refusable, Response};
use crate::authority::AuthorityError;
use crate::error::NotNow;
use crate::ids::{MemberIndex, RequestId};
use crate::message::{Kind, Recipient, Role};
use crate::time::Timestamp;
use crate::validate::{self, InvalidMessage};
use crate::wire::{self, Note, ToolCall, ToolMessage};

/// What a tool call did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutcome {
    /// The `type` of the message that went out; `text` for chat.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub sent: &'static str,
    /// The request it began, answered or concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
    /// With chat: how many members it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub receivers: Option<usize>,
    /// How the input was bent to fit: `coerced`, `alias`, `unwrapped`, `unknown_field`,
    /// `text_from_summary`, each once.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string[]"))]
    pub notes: Vec<&'static str>,
}

impl Engine {
    /// Does what a model wrote as the input of its message tool: a JSON text in either of the
    /// forms models use. The engine fills in what a model need not know: sender, ids, time,
    /// digest.
    ///
    /// # Errors
    /// What the call it stands for would return, and [`DecodeError`](wire::DecodeError) when the
    /// text cannot be understood with certainty.
    pub fn call_tool(&mut self, now: Timestamp, input: &str) -> Refusable<ToolOutcome> {
        let limits = self.config.limits;
        let call = self.command(now, Told::NOTHING, |engine| {
            Ok(wire::decode_tool_call(input, &limits, engine.config.booleans)?)
        })?;
        let ToolCall { to, message, notes } = call;
        let done = self.do_tool(now, to.as_ref(), message)?;
        Ok(ToolOutcome { notes: codes(&notes), ..done })
    }

    fn do_tool(
        &mut self,
        now: Timestamp,
        to: Option<&Recipient>,
        message: ToolMessage,
    ) -> Refusable<ToolOutcome> {
        let (name, options) = (self.named_receiver(to), AskOptions::default());
        match message {
            ToolMessage::Text { text, .. } => {
                let receivers = Some(self.say(now, &name, &text)?);
                Ok(ToolOutcome { sent: "text", request_id: None, receivers, notes: Vec::new() })
            }
            ToolMessage::ShutdownRequest { reason } => {
                let id = self.request_shutdown(now, &name, reason, options)?;
                Ok(outcome("shutdown_request", Some(id)))
            }
            ToolMessage::PlanApprovalRequest { plan, uses } => {
                self.command(now, Told::NOTHING, |engine| {
                    engine.refuse_elsewhere(&name, "plan_approval_request")
                })?;
                let id = self.submit_plan(now, plan, uses, options)?;
                Ok(outcome("plan_approval_request", Some(id)))
            }
            ToolMessage::ShutdownResponse { request_id, approve, reason, retry_after_ms } => {
                let retry_after = retry_after_ms;
                let response = Response { approve, reason, retry_after, ..Response::default() };
                self.tool_answer(now, to, Some(Kind::SHUTDOWN), request_id, response)
            }
            ToolMessage::PlanApprovalResponse { request_id, approve, feedback } => {
                let response = Response { approve, reason: feedback, ..Response::default() };
                self.tool_answer(now, to, Some(Kind::PLAN_APPROVAL), request_id, response)
            }
            ToolMessage::Request { kind, details } => {
                let id = self.ask_for(now, &kind, &name, details, options)?;
                Ok(outcome("request", Some(id)))
            }
            ToolMessage::Response { request_id, kind, approve, reason, retry_after, payload } => {
                let response = Response { approve, reason, retry_after, payload };
                self.tool_answer(now, to, kind, request_id, response)
            }
            ToolMessage::ExecutionReport { request_id, ok, detail } => {
                let id = self.tool_id(now, Side::Asked, request_id)?;
                let id = self.report(now, &id, ok, detail)?;
                Ok(outcome("execution_report", Some(id)))
            }
            ToolMessage::Progress { request_id, note, busy_for_ms } => {
                self.progress(now, request_id.as_deref(), note, busy_for_ms)?;
                Ok(outcome("progress", None))
            }
            ToolMessage::Cancel { request_id, reason } => {
                let id = self.tool_id(now, Side::Asked, request_id)?;
                let id = self.withdraw_for(now, &id, reason)?;
                Ok(outcome("cancel", Some(id)))
            }
            ToolMessage::Reopen { request_id, reason } => {
                let id = self.tool_id(now, Side::Owed, request_id)?;
                let id = self.reopen(now, &id, reason)?;
                Ok(outcome("reopen", Some(id)))
            }
            ToolMessage::Exited { .. } => self.exit(now).map(|()| outcome("exited", None)),
            ToolMessage::Idle { note } => self.idle(now, note).map(|()| outcome("idle", None)),
        }
    }

    /// Whom a tool call is for; without a recipient that is the lead.
    fn named_receiver(&self, to: Option<&Recipient>) -> String {
        match to {
            Some(Recipient::Member(name)) => name.as_str().to_owned(),
            Some(Recipient::Everyone) => "*".to_owned(),
            None => self.name_of(self.roster.lead()).as_str().to_owned(),
        }
    }

    fn tool_answer(
        &mut self,
        now: Timestamp,
        to: Option<&Recipient>,
        kind: Option<Kind>,
        request_id: Option<String>,
        response: Response,
    ) -> Refusable<ToolOutcome> {
        let message = if kind == Some(Kind::SHUTDOWN) {
            "shutdown_response"
        } else if kind == Some(Kind::PLAN_APPROVAL) {
            "plan_approval_response"
        } else {
            "response"
        };
        let asker = self.command(now, Told::NOTHING, |engine| engine.addressee(to, message))?;
        let id = self.tool_id(now, Side::Owed, request_id)?;
        let told = self.write_down(|| Call::Respond {
            id: id.as_str().into(),
            kind: kind.as_ref().map(Cow::Borrowed),
            response: Cow::Borrowed(&response),
        });
        let id = self.command(now, told, |engine| {
            engine.refuse_other_asker(&id, asker)?;
            if message == "response" {
                engine.refuse_own_messages(&id)?;
            }
            engine.answer(&id, kind, response)
        })?;
        Ok(outcome(message, Some(id)))
    }

    /// An answer must name its request; the refusal lists what is open.
    fn tool_id(&mut self, now: Timestamp, side: Side, id: Option<String>) -> Refusable<String> {
        self.command(now, Told::NOTHING, |engine| {
            id.ok_or_else(|| NotNow::RequestIdMissing { open: engine.open_ids(side, None) }.into())
        })
    }

    /// An answer goes to the member it names, an answer to a shutdown to nobody but the lead.
    /// Returns whom it is for; nobody in particular where the call names nobody.
    fn addressee(
        &self,
        to: Option<&Recipient>,
        message: &'static str,
    ) -> Checked<Option<MemberIndex>> {
        let of_shutdown = message == "shutdown_response";
        if of_shutdown && self.role() == Role::Lead {
            // Nothing that could make a lead send the answer elsewhere: it has none to give.
            let (from, why) = (Role::Lead, AuthorityError::LeadIsNoTarget);
            let rules = self.kinds.find(&Kind::SHUTDOWN);
            let between = rules.map(|rules| (rules.decided_by, rules.asked_by));
            return Err(InvalidMessage::NotAllowed { message, from, to: from, between, why }.into());
        }
        let Some(to) = to else { return Ok(None) };
        let roles = validate::check_target(message, self.target(to.as_str()))?;
        if of_shutdown && !roles.has(Role::Lead) {
            return Err(InvalidMessage::ResponseNotToLead { to: roles.first() }.into());
        }
        self.known_member(to.as_str()).map(Some)
    }

    /// An id of one member's request in an answer to another is a mistake, and nobody knows which
    /// of the two is meant.
    fn refuse_other_asker(&self, id: &str, asker: Option<MemberIndex>) -> Checked<()> {
        let slot = self.resolve(Side::Owed, id)?;
        let other = asker.filter(|asker| self.ledger.get(slot).is_some_and(|e| e.peer != *asker));
        match other {
            Some(asker) => {
                let (found, open) = (id.to_owned(), self.open_ids(Side::Owed, Some(asker)));
                Err(NotNow::UnknownRequest { found, open }.into())
            }
            None => Ok(()),
        }
    }

    /// A `response` does not answer what has an answer of its own.
    fn refuse_own_messages(&self, id: &str) -> Checked<()> {
        let entry = self.ledger.get(self.resolve(Side::Owed, id)?);
        match entry.map(|entry| &entry.content) {
            Some(Content::Shutdown { .. }) => {
                Err(InvalidMessage::OwnMessages { kind: Kind::SHUTDOWN }.into())
            }
            Some(Content::Plan { .. }) => {
                Err(InvalidMessage::OwnMessages { kind: Kind::PLAN_APPROVAL }.into())
            }
            Some(Content::Other { .. }) | None => Ok(()),
        }
    }

    /// A plan goes to the lead, whomever the call names.
    fn refuse_elsewhere(&self, to: &str, message: &'static str) -> Checked<()> {
        let to = validate::check_target(message, self.target(to))?;
        let Some(rules) = self.kinds.find(&Kind::PLAN_APPROVAL) else { return Ok(()) };
        let between = Some((rules.asked_by, rules.decided_by));
        rules.check(self.roles(), to).map_err(|why| {
            let (from, to) = (self.role(), to.first());
            InvalidMessage::NotAllowed { message, from, to, between, why }.into()
        })
    }
}

/// The codes of notes, each once.
fn codes(notes: &[Note]) -> Vec<&'static str> {
    let mut codes = Vec::new();
    for code in notes.iter().map(Note::code) {
        if let Err(place) = codes.binary_search(&code) {
            codes.insert(place, code);
        }
    }
    codes
}

const fn outcome(sent: &'static str, request_id: Option<RequestId>) -> ToolOutcome {
    ToolOutcome { sent, request_id, receivers: None, notes: Vec::new() }
}
