//! Faults that are planted in what the laws are told: each must make its law object.

use team_protocols::{
    Alarm, AlarmEvent, Choice, Event, MessageEvent, ReopenedEvent, RequestEvent, RequestId, Status,
    Timestamp, WorkEvent,
};

/// What is told wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The end of a request is told twice.
    SettledTwice,
    /// A refusal is told as an approval.
    RefusalApproved,
    /// An approval is told as a refusal.
    ApprovalRefused,
    /// A timeout is told as an approval by whoever was asked.
    SilenceApproves,
    /// A vote is told with the other choice.
    VoteTurned,
    /// A request is put before the host twice.
    AskedTwice,
    /// A request is told with another kind.
    AskedOther,
    /// Work is to run twice.
    WorkTwice,
    /// Work does not run.
    WorkForgotten,
    /// A report is told with the other result.
    ReportTurned,
    /// A text is told twice.
    TextTwice,
    /// A member that spoke is given up.
    LostAlive,
    /// A circle is broken twice.
    TwoVictims,
    /// A member is told of a contradiction that was none.
    FalseAlarm,
    /// A call that was refused changed something.
    RefusedCall,
    /// An action passes that no approval covers.
    GateOpen,
    /// A one-shot approval lets two actions pass.
    ShotTwice,
    /// The frame that told an end told another one.
    ToldOther,
    /// A request is thought to have had a shorter limit.
    CapShorter,
    /// A deadline is thought to have come.
    Overdue,
    /// A call that nothing was due for is thought to have changed something.
    WokenForNothing,
    /// An honest frame is thought to have been dropped as none.
    Misjudged,
    /// The last requests of all are thought to have been refused.
    Worn,
    /// A bound is thought to be lower.
    BoundLower,
    /// A request is thought never to have ended.
    NeverEnded,
    /// The last line of a journal is lost.
    LineLost,
    /// A shutdown is asked again before its time.
    AskedEarly,
    /// A plan is told as reopened that nobody reopened.
    ReopenedByNobody,
}

impl Fault {
    /// Every fault with the law that must see it.
    pub(crate) const ALL: [(Self, &'static str); 28] = [
        (Self::SettledTwice, "one settlement"),
        (Self::RefusalApproved, "no approval without its act"),
        (Self::ApprovalRefused, "no refusal without its act"),
        (Self::SilenceApproves, "no approval without its act"),
        (Self::VoteTurned, "no vote without its act"),
        (Self::AskedTwice, "asked once"),
        (Self::AskedOther, "asked what was meant"),
        (Self::WorkTwice, "work once"),
        (Self::WorkForgotten, "work once"),
        (Self::ReportTurned, "report without act"),
        (Self::TextTwice, "text once"),
        (Self::LostAlive, "lost while heard"),
        (Self::TwoVictims, "one victim"),
        (Self::FalseAlarm, "false alarm"),
        (Self::RefusedCall, "refused call"),
        (Self::GateOpen, "gate"),
        (Self::ShotTwice, "one shot"),
        (Self::ToldOther, "same everywhere"),
        (Self::CapShorter, "cap"),
        (Self::Overdue, "overdue"),
        (Self::WokenForNothing, "spurious wake"),
        (Self::Misjudged, "honest frame"),
        (Self::Worn, "still works"),
        (Self::BoundLower, "bounds"),
        (Self::NeverEnded, "quiet end"),
        (Self::LineLost, "replay"),
        (Self::AskedEarly, "escalation"),
        (Self::ReopenedByNobody, "reopened without act"),
    ];

    /// Tells the events of one step wrongly, where they give occasion to.
    pub(crate) fn bend(self, events: &mut Vec<Event>) {
        let twice = match self {
            Self::SettledTwice => first(events, |e| matches!(e, Event::Settled(_))),
            Self::AskedTwice => first(events, |e| matches!(e, Event::Request(_))),
            Self::WorkTwice => first(events, |e| matches!(e, Event::Work(_))),
            Self::TextTwice => first(events, |e| matches!(e, Event::Message(_))),
            Self::TwoVictims => first(events, is_deadlock),
            _ => None,
        };
        events.extend(twice);
        if self == Self::WorkForgotten {
            events.retain(|event| !matches!(event, Event::Work(_)));
        }
        for event in events {
            self.bend_one(event);
        }
    }

    fn bend_one(self, event: &mut Event) {
        match (self, event) {
            (Self::RefusalApproved, Event::Settled(outcome))
                if outcome.status == Status::Rejected =>
            {
                outcome.status = Status::Approved;
            }
            (Self::ApprovalRefused, Event::Settled(outcome))
                if outcome.status == Status::Approved =>
            {
                outcome.status = Status::Rejected;
            }
            (Self::SilenceApproves, Event::Settled(outcome))
                if outcome.status == Status::TimedOut =>
            {
                outcome.status = Status::Approved;
                for vote in &mut outcome.votes {
                    vote.vote = Choice::Approve;
                }
            }
            (Self::VoteTurned, Event::Vote(vote)) => vote.approve = !vote.approve,
            (Self::AskedOther, Event::Request(request)) => turn(request),
            (Self::ReportTurned, Event::Report(report)) => report.ok = !report.ok,
            (Self::LostAlive, event @ Event::Message(_)) => {
                let Event::Message(MessageEvent { from, .. }) = &*event else { return };
                *event = alarm(Alarm::WorkerLost, from.clone());
            }
            (Self::FalseAlarm, event @ Event::Message(_)) => {
                let Event::Message(MessageEvent { from, .. }) = &*event else { return };
                *event = alarm(Alarm::ConflictingDecision, from.clone());
            }
            (Self::ReopenedByNobody, event @ Event::Message(_)) => {
                let Event::Message(MessageEvent { from, .. }) = &*event else { return };
                let request_id = RequestId::parse("req_nobody").unwrap();
                let (by, reason) = (from.clone(), None);
                *event = Event::Reopened(ReopenedEvent { request_id, by, reason });
            }
            (Self::AskedEarly, Event::Escalation(step)) => {
                let far = Timestamp::from_ms(u64::MAX / 2);
                step.attempt.next_at = step.attempt.next_at.map(|_| far);
            }
            (Self::WorkTwice, Event::Work(WorkEvent { run, .. })) => *run = (*run).max(1),
            _ => {}
        }
    }
}

fn first(events: &[Event], fits: impl Fn(&Event) -> bool) -> Option<Event> {
    events.iter().find(|event| fits(event)).cloned()
}

fn is_deadlock(event: &Event) -> bool {
    matches!(event, Event::Alarm(alarm) if alarm.alarm == Alarm::Deadlock)
}

fn turn(request: &mut RequestEvent) {
    let other = if request.kind.name() == "ping" { "sync" } else { "ping" };
    request.kind = team_protocols::Kind::parse(other).unwrap();
}

fn alarm(alarm: Alarm, member: team_protocols::MemberName) -> Event {
    let (holding, cycle) = (Vec::new(), Vec::new());
    Event::Alarm(AlarmEvent { alarm, member, request_id: None, holding, cycle, refused: None })
}
