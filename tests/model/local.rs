//! What an input makes of an engine, worked out once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use team_protocols::{
    AskOptions, Details, Effect, Engine, Event, Kind, Response, Saved, SeededIds, Sender,
    StageSpec, Status, Timestamp, Uses,
};

use crate::harness::{LEAD, name};

/// An engine, by the number of its snapshot.
pub(crate) type Local = u32;
/// A frame, by the number of its text.
pub(crate) type Frame = u32;

/// What a host or the network gives to an engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    AskShutdown(String),
    SubmitPlan { threshold: usize, veto: bool, alone: bool },
    AskFor(String),
    Decide { id: String, approve: bool },
    Frame { from: String, frame: Frame },
    Time,
}

/// What an engine does about it, as far as the model is concerned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Did {
    pub(crate) local: Local,
    /// What was asked.
    pub(crate) asked: Option<String>,
    /// Whether the engine took a decision for none.
    pub(crate) refused: bool,
    /// To whom, and what.
    pub(crate) sent: Vec<(String, Frame)>,
    pub(crate) told: Vec<Told>,
}

/// What hosts are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Settled {
        id: String,
        status: Status,
        yes: Vec<String>,
    },
    Asked {
        id: String,
    },
    /// The decider learns of an end.
    Closed {
        id: String,
        status: Status,
    },
    Victim {
        id: String,
        circle: Vec<String>,
    },
}

/// Every snapshot and frame that there is, and what inputs make of them.
#[derive(Default)]
pub(crate) struct Locals {
    all: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    snapshots: Vec<Known>,
    numbers: HashMap<String, Local>,
    frames: Vec<String>,
    frame_numbers: HashMap<String, Frame>,
    did: HashMap<(Local, u64, Input), Did>,
}

#[derive(Clone)]
struct Known {
    snapshot: String,
    due: Option<u64>,
}

impl Locals {
    fn tables(&self) -> std::sync::MutexGuard<'_, Tables> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a new engine.
    pub(crate) fn begin(&self, engine: &mut Engine) -> Local {
        self.tables().drain(engine, &mut Did::default());
        self.tables().keep(engine)
    }

    pub(crate) fn due(&self, local: Local) -> Option<u64> {
        self.tables().snapshots[local as usize].due
    }

    pub(crate) fn frame(&self, frame: Frame) -> String {
        self.tables().frames[frame as usize].clone()
    }

    pub(crate) fn number(&self, frame: String) -> Frame {
        self.tables().number(frame)
    }

    /// How many inputs real engines were given.
    pub(crate) fn inputs(&self) -> usize {
        self.tables().did.len()
    }

    pub(crate) fn step(&self, member: &str, local: Local, now: u64, input: Input) -> Did {
        let key = (local, now, input);
        if let Some(did) = self.tables().did.get(&key) {
            return did.clone();
        }
        let (known, frame) = {
            let tables = self.tables();
            let frame = match &key.2 {
                Input::Frame { frame, .. } => tables.frames[*frame as usize].clone(),
                _ => String::new(),
            };
            (tables.snapshots[local as usize].clone(), frame)
        };
        let mut engine = awake(member, &known.snapshot, now, &key.2);
        let mut did = Did::default();
        give(&mut engine, Timestamp::from_ms(now), &key.2, &frame, &mut did);
        let mut tables = self.tables();
        tables.drain(&mut engine, &mut did);
        did.local = tables.keep(&engine);
        tables.did.insert(key, did.clone());
        did
    }
}

impl Tables {
    /// Takes what an engine puts out. Lines of its journal are as good as written.
    fn drain(&mut self, engine: &mut Engine, did: &mut Did) {
        while let Some(effect) = engine.poll_effect() {
            match effect {
                Effect::Send(send) => {
                    did.sent.push((send.to.as_str().to_owned(), self.number(send.frame)));
                }
                Effect::Event(event) => did.told.extend(told(event)),
                Effect::Journal(line) => engine.released(line.n),
            }
        }
    }

    fn keep(&mut self, engine: &Engine) -> Local {
        let snapshot = engine.snapshot().unwrap();
        // How many lines and audit entries there were makes no difference to anything.
        let mut whole: serde_json::Value = serde_json::from_str(&snapshot).unwrap();
        let mut body = whole["body"].take();
        for count in ["audit_seq", "n", "sum"] {
            body.as_object_mut().unwrap().remove(count).unwrap();
        }
        let key = body.to_string();
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.snapshots.len() as Local;
        let due = engine.poll_deadline().map(Timestamp::as_ms);
        self.snapshots.push(Known { snapshot, due });
        self.numbers.insert(key, number);
        number
    }

    fn number(&mut self, frame: String) -> Frame {
        let next = self.frames.len() as Frame;
        let number = *self.frame_numbers.entry(frame.clone()).or_insert(next);
        if number == next {
            self.frames.push(frame);
        }
        number
    }
}

/// The engine of a snapshot. Only one that asks draws ids; it is restored with ids of its own, as
/// another process of its host would. What that would tell its host anew is known to this one.
fn awake(member: &str, snapshot: &str, now: u64, input: &Input) -> Engine {
    let saved = Saved { snapshot: Some(snapshot), journal: "" };
    let asks = matches!(input, Input::AskShutdown(_) | Input::SubmitPlan { .. } | Input::AskFor(_));
    if !asks {
        return Engine::replay(saved).unwrap().0;
    }
    let ids = Box::new(SeededIds::new(member));
    let restored = Engine::restore(Timestamp::from_ms(now), &name(member), saved, ids);
    let (mut engine, _) = restored.unwrap();
    while let Some(effect) = engine.poll_effect() {
        if let Effect::Journal(line) = effect {
            engine.released(line.n);
        }
    }
    engine
}

fn give(engine: &mut Engine, now: Timestamp, input: &Input, frame: &str, did: &mut Did) {
    let options = AskOptions::default();
    let text = |id: team_protocols::RequestId| Some(id.as_str().to_owned());
    match input {
        Input::AskShutdown(to) => {
            did.asked = engine.request_shutdown(now, to, None, options).ok().and_then(text);
        }
        Input::SubmitPlan { threshold, veto, alone } => {
            let approvers = vec![LEAD.to_owned(), "ann".to_owned()];
            let stage = StageSpec { approvers, threshold: *threshold, veto: *veto };
            let stages = if *alone { Vec::new() } else { vec![stage] };
            let options = AskOptions { stages, ..options };
            did.asked = engine
                .submit_plan(now, crate::harness::plan(), Uses::Once, options)
                .ok()
                .and_then(text);
        }
        Input::AskFor(to) => {
            let kind = Kind::parse("dependency").unwrap();
            let asked = engine.ask_for(now, &kind, to, Details::default(), options);
            did.asked = asked.ok().and_then(text);
        }
        Input::Decide { id, approve } => {
            let reason = (!approve).then(|| "no".to_owned());
            let response = Response { approve: *approve, reason, ..Response::default() };
            did.refused = engine.respond(now, id, response).is_err();
        }
        Input::Frame { from, .. } => {
            let _disposition = engine.handle_frame(now, frame, Sender::Channel(from));
        }
        Input::Time => engine.handle_deadline(now),
    }
}

fn told(event: Event) -> Option<Told> {
    let text = |id: team_protocols::RequestId| id.as_str().to_owned();
    match event {
        Event::Settled(outcome) => {
            let mut yes: Vec<String> = outcome
                .votes
                .iter()
                .filter(|vote| vote.counted && vote.vote == team_protocols::Choice::Approve)
                .map(|vote| vote.by.as_str().to_owned())
                .collect();
            if outcome.votes.is_empty() {
                yes.extend(outcome.by.map(|by| by.as_str().to_owned()));
            }
            Some(Told::Settled { id: text(outcome.request_id), status: outcome.status, yes })
        }
        Event::Request(request) => Some(Told::Asked { id: text(request.request_id) }),
        Event::Closed(closed) => {
            Some(Told::Closed { id: text(closed.request_id), status: closed.status })
        }
        Event::Alarm(alarm) if alarm.alarm == team_protocols::Alarm::Deadlock => {
            let circle = alarm.cycle.iter().map(|wait| text(wait.request_id.clone())).collect();
            Some(Told::Victim { id: text(alarm.request_id.unwrap()), circle })
        }
        _ => None,
    }
}
