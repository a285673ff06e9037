//! One call for all workers: each is asked by a request of its own.

use std::borrow::Cow;

use super::ledger::{Content, Lineage};
use super::record::Call;
use super::{AskOptions, Checked, Engine, Refusable};
use crate::error::{NotNow, ProtocolError};
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::message::{Kind, Liveness, Message, Roles, ShutdownRequest, Timing};
use crate::time::Timestamp;
use crate::validate::{self, Origin, Target};

/// What [`Engine::shutdown_all`] did about one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerAsked {
    /// The worker.
    pub member: MemberName,
    /// How alive it was when it came to its turn.
    pub liveness: Liveness,
    /// The request, or why there is none.
    pub asked: Asking,
}

/// What became of asking one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// It is asked now.
    New(RequestId),
    /// It was asked before and has not answered: that request goes on, with its own limits.
    Pending(RequestId),
    /// It has agreed to that request before, and is leaving.
    Agreed(RequestId),
    /// It cannot be asked: it has left, is lost, or has too much open.
    Refused(ProtocolError),
}

impl Asking {
    /// The name that programs see.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::New(_) => "new",
            Self::Pending(_) => "pending",
            Self::Agreed(_) => "agreed",
            Self::Refused(_) => "refused",
        }
    }

    /// The request by which the worker is asked.
    #[must_use]
    pub const fn request_id(&self) -> Option<&RequestId> {
        match self {
            Self::New(id) | Self::Pending(id) | Self::Agreed(id) => Some(id),
            Self::Refused(_) => None,
        }
    }
}

impl Engine {
    /// Asks every worker to leave, each by a request of its own, and says of each what became of
    /// it; nobody is left out. One that cannot be asked does not keep the others from being asked.
    ///
    /// # Errors
    /// When this member may ask nobody to leave, or the reason or the limits break a rule: then
    /// nobody was asked.
    pub fn shutdown_all(
        &mut self,
        now: Timestamp,
        reason: Option<String>,
        options: AskOptions,
    ) -> Refusable<Vec<WorkerAsked>> {
        let told = self.write_down(|| Call::ShutdownAll {
            reason: reason.as_deref().map(Into::into),
            options: Cow::Borrowed(&options),
        });
        self.command(now, told, |engine| {
            engine.check_shutdown(reason.clone(), &options)?;
            let leavers = engine.leavers();
            let workers = engine.roster.iter().filter(|(_, member)| leavers.meets(member.roles));
            let workers: Vec<MemberIndex> = workers.map(|(index, _)| index).collect();
            let asked = |index| engine.shutdown_one(index, reason.clone(), options.clone());
            Ok(workers.into_iter().map(asked).collect())
        })
    }

    fn shutdown_one(
        &mut self,
        index: MemberIndex,
        reason: Option<String>,
        options: AskOptions,
    ) -> WorkerAsked {
        let member = self.name_of(index);
        let known = self.roster.get(index);
        let liveness = known.map_or(Liveness::Left, |member| member.liveness(self.now));
        let asked = match self.shutdown_agreed(member.as_str()) {
            Some(id) => Asking::Agreed(id),
            None => match self.ask(member.as_str(), Content::Shutdown { reason }, options) {
                Ok(id) => Asking::New(id),
                Err(error) => match *error {
                    ProtocolError::NotNow(NotNow::AlreadyPending { request_id }) => {
                        Asking::Pending(request_id)
                    }
                    error @ (ProtocolError::NotNow(_)
                    | ProtocolError::Decode(_)
                    | ProtocolError::Invalid(_)
                    | ProtocolError::Misuse(_)
                    | ProtocolError::Config(_)
                    | ProtocolError::Restore(_)) => {
                        self.note_refusal(&error);
                        Asking::Refused(error)
                    }
                },
            },
        };
        WorkerAsked { member, liveness, asked }
    }

    /// What would be wrong with the request whomever it went to.
    fn check_shutdown(&self, reason: Option<String>, options: &AskOptions) -> Checked<()> {
        let (timeout, cap) = self.limits_of(&Kind::SHUTDOWN, options);
        if let Some(escalation) = &options.escalate {
            self.check_escalation(escalation, self.terms(&Kind::SHUTDOWN), &Lineage::default())?;
        }
        let timing = Timing { timeout_ms: Some(timeout), cap_ms: Some(cap) };
        // No request has this id: the message is judged and thrown away.
        let request_id = RequestId::from_random(0);
        let message =
            Message::ShutdownRequest(ShutdownRequest { request_id, reason, follows: None, timing });
        let to = Target::Member(self.leavers());
        validate::check(message, Origin::Own, self.roles(), to, self.rulebook())?;
        Ok(())
    }

    /// Who may be asked to leave.
    fn leavers(&self) -> Roles {
        self.kinds.find(&Kind::SHUTDOWN).map_or(Roles::NONE, |rules| rules.decided_by)
    }
}
