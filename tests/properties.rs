//! Properties, against oracles that are stated in another way: quorums by trying every future,
//! clocks by counting every millisecond, validation by the table of `docs/protocol.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test may fail by panicking"
)]

use proptest::prelude::*;
use team_protocols::fsm::{Ballot, Clocks, Panel, Stage, Standing};
use team_protocols::{
    Choice, Config, DeadlineKind, Engine, Incarnation, Limits, MemberConfig, MemberIndex,
    MemberName, Message, Millis, Origin, Plan, PlanApprovalRequest, PlanApprovalResponse,
    RequestId, Role, Roles, Rulebook, SeededIds, ShutdownRequest, ShutdownResponse, Target,
    Timestamp, Timing, Uses, check,
};

const CASES: u32 = 512;

fn cases() -> ProptestConfig {
    ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() }
}

// ---- quorum ----

/// One stage, and what each of its approvers has said, if anything.
#[derive(Clone, Debug)]
struct Vote {
    threshold: usize,
    veto: bool,
    last: bool,
    said: Vec<Option<Choice>>,
}

fn any_vote() -> impl Strategy<Value = Vote> {
    let choice = prop::sample::select(vec![Choice::Approve, Choice::Reject, Choice::Gone]);
    let said = prop::collection::vec(prop::option::of(choice), 1..7);
    (said, any::<prop::sample::Index>(), any::<bool>(), any::<bool>()).prop_map(
        |(said, threshold, veto, last)| {
            let threshold = 1 + threshold.index(said.len());
            Vote { threshold, veto, last, said }
        },
    )
}

/// Whether a stage whose votes are all in has passed.
fn passes(vote: &Vote, all: &[Choice]) -> bool {
    let count = |choice| all.iter().filter(|said| **said == choice).count();
    count(Choice::Approve) >= vote.threshold && !(vote.veto && count(Choice::Reject) > 0)
}

/// Every way in which the votes may still come in. Who has said yes or no has said so; who is
/// thought to be gone may, where `back`, still say something.
fn futures(said: &[Option<Choice>], back: bool) -> Vec<Vec<Choice>> {
    let mut all = vec![Vec::new()];
    for said in said {
        let may = match said {
            Some(Choice::Gone) if back => vec![Choice::Approve, Choice::Reject, Choice::Gone],
            Some(said) => vec![*said],
            None => vec![Choice::Approve, Choice::Reject, Choice::Gone],
        };
        all = all
            .iter()
            .flat_map(|before| may.iter().map(|last| [&before[..], &[*last]].concat()))
            .collect();
    }
    all
}

/// What the votes come to, by trying every future.
fn by_brute_force(vote: &Vote) -> Standing {
    let now: Vec<Choice> = vote.said.iter().map(|said| said.unwrap_or(Choice::Gone)).collect();
    let can = |back| futures(&vote.said, back).iter().any(|all| passes(vote, all));
    // A no that would end it is not waited for: enough yes without one is enough.
    match (passes(vote, &now), can(false), can(true)) {
        (true, ..) if vote.last => Standing::Approved,
        (true, ..) => Standing::Passed,
        (false, true, _) => Standing::Open,
        (false, false, true) => Standing::Unreachable,
        (false, false, false) => Standing::Rejected,
    }
}

fn panel_of(vote: &Vote) -> (Panel, Ballot) {
    let members = |from: usize, n: usize| (from..from + n).map(MemberIndex::new).collect();
    let count = vote.said.len();
    let stage = Stage { approvers: members(0, count), threshold: vote.threshold, veto: vote.veto };
    let mut stages = vec![stage];
    if !vote.last {
        stages.push(Stage { approvers: members(count, 1), threshold: 1, veto: false });
    }
    let said = vote.said.iter().enumerate();
    let ballot = said.fold(Ballot::default(), |ballot, (by, choice)| match choice {
        Some(choice) => ballot.with(MemberIndex::new(by), *choice, None),
        None => ballot,
    });
    (Panel::Stages(stages.into()), ballot)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_vote_stands_as_every_future_says(vote in any_vote()) {
        let (panel, ballot) = panel_of(&vote);
        prop_assert_eq!(ballot.standing(&panel), by_brute_force(&vote));
    }

    #[test]
    fn whoever_is_indispensable_is_missed_in_every_future_that_passes(vote in any_vote()) {
        let (panel, ballot) = panel_of(&vote);
        prop_assume!(ballot.standing(&panel) == Standing::Open);
        let indispensable = ballot.indispensable(&panel);
        let all = futures(&vote.said, false);
        for (by, _) in vote.said.iter().enumerate().filter(|(_, said)| said.is_none()) {
            let without = all.iter().any(|all| passes(&vote, all) && all[by] != Choice::Approve);
            prop_assert_eq!(indispensable.contains(&MemberIndex::new(by)), !without, "{}", by);
        }
    }

    #[test]
    fn the_order_of_the_votes_does_not_matter(vote in any_vote(), turn: usize) {
        let (panel, ballot) = panel_of(&vote);
        let mut turned = ballot.clone();
        let count = turned.votes.len();
        turned.votes.rotate_left(turn % count.max(1));
        prop_assert_eq!(turned.standing(&panel), ballot.standing(&panel));
    }
}

// ---- deadlines ----

/// What happens to a waiting request.
#[derive(Clone, Debug)]
enum Happens {
    Progress,
    Pause,
    Resume,
    Time(u64),
}

fn any_story() -> impl Strategy<Value = Vec<Happens>> {
    let happens = prop_oneof![
        Just(Happens::Progress),
        Just(Happens::Pause),
        Just(Happens::Resume),
        (0..40u64).prop_map(Happens::Time),
    ];
    prop::collection::vec(happens, 0..24)
}

/// The same clocks, by counting down every millisecond.
struct Counted {
    idle: u64,
    cap: u64,
    timeout: u64,
    paused: bool,
    pause_left: u64,
    over: Option<DeadlineKind>,
}

impl Counted {
    fn tick(&mut self) {
        if self.over.is_some() {
            return;
        }
        if self.paused {
            self.pause_left -= 1;
            self.paused = self.pause_left > 0;
            return;
        }
        (self.idle, self.cap) = (self.idle - 1, self.cap - 1);
        self.over = match (self.cap, self.idle) {
            (0, _) => Some(DeadlineKind::Cap),
            (_, 0) => Some(DeadlineKind::Idle),
            _ => None,
        };
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Progress restarts the idle limit and never the cap; a pause stops both, up to its maximum.
    #[test]
    fn the_clocks_of_a_request_agree_with_counted_milliseconds(
        (timeout, cap, pause_max, reminders) in (1..60u64, 1..200u64, 1..80u64, 0..4u32),
        story in any_story(),
    ) {
        let ms = Timestamp::from_ms;
        let mut now = 1_000;
        let mut clocks = Clocks::start(ms(now), Millis::new(timeout), Millis::new(cap), reminders);
        let mut counted = Counted { idle: timeout, cap, timeout, paused: false, pause_left: pause_max, over: None };
        for happens in story {
            let span = match happens {
                Happens::Progress => {
                    clocks = clocks.restart_idle(ms(now));
                    counted.idle = counted.timeout;
                    0
                }
                Happens::Pause => {
                    // A request that is paused is not paused once more.
                    if clocks.paused_until().is_none() {
                        let paused = clocks.pause(ms(now), Millis::new(pause_max));
                        prop_assert_eq!(paused.is_some(), counted.pause_left > 0);
                        counted.paused = paused.is_some();
                        clocks = paused.unwrap_or(clocks);
                    }
                    0
                }
                Happens::Resume => {
                    clocks = clocks.resume(ms(now));
                    counted.paused = false;
                    0
                }
                Happens::Time(span) => span,
            };
            for _ in 0..span {
                now += 1;
                counted.tick();
                prop_assert!(clocks.next() >= ms(now) || clocks.due(ms(now)).is_some());
                match clocks.due(ms(now)) {
                    Some(DeadlineKind::Reminder) => clocks = clocks.remind(ms(now)),
                    Some(DeadlineKind::PauseEnd) => clocks = clocks.resume(ms(now)),
                    Some(end) => {
                        prop_assert_eq!(Some(end), counted.over);
                        return Ok(());
                    }
                    None => {}
                }
                prop_assert_eq!(counted.over, None, "at {}: {:?}", now, clocks);
                prop_assert_eq!(clocks.paused_until().is_some(), counted.paused, "at {}", now);
            }
            prop_assert!(clocks.reminded() <= reminders);
        }
    }
}

// ---- validation ----

fn any_roles() -> impl Strategy<Value = Roles> {
    let all = [Role::Lead, Role::Worker, Role::Approver];
    let with_approver = [Role::Lead, Role::Worker].map(|role| Roles::of(&[role, Role::Approver]));
    prop::sample::select([&all.map(|role| Roles::of(&[role]))[..], &with_approver[..]].concat())
}

fn some_reason() -> impl Strategy<Value = Option<String>> {
    let texts = ["", " ", "\u{200b}\u{feff}", "\t\n", "busy", " x "].map(str::to_owned).to_vec();
    prop::option::of(prop::sample::select(texts))
}

fn plan() -> Plan {
    let words = || "x".to_owned();
    let (scope, steps) = (vec!["write:src/**".to_owned()], vec![words()]);
    Plan { title: words(), scope, steps, risk: words(), text: words() }
}

/// A message that has no other fault than where it goes and the reason that it lacks.
fn any_message() -> impl Strategy<Value = (Message, Option<(bool, Option<String>)>)> {
    let request_id = || RequestId::from_random(1);
    prop_oneof![
        Just((
            Message::ShutdownRequest(ShutdownRequest {
                request_id: request_id(),
                reason: None,
                follows: None,
                timing: Timing::default(),
            }),
            None
        )),
        Just((
            Message::PlanApprovalRequest(PlanApprovalRequest {
                request_id: request_id(),
                plan: plan(),
                uses: Uses::Once,
                follows: None,
                timing: Timing::default(),
            }),
            None
        )),
        (any::<bool>(), some_reason()).prop_map(move |(approve, reason)| {
            let answer = Some((approve, reason.clone()));
            let (request_id, retry_after_ms) = (request_id(), None);
            let response = ShutdownResponse { request_id, approve, reason, retry_after_ms };
            (Message::ShutdownResponse(response), answer)
        }),
        (any::<bool>(), some_reason()).prop_map(move |(approve, feedback)| {
            let answer = Some((approve, feedback.clone()));
            let (request_id, digest) = (request_id(), plan().digest(Uses::Once));
            let response = PlanApprovalResponse { request_id, approve, feedback, digest };
            (Message::PlanApprovalResponse(response), answer)
        }),
    ]
}

/// Who asks and who decides, as `docs/protocol.md` has it.
fn may_go(message: &Message, from: Roles, to: Roles) -> bool {
    let shutdown = |lead: Roles, worker: Roles| lead.has(Role::Lead) && worker.has(Role::Worker);
    let plan = |worker: Roles, decider: Roles| {
        worker.has(Role::Worker) && (decider.has(Role::Lead) || decider.has(Role::Approver))
    };
    match message {
        Message::ShutdownRequest(_) => shutdown(from, to),
        Message::ShutdownResponse(_) => shutdown(to, from),
        Message::PlanApprovalRequest(_) => plan(from, to),
        Message::PlanApprovalResponse(_) => plan(to, from),
        Message::Request(_)
        | Message::Response(_)
        | Message::Settled(_)
        | Message::Progress(_)
        | Message::Receipt(_)
        | Message::Cancel(_)
        | Message::Reopen(_)
        | Message::ExecutionReport(_)
        | Message::Exited(_)
        | Message::Idle(_)
        | Message::Undeliverable(_)
        | Message::Probe(_) => panic!("{message:?}"),
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_message_is_valid_exactly_when_the_table_allows_it_and_a_refusal_says_why(
        (message, answer) in any_message(),
        from in any_roles(),
        to in prop_oneof![
            8 => any_roles().prop_map(Target::Member),
            1 => Just(Target::Everyone),
            1 => Just(Target::Oneself),
        ],
        own: bool,
    ) {
        let name = MemberName::parse("team-lead").unwrap();
        let now = Timestamp::from_ms(1);
        let members = vec![MemberConfig::new(name.clone(), Role::Lead)];
        let config = Config::new(name, Incarnation::new(now, 1), members);
        let engine = Engine::new(now, config, Box::new(SeededIds::new("kinds"))).unwrap();
        let limits = Limits::default();
        let rules = Rulebook { kinds: engine.kinds(), limits: &limits };
        let origin = if own { Origin::Own } else { Origin::Peer };
        let blank = |text: &str| text.chars().all(|c| c.is_whitespace() || "\u{200b}\u{feff}".contains(c));
        let says_why = answer.is_none_or(|(approve, reason)| {
            // A plan that a peer rejects without a reason is taken: its worker must not be left hanging.
            let mild = !own && matches!(message, Message::PlanApprovalResponse(_));
            approve || mild || reason.is_some_and(|reason| !blank(&reason))
        });
        let expected = match &to {
            Target::Everyone => Err("broadcast"),
            Target::Oneself => Err("to_oneself"),
            Target::Member(to) if !may_go(&message, from, *to) => Err("role"),
            Target::Member(_) if !says_why => Err("reason_required"),
            Target::Member(_) | Target::Unknown { .. } => Ok(()),
        };
        let judged = check(message, origin, from, to, rules).map(drop).map_err(|error| {
            match team_protocols::ProtocolError::Invalid(error).code() {
                "not_allowed" | "response_not_to_lead" => "role",
                code => code,
            }
        });
        prop_assert_eq!(judged, expected);
    }
}
