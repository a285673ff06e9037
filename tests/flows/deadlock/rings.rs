//! Rings of every size, in calm and in bad weather.

use team_protocols::{Cause, Status};

use super::{ask_round, deadlocks, names, victims, workers};
use crate::harness::*;

#[test]
fn a_ring_that_asks_at_the_same_instant_gives_up_one_request() {
    for size in 2..=16 {
        let mut net = workers(size);
        let ids = ask_round(&mut net, size);
        net.run_until_quiet();
        let greatest = ids.iter().max().unwrap();
        assert_eq!(victims(&net, &ids), std::slice::from_ref(greatest), "ring of {size}");
        let mut alarms = 0;
        for (own, id) in names(size).iter().zip(&ids) {
            if id != greatest {
                assert_eq!(net.status(own, id), Status::Pending);
            }
            for alarm in deadlocks(&net, own) {
                alarms += 1;
                let cycle: Vec<_> = alarm.cycle.iter().map(|wait| &wait.request_id).collect();
                assert_eq!(cycle.len(), size);
                assert!(ids.iter().all(|id| cycle.iter().any(|other| other.as_str() == id)));
            }
        }
        assert_eq!(alarms, 1, "ring of {size}");
        // Nothing more comes of it, and the others get their answers one after the other.
        net.advance(50_000);
        assert_eq!(victims(&net, &ids).len(), 1);
    }
}

#[test]
fn frames_may_overtake_each_other_and_come_twice() {
    for size in 2..=16 {
        for seed in 0..8 {
            let names = names(size);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let weather = Weather { loss: 0, duplication: 200, delay: 400 };
            let mut net = Net::stormy(&names, seed, weather);
            let ids = ask_round(&mut net, size);
            net.run_until_quiet();
            let greatest = ids.iter().max().unwrap().clone();
            assert_eq!(victims(&net, &ids), [greatest], "ring of {size}, seed {seed}");
        }
    }
}

#[test]
fn under_loss_the_next_reminders_break_a_ring_and_never_take_two_victims() {
    for (loss, least) in [(50, 120), (100, 115), (300, 40)] {
        let (mut rings, mut at_once, mut broken) = (0, 0, 0);
        for (size, seed) in (2..=16).flat_map(|size| (0..8).map(move |seed| (size, seed))) {
            let names = names(size);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let weather = Weather { loss, duplication: 50, delay: 300 };
            let mut net = Net::stormy(&names, seed, weather);
            let ids = ask_round(&mut net, size);
            net.advance(14_000);
            at_once += victims(&net, &ids).len();
            net.advance(45_000);
            let victims = victims(&net, &ids);
            let greatest = ids.iter().max().unwrap();
            assert!(victims.iter().all(|victim| victim == greatest), "ring of {size}, seed {seed}");
            assert!(victims.len() <= 1, "ring of {size}, seed {seed}");
            broken += victims.len();
            rings += 1;
        }
        // The longer the ring, the more frames in a row must arrive.
        assert!(at_once < broken && broken >= least, "{at_once}, {broken} of {rings}");
    }
}

#[test]
fn when_the_loss_ends_the_next_reminder_breaks_what_is_left() {
    let mut net = workers(3);
    let ids = ask_round(&mut net, 3);
    for (from, to) in net.network.links() {
        // The requests arrive, nothing else does.
        let request = net.network.take(&from, &to).unwrap();
        net.send(&from, &to, &request.frame);
    }
    while let Some((from, to)) = net.network.links().into_iter().next() {
        net.network.take(&from, &to).unwrap();
    }
    net.advance(14_999);
    assert_eq!(victims(&net, &ids), [] as [String; 0]);
    net.advance(1);
    assert_eq!(victims(&net, &ids).len(), 1);
    let broken = net.outcome("worker-02", &ids[2]);
    assert_eq!((broken.status, broken.cause), (Status::Cancelled, Cause::DeadlockBroken));
}
