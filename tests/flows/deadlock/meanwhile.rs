//! Waits that end while a probe is under way, and members that come and go.

use team_protocols::{Cause, Incarnation, Liveness, Status};

use super::{ask, ask_for, ask_round, deadlocks, names, probes, victims, workers};
use crate::harness::*;

/// Delivers what is under way between two, as far as it was sent by now.
fn deliver(net: &mut Net, from: &str, to: &str) {
    let waiting =
        net.network.waiting().filter(|(packet, _)| packet.from == from && packet.to == to);
    for _ in 0..waiting.count() {
        let packet = net.network.take(from, to).unwrap();
        net.send(from, to, &packet.frame);
    }
}

/// A ring of three whose requests have arrived, and whose probes are under way.
fn ring() -> (Net, Vec<String>) {
    let mut net = workers(3);
    let ids = ask_round(&mut net, 3);
    for (from, to) in net.network.links() {
        let request = net.network.take(&from, &to).unwrap();
        net.send(&from, &to, &request.frame);
    }
    assert_eq!(probes(&net), 3);
    (net, ids)
}

#[test]
fn a_wait_that_was_answered_meanwhile_costs_no_victim() {
    for answered in 0..3 {
        let (mut net, ids) = ring();
        let decider = &names(3)[(answered + 1) % 3];
        net.act(decider, |e, now| e.respond(now, &ids[answered], no("not now"))).unwrap();
        net.run_until_quiet();
        assert_eq!(victims(&net, &ids), [] as [String; 0], "the {answered}th was answered");
        assert_eq!(net.status(&names(3)[answered], &ids[answered]), Status::Rejected);
    }
}

#[test]
fn a_wait_that_was_withdrawn_meanwhile_costs_no_victim() {
    for withdrawn in 0..3 {
        let (mut net, ids) = ring();
        let own = &names(3)[withdrawn];
        net.act(own, |e, now| e.cancel(now, &ids[withdrawn])).unwrap();
        net.run_until_quiet();
        assert_eq!(victims(&net, &ids), [] as [String; 0], "the {withdrawn}th was withdrawn");
    }
}

#[test]
fn a_wait_that_timed_out_meanwhile_costs_no_victim() {
    let mut net = workers(3);
    let names = names(3);
    let short = limits(10, None);
    let first = ask_for(&mut net, &names[0], &names[1], short).unwrap();
    let second = ask(&mut net, &names[1], &names[2]).unwrap();
    let third = ask(&mut net, &names[2], &names[0]).unwrap();
    for (from, to) in net.network.links() {
        let request = net.network.take(&from, &to).unwrap();
        net.send(&from, &to, &request.frame);
    }
    // The probes are under way when the first wait runs out.
    net.sleep_through(10);
    net.run_until_quiet();
    let ids = [first, second, third];
    assert_eq!(net.outcome(&names[0], &ids[0]).status, Status::TimedOut);
    assert_eq!(victims(&net, &ids), [] as [String; 0]);
}

#[test]
fn a_victim_that_was_answered_meanwhile_stays_answered() {
    let (mut net, ids) = ring();
    let names = names(3);
    // The greatest id is that of the last; its answer overtakes every probe.
    net.act(&names[0], |e, now| e.respond(now, &ids[2], yes())).unwrap();
    deliver(&mut net, &names[0], &names[2]);
    net.run_until_quiet();
    assert_eq!(net.status(&names[2], &ids[2]), Status::Approved);
    assert_eq!(deadlocks(&net, &names[2]), []);
}

#[test]
fn a_member_that_is_gone_takes_its_edges_with_it() {
    let (mut net, ids) = ring();
    let names = names(3);
    for own in [&names[0], &names[2]] {
        net.act(own, |e, now| e.member_gone(now, &names[1])).unwrap();
    }
    net.run_until_quiet();
    assert_eq!(net.outcome(&names[0], &ids[0]).cause, Cause::PeerLeft);
    assert_eq!(net.status(&names[2], &ids[2]), Status::Pending);
    assert_eq!(deadlocks(&net, &names[2]), []);
}

#[test]
fn a_respawned_namesake_is_in_no_old_circle_and_is_found_in_a_new_one() {
    let (mut net, ids) = ring();
    let names = names(3);
    // The others know which life of it they are dealing with.
    net.act(&names[1], |e, now| e.say(now, "*", "hello")).unwrap();
    deliver(&mut net, &names[1], &names[0]);
    let life = Incarnation::new(at(1), 77);
    net.sleep_without_waking(1);
    let workers: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut config = config(&workers, &names[1]);
    config.incarnation = life;
    net.respawn(&names[1], config);
    for own in [LEAD, &names[0], &names[2]] {
        net.act(own, |e, now| e.announce(now, &names[1], life)).unwrap();
    }
    net.run_until_quiet();
    assert_eq!(net.liveness(&names[0], &names[1]), Liveness::Active);
    assert_eq!(net.engine(&names[0]).request(&ids[0]).map(|view| view.status), None);
    assert_eq!(deadlocks(&net, &names[2]), []);

    // The new life waits where the old one did, and the first asks it again.
    let new = ask(&mut net, &names[1], &names[2]).unwrap();
    let again = ask(&mut net, &names[0], &names[1]).unwrap();
    net.run_until_quiet();
    let greatest = [(&names[1], &new), (&names[0], &again), (&names[2], &ids[2])];
    let (own, victim) = greatest.into_iter().max_by_key(|(_, id)| id.as_str()).unwrap();
    assert_eq!(net.outcome(own, victim).cause, Cause::DeadlockBroken);
    assert_eq!(names.iter().map(|own| deadlocks(&net, own).len()).sum::<usize>(), 1);
}
