//! Calls that are wrong whatever the state: each must be refused.

use team_protocols::{
    AskOptions, Details, Engine, Incarnation, Kind, Millis, ProtocolError, Response, Role,
    StageSpec, Timestamp, Uses,
};

use crate::harness::{LEAD, member, scoped, stage};
use crate::script::Op;
use crate::world::World;

type Bad = fn(&mut Engine, Timestamp) -> Result<(), ProtocolError>;

fn staged(e: &mut Engine, now: Timestamp, stages: Vec<StageSpec>) -> Result<(), ProtocolError> {
    let options = AskOptions { stages, ..AskOptions::default() };
    e.submit_plan(now, scoped(&["write:x"]), Uses::Once, options).map(drop)
}

const CALLS: [Bad; 21] = [
    |e, now| e.respond(now, "req_nobody", Response::default()).map(drop),
    |e, now| e.cancel(now, "req_nobody").map(drop),
    |e, now| e.report(now, "req_nobody", true, None).map(drop),
    |e, now| e.pause(now, "").map(drop),
    |e, now| e.resume(now, "r").map(drop),
    |e, now| e.work_done(now, "req_nobody", 1, true, None).map(drop),
    |e, now| e.rerun(now, "req_nobody").map(drop),
    |e, now| e.progress(now, Some("req_nobody"), None, None),
    |e, now| e.say(now, "nobody-here", "hello").map(drop),
    |e, now| e.say(now, "worker-1x", "hello").map(drop),
    |e, now| e.request_shutdown(now, LEAD, None, AskOptions::default()).map(drop),
    |e, now| e.request_shutdown(now, "*", None, AskOptions::default()).map(drop),
    |e, now| {
        let options = AskOptions { timeout: Some(Millis::new(0)), ..AskOptions::default() };
        e.submit_plan(now, scoped(&["write:x"]), Uses::Once, options).map(drop)
    },
    |e, now| {
        let kind = Kind::parse("undeclared").unwrap();
        e.ask_for(now, &kind, LEAD, Details::default(), AskOptions::default()).map(drop)
    },
    |e, now| {
        e.ask_for(now, &Kind::SHUTDOWN, "worker-1", Details::default(), AskOptions::default())
            .map(drop)
    },
    |e, now| staged(e, now, vec![stage(&[LEAD], 2, false)]),
    |e, now| staged(e, now, vec![stage(&[LEAD, LEAD], 1, false)]),
    |e, now| {
        e.submit_plan(now, scoped(&["write:../x"]), Uses::Once, AskOptions::default()).map(drop)
    },
    |e, now| e.add_member(now, &member(LEAD, Role::Worker)),
    |e, now| {
        let own = e.member().as_str().to_owned();
        e.announce(now, &own, Incarnation::new(Timestamp::from_ms(u64::MAX), 1))
    },
    |e, now| {
        e.call_tool(now, "{\"to\":\"team-lead\",\"message\":{\"type\":\"nonsense\"}}").map(drop)
    },
];

pub(crate) fn call(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let place = (a as usize) % CALLS.len();
    let done = world.call(who, |e, now| CALLS[place](e, now));
    assert!(done.is_err(), "bad call {place} of {} was taken", world.members[who].name);
}
