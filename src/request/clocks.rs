//! The two clocks of a pending request, and the reminders between them.

use crate::deadline::DeadlineKind;
use crate::time::{Millis, Timestamp};

/// How long a pending request may still wait.
///
/// The idle limit runs from the last progress, the cap from the beginning. Reminders are spread
/// evenly over the idle window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    idle_from: Timestamp,
    timeout: Millis,
    cap_at: Timestamp,
    reminders: u32,
    reminded: u32,
}

impl Clocks {
    /// Starts both clocks.
    #[must_use]
    pub fn start(now: Timestamp, timeout: Millis, cap: Millis, reminders: u32) -> Self {
        Self { idle_from: now, timeout, cap_at: now.after(cap), reminders, reminded: 0 }
    }

    /// Restarts the idle limit and the reminders; the cap stays.
    #[must_use]
    pub fn restart_idle(self, now: Timestamp) -> Self {
        Self { idle_from: now, reminded: 0, ..self }
    }

    /// Counts every reminder that is due by now as one sent.
    #[must_use]
    pub fn remind(self, now: Timestamp) -> Self {
        let passed = (1..=self.reminders).take_while(|n| self.reminder_at(*n) <= now).last();
        Self { reminded: passed.unwrap_or(0).max(self.reminded), ..self }
    }

    /// How many reminders of this idle window were sent.
    #[must_use]
    pub const fn reminded(&self) -> u32 {
        self.reminded
    }

    /// When the request times out if nothing happens.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.idle_at().min(self.cap_at)
    }

    /// When the request times out whatever happens.
    #[must_use]
    pub const fn cap_at(&self) -> Timestamp {
        self.cap_at
    }

    /// The next moment at which something has to be done.
    #[must_use]
    pub fn next(&self) -> Timestamp {
        let reminder =
            (self.reminded < self.reminders).then(|| self.reminder_at(self.reminded + 1));
        reminder.map_or(self.expires_at(), |at| at.min(self.expires_at()))
    }

    /// What is due: the end of the request before a reminder of it, the cap before the idle limit.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<DeadlineKind> {
        if now >= self.cap_at {
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
        self.idle_from.after(self.timeout)
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
    fn without_reminders_and_with_weeks_nothing_overflows() {
        let weeks = Clocks::start(ms(0), Millis::new(u64::MAX / 2), Millis::new(u64::MAX), 3);
        assert_eq!(weeks.due(ms(1)), None);
        assert!(weeks.next() > ms(u64::MAX / 16));
        let silent = Clocks::start(ms(0), Millis::new(10), Millis::new(10), 0);
        assert_eq!(silent.next(), ms(10));
        assert_eq!(silent.due(ms(10)), Some(DeadlineKind::Cap));
    }
}
