//! The rules one by one.

use super::model::{id, name};
use super::*;

fn wait(member: usize, request: &str) -> Wait {
    Wait { member: name(member), request_id: id(request) }
}

fn view(me: usize, awaited: &[(&str, &[usize])], owed: &[(usize, &str)]) -> View {
    let awaited = awaited.iter().map(|(request, approvers)| Awaited {
        request_id: id(request),
        approvers: approvers.iter().map(|approver| name(*approver)).collect(),
    });
    let owed = owed.iter().map(|(from, request)| wait(*from, request)).collect();
    View { me: name(me), awaited: awaited.collect(), owed }
}

fn open(round: u64, path: &[(usize, &str)]) -> Probe {
    Probe::Open { round, path: path.iter().map(|(member, id)| wait(*member, id)).collect() }
}

fn closed(cycle: &[(usize, &str)], at: usize) -> Probe {
    Probe::Closed { cycle: cycle.iter().map(|(member, id)| wait(*member, id)).collect(), at }
}

fn hop(to: usize, probe: Probe) -> Hop {
    Hop { to: name(to), probe }
}

#[test]
fn a_round_begins_only_where_a_member_both_waits_and_owes() {
    assert_eq!(start(&view(1, &[("a", &[2])], &[]), 1), []);
    assert_eq!(start(&view(1, &[], &[(3, "c")]), 1), []);
    let both = view(1, &[("a", &[2])], &[(3, "c")]);
    assert_eq!(start(&both, 7), [hop(2, open(7, &[(1, "a")]))]);
}

#[test]
fn a_probe_goes_along_every_edge_and_along_no_request_that_others_can_decide() {
    let view = view(2, &[("b", &[3, 4]), ("free", &[]), ("d", &[5])], &[(1, "a")]);
    let next = receive(&view, &name(1), open(1, &[(1, "a")]), None);
    let hops = vec![
        hop(3, open(1, &[(1, "a"), (2, "b")])),
        hop(4, open(1, &[(1, "a"), (2, "b")])),
        hop(5, open(1, &[(1, "a"), (2, "d")])),
    ];
    assert_eq!(next, Ok(Next::Search(hops)));
}

#[test]
fn a_probe_ends_where_its_last_edge_is_not_owed_or_nobody_is_waited_for() {
    let probe = || open(1, &[(1, "a")]);
    let decided = view(2, &[("b", &[3])], &[(1, "other")]);
    assert_eq!(receive(&decided, &name(1), probe(), None), Err(End::NotOwed));
    let free = view(2, &[], &[(1, "a")]);
    assert_eq!(receive(&free, &name(1), probe(), None), Err(End::NotWaiting));
    let waits = view(2, &[("b", &[3])], &[(1, "a")]);
    assert_eq!(receive(&waits, &name(4), probe(), None), Err(End::Astray));
    assert_eq!(receive(&waits, &name(1), open(1, &[]), None), Err(End::Astray));
    assert_eq!(receive(&waits, &name(1), closed(&[], 0), None), Err(End::Astray));
    let foreign = closed(&[(1, "a"), (3, "c")], 0);
    assert_eq!(receive(&waits, &name(1), foreign, None), Err(End::Astray));
}

#[test]
fn of_one_round_a_member_passes_on_the_first_probe_only() {
    let view = view(2, &[("b", &[3])], &[(1, "a")]);
    let probe = || open(4, &[(1, "a")]);
    assert!(receive(&view, &name(1), probe(), Some(3)).is_ok());
    for newest in [4, 5] {
        assert_eq!(receive(&view, &name(1), probe(), Some(newest)), Err(End::Repeated));
    }
}

#[test]
fn a_path_that_meets_this_member_is_a_cycle_from_there_on() {
    // 9 waits for 1, and is not part of the cycle.
    let path = [(9, "z"), (1, "a"), (2, "b")];
    let view = view(1, &[("a", &[2])], &[(2, "b"), (9, "z")]);
    let next = receive(&view, &name(2), open(1, &path), Some(1));
    let cycle = closed(&[(1, "a"), (2, "b")], 0);
    assert_eq!(next, Ok(Next::Report(hop(2, cycle))), "the victim is b");
}

#[test]
fn the_greatest_id_is_the_victim_and_of_equal_ids_that_of_the_greater_member() {
    let view = view(1, &[("z", &[2])], &[(2, "b")]);
    let next = receive(&view, &name(2), open(1, &[(1, "z"), (2, "b")]), None);
    let cycle = vec![wait(1, "z"), wait(2, "b")];
    assert_eq!(next, Ok(Next::Break { victim: id("z"), cycle }));
    for cycle in [[wait(1, "x"), wait(2, "x")], [wait(2, "x"), wait(1, "x")]] {
        assert_eq!(victim(&cycle), Some(&wait(2, "x")));
    }
}

#[test]
fn a_found_cycle_is_checked_at_every_hop() {
    let cycle = [(1, "a"), (2, "b"), (3, "c")];
    let standing = view(2, &[("b", &[3])], &[(1, "a")]);
    let handed_on = Next::Report(hop(3, closed(&cycle, 1)));
    assert_eq!(receive(&standing, &name(1), closed(&cycle, 0), None), Ok(handed_on));
    let decided = view(2, &[("b", &[3])], &[]);
    assert_eq!(receive(&decided, &name(1), closed(&cycle, 0), None), Err(End::NotOwed));
    let over = view(2, &[("other", &[3])], &[(1, "a")]);
    assert_eq!(receive(&over, &name(1), closed(&cycle, 0), None), Err(End::Dissolved));
    let others_can_decide = view(2, &[("b", &[4])], &[(1, "a")]);
    let next = receive(&others_can_decide, &name(1), closed(&cycle, 0), None);
    assert_eq!(next, Err(End::Dissolved));
}

#[test]
fn the_owner_of_the_victim_checks_both_its_edges_too() {
    let cycle = [(1, "a"), (2, "b"), (3, "c")];
    let probe = || closed(&cycle, 1);
    let standing = view(3, &[("c", &[1])], &[(2, "b")]);
    let waits = cycle.iter().map(|(member, id)| wait(*member, id)).collect();
    let broken = Next::Break { victim: id("c"), cycle: waits };
    assert_eq!(receive(&standing, &name(2), probe(), None), Ok(broken));
    let answered = view(3, &[], &[(2, "b")]);
    assert_eq!(receive(&answered, &name(2), probe(), None), Err(End::Dissolved));
    let decided = view(3, &[("c", &[1])], &[]);
    assert_eq!(receive(&decided, &name(2), probe(), None), Err(End::NotOwed));
}

#[test]
fn a_path_does_not_grow_beyond_its_bound() {
    let path = |length: usize| {
        let path: Vec<Wait> = (0..length).map(|place| wait(place + 10, "x")).collect();
        (path.last().unwrap().member.clone(), Probe::Open { round: 1, path })
    };
    let (from, probe) = path(Probe::MAX_WAITS);
    let owed = vec![Wait { member: from.clone(), request_id: id("x") }];
    let full = View { owed, ..view(1, &[("a", &[2])], &[]) };
    assert_eq!(receive(&full, &from, probe, None), Err(End::TooLong));
    let (from, probe) = path(Probe::MAX_WAITS - 1);
    let owed = vec![Wait { member: from.clone(), request_id: id("x") }];
    let full = View { owed, ..view(1, &[("a", &[2])], &[]) };
    assert!(receive(&full, &from, probe, None).is_ok());
}

#[test]
fn a_request_to_a_member_that_waits_for_us_closes_a_cycle() {
    let view = view(1, &[], &[(2, "b"), (3, "c")]);
    assert_eq!(closes(&view, &[name(3)]), Some(&wait(3, "c")));
    assert_eq!(closes(&view, &[name(4)]), None);
    assert_eq!(closes(&view, &[]), None);
}
