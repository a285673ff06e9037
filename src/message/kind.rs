//! The words that every room shares.

use serde::Serialize;

use crate::stored::from_store;

/// What a member may do in the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The one that asks for shutdowns and decides on plans.
    Lead,
    /// Does the work; asks for plans to be approved, decides on its own shutdown.
    Worker,
    /// May be named to decide; cannot be shut down.
    Approver,
}

from_store!(enum Role {
    "lead" => Lead,
    "worker" => Worker,
    "approver" => Approver,
});

/// Where a request stands. Everything but `pending` is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not settled.
    Pending,
    /// The other side said yes.
    Approved,
    /// The other side said no.
    Rejected,
    /// Nobody decided in time: not approved, and nobody's decision.
    TimedOut,
    /// Ended without a decision.
    Cancelled,
}

from_store!(enum Status {
    "pending" => Pending,
    "approved" => Approved,
    "rejected" => Rejected,
    "timed_out" => TimedOut,
    "cancelled" => Cancelled,
});

/// The code a settlement carries beside its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum SettleCode {
    /// The deadline passed: the request counts as not approved.
    #[serde(rename = "TIMEOUT_REJECTED")]
    TimeoutRejected,
}

/// Who or what settled a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A member decided or cancelled; the settlement names it.
    Member,
    /// The deadline passed.
    Clock,
    /// The other side left the team.
    PeerLeft,
    /// The other side was given up as lost.
    PeerLost,
    /// The requester itself is leaving.
    Leaving,
    /// The transport could not send the request.
    SendFailed,
    /// The requester's engine was closed.
    Closed,
    /// A revision took its place.
    Superseded,
    /// Too few approvers are left to reach the threshold.
    QuorumUnreachable,
    /// It was part of a circle of members that waited for each other.
    DeadlockBroken,
}

from_store!(enum Cause {
    "member" => Member,
    "clock" => Clock,
    "peer_left" => PeerLeft,
    "peer_lost" => PeerLost,
    "leaving" => Leaving,
    "send_failed" => SendFailed,
    "closed" => Closed,
    "superseded" => Superseded,
    "quorum_unreachable" => QuorumUnreachable,
    "deadlock_broken" => DeadlockBroken,
});

/// How alive a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// Nothing speaks against it.
    Active,
    /// It said that it will be silent for a while.
    Busy,
    /// It agreed to leave and has not confirmed its exit.
    Leaving,
    /// It has left.
    Left,
    /// It shows signs of life and does not answer.
    Suspect,
    /// It shows no sign of life, or has not answered several times in a row.
    Lost,
}

from_store!(enum Liveness {
    "active" => Active,
    "busy" => Busy,
    "leaving" => Leaving,
    "left" => Left,
    "suspect" => Suspect,
    "lost" => Lost,
});

/// What one of several approvers has said, or that it will say nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Yes.
    Approve,
    /// No.
    Reject,
    /// The approver left or was lost without a vote.
    Gone,
}

from_store!(enum Choice {
    "approve" => Approve,
    "reject" => Reject,
    "gone" => Gone,
});

/// What a receipt acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Received {
    /// The request, and with it everything else of that time.
    #[default]
    Request,
    /// The execution report: it need not be sent again.
    Report,
}

impl Received {
    /// Everything a receipt can acknowledge.
    pub const ALL: [Self; 2] = [Self::Request, Self::Report];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Report => "report",
        }
    }

    /// Whether it is what a receipt means that says nothing else.
    pub(crate) const fn is_request(&self) -> bool {
        matches!(self, Self::Request)
    }
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Lead, Self::Worker, Self::Approver];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Worker => "worker",
            Self::Approver => "approver",
        }
    }
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Approved, Self::Rejected, Self::TimedOut, Self::Cancelled];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing can change it any more.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending)
    }

    /// The code that goes with it.
    #[must_use]
    pub const fn code(self) -> Option<SettleCode> {
        match self {
            Self::TimedOut => Some(SettleCode::TimeoutRejected),
            Self::Pending | Self::Approved | Self::Rejected | Self::Cancelled => None,
        }
    }
}

impl SettleCode {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimeoutRejected => "TIMEOUT_REJECTED",
        }
    }
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 10] = [
        Self::Member,
        Self::Clock,
        Self::PeerLeft,
        Self::PeerLost,
        Self::Leaving,
        Self::SendFailed,
        Self::Closed,
        Self::Superseded,
        Self::QuorumUnreachable,
        Self::DeadlockBroken,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Clock => "clock",
            Self::PeerLeft => "peer_left",
            Self::PeerLost => "peer_lost",
            Self::Leaving => "leaving",
            Self::SendFailed => "send_failed",
            Self::Closed => "closed",
            Self::Superseded => "superseded",
            Self::QuorumUnreachable => "quorum_unreachable",
            Self::DeadlockBroken => "deadlock_broken",
        }
    }
}

impl Liveness {
    /// Every degree of it.
    pub const ALL: [Self; 6] =
        [Self::Active, Self::Busy, Self::Leaving, Self::Left, Self::Suspect, Self::Lost];

    /// The name that people and programs see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Busy => "busy",
            Self::Leaving => "leaving",
            Self::Left => "left",
            Self::Suspect => "suspect",
            Self::Lost => "lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire<T: Serialize>(value: T) -> String {
        serde_json::to_string(&value).unwrap().trim_matches('"').to_owned()
    }

    #[test]
    fn names_are_what_goes_out_on_the_wire() {
        Role::ALL.iter().for_each(|v| assert_eq!(v.name(), wire(v)));
        Status::ALL.iter().for_each(|v| assert_eq!(v.name(), wire(v)));
        Liveness::ALL.iter().for_each(|v| assert_eq!(v.name(), wire(v)));
        Received::ALL.iter().for_each(|v| assert_eq!(v.name(), wire(v)));
        Cause::ALL.iter().for_each(|v| assert_eq!(v.name(), wire(v)));
        assert_eq!(SettleCode::TimeoutRejected.name(), wire(SettleCode::TimeoutRejected));
    }
}
