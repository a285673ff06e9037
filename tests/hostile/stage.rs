//! A team in the middle of everything.

use serde_json::{Value, json};
use team_protocols::{AskOptions, Config, Details, Kind, Role, Status, Uses};

use crate::harness::{Counting, Frame, LEAD, Net, digest, life, member, name, plan, stage};

/// A team with requests of every sort that wait.
pub(crate) struct Stage {
    pub(crate) net: Net,
    /// The lead asks alice to leave.
    pub(crate) shutdown: String,
    /// Alice asks the lead about a plan.
    pub(crate) plan: String,
    /// Alice asks ann and the lead about another one, and both must agree.
    pub(crate) panel: String,
    /// Alice waits for bob.
    pub(crate) dependency: String,
}

/// The frame that must do nothing.
pub(crate) struct Blow {
    pub(crate) victim: String,
    pub(crate) channel: String,
    pub(crate) frame: String,
}

/// What must not change.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) hash: String,
    pub(crate) lines: usize,
    pub(crate) statuses: Vec<(String, Status)>,
}

impl State {
    pub(crate) fn of(net: &Net, own: &str) -> Self {
        let engine = net.engine(own);
        let views = engine.team().into_iter().flat_map(|of| [of.asked, of.owed].concat());
        Self {
            hash: engine.state_hash().to_string(),
            lines: net.node(own).store.journal.lines().count(),
            statuses: views
                .map(|view| (view.request_id.as_str().to_owned(), view.status))
                .collect(),
        }
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        let ann = || member("ann", Role::Approver);
        let mut net = Net::with(&["alice", "bob"], |config| config.members.push(ann()));
        let members = [member(LEAD, Role::Lead)].into_iter();
        let workers = ["alice", "bob"].map(|worker| member(worker, Role::Worker));
        let members = members.chain(workers).chain([ann()]).collect();
        let ids = Box::new(Counting { member: 3, next: 0 });
        net.add_node(Config::new(name("ann"), life(3), members), ids, 0);
        for own in ["alice", "bob", "ann"] {
            net.idle(own);
        }
        // Everybody knows everybody's life.
        for (own, to) in [("alice", "bob"), ("bob", "alice"), ("ann", "alice"), ("alice", "ann")] {
            net.say(own, to, "hello").unwrap();
        }
        for to in ["alice", "bob", "ann"] {
            net.say(LEAD, to, "hello").unwrap();
        }
        let shutdown = net.ask_shutdown("alice");
        let plan_id = net.submit("alice", plan(), Uses::Once);
        let stages = vec![stage(&["ann", LEAD], 2, false)];
        let options = AskOptions { stages, ..AskOptions::default() };
        let other = crate::harness::scoped(&["delete:old"]);
        let panel = net.act("alice", |e, now| e.submit_plan(now, other, Uses::Once, options));
        net.run_until_quiet();
        let dependency = net.ask_for("alice", "dependency", "bob", Details::default()).unwrap();
        let panel = panel.unwrap().as_str().to_owned();
        Self { net, shutdown, plan: plan_id, panel, dependency }
    }

    pub(crate) fn lines(&self, own: &str) -> usize {
        self.net.node(own).store.journal.lines().count()
    }

    /// Puts in the ids.
    pub(crate) fn fill(&self, text: &str) -> String {
        let digest = digest(&plan(), Uses::Once);
        let fills = [
            ("$SHUTDOWN", &self.shutdown),
            ("$PLAN", &self.plan),
            ("$PANEL", &self.panel),
            ("$DEPENDENCY", &self.dependency),
            ("$DIGEST", &digest),
        ];
        fills.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// What a member sends in its own name. `$…` stands for the ids.
    pub(crate) fn sends(&self, from: &str, to: &str, message: &str) -> Blow {
        self.sends_as(from, from, to, message)
    }

    /// What a member sends in the name of another.
    pub(crate) fn sends_as(&self, channel: &str, from: &str, to: &str, message: &str) -> Blow {
        Blow {
            victim: to.to_owned(),
            channel: channel.to_owned(),
            frame: self.frame(from, to, message).text(),
        }
    }

    pub(crate) fn frame(&self, from: &str, to: &str, message: &str) -> Frame {
        let message: Value = serde_json::from_str(&self.fill(message)).unwrap();
        let place = [LEAD, "alice", "bob", "ann"].iter().position(|of| *of == from);
        Frame::new(from, life(place.unwrap_or(9) as u64), to, message)
    }

    /// Sends a frame that comes before the last one.
    pub(crate) fn first(&mut self, from: &str, to: &str, message: &str) {
        let frame = self.frame(from, to, message).seq(400).text();
        self.net.send(from, to, &frame);
        self.net.run_until_quiet();
    }

    pub(crate) fn blow(channel: &str, victim: &str, frame: &Frame) -> Blow {
        Blow { victim: victim.to_owned(), channel: channel.to_owned(), frame: frame.text() }
    }

    /// Alice is another life now, and everybody knows.
    pub(crate) fn alice_again(&mut self) -> team_protocols::Incarnation {
        self.net.advance(70_000);
        let now = crate::harness::at(self.net.now());
        let later = team_protocols::Incarnation::new(now, 77);
        let config = crate::harness::config(&["alice", "bob"], "alice");
        self.net.respawn("alice", Config { incarnation: later, ..config });
        for own in [LEAD, "bob", "ann"] {
            self.net.act(own, |e, now| e.announce(now, "alice", later)).unwrap();
        }
        later
    }
}

/// A request of a kind of its own.
pub(crate) fn request(kind: &str, id: &str) -> String {
    assert!(Kind::parse(kind).is_ok());
    json!({"type": "request", "request_id": id, "kind": kind}).to_string()
}
