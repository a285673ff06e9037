//! Kinds of the host's own go through the same handshake as those that are always there.

use serde_json::json;
use team_protocols::{
    Alarm, Approval, AskOptions, Details, Disposition, Event, Kind, KindRules, Liveness, Millis,
    Response, Role, Status, Uses,
};

use crate::harness::{Frame, LEAD, Net, code, kind, life, no, payload, tool, yes};

fn grant() -> KindRules {
    kind("resource_grant", &[Role::Worker], &[Role::Lead])
}

fn sync() -> KindRules {
    KindRules { cyclic: true, ..kind("data_sync", &[Role::Worker], &[Role::Worker]) }
}

fn team() -> Net {
    Net::with(&["alice", "bob"], |config| config.kinds.extend([grant(), sync()]))
}

fn asked_of(net: &Net, member: &str) -> team_protocols::RequestEvent {
    let asked = |event: &Event| {
        if let Event::Request(request) = event { Some(request.as_ref().clone()) } else { None }
    };
    net.events(member).iter().rev().find_map(asked).expect("a request")
}

#[test]
fn a_request_of_an_own_kind_is_two_frames_with_payloads_both_ways() {
    let mut net = team();
    let wanted = json!({"gpu": 2, "for": ["训练", null, 1.50]});
    let id = net.ask_for("alice", "resource_grant", LEAD, payload(&wanted)).unwrap();
    let request = asked_of(&net, LEAD);
    assert_eq!((request.request_id.as_str(), request.kind.name()), (id.as_str(), "resource_grant"));
    let json = request.payload.expect("the payload arrives");
    assert_eq!(serde_json::from_str::<serde_json::Value>(json.as_json()).unwrap(), wanted);
    let token = payload(&json!({"token": "t-1"})).payload;
    net.answer(LEAD, &id, Response { payload: token, ..yes() }).unwrap();
    let outcome = net.engine("alice").outcome_of(&id).unwrap();
    assert_eq!(outcome.status, Status::Approved);
    assert_eq!(outcome.payload.unwrap().as_json(), r#"{"token":"t-1"}"#);
    assert_eq!(net.engine(LEAD).request(&id).unwrap().status, Status::Approved);
    assert!(net.engine(LEAD).obligations().is_empty());
}

#[test]
fn numbers_and_order_of_a_payload_are_kept_as_written() {
    let mut net = team();
    let text = "{ \"b\" : 1.50 , \"a\" : [ 1e2, \"\\u00e9\" ] }";
    let details = Details {
        payload: Some(team_protocols::decode_payload(text, &Default::default()).unwrap()),
        ..Details::default()
    };
    net.ask_for("alice", "resource_grant", LEAD, details).unwrap();
    let request = asked_of(&net, LEAD);
    assert_eq!(request.payload.unwrap().as_json(), r#"{"b":1.50,"a":[1e2,"é"]}"#);
}

#[test]
fn a_refusal_needs_a_reason_as_the_kind_declares() {
    let lenient = KindRules { refusal_needs_reason: false, ..grant() };
    for (rules, expected) in [(grant(), "reason_required"), (lenient, "")] {
        let mut net = Net::with(&["alice"], |config| config.kinds.push(rules.clone()));
        let id = net.ask_for("alice", "resource_grant", LEAD, Details::default()).unwrap();
        let answered = net.answer(LEAD, &id, no(" "));
        assert_eq!(answered.as_ref().err().map_or("", |error| error.code()), expected);
    }
}

#[test]
fn roles_are_checked_on_both_sides() {
    let mut net = team();
    for (own, kind, to) in [
        (LEAD, "resource_grant", "alice"),
        ("alice", "resource_grant", "bob"),
        ("alice", "data_sync", LEAD),
        (LEAD, "data_sync", "alice"),
    ] {
        let refused = net.ask_for(own, kind, to, Details::default());
        assert_eq!(code(&refused), "not_allowed", "{own} {kind} {to}");
    }
    let message = json!({"type": "request", "request_id": "r", "kind": "resource_grant"});
    let frame = Frame::new("alice", life(1), "bob", message);
    let hash = net.engine("bob").state_hash();
    let judged = net.send("alice", "bob", &frame.text());
    let Disposition::Refused(error) = judged else { panic!("{judged:?}") };
    assert_eq!(error.code(), "not_allowed");
    assert_eq!(net.engine("bob").state_hash(), hash);
}

#[test]
fn a_response_of_another_kind_decides_nothing() {
    let mut net = team();
    let id = net.ask_for("alice", "data_sync", "bob", Details::default()).unwrap();
    let message = json!({"type": "response", "request_id": id, "kind": "dependency",
                         "approve": true});
    net.send("bob", "alice", &Frame::new("bob", life(2), "alice", message).text());
    assert_eq!(net.engine("alice").request(&id).unwrap().status, Status::Pending);
}

#[test]
fn a_gate_of_an_own_kind_opens_for_its_scope_and_asks_for_a_report() {
    let rules = KindRules { approval: Approval::OpensGate, ..grant() };
    let mut net = Net::with(&["alice"], |config| config.kinds.push(rules.clone()));
    let scope = vec!["use:gpu/**".to_owned()];
    let details = Details { scope, uses: Uses::Once, ..Details::default() };
    let id = net.ask_for("alice", "resource_grant", LEAD, details).unwrap();
    assert_eq!(code(&net.enter_gate("alice", "use:gpu/0")), "gate_no_plan");
    net.approve(LEAD, &id);
    assert_eq!(net.enter_gate("alice", "use:gpu/0").unwrap().1, id);
    assert_eq!(code(&net.enter_gate("alice", "use:gpu/1")), "gate_spent");
    net.report("alice", &id, true).unwrap();
    assert!(net.events(LEAD).iter().any(|event| matches!(event, Event::Report(r) if r.ok)));
    assert_eq!(code(&net.enter_gate("alice", "use:gpu/0")), "gate_no_plan");
}

#[test]
fn a_decision_on_another_digest_opens_no_gate() {
    let rules = KindRules { approval: Approval::OpensGate, ..grant() };
    let mut net = Net::with(&["alice"], |config| config.kinds.push(rules.clone()));
    let details = |scope: &str| Details { scope: vec![scope.to_owned()], ..Details::default() };
    let id = net.ask_for("alice", "resource_grant", LEAD, details("use:gpu/0")).unwrap();
    let other = details("use:gpu/**").digest(&Kind::parse("resource_grant").unwrap());
    let message = json!({"type": "response", "request_id": id, "kind": "resource_grant",
                         "approve": true, "digest": other.to_string()});
    net.send(LEAD, "alice", &Frame::from_lead("alice", message).text());
    assert_eq!(net.engine("alice").request(&id).unwrap().status, Status::Pending);
    assert_eq!(code(&net.enter_gate("alice", "use:gpu/0")), "gate_no_plan");
}

#[test]
fn whoever_approves_a_kind_that_means_leaving_leaves() {
    let rules = KindRules {
        approval: Approval::Leaves,
        blocking: false,
        ..kind("relocate", &[Role::Lead], &[Role::Worker])
    };
    let mut net = Net::with(&["alice"], |config| config.kinds.push(rules.clone()));
    let id = net.ask_for(LEAD, "relocate", "alice", Details::default()).unwrap();
    net.approve("alice", &id);
    assert_eq!(net.engine("alice").presence(), Liveness::Leaving);
    net.exit("alice").unwrap();
    let team = net.engine(LEAD).team();
    let alice = team.iter().find(|member| member.name.as_str() == "alice").unwrap();
    assert_eq!(alice.liveness, Liveness::Left);
}

#[test]
fn a_kind_has_limits_of_its_own() {
    let rules =
        KindRules { timeout: Some(Millis::new(2_000)), cap: Some(Millis::new(3_000)), ..grant() };
    let mut net = Net::with(&["alice"], |config| config.kinds.push(rules.clone()));
    let id = net.ask_for("alice", "resource_grant", LEAD, Details::default()).unwrap();
    let view = net.engine("alice").request(&id).unwrap();
    assert_eq!(view.expires_at, Some(view.since.after(Millis::new(2_000))));
    net.advance(2_000);
    assert_eq!(net.engine("alice").request(&id).unwrap().status, Status::TimedOut);
}

#[test]
fn a_worker_waits_for_another_one_without_any_gate() {
    let mut net = Net::team(&["alice", "bob"]);
    let on = payload(&json!({"on": "the interface of the model"}));
    let id = net.ask_for("alice", "dependency", "bob", on).unwrap();
    assert_eq!(net.engine("bob").obligations().len(), 1);
    net.approve("bob", &id);
    assert_eq!(net.engine("alice").request(&id).unwrap().status, Status::Approved);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_no_plan");
    assert!(
        net.events("alice")
            .iter()
            .all(|e| !matches!(e, Event::Alarm(a) if a.alarm == Alarm::Forged))
    );
}

#[test]
fn a_model_asks_and_answers_as_its_obligation_spells_out() {
    let mut net = team();
    let ask = json!({"type": "request", "kind": "resource_grant", "payload": {"gpu": 1}});
    let asked = tool(&mut net, "alice", json!({"to": LEAD, "message": ask})).unwrap();
    assert_eq!(asked.sent, "request");
    let obligation = net.engine(LEAD).obligations().remove(0);
    let answer: serde_json::Value = serde_json::from_str(&obligation.approve_with).unwrap();
    assert_eq!(answer["message"]["type"], "response");
    let done = tool(&mut net, LEAD, answer).unwrap();
    assert_eq!((done.sent, done.request_id), ("response", asked.request_id.clone()));
    let id = asked.request_id.unwrap();
    assert_eq!(net.engine("alice").request(id.as_str()).unwrap().status, Status::Approved);
}

#[test]
fn a_generic_response_answers_no_shutdown_and_no_plan() {
    let mut net = Net::team(&["alice"]);
    let id = net.try_shutdown("alice", AskOptions::default()).unwrap();
    let message = json!({"type": "response", "request_id": id, "approve": true});
    let refused = tool(&mut net, "alice", json!({"to": LEAD, "message": message}));
    assert_eq!(code(&refused), "own_messages");
    assert_eq!(net.engine(LEAD).request(&id).unwrap().status, Status::Pending);
}

#[test]
fn the_same_request_twice_waits_once() {
    let mut net = team();
    let details = || payload(&json!({"gpu": 1}));
    net.ask_for("alice", "resource_grant", LEAD, details()).unwrap();
    let again = net.ask_for("alice", "resource_grant", LEAD, details());
    assert_eq!(code(&again), "already_pending");
    net.ask_for("alice", "resource_grant", LEAD, payload(&json!({"gpu": 2}))).unwrap();
}
