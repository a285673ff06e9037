//! The one place that stores the state of requests.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, DefaultHasher, Hasher};

use serde::Serialize;

use crate::authority::Terms;
use crate::deadline::DeadlineKind;
use crate::ids::{MemberIndex, RequestId};
use crate::message::{Details, Digest, Follows, Kind, Link, Plan, Uses};
use crate::request::{Ladder, Panel, State, Works};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// Every request that is open or remembered.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    slots: Vec<Option<Entry>>,
    free: Vec<usize>,
    /// Our own requests, by id.
    asked: HashMap<RequestId, usize, Keyed>,
    /// Requests of others, by who asks and id.
    peers: Vec<Peer>,
    keyed: Keyed,
    remembered: usize,
}

/// One request.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: RequestId,
    /// The other side; of several approvers the first.
    pub(crate) peer: MemberIndex,
    /// Who decides.
    pub(crate) panel: Panel,
    /// With several approvers: the frames that carried the request to each.
    pub(crate) mail: Vec<(u64, MemberIndex)>,
    pub(crate) content: Content,
    /// What its kind makes of it.
    pub(crate) terms: Terms,
    /// The earlier request that it goes on from.
    pub(crate) follows: Option<Box<Follows>>,
    /// Where it stands among those that went before it.
    pub(crate) lineage: Lineage,
    pub(crate) opened_at: Timestamp,
    /// The number of the frame that carried it first, on our side of it.
    pub(crate) seq: u64,
    pub(crate) state: State,
    /// The requester's idle limit; what it is at the moment is the requester's to say.
    pub(crate) idle: Patience,
    /// What our execution report says beside yes or no.
    pub(crate) detail: Option<String>,
    /// What runs when it is approved, and what undoes that.
    pub(crate) works: Works,
    /// How it is asked again by itself; only the attempt that was asked last has it.
    pub(crate) ladder: Option<Box<Ladder>>,
}

from_store!(struct Entry { id, peer, panel, mail, content, terms, follows, lineage, opened_at, seq, state, idle, detail, works, ladder });

/// A chain of requests, each of which goes on from the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Lineage {
    /// The first of them; `None` for a request that goes on from none.
    pub(crate) root: Option<RequestId>,
    /// How many there are, this one included.
    pub(crate) length: usize,
    /// How many of them are appeals.
    pub(crate) appeals: usize,
    /// What the appeals have said.
    pub(crate) said: Vec<String>,
    /// Whether whoever rejected it is willing to decide on the same once more.
    pub(crate) reopened: bool,
}

from_store!(struct Lineage { root, length, appeals, said, reopened });

impl Default for Lineage {
    fn default() -> Self {
        Self { root: None, length: 1, appeals: 0, said: Vec::new(), reopened: false }
    }
}

impl Lineage {
    /// The chain with one request more, which goes on from `earlier`.
    pub(crate) fn next(&self, earlier: &RequestId, link: Link, said: Option<&str>) -> Self {
        let mut next = self.clone();
        next.root.get_or_insert_with(|| earlier.clone());
        next.length += 1;
        next.reopened = false;
        next.appeals += usize::from(link == Link::Appeal);
        next.said.extend(said.filter(|_| link == Link::Appeal).map(str::to_owned));
        next
    }
}

/// How long the requester waits without hearing of a request.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Patience {
    /// The idle limit as it was asked with.
    pub(crate) limit: Millis,
    /// When it ends, as far as this side can tell.
    pub(crate) ends: Timestamp,
    /// The number of the requester's last frame that told its limits: an older one that comes
    /// later tells nothing new.
    pub(crate) told_in: u64,
}

from_store!(struct Patience { limit, ends, told_in });

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Content {
    Shutdown {
        reason: Option<String>,
    },
    /// The plan itself is let go when nothing more depends on it; the digest stays.
    Plan {
        plan: Option<Box<Plan>>,
        uses: Uses,
        digest: Digest,
    },
    /// A kind without messages of its own.
    Other {
        kind: Kind,
        details: Box<Details>,
        digest: Digest,
    },
}

from_store!(enum Content {
    "shutdown" => Shutdown { reason },
    "plan" => Plan { plan, uses, digest },
    "other" => Other { kind, details, digest },
});

/// What the ledger keeps for each other member.
#[derive(Clone, Debug)]
struct Peer {
    owed: HashMap<RequestId, usize, Keyed>,
    open_asked: usize,
    open_owed: usize,
    /// Closed requests of both ways, oldest first.
    closed: VecDeque<usize>,
    /// Requests of the member that ended before they arrived, oldest first.
    early: VecDeque<RequestId>,
}

/// Whose request it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Asked,
    Owed,
}

/// A ledger as it is saved; what is not in it follows from this.
#[derive(Serialize)]
pub(crate) struct LedgerParts<'a> {
    slots: Cow<'a, [Option<Entry>]>,
    free: Cow<'a, [usize]>,
    /// For each other member the closed requests, oldest first.
    closed: Vec<Cow<'a, VecDeque<usize>>>,
    /// For each other member the requests that ended before they arrived.
    early: Vec<Cow<'a, VecDeque<RequestId>>>,
}

from_store!(<'a> struct LedgerParts<'a> { slots, free, closed, early });

impl Ledger {
    /// What must be saved.
    pub(crate) fn parts(&self) -> LedgerParts<'_> {
        LedgerParts {
            slots: Cow::Borrowed(&self.slots),
            free: Cow::Borrowed(&self.free),
            closed: self.peers.iter().map(|peer| Cow::Borrowed(&peer.closed)).collect(),
            early: self.peers.iter().map(|peer| Cow::Borrowed(&peer.early)).collect(),
        }
    }

    /// A ledger as it was saved.
    pub(crate) fn from_parts(parts: LedgerParts<'_>, key: u64, remembered: usize) -> Self {
        let mut ledger = Self::new(key, remembered);
        ledger.slots = parts.slots.into_owned();
        ledger.free = parts.free.into_owned();
        for (place, closed) in parts.closed.into_iter().enumerate() {
            ledger.peer_mut(MemberIndex(place)).closed = closed.into_owned();
        }
        for (place, early) in parts.early.into_iter().enumerate() {
            ledger.peer_mut(MemberIndex(place)).early = early.into_owned();
        }
        for slot in 0..ledger.slots.len() {
            let Some(entry) = ledger.get(slot) else { continue };
            let (side, peer, open) = (entry.side(), entry.peer, entry.is_open());
            let id = entry.id.clone();
            match side {
                Side::Asked => ledger.asked.insert(id, slot),
                Side::Owed => ledger.peer_mut(peer).owed.insert(id, slot),
            };
            *ledger.peer_mut(peer).open_mut(side) += usize::from(open);
        }
        ledger
    }

    /// An empty ledger. `key` makes the hashes of peers' ids unpredictable to them; `remembered`
    /// bounds the closed requests kept per member.
    pub(crate) fn new(key: u64, remembered: usize) -> Self {
        let keyed = Keyed(key);
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            asked: HashMap::with_hasher(keyed),
            peers: Vec::new(),
            keyed,
            remembered,
        }
    }

    /// Finds a request of ours.
    pub(crate) fn find_asked(&self, id: &str) -> Option<usize> {
        self.asked.get(id).copied()
    }

    /// Finds a request of a peer.
    pub(crate) fn find_owed(&self, peer: MemberIndex, id: &str) -> Option<usize> {
        self.peers.get(peer.0)?.owed.get(id).copied()
    }

    /// Notes that a request of a peer ended before it arrived: the frames crossed on their way.
    pub(crate) fn ended_early(&mut self, peer: MemberIndex, id: RequestId) {
        let early = &mut self.peer_mut(peer).early;
        if early.contains(&id) {
            return;
        }
        if early.len() >= MOST_EARLY {
            early.pop_front();
        }
        early.push_back(id);
    }

    /// The requests of a peer that ended before they arrived.
    pub(crate) fn early(&self, peer: MemberIndex) -> impl Iterator<Item = &RequestId> {
        self.peers.get(peer.0).into_iter().flat_map(|peer| &peer.early)
    }

    /// Every request of one side that has exactly this id: at most one of ours, and at most one of
    /// each other member.
    pub(crate) fn find_all(&self, side: Side, id: &str) -> Vec<usize> {
        match side {
            Side::Asked => self.find_asked(id).into_iter().collect(),
            Side::Owed => self.peers.iter().filter_map(|peer| peer.owed.get(id).copied()).collect(),
        }
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&Entry> {
        self.slots.get(slot)?.as_ref()
    }

    /// Every request, in order of slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.slots.iter().enumerate().filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    /// How many requests are open with a member, one way.
    pub(crate) fn open(&self, side: Side, peer: MemberIndex) -> usize {
        let Some(peer) = self.peers.get(peer.0) else { return 0 };
        match side {
            Side::Asked => peer.open_asked,
            Side::Owed => peer.open_owed,
        }
    }

    /// Registers a request whose id is not in use on its side.
    pub(crate) fn insert(&mut self, entry: Entry) -> usize {
        let slot = self.free.pop().unwrap_or(self.slots.len());
        let (side, peer, id) = (entry.side(), entry.peer, entry.id.clone());
        match side {
            Side::Asked => self.asked.insert(id, slot),
            Side::Owed => self.peer_mut(peer).owed.insert(id, slot),
        };
        *self.peer_mut(peer).open_mut(side) += usize::from(entry.is_open());
        if slot == self.slots.len() {
            self.slots.push(Some(entry));
        } else if let Some(place) = self.slots.get_mut(slot) {
            *place = Some(entry);
        }
        slot
    }

    /// The requester has heard of the request, or told anew how long it waits.
    pub(crate) fn wait_until(&mut self, slot: usize, idle: Patience) {
        if let Some(entry) = self.slots.get_mut(slot).and_then(Option::as_mut) {
            entry.idle = idle;
        }
    }

    /// Moves a request to another state. Returns the slot of the closed request that was forgotten
    /// to make room.
    pub(crate) fn set_state(&mut self, slot: usize, state: State) -> Option<usize> {
        let entry = self.slots.get_mut(slot)?.as_mut()?;
        let was_open = entry.is_open();
        entry.state = state;
        self.opened_or_closed(slot, was_open)
    }

    /// Keeps where the works of a request stand. Returns as [`set_state`](Self::set_state) does.
    pub(crate) fn set_works(&mut self, slot: usize, works: Works) -> Option<usize> {
        let entry = self.slots.get_mut(slot)?.as_mut()?;
        let was_open = entry.is_open();
        entry.works = works;
        self.opened_or_closed(slot, was_open)
    }

    /// Keeps how a request is asked again. Returns as [`set_state`](Self::set_state) does.
    pub(crate) fn set_ladder(&mut self, slot: usize, ladder: Option<Box<Ladder>>) -> Option<usize> {
        let entry = self.slots.get_mut(slot)?.as_mut()?;
        let was_open = entry.is_open();
        entry.ladder = ladder;
        self.opened_or_closed(slot, was_open)
    }

    /// Counts a request that is open now and was not, or the reverse.
    fn opened_or_closed(&mut self, slot: usize, was_open: bool) -> Option<usize> {
        let entry = self.slots.get_mut(slot)?.as_mut()?;
        let (side, peer, is_open) = (entry.side(), entry.peer, entry.is_open());
        if was_open == is_open {
            return None;
        }
        if is_open {
            let peer = self.peer_mut(peer);
            peer.closed.retain(|closed| *closed != slot);
            *peer.open_mut(side) += 1;
            return None;
        }
        entry.content.forget_plan();
        let remembered = self.remembered;
        let peer = self.peer_mut(peer);
        let open = peer.open_mut(side);
        *open = open.saturating_sub(1);
        peer.closed.push_back(slot);
        if peer.closed.len() <= remembered {
            return None;
        }
        let oldest = peer.closed.pop_front()?;
        self.remove(oldest);
        Some(oldest)
    }

    /// Notes that the same may be asked once more.
    pub(crate) fn reopen(&mut self, slot: usize) {
        if let Some(entry) = self.slots.get_mut(slot).and_then(Option::as_mut) {
            entry.lineage.reopened = true;
        }
    }

    /// Keeps the words that go with an execution report or a withdrawal, and gives those it had.
    pub(crate) fn swap_detail(&mut self, slot: usize, detail: Option<String>) -> Option<String> {
        let entry = self.slots.get_mut(slot)?.as_mut()?;
        std::mem::replace(&mut entry.detail, detail)
    }

    /// Notes which frame carried a request to one of several approvers.
    pub(crate) fn note_mail(&mut self, slot: usize, seq: u64, to: MemberIndex) {
        if let Some(entry) = self.slots.get_mut(slot).and_then(Option::as_mut) {
            entry.mail.push((seq, to));
        }
    }

    /// Forgets every request of a former life of a member, but for those whose work our host is at.
    /// Returns their slots.
    pub(crate) fn forget_member(&mut self, member: MemberIndex) -> Vec<usize> {
        let over = |e: &Entry| e.ends_with_peer() && !e.works.under_way();
        let former = self.iter().filter(|(_, entry)| entry.peer == member && over(entry));
        let slots: Vec<usize> = former.map(|(slot, _)| slot).collect();
        for slot in &slots {
            self.remove(*slot);
        }
        let keyed = self.keyed;
        let goes_on = self.iter().filter(|(_, entry)| entry.peer == member).count();
        if let Some(peer) = self.peers.get_mut(member.0) {
            *peer = Peer { open_asked: goes_on, ..Peer::new(keyed) };
        }
        slots
    }

    fn remove(&mut self, slot: usize) {
        let Some(entry) = self.slots.get_mut(slot).and_then(Option::take) else { return };
        match entry.side() {
            Side::Asked => self.asked.remove(&entry.id),
            Side::Owed => self.peer_mut(entry.peer).owed.remove(&entry.id),
        };
        self.free.push(slot);
    }

    fn peer_mut(&mut self, peer: MemberIndex) -> &mut Peer {
        if peer.0 >= self.peers.len() {
            let keyed = self.keyed;
            self.peers.resize_with(peer.0 + 1, || Peer::new(keyed));
        }
        // INVARIANT: the line above made the place.
        #[expect(clippy::indexing_slicing, reason = "the vector was grown to hold it")]
        &mut self.peers[peer.0]
    }
}

impl Entry {
    /// Whose request it is.
    pub(crate) const fn side(&self) -> Side {
        match self.state {
            State::Asked(_) => Side::Asked,
            State::Owed(_) => Side::Owed,
        }
    }

    /// Whether anything more is expected of either side, or of our host.
    pub(crate) fn is_open(&self) -> bool {
        self.state.is_open() || self.works.under_way() || self.ladder.is_some()
    }

    /// Whether a new life of the other side ends it: what others may still decide goes on.
    pub(crate) fn ends_with_peer(&self) -> bool {
        self.panel.is_one() || !self.state.is_open()
    }

    /// When it is asked again; `None` unless it has ended and waits for that.
    pub(crate) fn asked_again_at(&self) -> Option<Timestamp> {
        self.ladder.as_deref().and_then(|ladder| ladder.next_at)
    }

    /// When it wants to be looked at next.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.state.next_deadline().or(self.asked_again_at())
    }

    /// What is due now, if anything.
    pub(crate) fn due(&self, now: Timestamp) -> Option<DeadlineKind> {
        let again = self.asked_again_at().filter(|at| *at <= now);
        self.state.due(now).or(again.map(|_| DeadlineKind::AskAgain))
    }
}

impl Content {
    pub(crate) const fn kind(&self) -> &Kind {
        match self {
            Self::Shutdown { .. } => &Kind::SHUTDOWN,
            Self::Plan { .. } => &Kind::PLAN_APPROVAL,
            Self::Other { kind, .. } => kind,
        }
    }

    pub(crate) const fn digest(&self) -> Option<Digest> {
        match self {
            Self::Shutdown { .. } => None,
            Self::Plan { digest, .. } | Self::Other { digest, .. } => Some(*digest),
        }
    }

    /// Whether a peer that sends this again asks for the same.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Shutdown { reason }, Self::Shutdown { reason: other }) => reason == other,
            (Self::Plan { digest, .. }, Self::Plan { digest: other, .. }) => digest == other,
            (Self::Other { digest, .. }, Self::Other { digest: other, .. }) => digest == other,
            (Self::Shutdown { .. } | Self::Plan { .. } | Self::Other { .. }, _) => false,
        }
    }

    /// Lets go what nothing depends on any more; the digest stays.
    fn forget_plan(&mut self) {
        match self {
            Self::Plan { plan, .. } => *plan = None,
            Self::Other { details, .. } => **details = Details::default(),
            Self::Shutdown { .. } => {}
        }
    }
}

/// How many ends that overtook their requests are remembered for each member: more than a reordering
/// network holds back at a time, and few enough that nobody gains by inventing them.
const MOST_EARLY: usize = 32;

impl Peer {
    fn new(keyed: Keyed) -> Self {
        Self {
            owed: HashMap::with_hasher(keyed),
            open_asked: 0,
            open_owed: 0,
            closed: VecDeque::new(),
            early: VecDeque::new(),
        }
    }

    const fn open_mut(&mut self, side: Side) -> &mut usize {
        match side {
            Side::Asked => &mut self.open_asked,
            Side::Owed => &mut self.open_owed,
        }
    }
}

/// SipHash under a key: a peer that chooses ids cannot choose where they land, and the core
/// draws no randomness of its own.
#[derive(Clone, Copy, Debug)]
struct Keyed(u64);

impl BuildHasher for Keyed {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Cause, Status};
    use crate::request::Owed;

    const ALICE: MemberIndex = MemberIndex(1);
    const BOB: MemberIndex = MemberIndex(2);

    fn open(peer: MemberIndex, id: &str) -> Entry {
        Entry {
            id: RequestId::parse(id).unwrap(),
            peer,
            panel: Panel::One(peer),
            mail: Vec::new(),
            content: Content::Shutdown { reason: None },
            terms: Terms::default(),
            follows: None,
            lineage: Lineage::default(),
            opened_at: Timestamp::from_ms(0),
            seq: 1,
            state: Owed::Open { until: Timestamp::from_ms(9) }.into(),
            idle: Patience { limit: Millis::new(9), ends: Timestamp::from_ms(9), told_in: 1 },
            detail: None,
            works: Works::default(),
            ladder: None,
        }
    }

    fn closed() -> State {
        Owed::Closed { status: Status::Cancelled, cause: Cause::Member }.into()
    }

    #[test]
    fn two_members_may_use_the_same_id() {
        let mut ledger = Ledger::new(7, 4);
        let a = ledger.insert(open(ALICE, "7"));
        let b = ledger.insert(open(BOB, "7"));
        assert_eq!(ledger.find_owed(ALICE, "7"), Some(a));
        assert_eq!(ledger.find_owed(BOB, "7"), Some(b));
        assert_eq!(ledger.find_asked("7"), None);
    }

    #[test]
    fn the_oldest_closed_request_is_forgotten_and_no_open_one() {
        let mut ledger = Ledger::new(7, 2);
        let still_open = ledger.insert(open(ALICE, "open"));
        for id in ["1", "2", "3"] {
            let slot = ledger.insert(open(ALICE, id));
            assert_eq!(ledger.open(Side::Owed, ALICE), 2);
            ledger.set_state(slot, closed());
        }
        assert_eq!(ledger.find_owed(ALICE, "1"), None);
        assert!(ledger.find_owed(ALICE, "2").is_some());
        assert_eq!(ledger.find_owed(ALICE, "open"), Some(still_open));
        assert_eq!(ledger.open(Side::Owed, ALICE), 1);
        assert_eq!(ledger.iter().count(), 3);
    }

    #[test]
    fn slots_are_used_again() {
        let mut ledger = Ledger::new(7, 1);
        for id in 0..50 {
            let slot = ledger.insert(open(ALICE, &id.to_string()));
            ledger.set_state(slot, closed());
        }
        assert!(ledger.slots.len() <= 3, "{}", ledger.slots.len());
    }

    #[test]
    fn a_member_that_is_forgotten_leaves_nothing_behind() {
        let mut ledger = Ledger::new(7, 4);
        let slot = ledger.insert(open(ALICE, "a"));
        let other = ledger.insert(open(BOB, "b"));
        assert_eq!(ledger.forget_member(ALICE), [slot]);
        assert_eq!(ledger.open(Side::Owed, ALICE), 0);
        assert_eq!(ledger.find_owed(ALICE, "a"), None);
        assert_eq!(ledger.find_owed(BOB, "b"), Some(other));
    }
}
