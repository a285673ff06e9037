//! What members are told, against what really happened.

use team_protocols::{
    Alarm, AlarmEvent, Cause, Choice, Event, Outcome, ReportEvent, RequestEvent, Status, VoteEvent,
    WorkCause, WorkEvent, WorkFailedEvent,
};

use super::{Laws, broken};

/// A frame as it arrived.
pub(crate) struct Arrival<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    /// The `type` of its message.
    pub(crate) kind: &'a str,
    pub(crate) id: Option<&'a str>,
    /// The status that it tells, where it tells one.
    pub(crate) status: Option<&'a str>,
    /// What became of it.
    pub(crate) verdict: &'static str,
    /// The clock of who took it in.
    pub(crate) at: u64,
    /// Whether it came by another channel than its sender's, or is not what that one sent.
    pub(crate) tampered: bool,
    /// Whether it got as far as to be a sign of life.
    pub(crate) heard: bool,
}

impl Laws {
    /// A frame of a member that keeps the rules is never taken for one that does not.
    fn honest(&self, frame: &Arrival<'_>) {
        let Arrival { from, to, kind, id, verdict, .. } = *frame;
        let fine = match verdict {
            "stale_incarnation" => {
                let reborn = [from, to].iter().any(|name| self.reborn.contains(*name));
                reborn || self.set_back.contains(from)
            }
            "unannounced_life" => self.reborn.contains(from),
            // Until a new life is announced, the one that left is the one that is known.
            "sender_left" => Self::ever(&self.gone, from) || self.said_gone.contains(from),
            "receiver_left" => self.is_gone(to),
            "accepted" | "settled" | "vote_recorded" | "chat" | "progress" | "sign_of_life"
            | "idle_again" | "asked_again" | "report" | "exit" | "confirmed" | "ended_early"
            | "undeliverable" | "probe" | "probe_ended" | "orphan" | "late" | "duplicate"
            | "stale_frame" | "too_many_open" | "throttled" | "unapproved" | "reopened" => true,
            // It was decided anew meanwhile, or the word of the rejection was overtaken.
            "not_rejected" => kind == "reopen",
            _ => false,
        };
        if !fine {
            broken("honest frame", format!("{kind} of {from} to {to} about {id:?}: {verdict}"));
        }
        let answers = kind.ends_with("response");
        let asked = id.and_then(|id| self.requests.get(id));
        let lost = matches!(verdict, "orphan" | "too_many_open" | "unapproved" | "sender_left");
        if let (true, true, Some(asked)) = (answers, lost, asked)
            && asked.settled.is_none()
            && (asked.by == to && asked.life == self.life(to))
            && !self.said_gone.contains(from)
        {
            broken("honest frame", format!("{to} waits for the answer of {from}: {verdict}"));
        }
    }

    /// A frame arrived; its events come next.
    pub(crate) fn arrived(&mut self, frame: &Arrival<'_>) {
        let Arrival { from, to, kind, id, status, verdict, at, heard, tampered: _ } = *frame;
        if !frame.tampered {
            self.honest(frame);
        }
        let asked = id.and_then(|id| self.requests.get(id));
        let settles = matches!(verdict, "settled" | "confirmed");
        if let (true, "settled" | "cancel", Some(asked)) = (settles, kind, asked)
            && asked.by == from
        {
            let told = if kind == "cancel" { "cancelled" } else { status.unwrap_or("?") };
            let known = asked.settled.map(|(status, _)| status.name());
            if known != Some(told) {
                broken("same everywhere", format!("{to} was told {told}, {from} has {known:?}"));
            }
        }
        let asks = matches!(kind, "request") && verdict == "accepted";
        if asks && asked.is_some_and(|asked| asked.kind == "plan_request") {
            self.shut(to);
            let key = self.key(to);
            self.held.insert(key, id.unwrap_or_default().to_owned());
        }
        let answers = matches!(verdict, "settled" | "vote_recorded") && kind.ends_with("response")
            || kind == "exited";
        let open = id.and_then(|id| self.requests.get(id)).is_some_and(|a| a.settled.is_none());
        let signs = self.signs.entry((to.to_owned(), from.to_owned())).or_default();
        if heard {
            signs.heard = Some(at);
        }
        if answers && open {
            signs.strikes = 0;
        }
    }

    /// A member is told something.
    pub(crate) fn told(&mut self, own: &str, event: &Event) {
        match event {
            Event::Settled(outcome) => self.settled(own, outcome),
            Event::Vote(vote) => self.voted(own, vote),
            Event::Request(request) => self.asks(own, request),
            Event::Work(work) => self.work(own, work),
            Event::WorkFailed(work) => self.work_failed(own, work),
            Event::Report(report) => self.report(own, report),
            Event::Escalation(step) => self.step(own, step),
            Event::Reopened(reopened) => {
                let (by, id) = (reopened.by.as_str(), reopened.request_id.as_str());
                if !self.reopened.contains(&(by.to_owned(), id.to_owned())) {
                    broken("reopened without act", format!("{by} never reopened {id}"));
                }
            }
            Event::Alarm(alarm) => self.alarm(own, alarm),
            Event::Closed(closed) => {
                self.ends += 1;
                let key = self.key(own);
                let withdrawn = (Status::Cancelled, Cause::Member);
                let id = closed.request_id.as_str();
                if (closed.status, closed.cause) == withdrawn
                    && self.held.get(&key).is_some_and(|held| held == id)
                {
                    self.held.remove(&key);
                }
            }
            Event::Message(message) => {
                let (key, text) = (self.key(own), message.text.clone());
                if !self.texts.contains(&text) {
                    broken("text once", format!("{own} was told what nobody said: {text}"));
                }
                if !self.told.insert((key.0, key.1, text.clone())) {
                    broken("text once", format!("{own} was told twice: {text}"));
                }
            }
            Event::Reminder(_)
            | Event::Progress(_)
            | Event::Idle(_)
            | Event::WorkMissing(_)
            | Event::Drain(_)
            | Event::Liveness(_)
            | Event::Undeliverable(_) => {}
        }
    }

    /// A step of a member is over.
    pub(crate) fn step_over(&mut self, own: &str) {
        let life = self.life(own);
        let of_own = |(id, _): &&(String, &str)| {
            self.requests.get(id).is_some_and(|asked| asked.by == own && asked.life == life)
        };
        if let Some((id, why)) = self.due.iter().find(of_own) {
            broken("work once", format!("{why} work of {id} did not begin"));
        }
        if let Some((id, run)) = self.again.first() {
            broken("work once", format!("{own} was not told of run {run} of {id} again"));
        }
    }

    fn settled(&mut self, own: &str, outcome: &Outcome) {
        let id = outcome.request_id.as_str();
        let Some(asked) = self.requests.get(id).cloned() else {
            broken("one settlement", format!("{own} settled {id}, which nobody asked"));
        };
        if asked.by != own || asked.life != self.life(own) {
            broken("one settlement", format!("{own} settled {id} of {}", asked.by));
        }
        self.ends += 1;
        if let Some(before) = asked.settled {
            broken("one settlement", format!("{id} ended as {before:?}, then {outcome:?}"));
        }
        match outcome.status {
            Status::Approved => self.judge_approval(id, &asked, outcome),
            Status::Rejected => self.judge_refusal(id, &asked, outcome),
            Status::TimedOut => {
                for member in asked.stages.iter().flat_map(|(members, ..)| members) {
                    let said = outcome.votes.iter().any(|vote| vote.by.as_str() == member);
                    if !said {
                        let key = (own.to_owned(), member.clone());
                        let signs = self.signs.entry(key).or_default();
                        signs.strikes += 1;
                        signs.since = signs.since.max(asked.opened);
                    }
                }
            }
            Status::Cancelled => {}
            Status::Pending => broken("one settlement", format!("{id} settled as pending")),
        }
        if outcome.status == Status::Approved && asked.works.0 {
            self.due.push((id.to_owned(), "approved"));
        }
        let key = self.key(own);
        let gated = outcome.status == Status::Approved && !asked.scope.is_empty();
        if gated {
            self.held.remove(&key);
        }
        if let Some(asked) = self.requests.get_mut(id) {
            asked.settled = Some((outcome.status, outcome.cause));
            asked.open = gated;
        }
    }

    fn judge_approval(&self, id: &str, asked: &super::Asked, outcome: &Outcome) {
        let law = "no approval without its act";
        if !asked.panel {
            let by = outcome.by.as_ref().map_or(asked.stages[0].0[0].as_str(), |by| by.as_str());
            if !asked.stages[0].0.iter().any(|name| name == by) {
                broken(law, format!("{id} was approved by {by}, who was not asked"));
            }
            if !self.really_approved(by, id, asked) {
                broken(law, format!("{by} never approved {id}"));
            }
            return;
        }
        for (members, threshold, veto) in &asked.stages {
            let said = |choice| {
                let votes = outcome.votes.iter().filter(|v| v.counted && v.vote == choice);
                votes.filter(|v| members.iter().any(|m| m == v.by.as_str())).collect::<Vec<_>>()
            };
            let yes = said(Choice::Approve);
            if yes.len() < *threshold || *veto && !said(Choice::Reject).is_empty() {
                broken(law, format!("{id} was approved with {:?}", outcome.votes));
            }
            if let Some(vote) = yes.iter().find(|v| !self.really_approved(v.by.as_str(), id, asked))
            {
                broken(law, format!("{} never approved {id}", vote.by));
            }
        }
    }

    fn judge_refusal(&self, id: &str, asked: &super::Asked, outcome: &Outcome) {
        let law = "no refusal without its act";
        let Some(by) = outcome.by.as_ref() else {
            broken(law, format!("{id} was refused by nobody"));
        };
        if !self.really_refused(by.as_str(), id, asked) {
            broken(law, format!("{by} never refused {id}"));
        }
        let impossible = |(members, threshold, veto): &(Vec<String>, usize, bool)| {
            let no = outcome.votes.iter().filter(|vote| {
                vote.counted
                    && vote.vote == Choice::Reject
                    && members.iter().any(|m| m == vote.by.as_str())
            });
            let no = no.count();
            *veto && no > 0 || members.len() - no < *threshold
        };
        if asked.panel && !asked.stages.iter().any(impossible) {
            broken(law, format!("{id} was refused with {:?}", outcome.votes));
        }
    }

    fn voted(&self, own: &str, vote: &VoteEvent) {
        let (id, by) = (vote.request_id.as_str(), vote.by.as_str());
        let Some(asked) = self.requests.get(id) else {
            broken("no vote without its act", format!("{own} has a vote on {id}"));
        };
        let really = if vote.approve {
            self.really_approved(by, id, asked)
        } else {
            self.really_refused(by, id, asked)
        };
        if !really {
            broken("no vote without its act", format!("{by} did not vote so on {id}"));
        }
    }

    fn asks(&mut self, own: &str, request: &RequestEvent) {
        let id = request.request_id.as_str();
        let Some(asked) = self.requests.get(id) else {
            broken("asked what was meant", format!("{own} was asked {id}, which nobody asked"));
        };
        let meant = asked.stages.iter().any(|(members, ..)| members.iter().any(|m| m == own));
        let digest = request.digest.map(|digest| digest.to_string());
        let same = asked.by == request.from.as_str() && asked.kind == request.kind.name();
        if !meant || !same || digest != asked.digest {
            broken("asked what was meant", format!("{own} was asked {request:?} for {asked:?}"));
        }
        let (name, life) = self.key(own);
        let sections = self.sections.contains(&(name.clone(), life));
        let (ends, forgotten) = (self.ends, self.may_be_forgotten(own, id));
        let (times, _) = self.asked.entry((name, life, id.to_owned())).or_insert((0, ends));
        *times += 1;
        if *times > 1 && !sections && !forgotten {
            broken("asked once", format!("{own} was asked {id} twice"));
        }
    }

    fn place_of_due(&self, id: &str, cause: WorkCause) -> Option<usize> {
        let cause = match cause {
            WorkCause::Approved => "approved",
            WorkCause::Compensation => "compensation",
        };
        let fits = |(due, why): &(String, &str)| due == id && (*why == cause || *why == "again");
        self.due.iter().position(fits)
    }

    fn work(&mut self, own: &str, work: &WorkEvent) {
        let id = work.request_id.as_str();
        if self.again.remove(&(id.to_owned(), work.run)) {
            return;
        }
        let Some(place) = self.place_of_due(id, work.cause) else {
            broken("work once", format!("{own} is to run {work:?} for nothing"));
        };
        self.due.remove(place);
        let asked = self.requests.get_mut(id);
        let runs = asked.map(|asked| {
            asked.runs += 1;
            asked.runs
        });
        if runs != Some(work.run) {
            broken("work once", format!("run {} of {id} comes after {runs:?} in all", work.run));
        }
        self.under_way.insert((id.to_owned(), work.run));
    }

    /// Work that was to begin when its host interrupted all is told as interrupted, and has not begun.
    fn work_failed(&mut self, own: &str, work: &WorkFailedEvent) {
        let WorkFailedEvent { request_id, name, cause, run, interrupted, .. } = work.clone();
        if interrupted && self.place_of_due(request_id.as_str(), cause).is_some() {
            let id = request_id.as_str().to_owned();
            self.work(own, &WorkEvent { request_id, name, cause, run });
            self.work_over(&id, run);
        }
    }

    fn report(&self, own: &str, report: &ReportEvent) {
        let id = report.request_id.as_str();
        let asked = self.requests.get(id);
        let really = asked.is_some_and(|asked| {
            asked.by == report.from.as_str()
                && asked.reported == Some(report.ok)
                && report.rolled_back.is_none_or(|undone| asked.undone.contains(&undone))
        });
        if !really {
            broken("report without act", format!("{own} was told {report:?} of {asked:?}"));
        }
    }

    fn alarm(&mut self, own: &str, event: &AlarmEvent) {
        let about = event.member.as_str();
        match event.alarm {
            Alarm::WorkerLost => {
                let key = (own.to_owned(), about.to_owned());
                let signs = self.signs.get(&key).copied().unwrap_or_default();
                if signs.heard.is_some_and(|at| at > signs.since)
                    && signs.strikes < self.strike_limit
                {
                    broken("lost while heard", format!("{own} gave up {about}: {signs:?}"));
                }
            }
            Alarm::Deadlock => {
                let mut cycle: Vec<String> =
                    event.cycle.iter().map(|wait| wait.request_id.as_str().to_owned()).collect();
                cycle.sort();
                let victim = event.request_id.as_ref().unwrap().as_str().to_owned();
                if cycle.last() != Some(&victim) {
                    broken("one victim", format!("{victim} is not the greatest of {cycle:?}"));
                }
                if let Some(stranger) = cycle.iter().find(|id| !self.requests.contains_key(*id)) {
                    broken("one victim", format!("nobody asked {stranger} of {cycle:?}"));
                }
                if let Some(before) = self.victims.insert(cycle.clone(), victim) {
                    broken("one victim", format!("{cycle:?} was broken before at {before}"));
                }
            }
            Alarm::Forged if !self.tampered => self.false_alarm(own, event),
            Alarm::Storm if !self.tampered && !self.tight => self.false_alarm(own, event),
            Alarm::IdReused | Alarm::ConflictingDecision => self.false_alarm(own, event),
            Alarm::Forged
            | Alarm::Storm
            | Alarm::Reclaim
            | Alarm::LostWorkerAlive
            | Alarm::LeadSilent
            | Alarm::ApproverSilent
            | Alarm::RefusedRepeatedly
            | Alarm::RequestLoop
            | Alarm::NotExited
            | Alarm::LeftDespiteCancel
            | Alarm::UnannouncedLife
            | Alarm::SendFailed
            | Alarm::ReportLost
            | Alarm::ReportOverdue => {}
        }
    }

    fn false_alarm(&self, own: &str, event: &AlarmEvent) {
        broken("false alarm", format!("{own} was told {event:?}"));
    }
}
