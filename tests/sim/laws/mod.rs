//! What must hold after every step, judged by a log of its own: what each member really did.
//!
//! The log knows nothing of how an engine works. It is told every call that was accepted, every
//! frame that arrived and every event, in this order, and what the engines show afterwards.

mod climbs;
pub(crate) mod events;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use team_protocols::{Cause, ScopeEntry, Status, Uses};

/// Stops the simulation: this law is broken.
pub(crate) fn broken(law: &str, how: String) -> ! {
    panic!("{law}: {how}")
}

/// Every law that the log judges, by name. Those of the harness (one disposition per frame, nothing
/// left behind by a drop, an audit without gaps) come on top.
pub(crate) const LAWS: [&str; 26] = [
    "one settlement",
    "same everywhere",
    "no approval without its act",
    "no refusal without its act",
    "no vote without its act",
    "asked once",
    "asked what was meant",
    "gate",
    "one shot",
    "cap",
    "overdue",
    "spurious wake",
    "bounds",
    "lost while heard",
    "one victim",
    "false alarm",
    "work once",
    "report without act",
    "text once",
    "refused call",
    "honest frame",
    "still works",
    "quiet end",
    "replay",
    "escalation",
    "reopened without act",
];

/// One request, as its requester made it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) by: String,
    pub(crate) life: u64,
    pub(crate) kind: String,
    pub(crate) leaves: bool,
    pub(crate) digest: Option<String>,
    /// Who votes, how many must say yes, whether one no ends it. One member alone is one stage.
    pub(crate) stages: Vec<(Vec<String>, usize, bool)>,
    pub(crate) panel: bool,
    /// When, by the clock of the requester.
    pub(crate) opened: u64,
    /// The hard limit in ms.
    pub(crate) cap: u64,
    pub(crate) scope: Vec<String>,
    pub(crate) uses: Uses,
    pub(crate) works: (bool, bool),
    pub(crate) settled: Option<(Status, Cause)>,
    /// Whether the gate of its requester may be open for it.
    pub(crate) open: bool,
    /// How many actions run under it.
    pub(crate) running: usize,
    pub(crate) reported: Option<bool>,
    pub(crate) undone: BTreeSet<bool>,
    /// How many runs of its works began.
    pub(crate) runs: u32,
}

/// What one member made another believe about its life.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    heard: Option<u64>,
    /// Requests in a row that it did not answer, and when the last of them was asked.
    strikes: u32,
    since: u64,
}

/// The log.
#[derive(Default)]
pub(crate) struct Laws {
    pub(crate) requests: BTreeMap<String, Asked>,
    /// What each life of a member said on a request.
    acts: BTreeMap<(String, String), Vec<(u64, bool)>>,
    pub(crate) lives: BTreeMap<String, u64>,
    /// Lives that agreed to leave or left.
    gone: BTreeSet<(String, u64)>,
    /// Lives that had a critical section, and that handed in a plan.
    sections: BTreeSet<(String, u64)>,
    planned: BTreeSet<(String, u64)>,
    /// The request for a plan that shuts a gate.
    held: BTreeMap<(String, u64), String>,
    /// How often each life was asked, and how many ends there had been the first time.
    asked: BTreeMap<(String, u64, String), (u32, usize)>,
    /// How often a request was decided or ended somewhere.
    ends: usize,
    signs: BTreeMap<(String, String), Signs>,
    victims: BTreeMap<Vec<String>, String>,
    /// Runs of works that must begin in this step.
    due: Vec<(String, &'static str)>,
    /// Runs that a host was told to begin and has not ended, and those of them that the host of its
    /// next process must be told of in this step.
    under_way: BTreeSet<(String, u32)>,
    again: BTreeSet<(String, u32)>,
    /// Shutdowns that are asked again by themselves, by their first request.
    climbs: BTreeMap<String, climbs::Climb>,
    /// Who has reopened which request.
    reopened: BTreeSet<(String, String)>,
    texts: BTreeSet<String>,
    told: BTreeSet<(String, u64, String)>,
    /// Members that had more than one life.
    pub(crate) reborn: BTreeSet<String>,
    /// Members whose clock was set back, by more than clocks may differ perhaps.
    pub(crate) set_back: BTreeSet<String>,
    /// Members of which some host has said that they are gone.
    pub(crate) said_gone: BTreeSet<String>,
    /// Whether somebody has tampered with frames.
    pub(crate) tampered: bool,
    pub(crate) tight: bool,
    /// What the clock of the member shows that is judged.
    pub(crate) now: u64,
    pub(crate) strike_limit: u32,
    pub(crate) pause_max: u64,
    pub(crate) open_limit: usize,
    pub(crate) audit_limit: usize,
    pub(crate) remembered: usize,
}

impl Laws {
    pub(crate) fn life(&self, name: &str) -> u64 {
        self.lives.get(name).copied().unwrap_or(0)
    }

    fn key(&self, name: &str) -> (String, u64) {
        (name.to_owned(), self.life(name))
    }

    // ---- what members did ----

    /// A member asked for something.
    pub(crate) fn asked(&mut self, id: &str, asked: Asked) {
        if asked.kind == "plan_approval" {
            self.planned.insert((asked.by.clone(), asked.life));
        }
        self.requests.entry(id.to_owned()).or_insert(asked);
    }

    /// A member decided, and its engine took it.
    pub(crate) fn decided(&mut self, by: &str, id: &str, approve: bool) {
        let life = self.life(by);
        if approve && self.requests.get(id).is_some_and(|asked| asked.leaves) {
            self.left(by);
        }
        self.ends += 1;
        let forgotten = self.may_be_forgotten(by, id);
        let acts = self.acts.entry((by.to_owned(), id.to_owned())).or_default();
        if acts.iter().any(|(of, _)| *of == life) && !forgotten {
            broken("one settlement", format!("{by} decided twice on {id}"));
        }
        acts.push((life, approve));
    }

    /// An answer that was lost may be forgotten when so many others have come after it.
    fn may_be_forgotten(&self, by: &str, id: &str) -> bool {
        let asked = self.asked.get(&(by.to_owned(), self.life(by), id.to_owned()));
        asked.is_some_and(|(_, first)| self.ends - first >= self.remembered)
    }

    /// A member agreed to leave, left, or was closed: no gate of it is open.
    pub(crate) fn left(&mut self, name: &str) {
        let key = self.key(name);
        self.shut(name);
        self.gone.insert(key);
    }

    pub(crate) fn entered_section(&mut self, name: &str) {
        let key = self.key(name);
        self.sections.insert(key);
    }

    pub(crate) fn said(&mut self, text: &str) {
        self.texts.insert(text.to_owned());
    }

    /// A member reported how approved work went.
    pub(crate) fn reported(&mut self, id: &str, ok: bool) {
        let Some(asked) = self.requests.get_mut(id) else { return };
        if asked.settled.map(|(status, _)| status) != Some(Status::Approved) {
            broken("report without act", format!("{id} was never approved"));
        }
        asked.reported = Some(ok);
        asked.open = false;
        if !ok && asked.works.1 {
            self.due.push((id.to_owned(), "compensation"));
        }
    }

    /// A run of work is over.
    pub(crate) fn undone(&mut self, id: &str, ok: bool) {
        if let Some(asked) = self.requests.get_mut(id) {
            asked.undone.insert(ok);
        }
    }

    /// A run is to begin again.
    pub(crate) fn rerun(&mut self, id: &str) {
        self.due.push((id.to_owned(), "again"));
    }

    /// A guarded action was let through.
    pub(crate) fn entered(&mut self, own: &str, id: &str, action: &str) {
        let (key, life) = (self.key(own), self.life(own));
        if let Some(held) = self.held.get(&key) {
            broken("gate", format!("{own} passed while {held} asks for a plan"));
        }
        let Some(asked) = self.requests.get_mut(id) else {
            broken("gate", format!("{own} passed under {id}, which nobody asked"));
        };
        let parsed = team_protocols::Action::parse(action).unwrap();
        let covers = |entry: &String| ScopeEntry::parse(entry).unwrap().covers(&parsed);
        if asked.by != own || asked.life != life || !asked.open {
            broken("gate", format!("{own} passed under {id}: {asked:?}"));
        }
        if !asked.scope.iter().any(covers) {
            broken("gate", format!("{action} is not in the scope of {id}: {:?}", asked.scope));
        }
        asked.running += 1;
        if asked.uses == Uses::Once && asked.running > 1 {
            broken("one shot", format!("{own} passed twice under {id}"));
        }
    }

    /// An action did not start after all.
    pub(crate) fn gave_back(&mut self, id: &str) {
        if let Some(asked) = self.requests.get_mut(id) {
            asked.running = asked.running.saturating_sub(1);
        }
    }

    /// A run is over, or nobody is at it.
    pub(crate) fn work_over(&mut self, id: &str, run: u32) {
        self.under_way.remove(&(id.to_owned(), run));
    }

    /// Whatever ran work for a member is gone.
    pub(crate) fn works_interrupted(&mut self, own: &str) {
        let of_own = self.works_of(own);
        self.under_way.retain(|run| !of_own.contains(run));
    }

    /// Another process of a member goes on.
    pub(crate) fn restarted(&mut self, own: &str) {
        self.again = self.works_of(own);
        // Its host is asked anew whatever waits for an answer.
        let key = self.key(own);
        self.asked.retain(|(name, life, _), _| (name, *life) != (&key.0, key.1));
    }

    fn works_of(&self, own: &str) -> BTreeSet<(String, u32)> {
        let life = self.life(own);
        let of_own = |(id, _): &&(String, u32)| {
            self.requests.get(id).is_some_and(|asked| asked.by == own && asked.life == life)
        };
        self.under_way.iter().filter(of_own).cloned().collect()
    }

    /// A new life of a member began.
    pub(crate) fn born(&mut self, name: &str, life: u64) {
        if self.lives.insert(name.to_owned(), life).is_some() {
            self.reborn.insert(name.to_owned());
            self.signs.retain(|(to, _), _| to != name);
        }
    }

    /// A member learned of a new life of another.
    pub(crate) fn announced(&mut self, to: &str, name: &str) {
        self.signs.remove(&(to.to_owned(), name.to_owned()));
    }

    fn shut(&mut self, name: &str) {
        let life = self.life(name);
        let own = self.requests.values_mut().filter(|asked| asked.by == name && asked.life == life);
        own.for_each(|asked| asked.open = false);
    }

    /// Whether some life of a member said so.
    fn acted(&self, by: &str, id: &str, approve: bool) -> bool {
        let acts = self.acts.get(&(by.to_owned(), id.to_owned()));
        acts.is_some_and(|acts| acts.iter().any(|(_, said)| *said == approve))
    }

    /// Whether this life of a member has agreed to leave, or left.
    pub(crate) fn is_gone(&self, name: &str) -> bool {
        self.gone.contains(&self.key(name))
    }

    fn ever(set: &BTreeSet<(String, u64)>, name: &str) -> bool {
        set.iter().any(|(of, _)| of == name)
    }

    /// Whether a yes of this member is its own: it said so, or it did what amounts to it.
    fn really_approved(&self, by: &str, id: &str, asked: &Asked) -> bool {
        self.acted(by, id, true)
            || asked.leaves && Self::ever(&self.gone, by)
            || asked.kind == "plan_request" && Self::ever(&self.planned, by)
    }

    /// Whether a no of this member is its own: it said so, is in a critical section, or has refused
    /// the same plan before.
    fn really_refused(&self, by: &str, id: &str, asked: &Asked) -> bool {
        let before = |(other, of): (&String, &Asked)| {
            of.digest == asked.digest && of.by == asked.by && self.acted(by, other, false)
        };
        self.acted(by, id, false)
            || asked.leaves && Self::ever(&self.sections, by)
            || asked.kind == "plan_approval" && self.requests.iter().any(before)
    }
}
