//! Time goes on, and things happen in it.

use team_protocols::{Engine, Incarnation, MemberView};

use super::{Later, Member, World};
use crate::harness::START;

impl World {
    /// Lets time pass, one thing after the other.
    pub(crate) fn run(&mut self, ms: u64) {
        let end = self.now() + ms;
        let mut standing = 0;
        while let Some(at) = self.next_moment().filter(|at| *at <= end) {
            standing = if at <= self.now() { standing + 1 } else { 0 };
            if standing > 20_000 {
                crate::laws::broken("quiet end", format!("busy for ever at {at}"));
            }
            self.net.set_now(at.saturating_sub(START));
            self.step();
        }
        self.net.set_now(end - START);
    }

    fn next_moment(&self) -> Option<u64> {
        let deadlines = (0..self.members.len()).filter_map(|place| self.deadline(place));
        let held = self.members.iter().filter(|of| of.up && !of.held.is_empty());
        let held = held.map(|of| of.asleep_until);
        let later = self.later.keys().next().map(|(at, _)| *at);
        deadlines.chain(held).chain(later).chain(self.net.network.next_arrival()).min()
    }

    /// When a member must be woken, in true time.
    fn deadline(&self, place: usize) -> Option<u64> {
        let of = &self.members[place];
        let due = self.engine(place)?.poll_deadline()?.as_ms();
        let due = due.saturating_add_signed(-self.net.node(&of.name).skew);
        Some(due.max(of.asleep_until))
    }

    fn step(&mut self) {
        let now = self.now();
        if let Some(key) = self.later.keys().next().copied().filter(|(at, _)| *at <= now) {
            match self.later.remove(&key) {
                Some(Later::Announce { to, who, life }) => self.announced(to, who, life),
                Some(Later::GoOn { who, life }) => {
                    if self.members[who].life == life {
                        self.go_on(who);
                    }
                }
                Some(Later::See { who, life, to })
                    if self.awake(who) && self.members[who].life == life =>
                {
                    crate::answering::see_to(self, who, to);
                }
                Some(Later::See { .. }) | None => {}
            }
            return;
        }
        let rested = |of: &Member| of.up && !of.held.is_empty() && of.asleep_until <= now;
        if let Some(place) = self.members.iter().position(rested) {
            let (packet, channel, tampered) = self.members[place].held.remove(0);
            self.take_in(&packet, &channel, tampered);
            return;
        }
        if let Some(packet) = self.net.network.arrive(now) {
            let from = packet.from.clone();
            self.hand_over(&packet, &from);
            return;
        }
        for place in 0..self.members.len() {
            if self.deadline(place).is_some_and(|due| due <= now) {
                self.wake(place);
            }
        }
    }

    fn announced(&mut self, to: usize, who: usize, life: Incarnation) {
        if self.members[to].kept.is_some() {
            // Its host hears of it when it is there again.
            self.order += 1;
            let again = Later::Announce { to, who, life };
            self.later.insert((self.now() + 500, self.order), again);
            return;
        }
        if !self.members[to].up || self.members[who].life != life {
            return;
        }
        let (own, name) = (self.members[to].name.clone(), self.members[who].name.clone());
        // A member that has spoken already is no news.
        let team = self.engine(to).map(Engine::team).unwrap_or_default();
        let spoke =
            |view: &MemberView| view.name.as_str() == name && view.incarnation == Some(life);
        let news = !team.iter().any(spoke);
        let done = self.call(to, |engine, now| engine.announce(now, &name, life));
        if done.is_ok() && news {
            self.laws.announced(&own, &name);
        }
        if self.members[to].up {
            self.judge(to);
        }
        if self.members[to].kept.is_some() {
            self.announced(to, who, life);
        }
    }
}
