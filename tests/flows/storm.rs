//! Anything in any order, in bad weather: the harness checks what must hold.

use team_protocols::{
    Alarm, AskOptions, Engine, Liveness, Millis, Response, SectionPolicy, Status, Uses,
};

use crate::harness::{LEAD, Net, Random, Weather, scoped};

const WORKERS: [&str; 3] = ["alice", "bob", "carol"];
const PLACES: [&str; 3] = ["write:a", "write:b", "delete:c"];

/// One random thing that a host might do. Most of it is refused at some time; that is the point.
fn something(net: &mut Net, random: &mut Random) {
    let worker = WORKERS[random.below(3) as usize];
    let place = PLACES[random.below(3) as usize];
    let anyone = if random.below(2) == 0 { LEAD } else { worker };
    let owed = net.engine(anyone).obligations();
    let asked: Vec<String> = net
        .engine(anyone)
        .team()
        .iter()
        .flat_map(|member| {
            member.asked.iter().map(|view| view.request_id.as_str().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    let pick = |ids: &[String], random: &mut Random| {
        ids.get(random.below(ids.len() as u64) as usize).cloned().unwrap_or_default()
    };
    let owed: Vec<String> = owed.iter().map(|o| o.request.request_id.as_str().to_owned()).collect();
    let (owed, asked) = (pick(&owed, random), pick(&asked, random));
    let options = AskOptions {
        timeout: Some(Millis::new(1_000 + random.below(40_000))),
        cap: None,
        ..AskOptions::default()
    };
    let uses = if random.below(2) == 0 { Uses::Once } else { Uses::UntilReport };
    let approve = random.below(3) > 0;
    let reason = (random.below(5) > 0).then(|| "because".to_owned());
    let response = Response { approve, reason, ..Response::default() };
    match random.below(16) {
        0 => drop(net.act(LEAD, |e, now| e.request_shutdown(now, worker, None, options))),
        1 | 2 => {
            drop(net.act(worker, |e, now| e.submit_plan(now, scoped(&[place]), uses, options)))
        }
        3..=5 => drop(net.act(anyone, |e, now| e.respond(now, &owed, response))),
        6 => drop(net.act(anyone, |e, now| e.cancel(now, &asked))),
        7 => drop(net.act(worker, |e, now| e.report(now, &asked, approve, None))),
        8 => drop(net.enter_gate(worker, place)),
        9 => drop(net.act(worker, |e, now| e.progress(now, Some(&owed), None, None))),
        10 => drop(net.act(worker, |e, now| e.idle(now, None))),
        11 => drop(net.act(worker, |e, now| {
            let policy = if approve { SectionPolicy::Reject } else { SectionPolicy::Defer };
            let section = e.enter_section(now, "work", Some(Millis::new(500)), policy)?;
            if approve { e.leave_section(now, section) } else { Ok(()) }
        })),
        12 if random.below(6) == 0 => {
            drop(net.act(LEAD, |e, now| e.shutdown_all(now, None, options)))
        }
        13 => {
            let seq = net.network.sent.last().map_or(1, |packet| packet.seq);
            net.act(anyone, |e, now| e.handle_send_failed(now, seq));
        }
        14 if random.below(20) == 0 => drop(net.act(worker, Engine::exit)),
        _ => drop(net.act(anyone, |e, now| e.say(now, "*", "hm"))),
    }
}

#[test]
fn whatever_happens_the_invariants_hold_and_everything_ends() {
    for seed in 0..24 {
        let weather = Weather { loss: 150, duplication: 150, delay: 3_000 };
        let mut net = Net::stormy(&WORKERS, seed, weather);
        let mut random = Random::new(seed ^ 0xfeed);
        for _ in 0..200 {
            something(&mut net, &mut random);
            net.advance(random.below(4_000));
            if random.below(60) == 0 {
                net.sleep_through(120_000);
            }
            if random.below(80) == 0 {
                net.network.part(LEAD, WORKERS[random.below(3) as usize]);
            } else if random.below(30) == 0 {
                net.network.heal();
            }
        }
        net.advance(3_600_000);
        for own in [LEAD].iter().chain(&WORKERS) {
            for view in net.engine(own).team().iter().flat_map(|m| m.asked.iter().chain(&m.owed)) {
                assert_ne!(
                    view.status,
                    Status::Pending,
                    "seed {seed}: {own} still waits: {view:?}"
                );
            }
            assert!(net.engine(own).obligations().is_empty());
            // Bad weather is no storm.
            assert_eq!(net.alarm_count(own, Alarm::Storm), 0, "seed {seed}: {own}");
        }
    }
}

/// In fair weather, with honest hosts, both sides of a request end alike.
#[test]
fn both_sides_agree_once_everything_has_arrived() {
    for seed in 0..12 {
        let weather = Weather { loss: 0, duplication: 200, delay: 2_000 };
        let mut net = Net::stormy(&WORKERS, seed, weather);
        let mut random = Random::new(seed ^ 0xbeef);
        let mut ids = Vec::new();
        for _ in 0..60 {
            let worker = WORKERS[random.below(3) as usize];
            let place = PLACES[random.below(3) as usize];
            let options = AskOptions {
                timeout: Some(Millis::new(10_000)),
                cap: None,
                ..AskOptions::default()
            };
            let asked =
                net.act(worker, |e, now| e.submit_plan(now, scoped(&[place]), Uses::Once, options));
            ids.extend(asked.ok().map(|id| (worker, id.as_str().to_owned())));
            net.advance(random.below(3_000));
            for owed in net.engine(LEAD).obligations() {
                let approve = random.below(3);
                if approve < 2 {
                    let reason = Some("r".to_owned());
                    let response =
                        Response { approve: approve == 1, reason, ..Response::default() };
                    let id = owed.request.request_id.as_str().to_owned();
                    net.act(LEAD, |e, now| e.respond(now, &id, response)).unwrap();
                }
            }
        }
        net.advance(120_000);
        for (worker, id) in ids {
            assert_eq!(net.status(worker, &id), net.status(LEAD, &id), "seed {seed}: {id}");
        }
        assert_eq!(net.alarm_count(LEAD, Alarm::ConflictingDecision), 0);
        let alive = WORKERS.iter().filter(|w| net.liveness(LEAD, w) == Liveness::Active).count();
        assert_eq!(alive, 3);
    }
}
