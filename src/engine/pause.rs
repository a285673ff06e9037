//! Human time: while a person decides, the clocks of a request of ours can be stopped.

use super::ask::not_now;
use super::ledger::Side;
use super::record::{Call, Told};
use super::{Engine, Refusable};
use crate::ids::RequestId;
use crate::request::Input;
use crate::time::Timestamp;

impl Engine {
    /// Stops the clocks of a pending request of this member: neither idle limit nor reminders nor
    /// cap run. All pauses of a request together take
    /// [`pause_max`](crate::TimingConfig::pause_max) at most; then it goes on by itself. The other
    /// side learns the new limits. `id` may be an unambiguous beginning.
    ///
    /// # Errors
    /// When there is no such request, it is over or paused already, or its pauses are used up.
    pub fn pause(&mut self, now: Timestamp, id: &str) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Pause { id: id.into() });
        self.stop_or_go(now, told, id, Input::Pause)
    }

    /// Lets the clocks of a paused request of this member go on where they stopped. The other side
    /// learns the new limits. `id` may be an unambiguous beginning.
    ///
    /// # Errors
    /// When there is no such request, it is over, or it is not paused.
    pub fn resume(&mut self, now: Timestamp, id: &str) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Resume { id: id.into() });
        self.stop_or_go(now, told, id, Input::Unpause)
    }

    fn stop_or_go(
        &mut self,
        now: Timestamp,
        told: Told,
        id: &str,
        input: Input,
    ) -> Refusable<RequestId> {
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            engine.apply(slot, input).map_err(not_now)?;
            engine.id_of(slot)
        })
    }
}
