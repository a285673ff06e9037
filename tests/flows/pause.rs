//! Human time: a requester stops the clocks of its own request while a person decides.

use team_protocols::{Config, Engine, Event, Millis, Status, Uses};

use crate::harness::{LEAD, Net, at, code, limits, plan, verdict, yes};

const HOUR: u64 = 3_600_000;
const DAY: u64 = 86_400_000;

fn short(max: u64) -> impl Fn(&mut Config) {
    move |config| config.timing.pause_max = Millis::new(max)
}

fn expires(net: &Net, own: &str, id: &str) -> u64 {
    net.engine(own).request(id).unwrap().expires_at.unwrap().since(at(0)).as_ms()
}

fn paused_until(net: &Net, own: &str, id: &str) -> Option<u64> {
    let view = net.engine(own).request(id).unwrap();
    view.paused_until.map(|until| until.since(at(0)).as_ms())
}

fn frames(net: &Net) -> usize {
    net.network.sent_of("alice", LEAD, "plan_approval_request").len()
}

#[test]
fn in_a_pause_neither_limits_nor_reminders_run() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.advance(10_000);
    net.pause("alice", &id).unwrap();
    assert_eq!(paused_until(&net, "alice", &id), Some(10_000 + DAY));
    assert_eq!(frames(&net), 2, "the lead learns the new limits");
    net.advance(8 * HOUR);
    let reminders = net.events(LEAD).iter().filter(|event| matches!(event, Event::Reminder(_)));
    assert_eq!(reminders.count(), 0, "and is reminded of nothing");
    assert_eq!(frames(&net), 2 + 11, "it is told again, each time after twice as long");
    assert_eq!(net.status("alice", &id), Status::Pending);
    assert_eq!(net.engine(LEAD).obligations().len(), 1, "and may still decide");
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::Approved);
    net.enter_gate("alice", "write:src/a").unwrap();
}

#[test]
fn a_resumed_request_has_the_time_it_had() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.advance(10_000);
    net.pause("alice", &id[..12]).unwrap();
    net.advance(HOUR);
    let before = frames(&net);
    net.resume("alice", &id).unwrap();
    assert_eq!(paused_until(&net, "alice", &id), None);
    assert_eq!(frames(&net), before + 1, "the lead learns the limits once more");
    for own in ["alice", LEAD] {
        assert_eq!(expires(&net, own, &id), HOUR + 60_000, "{own}");
    }
    net.advance(4_999);
    assert_eq!(frames(&net), before + 1);
    net.advance(1);
    assert_eq!(frames(&net), before + 2, "the first reminder comes where it would have come");
    net.advance(44_999);
    assert_eq!(net.status("alice", &id), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome("alice", &id).status, Status::TimedOut);
    assert_eq!(net.now(), HOUR + 60_000);
}

#[test]
fn the_cap_stands_still_in_a_pause_too() {
    let mut net = Net::team(&["alice"]);
    let id = net.try_shutdown("alice", limits(60_000, Some(60_000))).unwrap();
    net.advance(50_000);
    net.pause(LEAD, &id).unwrap();
    net.advance(HOUR);
    net.resume(LEAD, &id).unwrap();
    net.progress("alice", Some(&id), None).unwrap();
    net.advance(9_999);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    assert_eq!(net.engine("alice").obligations().len(), 1);
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
}

#[test]
fn a_pause_ends_by_itself_and_both_sides_count_alike() {
    let mut net = Net::with(&["alice"], short(HOUR));
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    for own in ["alice", LEAD] {
        assert_eq!(expires(&net, own, &id), HOUR + 60_000, "{own}");
    }
    net.advance(HOUR);
    assert_eq!(paused_until(&net, "alice", &id), None);
    assert_eq!(code(&net.resume("alice", &id)), "not_paused");
    assert_eq!(code(&net.pause("alice", &id)), "pause_used_up");
    net.advance(59_999);
    assert_eq!(net.status("alice", &id), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome("alice", &id).status, Status::TimedOut);
}

#[test]
fn all_pauses_of_a_request_share_the_maximum() {
    let mut net = Net::with(&["alice"], short(10_000));
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    net.advance(6_000);
    net.resume("alice", &id).unwrap();
    net.advance(1_000);
    net.pause("alice", &id).unwrap();
    assert_eq!(paused_until(&net, "alice", &id), Some(11_000));
    net.advance(4_000);
    assert_eq!(code(&net.pause("alice", &id)), "pause_used_up");
    assert_eq!(expires(&net, "alice", &id), 70_000);
}

#[test]
fn a_host_that_overslept_the_pause_does_not_gain_time() {
    let mut net = Net::with(&["alice"], short(HOUR));
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    net.act(LEAD, |e, now| e.respond(now, &id, yes())).unwrap();
    let answer = net.network.arrive(at(0).as_ms()).unwrap();
    net.sleep_without_waking(HOUR + 60_000);
    assert_eq!(verdict(&net.send(LEAD, "alice", &answer.frame)), "late");
    assert_eq!(net.outcome("alice", &id).status, Status::TimedOut);
}

#[test]
fn what_cannot_be_paused_or_resumed_is_refused_and_changes_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    let hash = |net: &Net| net.engine("alice").state_hash().to_string();
    let before = hash(&net);
    assert_eq!(code(&net.resume("alice", &id)), "not_paused");
    assert_eq!(code(&net.pause("alice", "req_none")), "unknown_request");
    assert_eq!(code(&net.pause(LEAD, &id)), "unknown_request", "only the requester's own");
    assert_eq!(before, hash(&net));
    net.pause("alice", &id).unwrap();
    let paused = hash(&net);
    assert_ne!(before, paused, "a pause is state");
    net.advance(1_000);
    assert_eq!(code(&net.pause("alice", &id)), "already_paused");
    assert_eq!(paused, hash(&net));
    net.reject(LEAD, &id, "too wide");
    assert_eq!(code(&net.pause("alice", &id)), "not_pending");
    assert_eq!(code(&net.resume("alice", &id)), "not_pending");
    assert_eq!(net.outcome("alice", &id).status, Status::Rejected);
}

#[test]
fn a_paused_request_can_be_withdrawn() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    net.advance(HOUR);
    net.cancel("alice", &id).unwrap();
    assert_eq!(net.outcome("alice", &id).status, Status::Cancelled);
    assert_eq!(net.status(LEAD, &id), Status::Cancelled);
    net.advance(2 * DAY);
    assert_eq!(net.engine("alice").poll_deadline(), None);
}

#[test]
fn progress_in_a_pause_gives_a_whole_idle_window_after_it() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(50_000);
    net.pause(LEAD, &id).unwrap();
    net.advance(20_000);
    net.progress("alice", Some(&id), None).unwrap();
    assert!(expires(&net, "alice", &id) >= DAY, "the answer is still in time for so long");
    net.advance(20_000);
    net.resume(LEAD, &id).unwrap();
    for own in ["alice", LEAD] {
        assert_eq!(expires(&net, own, &id), 150_000, "{own}");
    }
}

#[test]
fn an_older_frame_that_comes_later_does_not_take_the_pause_back() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.sleep_without_waking(15_000);
    net.act("alice", Engine::handle_deadline);
    let reminder = net.network.arrive(at(15_000).as_ms()).unwrap();
    net.pause("alice", &id).unwrap();
    let told = expires(&net, LEAD, &id);
    assert_eq!(told, 60_000 + DAY);
    assert_eq!(verdict(&net.send("alice", LEAD, &reminder.frame)), "asked_again");
    assert_eq!(expires(&net, LEAD, &id), told);
    net.advance(HOUR);
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::Approved);
}

#[test]
fn the_longest_pause_there_is_does_not_overflow() {
    let mut net = Net::with(&["alice"], short(u64::MAX));
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    net.advance(60 * DAY);
    net.resume("alice", &id).unwrap();
    assert_eq!(expires(&net, "alice", &id), 60 * DAY + 60_000);
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::Approved);
}

#[test]
fn a_decider_that_missed_the_pause_keeps_its_obligation() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.network.cut("alice", LEAD);
    net.pause("alice", &id).unwrap();
    net.network.heal();
    net.advance(HOUR);
    assert_eq!(net.status("alice", &id), Status::Pending);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::Approved);
}

#[test]
fn an_answer_lost_in_a_pause_comes_before_it_ends() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.pause("alice", &id).unwrap();
    net.advance(HOUR);
    net.network.cut(LEAD, "alice");
    net.approve(LEAD, &id);
    net.network.heal();
    net.advance(2 * HOUR);
    assert_eq!(net.status("alice", &id), Status::Approved);
}
