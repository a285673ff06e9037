use super::*;
use crate::ids::RequestId;
use crate::message::*;

fn id() -> RequestId {
    RequestId::from_random(1)
}

fn name(text: &str) -> MemberName {
    MemberName::parse(text).unwrap()
}

fn shutdown_request(reason: &str) -> Message {
    let reason = Some(reason.to_owned());
    Message::ShutdownRequest(ShutdownRequest {
        request_id: id(),
        reason,
        follows: None,
        timing: Timing::default(),
    })
}

fn shutdown_response(approve: bool, reason: Option<&str>) -> Message {
    Message::ShutdownResponse(ShutdownResponse {
        request_id: id(),
        approve,
        reason: reason.map(str::to_owned),
        retry_after_ms: None,
    })
}

fn undeliverable(excerpt: Option<String>) -> Message {
    Message::Undeliverable(Undeliverable { to: name("bob"), excerpt, cause: Cause::SendFailed })
}

fn plan() -> Plan {
    Plan {
        title: "parser".into(),
        scope: vec!["write:src/**".into()],
        steps: vec!["one".into()],
        risk: "none".into(),
        text: String::new(),
    }
}

fn plan_request(plan: Plan, timing: Timing) -> Message {
    let uses = Uses::default();
    Message::PlanApprovalRequest(PlanApprovalRequest {
        request_id: id(),
        plan,
        uses,
        follows: None,
        timing,
    })
}

fn plan_response(approve: bool, feedback: Option<&str>) -> Message {
    let feedback = feedback.map(str::to_owned);
    let digest = plan().digest(Uses::Once);
    Message::PlanApprovalResponse(PlanApprovalResponse {
        request_id: id(),
        approve,
        feedback,
        digest,
    })
}

fn limits() -> Limits {
    Limits { text_bytes: 16, ..Limits::default() }
}

fn judge(message: Message, from: Role, to: Target) -> Result<(), InvalidMessage> {
    verdict(message, Origin::Own, from, to).map(drop)
}

fn verdict(
    message: Message,
    origin: Origin,
    from: Role,
    to: Target,
) -> Result<Valid<Message>, InvalidMessage> {
    let (kinds, limits) = (KindTable::default(), limits());
    check(message, origin, from.into(), to, Rulebook { kinds: &kinds, limits: &limits })
}

fn between(message: Message, from: Role, to: Role) -> Result<(), InvalidMessage> {
    judge(message, from, Target::Member(to.into()))
}

fn unknown() -> Target {
    Target::Unknown {
        name: "alcie".to_owned(),
        nearest: Some(name("alice")),
        roster: vec![name("alice")],
    }
}

/// The rank of a refusal in the order of precedence.
fn rule(refusal: &InvalidMessage) -> u8 {
    match refusal {
        InvalidMessage::Broadcast { .. } => 1,
        InvalidMessage::ToOneself { .. } => 2,
        InvalidMessage::UnknownRecipient { .. } => 3,
        InvalidMessage::ResponseNotToLead { .. }
        | InvalidMessage::NotAllowed { .. }
        | InvalidMessage::UnknownKind { .. }
        | InvalidMessage::OwnMessages { .. }
        | InvalidMessage::ScopeMismatch { .. }
        | InvalidMessage::InvalidStages { .. }
        | InvalidMessage::DigestRequired => 4,
        InvalidMessage::ReasonRequired { .. } => 5,
        InvalidMessage::TextTooLong { .. }
        | InvalidMessage::Blank { .. }
        | InvalidMessage::InvalidScope { .. }
        | InvalidMessage::ZeroLimit { .. }
        | InvalidMessage::TimeoutOverCap { .. } => 6,
    }
}

const LONG: &str = "seventeen letters";

#[test]
fn of_two_broken_rules_the_earlier_one_is_reported() {
    let targets = [(1, Target::Everyone), (2, Target::Oneself), (3, unknown())];
    let broken_fields = [
        // A refusal without a reason (5), from a role that may not answer (4).
        (shutdown_response(false, None), Role::Lead),
        // A text that is too long (6), from a role that may not ask (4).
        (shutdown_request(LONG), Role::Worker),
        // A refusal without a reason (5) alone.
        (shutdown_response(false, Some(" ")), Role::Worker),
        // A blank title (6) alone.
        (plan_request(Plan { title: String::new(), ..plan() }, Timing::default()), Role::Worker),
    ];
    for (rank, target) in targets {
        for (message, from) in &broken_fields {
            let refusal = judge(message.clone(), *from, target.clone()).unwrap_err();
            assert_eq!(rule(&refusal), rank, "{refusal:?}");
        }
    }
    let ranked = [
        // 4 before 5, both ways in which roles can be wrong.
        (between(shutdown_response(false, None), Role::Lead, Role::Worker), 4),
        (between(shutdown_response(false, None), Role::Worker, Role::Worker), 4),
        // 4 before 6.
        (between(shutdown_request(LONG), Role::Worker, Role::Worker), 4),
        // 5 before 6: white space only, and too much of it.
        (between(shutdown_response(false, Some(&" ".repeat(17))), Role::Worker, Role::Lead), 5),
        (between(shutdown_response(false, Some(LONG)), Role::Worker, Role::Lead), 6),
    ];
    for (outcome, rank) in ranked {
        assert_eq!(rule(&outcome.unwrap_err()), rank);
    }
}

#[test]
fn within_the_fields_sizes_come_before_blanks_before_scope_before_limits() {
    let zero = Timing { timeout_ms: Some(Millis::new(0)), cap_ms: None };
    let bad_scope = Plan { scope: vec!["write:..".into()], ..plan() };
    let blank = Plan { risk: "\u{200b}".into(), ..bad_scope.clone() };
    let long = Plan { text: LONG.into(), ..blank.clone() };
    let path = |plan: Plan| {
        let refusal = between(plan_request(plan, zero), Role::Worker, Role::Lead).unwrap_err();
        refusal.path().to_owned()
    };
    assert_eq!(path(long), "message.plan.text");
    assert_eq!(path(blank), "message.plan.risk");
    assert_eq!(path(bad_scope), "message.plan.scope[0]");
    assert_eq!(path(plan()), "message.timeout_ms");
}

#[test]
fn a_structured_message_goes_to_one_other_known_member() {
    let message = || shutdown_request("done");
    let name = "shutdown_request";
    assert_eq!(
        judge(message(), Role::Lead, Target::Everyone),
        Err(InvalidMessage::Broadcast { message: name })
    );
    assert_eq!(
        judge(message(), Role::Lead, Target::Oneself),
        Err(InvalidMessage::ToOneself { message: name })
    );
    let refusal = judge(message(), Role::Lead, unknown()).unwrap_err();
    assert_eq!(refusal.path(), "to");
    let InvalidMessage::UnknownRecipient { nearest, roster, .. } = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!((nearest.as_ref(), roster.len()), (roster.first(), 1));
}

#[test]
fn requests_and_responses_flow_along_the_authority_table_only() {
    for from in Role::ALL {
        for to in Role::ALL {
            let down = (from, to) == (Role::Lead, Role::Worker);
            let up = (from, to) == (Role::Worker, Role::Lead);
            let to_decider = (from, to) == (Role::Worker, Role::Approver);
            let from_decider = (from, to) == (Role::Approver, Role::Worker);
            let ways = [
                (shutdown_request("done"), down),
                (shutdown_response(true, None), up),
                (plan_request(plan(), Timing::default()), up || to_decider),
                (plan_response(true, None), down || from_decider),
            ];
            for (message, allowed) in ways {
                let name = message.type_name();
                let outcome = between(message, from, to);
                assert_eq!(outcome.is_ok(), allowed, "{name} {from:?}→{to:?}");
                assert!(outcome.map_err(|refusal| rule(&refusal)).is_ok_and(|()| true) || !allowed);
            }
        }
    }
}

#[test]
fn an_answer_to_a_shutdown_goes_to_the_lead_and_only_there() {
    for from in [Role::Worker, Role::Approver] {
        for to in [Role::Worker, Role::Approver] {
            let refusal = between(shutdown_response(true, None), from, to);
            assert_eq!(refusal, Err(InvalidMessage::ResponseNotToLead { to }));
        }
    }
}

#[test]
fn a_lead_is_never_told_to_send_its_shutdown_answer_to_the_lead() {
    for to in Role::ALL {
        let refusal = between(shutdown_response(true, None), Role::Lead, to).unwrap_err();
        let why = AuthorityError::LeadIsNoTarget;
        let message = "shutdown_response";
        let between = Some((Role::Worker.into(), Role::Lead.into()));
        let from = Role::Lead;
        assert_eq!(refusal, InvalidMessage::NotAllowed { message, from, to, between, why });
        assert_eq!(refusal.path(), "message.type");
    }
}

#[test]
fn messages_that_belong_to_a_request_are_left_to_the_ledger() {
    let messages = || {
        let request_id = id();
        [
            Message::Receipt(Receipt {
                request_id: request_id.clone(),
                of: Received::Request,
                rolled_back: None,
            }),
            Message::Cancel(Cancel { request_id: request_id.clone(), reason: None }),
            Message::ExecutionReport(ExecutionReport {
                rolled_back: None,
                request_id: request_id.clone(),
                ok: false,
                detail: None,
            }),
            Message::Settled(Settled {
                request_id,
                status: Status::TimedOut,
                code: None,
                cause: Cause::Clock,
            }),
            Message::Progress(Progress { request_id: None, note: None, busy_for_ms: None }),
            Message::Idle(Idle { note: None }),
            Message::Probe(Probe::Open { round: 1, path: Vec::new() }),
        ]
    };
    for from in Role::ALL {
        for to in Role::ALL {
            for message in messages() {
                assert_eq!(between(message, from, to), Ok(()));
            }
        }
    }
}

#[test]
fn what_did_not_get_through_is_told_to_the_lead_alone() {
    for from in Role::ALL {
        for to in Role::ALL {
            assert_eq!(between(undeliverable(None), from, to).is_ok(), to == Role::Lead, "{to:?}");
        }
    }
}

#[test]
fn everybody_but_the_lead_may_say_that_it_has_left() {
    for from in Role::ALL {
        let left = between(Message::Exited(Exited { request_id: None }), from, Role::Worker);
        assert_eq!(left.is_ok(), from != Role::Lead, "{from:?}");
    }
}

#[test]
fn a_refused_shutdown_says_why_whoever_refuses() {
    for origin in [Origin::Own, Origin::Peer] {
        let judge = |reason| {
            let message = shutdown_response(false, reason);
            verdict(message, origin, Role::Worker, Target::Member(Role::Lead.into())).map(drop)
        };
        for blank in [None, Some(""), Some(" \t\n"), Some("\u{3000}\u{200b}"), Some("\0")] {
            let (message, path) = ("shutdown_response", "message.reason");
            assert_eq!(judge(blank), Err(InvalidMessage::ReasonRequired { message, path }));
        }
        assert_eq!(judge(Some("忙")), Ok(()));
    }
}

#[test]
fn our_own_rejection_of_a_plan_says_why_and_a_foreign_one_without_is_not_lost() {
    let judge = |origin| {
        let message = plan_response(false, Some(" "));
        verdict(message, origin, Role::Lead, Target::Member(Role::Worker.into())).map(drop)
    };
    let (message, path) = ("plan_approval_response", "message.feedback");
    assert_eq!(judge(Origin::Own), Err(InvalidMessage::ReasonRequired { message, path }));
    assert_eq!(judge(Origin::Peer), Ok(()));
}

#[test]
fn an_approval_needs_no_words() {
    assert_eq!(between(shutdown_response(true, None), Role::Worker, Role::Lead), Ok(()));
    assert_eq!(between(plan_response(true, Some("")), Role::Lead, Role::Worker), Ok(()));
}

#[test]
fn every_text_is_bounded_in_bytes() {
    let request_id = id();
    let long = || Some(LONG.to_owned());
    let cases = [
        (shutdown_request(LONG), "message.reason"),
        (shutdown_response(true, Some(LONG)), "message.reason"),
        (plan_response(true, Some(LONG)), "message.feedback"),
        (
            Message::Cancel(Cancel { request_id: request_id.clone(), reason: long() }),
            "message.reason",
        ),
        (
            Message::Reopen(Reopen { request_id: request_id.clone(), reason: long() }),
            "message.reason",
        ),
        (
            Message::ExecutionReport(ExecutionReport {
                request_id,
                ok: true,
                rolled_back: None,
                detail: long(),
            }),
            "message.detail",
        ),
        (
            Message::Progress(Progress { request_id: None, note: long(), busy_for_ms: None }),
            "message.note",
        ),
        (Message::Idle(Idle { note: long() }), "message.note"),
        (undeliverable(long()), "message.excerpt"),
    ];
    let plans = [
        (Plan { title: LONG.into(), ..plan() }, "message.plan.title"),
        (Plan { scope: vec![format!("write:{LONG}")], ..plan() }, "message.plan.scope[0]"),
        (Plan { steps: vec!["a".into(), LONG.into()], ..plan() }, "message.plan.steps[1]"),
        (Plan { risk: LONG.into(), ..plan() }, "message.plan.risk"),
        (Plan { text: LONG.into(), ..plan() }, "message.plan.text"),
    ];
    let plans = plans.map(|(plan, path)| (plan_request(plan, Timing::default()), path));
    for (message, expected) in cases.into_iter().chain(plans) {
        let Err(InvalidMessage::TextTooLong { path, bytes, limit: 16 }) =
            fields::check(&message, &limits())
        else {
            panic!("{message:?}");
        };
        assert_eq!((path.as_str(), bytes >= 17), (expected, true));
    }
}

#[test]
fn a_chat_text_is_bounded_and_nothing_else() {
    assert_eq!(check_text(&LONG[..16], &limits()), Ok(()));
    assert_eq!(check_text("", &limits()), Ok(()));
    let refusal = check_text("请请请请请请", &limits()).unwrap_err();
    let path = "message".to_owned();
    assert_eq!(refusal, InvalidMessage::TextTooLong { path, bytes: 18, limit: 16 });
}

#[test]
fn a_plan_has_a_title_a_risk_and_a_scope_that_can_be_read() {
    let judge = |plan| between(plan_request(plan, Timing::default()), Role::Worker, Role::Lead);
    assert_eq!(judge(plan()), Ok(()));
    assert_eq!(judge(Plan { scope: vec![], steps: vec![], ..plan() }), Ok(()));
    let blank = |path| Err(InvalidMessage::Blank { path });
    assert_eq!(judge(Plan { title: " ".into(), ..plan() }), blank("message.plan.title"));
    assert_eq!(judge(Plan { risk: String::new(), ..plan() }), blank("message.plan.risk"));
    let scope = vec!["write:a".into(), "delete:..".into()];
    let refusal = InvalidMessage::InvalidScope {
        path: "message.plan.scope[1]".into(),
        why: ScopeError::DotSegment,
    };
    assert_eq!(judge(Plan { scope, ..plan() }), Err(refusal));
}

#[test]
fn a_time_limit_is_not_zero_and_the_idle_limit_not_above_the_hard_one() {
    let judge = |timeout: Option<u64>, cap: Option<u64>| {
        let timing = Timing { timeout_ms: timeout.map(Millis::new), cap_ms: cap.map(Millis::new) };
        between(plan_request(plan(), timing), Role::Worker, Role::Lead)
    };
    for fine in [(None, None), (Some(1), None), (None, Some(1)), (Some(5), Some(5))] {
        assert_eq!(judge(fine.0, fine.1), Ok(()));
    }
    let zero = |path| Err(InvalidMessage::ZeroLimit { path });
    assert_eq!(judge(Some(0), Some(0)), zero("message.timeout_ms"));
    assert_eq!(judge(None, Some(0)), zero("message.cap_ms"));
    let refusal = judge(Some(6), Some(5)).unwrap_err();
    assert_eq!(refusal.path(), "message.timeout_ms");
    let (timeout, cap) = (Millis::new(6), Millis::new(5));
    assert_eq!(refusal, InvalidMessage::TimeoutOverCap { timeout, cap });
}

#[test]
fn a_misspelt_name_is_recognised() {
    let team = [name("team-lead"), name("alice"), name("bob")];
    assert_eq!(nearest_name("alcie", team.iter()), Some(name("alice")));
    assert_eq!(nearest_name("teamlead", team.iter()), Some(name("team-lead")));
    assert_eq!(nearest_name("zoe", team.iter()), None);
}

#[test]
fn what_passed_can_be_read_and_given_away() {
    let message = shutdown_request("done");
    let to = Target::Member(Role::Worker.into());
    let valid = verdict(message.clone(), Origin::Own, Role::Lead, to).unwrap();
    assert_eq!(valid.type_name(), "shutdown_request");
    assert_eq!(valid.into_inner(), message);
}
