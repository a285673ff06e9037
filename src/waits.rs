//! Who waits for whom, and how a team finds out that nobody can go on.
//!
//! Owns the wait-for graph as one member sees it, and the probes that look for cycles in it.
//! Pure: the engine hands in a [`View`] of its ledger and sends what comes out. Imports `ids` and
//! `message`.
//!
//! # The graph
//!
//! An edge is a [`Wait`]: `member` has a pending request of a *blocking* kind, and goes on when it
//! is decided. It leads to every member whose undecided vote is indispensable. A request that some
//! other vote could still decide waits for nobody in particular and is no edge. A member with
//! several edges waits for all of them. A cycle in this graph is a deadlock: it stays until one of
//! its edges goes, and no member of it will make one go by itself.
//!
//! Nobody sees the whole graph. A member knows the edges that leave it (what it asked and nobody
//! decided) and those that lead to it (what it was asked and has not decided).
//!
//! # Refusing what is known to be one
//!
//! A member that is about to wait for somebody who waits for it does not: [`closes`]. What forms
//! while frames are under way is beyond anybody's knowledge; that is what probes are for.
//!
//! # Searching
//!
//! Whenever a member both waits and owes, and one of the two is new, it begins a *round*
//! ([`start`]): a probe along each of its edges, which carries the path it travelled. [`receive`]
//! takes it on:
//!
//! - The last edge must lead here still: the request is owed to the member that sent the probe,
//!   and not decided. Otherwise the probe ends.
//! - If this member is on the path already, the path from there on is a cycle.
//! - Otherwise the probe goes on along every edge that leaves here; if there is none, it ends.
//!
//! Of one round a member passes on only the first probe that reaches it. The others could only
//! take the same edges again, and in a dense graph there are exponentially many of them; so a
//! round costs at most one frame per edge.
//!
//! # Breaking
//!
//! Of a cycle the *victim* is the edge with the greatest request id (bytes compared; of equal ids
//! the greater member). Where the cycle was found, the probe turns into a closed one and travels
//! along the cycle once more until it comes to the owner of the victim, who cancels it. At every
//! hop the edge it came along must still be owed here and the edge it leaves by still be pending,
//! the victim's owner included. Otherwise the probe ends: the cycle is no more.
//!
//! # Why that is right
//!
//! **A cycle is found.** Let all edges of a cycle be there and stay. Consider the last of all
//! moments at which one of its requests was sent, became indispensable, or arrived. The member to
//! which it happened both waits and owes from then on, so it begins a round, and at that time
//! every other edge of the cycle is there at both its ends. Each member of the cycle is therefore
//! reached, by this way or an earlier one of the same round, and passes the probe on along the
//! edge of the cycle; so the round comes back to where it began, and closes there. This needs no
//! order of frames: a probe that overtakes its request ends, but then the request arrives later,
//! and that was not the last moment. (With several cycles through one member a round may come back
//! by another one of them. Each round finds one that is there; the next finds the next.)
//!
//! **Exactly one victim.** Which edge of a cycle is the victim follows from the cycle alone. All
//! probes that found the same cycle name the same one, and a request is cancelled once. All of
//! them count, not only those of the victim's owner: its round may have ended at a member that did
//! not wait yet. (Cycles that share an edge are different cycles; where two of them are found at
//! the same time, each costs its own victim.)
//!
//! **No phantom.** Every edge was seen standing at both its ends while the probe travelled its
//! last lap. Suppose that a member that waits decides nothing, and that nobody gives up. The
//! victim's owner sees the last edge undecided, and itself waiting. The owner of that last edge
//! waits, so it has not decided the edge before it since the probe passed, and so on round the
//! cycle: all edges stand at the same time. Where a member does decide while it waits, or a clock
//! runs out, the edge goes at one of its ends first. If that end is passed afterwards, the probe
//! ends there. So no request is cancelled for a cycle that any hop on the last lap, or the
//! victim's owner, knew to be broken; only news still under way can come too late, and then the
//! owner of the victim cannot tell the cycle from a real one.
//!
//! **Loss** costs time and nothing else. A lost probe ends its way; the round of another member,
//! or the next round, finds the cycle. Rounds are repeated with the reminders of a blocking
//! request. A lost cancel leaves an edge at one end only: a probe never leaves by an edge that its
//! owner has given up.
//!
//! **Bounds.** A path holds each member once; a round costs one frame per edge, and a closed probe
//! at most one per edge of its cycle; per member one number is remembered. A member that lies can
//! hide a cycle it is part of, or have a request cancelled that waits for a real member, while it
//! really waits for the owner itself. It gains no approval by either.

use crate::ids::{MemberName, RequestId};
use crate::message::{Probe, Wait};

#[cfg(test)]
mod model;
#[cfg(test)]
mod orders;
#[cfg(test)]
mod tests;

/// The wait-for graph as one member sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// That member.
    pub(crate) me: MemberName,
    /// Its pending blocking requests: the edges that leave it.
    pub(crate) awaited: Vec<Awaited>,
    /// The blocking requests that it has not decided: the edges that lead to it.
    pub(crate) owed: Vec<Wait>,
}

/// A pending blocking request of this member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// Its id.
    pub(crate) request_id: RequestId,
    /// Everybody who has not decided and without whom it cannot be decided. Empty when some other
    /// vote will do.
    pub(crate) approvers: Vec<MemberName>,
}

/// A probe, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// To whom.
    pub(crate) to: MemberName,
    /// What it carries.
    pub(crate) probe: Probe,
}

/// What becomes of a probe that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It goes on, still looking. Its round must be remembered for the member that began it.
    Search(Vec<Hop>),
    /// A cycle is known; its victim belongs to somebody further on.
    Report(Hop),
    /// A cycle is known, and the victim is ours: cancel it.
    Break {
        /// The request to cancel.
        victim: RequestId,
        /// The edges of the cycle.
        cycle: Vec<Wait>,
    },
}

/// Why a probe ends here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It did not come from the member whose edge it says it travelled, or its cycle does not lead
    /// here.
    Astray,
    /// The edge it came along is not owed here: decided, ended, or never arrived.
    NotOwed,
    /// This member waits for nobody.
    NotWaiting,
    /// Another probe of the same round, or of a later one, was here before.
    Repeated,
    /// A cycle was found, and our edge of it is there no more.
    Dissolved,
    /// It holds as many edges as a probe may.
    TooLong,
}

/// Begins a round, if this member both waits and owes.
///
/// `round` must be greater than that of every earlier round of this life.
pub(crate) fn start(view: &View, round: u64) -> Vec<Hop> {
    if view.owed.is_empty() { Vec::new() } else { search(view, round, &[]) }
}

/// Takes a probe on that `from` has sent. `newest` is the greatest round that was passed on for
/// the member that began it.
///
/// # Errors
/// [`End`] says why it goes no further.
pub(crate) fn receive(
    view: &View,
    from: &MemberName,
    probe: Probe,
    newest: Option<u64>,
) -> Result<Next, End> {
    match probe {
        Probe::Open { round, mut path } => {
            arrived(view, from, path.last())?;
            if let Some(met) = path.iter().position(|wait| wait.member == view.me) {
                return turn(view, path.split_off(met), 0);
            }
            if newest.is_some_and(|newest| newest >= round) {
                return Err(End::Repeated);
            }
            if path.len() >= Probe::MAX_WAITS {
                return Err(End::TooLong);
            }
            let hops = search(view, round, &path);
            if hops.is_empty() { Err(End::NotWaiting) } else { Ok(Next::Search(hops)) }
        }
        Probe::Closed { cycle, at } => {
            arrived(view, from, cycle.get(at))?;
            let mine = (at + 1) % cycle.len();
            if cycle.get(mine).is_none_or(|wait| wait.member != view.me) {
                return Err(End::Astray);
            }
            turn(view, cycle, mine)
        }
    }
}

/// The member that began the round of an open probe.
pub(crate) fn beginner(probe: &Probe) -> Option<&MemberName> {
    match probe {
        Probe::Open { path, .. } => path.first().map(|wait| &wait.member),
        Probe::Closed { .. } => None,
    }
}

/// The wait that makes a new blocking request a deadlock, if one does: one of those it would wait
/// for waits for this member.
pub(crate) fn closes<'v>(view: &'v View, approvers: &[MemberName]) -> Option<&'v Wait> {
    view.owed.iter().find(|wait| approvers.contains(&wait.member))
}

/// Whether the edge that a probe came along leads here.
fn arrived(view: &View, from: &MemberName, travelled: Option<&Wait>) -> Result<(), End> {
    match travelled {
        Some(wait) if wait.member == *from && view.owed.contains(wait) => Ok(()),
        Some(wait) if wait.member == *from => Err(End::NotOwed),
        Some(_) | None => Err(End::Astray),
    }
}

/// A probe along every edge that leaves here.
fn search(view: &View, round: u64, path: &[Wait]) -> Vec<Hop> {
    let mut hops = Vec::new();
    for Awaited { request_id, approvers } in &view.awaited {
        let wait = Wait { member: view.me.clone(), request_id: request_id.clone() };
        for to in approvers {
            let path = path.iter().chain([&wait]).cloned().collect();
            hops.push(Hop { to: to.clone(), probe: Probe::Open { round, path } });
        }
    }
    hops
}

/// A cycle in which the edge at `mine` is ours: breaks it there, or hands it on.
fn turn(view: &View, cycle: Vec<Wait>, mine: usize) -> Result<Next, End> {
    let next = cycle.get((mine + 1) % cycle.len()).map(|wait| wait.member.clone());
    let (Some(own), Some(to)) = (cycle.get(mine), next) else { return Err(End::Astray) };
    let stands =
        |awaited: &Awaited| awaited.request_id == own.request_id && awaited.approvers.contains(&to);
    if !view.awaited.iter().any(stands) {
        return Err(End::Dissolved);
    }
    if victim(&cycle) == Some(own) {
        return Ok(Next::Break { victim: own.request_id.clone(), cycle });
    }
    Ok(Next::Report(Hop { to, probe: Probe::Closed { cycle, at: mine } }))
}

/// The edge of a cycle that is given up: whoever looks at the cycle finds the same one.
fn victim(cycle: &[Wait]) -> Option<&Wait> {
    cycle.iter().max_by_key(|wait| (&wait.request_id, &wait.member))
}
