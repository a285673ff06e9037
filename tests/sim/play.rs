//! Plays a script, line by line.

use std::cell::Cell;
use std::sync::Once;

use team_protocols::{
    AskOptions, Details, Engine, Kind, Liveness, MemberConfig, Millis, SectionPolicy, Status,
};

use crate::asking;
use crate::coverage::Coverage;
use crate::faults::Fault;
use crate::harness::{Packet, Random};
use crate::laws::LAWS;
use crate::script::{Op, Script, Verb};
use crate::world::{Back, End, World};

/// Plays a script to its quiet end. Panics with the name of the law that is broken.
pub(crate) fn play(script: &Script, fault: Option<Fault>) -> Coverage {
    let mut world = World::new(script.shape);
    world.fault = fault;
    play_in(world, script)
}

/// The same, and prints every line, frame and event.
pub(crate) fn tell(script: &Script) -> Coverage {
    let mut world = World::new(script.shape);
    world.trace = true;
    play_in(world, script)
}

fn play_in(mut world: World, script: &Script) -> Coverage {
    for op in &script.ops {
        world.trace(|| format!("{} {} {:?}", op.verb.name(), script.shape.name(op.who), op.args));
        line(&mut world, *op);
    }
    quiet(&mut world);
    world.cover.scripts += 1;
    world.cover
}

/// Plays a script, and takes a broken law for an answer: which, and how.
pub(crate) fn attempt(script: &Script, fault: Option<Fault>) -> Result<Coverage, String> {
    static QUIET_HOOK: Once = Once::new();
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    QUIET_HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(script, fault)));
    QUIET.set(false);
    played.map_err(|why| {
        let text = why.downcast_ref::<String>().cloned();
        text.or_else(|| Some((*why.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
    })
}

/// What a script fails with; `None` when it does not fail.
pub(crate) fn failure(script: &Script, fault: Option<Fault>) -> Option<String> {
    attempt(script, fault).err()
}

/// What tells one sort of failure from another.
pub(crate) fn law_of(why: &str) -> &str {
    let named = LAWS.iter().find(|law| why.starts_with(&format!("{law}:")));
    named.copied().unwrap_or_else(|| why.get(..12).unwrap_or(why))
}

fn line(world: &mut World, op: Op) {
    let Op { verb, who, args: [a, b, c] } = op;
    match verb {
        Verb::Wait => world.run(a),
        Verb::Weather => world.weather([a, b, c]),
        Verb::Heal => world.net.network.heal(),
        Verb::Join => join(world),
        _ if who >= world.members.len() => {}
        Verb::Respawn => respawn(world, op),
        Verb::Crash => {
            let name = world.members[who].name.clone();
            world.net.remove(&name);
            world.members[who].up = false;
            world.members[who].kept = None;
        }
        _ if !world.members[who].up => {}
        Verb::End => end(world, op),
        Verb::Jump => {
            let name = world.members[who].name.clone();
            world.net.node_mut(&name).skew += a as i64;
        }
        Verb::Back => {
            let name = world.members[who].name.clone();
            world.net.node_mut(&name).skew -= a as i64;
            world.laws.set_back.insert(name);
        }
        Verb::Sleep => world.members[who].asleep_until = world.now() + a,
        Verb::Cut => {
            let other = world.members[(a as usize) % world.members.len()].name.clone();
            let own = world.members[who].name.clone();
            if b % 3 == 0 {
                world.net.network.cut(&own, &other);
            } else {
                world.net.network.part(&own, &other);
            }
        }
        Verb::Replay | Verb::Misroute | Verb::Garble => tamper(world, op),
        _ if !world.awake(who) => {}
        _ => act(world, op),
    }
}

/// A line that is a call of a member's host.
fn act(world: &mut World, op: Op) {
    match op.verb {
        Verb::Shutdown => asking::shutdown(world, op),
        Verb::ShutdownAll => asking::shutdown_all(world, op),
        Verb::Plan => asking::plan(world, op),
        Verb::Ask => asking::ask(world, op),
        Verb::Ring => return ring(world, op),
        Verb::Decide => crate::answering::decide(world, op),
        Verb::Tool => crate::answering::tool(world, op),
        Verb::Cancel | Verb::Pause | Verb::Resume => on_own(world, op),
        Verb::CallOff => crate::answering::call_off(world, op),
        Verb::Reopen => crate::answering::reopen(world, op),
        Verb::Report => crate::answering::report(world, op),
        Verb::WorkDone => crate::answering::work_done(world, op),
        Verb::Rerun => crate::answering::rerun(world, op),
        Verb::Gate => crate::answering::gate(world, op),
        Verb::StartFailed => crate::answering::start_failed(world, op),
        Verb::Progress => crate::answering::progress(world, op),
        Verb::Interrupt => crate::answering::interrupt(world, op),
        Verb::Say => say(world, op),
        Verb::Idle => {
            let _done = world.call(op.who, |e, now| e.idle(now, None));
        }
        Verb::Enter => enter(world, op),
        Verb::Leave => {
            let Some(section) = world.members[op.who].sections.last().copied() else { return };
            if world.call(op.who, |e, now| e.leave_section(now, section)).is_ok() {
                world.members[op.who].sections.pop();
            }
        }
        Verb::Exit => exit(world, op.who),
        Verb::Close => close(world, op.who),
        Verb::Gone => gone(world, op),
        Verb::SendFailed => send_failed(world, op),
        Verb::Bad => crate::bad::call(world, op),
        Verb::Wait
        | Verb::Weather
        | Verb::Cut
        | Verb::Heal
        | Verb::Jump
        | Verb::Back
        | Verb::Sleep
        | Verb::Crash
        | Verb::End
        | Verb::Respawn
        | Verb::Replay
        | Verb::Misroute
        | Verb::Garble
        | Verb::Join => {}
    }
    if world.members[op.who].up {
        world.judge(op.who);
    }
}

/// The process of a member ends, at once or in the middle of its next input, and another goes on.
fn end(world: &mut World, Op { who, args: [a, b, c], .. }: Op) {
    let back = Back {
        after: pick([0, 40, 3_000, 40_000], a / 3),
        snapshot: b % 2 == 0,
        compact: b / 2 % 4 == 0,
        keeps_mail: b / 8 % 2 == 0,
    };
    match a % 3 {
        0 => world.end_between(who, back),
        1 => world.end_within(who, End { torn: None, back }),
        _ => world.end_within(who, End { torn: Some(c), back }),
    }
}

/// Several workers wait for the next one each, at the same instant.
fn ring(world: &mut World, Op { args: [a, b, _], .. }: Op) {
    let first = world.shape.approvers + 1;
    let size = 2 + (a as usize) % (world.shape.workers - 1);
    for at in 0..size {
        let (who, next) = (first + at, first + (at + 1) % size);
        if world.awake(who) {
            let kind = if (b >> at) % 4 == 0 { "sync" } else { "dependency" };
            let to = world.members[next].name.clone();
            let op = Op { verb: Verb::Ask, who, args: [0, 0, 5] };
            asking::ask_in_some_way(world, op, kind, &to);
            world.judge(who);
        }
    }
}

/// A call on one of the pending requests of a member, or on one that has ended.
fn on_own(world: &mut World, Op { verb, who, args: [a, ..] }: Op) {
    let Some(id) = asking::own_request(world, who, a) else { return };
    let input = match verb {
        Verb::Pause => "pause",
        Verb::Resume => "unpause",
        _ => "cancel",
    };
    world.meets(who, &id, input);
    let _done = world.call(who, |e, now| match verb {
        Verb::Pause => e.pause(now, &id),
        Verb::Resume => e.resume(now, &id),
        _ => e.cancel(now, &id),
    });
}

fn say(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    world.texts += 1;
    let text = format!("text {} of {}", world.texts, world.members[who].name);
    world.laws.said(&text);
    let to = match a % 8 {
        0 => "*".to_owned(),
        _ => world.members[(a as usize) % world.members.len()].name.clone(),
    };
    let _said = world.call(who, |e, now| e.say(now, &to, &text));
}

fn enter(world: &mut World, Op { who, args: [a, b, _], .. }: Op) {
    let policy = if a % 2 == 0 { SectionPolicy::Defer } else { SectionPolicy::Reject };
    let eta = (b % 3 > 0).then(|| Millis::new(b * 20));
    let name = world.members[who].name.clone();
    world.laws.entered_section(&name);
    let waiting = world.engine(who).map(Engine::obligations).unwrap_or_default();
    if let Ok(section) = world.call(who, |e, now| e.enter_section(now, "tests", eta, policy)) {
        for owed in waiting.iter().filter(|owed| owed.request.kind.name() == "shutdown") {
            world.cover.met(false, team_protocols::Status::Pending, "defer");
            let _ = owed;
        }
        world.members[who].sections.push(section);
    }
}

fn exit(world: &mut World, who: usize) {
    world.meets_all(who, crate::harness::LEAD, "exited");
    if world.call(who, Engine::exit).is_ok() {
        let name = world.members[who].name.clone();
        world.laws.left(&name);
    }
}

fn close(world: &mut World, who: usize) {
    let name = world.members[who].name.clone();
    world.wake(who);
    if !world.members[who].up {
        return;
    }
    world.members[who].ends = None;
    world.net.node_mut(&name).doomed = false;
    world.net.act(&name, Engine::close);
    world.laws.left(&name);
    world.judge(who);
    let closed = world.call(who, |e, now| e.idle(now, None));
    assert_eq!(closed.map_err(|error| error.code()), Err("closed"));
    world.members[who].up = false;
    world.net.remove(&name);
}

fn gone(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let other = (a as usize) % world.members.len();
    // Hosts say so of members that have ended, and now and then by mistake.
    if world.members[other].up && a % 5 > 0 {
        return;
    }
    let name = world.members[other].name.clone();
    world.laws.said_gone.insert(name.clone());
    let _told = world.call(who, |e, now| e.member_gone(now, &name));
}

fn send_failed(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let own = world.members[who].name.clone();
    let sent: Vec<u64> = {
        let of_own = world.net.network.sent.iter().filter(|packet| packet.from == own);
        of_own.map(|packet| packet.seq).collect()
    };
    let Some(seq) = sent.get((a as usize) % sent.len().max(1)).copied() else { return };
    world.wake(who);
    if !world.members[who].up {
        return;
    }
    world.net.act(&own, |e, now| e.handle_send_failed(now, seq));
    world.input(who);
}

/// A frame that was under way before comes again, by its own channel or by another.
fn tamper(world: &mut World, Op { verb, who, args: [a, b, _] }: Op) {
    world.laws.tampered = true;
    let own = world.members[who].name.clone();
    let of_own: Vec<_> =
        world.net.network.sent.iter().filter(|packet| packet.from == own).cloned().collect();
    let Some(packet) = of_own.get((a as usize) % of_own.len().max(1)) else { return };
    if verb == Verb::Replay {
        world.hand_over(packet, &own);
        return;
    }
    if verb == Verb::Garble {
        let text = &packet.frame;
        let end = (0..(b as usize) % text.len()).rev().find(|end| text.is_char_boundary(*end));
        let frame = text[..end.unwrap_or(0)].to_owned();
        let before = world.cover.count("refused", "not_json");
        world.take_in(&Packet { frame, ..packet.clone() }, &own, true);
        let reached = world.engine(world.place_of(&packet.to).unwrap()).is_some();
        assert!(!reached || world.cover.count("refused", "not_json") >= before);
        return;
    }
    let channel = world.members[(b as usize) % world.members.len()].name.clone();
    if channel != own && channel != packet.to {
        world.take_in(packet, &channel, true);
    }
}

fn respawn(world: &mut World, Op { who, args: [a, b, _], .. }: Op) {
    if world.members[who].up {
        let name = world.members[who].name.clone();
        world.net.remove(&name);
        world.members[who].up = false;
    }
    // A life begins later than the one before it.
    world.run(1 + a % 50);
    world.begin(who, b % 2 == 0);
    world.announce(who, (a % 4) * 400);
}

/// A member joins the team.
fn join(world: &mut World) {
    if world.members.len() >= world.shape.size() + 2 {
        return;
    }
    let place = world.members.len();
    world.enlist(place);
    let listed: MemberConfig = world.listed(place);
    for at in 0..place {
        if world.members[at].up {
            let _told = world.call(at, |e, now| e.add_member(now, &listed));
            world.judge(at);
        }
    }
    world.begin(place, false);
}

/// Faults stop and time passes: everything must come to its end, and the team must still work.
fn quiet(world: &mut World) {
    for place in 0..world.members.len() {
        world.members[place].ends = None;
        world.go_on(place);
        let name = world.members[place].name.clone();
        if world.members[place].up {
            world.net.node_mut(&name).doomed = false;
        }
    }
    world.net.network.heal();
    world.weather([0, 0, 20]);
    let longest = 700_000 + 200_000 + world.laws.pause_max;
    world.run(longest);
    // Clocks that were set back catch up.
    world.run(longest);
    for place in 0..world.members.len() {
        let open: Vec<_> = std::mem::take(&mut world.members[place].sections);
        for section in open {
            if world.members[place].up {
                world.call(place, |e, now| e.leave_section(now, section)).unwrap();
                world.judge(place);
            }
        }
    }
    for place in 0..world.members.len() {
        crate::answering::finish_all(world, place);
    }
    world.run(longest);
    if world.fault == Some(Fault::NeverEnded) {
        world.laws.requests.values_mut().for_each(|asked| asked.settled = None);
    }
    still_works(world);
    for place in 0..world.members.len() {
        if world.members[place].up {
            world.replays(place);
        }
    }
    let up = world.members.iter().filter(|of| of.up).map(|of| of.name.as_str());
    let engines: Vec<_> = up.map(|name| (name, world.net.engine(name))).collect();
    world.laws.ended(engines.iter().copied());
}

/// Whoever is up and has not left gets an answer from whoever else is.
fn still_works(world: &mut World) {
    let present = |world: &World, at: usize| {
        world.members[at].up && !world.laws.is_gone(&world.members[at].name)
    };
    let size = world.members.len();
    for (from, to) in (0..size).flat_map(|from| (0..size).map(move |to| (from, to))) {
        if from == to || !present(world, from) || !present(world, to) {
            continue;
        }
        let (own, other) = (world.members[from].name.clone(), world.members[to].name.clone());
        let thinks_gone = |of: usize, name: &str| {
            let team = world.engine(of).map(Engine::team).unwrap_or_default();
            let view = team.into_iter().find(|view| view.name.as_str() == name);
            view.is_none_or(|view| matches!(view.liveness, Liveness::Leaving | Liveness::Left))
        };
        if thinks_gone(from, &other) || thinks_gone(to, &own) {
            continue;
        }
        let (kind, options) = (Kind::parse("ping").unwrap(), AskOptions::default());
        let asked = asking::ask_of(world, from, &kind, &other, Details::default(), options);
        world.judge(from);
        let Some(id) = asked.filter(|_| world.fault != Some(Fault::Worn)) else {
            crate::laws::broken("still works", format!("{own} cannot ask {other}"));
        };
        world.run(1_000);
        crate::answering::approve(world, to, &id);
        world.run(1_000);
        let status = world.net.engine(&own).request(&id).map(|view| view.status);
        // A prompt host has answered in its own way.
        if !matches!(status, Some(Status::Approved | Status::Rejected)) {
            crate::laws::broken("still works", format!("{own} asked {other}: {status:?}"));
        }
    }
}

/// Draws from small pools.
pub(crate) fn pick<T: Copy, const N: usize>(pool: [T; N], at: u64) -> T {
    pool[(at as usize) % N]
}

/// A second number from one that was used already.
pub(crate) fn mixed(from: u64) -> u64 {
    Random::new(from).next()
}
