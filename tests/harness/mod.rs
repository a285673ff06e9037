//! A team of engines on a simulated network: virtual time, seeded weather, no waiting.
//!
//! After every input to an engine the harness checks what must hold whatever happens; see
//! [`check`]. A test that uses it therefore tests more than it says.

#![allow(dead_code, unused_imports, reason = "each test binary uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod check;
mod frames;
mod look;
mod network;
mod saved;

pub(crate) use self::check::Watch;
pub(crate) use self::frames::{Frame, digest, plan, scoped};
pub(crate) use self::network::{Network, Packet, Random, Weather};
pub(crate) use self::saved::Store;

use team_protocols::{
    AskOptions, Config, Details, Disposition, DropReason, Effect, Engine, Event, FollowSpec,
    IdSource, Incarnation, Kind, KindRules, Limits, Link, MemberConfig, MemberName, Millis, Permit,
    Plan, ProtocolError, Response, Role, Roles, Saved, SectionId, SectionPolicy, Sender, StageSpec,
    Status, Timestamp, ToolOutcome, Uses, decode_payload,
};

/// When every test begins, in ms since the Unix epoch.
pub(crate) const START: u64 = 1_700_000_000_000;

/// The lead of every team here.
pub(crate) const LEAD: &str = "team-lead";

/// What a refusable call returns, with the id as text.
pub(crate) type Called<T> = Result<T, ProtocolError>;

/// Several engines, and the network between them.
pub(crate) struct Net {
    now: u64,
    /// How many steps were taken without time going on.
    standing: u32,
    nodes: Vec<Node>,
    pub(crate) network: Network,
}

/// One engine and what the harness knows of it.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) engine: Engine,
    pub(crate) watch: Watch,
    /// How far its clock is before the true time, in ms.
    pub(crate) skew: i64,
    /// Its process ends in the middle of the next input: what that causes is written down, and
    /// nothing of it goes out.
    pub(crate) doomed: bool,
    events: Vec<Event>,
    pub(crate) store: Store,
}

/// Ids that count: the n-th of member `m` begins `req_<n in 8 hex digits>` and ends with `m`.
pub(crate) struct Counting {
    pub(crate) member: u64,
    pub(crate) next: u32,
}

impl IdSource for Counting {
    fn random_u128(&mut self) -> u128 {
        self.next += 1;
        (u128::from(self.next) << 96) | u128::from(self.member)
    }
}

/// A point in time, in ms after the start of the test.
pub(crate) fn at(ms: u64) -> Timestamp {
    Timestamp::from_ms(START + ms)
}

/// The life that members of a fresh team have.
pub(crate) fn life(member: u64) -> Incarnation {
    Incarnation::new(Timestamp::from_ms(START), member)
}

pub(crate) fn name(text: &str) -> MemberName {
    MemberName::parse(text).unwrap()
}

/// A kind whose approval means nothing beyond itself.
pub(crate) fn kind(text: &str, asked_by: &[Role], decided_by: &[Role]) -> KindRules {
    let kind = Kind::parse(text).unwrap();
    KindRules::new(kind, Roles::of(asked_by), Roles::of(decided_by))
}

/// A payload of this JSON.
pub(crate) fn payload(json: &serde_json::Value) -> Details {
    let payload = decode_payload(&json.to_string(), &Limits::default()).unwrap();
    Details { payload: Some(payload), ..Details::default() }
}

/// Several members that decide together.
pub(crate) fn stage(approvers: &[&str], threshold: usize, veto: bool) -> StageSpec {
    let approvers = approvers.iter().map(|name| (*name).to_owned()).collect();
    StageSpec { approvers, threshold, veto }
}

pub(crate) fn member(text: &str, role: Role) -> MemberConfig {
    MemberConfig::new(name(text), role)
}

/// The configuration of one member of a team of a lead and workers.
pub(crate) fn config(workers: &[&str], own: &str) -> Config {
    let mut members = vec![member(LEAD, Role::Lead)];
    members.extend(workers.iter().map(|worker| member(worker, Role::Worker)));
    let place = members.iter().position(|m| m.name.as_str() == own).unwrap() as u64;
    Config::new(name(own), life(place), members)
}

impl Node {
    fn new(engine: Engine, store: Store, skew: i64) -> Self {
        let (name, watch) = (engine.member().as_str().to_owned(), Watch::new(&engine));
        Self { name, engine, watch, skew, doomed: false, events: Vec::new(), store }
    }
}

impl Net {
    /// A lead and workers on a network that delivers at once, in order.
    pub(crate) fn team(workers: &[&str]) -> Self {
        Self::with(workers, |_| {})
    }

    /// The same with another configuration.
    pub(crate) fn with(workers: &[&str], change: impl Fn(&mut Config)) -> Self {
        let mut net = Self { now: START, standing: 0, nodes: Vec::new(), network: Network::new(1) };
        for (place, own) in std::iter::once(&LEAD).chain(workers).enumerate() {
            let mut config = config(workers, own);
            change(&mut config);
            net.add(config, place as u64);
        }
        net
    }

    /// The same in bad weather.
    pub(crate) fn stormy(workers: &[&str], seed: u64, weather: Weather) -> Self {
        // A short audit, for it is read after every step.
        let mut net = Self::with(workers, |config| config.limits.audit_entries = 64);
        net.network = Network::new(seed);
        net.network.weather = weather;
        net
    }

    /// Adds one engine.
    pub(crate) fn add(&mut self, config: Config, member: u64) {
        self.add_node(config, Box::new(Counting { member, next: 0 }), 0);
    }

    /// Adds one engine whose clock is so many ms before the true time.
    pub(crate) fn add_node(&mut self, config: Config, ids: Box<dyn IdSource>, skew: i64) {
        let now = Timestamp::from_ms(self.now.saturating_add_signed(skew));
        let config = Config { journal: true, ..config };
        let mut engine = Engine::new(now, config, ids).unwrap();
        let mut store = Store::default();
        while let Some(effect) = engine.poll_effect() {
            let Effect::Journal(line) = effect else { panic!("an engine begins with {effect:?}") };
            store.append(&line);
        }
        store.handed_over(&mut engine);
        self.nodes.push(Node::new(engine, store, skew));
    }

    /// The process of a member ends. What it has kept stays.
    pub(crate) fn halt(&mut self, own: &str) -> Store {
        let node = self.node_mut(own);
        if !node.doomed {
            node.store.check(&node.engine);
        }
        let store = std::mem::take(&mut node.store);
        self.remove(own);
        store
    }

    /// Another process of a member goes on from what the former one has kept.
    pub(crate) fn go_on(
        &mut self,
        own: &str,
        store: Store,
        with_snapshot: bool,
        ids: Box<dyn IdSource>,
        skew: i64,
    ) {
        let now = Timestamp::from_ms(self.now.saturating_add_signed(skew));
        let with_snapshot = with_snapshot || store.is_compact();
        let snapshot = store.snapshot.as_deref().filter(|_| with_snapshot);
        let saved = Saved { snapshot, journal: &store.journal };
        let (engine, restored) = Engine::restore(now, &name(own), saved, ids).unwrap();
        let mut store = store;
        store.cut(restored.torn_bytes);
        self.nodes.push(Node::new(engine, store, skew));
        self.collect(own);
    }

    /// Takes an engine away: its process has ended.
    pub(crate) fn remove(&mut self, own: &str) {
        self.nodes.retain(|node| node.name != own);
    }

    /// Replaces an engine by a new life of the member.
    pub(crate) fn respawn(&mut self, own: &str, config: Config) -> Incarnation {
        let life = config.incarnation;
        self.remove(own);
        self.add(config, life.nonce());
        life
    }

    pub(crate) fn now(&self) -> u64 {
        self.now - START
    }

    /// Moves the true time without telling anybody.
    pub(crate) fn set_now(&mut self, ms: u64) {
        self.now = self.now.max(START + ms);
    }

    /// What the clock of a member shows.
    pub(crate) fn local(&self, own: &str) -> Timestamp {
        Timestamp::from_ms(self.now.saturating_add_signed(self.node(own).skew))
    }

    pub(crate) fn has(&self, own: &str) -> bool {
        self.nodes.iter().any(|node| node.name == own)
    }

    pub(crate) fn node(&self, own: &str) -> &Node {
        self.nodes.iter().find(|node| node.name == own).unwrap()
    }

    pub(crate) fn node_mut(&mut self, own: &str) -> &mut Node {
        self.nodes.iter_mut().find(|node| node.name == own).unwrap()
    }

    pub(crate) fn engine(&self, own: &str) -> &Engine {
        &self.node(own).engine
    }

    // ---- inputs ----

    /// Calls an engine, checks it and takes its effects.
    pub(crate) fn act<T>(
        &mut self,
        own: &str,
        call: impl FnOnce(&mut Engine, Timestamp) -> T,
    ) -> T {
        let now = self.local(own);
        let node = self.node_mut(own);
        let result = call(&mut node.engine, now);
        self.collect(own);
        result
    }

    /// Hands a frame to an engine.
    pub(crate) fn deliver(&mut self, to: &str, frame: &str, sender: Sender<'_>) -> Disposition {
        let now = self.local(to);
        let node = self.node_mut(to);
        node.engine.handle_deadline(now);
        let before = node.watch.before_frame(&node.engine);
        let disposition = node.engine.handle_frame(now, frame, sender);
        let events = self.collect(to);
        let node = self.node_mut(to);
        node.watch.after_frame(&node.engine, &before, &disposition, &events);
        disposition
    }

    /// Hands a frame to an engine on the channel of `from`.
    pub(crate) fn send(&mut self, from: &str, to: &str, frame: &str) -> Disposition {
        self.deliver(to, frame, Sender::Channel(from))
    }

    /// Delivers everything that is under way, and what it causes, until nothing is.
    pub(crate) fn run_until_quiet(&mut self) {
        while let Some(at) = self.network.next_arrival() {
            self.step_to(at.max(self.now));
        }
    }

    /// Lets time pass, stopping at every deadline and arrival on the way.
    pub(crate) fn advance(&mut self, ms: u64) {
        let end = self.now + ms;
        loop {
            let next = self.next_moment();
            match next {
                Some(at) if at <= end => self.step_to(at.max(self.now)),
                Some(_) | None => break,
            }
        }
        self.now = end;
    }

    /// Lets time pass without waking anybody, as when a computer sleeps.
    pub(crate) fn sleep_through(&mut self, ms: u64) {
        self.now += ms;
        self.step_to(self.now);
    }

    /// Lets time pass while even the engines' deadlines go by unseen.
    pub(crate) fn sleep_without_waking(&mut self, ms: u64) {
        self.now += ms;
    }

    fn next_moment(&self) -> Option<u64> {
        let deadlines = self.nodes.iter().filter_map(|node| node.engine.poll_deadline());
        deadlines.map(Timestamp::as_ms).chain(self.network.next_arrival()).min()
    }

    fn step_to(&mut self, at: u64) {
        self.standing = if at == self.now { self.standing + 1 } else { 0 };
        assert!(self.standing < 10_000, "the team is busy for ever at {}", self.now());
        self.now = at;
        while let Some(packet) = self.network.arrive(at) {
            if self.nodes.iter().any(|node| node.name == packet.to) {
                let Packet { from, to, frame, .. } = packet;
                let disposition = self.deliver(&to, &frame, Sender::Channel(&from));
                self.network.record(&from, &to, disposition);
            }
        }
        let names: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        for own in names {
            if self.engine(&own).poll_deadline().is_some_and(|due| due.as_ms() <= at) {
                self.act(&own, Engine::handle_deadline);
            }
        }
    }

    fn collect(&mut self, own: &str) -> Vec<Event> {
        let now = self.now;
        let node = self.nodes.iter_mut().find(|node| node.name == own).unwrap();
        let mut events = Vec::new();
        while let Some(effect) = node.engine.poll_effect() {
            match effect {
                Effect::Journal(line) => node.store.append(&line),
                Effect::Send(_) if node.doomed => {}
                Effect::Send(send) => self.network.post(now, own, send),
                Effect::Event(event) => events.push(event),
            }
        }
        if node.doomed {
            return events;
        }
        node.store.handed_over(&mut node.engine);
        node.watch.after_input(&node.engine, &events);
        node.events.extend(events.iter().cloned());
        events
    }

    // ---- commands, each followed by everything it causes ----

    pub(crate) fn ask_shutdown(&mut self, to: &str) -> String {
        self.try_shutdown(to, AskOptions::default()).unwrap()
    }

    pub(crate) fn try_shutdown(&mut self, to: &str, options: AskOptions) -> Called<String> {
        let reason = Some("work is done".to_owned());
        let id = self.act(LEAD, |e, now| e.request_shutdown(now, to, reason, options));
        self.run_until_quiet();
        id.map(|id| id.as_str().to_owned())
    }

    pub(crate) fn submit(&mut self, own: &str, plan: Plan, uses: Uses) -> String {
        self.try_submit(own, plan, uses).unwrap()
    }

    pub(crate) fn try_submit(&mut self, own: &str, plan: Plan, uses: Uses) -> Called<String> {
        let options = AskOptions::default();
        let id = self.act(own, |e, now| e.submit_plan(now, plan, uses, options));
        self.run_until_quiet();
        id.map(|id| id.as_str().to_owned())
    }

    pub(crate) fn answer(&mut self, own: &str, id: &str, response: Response) -> Called<String> {
        let id = self.act(own, |e, now| e.respond(now, id, response));
        self.run_until_quiet();
        id.map(|id| id.as_str().to_owned())
    }

    pub(crate) fn approve(&mut self, own: &str, id: &str) {
        self.answer(own, id, yes()).unwrap();
    }

    pub(crate) fn reject(&mut self, own: &str, id: &str, reason: &str) {
        self.answer(own, id, no(reason)).unwrap();
    }

    pub(crate) fn cancel(&mut self, own: &str, id: &str) -> Called<()> {
        let done = self.act(own, |e, now| e.cancel(now, id)).map(|_| ());
        self.run_until_quiet();
        done
    }

    pub(crate) fn pause(&mut self, own: &str, id: &str) -> Called<()> {
        let done = self.act(own, |e, now| e.pause(now, id)).map(|_| ());
        self.run_until_quiet();
        done
    }

    pub(crate) fn resume(&mut self, own: &str, id: &str) -> Called<()> {
        let done = self.act(own, |e, now| e.resume(now, id)).map(|_| ());
        self.run_until_quiet();
        done
    }

    pub(crate) fn report(&mut self, own: &str, id: &str, ok: bool) -> Called<()> {
        let detail = Some(if ok { "done" } else { "broke" }.to_owned());
        let done = self.act(own, |e, now| e.report(now, id, ok, detail)).map(|_| ());
        self.run_until_quiet();
        done
    }

    pub(crate) fn say(&mut self, own: &str, to: &str, text: &str) -> Called<usize> {
        let said = self.act(own, |e, now| e.say(now, to, text));
        self.run_until_quiet();
        said
    }

    pub(crate) fn progress(
        &mut self,
        own: &str,
        id: Option<&str>,
        busy: Option<u64>,
    ) -> Called<()> {
        let note = Some("still at it".to_owned());
        let done = self.act(own, |e, now| e.progress(now, id, note, busy.map(Millis::new)));
        self.run_until_quiet();
        done
    }

    pub(crate) fn idle(&mut self, own: &str) {
        self.act(own, |e, now| e.idle(now, None)).unwrap();
        self.run_until_quiet();
    }

    pub(crate) fn exit(&mut self, own: &str) -> Called<()> {
        let done = self.act(own, Engine::exit);
        self.run_until_quiet();
        done
    }

    pub(crate) fn enter_section(
        &mut self,
        own: &str,
        section: &str,
        eta: Option<u64>,
        policy: SectionPolicy,
    ) -> SectionId {
        let eta = eta.map(Millis::new);
        self.act(own, |e, now| e.enter_section(now, section, eta, policy)).unwrap()
    }

    pub(crate) fn leave_section(&mut self, own: &str, id: SectionId) {
        self.act(own, |e, now| e.leave_section(now, id)).unwrap();
        self.run_until_quiet();
    }

    /// Goes through the gate; whoever passes must hold an approved plan of its own.
    pub(crate) fn enter_gate(&mut self, own: &str, action: &str) -> Called<(Permit, String)> {
        let (permit, id) = self.act(own, |e, now| e.enter_gate(now, action))?;
        let view = self.engine(own).request(id.as_str()).unwrap();
        assert!(view.mine && view.status == Status::Approved, "gate open without approval: {id}");
        Ok((permit, id.as_str().to_owned()))
    }

    /// Submits a plan that goes on from an earlier request.
    pub(crate) fn follow_up(
        &mut self,
        own: &str,
        (link, id): (Link, &str),
        justification: Option<&str>,
        plan: Plan,
    ) -> Called<String> {
        let justification = justification.map(str::to_owned);
        let follows = Some(FollowSpec { request_id: id.to_owned(), link, justification });
        let options = AskOptions { follows, ..AskOptions::default() };
        let id = self.act(own, |e, now| e.submit_plan(now, plan, Uses::UntilReport, options))?;
        self.run_until_quiet();
        Ok(id.as_str().to_owned())
    }

    /// Asks several members to approve a plan.
    pub(crate) fn submit_to(
        &mut self,
        own: &str,
        stages: Vec<StageSpec>,
        limit: Option<u64>,
    ) -> Called<String> {
        let timeout = limit.map(Millis::new);
        let options = AskOptions { stages, timeout, ..AskOptions::default() };
        let id = self.act(own, |e, now| e.submit_plan(now, plan(), Uses::UntilReport, options))?;
        self.run_until_quiet();
        Ok(id.as_str().to_owned())
    }

    /// Asks for something of a kind without messages of its own.
    pub(crate) fn ask_for(
        &mut self,
        own: &str,
        kind: &str,
        to: &str,
        details: Details,
    ) -> Called<String> {
        let kind = Kind::parse(kind).unwrap();
        let options = AskOptions::default();
        let id = self.act(own, |e, now| e.ask_for(now, &kind, to, details, options))?;
        self.run_until_quiet();
        Ok(id.as_str().to_owned())
    }

    pub(crate) fn start_failed(&mut self, own: &str, permit: Permit) -> Called<()> {
        self.act(own, |e, now| e.start_failed(now, permit))
    }
}

/// What a model wrote as the input of its message tool.
pub(crate) fn tool(net: &mut Net, own: &str, input: serde_json::Value) -> Called<ToolOutcome> {
    let done = net.act(own, |e, now| e.call_tool(now, &input.to_string()));
    net.run_until_quiet();
    done
}

pub(crate) fn yes() -> Response {
    Response { approve: true, ..Response::default() }
}

pub(crate) fn no(reason: &str) -> Response {
    Response { reason: Some(reason.to_owned()), ..Response::default() }
}

/// Limits of a request, in ms.
pub(crate) fn limits(timeout: u64, cap: Option<u64>) -> AskOptions {
    AskOptions {
        timeout: Some(Millis::new(timeout)),
        cap: cap.map(Millis::new),
        ..AskOptions::default()
    }
}

/// The code of a refused call.
pub(crate) fn code<T: std::fmt::Debug>(result: &Called<T>) -> &'static str {
    result.as_ref().expect_err("should have been refused").code()
}

/// The code of a dropped or refused frame, or what it was good for.
pub(crate) fn verdict(disposition: &Disposition) -> &'static str {
    match disposition {
        Disposition::Accepted(_) => "accepted",
        Disposition::Settled(_) => "settled",
        Disposition::VoteRecorded(_) => "vote_recorded",
        Disposition::Noted(noted) => noted.name(),
        Disposition::Dropped(reason) => DropReason::code(*reason),
        Disposition::Refused(error) => error.code(),
    }
}
