//! What the engines show, after every step and at the end.

use std::collections::BTreeMap;

use team_protocols::{Engine, Status, Timestamp};

use super::{Laws, broken};

impl Laws {
    /// What an engine shows after an input at `now`, the latest time that it knows.
    pub(crate) fn shown(&self, own: &str, engine: &Engine, now: Timestamp) {
        if let Some(due) = engine.poll_deadline().filter(|due| *due <= now) {
            broken("overdue", format!("{own} left undone what was due at {due:?}, it is {now:?}"));
        }
        if engine.audit().count() > self.audit_limit {
            broken("bounds", format!("{own} keeps {} audit entries", engine.audit().count()));
        }
        for member in engine.team() {
            let first = member.asked.iter().filter(|view| view.peer == member.name).count();
            if member.owed.len() > self.open_limit || first > self.open_limit {
                let (owed, name) = (member.owed.len(), &member.name);
                broken("bounds", format!("{own} has {owed} and {first} open with {name}"));
            }
            for view in member.asked.iter().filter(|view| view.status == Status::Pending) {
                let Some(asked) = self.requests.get(view.request_id.as_str()) else {
                    broken("asked what was meant", format!("{own} shows {view:?}"));
                };
                let longest = view.since.as_ms() + asked.cap + self.pause_max;
                let ends = view.expires_at.map_or(u64::MAX, Timestamp::as_ms);
                if now.as_ms() >= longest || ends > longest {
                    broken("cap", format!("{own} waits beyond {longest}: {view:?}"));
                }
            }
        }
    }

    /// Nothing has happened for longer than anything may take.
    pub(crate) fn ended<'a>(&self, engines: impl Iterator<Item = (&'a str, &'a Engine)> + Clone) {
        for (own, engine) in engines.clone() {
            if let Some(due) = engine.poll_deadline() {
                broken("quiet end", format!("{own} still waits for {due:?}"));
            }
            if let Some(owed) = engine.obligations().first() {
                broken("quiet end", format!("{own} still owes {owed:?}"));
            }
            let life = self.life(own);
            let own_requests =
                self.requests.iter().filter(|(_, asked)| asked.by == own && asked.life == life);
            for (id, asked) in own_requests {
                if asked.settled.is_none() {
                    broken("quiet end", format!("{id} of {own} never ended: {asked:?}"));
                }
            }
            self.remembers(own, engine);
            self.arrived_above(own);
        }
        for (own, engine) in engines {
            self.agrees(own, engine);
        }
    }

    /// A decision is the same on both sides.
    fn agrees(&self, own: &str, engine: &Engine) {
        for (id, asked) in self.requests.iter().filter(|(_, asked)| !asked.panel) {
            let Some(view) = engine.request(id) else { continue };
            let Some((settled, _)) = asked.settled else { continue };
            let opposite = matches!(
                (view.status, settled),
                (Status::Approved, Status::Rejected) | (Status::Rejected, Status::Approved)
            );
            // A new life that old mail has reached decides on what is over: nobody waits for it.
            let opposite = opposite && !self.reborn.contains(own);
            if opposite || view.mine && view.status != settled {
                broken("same everywhere", format!("{own} shows {view:?}, it ended as {settled:?}"));
            }
        }
    }

    /// Ended requests are remembered up to the bound.
    fn remembers(&self, own: &str, engine: &Engine) {
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        let views = self.requests.keys().filter_map(|id| engine.request(id));
        for view in views.filter(|view| view.status.is_terminal()) {
            *kept.entry(view.peer.as_str().to_owned()).or_insert(0) += 1;
        }
        // Approved work that nobody reported is open for ever, within the bound for open ones.
        let most = self.remembered + 2 * self.open_limit;
        if let Some((peer, kept)) = kept.iter().find(|(_, kept)| **kept > most) {
            broken("bounds", format!("{own} remembers {kept} requests with {peer}"));
        }
    }
}
