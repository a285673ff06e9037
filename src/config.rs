//! Every default, with its unit and the reason for the number.
//!
//! Owns [`Config`], checked once when an engine is made. Imports `ids`, `message`, `authority` and
//! `time`.

#[cfg(test)]
mod tests;

use crate::stored::from_store;
use serde::Serialize;

use crate::authority::{KindError, KindRules, KindTable};
use crate::ids::{Incarnation, MemberName};
use crate::message::{Lang, Role, Roles};
use crate::time::Millis;

/// What an engine is told at its making.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// The member this engine speaks for.
    pub member: MemberName,
    /// This life of the member; made by the host, kept by restore.
    pub incarnation: Incarnation,
    /// Everybody in the team, this member included. Exactly one lead.
    pub members: Vec<MemberConfig>,
    /// Kinds of requests beside those that are always there.
    pub kinds: Vec<KindRules>,
    /// Other names under which the lead may be addressed; never names of members.
    pub lead_aliases: Vec<MemberName>,
    /// Time limits.
    pub timing: TimingConfig,
    /// Bounds on what a peer can make grow.
    pub limits: Limits,
    /// How booleans written as text are read.
    pub booleans: BooleanPolicy,
    /// The language of the texts that this engine writes for people and models: the reason that a
    /// critical section gives, and reminders.
    pub lang: Lang,
    /// Believe the `from` of a frame when the transport does not say who sent it. The audit marks
    /// every frame that was believed.
    pub trust_claimed_sender: bool,
    /// Write every input down: effects then begin with lines for a journal, from which an engine
    /// can be restored.
    pub journal: bool,
}

from_store!(struct Config { member, incarnation, members, kinds, lead_aliases, timing, limits, booleans, lang, trust_claimed_sender, journal });

/// A member of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberConfig {
    /// Its name.
    pub name: MemberName,
    /// What it may do.
    pub role: Role,
    /// Whether it may be named to decide, beside what its role lets it do.
    pub approver: bool,
    /// Its job, for people ("coder").
    pub title: Option<String>,
    /// Its life, where it is known already; otherwise its first frame tells.
    pub incarnation: Option<Incarnation>,
}

from_store!(struct MemberConfig { name, role, approver, title, incarnation });

/// Time limits in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TimingConfig {
    /// How long a request may stay without progress. 60 000: the window of the article that
    /// started this project.
    pub timeout: Millis,
    /// How long a request may stay at all. 600 000: ten idle windows, after which even a worker
    /// that reports progress has to answer.
    pub cap: Millis,
    /// How often an unanswered request is sent again within its idle window. 3: at 10 % loss each
    /// way one reminder leaves 3.6 % false timeouts, three leave 0.13 %.
    pub reminders: u32,
    /// How long an engine waits for a frame to carry its acknowledgement before it sends a
    /// receipt. 5 000: well before the first reminder (15 000), and one receipt serves all
    /// requests of that time.
    pub ack_delay: Millis,
    /// How long a worker may take to confirm its exit. 10 000: what the most careful team tool in
    /// the field allows before it stops a member by force.
    pub exit_grace: Millis,
    /// How long the report on approved work may take, from the approval or the last progress.
    /// 600 000: as long as a request may stay at all; whoever works longer tells its progress.
    pub report_due: Millis,
    /// How long all pauses of a request may take together; zero forbids them. 86 400 000, one day:
    /// a person who was asked in the evening answers the next morning.
    pub pause_max: Millis,
    /// How long a shutdown that is asked again by itself waits after a refusal that does not say when
    /// to ask again. 60 000: one idle window, as long as a worker had to answer the last one.
    pub ask_again: Millis,
    /// How long it waits at most, whatever a refusal says. 3 600 000, one hour: a worker that needs
    /// longer is a matter for a person.
    pub ask_again_max: Millis,
    /// How long waiting mail may still speak for a silent member before it is judged. 5 000: the
    /// longest polling interval of the mailboxes in the field.
    pub judgement_grace: Millis,
    /// After how many timeouts in a row a member that shows signs of life is lost all the same.
    /// 3: as many as there are reminders.
    pub strikes: u32,
    /// How long a lost member gets no requests. 60 000: one idle window.
    pub breaker_cooldown: Millis,
    /// The idle limit of the one trial request after that. 10 000: a member that is back answers
    /// quickly, and a trial that fails must be cheap.
    pub trial_timeout: Millis,
    /// Over how long the repeats of one sender are counted; beyond the bound (see
    /// [`Limits::repeats_per_request`]) they get no answer until it is over. 10 000: shorter than
    /// the time between two reminders (15 000), so that the next one of an honest sender that was
    /// caught in a storm of its transport gets its answer.
    pub repeat_window: Millis,
}

from_store!(struct TimingConfig { timeout, cap, reminders, ack_delay, exit_grace, report_due, pause_max, ask_again, ask_again_max, judgement_grace, strikes, breaker_cooldown, trial_timeout, repeat_window });

/// Bounds on what a peer can make grow. Over a bound is a refusal with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// The longest frame, in bytes of UTF-8. 1 048 576: what common brokers carry by default.
    pub frame_bytes: usize,
    /// The longest single text in a message, in bytes of UTF-8. 262 144: a plan of forty
    /// thousand words.
    pub text_bytes: usize,
    /// How deep JSON may nest. 32: the deepest message has 4 levels, payloads of tools some more.
    pub depth: usize,
    /// How many members JSON objects and arrays may have. 1 024.
    pub items: usize,
    /// How many open requests one member may have with us, each way. 64: a model that has more
    /// open is in a loop.
    pub open_per_member: usize,
    /// How many repeats about one request are borne from one sender in one
    /// [`repeat_window`](TimingConfig::repeat_window); for each sender, so many for each request
    /// that it may have open with us and for each that begins meanwhile. 40: with three reminders
    /// and every frame delivered twice, a request that ends before our eight answers arrive brings
    /// 24 repeats (7 of itself, 17 of its outcome), one whose work is reported 14; a request of
    /// ours brings 15 of its answer. Raise it with `reminders`.
    pub repeats_per_request: usize,
    /// How many requests may go on from one another: retries, appeals, revisions. 8: a question that
    /// was put eight times is a loop. The alarm comes at half of it.
    pub lineage: usize,
    /// How many appeals there may be among them. 2: one with what was overlooked, and one more.
    pub appeals: usize,
    /// How many settled requests are remembered per member. 256: a late answer to an older one is
    /// dropped as an orphan instead of late; nothing else changes.
    pub remembered_per_member: usize,
    /// How many audit entries stay in memory; older ones are gone unless the host took them.
    /// 1 024: a busy hour of a team of ten.
    pub audit_entries: usize,
    /// How many members a team may have. 256.
    pub members: usize,
}

from_store!(struct Limits { frame_bytes, text_bytes, depth, items, open_per_member, repeats_per_request, lineage, appeals, remembered_per_member, audit_entries, members });

/// How booleans written as text are read. A JSON boolean always counts as what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BooleanPolicy {
    /// Only JSON booleans.
    Strict,
    /// Also the strings `true` and `false`, in any case, with ASCII white space around them.
    #[default]
    Semantic,
    /// Also `yes no y n on off 1 0 approve approved reject rejected` and the numbers 1 and 0.
    Wide,
}

from_store!(enum BooleanPolicy {
    "strict" => Strict,
    "semantic" => Semantic,
    "wide" => Wide,
});

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// No member has the role lead.
    NoLead,
    /// More than one has.
    SeveralLeads {
        /// The second one.
        second: MemberName,
    },
    /// Two members whose names differ in nothing but case.
    DuplicateMember {
        /// The name that came second.
        name: MemberName,
    },
    /// A member is called like an alias of the lead.
    AliasIsMember {
        /// That name.
        name: MemberName,
    },
    /// The engine's own member is not in the list.
    SelfNotListed {
        /// That name.
        name: MemberName,
    },
    /// More members than [`Limits::members`].
    TooManyMembers {
        /// The bound.
        limit: usize,
    },
    /// A time limit or bound that must not be zero is zero.
    Zero {
        /// Which one.
        field: &'static str,
    },
    /// A kind that cannot be declared.
    Kind {
        /// Why.
        why: KindError,
    },
    /// The idle limit is longer than the cap.
    TimeoutOverCap {
        /// The idle limit in ms.
        timeout: Millis,
        /// The cap in ms.
        cap: Millis,
    },
}

impl Config {
    /// The defaults for one member of a team.
    #[must_use]
    pub fn new(member: MemberName, incarnation: Incarnation, members: Vec<MemberConfig>) -> Self {
        let is_free = |alias: &MemberName| {
            members.iter().all(|m| !m.name.as_str().eq_ignore_ascii_case(alias.as_str()))
        };
        let aliases = DEFAULT_LEAD_ALIASES.iter().filter_map(|name| MemberName::parse(name).ok());
        let lead_aliases = aliases.filter(is_free).collect();
        Self {
            member,
            incarnation,
            members,
            kinds: Vec::new(),
            lead_aliases,
            timing: TimingConfig::default(),
            limits: Limits::default(),
            booleans: BooleanPolicy::default(),
            lang: Lang::default(),
            trust_claimed_sender: false,
            journal: false,
        }
    }

    /// Checks everything that does not depend on history.
    ///
    /// # Errors
    /// [`ConfigError`] names the first thing that cannot be.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_members()?;
        self.kind_table()?;
        self.timing.check()?;
        self.limits.check()
    }

    /// Every kind: those that are always there, then the host's.
    ///
    /// # Errors
    /// [`ConfigError::Kind`] names the first one that cannot be.
    pub fn kind_table(&self) -> Result<KindTable, ConfigError> {
        let mut table = KindTable::default();
        for rules in &self.kinds {
            table.declare(rules.clone()).map_err(|why| ConfigError::Kind { why })?;
        }
        Ok(table)
    }

    fn check_members(&self) -> Result<(), ConfigError> {
        if self.members.len() > self.limits.members {
            return Err(ConfigError::TooManyMembers { limit: self.limits.members });
        }
        let fold = |name: &MemberName| name.as_str().to_ascii_lowercase();
        let mut seen = Vec::new();
        let mut lead = None;
        for member in &self.members {
            let folded = fold(&member.name);
            match seen.binary_search(&folded) {
                Err(place) => seen.insert(place, folded),
                Ok(_) => {
                    return Err(ConfigError::DuplicateMember { name: member.name.clone() });
                }
            }
            if member.role == Role::Lead && lead.replace(&member.name).is_some() {
                return Err(ConfigError::SeveralLeads { second: member.name.clone() });
            }
        }
        if lead.is_none() {
            return Err(ConfigError::NoLead);
        }
        if let Some(name) =
            self.lead_aliases.iter().find(|alias| seen.binary_search(&fold(alias)).is_ok())
        {
            return Err(ConfigError::AliasIsMember { name: name.clone() });
        }
        if self.members.iter().all(|member| member.name != self.member) {
            return Err(ConfigError::SelfNotListed { name: self.member.clone() });
        }
        Ok(())
    }
}

impl MemberConfig {
    /// A member of one role.
    #[must_use]
    pub const fn new(name: MemberName, role: Role) -> Self {
        Self { name, role, approver: false, title: None, incarnation: None }
    }

    /// What it may do, all in all.
    #[must_use]
    pub fn roles(&self) -> Roles {
        let roles = Roles::from(self.role);
        if self.approver { roles.and(Role::Approver) } else { roles }
    }
}

impl TimingConfig {
    /// How long an execution report waits for its receipt before it is sent again: as long as a
    /// request waits for its first reminder.
    #[must_use]
    pub(crate) fn report_every(&self) -> Millis {
        Millis::new((self.timeout.as_ms() / (u64::from(self.reminders) + 1)).max(1))
    }

    fn check(&self) -> Result<(), ConfigError> {
        let Self {
            timeout,
            cap,
            reminders: _,
            ack_delay,
            exit_grace,
            report_due,
            pause_max: _,
            ask_again,
            ask_again_max,
            judgement_grace: _,
            strikes,
            breaker_cooldown,
            trial_timeout,
            repeat_window,
        } = *self;
        let spans = [
            ("timeout", timeout),
            ("cap", cap),
            ("ack_delay", ack_delay),
            ("exit_grace", exit_grace),
            ("report_due", report_due),
            ("ask_again", ask_again),
            ("ask_again_max", ask_again_max),
            ("breaker_cooldown", breaker_cooldown),
            ("trial_timeout", trial_timeout),
            ("repeat_window", repeat_window),
            ("strikes", Millis::new(u64::from(strikes))),
        ];
        if let Some((field, _)) = spans.iter().find(|(_, span)| span.as_ms() == 0) {
            return Err(ConfigError::Zero { field });
        }
        if timeout > cap {
            return Err(ConfigError::TimeoutOverCap { timeout, cap });
        }
        Ok(())
    }
}

impl Limits {
    /// The bounds unless the host sets others.
    pub(crate) const DEFAULT: Self = Self {
        frame_bytes: 1 << 20,
        text_bytes: 1 << 18,
        depth: 32,
        items: 1_024,
        open_per_member: 64,
        lineage: 8,
        appeals: 2,
        repeats_per_request: 40,
        remembered_per_member: 256,
        audit_entries: 1_024,
        members: 256,
    };

    fn check(&self) -> Result<(), ConfigError> {
        let Self {
            frame_bytes,
            text_bytes,
            depth,
            items,
            open_per_member,
            lineage,
            appeals: _,
            repeats_per_request,
            remembered_per_member,
            audit_entries,
            members,
        } = *self;
        let bounds = [
            ("frame_bytes", frame_bytes),
            ("text_bytes", text_bytes),
            ("depth", depth),
            ("items", items),
            ("open_per_member", open_per_member),
            ("lineage", lineage),
            ("repeats_per_request", repeats_per_request),
            ("remembered_per_member", remembered_per_member),
            ("audit_entries", audit_entries),
            ("members", members),
        ];
        match bounds.iter().find(|(_, bound)| *bound == 0) {
            Some((field, _)) => Err(ConfigError::Zero { field }),
            None => Ok(()),
        }
    }
}

impl Default for TimingConfig {
    fn default() -> Self {
        Self {
            timeout: Millis::new(60_000),
            cap: Millis::new(600_000),
            reminders: 3,
            ack_delay: Millis::new(5_000),
            exit_grace: Millis::new(10_000),
            report_due: Millis::new(600_000),
            pause_max: Millis::new(86_400_000),
            ask_again: Millis::new(60_000),
            ask_again_max: Millis::new(3_600_000),
            judgement_grace: Millis::new(5_000),
            strikes: 3,
            breaker_cooldown: Millis::new(60_000),
            trial_timeout: Millis::new(10_000),
            repeat_window: Millis::new(10_000),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How the lead is also called in the field.
const DEFAULT_LEAD_ALIASES: [&str; 3] = ["lead", "leader", "team-lead"];
