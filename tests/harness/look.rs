//! What came of it: reading a team after the fact.

use std::collections::BTreeMap;

use team_protocols::{Alarm, Event, Liveness, MemberView, Outcome, Status};

use super::Net;

impl Net {
    /// The events of a member since they were last taken.
    pub(crate) fn take_events(&mut self, own: &str) -> Vec<Event> {
        std::mem::take(&mut self.node_mut(own).events)
    }

    pub(crate) fn events(&self, own: &str) -> &[Event] {
        &self.node(own).events
    }

    pub(crate) fn alarms(&self, own: &str) -> Vec<Alarm> {
        let alarm = |event: &Event| {
            if let Event::Alarm(alarm) = event { Some(alarm.alarm) } else { None }
        };
        self.events(own).iter().filter_map(alarm).collect()
    }

    pub(crate) fn alarm_count(&self, own: &str, alarm: Alarm) -> usize {
        self.alarms(own).into_iter().filter(|other| *other == alarm).count()
    }

    /// How a request of this member ended; it must have told so exactly once.
    pub(crate) fn outcome(&self, own: &str, id: &str) -> Outcome {
        let told = self.node(own).watch.settled(id);
        assert_eq!(told, 1, "{own} told the end of {id} {told} times");
        self.engine(own).outcome_of(id).unwrap()
    }

    pub(crate) fn status(&self, own: &str, id: &str) -> Status {
        self.engine(own).request(id).unwrap_or_else(|| panic!("{own} knows no {id}")).status
    }

    pub(crate) fn view(&self, own: &str, of: &str) -> MemberView {
        self.engine(own).team().into_iter().find(|view| view.name.as_str() == of).unwrap()
    }

    pub(crate) fn liveness(&self, own: &str, of: &str) -> Liveness {
        self.view(own, of).liveness
    }

    /// How many requests came to a member's host.
    pub(crate) fn asked(&self, own: &str) -> usize {
        self.events(own).iter().filter(|event| matches!(event, Event::Request(_))).count()
    }

    /// Which audit codes of a kind a member wrote, counted.
    pub(crate) fn audit_codes(&self, own: &str) -> BTreeMap<String, usize> {
        let mut codes = BTreeMap::new();
        for code in self.engine(own).audit().filter_map(|entry| entry.code) {
            *codes.entry(code.to_owned()).or_insert(0) += 1;
        }
        codes
    }
}
