//! The room in which the two sides meet: an input buffer and an output, shared by all engines.
//!
//! A call reads its texts from the input in the order in which they were written, and leaves its
//! output behind; JavaScript takes that out before it calls anything else.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::effect::{Effect, Event};
use crate::wire::json;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::new(Room::new());
}

/// The shared buffers.
struct Room {
    input: Vec<u8>,
    output: Output,
    /// What JavaScript reads first; its address never changes.
    header: Box<[u32; HEADER_WORDS]>,
}

/// What a call leaves behind.
#[derive(Default)]
pub(super) struct Output {
    /// Four words per effect: what it is (the lowest eight bits) and the upper half of its number,
    /// the lower half of its number, and where its two texts end.
    records: Vec<u32>,
    text: String,
    /// The length of `text` as JavaScript counts it.
    units: u32,
    /// Where the result of the call ends in `text`.
    result_end: u32,
}

/// Makes room for `bytes` of input and returns its address. The memory may have moved.
#[wasm_bindgen]
#[must_use]
pub fn reserve(bytes: usize) -> *const u8 {
    ROOM.with_borrow_mut(|room| {
        if room.input.len() < bytes {
            room.input.resize(bytes.next_power_of_two(), 0);
        }
        room.input.as_ptr()
    })
}

/// The address of the header: records address, records count, text address, text bytes, text
/// length in UTF-16 units, end of the result in UTF-16 units.
#[wasm_bindgen]
#[must_use]
pub fn header() -> *const u32 {
    ROOM.with_borrow(|room| room.header.as_ptr())
}

/// Runs a call: `run` reads its texts, fills the output and returns the call's status.
pub(super) fn with_room(run: impl FnOnce(&mut Texts<'_>, &mut Output) -> u32) -> u32 {
    ROOM.with_borrow_mut(|room| {
        room.output.clear();
        let status = run(&mut Texts { rest: &room.input }, &mut room.output);
        *room.header = room.output.header();
        status
    })
}

/// The texts of one call, in the order in which they were written.
pub(super) struct Texts<'a> {
    rest: &'a [u8],
}

impl<'a> Texts<'a> {
    /// The next text; [`ABSENT`] stands for none. The buffer was filled by `encodeInto`, so what
    /// is not UTF-8 is a length that does not fit, and reads as empty.
    pub(super) fn next(&mut self, bytes: u32) -> Option<&'a str> {
        if bytes == ABSENT {
            return None;
        }
        let length = (bytes as usize).min(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(std::str::from_utf8(text).unwrap_or_default())
    }

    /// The next text, which is always there.
    pub(super) fn text(&mut self, bytes: u32) -> &'a str {
        self.next(bytes).unwrap_or_default()
    }

    /// The next text as a value of its own.
    pub(super) fn owned(&mut self, bytes: u32) -> Option<String> {
        self.next(bytes).map(str::to_owned)
    }
}

impl Output {
    fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
        self.units = 0;
        self.result_end = 0;
    }

    /// The result of the call; must come before the effects.
    pub(super) fn result(&mut self, text: &str) {
        self.result_end = self.push(text);
    }

    /// One effect.
    pub(super) fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Journal(line) => {
                let ends = [self.units, self.push(&line.text)];
                self.record(JOURNAL, line.n, ends);
            }
            Effect::Send(send) => {
                let ends = [self.push(send.to.as_str()), self.push(&send.frame)];
                self.record(SEND, send.seq, ends);
            }
            Effect::Event(event) => {
                let id_end = self.push(request_id(event).unwrap_or_default());
                let start = self.text.len();
                json::write(event, &mut self.text);
                let json_end = self.count_from(start);
                self.record(EVENT, 0, [id_end, json_end]);
            }
        }
    }

    fn record(&mut self, what: u32, number: u64, [first_end, second_end]: [u32; 2]) {
        let half = |bits: u64| u32::try_from(bits).unwrap_or_default();
        // JavaScript counts exactly up to 2^53, so the upper half has 21 bits.
        let (upper, lower) = (half((number >> 32) & 0x1f_ffff), half(number & 0xffff_ffff));
        self.records.extend([what | (upper << 8), lower, first_end, second_end]);
    }

    fn push(&mut self, text: &str) -> u32 {
        let start = self.text.len();
        self.text.push_str(text);
        self.count_from(start)
    }

    /// Counts what was added from `start` on, and tells the new length.
    fn count_from(&mut self, start: usize) -> u32 {
        let text = self.text.get(start..).unwrap_or_default();
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.units += u32::try_from(units).unwrap_or(u32::MAX);
        self.units
    }

    fn header(&self) -> [u32; HEADER_WORDS] {
        let address = |pointer: usize| u32::try_from(pointer).unwrap_or(u32::MAX);
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        [
            address(self.records.as_ptr() as usize),
            count(self.records.len() / RECORD_WORDS),
            address(self.text.as_ptr() as usize),
            count(self.text.len()),
            self.units,
            self.result_end,
        ]
    }
}

impl Room {
    fn new() -> Self {
        Self {
            input: vec![0; FIRST_INPUT],
            output: Output::default(),
            header: Box::new([0; HEADER_WORDS]),
        }
    }
}

/// The request that an event settles or puts before the host, so that JavaScript need not parse
/// the event to find who waits for it.
fn request_id(event: &Event) -> Option<&str> {
    match event {
        Event::Settled(event) => Some(event.request_id.as_str()),
        Event::Request(event) => Some(event.request_id.as_str()),
        Event::Closed(event) => Some(event.request_id.as_str()),
        Event::Vote(_)
        | Event::Escalation(_)
        | Event::Reopened(_)
        | Event::Work(_)
        | Event::WorkFailed(_)
        | Event::WorkMissing(_)
        | Event::Reminder(_)
        | Event::Message(_)
        | Event::Progress(_)
        | Event::Idle(_)
        | Event::Report(_)
        | Event::Drain(_)
        | Event::Liveness(_)
        | Event::Undeliverable(_)
        | Event::Alarm(_) => None,
    }
}

/// The length that stands for a text that is not given.
const ABSENT: u32 = u32::MAX;

const SEND: u32 = 0;
const EVENT: u32 = 1;
const JOURNAL: u32 = 2;
const RECORD_WORDS: usize = 4;
const HEADER_WORDS: usize = 6;

/// A frame with a plan of a few pages; the buffer grows when one is larger.
const FIRST_INPUT: usize = 16 * 1024;
