//! What JavaScript hands in as objects: options, read once per engine or call.

use tsify::Tsify;

use super::kinds::{KindOptions, more_of};
use crate::config::{BooleanPolicy, Config, Limits, MemberConfig, TimingConfig};
use crate::engine::AskOptions;
use crate::error::{Misuse, ProtocolError};
use crate::ids::{Incarnation, MemberName};
use crate::message::{Lang, Role};
use crate::time::{Millis, Timestamp};
use crate::wire::{Decode, DecodeError, Fields, Shape, Value, cut, json, wrong_type};

/// What an engine is told at its making.
#[derive(Tsify)]
#[serde(rename_all = "camelCase")]
pub struct EngineOptions {
    /// The member this engine speaks for; one of `team`.
    #[tsify(type = "string")]
    pub member: MemberName,
    /// Everybody in the team, this member included. Exactly one has the role `lead`.
    pub team: Vec<MemberOptions>,
    /// This life of the member, as an earlier engine told it. Left out, a new life begins.
    #[tsify(optional, type = "string | undefined")]
    pub incarnation: Option<Incarnation>,
    /// Other names under which the lead may be addressed. Default: `lead`, `leader`, `team-lead`.
    #[tsify(optional, type = "string[] | undefined")]
    pub lead_aliases: Option<Vec<MemberName>>,
    /// Kinds of requests beside those that are always there.
    #[tsify(optional, type = "readonly KindOptions[] | undefined")]
    pub kinds: Vec<KindOptions>,
    /// Time limits in milliseconds.
    #[tsify(optional, type = "TimingOptions | undefined")]
    pub timing: TimingOptions,
    /// Bounds on what a peer can make grow.
    #[tsify(optional, type = "LimitOptions | undefined")]
    pub limits: LimitOptions,
    /// How booleans written as text are read. Default: `semantic`.
    #[tsify(optional, type = "BooleanReading | undefined")]
    pub booleans: Option<BooleanReading>,
    /// Believe the `from` of a frame when the transport does not say who sent it. The audit marks
    /// every frame that was believed. Default: `false`.
    #[tsify(optional, type = "boolean | undefined")]
    pub trust_claimed_sender: bool,
    /// The language of error texts, reminders and the like: `en` (default) or `zh`.
    #[tsify(optional, type = "\"en\" | \"zh\" | undefined")]
    pub lang: Lang,
    /// Write down every input as a `journal` effect, which must be safe before what follows it goes
    /// out; `Engine.restore` goes on from there. Default: `false`.
    #[tsify(optional, type = "boolean | undefined")]
    pub write_journal: bool,
    /// Makes ids follow from this text instead of the machine's random numbers: for simulations
    /// and tests that must come out the same every time. Whoever knows it knows the ids.
    #[tsify(optional, type = "string | undefined")]
    pub seed: Option<String>,
}

/// A member of the team.
#[derive(Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MemberOptions {
    /// Its name: 1 to 64 of `A-Z a-z 0-9 _ -`.
    #[tsify(type = "string")]
    pub name: MemberName,
    /// What it may do. Default: `worker`.
    #[tsify(optional, type = "Role | undefined")]
    pub role: Role,
    /// Whether it may be named to decide, beside what its role lets it do. Default: `false`.
    #[tsify(optional, type = "boolean | undefined")]
    pub approver: bool,
    /// Its job, for people ("coder").
    #[tsify(optional, type = "string | undefined")]
    pub title: Option<String>,
    /// Its life, where it is known already; otherwise its first frame tells.
    #[tsify(optional, type = "string | undefined")]
    pub incarnation: Option<Incarnation>,
}

/// Time limits in milliseconds. What is left out has its default.
#[derive(Default, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TimingOptions {
    /// How long a request may stay without progress. Default: 60 000.
    #[tsify(optional, type = "number | undefined")]
    pub timeout_ms: Option<Millis>,
    /// How long a request may stay at all. Default: 600 000.
    #[tsify(optional, type = "number | undefined")]
    pub cap_ms: Option<Millis>,
    /// How often an unanswered request is sent again within its idle window. Default: 3.
    #[tsify(optional, type = "number | undefined")]
    pub reminders: Option<u32>,
    /// How long an engine waits for a frame to carry its acknowledgement. Default: 5 000.
    #[tsify(optional, type = "number | undefined")]
    pub ack_delay_ms: Option<Millis>,
    /// How long a worker may take to confirm its exit. Default: 10 000.
    #[tsify(optional, type = "number | undefined")]
    pub exit_grace_ms: Option<Millis>,
    /// How long the report on approved work may take, from the approval or the last progress.
    /// Default: 600 000.
    #[tsify(optional, type = "number | undefined")]
    pub report_due_ms: Option<Millis>,
    /// How long all pauses of a request may take together; zero forbids them. Default: 86 400 000.
    #[tsify(optional, type = "number | undefined")]
    pub pause_max_ms: Option<Millis>,
    /// How long a shutdown with `escalate` waits after a refusal that does not say when to ask again.
    /// Default: 60 000.
    #[tsify(optional, type = "number | undefined")]
    pub ask_again_ms: Option<Millis>,
    /// How long it waits at most, whatever a refusal says. Default: 3 600 000.
    #[tsify(optional, type = "number | undefined")]
    pub ask_again_max_ms: Option<Millis>,
    /// How long waiting mail may still speak for a silent member. Default: 5 000.
    #[tsify(optional, type = "number | undefined")]
    pub judgement_grace_ms: Option<Millis>,
    /// After how many timeouts in a row a member that shows signs of life is lost. Default: 3.
    #[tsify(optional, type = "number | undefined")]
    pub strikes: Option<u32>,
    /// How long a lost member gets no requests. Default: 60 000.
    #[tsify(optional, type = "number | undefined")]
    pub breaker_cooldown_ms: Option<Millis>,
    /// The idle limit of the one trial request after that. Default: 10 000.
    #[tsify(optional, type = "number | undefined")]
    pub trial_timeout_ms: Option<Millis>,
    /// Over how long the repeats of one sender are counted. Default: 10 000.
    #[tsify(optional, type = "number | undefined")]
    pub repeat_window_ms: Option<Millis>,
}

/// Bounds on what a peer can make grow. What is left out has its default.
#[derive(Default, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct LimitOptions {
    /// The longest frame, in bytes of UTF-8. Default: 1 048 576.
    #[tsify(optional, type = "number | undefined")]
    pub frame_bytes: Option<u32>,
    /// The longest single text in a message, in bytes of UTF-8. Default: 262 144.
    #[tsify(optional, type = "number | undefined")]
    pub text_bytes: Option<u32>,
    /// How deep JSON may nest. Default: 32.
    #[tsify(optional, type = "number | undefined")]
    pub depth: Option<u32>,
    /// How many fields and elements a frame may have. Default: 1 024.
    #[tsify(optional, type = "number | undefined")]
    pub items: Option<u32>,
    /// How many open requests one member may have with us, each way. Default: 64.
    #[tsify(optional, type = "number | undefined")]
    pub open_per_member: Option<u32>,
    /// How many requests may go on from one another: retries, appeals, revisions. Default: 8.
    #[tsify(optional, type = "number | undefined")]
    pub lineage: Option<u32>,
    /// How many appeals there may be among them. Default: 2.
    #[tsify(optional, type = "number | undefined")]
    pub appeals: Option<u32>,
    /// How many repeats about one request are borne from one sender in a window. Default: 40.
    #[tsify(optional, type = "number | undefined")]
    pub repeats_per_request: Option<u32>,
    /// How many settled requests are remembered per member. Default: 256.
    #[tsify(optional, type = "number | undefined")]
    pub remembered_per_member: Option<u32>,
    /// How many audit entries stay in memory. Default: 1 024.
    #[tsify(optional, type = "number | undefined")]
    pub audit_entries: Option<u32>,
    /// How many members a team may have. Default: 256.
    #[tsify(optional, type = "number | undefined")]
    pub members: Option<u32>,
}

/// How booleans written as text are read.
///
/// `strict`: only JSON booleans. `semantic`: also the strings `true` and `false`, in any case.
/// `wide`: also `yes no y n on off 1 0 approve approved reject rejected` and the numbers 1 and 0.
#[derive(Clone, Copy, Tsify)]
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
    /// Reads options from the JSON text that JavaScript made of them. `lang` is set as soon as it
    /// is known, so that what is wrong with the rest is told in it.
    pub(super) fn parse(json: &str, lang: &mut Lang) -> Result<Self, ProtocolError> {
        Self::read(json, lang).map_err(|why| Misuse::BadOption { why: *why }.into())
    }

    fn read(json: &str, lang: &mut Lang) -> Decode<Self> {
        let mut fields = object(json::parse(json, &HOST_LIMITS)?, "options")?;
        *lang = language(&mut fields)?;
        let options = Self {
            member: name(&mut fields, "member")?,
            team: team(&mut fields)?,
            incarnation: fields.optional_incarnation("incarnation")?,
            lead_aliases: aliases(&mut fields)?,
            kinds: KindOptions::read_all(&mut fields)?,
            timing: TimingOptions::read(&mut fields)?,
            limits: LimitOptions::read(&mut fields)?,
            booleans: fields.optional_choice("booleans", &BOOLEANS, BooleanReading::name)?,
            trust_claimed_sender: flag(&mut fields, "trustClaimedSender")?,
            lang: *lang,
            write_journal: flag(&mut fields, "writeJournal")?,
            seed: fields.optional_text("seed")?,
        };
        fields.refuse_rest()?;
        Ok(options)
    }

    /// The configuration they stand for.
    pub(super) fn config(self, now: Timestamp, nonce: u64) -> Config {
        let life = self.incarnation.unwrap_or(Incarnation::new(now, nonce));
        let members = self.team.into_iter().map(MemberOptions::config).collect();
        let mut config = Config::new(self.member, life, members);
        if let Some(aliases) = self.lead_aliases {
            config.lead_aliases = aliases;
        }
        config.kinds = self.kinds.into_iter().map(KindOptions::rules).collect();
        self.timing.apply(&mut config.timing);
        self.limits.apply(&mut config.limits);
        config.booleans = self.booleans.map_or(BooleanPolicy::default(), BooleanReading::policy);
        config.lang = self.lang;
        config.journal = self.write_journal;
        config.trust_claimed_sender = self.trust_claimed_sender;
        config
    }
}

impl MemberOptions {
    /// Reads one member from JSON.
    pub(super) fn parse(json: &str) -> Result<MemberConfig, ProtocolError> {
        let member = json::parse(json, &HOST_LIMITS).map_err(Into::into);
        let member = member.and_then(|value| Self::read(value, "member"));
        member.map(Self::config).map_err(|why| Misuse::BadOption { why: *why }.into())
    }

    fn read(value: Value<'_>, path: &str) -> Decode<Self> {
        let mut fields = object(value, path)?;
        let member = Self {
            name: name(&mut fields, "name")?,
            role: fields.optional_choice("role", &Role::ALL, Role::name)?.unwrap_or(Role::Worker),
            approver: flag(&mut fields, "approver")?,
            title: fields.optional_text("title")?,
            incarnation: fields.optional_incarnation("incarnation")?,
        };
        fields.refuse_rest()?;
        Ok(member)
    }

    fn config(self) -> MemberConfig {
        let Self { name, role, approver, title, incarnation } = self;
        MemberConfig { name, role, approver, title, incarnation }
    }
}

impl TimingOptions {
    fn read(parent: &mut Fields<'_, '_>) -> Decode<Self> {
        let Some(value) = parent.optional("timing") else { return Ok(Self::default()) };
        let mut fields = object(value, "options.timing")?;
        let timing = Self {
            timeout_ms: fields.optional_millis("timeoutMs")?,
            cap_ms: fields.optional_millis("capMs")?,
            reminders: count(&mut fields, "reminders")?,
            ack_delay_ms: fields.optional_millis("ackDelayMs")?,
            exit_grace_ms: fields.optional_millis("exitGraceMs")?,
            report_due_ms: fields.optional_millis("reportDueMs")?,
            pause_max_ms: fields.optional_millis("pauseMaxMs")?,
            ask_again_ms: fields.optional_millis("askAgainMs")?,
            ask_again_max_ms: fields.optional_millis("askAgainMaxMs")?,
            judgement_grace_ms: fields.optional_millis("judgementGraceMs")?,
            strikes: count(&mut fields, "strikes")?,
            breaker_cooldown_ms: fields.optional_millis("breakerCooldownMs")?,
            trial_timeout_ms: fields.optional_millis("trialTimeoutMs")?,
            repeat_window_ms: fields.optional_millis("repeatWindowMs")?,
        };
        fields.refuse_rest()?;
        Ok(timing)
    }

    fn apply(&self, timing: &mut TimingConfig) {
        let set = |target: &mut Millis, value: Option<Millis>| *target = value.unwrap_or(*target);
        set(&mut timing.timeout, self.timeout_ms);
        set(&mut timing.cap, self.cap_ms);
        set(&mut timing.ack_delay, self.ack_delay_ms);
        set(&mut timing.exit_grace, self.exit_grace_ms);
        set(&mut timing.report_due, self.report_due_ms);
        set(&mut timing.pause_max, self.pause_max_ms);
        set(&mut timing.ask_again, self.ask_again_ms);
        set(&mut timing.ask_again_max, self.ask_again_max_ms);
        set(&mut timing.judgement_grace, self.judgement_grace_ms);
        set(&mut timing.breaker_cooldown, self.breaker_cooldown_ms);
        set(&mut timing.trial_timeout, self.trial_timeout_ms);
        set(&mut timing.repeat_window, self.repeat_window_ms);
        timing.reminders = self.reminders.unwrap_or(timing.reminders);
        timing.strikes = self.strikes.unwrap_or(timing.strikes);
    }
}

impl LimitOptions {
    fn read(parent: &mut Fields<'_, '_>) -> Decode<Self> {
        let Some(value) = parent.optional("limits") else { return Ok(Self::default()) };
        let mut fields = object(value, "options.limits")?;
        let limits = Self {
            frame_bytes: count(&mut fields, "frameBytes")?,
            text_bytes: count(&mut fields, "textBytes")?,
            depth: count(&mut fields, "depth")?,
            items: count(&mut fields, "items")?,
            open_per_member: count(&mut fields, "openPerMember")?,
            lineage: count(&mut fields, "lineage")?,
            appeals: count(&mut fields, "appeals")?,
            repeats_per_request: count(&mut fields, "repeatsPerRequest")?,
            remembered_per_member: count(&mut fields, "rememberedPerMember")?,
            audit_entries: count(&mut fields, "auditEntries")?,
            members: count(&mut fields, "members")?,
        };
        fields.refuse_rest()?;
        Ok(limits)
    }

    fn apply(&self, limits: &mut Limits) {
        let set = |target: &mut usize, value: Option<u32>| {
            *target = value.map_or(*target, |value| value as usize);
        };
        set(&mut limits.frame_bytes, self.frame_bytes);
        set(&mut limits.text_bytes, self.text_bytes);
        set(&mut limits.depth, self.depth);
        set(&mut limits.items, self.items);
        set(&mut limits.open_per_member, self.open_per_member);
        set(&mut limits.lineage, self.lineage);
        set(&mut limits.appeals, self.appeals);
        set(&mut limits.repeats_per_request, self.repeats_per_request);
        set(&mut limits.remembered_per_member, self.remembered_per_member);
        set(&mut limits.audit_entries, self.audit_entries);
        set(&mut limits.members, self.members);
    }
}

impl BooleanReading {
    const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Semantic => "semantic",
            Self::Wide => "wide",
        }
    }

    const fn policy(self) -> BooleanPolicy {
        match self {
            Self::Strict => BooleanPolicy::Strict,
            Self::Semantic => BooleanPolicy::Semantic,
            Self::Wide => BooleanPolicy::Wide,
        }
    }
}

/// How one request is asked; what is no number is JSON.
pub(super) fn ask_options(
    timeout: Option<f64>,
    cap: Option<f64>,
    more: Option<&str>,
) -> Result<AskOptions, ProtocolError> {
    let more = more.map(more_of).transpose()?.unwrap_or_default();
    Ok(AskOptions { timeout: span(timeout, "timeoutMs")?, cap: span(cap, "capMs")?, ..more })
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
pub(super) fn life(text: &str) -> Decode<Incarnation> {
    Incarnation::parse(text).ok_or_else(|| {
        let (path, found) = ("incarnation".to_owned(), cut(text));
        DecodeError::InvalidIncarnation { path, found }.into()
    })
}

pub(super) fn object<'a, 'p>(value: Value<'a>, path: &'p str) -> Decode<Fields<'a, 'p>> {
    let Value::Object(object) = value else {
        return Err(wrong_type(path, Shape::Object, &value));
    };
    Ok(Fields::new(object, path))
}

fn team(fields: &mut Fields<'_, '_>) -> Decode<Vec<MemberOptions>> {
    let value = fields.required("team", Shape::ObjectList)?;
    let Value::Array(members) = value else {
        return Err(wrong_type("options.team", Shape::ObjectList, &value));
    };
    let path = |at| format!("options.team[{at}]");
    let members = members.into_iter().enumerate();
    members.map(|(at, member)| MemberOptions::read(member, &path(at))).collect()
}

fn aliases(fields: &mut Fields<'_, '_>) -> Decode<Option<Vec<MemberName>>> {
    let Some(value) = fields.optional("leadAliases") else { return Ok(None) };
    let texts = fields.texts_of("leadAliases", value)?;
    let path = |at| format!("options.leadAliases[{at}]");
    let texts = texts.iter().enumerate();
    texts.map(|(at, text)| parse_name(text, || path(at))).collect::<Decode<_>>().map(Some)
}

fn name(fields: &mut Fields<'_, '_>, field: &str) -> Decode<MemberName> {
    let text = fields.word(field)?;
    parse_name(&text, || fields.path_of(field))
}

fn parse_name(text: &str, path: impl Fn() -> String) -> Decode<MemberName> {
    let invalid = |why| DecodeError::InvalidName { path: path(), found: cut(text), why }.into();
    MemberName::parse(text).map_err(invalid)
}

pub(super) fn flag(fields: &mut Fields<'_, '_>, field: &str) -> Decode<bool> {
    flag_or(fields, field, false)
}

pub(super) fn flag_or(fields: &mut Fields<'_, '_>, field: &str, default: bool) -> Decode<bool> {
    match fields.optional(field) {
        None => Ok(default),
        Some(Value::False) => Ok(false),
        Some(Value::True) => Ok(true),
        Some(other) => Err(wrong_type(fields.path_of(field), Shape::Boolean, &other)),
    }
}

/// A number of things; nothing that is counted here comes near the largest one.
fn count(fields: &mut Fields<'_, '_>, field: &str) -> Decode<Option<u32>> {
    let number = fields.optional_integer(field, 0)?;
    Ok(number.map(|number| u32::try_from(number).unwrap_or(u32::MAX)))
}

fn language(fields: &mut Fields<'_, '_>) -> Decode<Lang> {
    let Some(tag) = fields.optional_word("lang")? else { return Ok(Lang::default()) };
    Lang::parse(&tag).ok_or_else(|| {
        let (path, accepted) = (fields.path_of("lang"), Lang::ALL.map(Lang::name).to_vec());
        DecodeError::InvalidChoice { path, found: cut(&tag), accepted }.into()
    })
}

const BOOLEANS: [BooleanReading; 3] =
    [BooleanReading::Strict, BooleanReading::Semantic, BooleanReading::Wide];

/// The host bounds its own options; how large a team may be is one of them.
pub(super) const HOST_LIMITS: Limits = Limits { items: usize::MAX, ..Limits::DEFAULT };
