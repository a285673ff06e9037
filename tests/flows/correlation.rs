//! Which request an answer belongs to.

use serde_json::{Value, json};
use team_protocols::{Alarm, Event, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, digest, no, plan, scoped, verdict, yes};

fn yes_from(place: u64, from: &str, id: &str, seq: u64) -> String {
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    Frame::from_worker(place, from, message).seq(seq).text()
}

fn no_from(place: u64, from: &str, id: &str, seq: u64) -> String {
    let message =
        json!({"type": "shutdown_response", "request_id": id, "approve": false, "reason": "busy"});
    Frame::from_worker(place, from, message).seq(seq).text()
}

fn ask_plan(place: u64, from: &str, id: Value, seq: u64) -> Frame {
    let message = json!({"type": "plan_approval_request", "request_id": id, "plan": plan(),
                         "uses": "once"});
    Frame::from_worker(place, from, message).seq(seq)
}

#[test]
fn an_answer_to_nothing_is_an_orphan() {
    let mut net = Net::team(&["alice"]);
    for (seq, id) in [(1, "req_none"), (2, "none-given"), (3, "REQ_NONE")] {
        assert_eq!(verdict(&net.send("alice", LEAD, &yes_from(1, "alice", id, seq))), "orphan");
    }
    assert_eq!(net.events(LEAD), []);
}

#[test]
fn an_id_matches_to_the_letter() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let almost = [id.to_uppercase(), format!("{id} "), format!(" {id}"), id[..12].to_owned()];
    for (seq, wrong) in (500..).zip(&almost) {
        assert_eq!(verdict(&net.send("alice", LEAD, &yes_from(1, "alice", wrong, seq))), "orphan");
    }
    assert_eq!(net.status(LEAD, &id), Status::Pending);
}

#[test]
fn an_answer_to_a_request_for_another_member_is_dropped() {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.ask_shutdown("bob");
    for (seq, frame) in
        [yes_from(1, "alice", &id, 500), no_from(1, "alice", &id, 501)].iter().enumerate()
    {
        assert_eq!(verdict(&net.send("alice", LEAD, frame)), "wrong_responder", "{seq}");
    }
    let progress = json!({"type": "progress", "request_id": id});
    let progress = Frame::from_worker(1, "alice", progress).seq(502).text();
    assert_eq!(verdict(&net.send("alice", LEAD, &progress)), "wrong_responder");
    net.advance(60_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut, "the progress did not count");
}

#[test]
fn an_answer_of_another_kind_is_dropped() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    // Only a foreign engine would: the lead answers a plan as if it were asked to leave.
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    let frame = Frame::from_lead("alice", message);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "not_allowed");
    let shutdown = net.ask_shutdown("alice");
    let report = json!({"type": "execution_report", "request_id": shutdown, "ok": true});
    let frame = Frame::from_lead("alice", report.clone()).seq(501);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "unapproved");
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
    net.approve("alice", &shutdown);
    let frame = Frame::from_lead("alice", report).seq(502);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "wrong_kind");
}

#[test]
fn the_first_of_two_decisions_stands() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    assert_eq!(verdict(&net.send("alice", LEAD, &no_from(1, "alice", &id, 500))), "settled");
    assert_eq!(verdict(&net.send("alice", LEAD, &no_from(1, "alice", &id, 501))), "duplicate");
    assert_eq!(net.alarms(LEAD), []);
    assert_eq!(verdict(&net.send("alice", LEAD, &yes_from(1, "alice", &id, 502))), "conflicting");
    assert_eq!(net.alarms(LEAD), [Alarm::ConflictingDecision]);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected);
    let told = net.network.sent_of(LEAD, "alice", "settled");
    assert_eq!(told.len(), 1, "the decider learns which one stands");
    assert!(told[0].frame.contains("rejected"));
}

#[test]
fn the_same_frame_twice_counts_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let frame = yes_from(1, "alice", &id, 500);
    assert_eq!(verdict(&net.send("alice", LEAD, &frame)), "settled");
    assert_eq!(verdict(&net.send("alice", LEAD, &frame)), "duplicate");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn a_frame_below_what_is_remembered_is_stale() {
    let mut net = Net::team(&["alice"]);
    let idle = |seq| Frame::from_worker(1, "alice", json!({"type": "idle"})).seq(seq).text();
    assert_eq!(verdict(&net.send("alice", LEAD, &idle(5_000))), "sign_of_life");
    assert_eq!(verdict(&net.send("alice", LEAD, &idle(5_000 - 1_023))), "idle_again");
    assert_eq!(verdict(&net.send("alice", LEAD, &idle(5_000 - 1_024))), "stale_frame");
}

#[test]
fn a_late_answer_is_told_how_the_request_ended() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(verdict(&net.send("alice", LEAD, &no_from(1, "alice", &id, 500))), "late");
    assert_eq!(net.network.talk(LEAD, "alice"), ["shutdown_request", "cancel", "settled"]);
    assert_eq!(net.alarms(LEAD), [], "a late refusal is no alarm");
}

#[test]
fn a_repeated_request_gets_the_stored_answer_and_the_host_is_not_asked_again() {
    let mut net = Net::team(&["alice"]);
    let frame = ask_plan(1, "alice", json!("p-1"), 500);
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "accepted");
    net.reject(LEAD, "p-1", "too risky");
    assert_eq!(net.network.sent_of(LEAD, "alice", "plan_approval_response").len(), 1);
    // The very same frame once more, and the same request in a new frame.
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "duplicate");
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.seq(501).text())), "asked_again");
    let answers = net.network.sent_of(LEAD, "alice", "plan_approval_response");
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|answer| answer.frame.contains("too risky")));
    assert_eq!(net.asked(LEAD), 1);
}

#[test]
fn an_id_is_not_used_for_two_requests() {
    let mut net = Net::team(&["alice"]);
    let first = ask_plan(1, "alice", json!("p-1"), 500);
    assert_eq!(verdict(&net.send("alice", LEAD, &first.text())), "accepted");
    let worse = scoped(&["delete:everything/**"]);
    let second = first.clone().seq(501).message("plan", json!(worse));
    assert_eq!(verdict(&net.send("alice", LEAD, &second.text())), "id_reused");
    let more = first.clone().seq(502).message("uses", json!("until_report"));
    assert_eq!(verdict(&net.send("alice", LEAD, &more.text())), "id_reused");
    assert_eq!(net.alarms(LEAD), [Alarm::IdReused, Alarm::IdReused]);
    net.approve(LEAD, "p-1");
    let answer = &net.network.sent_of(LEAD, "alice", "plan_approval_response")[0].frame;
    assert!(answer.contains(&digest(&plan(), Uses::Once)), "the first plan was decided on");
    let settled = first.seq(503).message("plan", json!(worse));
    assert_eq!(
        verdict(&net.send("alice", LEAD, &settled.text())),
        "id_reused",
        "also when settled"
    );
}

#[test]
fn two_members_may_use_the_same_id_and_get_their_own_answers() {
    let mut net = Net::team(&["alice", "bob"]);
    assert_eq!(
        verdict(&net.send("alice", LEAD, &ask_plan(1, "alice", json!("7"), 1).text())),
        "accepted"
    );
    assert_eq!(
        verdict(&net.send("bob", LEAD, &ask_plan(2, "bob", json!("7"), 1).text())),
        "accepted"
    );
    assert_eq!(code(&net.answer(LEAD, "7", yes())), "ambiguous_prefix");
    assert_eq!(net.engine(LEAD).obligations().len(), 2);
    let cancel =
        Frame::from_worker(1, "alice", json!({"type": "cancel", "request_id": "7"})).seq(2);
    assert_eq!(verdict(&net.send("alice", LEAD, &cancel.text())), "settled");
    net.answer(LEAD, "7", no("no")).unwrap();
    assert_eq!(net.network.sent_of(LEAD, "bob", "plan_approval_response").len(), 1);
    assert_eq!(net.network.sent_of(LEAD, "alice", "plan_approval_response").len(), 0);
}

#[test]
fn a_number_is_no_id() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(
        verdict(&net.send("alice", LEAD, &ask_plan(1, "alice", json!("1"), 1).text())),
        "accepted"
    );
    let number = json!({"type": "cancel", "request_id": 1});
    let number = Frame::from_worker(1, "alice", number).seq(2).text();
    assert_eq!(verdict(&net.send("alice", LEAD, &number)), "wrong_type");
    assert_eq!(net.status(LEAD, "1"), Status::Pending);
}

#[test]
fn an_outcome_nobody_waits_for_is_dropped() {
    let mut net = Net::team(&["alice"]);
    for (seq, message) in (500..).zip([
        json!({"type": "execution_report", "request_id": "x", "ok": true}),
        json!({"type": "progress", "request_id": "x"}),
    ]) {
        let frame = Frame::from_lead("alice", message).seq(seq);
        assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "orphan");
    }
    assert_eq!(net.events("alice"), []);
}

#[test]
fn a_request_that_its_end_has_overtaken_is_late_and_nobody_is_asked() {
    let settled = json!({"status": "timed_out", "cause": "clock", "type": "settled"});
    for mut end in [json!({"type": "cancel", "reason": "a typo"}), settled] {
        let mut net = Net::team(&["alice", "bob"]);
        net.network.cut(LEAD, "alice");
        let id = net.ask_shutdown("alice");
        net.network.heal();
        end["request_id"] = json!(id);
        let frame = |seq| Frame::from_lead("alice", end.clone()).seq(seq).text();
        assert_eq!(verdict(&net.send(LEAD, "alice", &frame(500))), "ended_early");
        assert_eq!(verdict(&net.send(LEAD, "alice", &frame(501))), "ended_early", "and again");
        let request = net.network.sent_of(LEAD, "alice", "shutdown_request")[0].frame.clone();
        assert_eq!(verdict(&net.send(LEAD, "alice", &request)), "late");
        assert_eq!(net.events("alice"), []);
        assert!(net.engine("alice").obligations().is_empty());
        // What one member has called off does not concern the request of another with that id.
        let plan = Frame::from_worker(
            2,
            "bob",
            json!({"type": "plan_approval_request",
            "request_id": id, "plan": plan()}),
        );
        assert_eq!(verdict(&net.send("bob", LEAD, &plan.text())), "accepted");
    }
}

#[test]
fn the_end_of_what_others_asked_is_no_affair_of_a_stranger() {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    let cancel = Frame::from_worker(2, "bob", json!({"type": "cancel", "request_id": id}));
    assert_eq!(verdict(&net.send("bob", LEAD, &cancel.text())), "orphan");
    assert_eq!(net.status(LEAD, &id), Status::Pending);
}

#[test]
fn ends_that_nobody_asked_for_take_no_more_room_than_a_few() {
    let mut net = Net::team(&["alice"]);
    let cancel = |n: u64| json!({"type": "cancel", "request_id": format!("x{n}")});
    for n in 0..100 {
        let frame = Frame::from_lead("alice", cancel(n)).seq(500 + n).text();
        let said = net.send(LEAD, "alice", &frame);
        assert!(["ended_early", "throttled"].contains(&verdict(&said)), "{said:?}");
    }
    let before = net.engine("alice").snapshot().unwrap().len();
    for n in 100..200 {
        let frame = Frame::from_lead("alice", cancel(n)).seq(500 + n).text();
        net.send(LEAD, "alice", &frame);
    }
    assert!(net.engine("alice").snapshot().unwrap().len() <= before + 100);
}

#[test]
fn prefixes_name_open_requests_locally_and_never_on_the_wire() {
    let mut net = Net::team(&["alice", "bob"]);
    let first = net.ask_shutdown("alice");
    let second = net.ask_shutdown("bob");
    assert_eq!(code(&net.cancel(LEAD, "req_0000")), "ambiguous_prefix");
    assert_eq!(code(&net.cancel(LEAD, "req_")), "unknown_request", "too short to be meant");
    assert_eq!(code(&net.cancel(LEAD, "")), "unknown_request");
    net.cancel(LEAD, "req_00000002").unwrap();
    assert_eq!(net.outcome(LEAD, &second).status, Status::Cancelled);
    assert_eq!(net.answer("alice", "req_00000001", no("busy")).unwrap(), first);
    let ids: Vec<_> = net.network.sent_of("alice", LEAD, "shutdown_response");
    assert!(ids[0].frame.contains(&first), "the whole id goes out");
    assert_eq!(code(&net.cancel(LEAD, "req_00000002")), "unknown_request", "it is over");
}

#[test]
fn chat_settles_nothing_and_names_what_is_unanswered() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    for text in ["approve", "true", "{\"approve\":true}", "I disapprove", "yes, shutting down"] {
        net.say("alice", LEAD, text).unwrap();
    }
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    let chats: Vec<_> = net
        .events(LEAD)
        .iter()
        .filter_map(|event| if let Event::Message(message) = event { Some(message) } else { None })
        .collect();
    assert_eq!(chats.len(), 5);
    for chat in chats {
        let unanswered: Vec<_> = chat.unanswered.iter().map(|id| id.as_str()).collect();
        assert_eq!(unanswered, [id.as_str()]);
    }
}

#[test]
fn a_foreign_id_may_be_any_text_up_to_256_characters() {
    let mut net = Net::team(&["alice"]);
    for (seq, id) in (500..).zip(["请求 1", "__proto__", " ", "a\0b", &"é".repeat(256)]) {
        let frame = ask_plan(1, "alice", json!(id), seq);
        assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "accepted", "{id:?}");
        net.approve(LEAD, id);
    }
    let long = ask_plan(1, "alice", json!("é".repeat(257)), 600);
    assert_eq!(verdict(&net.send("alice", LEAD, &long.text())), "invalid_id");
}

#[test]
fn an_answer_to_one_member_under_the_id_of_another_is_refused() {
    let mut net = Net::team(&["alice", "bob"]);
    let alices = net.submit("alice", plan(), Uses::Once);
    let bobs = net.submit("bob", plan(), Uses::Once);
    let answer = |to: &str, id: &str| {
        json!({"to": to, "message":
            {"type": "plan_approval_response", "request_id": id, "approve": true}})
        .to_string()
    };
    let mixed = answer("alice", &bobs);
    let Err(error) = net.act(LEAD, |e, now| e.call_tool(now, &mixed)) else { panic!("sent") };
    assert_eq!(error.code(), "unknown_request");
    assert!(error.to_string().contains(&alices), "it lists what alice asked: {error}");
    net.run_until_quiet();
    assert_eq!(net.status("bob", &bobs), Status::Pending);
    let right = answer("bob", &bobs);
    net.act(LEAD, |e, now| e.call_tool(now, &right)).unwrap();
    net.run_until_quiet();
    assert_eq!(net.outcome("bob", &bobs).status, Status::Approved);
}

#[test]
fn whoever_must_decide_learns_why_a_request_was_withdrawn() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    let call = json!({"to": LEAD, "message":
        {"type": "cancel", "request_id": id, "reason": "found a safer way"}})
    .to_string();
    net.act("alice", |e, now| e.call_tool(now, &call)).unwrap();
    net.run_until_quiet();
    let reason = net.events(LEAD).iter().find_map(|event| {
        if let Event::Closed(closed) = event { closed.reason.clone() } else { None }
    });
    assert_eq!(reason.as_deref(), Some("found a safer way"));
}
