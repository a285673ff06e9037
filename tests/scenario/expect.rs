//! What a step says must come of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use team_protocols::{Event, Timestamp};

use crate::harness::{Net, START};

/// What came of a step.
pub(crate) struct Came {
    pub(crate) place: String,
    pub(crate) error: Option<&'static str>,
    pub(crate) disposition: Option<&'static str>,
    pub(crate) result: Value,
    pub(crate) hashes: BTreeMap<String, String>,
}

/// Keys of a step that say what it does, not what must come of it.
const DOING: [&str; 12] = [
    "command", "at", "args", "as", "deliver", "keep", "lose", "frame", "from", "to", "again",
    "advance",
];

pub(crate) fn check(net: &mut Net, step: &Map<String, Value>, team: &[String], came: &Came) {
    let place = &came.place;
    assert_eq!(json!(came.error), step.get("error").cloned().unwrap_or_default(), "{place}: error");
    let events: BTreeMap<&String, Vec<Event>> =
        team.iter().map(|member| (member, net.take_events(member))).collect();
    for (key, expected) in step.iter().filter(|(key, _)| !DOING.contains(&key.as_str())) {
        let found = match key.as_str() {
            "error" => continue,
            "disposition" => json!(came.disposition),
            "result" => came.result.clone(),
            "mail" => mail(net),
            "unchanged" => changed(net, expected, came),
            _ => by_member(expected, |member, inner| {
                look(net, key, member, inner, events.get(member).map_or(&[], Vec::as_slice))
                    .unwrap_or_else(|| panic!("{place}: no expectation `{key}`"))
            }),
        };
        let expected = if key == "unchanged" { &json!([]) } else { expected };
        assert!(contains(&found, expected), "{place}: {key}\n found {found}\n wants {expected}");
    }
}

/// What a member's engine says to one kind of question.
fn look(net: &Net, key: &str, own: &str, asked: &Value, events: &[Event]) -> Option<Value> {
    let keys = || asked.as_object().into_iter().flat_map(Map::keys);
    let engine = net.engine(own);
    Some(match key {
        "events" => json!(events),
        "status" => keys().map(|id| (id.clone(), json!(net.status(own, id)))).collect(),
        "liveness" => keys().map(|of| (of.clone(), json!(net.liveness(own, of)))).collect(),
        "owes" => {
            let owed = engine.obligations();
            owed.iter().map(|owed| json!(owed.request.request_id)).collect()
        }
        "deadline" => json!(engine.poll_deadline().map(|at: Timestamp| at.as_ms() - START)),
        "audit" => json!(engine.audit().last()),
        _ => return None,
    })
}

fn by_member(expected: &Value, look: impl Fn(&String, &Value) -> Value) -> Value {
    let members = expected.as_object().into_iter().flatten();
    members.map(|(member, inner)| (member.clone(), look(member, inner))).collect()
}

fn mail(net: &Net) -> Value {
    let waiting = net.network.waiting();
    waiting.map(|(packet, kind)| json!([packet.from, packet.to, kind])).collect()
}

/// Which of these members have another state hash than before.
fn changed(net: &Net, members: &Value, came: &Came) -> Value {
    let members = members.as_array().into_iter().flatten().filter_map(Value::as_str);
    members
        .filter(|own| net.engine(own).state_hash().to_string() != came.hashes[*own])
        .map(|own| json!(own))
        .collect()
}

/// Fields not mentioned are not compared; lists are compared whole.
fn contains(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected.iter().all(|(key, value)| {
            found.get(key).map_or(value.is_null(), |found| contains(found, value))
        }),
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| contains(found, expected))
        }
        (found, expected) => found == expected,
    }
}
