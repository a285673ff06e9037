//! What JavaScript hands in as objects: options, read once per engine or call.

use serde::Deserialize;
use tsify::Tsify;

use crate::config::{BooleanPolicy, Config, Limits, MemberConfig, TimingConfig};
use crate::engine::AskOptions;
use crate::error::{Lang, Misuse, ProtocolError};
use crate::ids::{Incarnation, MemberName, NameError};
use crate::message::Role;
use crate::time::{Millis, Timestamp};
use crate::wire::DecodeError;

/// What an engine is told at its making.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineOptions {
    /// The member this engine speaks for; one of `team`.
    pub member: String,
    /// Everybody in the team, this member included. Exactly one has the role `lead`.
    pub team: Vec<MemberOptions>,
    /// This life of the member, as an earlier engine told it. Left out, a new life begins.
    #[serde(default)]
    #[tsify(optional, type = "string | undefined")]
    pub incarnation: Option<String>,
    /// Other names under which the lead may be addressed. Default: `lead`, `leader`, `team-lead`.
    #[serde(default)]
    #[tsify(optional, type = "string[] | undefined")]
    pub lead_aliases: Option<Vec<String>>,
    /// Time limits in milliseconds.
    #[serde(default)]
    #[tsify(optional, type = "TimingOptions | undefined")]
    pub timing: TimingOptions,
    /// Bounds on what a peer can make grow.
    #[serde(default)]
    #[tsify(optional, type = "LimitOptions | undefined")]
    pub limits: LimitOptions,
    /// How booleans written as text are read. Default: `semantic`.
    #[serde(default)]
    #[tsify(optional, type = "BooleanReading | undefined")]
    pub booleans: Option<BooleanReading>,
    /// Believe the `from` of a frame when the transport does not say who sent it. The audit marks
    /// every frame that was believed. Default: `false`.
    #[serde(default)]
    #[tsify(optional, type = "boolean | undefined")]
    pub trust_claimed_sender: bool,
    /// The language of error texts: `en` (default) or `zh`.
    #[serde(default)]
    #[tsify(optional, type = "\"en\" | \"zh\" | undefined")]
    pub lang: Option<String>,
    /// Makes ids follow from this text instead of the machine's random numbers: for simulations
    /// and tests that must come out the same every time. Whoever knows it knows the ids.
    #[serde(default)]
    #[tsify(optional, type = "string | undefined")]
    pub seed: Option<String>,
}

/// A member of the team.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberOptions {
    /// Its name: 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// What it may do. Default: `worker`.
    #[serde(default)]
    #[tsify(optional, type = "Role | undefined")]
    pub role: Option<String>,
    /// Its job, for people ("coder").
    #[serde(default)]
    #[tsify(optional, type = "string | undefined")]
    pub title: Option<String>,
    /// Its life, where it is known already; otherwise its first frame tells.
    #[serde(default)]
    #[tsify(optional, type = "string | undefined")]
    pub incarnation: Option<String>,
}

/// Time limits in milliseconds. What is left out has its default.
#[derive(Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TimingOptions {
    /// How long a request may stay without progress. Default: 60 000.
    #[tsify(optional, type = "number | undefined")]
    pub timeout_ms: Option<u64>,
    /// How long a request may stay at all. Default: 600 000.
    #[tsify(optional, type = "number | undefined")]
    pub cap_ms: Option<u64>,
    /// How often an unanswered request is sent again within its idle window. Default: 3.
    #[tsify(optional, type = "number | undefined")]
    pub reminders: Option<u32>,
    /// How long an engine waits for a frame to carry its acknowledgement. Default: 5 000.
    #[tsify(optional, type = "number | undefined")]
    pub ack_delay_ms: Option<u64>,
    /// How long a worker may take to confirm its exit. Default: 10 000.
    #[tsify(optional, type = "number | undefined")]
    pub exit_grace_ms: Option<u64>,
    /// How long waiting mail may still speak for a silent member. Default: 5 000.
    #[tsify(optional, type = "number | undefined")]
    pub judgement_grace_ms: Option<u64>,
    /// After how many timeouts in a row a member that shows signs of life is lost. Default: 3.
    #[tsify(optional, type = "number | undefined")]
    pub strikes: Option<u32>,
    /// How long a lost member gets no requests. Default: 60 000.
    #[tsify(optional, type = "number | undefined")]
    pub breaker_cooldown_ms: Option<u64>,
    /// The idle limit of the one trial request after that. Default: 10 000.
    #[tsify(optional, type = "number | undefined")]
    pub trial_timeout_ms: Option<u64>,
}

/// Bounds on what a peer can make grow. What is left out has its default.
#[derive(Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LimitOptions {
    /// The longest frame, in bytes of UTF-8. Default: 1 048 576.
    #[tsify(optional, type = "number | undefined")]
    pub frame_bytes: Option<usize>,
    /// The longest single text in a message, in bytes of UTF-8. Default: 262 144.
    #[tsify(optional, type = "number | undefined")]
    pub text_bytes: Option<usize>,
    /// How deep JSON may nest. Default: 32.
    #[tsify(optional, type = "number | undefined")]
    pub depth: Option<usize>,
    /// How many fields and elements a frame may have. Default: 1 024.
    #[tsify(optional, type = "number | undefined")]
    pub items: Option<usize>,
    /// How many open requests one member may have with us, each way. Default: 64.
    #[tsify(optional, type = "number | undefined")]
    pub open_per_member: Option<usize>,
    /// How many settled requests are remembered per member. Default: 256.
    #[tsify(optional, type = "number | undefined")]
    pub remembered_per_member: Option<usize>,
    /// How many audit entries stay in memory. Default: 1 024.
    #[tsify(optional, type = "number | undefined")]
    pub audit_entries: Option<usize>,
    /// How many members a team may have. Default: 256.
    #[tsify(optional, type = "number | undefined")]
    pub members: Option<usize>,
}

/// How booleans written as text are read.
///
/// `strict`: only JSON booleans. `semantic`: also the strings `true` and `false`, in any case.
/// `wide`: also `yes no y n on off 1 0 approve approved reject rejected` and the numbers 1 and 0.
#[derive(Clone, Copy, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum BooleanReading {
    /// Only JSON booleans.
    Strict,
    /// Also the strings `true` and `false`.
    Semantic,
    /// Also what else models write.
    Wide,
}

impl EngineOptions {
    /// Reads options from the JSON text that JavaScript made of them.
    pub(super) fn parse(json: &str) -> Result<Self, ProtocolError> {
        serde_json::from_str(json).map_err(|error| {
            let detail = error.to_string();
            // The position in a text that the caller never saw helps nobody.
            let detail = detail.split(" at line ").next().unwrap_or_default().to_owned();
            Misuse::BadOption { path: "options".to_owned(), detail }.into()
        })
    }

    /// The configuration they stand for.
    pub(super) fn config(&self, now: Timestamp, nonce: u64) -> Result<Config, ProtocolError> {
        let life = life(self.incarnation.as_deref(), "options.incarnation")?;
        let life = life.unwrap_or(Incarnation::new(now, nonce));
        let members = self.team.iter().map(MemberOptions::config).collect::<Result<_, _>>()?;
        let mut config = Config::new(name(&self.member, "options.member")?, life, members);
        if let Some(aliases) = &self.lead_aliases {
            let names = aliases.iter().map(|alias| name(alias, "options.leadAliases"));
            config.lead_aliases = names.collect::<Result<_, _>>()?;
        }
        self.timing.apply(&mut config.timing);
        self.limits.apply(&mut config.limits);
        config.booleans = match self.booleans {
            Some(BooleanReading::Strict) => BooleanPolicy::Strict,
            Some(BooleanReading::Wide) => BooleanPolicy::Wide,
            Some(BooleanReading::Semantic) | None => BooleanPolicy::Semantic,
        };
        config.trust_claimed_sender = self.trust_claimed_sender;
        Ok(config)
    }

    /// The language of error texts.
    pub(super) fn lang(&self) -> Result<Lang, ProtocolError> {
        let Some(lang) = &self.lang else { return Ok(Lang::En) };
        Lang::parse(lang).ok_or_else(|| {
            let detail = format!("unknown language `{lang}`, expected `en` or `zh`");
            Misuse::BadOption { path: "options.lang".to_owned(), detail }.into()
        })
    }
}

impl MemberOptions {
    /// Reads one member from JSON.
    pub(super) fn parse(json: &str) -> Result<MemberConfig, ProtocolError> {
        let options: Self = serde_json::from_str(json).map_err(|error| {
            ProtocolError::from(Misuse::BadOption {
                path: "member".to_owned(),
                detail: error.to_string(),
            })
        })?;
        options.config()
    }

    fn config(&self) -> Result<MemberConfig, ProtocolError> {
        Ok(MemberConfig {
            name: name(&self.name, "team.name")?,
            role: role(self.role.as_deref())?,
            title: self.title.clone(),
            incarnation: life(self.incarnation.as_deref(), "team.incarnation")?,
        })
    }
}

impl TimingOptions {
    fn apply(&self, timing: &mut TimingConfig) {
        let set = |target: &mut Millis, value: Option<u64>| {
            if let Some(ms) = value {
                *target = Millis::new(ms.min(Millis::MAX_FROM_OUTSIDE));
            }
        };
        set(&mut timing.timeout, self.timeout_ms);
        set(&mut timing.cap, self.cap_ms);
        set(&mut timing.ack_delay, self.ack_delay_ms);
        set(&mut timing.exit_grace, self.exit_grace_ms);
        set(&mut timing.judgement_grace, self.judgement_grace_ms);
        set(&mut timing.breaker_cooldown, self.breaker_cooldown_ms);
        set(&mut timing.trial_timeout, self.trial_timeout_ms);
        timing.reminders = self.reminders.unwrap_or(timing.reminders);
        timing.strikes = self.strikes.unwrap_or(timing.strikes);
    }
}

impl LimitOptions {
    fn apply(&self, limits: &mut Limits) {
        let set = |target: &mut usize, value: Option<usize>| *target = value.unwrap_or(*target);
        set(&mut limits.frame_bytes, self.frame_bytes);
        set(&mut limits.text_bytes, self.text_bytes);
        set(&mut limits.depth, self.depth);
        set(&mut limits.items, self.items);
        set(&mut limits.open_per_member, self.open_per_member);
        set(&mut limits.remembered_per_member, self.remembered_per_member);
        set(&mut limits.audit_entries, self.audit_entries);
        set(&mut limits.members, self.members);
    }
}

/// The limits of one request.
pub(super) fn ask_options(
    timeout: Option<f64>,
    cap: Option<f64>,
) -> Result<AskOptions, ProtocolError> {
    Ok(AskOptions { timeout: span(timeout, "timeoutMs")?, cap: span(cap, "capMs")? })
}

/// A span from JavaScript.
pub(super) fn span(ms: Option<f64>, field: &'static str) -> Result<Option<Millis>, ProtocolError> {
    let Some(ms) = ms else { return Ok(None) };
    match Millis::from_host_number(ms) {
        Some(span) => Ok(Some(span)),
        None => Err(Misuse::BadSpan { field }.into()),
    }
}

/// A life written as text.
pub(super) fn life(text: Option<&str>, path: &str) -> Result<Option<Incarnation>, ProtocolError> {
    let Some(text) = text else { return Ok(None) };
    match Incarnation::parse(text) {
        Some(life) => Ok(Some(life)),
        None => {
            let found = text.chars().take(80).collect();
            Err(DecodeError::InvalidIncarnation { path: path.to_owned(), found }.into())
        }
    }
}

fn name(text: &str, path: &str) -> Result<MemberName, ProtocolError> {
    MemberName::parse(text).map_err(|why: NameError| {
        let found = text.chars().take(80).collect();
        DecodeError::InvalidName { path: path.to_owned(), found, why }.into()
    })
}

fn role(text: Option<&str>) -> Result<Role, ProtocolError> {
    let text = text.unwrap_or(Role::Worker.name());
    Role::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| {
        let found = text.chars().take(80).collect();
        let accepted = Role::ALL.map(Role::name).to_vec();
        DecodeError::InvalidChoice { path: "team.role".to_owned(), found, accepted }.into()
    })
}
