//! One engine method per command, under the names and with the arguments of the package.

use serde_json::{Value, json};
use team_protocols::{
    AskOptions, Asking, Details, Engine, Escalation, FollowSpec, Incarnation, Kind, Limits, Link,
    Millis, Misuse, Payload, Plan, ProtocolError, Response, SectionPolicy, StageSpec, Timestamp,
    Uses, WorkerAsked, decode_payload,
};

use crate::harness::stage;
use crate::names::{Named, Names};

/// Every command of the format.
pub(crate) const ALL: [&str; 26] = [
    "announce",
    "ask",
    "callTool",
    "cancel",
    "close",
    "enterGate",
    "enterSection",
    "exit",
    "handleSendFailed",
    "idle",
    "leaveSection",
    "memberGone",
    "pause",
    "progress",
    "reopen",
    "report",
    "requestShutdown",
    "rerun",
    "respond",
    "resume",
    "say",
    "shutdownAll",
    "startFailed",
    "submitPlan",
    "workDone",
    "workStarted",
];

/// What a command returns: as data, and as what a name may stand for.
pub(crate) type Done = Result<(Value, Option<Named>), ProtocolError>;

/// The arguments of one call.
struct Args<'a> {
    given: &'a [Value],
    names: &'a Names,
}

pub(crate) fn call(
    engine: &mut Engine,
    now: Timestamp,
    command: &str,
    given: &[Value],
    names: &Names,
) -> Done {
    let args = Args { given, names };
    let first = args.text(0);
    match command {
        "requestShutdown" => {
            let reason = args.option_text(1, "reason");
            id(engine.request_shutdown(now, &first, reason, args.limits(1))?.as_str())
        }
        "shutdownAll" => {
            let reason = args.option_text(0, "reason");
            let asked = engine.shutdown_all(now, reason, args.limits(0))?;
            Ok((asked.iter().map(worker).collect(), None))
        }
        "submitPlan" => {
            let uses = args.option_text(1, "uses");
            let uses = if uses.as_deref() == Some("once") { Uses::Once } else { Uses::UntilReport };
            id(engine.submit_plan(now, args.plan(), uses, args.limits(1))?.as_str())
        }
        "ask" => {
            let kind = Kind::parse(&first).expect("ask: kind");
            let details = Details { payload: args.payload(2), ..Details::default() };
            id(engine.ask_for(now, &kind, &args.text(1), details, args.limits(2))?.as_str())
        }
        "respond" => id(engine.respond(now, &first, args.response())?.as_str()),
        "cancel" => id(engine.cancel(now, &first)?.as_str()),
        "pause" => id(engine.pause(now, &first)?.as_str()),
        "resume" => id(engine.resume(now, &first)?.as_str()),
        "reopen" => {
            let reason = args.given.get(1).map(|_| args.text(1));
            id(engine.reopen(now, &first, reason)?.as_str())
        }
        "report" => {
            let ok = args.field(1, "ok").as_bool().expect("report: ok");
            id(engine.report(now, &first, ok, args.option_text(1, "detail"))?.as_str())
        }
        "say" => Ok((json!(engine.say(now, &first, &args.text(1))?), None)),
        "progress" => {
            let id = args.option_text(0, "requestId");
            let note = args.option_text(0, "note");
            done(engine.progress(now, id.as_deref(), note, args.millis(0, "busyForMs")))
        }
        "idle" => done(engine.idle(now, args.given.first().map(|_| first))),
        "exit" => done(engine.exit(now)),
        "callTool" => {
            let input = args.given[0].as_str().map(str::to_owned);
            let outcome =
                engine.call_tool(now, &input.unwrap_or_else(|| args.given[0].to_string()))?;
            let id = outcome.request_id.as_ref().map(|id| Named::Text(id.as_str().to_owned()));
            Ok((serde_json::to_value(&outcome).unwrap(), id))
        }
        "enterGate" => {
            let (permit, id) = engine.enter_gate(now, &first)?;
            Ok((json!({ "requestId": id.as_str() }), Some(Named::Permit(permit))))
        }
        command => works(engine, now, command, &args),
    }
}

/// How the host is getting on with work.
fn works(engine: &mut Engine, now: Timestamp, command: &str, args: &Args<'_>) -> Done {
    let run = || u32::try_from(args.given[1].as_u64().expect("run")).expect("run");
    match command {
        "workStarted" => id(engine.work_started(now, &args.text(0), run())?.as_str()),
        "workDone" => {
            let ok = args.field(2, "ok").as_bool().expect("workDone: ok");
            let detail = args.option_text(2, "detail");
            id(engine.work_done(now, &args.text(0), run(), ok, detail)?.as_str())
        }
        "rerun" => id(engine.rerun(now, &args.text(0))?.as_str()),
        command => permits(engine, now, command, args),
    }
}

/// What the host does itself: guarded actions and critical sections.
fn permits(engine: &mut Engine, now: Timestamp, command: &str, args: &Args<'_>) -> Done {
    match command {
        "startFailed" => done(match args.named(0) {
            Some(Named::Permit(permit)) => engine.start_failed(now, *permit),
            Some(Named::Text(_) | Named::Section(_)) | None => Err(Misuse::UnknownPermit.into()),
        }),
        "enterSection" => {
            let defer = args.option_text(1, "policy").as_deref() == Some("defer");
            let policy = if defer { SectionPolicy::Defer } else { SectionPolicy::Reject };
            let section =
                engine.enter_section(now, &args.text(0), args.millis(1, "etaMs"), policy)?;
            Ok((Value::Null, Some(Named::Section(section))))
        }
        "leaveSection" => done(match args.named(0) {
            Some(Named::Section(section)) => engine.leave_section(now, *section),
            Some(Named::Text(_) | Named::Permit(_)) | None => Err(Misuse::UnknownSection.into()),
        }),
        command => world(engine, now, command, args),
    }
}

/// What the host says of the world.
fn world(engine: &mut Engine, now: Timestamp, command: &str, args: &Args<'_>) -> Done {
    match command {
        "announce" => {
            let life = Incarnation::parse(&args.text(1)).expect("announce: incarnation");
            done(engine.announce(now, &args.text(0), life))
        }
        "memberGone" => done(engine.member_gone(now, &args.text(0))),
        "handleSendFailed" => {
            engine.handle_send_failed(now, args.given[0].as_u64().expect("handleSendFailed: seq"));
            done(Ok(()))
        }
        "close" => {
            engine.close(now);
            done(Ok(()))
        }
        unknown => panic!("no command `{unknown}`"),
    }
}

/// What became of asking one worker, as the package has it.
fn worker(worker: &WorkerAsked) -> Value {
    let error = match &worker.asked {
        Asking::Refused(error) => json!({ "code": error.code() }),
        Asking::New(_) | Asking::Pending(_) | Asking::Agreed(_) => Value::Null,
    };
    json!({
        "member": worker.member.as_str(),
        "liveness": worker.liveness.name(),
        "asked": worker.asked.name(),
        "requestId": worker.asked.request_id().map(|id| id.as_str()),
        "error": error,
    })
}

fn id(id: &str) -> Done {
    Ok((json!(id), Some(Named::Text(id.to_owned()))))
}

fn done(result: Result<(), ProtocolError>) -> Done {
    result.map(|()| (Value::Null, None))
}

impl Args<'_> {
    fn text(&self, place: usize) -> String {
        self.given.get(place).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn named(&self, place: usize) -> Option<&Named> {
        self.names.whole(self.given.get(place)?.as_str()?)
    }

    fn field(&self, place: usize, field: &str) -> &Value {
        self.given.get(place).map_or(&Value::Null, |value| &value[field])
    }

    fn option_text(&self, place: usize, field: &str) -> Option<String> {
        self.field(place, field).as_str().map(str::to_owned)
    }

    fn millis(&self, place: usize, field: &str) -> Option<Millis> {
        self.field(place, field).as_u64().map(Millis::new)
    }

    fn limits(&self, place: usize) -> AskOptions {
        AskOptions {
            timeout: self.millis(place, "timeoutMs"),
            cap: self.millis(place, "capMs"),
            escalate: self.escalation(place),
            stages: self.stages(place),
            follows: self.follows(place),
            on_approved: self.option_text(place, "onApproved"),
            compensation: self.option_text(place, "compensation"),
        }
    }

    fn stages(&self, place: usize) -> Vec<StageSpec> {
        let stages = self.field(place, "stages").as_array().cloned().unwrap_or_default();
        let read = |of: &Value| {
            let approvers = of["approvers"].as_array().expect("stages: approvers").iter();
            let approvers: Vec<&str> = approvers.map(|name| name.as_str().unwrap()).collect();
            let threshold = of["threshold"].as_u64().map_or(approvers.len(), |n| n as usize);
            stage(&approvers, threshold, of["veto"].as_bool().unwrap_or_default())
        };
        stages.iter().map(read).collect()
    }

    fn follows(&self, place: usize) -> Option<FollowSpec> {
        let follows = self.field(place, "follows").as_object()?;
        let text = |field: &str| follows.get(field).and_then(Value::as_str).map(str::to_owned);
        let link = text("as").and_then(|link| Link::ALL.into_iter().find(|of| of.name() == link));
        Some(FollowSpec {
            request_id: text("requestId").expect("follows: requestId"),
            link: link.expect("follows: as"),
            justification: text("justification"),
        })
    }

    fn payload(&self, place: usize) -> Option<Payload> {
        let payload = self.field(place, "payload");
        let read = || decode_payload(&payload.to_string(), &Limits::default()).unwrap();
        (!payload.is_null()).then(read)
    }

    fn escalation(&self, place: usize) -> Option<Escalation> {
        let escalate = self.field(place, "escalate").as_object()?;
        let millis = |field: &str| escalate.get(field).and_then(Value::as_u64).map(Millis::new);
        let attempts = escalate["attempts"].as_u64().expect("escalate: attempts");
        Some(Escalation {
            attempts: u32::try_from(attempts).expect("escalate: attempts"),
            retry_after: millis("retryAfterMs"),
            longest: millis("longestMs"),
        })
    }

    fn response(&self) -> Response {
        Response {
            approve: self.field(1, "approve").as_bool().expect("respond: approve"),
            reason: self.option_text(1, "reason"),
            retry_after: self.millis(1, "retryAfterMs"),
            payload: self.payload(1),
        }
    }

    fn plan(&self) -> Plan {
        let plan = &self.given[0];
        let text = |field: &str| plan[field].as_str().unwrap_or_default().to_owned();
        let list = |field: &str| {
            let items = plan[field].as_array().cloned().unwrap_or_default();
            items.iter().map(|item| item.as_str().expect("plan: texts").to_owned()).collect()
        };
        Plan {
            title: text("title"),
            scope: list("scope"),
            steps: list("steps"),
            risk: text("risk"),
            text: text("text"),
        }
    }
}
