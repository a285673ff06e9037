//! The shortest script that still fails in the same way.

use crate::script::{Op, Script};

/// Takes lines out of a failing script, and makes numbers zero, as long as `fails` says that it
/// still fails.
pub(crate) fn shrink(script: &Script, fails: impl Fn(&Script) -> bool) -> Script {
    let mut best = script.clone();
    loop {
        let before = best.clone();
        best = without_lines(best, &fails);
        best = with_zeros(best, &fails);
        if best == before {
            return best;
        }
    }
}

/// Delta debugging: big pieces first, then smaller ones, down to single lines.
fn without_lines(mut best: Script, fails: &impl Fn(&Script) -> bool) -> Script {
    let mut piece = best.ops.len().div_ceil(2);
    while piece > 0 {
        let mut from = 0;
        while from < best.ops.len() {
            let to = (from + piece).min(best.ops.len());
            let rest: Vec<Op> = [&best.ops[..from], &best.ops[to..]].concat();
            let shorter = Script { ops: rest, ..best.clone() };
            if fails(&shorter) {
                best = shorter;
            } else {
                from = to;
            }
        }
        piece = if piece == 1 { 0 } else { piece.div_ceil(2) };
    }
    best
}

fn with_zeros(mut best: Script, fails: &impl Fn(&Script) -> bool) -> Script {
    for line in 0..best.ops.len() {
        for arg in 0..3 {
            let mut simpler = best.clone();
            if std::mem::take(&mut simpler.ops[line].args[arg]) != 0 && fails(&simpler) {
                best = simpler;
            }
        }
    }
    best
}
