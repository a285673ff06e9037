//! The two clocks of a pending request, the reminders between them, and their pauses.

use serde::Serialize;

use crate::deadline::DeadlineKind;
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// How long a pending request may still wait.
///
/// The idle limit runs from the last progress, the cap from the beginning. Reminders are spread
/// evenly over the idle window. While a person decides both can be paused: nothing runs then. The
/// request is still told again, at growing distances, for the frame that told of the pause or the
/// answer in it may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Clocks {
    idle_from: Timestamp,
    timeout: Millis,
    /// Without the pause that is under way.
    cap_at: Timestamp,
    reminders: u32,
    reminded: u32,
    pause: Option<Pause>,
    /// How long the pauses took that are over.
    paused_for: Millis,
}

from_store!(struct Clocks { idle_from, timeout, cap_at, reminders, reminded, pause, paused_for });

/// A pause that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Pause {
    from: Timestamp,
    /// When it ends by itself.
    until: Timestamp,
    /// How often the request was told again in it.
    told: u32,
}

from_store!(struct Pause { from, until, told });

impl Clocks {
    /// Starts both clocks.
    #[must_use]
    pub fn start(now: Timestamp, timeout: Millis, cap: Millis, reminders: u32) -> Self {
        let (cap_at, paused_for) = (now.after(cap), Millis::new(0));
        Self { idle_from: now, timeout, cap_at, reminders, reminded: 0, pause: None, paused_for }
    }

    /// Restarts the idle limit and the reminders; the cap stays. In a pause the new idle window
    /// begins with the end of it.
    #[must_use]
    pub fn restart_idle(self, now: Timestamp) -> Self {
        Self { idle_from: self.pause.map_or(now, |pause| pause.from), reminded: 0, ..self }
    }

    /// Stops both clocks, for `max` at most, all pauses of the request together. `None` when
    /// nothing of that is left.
    #[must_use]
    pub fn pause(self, now: Timestamp, max: Millis) -> Option<Self> {
        let left = Millis::new(max.as_ms().saturating_sub(self.paused_for.as_ms()));
        let pause = Pause { from: now, until: now.after(left), told: 0 };
        (pause.until > now).then_some(Self { pause: Some(pause), ..self })
    }

    /// Lets both clocks go on where they stopped, from now on or from the moment at which the
    /// pause ended by itself.
    #[must_use]
    pub fn resume(self, now: Timestamp) -> Self {
        let Some(Pause { from, until, told: _ }) = self.pause else { return self };
        let span = now.min(until).since(from);
        Self {
            idle_from: self.idle_from.after(span),
            cap_at: self.cap_at.after(span),
            pause: None,
            paused_for: Millis::new(self.paused_for.as_ms().saturating_add(span.as_ms())),
            ..self
        }
    }

    /// Until when it is paused, if it is.
    #[must_use]
    pub fn paused_until(&self) -> Option<Timestamp> {
        self.pause.map(|pause| pause.until)
    }

    /// How long the pauses took that are over.
    #[must_use]
    pub const fn paused_for(&self) -> Millis {
        self.paused_for
    }

    /// How often the request was told again in the pause that is under way.
    #[must_use]
    pub fn told_in_pause(&self) -> u32 {
        self.pause.map_or(0, |pause| pause.told)
    }

    /// Counts every reminder that is due by now as one sent; in a pause, what is told again then.
    #[must_use]
    pub fn remind(self, now: Timestamp) -> Self {
        if let Some(pause) = self.pause {
            let is_due =
                |told: u32| self.told_at(Pause { told, ..pause }).is_some_and(|at| at <= now);
            let last = (pause.told..u32::MAX).take_while(|told| is_due(*told)).last();
            let told = last.map_or(pause.told, |last| last + 1);
            return Self { pause: Some(Pause { told, ..pause }), ..self };
        }
        let passed = (1..=self.reminders).take_while(|n| self.reminder_at(*n) <= now).last();
        Self { reminded: passed.unwrap_or(0).max(self.reminded), ..self }
    }

    /// How many reminders of this idle window were sent.
    #[must_use]
    pub const fn reminded(&self) -> u32 {
        self.reminded
    }

    /// When the request times out if nothing happens. A pause takes all it may.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.idle_at().min(self.cap_at())
    }

    /// When the request times out whatever happens. A pause takes all it may.
    #[must_use]
    pub fn cap_at(&self) -> Timestamp {
        self.cap_at.after(self.pause_span())
    }

    /// The next moment at which something has to be done.
    #[must_use]
    pub fn next(&self) -> Timestamp {
        if let Some(pause) = self.pause {
            return self.told_at(pause).map_or(pause.until, |at| at.min(pause.until));
        }
        let reminder =
            (self.reminded < self.reminders).then(|| self.reminder_at(self.reminded + 1));
        reminder.map_or(self.expires_at(), |at| at.min(self.expires_at()))
    }

    /// What is due: the end of the request before a reminder of it, the cap before the idle limit.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<DeadlineKind> {
        if let Some(pause) = self.pause {
            let again = self.told_at(pause).filter(|at| now >= *at);
            let end = (now >= pause.until).then_some(DeadlineKind::PauseEnd);
            return end.or(again.map(|_| DeadlineKind::Reminder));
        }
        if now >= self.cap_at() {
            Some(DeadlineKind::Cap)
        } else if now >= self.idle_at() {
            Some(DeadlineKind::Idle)
        } else if now >= self.next() {
            Some(DeadlineKind::Reminder)
        } else {
            None
        }
    }

    fn idle_at(&self) -> Timestamp {
        self.idle_from.after(self.timeout).after(self.pause_span())
    }

    fn pause_span(&self) -> Millis {
        self.pause.map_or(Millis::new(0), |pause| pause.until.since(pause.from))
    }

    /// When the request is told again in a pause: first as soon as it would be reminded of, then
    /// each time after twice as long. What is lost costs at most as long again as the pause has
    /// lasted, and a day takes a dozen frames. `None` where nothing is repeated.
    fn told_at(&self, pause: Pause) -> Option<Timestamp> {
        let parts = u64::from(self.reminders) + 1;
        let first = (self.timeout.as_ms() / parts).max(1);
        let distance = 1_u64.checked_shl(pause.told).and_then(|times| first.checked_mul(times))?;
        (self.reminders > 0).then(|| pause.from.after(Millis::new(distance)))
    }

    fn reminder_at(&self, number: u32) -> Timestamp {
        let (timeout, number) = (self.timeout.as_ms(), u64::from(number));
        let parts = u64::from(self.reminders) + 1;
        // `timeout * number / parts` without its overflow: no part comes after the whole.
        let share = timeout / parts * number + timeout % parts * number / parts;
        self.idle_from.after(Millis::new(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn clocks() -> Clocks {
        Clocks::start(ms(1_000), Millis::new(60_000), Millis::new(600_000), 3)
    }

    #[test]
    fn reminders_are_spread_evenly_over_the_idle_window() {
        let mut clocks = clocks();
        let mut seen = Vec::new();
        while clocks.due(clocks.next()) == Some(DeadlineKind::Reminder) {
            seen.push(clocks.next().as_ms());
            clocks = clocks.remind(clocks.next());
        }
        assert_eq!(seen, [16_000, 31_000, 46_000]);
        assert_eq!(clocks.next(), ms(61_000));
        assert_eq!(clocks.due(ms(61_000)), Some(DeadlineKind::Idle));
        assert_eq!(clocks.due(ms(60_999)), None);
    }

    #[test]
    fn a_clock_that_jumped_sends_one_reminder_not_three() {
        let clocks = clocks().remind(ms(50_000));
        assert_eq!(clocks.reminded(), 3);
        assert_eq!(clocks.next(), ms(61_000));
    }

    #[test]
    fn progress_restarts_the_idle_limit_and_the_reminders_but_never_the_cap() {
        let clocks = clocks().remind(ms(50_000)).restart_idle(ms(590_000));
        assert_eq!(clocks.reminded(), 0);
        assert_eq!(clocks.expires_at(), ms(601_000));
        assert_eq!(clocks.due(ms(601_000)), Some(DeadlineKind::Cap));
    }

    #[test]
    fn the_end_comes_before_a_reminder_of_it() {
        assert_eq!(clocks().due(ms(5_000_000)), Some(DeadlineKind::Cap));
        assert_eq!(clocks().due(ms(61_000)), Some(DeadlineKind::Idle));
    }

    #[test]
    fn a_pause_moves_everything_by_what_it_took() {
        let paused = clocks().pause(ms(11_000), Millis::new(100_000)).unwrap();
        assert_eq!(paused.paused_until(), Some(ms(111_000)));
        assert_eq!(paused.remind(ms(110_999)).next(), ms(111_000));
        assert_eq!(paused.remind(ms(110_999)).due(ms(110_999)), None);
        assert_eq!((paused.expires_at(), paused.cap_at()), (ms(161_000), ms(701_000)));
        let resumed = paused.resume(ms(31_000));
        assert_eq!((resumed.next(), resumed.paused_for()), (ms(36_000), Millis::new(20_000)));
        assert_eq!((resumed.expires_at(), resumed.cap_at()), (ms(81_000), ms(621_000)));
    }

    #[test]
    fn a_pause_ends_by_itself_at_its_maximum_and_not_when_somebody_notices() {
        let paused = clocks().pause(ms(11_000), Millis::new(10_000)).unwrap();
        assert_eq!(paused.due(ms(21_000)), Some(DeadlineKind::PauseEnd));
        assert_eq!(paused.resume(ms(500_000)), paused.resume(ms(21_000)));
        assert_eq!(paused.resume(ms(500_000)).expires_at(), ms(71_000));
    }

    #[test]
    fn all_pauses_together_have_one_maximum() {
        let max = Millis::new(10_000);
        let once = clocks().pause(ms(2_000), max).unwrap().resume(ms(8_000));
        let twice = once.pause(ms(9_000), max).unwrap();
        assert_eq!(twice.paused_until(), Some(ms(13_000)));
        assert_eq!(twice.resume(ms(13_000)).pause(ms(14_000), max), None);
        assert!(twice.resume(ms(12_000)).pause(ms(14_000), max).is_some());
    }

    #[test]
    fn in_a_pause_the_request_is_told_again_at_growing_distances() {
        let mut paused = clocks().pause(ms(10_000), Millis::new(200_000)).unwrap();
        let mut seen = Vec::new();
        while paused.due(paused.next()) == Some(DeadlineKind::Reminder) {
            assert_eq!(paused.due(ms(paused.next().as_ms() - 1)), None);
            seen.push(paused.next().as_ms());
            paused = paused.remind(paused.next());
        }
        assert_eq!(seen, [25_000, 40_000, 70_000, 130_000]);
        assert_eq!(paused.due(paused.next()), Some(DeadlineKind::PauseEnd));
        assert_eq!((paused.reminded(), paused.told_in_pause()), (0, 4));
        let overslept = clocks().pause(ms(10_000), Millis::new(200_000)).unwrap();
        assert_eq!(overslept.remind(ms(150_000)), paused, "what was missed is told once");
    }

    #[test]
    fn in_a_pause_without_reminders_or_without_end_nothing_is_repeated_for_ever() {
        let silent = Clocks::start(ms(0), Millis::new(60_000), Millis::new(600_000), 0);
        let silent = silent.pause(ms(1), Millis::new(90_000)).unwrap();
        assert_eq!(silent.next(), ms(90_001));
        let long = clocks().pause(ms(0), Millis::new(u64::MAX)).unwrap();
        let late = long.remind(ms(u64::MAX - 1));
        assert!(late.told_in_pause() < 64);
        assert_eq!(late.due(ms(u64::MAX - 1)), None);
    }

    #[test]
    fn progress_in_a_pause_gives_a_whole_idle_window_after_it() {
        let paused = clocks().remind(ms(20_000)).pause(ms(21_000), Millis::new(90_000)).unwrap();
        let resumed = paused.restart_idle(ms(25_000)).resume(ms(41_000));
        assert_eq!((resumed.reminded(), resumed.expires_at()), (0, ms(101_000)));
        assert_eq!(resumed.cap_at(), ms(621_000));
    }

    #[test]
    fn without_reminders_and_with_weeks_nothing_overflows() {
        let weeks = Clocks::start(ms(0), Millis::new(u64::MAX / 2), Millis::new(u64::MAX), 3);
        assert_eq!(weeks.due(ms(1)), None);
        assert!(weeks.next() > ms(u64::MAX / 16));
        let silent = Clocks::start(ms(0), Millis::new(10), Millis::new(10), 0);
        assert_eq!(silent.next(), ms(10));
        assert_eq!(silent.due(ms(10)), Some(DeadlineKind::Cap));
    }
}
