//! What dropped frames and alarms mean, and what to do about them.

use super::{Lang, en, zh};
use crate::effect::Alarm;
use crate::journal::DropReason;

impl DropReason {
    /// What it means.
    #[must_use]
    pub const fn explain(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => en::outcome::dropped(self),
            Lang::Zh => zh::outcome::dropped(self),
        }
    }

    /// The safe next step.
    #[must_use]
    pub const fn hint(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => en::outcome::dropped_hint(self),
            Lang::Zh => zh::outcome::dropped_hint(self),
        }
    }
}

impl Alarm {
    /// What it means.
    #[must_use]
    pub const fn explain(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => en::outcome::alarm(self),
            Lang::Zh => zh::outcome::alarm(self),
        }
    }

    /// The safe next step.
    #[must_use]
    pub const fn hint(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => en::outcome::alarm_hint(self),
            Lang::Zh => zh::outcome::alarm_hint(self),
        }
    }
}
