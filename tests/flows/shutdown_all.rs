//! Everyone is asked to leave at once.

use team_protocols::{AskOptions, Asking, Liveness, Role, Status, WorkerAsked};

use crate::harness::{Called, LEAD, Net, code, limits, member};

fn shutdown_all(net: &mut Net) -> Called<Vec<WorkerAsked>> {
    let reason = Some("work is done".to_owned());
    let asked = net.act(LEAD, |e, now| e.shutdown_all(now, reason, AskOptions::default()));
    net.run_until_quiet();
    asked
}

#[test]
fn everyone_is_asked_by_a_request_of_its_own() {
    let mut net = Net::team(&["alice", "bob", "carol"]);
    let asked = shutdown_all(&mut net).unwrap();
    let names: Vec<&str> = asked.iter().map(|worker| worker.member.as_str()).collect();
    assert_eq!(names, ["alice", "bob", "carol"]);
    let ids: std::collections::BTreeSet<_> =
        asked.iter().map(|worker| worker.asked.request_id().unwrap().as_str()).collect();
    assert_eq!(ids.len(), 3);
    for worker in &asked {
        assert!(matches!(worker.asked, Asking::New(_)));
        let (own, id) = (worker.member.as_str(), worker.asked.request_id().unwrap().as_str());
        let owed = net.engine(own).obligations();
        assert_eq!(owed.len(), 1);
        assert_eq!(owed[0].request.reason.as_deref(), Some("work is done"));
        net.approve(own, id);
        assert_eq!(net.outcome(LEAD, id).status, Status::Approved);
    }
}

#[test]
fn nobody_is_left_out_whatever_state_it_is_in() {
    let mut net = Net::team(&["fresh", "asked", "leaving", "left", "lost", "zoe"]);
    net.exit("left").unwrap();
    net.network.part(LEAD, "lost");
    net.ask_shutdown("lost");
    net.advance(65_000);
    let pending = net.ask_shutdown("asked");
    let agreed = net.ask_shutdown("leaving");
    net.approve("leaving", &agreed);
    let asked = shutdown_all(&mut net).unwrap();
    let told: Vec<_> = asked
        .iter()
        .map(|worker| {
            let code = match &worker.asked {
                Asking::Refused(error) => error.code(),
                Asking::New(_) | Asking::Pending(_) | Asking::Agreed(_) => "",
            };
            (worker.member.as_str(), worker.asked.name(), worker.liveness, code)
        })
        .collect();
    let expected = [
        ("fresh", "new", Liveness::Active, ""),
        ("asked", "pending", Liveness::Active, ""),
        ("leaving", "agreed", Liveness::Leaving, ""),
        ("left", "refused", Liveness::Left, "recipient_left"),
        ("lost", "refused", Liveness::Lost, "recipient_lost"),
        ("zoe", "new", Liveness::Active, ""),
    ];
    assert_eq!(told, expected);
    let id_of = |place: usize| asked[place].asked.request_id().map(|id| id.as_str().to_owned());
    assert_eq!((id_of(1), id_of(2)), (Some(pending), Some(agreed)));
    assert_eq!(net.audit_codes(LEAD)["recipient_left"], 1, "refusals are audited");
    let again = shutdown_all(&mut net).unwrap();
    assert_eq!(again[0].asked.name(), "pending");
    assert_eq!(again[0].asked.request_id(), asked[0].asked.request_id());
}

#[test]
fn a_call_for_everyone_that_breaks_a_rule_asks_nobody() {
    let mut net = Net::team(&["alice", "bob"]);
    let all = |net: &mut Net, own: &str, reason: &str, options: AskOptions| {
        let reason = Some(reason.to_owned());
        net.act(own, |e, now| e.shutdown_all(now, reason, options)).map(|_| ())
    };
    let before = net.engine(LEAD).state_hash();
    let long = "x".repeat(300_000);
    assert_eq!(code(&all(&mut net, "alice", "enough", AskOptions::default())), "not_allowed");
    assert_eq!(code(&all(&mut net, LEAD, &long, AskOptions::default())), "text_too_long");
    assert_eq!(code(&all(&mut net, LEAD, "done", limits(0, None))), "zero_limit");
    assert_eq!(code(&all(&mut net, LEAD, "done", limits(10, Some(5)))), "timeout_over_cap");
    assert_eq!(net.network.sent.len(), 0);
    assert_eq!(net.engine(LEAD).state_hash(), before);
    net.act(LEAD, |e, now| e.close(now));
    assert_eq!(code(&all(&mut net, LEAD, "done", AskOptions::default())), "closed");
}

#[test]
fn without_workers_there_is_nobody_to_ask() {
    let mut net = Net::team(&[]);
    assert_eq!(shutdown_all(&mut net), Ok(vec![]));
}

#[test]
fn an_approver_is_not_asked_with_the_workers() {
    let mut net =
        Net::with(&["alice"], |config| config.members.push(member("carol", Role::Approver)));
    let asked = shutdown_all(&mut net).unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].member.as_str(), "alice");
}

#[test]
fn a_shutdown_for_everyone_by_name_is_refused_with_the_way_to_do_it() {
    let mut net = Net::team(&["alice"]);
    let to_all = net
        .act(LEAD, |e, now| e.request_shutdown(now, "*", None, AskOptions::default()).map(|_| ()));
    assert_eq!(code(&to_all), "broadcast");
    let error = to_all.unwrap_err();
    for lang in [team_protocols::Lang::En, team_protocols::Lang::Zh] {
        assert!(error.hint(lang).contains("`shutdownAll`"), "{}", error.hint(lang));
    }
}
