//! A journal gives the same state on every machine: `vectors/journals` holds the journals of a team
//! with what must come of them, and the JavaScript package replays them too, in Node and in a browser.
//!
//! The files are the format as it stands: what this version writes must be what is there. Run with
//! `UPDATE_GOLDEN=1` to write them anew after a change that is meant, and raise the version of the
//! format where what was written before cannot be read any more.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "harness/mod.rs"]
mod harness;

use std::path::PathBuf;
use std::{env, fs};

use serde_json::json;
use team_protocols::{
    AskOptions, Details, Engine, Escalation, Kind, Link, Role, Saved, SectionPolicy, Status, Uses,
};

use crate::harness::{Counting, LEAD, Net, life, member, name, plan, scoped, stage};

const TEAM: [&str; 4] = [LEAD, "alice", "bob", "carol"];

/// A long afternoon: every kind of message, deadlines that pass, and a process that ends and goes on.
fn story() -> Net {
    let mut net = Net::with(&["alice", "bob"], |config| {
        config.members.push(member("carol", Role::Approver));
    });
    let mut config = harness::config(&["alice", "bob"], "alice");
    config.members.push(member("carol", Role::Approver));
    (config.member, config.incarnation) = (name("carol"), life(3));
    net.add(config, 3);

    net.say("alice", "*", "你好 — we begin \u{1f680} \"now\"\n").unwrap();
    net.progress("bob", None, Some(3_000)).unwrap();
    let panel = vec![stage(&["carol"], 1, true), stage(&[LEAD], 1, false)];
    let id = net.submit_to("alice", panel, None).unwrap();
    net.reject("carol", &id, "no way back");
    let appeal = net.follow_up("alice", (Link::Appeal, &id), Some("there is a backup"), plan());
    net.approve(LEAD, &appeal.unwrap());
    net.enter_gate("alice", "write:src/a").unwrap();

    let section = net.enter_section("bob", "migration", None, SectionPolicy::Defer);
    let escalate = Some(Escalation { attempts: 2, ..Escalation::default() });
    let options = AskOptions { escalate, ..AskOptions::default() };
    let leaving = net.try_shutdown("bob", options).unwrap();
    net.advance(30_000);
    net.leave_section("bob", section);
    net.reject("bob", &leaving, "tests are running");

    for (own, to) in [("alice", "bob"), ("bob", "alice")] {
        let options = AskOptions::default();
        let details = Details::default();
        net.act(own, |e, now| e.ask_for(now, &Kind::DEPENDENCY, to, details, options)).unwrap();
    }
    net.run_until_quiet();

    let options = AskOptions {
        on_approved: Some("deploy".to_owned()),
        compensation: Some("roll back".to_owned()),
        ..AskOptions::default()
    };
    let deploy = scoped(&["run:deploy"]);
    let works = net.act("bob", |e, now| e.submit_plan(now, deploy, Uses::Once, options)).unwrap();
    net.run_until_quiet();
    net.approve(LEAD, works.as_str());
    net.act("bob", |e, now| e.work_started(now, works.as_str(), 1)).unwrap();
    let store = net.halt("bob");
    net.advance(5_000);
    net.go_on("bob", store, true, Box::new(Counting { member: 2, next: 500 }), 0);
    net.report("bob", works.as_str(), false).unwrap();
    net.act("bob", |e, now| e.work_done(now, works.as_str(), 2, true, None)).unwrap();
    net.run_until_quiet();

    let slow = net.submit("alice", scoped(&["delete:old/**"]), Uses::Once);
    net.pause("alice", &slow).unwrap();
    net.advance(120_000);
    net.resume("alice", &slow).unwrap();
    net.advance(700_000);
    assert_eq!(net.status("alice", &slow), Status::TimedOut);
    net
}

fn path(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/vectors/journals", file].iter().collect()
}

/// What must come of the journals, by member.
fn results(net: &Net) -> serde_json::Value {
    let of = |own: &str| json!({"stateHash": net.engine(own).state_hash().to_string()});
    TEAM.iter().map(|own| ((*own).to_owned(), of(own))).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn what_is_written_is_what_is_there() {
    let net = story();
    let hashes = serde_json::to_string_pretty(&results(&net)).unwrap() + "\n";
    let mut files = vec![("hashes.json".to_owned(), hashes)];
    for own in TEAM {
        let journal = net.node(own).store.journal.clone();
        assert!(journal.lines().count() > 3, "{own}");
        files.push((format!("{own}.jsonl"), journal));
        let snapshot = net.engine(own).snapshot().unwrap();
        files.push((format!("{own}.snapshot"), snapshot + "\n"));
    }
    if env::var_os("UPDATE_GOLDEN").is_some() {
        files.iter().for_each(|(file, text)| fs::write(path(file), text).unwrap());
    }
    for (file, text) in files {
        let there = fs::read_to_string(path(&file)).unwrap();
        assert!(there == text, "{file} is not what is written now");
    }
}

#[test]
fn what_is_there_gives_the_state_that_it_is_of() {
    let hashes: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path("hashes.json")).unwrap()).unwrap();
    for own in TEAM {
        let journal = fs::read_to_string(path(&format!("{own}.jsonl"))).unwrap();
        let snapshot = fs::read_to_string(path(&format!("{own}.snapshot"))).unwrap();
        let expected = hashes[own]["stateHash"].as_str().unwrap();
        let (snapshot, none) = (Some(snapshot.trim_end()), None);
        for saved in [
            Saved { snapshot: none, journal: &journal },
            Saved { snapshot, journal: &journal },
            Saved { snapshot, journal: "" },
        ] {
            let (engine, _) = Engine::replay(saved).unwrap();
            assert_eq!(engine.state_hash().to_string(), expected, "{own}");
        }
    }
}
