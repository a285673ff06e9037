//! What members ask of each other, and ask again.

use serde_json::json;
use team_protocols::{Approval, Cause, Details, KindRules, Link, Liveness, Role, Status, Uses};

use crate::harness::{LEAD, Net, code, kind, payload, plan, tool};

const WORKER: &[Role] = &[Role::Worker];
const LEADS: &[Role] = &[Role::Lead];

/// Report 13, its last step: a worker that wants to leave asks for that, in a kind of its own.
#[test]
fn a_worker_that_wants_to_leave_asks_and_only_it_leaves() {
    let leave = || KindRules { blocking: false, ..kind("leave", WORKER, LEADS) };
    let mut net = Net::with(&["w1", "w2"], |config| config.kinds.push(leave()));
    let id = net.ask_for("w1", "leave", LEAD, Details::default()).unwrap();
    net.approve(LEAD, &id);
    assert_eq!(net.status("w1", &id), Status::Approved);
    net.exit("w1").unwrap();
    assert_eq!(net.liveness(LEAD, "w1"), Liveness::Left);
    assert_eq!(net.liveness(LEAD, "w2"), Liveness::Active);
    assert_eq!(net.engine(LEAD).presence(), Liveness::Active);
}

/// Report 20: a permission is a request that can be answered, and the note on a yes is not lost.
#[test]
fn a_permission_is_shown_with_its_answer_and_settles_by_nothing_else() {
    let permission = || kind("permission", WORKER, LEADS);
    let mut net = Net::with(&["w1"], |config| config.kinds.push(permission()));
    let wanted = payload(&json!({"tool": "bash", "input": {"command": "rm -r build"}}));
    let id = net.ask_for("w1", "permission", LEAD, wanted).unwrap();
    let owed = net.engine(LEAD).obligations().remove(0);
    let answer: serde_json::Value = serde_json::from_str(&owed.approve_with).unwrap();
    let wrong = json!({"to": "w1", "message": {"type": "plan_approval_response",
                       "request_id": id, "approve": true}});
    assert_eq!(code(&tool(&mut net, LEAD, wrong)), "kind_mismatch");
    let mut noted = answer.clone();
    noted["message"]["reason"] = json!("only below build/");
    tool(&mut net, LEAD, noted).unwrap();
    let outcome = net.outcome("w1", &id);
    assert_eq!(outcome.status, Status::Approved);
    assert_eq!(outcome.reason.as_deref(), Some("only below build/"));

    let silent = net.ask_for("w1", "permission", LEAD, Details::default()).unwrap();
    net.advance(60_000);
    assert_eq!(net.status("w1", &silent), Status::TimedOut, "unblocked, and not as a refusal");
}

/// Report 21.
#[test]
fn what_was_refused_is_not_raised_again_but_may_be_appealed() {
    let mut net = Net::team(&["w1"]);
    let id = net.submit("w1", plan(), Uses::Once);
    net.reject(LEAD, &id, "no way back");
    let again = net.try_submit("w1", plan(), Uses::Once);
    assert_eq!(code(&again), "already_rejected");
    let told = again.unwrap_err().message(team_protocols::Lang::En);
    assert!(told.contains("no way back"), "{told}");
    let appeal = |net: &mut Net, id: &str, said| {
        let follows = Some(team_protocols::FollowSpec {
            request_id: id.to_owned(),
            link: Link::Appeal,
            justification: Some(String::from(said)),
        });
        let options = team_protocols::AskOptions { follows, ..Default::default() };
        let id = net.act("w1", |e, now| e.submit_plan(now, plan(), Uses::Once, options))?;
        net.run_until_quiet();
        crate::harness::Called::Ok(id.as_str().to_owned())
    };
    let first = appeal(&mut net, &id, "there is a backup").unwrap();
    net.reject(LEAD, &first, "too old");
    let second = appeal(&mut net, &first, "there is a new one").unwrap();
    net.reject(LEAD, &second, "still no");
    assert_eq!(code(&appeal(&mut net, &second, "please")), "appeals_exhausted");
}

/// Report 37.
#[test]
fn peers_do_not_gate_each_other_and_a_question_ends_with_the_one_who_was_asked() {
    let question = || KindRules {
        blocking: false,
        approval: Approval::Nothing,
        ..kind("question", WORKER, WORKER)
    };
    let mut net = Net::with(&["w1", "w2"], |config| config.kinds.push(question()));
    let gate = json!({"to": "w2", "message": {"type": "plan_approval_request", "plan": plan()}});
    let refused = tool(&mut net, "w1", gate);
    assert_eq!(code(&refused), "not_allowed");
    assert!(refused.unwrap_err().hint(team_protocols::Lang::En).contains("lead"));
    let id = net.ask_for("w1", "question", "w2", payload(&json!("which port?"))).unwrap();
    assert!(net.engine("w1").request(&id).unwrap().expires_at.is_some(), "it has a deadline");
    net.act("w1", |e, now| e.member_gone(now, "w2")).unwrap();
    let outcome = net.outcome("w1", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLeft));
}
