//! Who is in the team, and which life of each.

use serde::Serialize;

use super::breaker::Breaker;
use super::liveness::Judgement;
use super::repeats::Repeats;
use super::window::SeqWindow;
use crate::config::{Config, MemberConfig};
use crate::ids::{Incarnation, MemberIndex, MemberName};
use crate::message::{Liveness, Role, Roles};
use crate::stored::from_store;
use crate::time::Timestamp;

/// Everybody in the team, this engine's member included.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Roster {
    members: Vec<Member>,
    /// Every member's place, in order of names.
    by_name: Vec<MemberIndex>,
    aliases: Vec<MemberName>,
    me: MemberIndex,
    lead: MemberIndex,
}

from_store!(struct Roster { members, by_name, aliases, me, lead });

/// One member.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Member {
    pub(crate) name: MemberName,
    pub(crate) role: Role,
    /// What it may do, all in all.
    pub(crate) roles: Roles,
    pub(crate) title: Option<String>,
    /// Its present life, once it is known.
    pub(crate) incarnation: Option<Incarnation>,
    /// What is known of its presence, apart from being busy.
    pub(crate) presence: Liveness,
    /// Silence until then is no sign of death.
    pub(crate) busy_until: Option<Timestamp>,
    pub(crate) last_heard: Option<Timestamp>,
    /// Timeouts in a row.
    pub(crate) strikes: u32,
    pub(crate) judgement: Option<Judgement>,
    /// Whether the host was told that this member, which cannot be lost, is silent.
    pub(crate) silence_told: bool,
    pub(crate) breaker: Breaker,
    /// When it must be told that its frames arrive, if nothing else goes there before.
    pub(crate) receipt_at: Option<Timestamp>,
    pub(crate) window: SeqWindow,
    /// How often it repeats itself.
    pub(crate) repeats: Repeats,
    /// Whether the host was told that this member is idle, and nothing was new since.
    pub(crate) idle_told: bool,
    /// The last search for a deadlock that it began and that went on from here.
    pub(crate) searched: Option<u64>,
}

from_store!(struct Member { name, role, roles, title, incarnation, presence, busy_until, last_heard, strikes, judgement, silence_told, breaker, receipt_at, window, repeats, idle_told, searched });

/// What a frame's `from_incarnation` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LifeCheck {
    /// The life we know.
    Known,
    /// The first we hear of; the listing in the roster announced it.
    First,
    /// A former life.
    Former,
    /// A later life that nobody announced.
    Unannounced,
}

impl Roster {
    /// Takes over a checked configuration; `None` if it was not checked.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        let me = config.members.iter().position(|member| member.name == config.member)?;
        let lead = config.members.iter().position(|member| member.role == Role::Lead)?;
        let mut roster = Self {
            members: Vec::new(),
            by_name: Vec::new(),
            aliases: config.lead_aliases.clone(),
            me: MemberIndex(me),
            lead: MemberIndex(lead),
        };
        for member in &config.members {
            roster.add(member);
        }
        if let Some(own) = roster.members.get_mut(me) {
            own.incarnation = Some(config.incarnation);
        }
        Some(roster)
    }

    /// The member this engine speaks for.
    pub(crate) const fn me(&self) -> MemberIndex {
        self.me
    }

    /// The lead.
    pub(crate) const fn lead(&self) -> MemberIndex {
        self.lead
    }

    /// Finds a member by name or by an alias of the lead.
    pub(crate) fn find(&self, name: &MemberName) -> Option<MemberIndex> {
        let member = self.place_of(name).ok().and_then(|place| self.by_name.get(place).copied());
        member.or_else(|| self.aliases.contains(name).then_some(self.lead))
    }

    pub(crate) fn get(&self, index: MemberIndex) -> Option<&Member> {
        self.members.get(index.0)
    }

    pub(crate) fn get_mut(&mut self, index: MemberIndex) -> Option<&mut Member> {
        self.members.get_mut(index.0)
    }

    /// Every member with its place, in order of listing.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MemberIndex, &Member)> {
        self.members.iter().enumerate().map(|(place, member)| (MemberIndex(place), member))
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether a name may be given to a new member.
    pub(crate) fn is_free(&self, name: &MemberName) -> bool {
        let same = |other: &MemberName| other.as_str().eq_ignore_ascii_case(name.as_str());
        !self.members.iter().any(|member| same(&member.name)) && !self.aliases.iter().any(same)
    }

    /// Adds a member whose name is free.
    pub(crate) fn add(&mut self, member: &MemberConfig) -> MemberIndex {
        let index = MemberIndex(self.members.len());
        let (Ok(place) | Err(place)) = self.place_of(&member.name);
        self.by_name.insert(place, index);
        self.members.push(Member::new(member));
        index
    }

    /// Where a name is in the order of names, or belongs.
    fn place_of(&self, name: &MemberName) -> Result<usize, usize> {
        self.by_name
            .binary_search_by(|index| self.get(*index).map(|member| &member.name).cmp(&Some(name)))
    }
}

impl Member {
    fn new(config: &MemberConfig) -> Self {
        Self {
            name: config.name.clone(),
            role: config.role,
            roles: config.roles(),
            title: config.title.clone(),
            incarnation: config.incarnation,
            presence: Liveness::Active,
            busy_until: None,
            last_heard: None,
            strikes: 0,
            judgement: None,
            silence_told: false,
            breaker: Breaker::Closed,
            receipt_at: None,
            window: SeqWindow::new(),
            repeats: Repeats::default(),
            idle_told: false,
            searched: None,
        }
    }

    /// Takes back what the first frame of an unknown life taught: that frame did not count.
    pub(crate) fn unlearn_life(&mut self) {
        self.incarnation = None;
        self.window = SeqWindow::new();
    }

    /// A new life begins: nothing of the former one counts.
    pub(crate) fn reborn(&mut self, life: Incarnation) {
        let Self {
            name: _,
            role: _,
            roles: _,
            title: _,
            incarnation,
            presence,
            busy_until,
            last_heard,
            strikes,
            judgement,
            silence_told,
            breaker,
            receipt_at,
            window,
            repeats,
            idle_told,
            // Searches are numbered on through all lives.
            searched: _,
        } = self;
        *incarnation = Some(life);
        *presence = Liveness::Active;
        *busy_until = None;
        *last_heard = None;
        *strikes = 0;
        *judgement = None;
        *silence_told = false;
        *breaker = Breaker::Closed;
        *receipt_at = None;
        *window = SeqWindow::new();
        *repeats = Repeats::default();
        *idle_told = false;
    }

    /// Compares the life a frame claims with the one we know.
    pub(crate) fn check_life(&self, claimed: Incarnation) -> LifeCheck {
        match self.incarnation {
            None => LifeCheck::First,
            Some(known) if claimed == known => LifeCheck::Known,
            Some(known) if claimed < known => LifeCheck::Former,
            Some(_) => LifeCheck::Unannounced,
        }
    }

    /// How alive it is.
    pub(crate) fn liveness(&self, now: Timestamp) -> Liveness {
        let busy = self.busy_until.is_some_and(|until| now < until);
        let quiet = matches!(self.presence, Liveness::Active | Liveness::Suspect);
        if busy && quiet { Liveness::Busy } else { self.presence }
    }

    /// When this member wants to be looked at next.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        let judgement = self.judgement.map(|judgement| judgement.at);
        [judgement, self.receipt_at].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> MemberName {
        MemberName::parse(text).unwrap()
    }

    fn life(start: u64) -> Incarnation {
        Incarnation::new(Timestamp::from_ms(start), 7)
    }

    fn roster() -> Roster {
        let member = |text, role| MemberConfig::new(name(text), role);
        let members = vec![member("team-lead", Role::Lead), member("alice", Role::Worker)];
        Roster::new(&Config::new(name("alice"), life(5), members)).unwrap()
    }

    #[test]
    fn aliases_of_the_lead_are_folded_and_cannot_be_taken() {
        let roster = roster();
        assert_eq!(roster.find(&name("lead")), Some(roster.lead()));
        assert_eq!(roster.find(&name("leader")), Some(roster.lead()));
        assert_eq!(roster.find(&name("main")), None);
        assert!(!roster.is_free(&name("Leader")));
        assert!(!roster.is_free(&name("ALICE")));
        assert!(roster.is_free(&name("bob")));
    }

    #[test]
    fn lives_are_told_apart() {
        let mut member = roster().get(MemberIndex(0)).unwrap().clone();
        assert_eq!(member.check_life(life(1)), LifeCheck::First);
        member.reborn(life(3));
        assert_eq!(member.check_life(life(3)), LifeCheck::Known);
        assert_eq!(member.check_life(life(2)), LifeCheck::Former);
        assert_eq!(member.check_life(life(4)), LifeCheck::Unannounced);
    }

    #[test]
    fn being_busy_shows_until_it_is_over_and_never_hides_a_loss() {
        let mut member = roster().get(MemberIndex(1)).unwrap().clone();
        member.busy_until = Some(Timestamp::from_ms(10));
        assert_eq!(member.liveness(Timestamp::from_ms(9)), Liveness::Busy);
        assert_eq!(member.liveness(Timestamp::from_ms(10)), Liveness::Active);
        member.presence = Liveness::Lost;
        assert_eq!(member.liveness(Timestamp::from_ms(9)), Liveness::Lost);
    }
}
