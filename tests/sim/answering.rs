//! Lines that answer, and lines about what comes of an answer.

use team_protocols::{Engine, Kind, Millis, Obligation, Response, Status};

use crate::asking::ACTIONS;
use crate::faults::Fault;
use crate::harness::Random;
use crate::play::pick;
use crate::script::{Op, Verb};
use crate::world::{Errand, World};

/// The answer that a line gives: more often yes than no, sometimes without the reason it needs.
fn response(kind: &Kind, b: u64, c: u64) -> Response {
    let approve = b % 5 < 3;
    let reason = if c % 9 == 0 { None } else { Some("it is not ready".to_owned()) };
    let retry_after = (c % 3 == 0).then(|| Millis::new(1 + c * 10));
    let own_messages = matches!(kind.name(), "shutdown" | "plan_approval");
    let payload = (!own_messages && c % 4 == 0)
        .then(|| team_protocols::decode_payload("{\"ok\":1}", &Default::default()).unwrap());
    Response { approve, reason, retry_after, payload }
}

fn owed(world: &World, who: usize, pick: u64) -> Option<Obligation> {
    let owed = world.engine(who)?.obligations();
    let place = (pick as usize) % owed.len().max(1);
    owed.into_iter().nth(place)
}

pub(crate) fn decide(world: &mut World, Op { who, args: [a, b, c], .. }: Op) {
    let Some(owed) = owed(world, who, a) else { return again(world, who, [a, b, c]) };
    let id = owed.request.request_id.as_str().to_owned();
    let response = response(&owed.request.kind, b, c);
    let approve = response.approve;
    world.meets(who, &id, "decide");
    if world.call(who, |e, now| e.respond(now, &id, response)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.decided(&own, &id, approve);
    }
}

/// A second word on something that was decided or is over: never taken.
fn again(world: &mut World, who: usize, [a, b, _]: [u64; 3]) {
    let Some(engine) = world.engine(who) else { return };
    let known = world.laws.requests.keys().filter_map(|id| engine.request(id));
    let known: Vec<_> = known.filter(|view| !view.mine).collect();
    let Some(view) = known.get((a as usize) % known.len().max(1)) else { return };
    let (id, approve) = (view.request_id.as_str().to_owned(), b % 2 == 0);
    let reason = Some("again".to_owned());
    world.meets(who, &id, "decide");
    let response = Response { approve, reason, ..Response::default() };
    if world.call(who, |e, now| e.respond(now, &id, response)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.decided(&own, &id, approve);
    }
}

/// What a model would write, with the answer spelled out as the engine offers it.
pub(crate) fn tool(world: &mut World, Op { who, args: [a, b, c], .. }: Op) {
    let Some(owed) = owed(world, who, a) else { return say(world, who, c) };
    let approve = b % 2 == 0;
    let mut input = if approve { owed.approve_with } else { owed.reject_with };
    if c % 4 == 0 {
        input = input.replace("\"approve\":true", "\"approve\":\" TRUE\"");
    }
    let id = owed.request.request_id.as_str().to_owned();
    world.meets(who, &id, "decide");
    if world.call(who, |e, now| e.call_tool(now, &input)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.decided(&own, &id, approve);
    }
}

/// Prose that sounds like an answer: never one.
fn say(world: &mut World, who: usize, c: u64) {
    world.texts += 1;
    let text = format!("I approve {{{}}} of {c}", world.texts);
    world.laws.said(&text);
    let to = world.members[(c as usize) % world.members.len()].name.clone();
    let input = serde_json::json!({"to": to, "message": text}).to_string();
    let _said = world.call(who, |e, now| e.call_tool(now, &input));
}

/// Lets a plan that this member rejected be asked about once more.
pub(crate) fn reopen(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let Some(engine) = world.engine(who) else { return };
    let known = world.laws.requests.keys().filter_map(|id| engine.request(id));
    let rejected = known.filter(|view| !view.mine && (view.status == Status::Rejected || a == 0));
    let plans: Vec<_> = rejected.filter(|view| view.kind.name() == "plan_approval").collect();
    let Some(view) = plans.get((a as usize) % plans.len().max(1)) else { return };
    let id = view.request_id.as_str().to_owned();
    world.meets(who, &id, "reopen");
    if world.call(who, |e, now| e.reopen(now, &id, None)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.reopened(&own, &id);
    }
}

/// Withdraws what this member owes an answer to; only the lead may.
pub(crate) fn call_off(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let Some(owed) = owed(world, who, a) else { return };
    let id = owed.request.request_id.as_str().to_owned();
    world.meets(who, &id, "cancel");
    let _done = world.call(who, |e, now| e.cancel(now, &id));
}

/// An approved request of this life, or now and then any other.
fn approved(world: &World, who: usize, pick: u64) -> Option<String> {
    let (name, life) = (&world.members[who].name, world.laws.life(&world.members[who].name));
    let own = world.laws.requests.iter().filter(|(_, of)| of.by == *name && of.life == life);
    let own: Vec<_> = own.filter(|(_, of)| of.open || pick % 5 == 0).map(|(id, _)| id).collect();
    own.get((pick as usize) % own.len().max(1)).map(|id| (*id).clone())
}

pub(crate) fn report(world: &mut World, Op { who, args: [a, b, _], .. }: Op) {
    let Some(id) = approved(world, who, a) else { return };
    report_on(world, who, &id, b % 3 > 0);
}

/// Ends every run, and reports everything that was approved and not reported.
pub(crate) fn finish_all(world: &mut World, who: usize) {
    for (id, run, undoes) in std::mem::take(&mut world.members[who].runs) {
        if world.members[who].up {
            let args = [0, 1, 0];
            world.members[who].runs.push((id, run, undoes));
            work_done(world, Op { verb: Verb::WorkDone, who, args });
            world.members[who].runs.clear();
            world.judge(who);
        }
    }
    let team = world.engine(who).map(Engine::team).unwrap_or_default();
    let mine = team.into_iter().flat_map(|of| of.asked);
    for view in mine.filter(|view| view.status == Status::Approved) {
        report_on(world, who, view.request_id.as_str(), true);
        world.judge(who);
    }
}

fn report_on(world: &mut World, who: usize, id: &str, ok: bool) {
    world.meets(who, id, "finish");
    if world.call(who, |e, now| e.report(now, id, ok, None)).is_ok() {
        world.laws.reported(id, ok);
    }
}

pub(crate) fn work_done(world: &mut World, Op { who, args: [a, b, _], .. }: Op) {
    let runs = &world.members[who].runs;
    let place = (a as usize) % runs.len().max(1);
    let Some((id, run, undoes)) = runs.get(place).cloned() else { return };
    if b % 11 == 5 {
        if world.call(who, |e, now| e.work_missing(now, &id, run)).is_ok() {
            world.laws.work_over(&id, run);
        }
        return;
    }
    let ok = b % 3 > 0;
    if undoes {
        world.meets(who, &id, "rolled_back");
        world.laws.undone(&id, ok);
    }
    let done = world.call(who, |e, now| e.work_done(now, &id, run, ok, None));
    if done.is_ok() {
        world.laws.work_over(&id, run);
        if ok {
            world.members[who].runs.remove(place);
        }
    }
}

pub(crate) fn interrupt(world: &mut World, Op { who, .. }: Op) {
    if world.call(who, Engine::interrupt_works).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.works_interrupted(&own);
    }
    world.members[who].runs.clear();
}

pub(crate) fn rerun(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let runs = &world.members[who].runs;
    let known = runs.get((a as usize) % runs.len().max(1)).map(|(id, ..)| id.clone());
    let Some(id) = known.or_else(|| crate::asking::own_request(world, who, a)) else { return };
    if world.call(who, |e, now| e.rerun(now, &id)).is_ok() {
        world.laws.rerun(&id);
    }
}

pub(crate) fn gate(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let action = pick(ACTIONS, a);
    let own = world.members[who].name.clone();
    let Ok((permit, id)) = world.call(who, |e, now| e.enter_gate(now, action)) else { return };
    let id = id.as_str().to_owned();
    match world.fault {
        Some(Fault::GateOpen) => world.laws.left(&own),
        Some(Fault::ShotTwice) => {
            if let Some(asked) = world.laws.requests.get_mut(&id) {
                asked.running += 1;
            }
        }
        _ => {}
    }
    world.laws.entered(&own, &id, action);
    world.members[who].permits.push((permit, id));
}

pub(crate) fn start_failed(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let permits = &mut world.members[who].permits;
    let place = (a as usize) % permits.len().max(1);
    if place >= permits.len() {
        return;
    }
    let (permit, id) = permits.remove(place);
    if world.call(who, |e, now| e.start_failed(now, permit)).is_ok() {
        world.laws.gave_back(&id);
    }
}

pub(crate) fn progress(world: &mut World, Op { who, args: [a, b, _], .. }: Op) {
    let id = match a % 3 {
        0 => None,
        1 => owed(world, who, a / 3).map(|owed| owed.request.request_id.as_str().to_owned()),
        _ => approved(world, who, a / 3),
    };
    let busy = (b % 3 == 0).then(|| Millis::new(1 + b * 30));
    let _told = world.call(who, |e: &mut Engine, now| e.progress(now, id.as_deref(), None, busy));
}

/// A host sees to something by itself. What it decides follows from the id.
pub(crate) fn see_to(world: &mut World, who: usize, errand: Errand) {
    match errand {
        Errand::Answer(id) => answer(world, who, &id),
        Errand::Act(id) => {
            let gated = world.laws.requests.get(&id).is_some_and(|asked| asked.open);
            if gated {
                let at = luck(&id, 6);
                gate(world, Op { verb: Verb::Gate, who, args: [at, 0, 0] });
                let next = format!("{id} report");
                world.put_off(who, Errand::Report(id), &next);
            }
        }
        Errand::Report(id) => {
            let ok = luck(&id, 3) > 0;
            report_on(world, who, &id, ok);
        }
        Errand::Finish(id, run) => {
            let ok = luck(&id, 4) > 0;
            let runs = &world.members[who].runs;
            let place = runs.iter().position(|(of, at, _)| *of == id && *at == run);
            let Some(place) = place else { return };
            let args = [place as u64, if ok { 1 } else { 0 }, 0];
            work_done(world, Op { verb: Verb::WorkDone, who, args });
        }
        Errand::Leave => {
            if world.call(who, Engine::exit).is_ok() {
                let own = world.members[who].name.clone();
                world.laws.left(&own);
            }
        }
    }
    world.judge(who);
}

fn answer(world: &mut World, who: usize, id: &str) {
    let owed = world.engine(who).map(Engine::obligations).unwrap_or_default();
    let Some(owed) = owed.iter().find(|owed| owed.request.request_id.as_str() == id) else {
        return;
    };
    // Whoever waits for others does not answer others first.
    let waits = owed.request.kind.name() == "dependency" && luck(id, 2) == 0;
    if waits {
        return;
    }
    let (approve, leaves) =
        (luck(id, 7) > 1, matches!(owed.request.kind.name(), "shutdown" | "dismiss"));
    let reason = Some("it is not ready".to_owned());
    let response = Response { approve, reason, ..Response::default() };
    world.meets(who, id, "decide");
    if world.call(who, |e, now| e.respond(now, id, response)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.decided(&own, id, approve);
        if leaves && approve {
            world.put_off(who, Errand::Leave, &format!("{id} leave"));
        }
    }
}

/// A number below `bound` that follows from an id.
fn luck(id: &str, bound: u64) -> u64 {
    let drawn =
        id.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Random::new(drawn).below(bound)
}

/// Says yes, where it is asked.
pub(crate) fn approve(world: &mut World, who: usize, id: &str) {
    let response = Response { approve: true, ..Response::default() };
    if world.call(who, |e, now| e.respond(now, id, response)).is_ok() {
        let own = world.members[who].name.clone();
        world.laws.decided(&own, id, true);
    }
    world.judge(who);
}
