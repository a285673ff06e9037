//! Every order in which the frames of a small ring can arrive.

use std::collections::BTreeMap;

use super::{ask, names, victims, workers};
use crate::harness::*;

/// One thing that happens: a worker asks, or the next frame between two arrives.
#[derive(Clone)]
enum Step {
    Ask(usize),
    Arrive(String, String),
}

/// What the orders of one ring came to.
#[derive(Default)]
struct Found {
    /// How many orders there are from each place on, by what stands there.
    orders: BTreeMap<String, u64>,
    /// How many victims and refusals there were at the ends.
    ends: BTreeMap<(usize, usize), usize>,
}

/// A ring in the middle of what happens to it.
struct Ring {
    net: Net,
    size: usize,
    /// How many places further the one is that each waits for: 1, or one less than the size for
    /// a ring in which the ids fall instead of rise.
    stride: usize,
    /// The ids of those that have asked; a refusal is `None`.
    asked: BTreeMap<usize, Option<String>>,
}

impl Ring {
    fn after(size: usize, stride: usize, history: &[Step]) -> Self {
        let mut ring = Self { net: workers(size), size, stride, asked: BTreeMap::new() };
        history.iter().for_each(|step| ring.take(step));
        ring
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Ask(place) => {
                let names = names(self.size);
                let (from, to) = (&names[*place], &names[(*place + self.stride) % self.size]);
                let asked = ask(&mut self.net, from, to);
                if let Err(error) = &asked {
                    assert_eq!(error.code(), "would_deadlock");
                }
                self.asked.insert(*place, asked.ok());
            }
            Step::Arrive(from, to) => {
                let packet = self.net.network.take(from, to).unwrap();
                self.net.send(from, to, &packet.frame);
            }
        }
    }

    fn next(&self) -> Vec<Step> {
        let waiting = (0..self.size).filter(|place| !self.asked.contains_key(place));
        let frames = self.net.network.links().into_iter();
        waiting.map(Step::Ask).chain(frames.map(|(from, to)| Step::Arrive(from, to))).collect()
    }

    /// Everything that what happens from here on depends on.
    fn place(&self) -> String {
        let names = names(self.size);
        let hashes = names.iter().map(|own| self.net.engine(own).state_hash().to_string());
        let frames = self.net.network.waiting().map(|(packet, _)| packet.frame.clone());
        // Frames of one link stay in order; links are told apart by the frames themselves.
        let mut frames: Vec<String> = frames.collect();
        frames.sort();
        hashes.chain(frames).collect::<Vec<_>>().join("\n")
    }

    fn end(&self, found: &mut Found) {
        let ids: Vec<String> = self.asked.values().flatten().cloned().collect();
        let refused = self.asked.len() - ids.len();
        let given_up = if refused == 0 { victims(&self.net, &ids) } else { Vec::new() };
        if let [victim] = &given_up[..] {
            assert_eq!(Some(victim), ids.iter().max());
        }
        *found.ends.entry((given_up.len(), refused)).or_default() += 1;
    }
}

/// How many orders there are from here on.
fn explore((size, stride): (usize, usize), history: &mut Vec<Step>, found: &mut Found) -> u64 {
    let ring = Ring::after(size, stride, history);
    let place = ring.place();
    if let Some(orders) = found.orders.get(&place) {
        return *orders;
    }
    let steps = ring.next();
    if steps.is_empty() {
        ring.end(found);
    }
    let mut orders = u64::from(steps.is_empty());
    for step in steps {
        history.push(step);
        orders += explore((size, stride), history, found);
        history.pop();
    }
    found.orders.insert(place, orders);
    orders
}

#[test]
fn in_every_order_a_ring_that_asked_at_the_same_instant_gives_up_exactly_one_request() {
    for (size, stride, orders) in [(2, 1, 16), (3, 1, 32_768), (3, 2, 32_768)] {
        let mut found = Found::default();
        let mut history: Vec<Step> = (0..size).map(Step::Ask).collect();
        assert_eq!(explore((size, stride), &mut history, &mut found), orders);
        assert_eq!(found.ends.keys().collect::<Vec<_>>(), [&(1, 0)]);
    }
}

#[test]
fn in_every_order_of_asking_and_arriving_there_is_one_victim_or_one_refusal() {
    for (size, stride, orders) in [(2, 1, 34), (3, 1, 492_588), (3, 2, 492_588)] {
        let mut found = Found::default();
        assert_eq!(explore((size, stride), &mut Vec::new(), &mut found), orders);
        // Of two, one may learn in time that the other waits for it.
        let refused = found.ends.contains_key(&(0, 1));
        assert_eq!(refused, size == 2);
        assert!(found.ends.keys().all(|end| [(0, 1), (1, 0)].contains(end)));
    }
}
