//! What was saved and is damaged, incomplete or somebody else's is refused, and says why.

use serde_json::{Value, json};
use team_protocols::{AskOptions, Engine, Event, Saved, SectionPolicy, Status, Uses};

use crate::harness::{Counting, LEAD, Net, Store, at, code, name, plan};

type Went = Result<(u64, usize), team_protocols::ProtocolError>;

/// How restoring went: how many lines were put in, and how many bytes were torn.
fn restore(snapshot: Option<&str>, journal: &str) -> Went {
    let ids = Box::new(Counting { member: 9, next: 0 });
    let done = Engine::restore(at(0), &name("alice"), Saved { snapshot, journal }, ids);
    done.map(|(_, restored)| (restored.lines, restored.torn_bytes))
}

/// What alice has kept of a plan that was approved.
fn kept() -> Store {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    net.enter_gate("alice", "write:src/a").unwrap();
    net.report("alice", &id, true).unwrap();
    net.halt("alice")
}

/// The lines once more after a change, with sums that fit.
fn resealed(journal: &str, change: impl FnOnce(&mut Vec<Value>)) -> String {
    let mut lines: Vec<Value> = journal.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    change(&mut lines);
    let (mut after, mut text) = ("0".repeat(16), String::new());
    for line in &mut lines {
        line["after"] = json!(after);
        line.as_object_mut().unwrap().remove("sum");
        let rest = line.to_string();
        after = blake3::hash(&rest.as_bytes()[1..]).to_hex()[..16].to_owned();
        text.push_str(&format!("{{\"sum\":\"{after}\",{}\n", &rest[1..]));
    }
    text
}

#[test]
fn a_journal_alone_a_snapshot_alone_and_both_are_enough() {
    let store = kept();
    let lines = store.journal.lines().count() as u64;
    assert_eq!(restore(None, &store.journal).unwrap(), (lines, 0));
    let snapshot = store.snapshot.as_deref();
    assert_eq!(restore(snapshot, "").unwrap(), (0, 0));
    let (rest, _) = restore(snapshot, &store.journal).unwrap();
    assert!(rest < lines, "the snapshot covers some of {lines} lines, {rest} were put in");
    assert_eq!(code(&restore(None, "")), "nothing_saved");
}

#[test]
fn a_snapshot_that_lacks_its_end_is_truncated_and_one_that_changed_is_corrupt() {
    let store = kept();
    let snapshot = store.snapshot.unwrap();
    for end in (0..snapshot.len()).filter(|end| snapshot.is_char_boundary(*end)) {
        let cut = code(&restore(Some(&snapshot[..end]), ""));
        let expected =
            if end < 120 { ["saved_corrupt", "saved_truncated"] } else { ["saved_truncated"; 2] };
        assert!(expected.contains(&cut), "{cut} after {end} bytes");
    }
    for place in (0..snapshot.len()).filter(|at| snapshot.as_bytes()[*at].is_ascii()) {
        let mut changed = snapshot.clone().into_bytes();
        changed[place] ^= 1;
        let Ok(changed) = String::from_utf8(changed) else { continue };
        let refused = code(&restore(Some(&changed), ""));
        let fits = ["saved_corrupt", "saved_truncated", "saved_newer"].contains(&refused);
        assert!(fits, "{refused} with byte {place} changed");
    }
}

#[test]
fn a_journal_whose_end_is_missing_goes_on_from_the_last_whole_line() {
    let store = kept();
    let journal = &store.journal;
    let first = journal.find('\n').unwrap();
    assert_eq!(code(&restore(None, &journal[..first])), "nothing_saved", "not one whole line");
    for end in (first + 1..=journal.len()).filter(|end| journal.is_char_boundary(*end)) {
        let whole = journal[..end].rfind('\n').unwrap() + 1;
        let lines = journal[..whole].lines().count() as u64;
        assert_eq!(restore(None, &journal[..end]).unwrap(), (lines, end - whole));
        let unfilled = format!("{}{}", &journal[..end], "\0".repeat(7));
        assert_eq!(restore(None, &unfilled).unwrap(), (lines, end - whole + 7));
    }
}

#[test]
fn a_line_that_changed_is_corrupt_also_the_last_one() {
    let store = kept();
    for place in 0..store.journal.len() {
        let mut changed = store.journal.clone().into_bytes();
        if !changed[place].is_ascii() || changed[place] == b'\n' {
            continue;
        }
        for bits in [1, 0xff] {
            changed[place] = if bits == 1 { changed[place] ^ 1 } else { 0 };
            let Ok(text) = std::str::from_utf8(&changed) else { continue };
            let last = text[place..].find('\n').unwrap() + place + 1 == text.len();
            let done = restore(None, text);
            if last && bits == 0xff {
                assert!(done.unwrap().1 > 0, "what was never filled is torn");
            } else {
                assert_eq!(code(&done), "saved_corrupt", "byte {place}");
            }
        }
    }
}

#[test]
fn lines_that_are_missing_leave_a_gap() {
    let Store { journal, snapshot, .. } = kept();
    let without = |n: usize| {
        let lines = journal.split_inclusive('\n').enumerate();
        lines.filter(|(at, _)| *at != n).map(|(_, line)| line).collect::<String>()
    };
    for n in 0..journal.lines().count() - 1 {
        assert_eq!(code(&restore(None, &without(n))), "journal_gap", "line {n}");
    }
    let covered = serde_json::from_str::<Value>(snapshot.as_deref().unwrap()).unwrap();
    let covered = covered["body"]["n"].as_u64().unwrap() as usize;
    let later: String = journal.split_inclusive('\n').skip(covered + 1).collect();
    assert!(!later.is_empty());
    assert_eq!(code(&restore(snapshot.as_deref(), &later)), "journal_gap");
}

#[test]
fn two_engines_that_went_on_from_the_same_state_are_found() {
    let store = kept();
    let lines = store.journal.lines().count();
    let on = |text: &[&str]| {
        let ids = Box::new(Counting { member: 9, next: 0 });
        let saved = Saved { snapshot: None, journal: &store.journal };
        let (mut engine, _) = Engine::restore(at(5_000), &name("alice"), saved, ids).unwrap();
        for text in text {
            engine.say(at(6_000), LEAD, text).unwrap();
        }
        let mut more = String::new();
        while let Some(effect) = engine.poll_effect() {
            let team_protocols::Effect::Journal(line) = effect else { continue };
            more.push_str(&format!("{}\n", line.text));
        }
        let n = serde_json::from_str::<Value>(more.lines().last().unwrap()).unwrap();
        engine.released(n["n"].as_u64().unwrap());
        (more, engine.snapshot().unwrap())
    };
    let ((one, after_one), (other, _)) = (on(&["one"]), on(&["other", "and more"]));
    let mixed = format!("{}{one}{other}", store.journal);
    assert_eq!(code(&restore(None, &mixed)), "restored_twice", "both wrote to one journal");
    let theirs = format!("{}{other}", store.journal);
    assert_eq!(restore(None, &theirs).unwrap().0, lines as u64 + 3);
    let snapshot = Some(after_one.as_str());
    assert_eq!(code(&restore(snapshot, &theirs)), "restored_twice", "snapshot and journal differ");
    let last = other.split_inclusive('\n').next_back().unwrap();
    assert_eq!(code(&restore(snapshot, last)), "restored_twice", "and nothing else is left of it");
}

#[test]
fn what_another_member_or_a_later_version_saved_is_refused() {
    let Store { journal, snapshot, .. } = kept();
    let snapshot = snapshot.unwrap();
    let ids = || Box::new(Counting { member: 9, next: 0 });
    for saved in [
        Saved { snapshot: Some(&snapshot), journal: "" },
        Saved { snapshot: None, journal: &journal },
    ] {
        let bob = Engine::restore(at(0), &name("bob"), saved, ids()).map(drop);
        assert_eq!(code(&bob), "saved_foreign");
        assert!(Engine::replay(saved).is_ok(), "to look at it is allowed");
    }
    let later = snapshot.replacen("{\"snapshot\":1,", "{\"snapshot\":2,", 1);
    assert_eq!(code(&restore(Some(&later), "")), "saved_newer");
    let later = resealed(&journal, |lines| lines[1]["v"] = json!(2));
    assert_eq!(code(&restore(None, &later)), "saved_newer");
}

#[test]
fn inputs_that_do_something_else_now_are_refused() {
    let Store { journal, .. } = kept();
    assert!(restore(None, &resealed(&journal, |_| {})).is_ok(), "the sums alone do not matter");
    let drew = |lines: &[Value]| lines.iter().position(|line| line["drawn"].is_array()).unwrap();
    let less = resealed(&journal, |lines| {
        let at = drew(lines);
        lines[at].as_object_mut().unwrap().remove("drawn");
    });
    assert_eq!(code(&restore(None, &less)), "replay_diverged");
    let again = resealed(&journal, |lines| {
        let at = lines.iter().position(|line| line["input"]["report"].is_object()).unwrap();
        lines[at]["input"]["report"]["id"] = json!("req_other");
    });
    assert_eq!(code(&restore(None, &again)), "replay_diverged");
    let unknown = resealed(&journal, |lines| lines[1]["input"] = json!({"sing": {}}));
    assert_eq!(code(&restore(None, &unknown)), "saved_corrupt");
}

#[test]
fn what_was_due_while_nobody_ran_settles_first() {
    let mut net = Net::team(&["alice", "bob"]);
    let plan_of_alice = net.submit("alice", plan(), Uses::Once);
    let question = net.submit("bob", plan(), Uses::Once);
    let store = net.halt("alice");
    net.advance(700_000);
    net.go_on("alice", store, true, Box::new(Counting { member: 9, next: 0 }), 0);
    assert_eq!(net.status("alice", &plan_of_alice), Status::TimedOut);
    assert_eq!(net.status("bob", &question), Status::TimedOut);
    net.run_until_quiet();
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    assert_eq!(net.status("alice", &id), Status::Approved, "her frames are numbered on");
}

/// Alice's process ends and another one goes on; gives what the new one told its host.
fn restart(net: &mut Net) -> Vec<Event> {
    let store = net.halt("alice");
    net.go_on("alice", store, true, Box::new(Counting { member: 9, next: 0 }), 0);
    net.run_until_quiet();
    net.events("alice").to_vec()
}

fn works(events: &[Event]) -> Vec<(&'static str, u32)> {
    let told = |event: &Event| {
        if let Event::Work(work) = event {
            return Some(("due", work.run));
        }
        let Event::WorkFailed(failed) = event else { return None };
        failed.interrupted.then_some(("interrupted", failed.run))
    };
    events.iter().filter_map(told).collect()
}

#[test]
fn work_that_has_not_begun_is_due_once_more_and_what_has_begun_is_interrupted() {
    let mut net = Net::team(&["alice"]);
    let options = AskOptions { on_approved: Some("deploy".into()), ..AskOptions::default() };
    let id = net.act("alice", |e, now| e.submit_plan(now, plan(), Uses::UntilReport, options));
    let id = id.unwrap();
    net.run_until_quiet();
    net.approve(LEAD, id.as_str());
    assert_eq!(works(&restart(&mut net)), [("due", 1)]);
    assert_eq!(works(&restart(&mut net)), [("due", 1)], "as often as it takes");
    let started = |net: &mut Net, run| {
        net.act("alice", |e, now| e.work_started(now, id.as_str(), run)).map(drop)
    };
    assert_eq!(code(&started(&mut net, 2)), "work_not_running");
    started(&mut net, 1).unwrap();
    assert_eq!(code(&started(&mut net, 1)), "work_not_running", "it has begun");
    assert_eq!(works(&restart(&mut net)), [("interrupted", 1)]);
    // What the last line caused may have been told or not: it is told again.
    net.idle("alice");
    assert_eq!(works(&restart(&mut net)), []);
    net.act("alice", |e, now| e.rerun(now, id.as_str())).unwrap();
    net.act("alice", |e, now| e.work_done(now, id.as_str(), 2, true, None)).unwrap();
    assert_eq!(works(&restart(&mut net)), []);
}

#[test]
fn requests_that_wait_for_an_answer_are_put_before_the_new_host() {
    let mut net = Net::team(&["alice"]);
    let asked = |events: &[Event]| -> Vec<String> {
        let asked = |event: &Event| {
            let Event::Request(request) = event else { return None };
            Some(request.request_id.as_str().to_owned())
        };
        events.iter().filter_map(asked).collect()
    };
    let id = net.ask_shutdown("alice");
    assert_eq!(asked(&restart(&mut net)), [id.as_str()]);
    net.reject("alice", &id, "busy");
    assert_eq!(asked(&restart(&mut net)), [] as [&str; 0]);
    let late = net.ask_shutdown("alice");
    let store = net.halt("alice");
    net.advance(601_000);
    net.go_on("alice", store, false, Box::new(Counting { member: 9, next: 0 }), 0);
    assert_eq!(asked(net.events("alice")), [] as [&str; 0], "{late} is over");
}

#[test]
fn a_critical_section_ends_with_the_process_that_held_it() {
    let mut net = Net::team(&["alice"]);
    net.enter_section("alice", "migration", None, SectionPolicy::Defer);
    let id = net.ask_shutdown("alice");
    assert_eq!(net.engine("alice").sections().count(), 1);
    let told = restart(&mut net);
    assert!(
        told.iter().any(|event| matches!(event, Event::Request(r) if r.request_id.as_str() == id))
    );
    assert_eq!(net.engine("alice").sections().count(), 0);
    net.approve("alice", &id);
    assert_eq!(net.status(LEAD, &id), Status::Approved);
}

#[test]
fn what_nobody_knows_to_have_gone_out_goes_out_again_and_counts_once() {
    let mut net = Net::team(&["alice"]);
    net.node_mut("alice").doomed = true;
    let options = AskOptions::default();
    let id = net.act("alice", |e, now| e.submit_plan(now, plan(), Uses::Once, options)).unwrap();
    net.run_until_quiet();
    assert!(net.engine(LEAD).obligations().is_empty(), "nothing went out");
    restart(&mut net);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
    net.approve(LEAD, id.as_str());
    restart(&mut net);
    assert_eq!(net.status("alice", id.as_str()), Status::Approved);
    net.enter_gate("alice", "write:src/a").unwrap();
    restart(&mut net);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_spent", "and stays spent");
}

#[test]
fn audit_entries_are_numbered_on_without_a_gap_and_none_twice() {
    let mut net = Net::team(&["alice"]);
    net.say("alice", LEAD, "one").unwrap();
    let refused = net.enter_gate("alice", "write:src/a");
    assert_eq!(code(&refused), "gate_no_plan");
    net.say("alice", LEAD, "two").unwrap();
    let last = |net: &Net| net.engine("alice").audit().last().unwrap().seq;
    for with_snapshot in [true, false] {
        let before = last(&net);
        let store = net.halt("alice");
        net.go_on("alice", store, with_snapshot, Box::new(Counting { member: 9, next: 0 }), 0);
        let entries: Vec<_> = net.engine("alice").audit().map(|entry| entry.seq).collect();
        assert!(entries.contains(&(before + 1)), "{entries:?} after {before}");
        assert!(entries.windows(2).all(|pair| pair[0] < pair[1]), "{entries:?}");
        assert_eq!(net.engine("alice").audit().last().unwrap().code, Some("restored"));
    }
}
