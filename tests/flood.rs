//! Masses of hostile frames: what an engine keeps of them is bounded.
//!
//! The allocator of this binary counts, so it holds one test only.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test may fail by panicking"
)]

#[path = "harness/mod.rs"]
mod harness;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Instant;

use serde_json::json;
use team_protocols::{Config, Engine, SeededIds, Sender, Timestamp};

use crate::harness::{LEAD, Random, at, config, life, plan};

/// Counts the bytes that are allocated and not freed.
struct Counting;

static LIVE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call goes on to the system's allocator as it came.
#[expect(unsafe_code, reason = "an allocator that counts is an allocator")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a flood did.
#[derive(Debug, Default)]
struct Flood {
    frames: u64,
    lines: u64,
    sent: u64,
    /// The most bytes that the engine held, measured every thousand frames.
    peak: isize,
}

/// A hostile worker, an outsider and forgers, without end. Every id, number and text is new.
struct Hostile {
    random: Random,
    seq: u64,
    text: String,
}

impl Hostile {
    fn frame(&mut self) -> (&'static str, String) {
        let random = &mut self.random;
        let id = format!("x-{}-{}", self.seq, random.below(1_000_000));
        self.seq += 1;
        let text = &self.text[..random.below(2_000) as usize];
        let message = match random.below(15) {
            0 => json!({"type": "plan_approval_request", "request_id": id, "plan": plan(),
                        "uses": "once", "timeout_ms": 1 + random.below(60_000)}),
            1 => {
                json!({"type": "request", "request_id": id, "kind": "dependency", "payload": [text]})
            }
            2 => json!({"type": "shutdown_response", "request_id": id, "approve": true}),
            3 => json!({"type": "execution_report", "request_id": id, "ok": true, "detail": text}),
            4 => {
                json!({"type": "settled", "request_id": id, "status": "approved", "cause": "member"})
            }
            5 => json!({"type": "cancel", "request_id": id, "reason": text}),
            6 => json!({"type": "progress", "request_id": id, "busy_for_ms": 600_000}),
            7 => json!({"type": "idle", "note": text}),
            8 => json!({"type": "receipt", "request_id": id}),
            9 => {
                json!({"type": "undeliverable", "to": "ann", "excerpt": "x", "cause": "send_failed"})
            }
            10 => json!({"type": "probe", "round": self.seq,
                         "path": [{"member": "bob", "request_id": id}]}),
            11 => json!({"type": "reopen", "request_id": id, "reason": text}),
            12 => json!({"type": id, "text": text}),
            13 => json!({"type": "progress", "note": text, "busy_for_ms": 1}),
            _ => json!(text),
        };
        let (channel, from, place) = match random.below(8) {
            0 => ("mallory", "mallory", 7),
            1 => ("bob", "alice", 1),
            2 => ("bob", "bob", 9),
            _ => ("bob", "bob", 2),
        };
        // Repeats and numbers far back among them.
        let seq = if random.below(6) == 0 { 1 + random.below(self.seq) } else { self.seq };
        let frame = json!({
            "v": 1, "id": id, "seq": seq, "from": from, "to": LEAD, "at": at(0),
            "from_incarnation": life(place).to_string(), "message": message,
        });
        let mut frame = frame.to_string();
        if random.below(10) == 0 {
            let end = (0..random.below(frame.len() as u64) as usize).rev();
            frame.truncate(end.into_iter().find(|end| frame.is_char_boundary(*end)).unwrap_or(0));
        }
        (channel, frame)
    }
}

/// Gives an engine hostile frames, one each 2 ms, and takes away what it puts out.
fn flood(engine: &mut Engine, hostile: &mut Hostile, clock: &mut u64, frames: u64) -> Flood {
    let mut flood = Flood::default();
    for n in 0..frames {
        let (channel, frame) = hostile.frame();
        *clock += 2;
        let now = at(*clock);
        engine.handle_frame(now, &frame, Sender::Channel(channel));
        drop(frame);
        while let Some(effect) = engine.poll_effect() {
            match effect {
                team_protocols::Effect::Journal(line) => {
                    flood.lines += 1;
                    engine.released(line.n);
                }
                team_protocols::Effect::Send(_) => flood.sent += 1,
                team_protocols::Effect::Event(_) => {}
            }
        }
        if n % 1_000 == 0 {
            flood.peak = flood.peak.max(LIVE.load(Ordering::Relaxed));
        }
    }
    flood.frames = frames;
    flood
}

fn engine(change: impl FnOnce(&mut Config)) -> Engine {
    let mut config = Config { journal: true, ..config(&["alice", "bob"], LEAD) };
    change(&mut config);
    Engine::new(
        Timestamp::from_ms(crate::harness::START),
        config,
        Box::new(SeededIds::new("flood")),
    )
    .unwrap()
}

/// How much more than after a warm-up an engine holds at most, in a flood of so many frames.
fn growth(engine: &mut Engine, warm_up: u64, frames: u64) -> (isize, Flood) {
    let mut hostile = Hostile { random: Random::new(5), seq: 0, text: "x".repeat(2_000) };
    let mut clock = 0;
    let warm = flood(engine, &mut hostile, &mut clock, warm_up).peak;
    let flood = flood(engine, &mut hostile, &mut clock, frames);
    (flood.peak - warm, flood)
}

/// A small engine reaches its bounds soon.
fn small(config: &mut Config) {
    let limits = &mut config.limits;
    limits.open_per_member = 8;
    limits.remembered_per_member = 32;
    limits.audit_entries = 64;
}

/// `FLOOD_FRAMES` of them; `npm run flood` sends a million.
#[test]
fn hostile_frames_leave_memory_where_it_was() {
    let frames = std::env::var("FLOOD_FRAMES").map_or(30_000, |n| n.parse().unwrap());
    let started = Instant::now();
    let (grown, flood) = growth(&mut engine(small), frames / 10, frames);
    println!("{flood:?}, grown by {grown} bytes, {:?}", started.elapsed());
    assert!(grown < 64 * 1_024, "grown by {grown} bytes: {flood:?}");
    // The same check sees an engine that keeps more than it should.
    let forgetful = |config: &mut Config| config.limits.audit_entries = usize::MAX;
    let (grown, flood) = growth(&mut engine(forgetful), 2_000, 20_000);
    println!("without a bound for the audit: grown by {grown} bytes");
    assert!(grown > 1_024 * 1_024, "grown by {grown} bytes: {flood:?}");
}
