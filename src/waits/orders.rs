//! The whole: every order of events for small rings, many orders for large ones and for graphs.

use super::model::{Defect, Event, Explorer, Found, Life, Team, id};
use crate::ids::{IdSource, RequestId, SeededIds};

type Edges = Vec<(usize, usize, RequestId)>;
type Make = fn(usize, &[(usize, usize, RequestId)]) -> Team;

/// A ring whose ids stand in this order.
fn ring(order: &[usize]) -> Edges {
    let edge = |(place, rank): (usize, &usize)| {
        (place, (place + 1) % order.len(), id(&format!("r{rank:02}")))
    };
    order.iter().enumerate().map(edge).collect()
}

/// Every order of the numbers below `size` that begins with 0: all orders of a ring, for where it
/// begins makes no difference.
fn ring_orders(size: usize) -> Vec<Vec<usize>> {
    if size == 1 {
        return vec![vec![0]];
    }
    let insert = |rest: Vec<usize>| {
        (1..size).map(move |place| {
            let mut longer = rest.clone();
            longer.insert(place, size - 1);
            longer
        })
    };
    ring_orders(size - 1).into_iter().flat_map(insert).collect()
}

fn explore(make: Make, size: usize, life: Life, defect: Defect) -> Found {
    let mut explorer = Explorer::new(life, defect);
    for order in ring_orders(size) {
        explorer.explore(&make(size, &ring(&order)));
    }
    explorer.found
}

#[test]
fn a_ring_that_asks_at_the_same_instant_has_one_victim_in_every_order() {
    for (size, states, orders) in [(2, 13, 16), (3, 100, 65_536)] {
        let found = explore(Team::asking, size, Life::Wait, Defect::None);
        assert_eq!(found.victims.keys().collect::<Vec<_>>(), [&1]);
        assert_eq!((found.phantoms, found.against_knowledge, found.left), (0, 0, 0));
        assert_eq!(found.wrong_victims, 0);
        assert_eq!((found.states, found.orders), (states, orders));
    }
}

#[test]
fn a_ring_that_asks_in_any_order_has_one_victim_or_one_refusal() {
    for (size, states, orders) in [(2, 20, 34), (3, 258, 985_176)] {
        let found = explore(Team::planning, size, Life::Wait, Defect::None);
        assert_eq!(found.victims.keys().collect::<Vec<_>>(), [&1]);
        assert_eq!((found.phantoms, found.against_knowledge, found.left), (0, 0, 0));
        assert_eq!((found.states, found.orders), (states, orders));
    }
}

#[test]
fn while_those_that_wait_decide_nothing_there_is_no_phantom() {
    for (size, states) in [(2, 44), (3, 1_378)] {
        let found = explore(Team::planning, size, Life::DecideWhenFree, Defect::None);
        assert_eq!(found.victims.keys().collect::<Vec<_>>(), [&0, &1]);
        assert_eq!((found.phantoms, found.against_knowledge, found.left), (0, 0, 0));
        assert_eq!(found.states, states);
    }
}

#[test]
fn what_anybody_on_the_way_knew_to_be_over_costs_no_victim() {
    for (size, states) in [(2, 1_100), (3, 109_946)] {
        let found = explore(Team::asking, size, Life::DecideAndGiveUp, Defect::None);
        assert_eq!((found.against_knowledge, found.left), (0, 0));
        assert!(found.victims.keys().all(|victims| *victims <= 1), "{found:?}");
        assert_eq!(found.states, states);
    }
}

#[test]
fn the_model_finds_what_it_looks_for() {
    let forgetful = explore(Team::planning, 3, Life::DecideWhenFree, Defect::ForgetsDecisions);
    assert!(forgetful.phantoms > 0 && forgetful.against_knowledge > 0, "{forgetful:?}");
    let proud = explore(Team::planning, 3, Life::Wait, Defect::OnlyOwnProbes);
    assert!(proud.left > 0, "{proud:?}");
}

// ---- many orders ----

/// Runs a team until nothing is under way, in an order that follows from the seed.
struct Run {
    random: SeededIds,
    /// Of a hundred frames, how many are lost.
    loss: usize,
    /// Whether frames overtake each other.
    reorder: bool,
    found: Found,
}

impl Run {
    fn new(seed: &str) -> Self {
        Self { random: SeededIds::new(seed), loss: 0, reorder: false, found: Found::default() }
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.random_u128() % bound as u128).unwrap()
    }

    fn shuffled(&mut self, size: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..size).collect();
        (1..size).for_each(|place| order.swap(place, self.below(place + 1)));
        order
    }

    fn until_quiet(&mut self, team: &mut Team, life: Life) {
        loop {
            let events = team.events(life);
            if events.is_empty() {
                return;
            }
            let nth = self.below(events.len());
            if let Event::Deliver(from, to) = events[nth] {
                if self.reorder && self.below(2) == 0 {
                    team.overtake((from, to));
                }
                if self.below(100) < self.loss {
                    team.lose((from, to));
                    continue;
                }
            }
            team.happen(&events[nth], Defect::None, &mut self.found);
        }
    }
}

fn greatest(edges: &Edges) -> RequestId {
    edges.iter().map(|(_, _, id)| id).max().unwrap().clone()
}

#[test]
fn rings_of_2_to_16_have_exactly_one_victim_in_any_order_of_frames() {
    for size in 2..=16 {
        for seed in 0..40 {
            let mut run = Run::new(&format!("ring {size} {seed}"));
            run.reorder = seed % 2 == 1;
            let edges = ring(&run.shuffled(size));
            let mut team = Team::asking(size, &edges);
            run.until_quiet(&mut team, Life::Wait);
            assert_eq!(team.victims(), [greatest(&edges)], "ring of {size}, seed {seed}");
            assert_eq!((run.found.phantoms, run.found.against_knowledge), (0, 0));
        }
    }
}

#[test]
fn under_loss_the_next_reminders_break_a_ring_and_never_take_two_victims() {
    let (mut rings, mut at_once, mut by_three) = (0, 0, 0);
    for size in 2..=16 {
        for seed in 0..20 {
            let mut run = Run::new(&format!("loss {size} {seed}"));
            run.loss = 10;
            let edges = ring(&run.shuffled(size));
            let mut team = Team::asking(size, &edges);
            run.until_quiet(&mut team, Life::Wait);
            at_once += usize::from(!team.victims().is_empty());
            for reminders in 1..=30 {
                team.remind();
                run.until_quiet(&mut team, Life::Wait);
                by_three += usize::from(reminders == 3 && !team.victims().is_empty());
            }
            assert_eq!(team.victims(), [greatest(&edges)], "ring of {size}, seed {seed}");
            assert_eq!((run.found.phantoms, run.found.against_knowledge), (0, 0));
            rings += 1;
        }
    }
    assert_eq!((rings, by_three), (300, 300), "three reminders are what a request has");
    assert!(at_once < 150, "{at_once} rings were broken before any reminder");
}

#[test]
fn whatever_waits_for_whatever_every_cycle_is_broken_and_nothing_else() {
    let mut broken = 0;
    for seed in 0..400 {
        let mut run = Run::new(&format!("graph {seed}"));
        let size = 2 + run.below(5);
        let count = 1 + run.below(size * 2);
        let ids = run.shuffled(count);
        let edge = |rank: &usize| {
            let from = run.below(size);
            (from, (from + 1 + run.below(size - 1)) % size, id(&format!("r{rank:02}")))
        };
        let edges: Edges = ids.iter().map(edge).collect();
        let mut team = Team::planning(size, &edges);
        run.until_quiet(&mut team, Life::Wait);
        while team.is_deadlocked() {
            let before = team.victims().len();
            team.remind();
            run.until_quiet(&mut team, Life::Wait);
            assert!(team.victims().len() > before, "seed {seed}: reminders broke nothing");
        }
        assert_eq!((run.found.phantoms, run.found.against_knowledge), (0, 0), "seed {seed}");
        broken += team.victims().len();
    }
    assert!(broken > 100, "{broken} cycles were broken");
}

#[test]
fn where_everybody_waits_for_everybody_after_it_a_round_costs_one_frame_an_edge() {
    let size = 16;
    let pairs = (0..size).flat_map(|from| (from + 1..size).map(move |to| (from, to)));
    let edges: Edges = pairs.map(|(from, to)| (from, to, id(&format!("{from}-{to}")))).collect();
    let mut run = Run::new("dense");
    let mut team = Team::asking(size, &edges);
    run.until_quiet(&mut team, Life::Wait);
    run.found = Found::default();
    team.remind();
    run.until_quiet(&mut team, Life::Wait);
    assert!(team.victims().is_empty());
    // Without the rule, 2^14 probes would come from the first member alone.
    let (rounds, probes) = (size - 2, run.found.probes);
    assert!(probes > edges.len() && probes <= rounds * edges.len(), "{probes}");
}
