//! Clocks that are no clocks, and clocks that go backward.

use team_protocols::{Millis, Status, Timestamp};

use crate::harness::{LEAD, Net, START, at, limits, verdict};
use crate::{good, waiting, wire};

#[test]
fn a_number_that_is_no_time_is_none() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.001, 1e300, f64::MAX] {
        assert_eq!(Timestamp::from_host_clock(bad), None, "{bad}");
        assert_eq!(Millis::from_host_number(bad), None, "{bad}");
    }
    assert_eq!(Timestamp::from_host_clock(0.0), Some(Timestamp::from_ms(0)));
    assert_eq!(Timestamp::from_host_clock(1.9), Some(Timestamp::from_ms(1)));
}

#[test]
fn an_input_from_the_past_happens_now() {
    let (mut net, id) = waiting();
    net.advance(50_000);
    for past in [Timestamp::from_ms(0), Timestamp::from_ms(START - 1), at(1)] {
        net.act(LEAD, |engine, _| engine.handle_deadline(past));
        assert_eq!(net.status(LEAD, &id), Status::Pending);
    }
    let answer = wire(&good(&id, 500));
    let channel = team_protocols::Sender::Channel("alice");
    let settled = net.act(LEAD, |engine, _| engine.handle_frame(at(1), &answer, channel));
    assert_eq!(verdict(&settled), "settled");
    assert_eq!(net.outcome(LEAD, &id).settled_at, at(50_000));
    let times: Vec<_> = net.engine(LEAD).audit().map(|entry| entry.at).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn a_request_made_while_the_clock_is_back_does_not_live_longer_or_shorter() {
    let mut net = Net::team(&["alice"]);
    net.advance(10_000);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    let id = net
        .act(LEAD, |e, _| e.request_shutdown(at(0), "alice", None, limits(1_000, None)))
        .unwrap();
    assert_eq!(net.engine(LEAD).poll_deadline(), Some(at(10_250)));
    net.advance(999);
    assert_eq!(net.status(LEAD, id.as_str()), Status::Pending);
    net.advance(1);
    assert_eq!(net.status(LEAD, id.as_str()), Status::TimedOut);
}

#[test]
fn the_end_of_time_overflows_nothing() {
    let (mut net, id) = waiting();
    net.act(LEAD, |engine, _| engine.handle_deadline(Timestamp::from_ms(u64::MAX)));
    assert_eq!(net.status(LEAD, &id), Status::TimedOut);
    let last = net.act(LEAD, |e, _| e.request_shutdown(at(0), "bob", None, limits(1_000, None)));
    last.unwrap();
    net.act(LEAD, |engine, _| engine.handle_deadline(Timestamp::from_ms(u64::MAX)));
}
