//! The network: frames under way, and the weather they travel in.

use std::collections::{BTreeMap, BTreeSet};

use team_protocols::{Disposition, Send};

use super::verdict;

/// What can happen to a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    /// Of a thousand frames, how many are lost.
    pub(crate) loss: u64,
    /// Of a thousand frames, how many arrive twice.
    pub(crate) duplication: u64,
    /// The longest time under way in ms; frames overtake each other.
    pub(crate) delay: u64,
}

/// A frame under way.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) seq: u64,
    pub(crate) frame: String,
}

/// Everything between the engines.
pub(crate) struct Network {
    pub(crate) weather: Weather,
    random: Random,
    under_way: BTreeMap<(u64, u64), Packet>,
    order: u64,
    cuts: BTreeSet<(String, String)>,
    /// The fate of a frame follows from this, its sender and its number, and from no other frame.
    pub(crate) fates: Option<u64>,
    /// How many of the last frames are kept in `sent` and `arrived`.
    pub(crate) keep: usize,
    /// How many frames were posted.
    pub(crate) posted: u64,
    /// Every frame that was posted, lost ones included.
    pub(crate) sent: Vec<Packet>,
    /// What became of each frame that arrived: from, to, verdict.
    pub(crate) arrived: Vec<(String, String, &'static str)>,
}

/// Splitmix64: small, and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }
}

impl Network {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            weather: Weather::default(),
            random: Random::new(seed),
            under_way: BTreeMap::new(),
            order: 0,
            cuts: BTreeSet::new(),
            fates: None,
            keep: usize::MAX,
            posted: 0,
            sent: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// Takes a frame on its way.
    pub(crate) fn post(&mut self, now: u64, from: &str, send: Send) {
        let Send { to, seq, frame } = send;
        let packet = Packet { from: from.to_owned(), to: to.as_str().to_owned(), seq, frame };
        self.posted += 1;
        if let Some(seed) = self.fates {
            let name = packet.from.bytes().chain(packet.to.bytes());
            let fold =
                |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            self.random = Random::new(name.fold(seed, fold) ^ seq.wrapping_mul(0x9e37_79b9));
        }
        if self.sent.len() >= self.keep {
            self.sent.drain(..self.keep.div_ceil(2));
        }
        self.sent.push(packet.clone());
        if self.cuts.contains(&(packet.from.clone(), packet.to.clone())) {
            return;
        }
        if self.random.below(1_000) < self.weather.loss {
            return;
        }
        let twice = self.random.below(1_000) < self.weather.duplication;
        self.travel(now, packet.clone());
        if twice {
            self.travel(now, packet);
        }
    }

    fn travel(&mut self, now: u64, packet: Packet) {
        let delay = match self.weather.delay {
            0 => 0,
            longest => self.random.below(longest + 1),
        };
        self.order += 1;
        self.under_way.insert((now + delay, self.order), packet);
    }

    pub(crate) fn next_arrival(&self) -> Option<u64> {
        self.under_way.keys().next().map(|(at, _)| *at)
    }

    /// The next frame that has arrived by then.
    pub(crate) fn arrive(&mut self, now: u64) -> Option<Packet> {
        let first = *self.under_way.keys().next()?;
        if first.0 > now { None } else { self.under_way.remove(&first) }
    }

    /// The pairs between which frames are under way.
    pub(crate) fn links(&self) -> BTreeSet<(String, String)> {
        let link = |packet: &Packet| (packet.from.clone(), packet.to.clone());
        self.under_way.values().map(link).collect()
    }

    /// The next frame from one to the other, whatever else is under way.
    pub(crate) fn take(&mut self, from: &str, to: &str) -> Option<Packet> {
        let fits = |packet: &Packet| packet.from == from && packet.to == to;
        let key = *self.under_way.iter().find(|(_, packet)| fits(packet))?.0;
        self.under_way.remove(&key)
    }

    /// The frames under way with the `type` of their message, in order.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (&Packet, String)> {
        self.under_way.values().map(|packet| (packet, kind_of(&packet.frame)))
    }

    pub(crate) fn record(&mut self, from: &str, to: &str, disposition: Disposition) {
        self.arrived.push((from.to_owned(), to.to_owned(), verdict(&disposition)));
    }

    /// Nothing goes from one to the other any more.
    pub(crate) fn cut(&mut self, from: &str, to: &str) {
        self.cuts.insert((from.to_owned(), to.to_owned()));
    }

    /// Nothing goes between the two, either way.
    pub(crate) fn part(&mut self, a: &str, b: &str) {
        self.cut(a, b);
        self.cut(b, a);
    }

    /// Everything goes everywhere again.
    pub(crate) fn heal(&mut self) {
        self.cuts.clear();
    }

    /// The frames from one to the other whose message has this `type` (`text` for chat).
    pub(crate) fn sent_of(&self, from: &str, to: &str, kind: &str) -> Vec<&Packet> {
        let fits = |packet: &&Packet| {
            packet.from == from && packet.to == to && kind_of(&packet.frame) == kind
        };
        self.sent.iter().filter(fits).collect()
    }

    /// The `type`s of all frames from one to the other, in order.
    pub(crate) fn talk(&self, from: &str, to: &str) -> Vec<String> {
        let between = self.sent.iter().filter(|packet| packet.from == from && packet.to == to);
        between.map(|packet| kind_of(&packet.frame)).collect()
    }

    /// What became of the frames from one to the other, in order.
    pub(crate) fn verdicts(&self, from: &str, to: &str) -> Vec<&'static str> {
        let between = self.arrived.iter().filter(|(f, t, _)| f == from && t == to);
        between.map(|(_, _, verdict)| *verdict).collect()
    }
}

/// The `type` of the message in a frame.
pub(crate) fn kind_of(frame: &str) -> String {
    let frame: serde_json::Value = serde_json::from_str(frame).unwrap();
    let kind = frame["message"]["type"].as_str();
    kind.unwrap_or("text").to_owned()
}
