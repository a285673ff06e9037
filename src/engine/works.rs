//! Work that requests name: the host runs it, and tells how it went.

use super::commands::Refusable;
use super::ledger::{Entry, Side};
use super::record::Call;
use super::{Checked, Engine};
use crate::authority::Approval;
use crate::effect::{Event, WorkEvent, WorkFailedEvent};
use crate::error::NotNow;
use crate::ids::RequestId;
use crate::message::{Liveness, WorkCause, is_blank};
use crate::request::{Input, Work};
use crate::time::Timestamp;
use crate::validate::InvalidMessage;

impl Engine {
    /// Tells how a run of work went that a `work` event asked for; `run` is the number from there.
    /// A failure changes nothing about the decision. When a compensation ends, whoever approved
    /// learns it by a second execution report.
    ///
    /// # Errors
    /// When there is no such request, or this run of it is not under way.
    pub fn work_done(
        &mut self,
        now: Timestamp,
        id: &str,
        run: u32,
        ok: bool,
        detail: Option<String>,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::WorkDone {
            id: id.into(),
            run,
            ok,
            detail: detail.as_deref().map(Into::into),
        });
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            engine.check_texts(&[detail.as_deref()])?;
            let request_id = engine.id_of(slot)?;
            let Some(work) = engine.change_works(slot, |works| works.ended(run, ok)) else {
                return Err(NotNow::WorkNotRunning { run }.into());
            };
            if !ok {
                engine.work_failed(&request_id, work.clone(), run, detail.clone(), false);
            }
            if work.cause == WorkCause::Compensation && engine.presence() != Liveness::Left {
                let before = engine.ledger.swap_detail(slot, detail);
                if engine.apply(slot, Input::RolledBack { ok }).is_err() {
                    engine.ledger.swap_detail(slot, before);
                }
            }
            Ok(request_id)
        })
    }

    /// Tells that a run of work that a `work` event asked for begins now. Whoever keeps a journal
    /// calls it first, and begins when its line is safe: a restored engine asks once more for what
    /// has not begun, and calls what has begun and not ended `interrupted`.
    ///
    /// # Errors
    /// When there is no such request, or this run of it is not due.
    pub fn work_started(&mut self, now: Timestamp, id: &str, run: u32) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::WorkStarted { id: id.into(), run });
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            let now = engine.now;
            if engine.change_works(slot, |works| works.began(run, now)).is_none() {
                return Err(NotNow::WorkNotRunning { run }.into());
            }
            engine.id_of(slot)
        })
    }

    /// Tells that a run of work that a `work` event asked for cannot begin, for nobody here knows it
    /// by its name. A `work_missing` event says so; `rerun` runs it once it is known.
    ///
    /// # Errors
    /// When there is no such request, or this run of it is not under way.
    pub fn work_missing(&mut self, now: Timestamp, id: &str, run: u32) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::WorkMissing { id: id.into(), run });
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            let request_id = engine.id_of(slot)?;
            let Some(work) = engine.change_works(slot, |works| works.missing(run)) else {
                return Err(NotNow::WorkNotRunning { run }.into());
            };
            let Work { name, cause, state: _ } = work;
            let missing = WorkEvent { request_id: request_id.clone(), name, cause, run };
            engine.event(Event::WorkMissing(missing));
            Ok(request_id)
        })
    }

    /// Runs work of a request again that failed, was interrupted or was missing; of two, the
    /// compensation. A new `work` event says so.
    ///
    /// # Errors
    /// When there is no such request, or nothing of it failed, was interrupted or was missing.
    pub fn rerun(&mut self, now: Timestamp, id: &str) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Rerun { id: id.into() });
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            let request_id = engine.id_of(slot)?;
            let Some((work, run)) = engine.change_works(slot, |works| works.rerun()) else {
                return Err(NotNow::NothingToRerun.into());
            };
            engine.tell_work(request_id.clone(), work, run);
            Ok(request_id)
        })
    }

    /// Whatever ran work for this engine is gone, and with it every run that is under way: each
    /// becomes `interrupted`, is told by an event, and does not run again by itself.
    ///
    /// # Errors
    /// When the engine is closed.
    pub fn interrupt_works(&mut self, now: Timestamp) -> Refusable<()> {
        let told = self.write_down(|| Call::InterruptWorks);
        self.command(now, told, |engine| {
            engine.interrupt_all(false);
            Ok(())
        })
    }

    /// Interrupts what is under way; `begun` leaves out what was only due.
    pub(super) fn interrupt_all(&mut self, begun: bool) {
        for slot in self.all_slots(&|entry| entry.works.under_way()) {
            let Ok(request_id) = self.id_of(slot) else { continue };
            let stopped = self.change_works(slot, |works| Some(works.interrupt(begun)));
            for (work, run) in stopped.into_iter().flatten() {
                self.work_failed(&request_id, work, run, None, true);
            }
        }
    }

    /// Starts the work that waits for this, if any.
    pub(super) fn start_work(&mut self, slot: usize, cause: WorkCause) {
        let Some(id) = self.ledger.get(slot).map(|entry| entry.id.clone()) else { return };
        if let Some((work, run)) = self.change_works(slot, |works| works.start(cause)) {
            self.tell_work(id, work, run);
        }
    }

    /// Asks the host once more for whatever it is to begin.
    pub(super) fn tell_due_works(&mut self) {
        for slot in self.all_slots(&|entry| entry.works.due().next().is_some()) {
            let Some(entry) = self.ledger.get(slot) else { continue };
            let (id, due) = (entry.id.clone(), entry.works.due());
            let due: Vec<_> = due.map(|(work, run)| (work.clone(), run)).collect();
            due.into_iter().for_each(|(work, run)| self.tell_work(id.clone(), work, run));
        }
    }

    /// Whether a request may name the works that it does.
    pub(super) fn check_works(&self, entry: &Entry) -> Checked<()> {
        for work in entry.works.iter() {
            let path = match work.cause {
                WorkCause::Approved => "on_approved",
                WorkCause::Compensation => "compensation",
            };
            if is_blank(&work.name) {
                return Err(InvalidMessage::Blank { path }.into());
            }
            self.check_texts(&[Some(&work.name)])?;
            let gate = entry.terms.approval == Approval::OpensGate;
            if work.cause == WorkCause::Compensation && !gate {
                return Err(NotNow::NothingToUndo.into());
            }
        }
        Ok(())
    }

    /// Moves the works of a request; while one runs the request is not forgotten.
    fn change_works<T>(
        &mut self,
        slot: usize,
        change: impl FnOnce(&mut crate::request::Works) -> Option<T>,
    ) -> Option<T> {
        let mut works = self.ledger.get(slot)?.works.clone();
        let changed = change(&mut works)?;
        let forgotten = self.ledger.set_works(slot, works);
        self.unschedule(forgotten);
        Some(changed)
    }

    fn tell_work(&mut self, request_id: RequestId, work: Work, run: u32) {
        let Work { name, cause, state: _ } = work;
        self.event(Event::Work(WorkEvent { request_id, name, cause, run }));
    }

    fn work_failed(
        &mut self,
        request_id: &RequestId,
        work: Work,
        run: u32,
        detail: Option<String>,
        interrupted: bool,
    ) {
        let Work { name, cause, state: _ } = work;
        let request_id = request_id.clone();
        let event = WorkFailedEvent { request_id, name, cause, run, detail, interrupted };
        self.event(Event::WorkFailed(event));
    }
}
