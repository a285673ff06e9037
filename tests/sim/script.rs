//! What happens in a simulation, as lines of text that can be read, shortened and played again.
//!
//! A line is a verb, the member it is about, and three numbers. The numbers choose among what is
//! there when the line is played ("the second thing that it owes"), so a line means something
//! whatever was taken out before it; a line for which there is nothing to choose does nothing.

use std::fmt;

use crate::harness::Random;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) verb: Verb,
    /// The place of the member in the team: the lead, then approvers, then workers.
    pub(crate) who: usize,
    pub(crate) args: [u64; 3],
}

macro_rules! verbs {
    ($($verb:ident $name:literal $weight:literal,)*) => {
        /// What a line does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Verb { $($verb,)* }

        impl Verb {
            /// Every verb with its name and how often it comes.
            pub(crate) const ALL: &[(Self, &'static str, u64)] =
                &[$((Self::$verb, $name, $weight),)*];
        }
    };
}

verbs! {
    // Time and the network.
    Wait "wait" 260,
    Weather "weather" 10,
    Cut "cut" 12,
    Heal "heal" 10,
    Jump "jump" 4,
    Back "back" 4,
    Sleep "sleep" 6,
    Crash "crash" 3,
    End "end" 10,
    Respawn "respawn" 9,
    SendFailed "send_failed" 8,
    Replay "replay" 10,
    Misroute "misroute" 4,
    Garble "garble" 3,
    // Requests.
    Shutdown "shutdown" 9,
    ShutdownAll "shutdown_all" 2,
    Plan "plan" 60,
    Ask "ask" 80,
    Ring "ring" 12,
    Decide "decide" 190,
    Tool "tool" 30,
    Cancel "cancel" 20,
    CallOff "call_off" 8,
    Reopen "reopen" 14,
    Pause "pause" 14,
    Resume "resume" 12,
    // What comes of them.
    Report "report" 40,
    WorkDone "work_done" 40,
    Rerun "rerun" 12,
    Interrupt "interrupt" 4,
    Gate "gate" 50,
    StartFailed "start_failed" 12,
    // Life.
    Say "say" 20,
    Idle "idle" 14,
    Progress "progress" 40,
    Enter "enter" 14,
    Leave "leave" 16,
    Exit "exit" 6,
    Gone "gone" 2,
    Join "join" 3,
    Close "close" 1,
    Bad "bad" 30,
}

/// The team that a script is about, and the weather seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) seed: u64,
    pub(crate) approvers: usize,
    pub(crate) workers: usize,
    /// Whether limits and terms are so small that they are reached.
    pub(crate) tight: bool,
    /// Of a hundred requests, approvals and works, how many the hosts see to by themselves.
    pub(crate) prompt: u64,
    /// The clocks of members differ by up to so many ms.
    pub(crate) skew: u64,
}

/// A whole simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) shape: Shape,
    pub(crate) ops: Vec<Op>,
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verb, ..)| *verb == self).unwrap().1
    }
}

impl Shape {
    pub(crate) fn size(&self) -> usize {
        1 + self.approvers + self.workers
    }

    /// The name of the member at a place; places beyond the team are of members that join later.
    pub(crate) fn name(&self, place: usize) -> String {
        match place {
            0 => crate::harness::LEAD.to_owned(),
            n if n <= self.approvers => format!("approver-{n}"),
            n => format!("worker-{}", n - self.approvers),
        }
    }

    /// A member that a line of this sort is about: most often one that may do it.
    fn anybody_for(&self, verb: Verb, random: &mut Random) -> usize {
        let anybody = random.below(self.size() as u64 + 1) as usize;
        let worker = 1 + self.approvers + random.below(self.workers as u64) as usize;
        if random.below(8) == 0 {
            return anybody;
        }
        match verb {
            Verb::Plan | Verb::Gate | Verb::Report | Verb::StartFailed | Verb::Exit => worker,
            Verb::Shutdown | Verb::ShutdownAll | Verb::CallOff => 0,
            Verb::Ask | Verb::Respawn if random.below(3) > 0 => worker,
            _ => anybody,
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        (0..64).find(|place| self.name(*place) == name)
    }
}

impl Script {
    /// The script of a seed. Every seed leaves out some verbs altogether, so that runs differ more
    /// than chance alone would make them.
    pub(crate) fn of_seed(seed: u64, length: usize) -> Self {
        let mut random = Random::new(seed);
        let shape = Shape {
            seed,
            approvers: random.below(4) as usize,
            workers: 2 + random.below(4) as usize,
            tight: random.below(2) == 0,
            prompt: [0, 40, 80, 100][random.below(4) as usize],
            skew: [0, 0, 300, 2_000][random.below(4) as usize],
        };
        let always = [Verb::Wait, Verb::Decide, Verb::Plan, Verb::Ask];
        let kept = |verb: &Verb, random: &mut Random| always.contains(verb) || random.below(4) != 0;
        let verbs: Vec<_> =
            Verb::ALL.iter().filter(|(verb, ..)| kept(verb, &mut random)).copied().collect();
        let total = verbs.iter().map(|(.., weight)| weight).sum();
        let mut ops = Vec::new();
        let weather = weather(&mut random);
        ops.push(Op { verb: Verb::Weather, who: 0, args: weather });
        while ops.len() < length {
            let mut point = random.below(total);
            let fits = |(.., weight): &&(Verb, &str, u64)| {
                let hit = point < *weight;
                point = point.wrapping_sub(*weight);
                hit
            };
            let (verb, ..) = *verbs.iter().find(fits).unwrap();
            let who = shape.anybody_for(verb, &mut random);
            let args = match verb {
                Verb::Wait => [span(&mut random), 0, 0],
                Verb::Jump | Verb::Back | Verb::Sleep => [span(&mut random), 0, 0],
                Verb::Weather => self::weather(&mut random),
                _ => [random.below(1_000), random.below(1_000), random.below(1_000)],
            };
            ops.push(Op { verb, who, args });
        }
        Self { shape, ops }
    }

    /// Reads what [`Display`](fmt::Display) has written. Empty lines and `#` comments are skipped.
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        let mut lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        let head = lines.next().expect("a team line");
        let field = |name: &str| {
            let named = head.iter().filter_map(|word| word.split_once('='));
            let value = named.into_iter().find(|(other, _)| *other == name);
            let (_, value) = value.unwrap_or_else(|| panic!("no {name} in {head:?}"));
            value.parse::<u64>().unwrap()
        };
        let shape = Shape {
            seed: field("seed"),
            approvers: field("approvers") as usize,
            workers: field("workers") as usize,
            tight: field("tight") == 1,
            prompt: field("prompt"),
            skew: field("skew"),
        };
        let op = |words: Vec<&str>| {
            let verb = Verb::ALL.iter().find(|(_, name, _)| *name == words[0]);
            let number = |at: usize| words.get(at).map_or(0, |word| word.parse().unwrap());
            Op {
                verb: verb.unwrap_or_else(|| panic!("no verb {}", words[0])).0,
                who: shape.place(words[1]).unwrap_or_else(|| panic!("nobody is {}", words[1])),
                args: [number(2), number(3), number(4)],
            }
        };
        Self { shape, ops: lines.map(op).collect() }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape { seed, approvers, workers, tight, prompt, skew } = self.shape;
        let tight = u8::from(tight);
        write!(f, "team seed={seed} approvers={approvers} workers={workers} ")?;
        writeln!(f, "tight={tight} prompt={prompt} skew={skew}")?;
        for Op { verb, who, args } in &self.ops {
            let [a, b, c] = args;
            writeln!(f, "{} {} {a} {b} {c}", verb.name(), self.shape.name(*who))?;
        }
        Ok(())
    }
}

/// Spans of every size: within a tick, a round trip, a term, a long one.
fn span(random: &mut Random) -> u64 {
    let longest = [1, 50, 50, 300, 1_000, 1_000, 5_000, 5_000, 5_000, 20_000, 70_000, 700_000];
    let longest = longest[random.below(12) as usize];
    random.below(longest + 1)
}

/// Of a thousand frames how many are lost and come twice, and the longest delay in ms.
fn weather(random: &mut Random) -> [u64; 3] {
    let loss = [0, 0, 30, 100, 300][random.below(5) as usize];
    let twice = [0, 0, 50, 200][random.below(4) as usize];
    let delay = [0, 20, 20, 400, 400, 3_000, 12_000][random.below(7) as usize];
    [loss, twice, delay]
}
