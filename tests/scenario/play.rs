//! Plays a scenario, step by step.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use team_protocols::{Config, Millis, Role, Sender};

use crate::commands;
use crate::expect::{Came, check};
use crate::harness::{LEAD, Net, START, life, member, verdict};
use crate::names::{Named, Names};

/// A scenario under way.
struct Stage {
    net: Net,
    team: Vec<String>,
    names: Names,
    kept: BTreeMap<String, (String, String, String)>,
}

pub(crate) fn play(name: &str, scenario: &Value) {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().expect("a list");
        items.iter().map(|item| item.as_str().expect("a name").to_owned()).collect()
    };
    let workers = texts(&scenario["workers"]);
    let borrowed: Vec<&str> = workers.iter().map(String::as_str).collect();
    let options = &scenario["options"];
    let approvers = scenario.get("approvers").map(texts).unwrap_or_default();
    let configure = |config: &mut Config| {
        config.members.extend(approvers.iter().map(|name| member(name, Role::Approver)));
        configure(config, options);
    };
    let mut net = Net::with(&borrowed, configure);
    for (place, own) in (1 + workers.len() as u64..).zip(&approvers) {
        let mut config = crate::harness::config(&borrowed, LEAD);
        (config.member, config.incarnation) = (crate::harness::name(own), life(place));
        configure(&mut config);
        net.add(config, place);
    }
    let mut team = vec![LEAD.to_owned()];
    team.extend(workers.iter().cloned().chain(approvers.iter().cloned()));
    let mut names = Names::default();
    for (place, member) in (0..).zip(&team) {
        names.set(&format!("{member}.life"), Named::Text(life(place).to_string()));
    }
    let mut stage = Stage { net, team, names, kept: BTreeMap::new() };
    for (number, step) in scenario["steps"].as_array().expect("steps").iter().enumerate() {
        stage.step(name, number, step);
    }
}

fn configure(config: &mut Config, options: &Value) {
    for (key, value) in options.as_object().into_iter().flatten() {
        match key.as_str() {
            "trustClaimedSender" => {
                config.trust_claimed_sender = value.as_bool().expect("a boolean")
            }
            "timing" => {
                for (field, ms) in value.as_object().expect("timing") {
                    let span = Millis::new(ms.as_u64().expect("milliseconds"));
                    match field.as_str() {
                        "timeoutMs" => config.timing.timeout = span,
                        "capMs" => config.timing.cap = span,
                        unknown => panic!("no timing `{unknown}`"),
                    }
                }
            }
            unknown => panic!("no option `{unknown}`"),
        }
    }
}

impl Stage {
    fn step(&mut self, scenario: &str, number: usize, step: &Value) {
        let doing = self.names.resolve(step);
        let doing = doing.as_object().expect("a step");
        let hash = |own: &String| (own.clone(), self.net.engine(own).state_hash().to_string());
        let mut came = Came {
            place: format!("{scenario}, step {number} {step}"),
            error: None,
            disposition: None,
            result: Value::Null,
            hashes: self.team.iter().map(hash).collect(),
        };
        self.perform(number, doing, &mut came);
        // Once more, for the step may have named what its expectations speak of.
        let resolved = self.names.resolve(step);
        check(&mut self.net, resolved.as_object().expect("a step"), &self.team, &came);
    }

    fn perform(&mut self, number: usize, doing: &Map<String, Value>, came: &mut Came) {
        let text = |key: &str| doing.get(key).and_then(Value::as_str);
        if let Some(command) = text("command") {
            // Names of permits and sections stay as they are: they stand for no text.
            let args = doing.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
            let names = &self.names;
            let own = text("at").expect("at");
            let done = self.net.act(own, |e, now| commands::call(e, now, command, &args, names));
            match done {
                Ok((result, named)) => {
                    came.result = result;
                    if let (Some(name), Some(named)) = (text("as"), named) {
                        if let Some(id) = came.result["requestId"].as_str() {
                            self.names
                                .set(&format!("{name}.requestId"), Named::Text(id.to_owned()));
                        }
                        self.names.set(name, named);
                    }
                }
                Err(error) => came.error = Some(error.code()),
            }
        } else if let Some(which) = text("deliver") {
            came.disposition = self.deliver(which, text("keep"));
        } else if let Some(which) = text("lose") {
            while self.net.network.arrive(u64::MAX).is_some() && which == "all" {}
        } else if let Some(frame) = doing.get("frame") {
            let (from, to) = (text("from"), text("to").expect("to").to_owned());
            let frame = self.frame(number, frame, from, &to);
            let sender = from.map_or(Sender::Unknown, Sender::Channel);
            came.disposition = Some(verdict(&self.net.deliver(&to, &frame, sender)));
        } else if let Some(name) = text("again") {
            let (from, to, frame) = self.kept[name].clone();
            came.disposition = Some(verdict(&self.net.send(&from, &to, &frame)));
        } else {
            let ms = doing.get("advance").and_then(Value::as_u64).expect("something to do");
            self.net.advance(ms);
        }
    }

    fn deliver(&mut self, which: &str, keep: Option<&str>) -> Option<&'static str> {
        if which == "all" {
            self.net.run_until_quiet();
            return None;
        }
        let packet = self.net.network.arrive(u64::MAX).expect("mail");
        let disposition = self.net.send(&packet.from, &packet.to, &packet.frame);
        if let Some(name) = keep {
            self.kept.insert(name.to_owned(), (packet.from, packet.to, packet.frame));
        }
        Some(verdict(&disposition))
    }

    /// A frame made by hand, with what is missing filled in.
    fn frame(&self, number: usize, given: &Value, from: Option<&str>, to: &str) -> String {
        let Some(given) = given.as_object() else {
            return given.as_str().expect("an object or a text").to_owned();
        };
        let place = self.team.iter().position(|member| Some(member.as_str()) == from);
        let mut frame = json!({
            "v": 1,
            "id": format!("by-hand-{number}"),
            "seq": 1_000 + number,
            "from": from,
            "from_incarnation": place.map(|place| life(place as u64).to_string()),
            "to": to,
            "at": START + self.net.now(),
        });
        for (field, value) in given {
            frame[field] = value.clone();
        }
        let fields = frame.as_object_mut().expect("an object");
        fields.retain(|_, value| !value.is_null());
        frame.to_string()
    }
}
