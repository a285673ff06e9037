//! Processes that end, and others that go on from what they have kept.

use team_protocols::{Engine, Event, Misuse, ProtocolError, SeededIds};

use super::{Later, World};
use crate::faults::Fault;
use crate::harness::{Packet, Store};
use crate::laws::broken;

/// How a process ends in the middle of an input: all of it is written down, or only a part of its
/// line; nothing that it causes goes out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// With a part of the line: where it ends.
    pub(crate) torn: Option<u64>,
    pub(crate) back: Back,
}

/// How another process goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Back {
    /// After so many ms.
    pub(crate) after: u64,
    /// From the last snapshot and the rest of the journal, not from the whole journal.
    pub(crate) snapshot: bool,
    /// What the snapshot covers was thrown away.
    pub(crate) compact: bool,
    /// Frames that come meanwhile wait for it.
    pub(crate) keeps_mail: bool,
}

/// What a process has left.
pub(crate) struct Kept {
    store: Store,
    skew: i64,
    back: Back,
    /// Whether the last line tells of an input that nothing has gone out of.
    fresh: bool,
}

/// What a host gets whose process ends in the middle of a call: nothing that it could note.
pub(super) fn ended() -> ProtocolError {
    ProtocolError::Misuse(Misuse::Closed)
}

impl World {
    /// The process of a member ends between two inputs.
    pub(crate) fn end_between(&mut self, place: usize, back: Back) {
        self.cover.seen("ended", "between two inputs");
        self.replays(place);
        self.leave_behind(place, back, false);
    }

    /// The process of a member ends in the middle of its next input.
    pub(crate) fn end_within(&mut self, place: usize, end: End) {
        let own = self.members[place].name.clone();
        self.net.node_mut(&own).doomed = true;
        self.members[place].ends = Some(end);
    }

    /// The input was the one that it ended in.
    pub(super) fn end_now(&mut self, place: usize) {
        let Some(end) = self.members[place].ends.take() else { return };
        let own = self.members[place].name.clone();
        let fresh = self.net.node(&own).store.last() > self.members[place].told.0;
        let how = match (end.torn, fresh) {
            (None, true) => "within, line written",
            (Some(_), _) => "within, line torn",
            (None, false) => "within, no line",
        };
        self.cover.seen("ended", how);
        if end.torn.is_none() {
            self.replays(place);
        }
        self.leave_behind(place, end.back, fresh);
    }

    /// How much a member has written.
    pub(super) fn written(&self, place: usize) -> usize {
        self.net.node(&self.members[place].name).store.journal.len()
    }

    /// Whether the process ended while it wrote of this input: then it never was.
    pub(super) fn torn(&mut self, place: usize, written: usize) -> bool {
        let Some(End { torn: Some(part), .. }) = self.members[place].ends else { return false };
        let own = self.members[place].name.clone();
        let node = self.net.node_mut(&own);
        node.doomed && node.store.tear(written, part)
    }

    fn leave_behind(&mut self, place: usize, back: Back, fresh: bool) {
        let own = self.members[place].name.clone();
        let node = self.net.node_mut(&own);
        // That it comes back as it was is the law of this simulation.
        node.doomed = true;
        let skew = node.skew;
        let mut store = self.net.halt(&own);
        if back.compact {
            store.compact();
        }
        let (at, life) = (self.now() + back.after, self.members[place].life);
        self.order += 1;
        self.later.insert((at, self.order), Later::GoOn { who: place, life });
        let of = &mut self.members[place];
        (of.up, of.ends) = (false, None);
        of.kept = Some(Kept { store, skew, back, fresh });
    }

    /// What a member has kept gives its engine again.
    pub(crate) fn replays(&mut self, place: usize) {
        let own = self.members[place].name.clone();
        let lose = self.fault == Some(Fault::LineLost);
        let node = self.net.node_mut(&own);
        if lose {
            node.store.lose_line();
        }
        let last = node.store.last();
        node.engine.released(last);
        if let Some(how) = node.store.differs(&node.engine) {
            broken("replay", format!("{own} comes back otherwise: {how}"));
        }
    }

    /// A frame comes for a member that is not there: whether it is kept for the next process.
    pub(super) fn keep_mail(&mut self, place: usize, mail: (Packet, String, bool)) {
        let of = &mut self.members[place];
        if of.kept.as_ref().is_some_and(|kept| kept.back.keeps_mail) {
            of.held.push(mail);
        }
    }

    /// Another process of a member goes on.
    pub(crate) fn go_on(&mut self, place: usize) {
        let of = &mut self.members[place];
        let Some(Kept { store, skew, back, fresh }) = of.kept.take() else { return };
        of.processes += 1;
        let (own, births, processes) = (of.name.clone(), of.births, of.processes);
        let seed = format!("{} {own} {births} process {processes}", self.shape.seed);
        let latest = store.last_at();
        self.laws.restarted(&own);
        self.net.go_on(&own, store, back.snapshot, Box::new(SeededIds::new(&seed)), skew);
        let local = self.net.local(&own).as_ms();
        let of = &mut self.members[place];
        (of.up, of.asleep_until) = (true, 0);
        // Critical sections end with the process that held them.
        of.sections.clear();
        of.latest = local.max(latest.unwrap_or(0));
        if fresh {
            of.told.1.clear();
        }
        of.told.0 = u64::MAX;
        self.input(place);
        self.judge(place);
        self.catch_up(place);
    }

    /// A host lists those that have joined while its process was down.
    fn catch_up(&mut self, place: usize) {
        for other in 0..self.members.len() {
            let team = self.engine(place).map(Engine::team).unwrap_or_default();
            let known = |name: &str| team.iter().any(|view| view.name.as_str() == name);
            if other != place && !known(&self.members[other].name) {
                let listed = self.listed(other);
                let _told = self.call(place, |e, now| e.add_member(now, &listed));
                self.judge(place);
            }
        }
    }

    /// A process that goes on tells once more what nobody knows to have been told. What was told is
    /// taken out; what is told now is kept for the next time.
    pub(super) fn retold(&mut self, place: usize, events: &mut Vec<Event>) {
        let last = self.net.node(&self.members[place].name).store.last();
        let of = &mut self.members[place];
        if of.told.0 == u64::MAX {
            // It may end once more before its journal says that these were told.
            for before in of.told.1.iter().filter(|event| !anew(event)) {
                if let Some(at) = events.iter().position(|event| event == before) {
                    events.remove(at);
                }
            }
            of.told.0 = last;
        }
        if of.told.0 != last {
            of.told = (last, Vec::new());
        }
        of.told.1.extend(events.iter().cloned());
    }
}

/// Whether an event is told to the host of the next process whatever the one before knew.
fn anew(event: &Event) -> bool {
    matches!(event, Event::Work(_) | Event::Request(_))
}
