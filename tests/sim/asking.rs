//! Lines that ask: shutdowns, plans, and every other kind.

use team_protocols::{
    AskOptions, Details, Escalation, FollowSpec, Kind, Limits, Link, Millis, StageSpec, Uses,
    decode_payload,
};

use crate::harness::{scoped, stage};
use crate::laws::Asked;
use crate::play::{mixed, pick};
use crate::script::Op;
use crate::world::World;

/// What may be allowed, and what is tried.
const SCOPES: [&str; 5] =
    ["write:src/**", "write:src/a", "write:docs/**", "delete:old", "run:deploy"];
pub(crate) const ACTIONS: [&str; 6] =
    ["write:src/a", "write:src/a/b", "write:docs/x", "delete:old", "run:deploy", "run:other"];

pub(crate) fn shutdown(world: &mut World, Op { who, args: [a, b, c], .. }: Op) {
    let to = name(world, a);
    let escalate = escalation(b ^ c);
    let options = AskOptions { escalate, ..options(world, who, [b, c], "shutdown", None) };
    let (reason, asked) = (Some("work is done".to_owned()), options.clone());
    let done = world.call(who, |e, now| e.request_shutdown(now, &to, reason, asked));
    if let Ok(id) = done {
        note(world, who, id.as_str(), "shutdown", &to, &options, Content::default());
    }
}

/// One shutdown in three is asked again by itself.
fn escalation(at: u64) -> Option<Escalation> {
    let span = |at| pick([None, Some(1), Some(900), Some(20_000)], at).map(Millis::new);
    let (attempts, retry_after, longest) = (1 + at / 3 % 4, span(at / 12), span(at / 48));
    let attempts = u32::try_from(attempts).unwrap();
    (at % 3 == 0).then_some(Escalation { attempts, retry_after, longest })
}

pub(crate) fn shutdown_all(world: &mut World, Op { who, args: [a, ..], .. }: Op) {
    let options = AskOptions { escalate: escalation(a), ..AskOptions::default() };
    let asked = options.clone();
    let Ok(workers) = world.call(who, |e, now| e.shutdown_all(now, None, asked)) else { return };
    for worker in workers {
        if let Some(id) = worker.asked.request_id() {
            let to = worker.member.as_str();
            note(world, who, id.as_str(), "shutdown", to, &options, Content::default());
        }
    }
}

pub(crate) fn plan(world: &mut World, Op { who, args: [a, b, c], .. }: Op) {
    let (scope, uses) = (scope(a), pick([Uses::UntilReport, Uses::Once], a / 25));
    let entries: Vec<&str> = scope.iter().map(String::as_str).collect();
    let plan = scoped(&entries);
    let digest = Some(plan.digest(uses).to_string());
    let options = options(world, who, [b, c], "plan_approval", digest.clone());
    let asked = options.clone();
    let done = world.call(who, |e, now| e.submit_plan(now, plan, uses, asked));
    if let Ok(id) = done {
        let to = crate::harness::LEAD;
        let content = Content { digest, scope, uses };
        note(world, who, id.as_str(), "plan_approval", to, &options, content);
    }
}

/// Kinds with who asks and who decides, by the first letters of their roles.
const KINDS: [(&str, &str, &str); 9] = [
    ("dependency", "w", "w"),
    ("sync", "w", "w"),
    ("grant", "w", "la"),
    ("dependency", "w", "w"),
    ("review", "w", "la"),
    ("ping", "lwa", "lwa"),
    ("plan_request", "l", "w"),
    ("plan_request", "l", "w"),
    ("dismiss", "l", "aw"),
];

/// A kind and a target: most often such as this member may ask.
fn fitting(world: &World, who: usize, a: u64) -> (&'static str, String) {
    if a % 13 == 0 {
        return (KINDS[(a as usize / 13) % 9].0, name(world, a / 117));
    }
    let letter = |at: usize| world.members[at].role.name().chars().next().unwrap();
    let kinds: Vec<_> =
        KINDS.iter().filter(|(_, askers, _)| askers.contains(letter(who))).collect();
    let (kind, _, deciders) = kinds[(a as usize) % kinds.len()];
    let fits = |at: &usize| *at != who && deciders.contains(letter(*at));
    let targets: Vec<usize> = (0..world.members.len()).filter(fits).collect();
    let to = targets.get((a as usize / 9) % targets.len().max(1)).copied().unwrap_or(0);
    (kind, name(world, to as u64))
}

pub(crate) fn ask(world: &mut World, op: Op) {
    let (kind, to) = fitting(world, op.who, op.args[0]);
    ask_in_some_way(world, op, kind, &to);
}

/// Asks for a kind with some payload and some options.
pub(crate) fn ask_in_some_way(world: &mut World, op: Op, kind: &str, to: &str) {
    let Op { who, args: [_, b, c], .. } = op;
    let payload = pick([None, Some("{\"a\":1}"), Some("[1,2,3]")], b / 7);
    let payload = payload.map(|json| decode_payload(json, &Limits::default()).unwrap());
    let scope = if kind == "grant" { scope(b) } else { Vec::new() };
    let uses = pick([Uses::UntilReport, Uses::Once], b / 3);
    let uses = if kind == "grant" { uses } else { Uses::default() };
    let details = Details { payload, scope, uses };
    let parsed = Kind::parse(kind).unwrap();
    let digest = Some(details.digest(&parsed).to_string());
    let options = options(world, who, [b, c], kind, digest);
    let _asked = ask_of(world, who, &parsed, to, details, options);
}

/// Asks a certain member for a certain kind.
pub(crate) fn ask_of(
    world: &mut World,
    who: usize,
    kind: &Kind,
    to: &str,
    details: Details,
    options: AskOptions,
) -> Option<String> {
    let digest = Some(details.digest(kind).to_string());
    let (scope, uses, asked) = (details.scope.clone(), details.uses, options.clone());
    let id = world.call(who, |e, now| e.ask_for(now, kind, to, details, asked)).ok()?;
    let content = Content { digest, scope, uses };
    note(world, who, id.as_str(), kind.name(), to, &options, content);
    Some(id.as_str().to_owned())
}

/// A pending request of a member, or now and then one that has ended.
pub(crate) fn own_request(world: &World, who: usize, pick: u64) -> Option<String> {
    let (name, life) = (&world.members[who].name, world.laws.life(&world.members[who].name));
    let own = world.laws.requests.iter().filter(|(_, of)| of.by == *name && of.life == life);
    let all: Vec<_> = own.collect();
    let open: Vec<_> = all.iter().filter(|(_, of)| of.settled.is_none()).collect();
    if open.is_empty() || pick % 7 == 0 {
        return all.get((pick as usize / 7) % all.len().max(1)).map(|(id, _)| (*id).clone());
    }
    open.get((pick as usize) % open.len()).map(|(id, _)| (*id).clone())
}

/// What a request is bound to.
#[derive(Default)]
pub(crate) struct Content {
    digest: Option<String>,
    scope: Vec<String>,
    uses: Uses,
}

/// The log learns of a request.
pub(crate) fn note(
    world: &mut World,
    who: usize,
    id: &str,
    kind: &str,
    to: &str,
    options: &AskOptions,
    content: Content,
) {
    let own = world.members[who].name.clone();
    if world.laws.requests.contains_key(id) {
        return;
    }
    let Some(view) = world.engine(who).and_then(|engine| engine.request(id)) else { return };
    let usual: u64 = if world.shape.tight { 30_000 } else { 600_000 };
    let timeout = options.timeout.map_or(0, Millis::as_ms).max(20_000 * u64::from(kind == "grant"));
    let stages = options.stages.iter().map(|s| (s.approvers.clone(), s.threshold, s.veto));
    let mut stages: Vec<_> = stages.collect();
    let panel = !stages.is_empty();
    if !panel {
        stages.push((vec![to.to_owned()], 1, false));
    }
    let Content { digest, scope, uses } = content;
    let life = world.laws.life(&own);
    let leaves = matches!(kind, "shutdown" | "dismiss");
    let works = (options.on_approved.is_some(), options.compensation.is_some());
    let asked = Asked {
        by: own,
        life,
        kind: kind.to_owned(),
        leaves,
        digest,
        stages,
        panel,
        opened: view.since.as_ms(),
        cap: options.cap.map_or(usual.max(timeout), Millis::as_ms),
        scope,
        uses,
        works,
        settled: None,
        open: false,
        running: 0,
        reported: None,
        undone: Default::default(),
        runs: 0,
    };
    world.laws.asked(id, asked);
    if let Some(escalation) = options.escalate {
        world.laws.climbs(id, escalation.attempts);
    }
}

fn name(world: &World, at: u64) -> String {
    world.members[(at as usize) % world.members.len()].name.clone()
}

fn scope(at: u64) -> Vec<String> {
    let entries = [SCOPES[(at as usize) % 5], SCOPES[(at as usize / 5) % 5]];
    let entries = if at % 3 == 0 { &entries[..] } else { &entries[..1] };
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

/// Limits, stages, works and an earlier request, most often none of them.
fn options(
    world: &World,
    who: usize,
    [b, c]: [u64; 2],
    kind: &str,
    digest: Option<String>,
) -> AskOptions {
    let timeout = pick([None, None, Some(3_000), Some(20_000), Some(90_000)], b).map(Millis::new);
    let cap = pick([None, None, None, Some(25_000), Some(120_000)], b / 5).map(Millis::new);
    let more = mixed(c);
    let stages = if more % 3 == 0 { stages(world, more / 3) } else { Vec::new() };
    let work = |name: &str, chance: u64| (chance % 2 == 0).then(|| name.to_owned());
    let gated = matches!(kind, "plan_approval" | "grant");
    let on_approved = work("deploy", more / 64);
    let compensation = work("roll back", more / 128).filter(|_| gated || more % 11 == 0);
    let follows = follows(world, who, more / 512, kind, digest);
    AskOptions { timeout, cap, stages, on_approved, compensation, follows, ..AskOptions::default() }
}

/// Goes on from an earlier request of this life of the same kind, where there is one.
fn follows(
    world: &World,
    who: usize,
    at: u64,
    kind: &str,
    digest: Option<String>,
) -> Option<FollowSpec> {
    let (name, life) = (&world.members[who].name, world.laws.life(&world.members[who].name));
    let earlier = world.laws.requests.iter().filter(|(_, of)| of.by == *name && of.life == life);
    let earlier: Vec<_> = earlier.filter(|(_, of)| of.kind == kind).collect();
    let same: Vec<_> = earlier.iter().filter(|(_, of)| of.digest == digest).collect();
    let (request_id, link) = match at % 4 {
        0 if !same.is_empty() => {
            let links = [Link::Retry, Link::Appeal];
            (same[(at as usize / 4) % same.len()].0, pick(links, at / 64))
        }
        1 if !earlier.is_empty() => {
            let links = [Link::Revision, Link::Revision, Link::Retry, Link::Appeal];
            (earlier[(at as usize / 4) % earlier.len()].0, pick(links, at / 64))
        }
        _ => return None,
    };
    let justification = Some(format!("reason {}", at / 256 % 4));
    Some(FollowSpec { request_id: request_id.clone(), link, justification })
}

fn stages(world: &World, at: u64) -> Vec<StageSpec> {
    let approvers: Vec<&str> =
        (1..=world.shape.approvers).map(|n| world.members[n].name.as_str()).collect();
    let lead = crate::harness::LEAD;
    let worker = world.members[world.shape.approvers + 1].name.as_str();
    let threshold = |of: usize| 1 + (at as usize / 8) % of.max(1);
    let veto = at / 64 % 3 == 0;
    match at % 5 {
        0 if !approvers.is_empty() => vec![stage(&approvers, threshold(approvers.len()), veto)],
        1 if !approvers.is_empty() => {
            vec![stage(&approvers, threshold(approvers.len()), veto), stage(&[lead], 1, false)]
        }
        2 => vec![stage(&[lead], 1, veto)],
        3 => vec![stage(&[lead, worker], threshold(2), veto)],
        _ => {
            let all = [&approvers[..], &[lead]].concat();
            vec![stage(&all, threshold(all.len()), veto)]
        }
    }
}
