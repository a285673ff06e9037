//! Who decides on a request of several approvers, and what their votes come to.

use serde::Serialize;

use crate::ids::MemberIndex;
use crate::message::Choice;
use crate::stored::from_store;

/// Who decides, in which order. Fixed when the request is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// One member, alone.
    One(MemberIndex),
    /// Several, one stage after the other; no member is in two of them.
    Stages(Box<[Stage]>),
}

from_store!(enum Panel {
    "one" => One(_),
    "stages" => Stages(_),
});

/// One stage of a panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Who votes.
    pub approvers: Vec<MemberIndex>,
    /// How many of them must say yes: from 1 to all.
    pub threshold: usize,
    /// Whether a single no ends the request.
    pub veto: bool,
}

from_store!(struct Stage { approvers, threshold, veto });

/// What one approver has said, or that it will say nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// Who.
    pub by: MemberIndex,
    /// What.
    pub choice: Choice,
    /// Whether it came in time to count.
    pub counted: bool,
    /// What was said with it.
    pub note: Option<String>,
    /// Whether this approver knows how the approved work went.
    pub informed: bool,
}

from_store!(struct Vote { by, choice, counted, note, informed });

/// The votes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ballot {
    /// The present stage, from 0.
    pub stage: usize,
    /// Every vote, in order of arrival.
    pub votes: Vec<Vote>,
}

from_store!(struct Ballot { stage, votes });

/// What the votes of the present stage come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can still go either way.
    Open,
    /// Enough have said yes, and another stage follows.
    Passed,
    /// Enough have said yes in the last stage.
    Approved,
    /// It cannot be approved any more, whoever is left.
    Rejected,
    /// It cannot be approved any more, and only for those who are gone.
    Unreachable,
}

impl Panel {
    /// Whether one member decides alone.
    #[must_use]
    pub const fn is_one(&self) -> bool {
        matches!(self, Self::One(_))
    }

    /// Who votes in a stage.
    #[must_use]
    pub fn approvers(&self, stage: usize) -> &[MemberIndex] {
        match self {
            Self::One(member) => std::slice::from_ref(member),
            Self::Stages(stages) => stages.get(stage).map_or(&[], |stage| &stage.approvers),
        }
    }

    /// Everybody who was asked when this stage is the present one.
    pub fn asked(&self, stage: usize) -> impl Iterator<Item = MemberIndex> {
        (0..=stage).flat_map(|stage| self.approvers(stage).iter().copied())
    }

    /// Whether another stage follows.
    const fn goes_on_after(&self, stage: usize) -> bool {
        match self {
            Self::One(_) => false,
            Self::Stages(stages) => stage + 1 < stages.len(),
        }
    }

    /// How many must say yes in a stage, and whether one no is enough.
    fn rule(&self, stage: usize) -> (usize, bool) {
        match self {
            Self::One(_) => (1, false),
            Self::Stages(stages) => {
                stages.get(stage).map_or((1, false), |stage| (stage.threshold, stage.veto))
            }
        }
    }
}

impl Ballot {
    /// What a member has said, or that it was given up.
    #[must_use]
    pub fn of(&self, by: MemberIndex) -> Option<&Vote> {
        self.votes.iter().find(|vote| vote.by == by)
    }

    /// What a member has said itself.
    #[must_use]
    pub fn said_by(&self, by: MemberIndex) -> Option<&Vote> {
        self.of(by).filter(|vote| vote.choice != Choice::Gone)
    }

    /// The ballot with one vote more. A member that was given up and speaks after all was not gone.
    #[must_use]
    pub fn with(&self, by: MemberIndex, choice: Choice, note: Option<String>) -> Self {
        let mut ballot = self.clone();
        ballot.votes.retain(|vote| vote.by != by);
        ballot.votes.push(Vote { by, choice, counted: true, note, informed: false });
        ballot
    }

    /// The same with a vote that does not count: what it was about is decided. Its voter learns no
    /// more than how the request ends.
    #[must_use]
    pub fn with_late(&self, by: MemberIndex, choice: Choice, note: Option<String>) -> Self {
        let mut ballot = self.with(by, choice, note);
        if let Some(vote) = ballot.votes.last_mut() {
            (vote.counted, vote.informed) = (false, true);
        }
        ballot
    }

    /// The ballot in the next stage.
    #[must_use]
    pub fn next_stage(self) -> Self {
        Self { stage: self.stage + 1, ..self }
    }

    /// Who has not voted in the present stage.
    pub fn undecided<'a>(&'a self, panel: &'a Panel) -> impl Iterator<Item = MemberIndex> + 'a {
        panel.approvers(self.stage).iter().copied().filter(|member| self.of(*member).is_none())
    }

    /// Who has not voted, where the stage cannot pass without every one of them; otherwise nobody.
    #[must_use]
    pub fn indispensable(&self, panel: &Panel) -> Vec<MemberIndex> {
        let undecided: Vec<_> = self.undecided(panel).collect();
        let (threshold, _) = panel.rule(self.stage);
        let needed = threshold.saturating_sub(self.count(panel, Choice::Approve));
        if undecided.len() <= needed { undecided } else { Vec::new() }
    }

    /// What the votes come to: settled as soon as it is certain, either way.
    #[must_use]
    pub fn standing(&self, panel: &Panel) -> Standing {
        let (threshold, veto) = panel.rule(self.stage);
        let all = panel.approvers(self.stage).len();
        let (yes, no) = (self.count(panel, Choice::Approve), self.count(panel, Choice::Reject));
        if veto && no > 0 || all - no < threshold {
            Standing::Rejected
        } else if yes >= threshold && panel.goes_on_after(self.stage) {
            Standing::Passed
        } else if yes >= threshold {
            Standing::Approved
        } else if all - no - self.count(panel, Choice::Gone) < threshold {
            Standing::Unreachable
        } else {
            Standing::Open
        }
    }

    /// How many of the present stage have said this.
    fn count(&self, panel: &Panel, choice: Choice) -> usize {
        let approvers = panel.approvers(self.stage);
        let said = |vote: &&Vote| vote.choice == choice && approvers.contains(&vote.by);
        self.votes.iter().filter(said).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICES: [Choice; 3] = [Choice::Approve, Choice::Reject, Choice::Gone];

    fn members(count: usize) -> Vec<MemberIndex> {
        (0..count).map(MemberIndex::new).collect()
    }

    fn panel(count: usize, threshold: usize, veto: bool) -> Panel {
        Panel::Stages(Box::new([Stage { approvers: members(count), threshold, veto }]))
    }

    /// Every way in which the first `count` members may have voted, in order.
    fn ballots(count: usize) -> Vec<Ballot> {
        let mut all = vec![Ballot::default()];
        for by in members(count) {
            let more = |ballot: &Ballot| CHOICES.map(|choice| ballot.with(by, choice, None));
            all = all.iter().flat_map(more).collect();
        }
        all
    }

    /// Whether the stage passes, whatever the undecided say; the oracle tries everything.
    fn can_pass(ballot: &Ballot, panel: &Panel, threshold: usize, veto: bool) -> (bool, bool) {
        let left = ballot.undecided(panel).count();
        let yes = ballot.count(panel, Choice::Approve);
        let no = ballot.count(panel, Choice::Reject);
        let passes = |more: usize| yes + more >= threshold && !(veto && no > 0);
        ((0..=left).any(passes), passes(0))
    }

    #[test]
    fn a_stage_is_settled_as_soon_as_its_outcome_is_certain_and_never_before() {
        let mut seen = 0;
        for count in 1..=4 {
            for threshold in 1..=count {
                for veto in [false, true] {
                    let panel = panel(count, threshold, veto);
                    for voted in 0..=count {
                        for ballot in ballots(voted) {
                            let (can, has) = can_pass(&ballot, &panel, threshold, veto);
                            let standing = ballot.standing(&panel);
                            assert_eq!(standing == Standing::Approved, has, "{ballot:?}");
                            assert_eq!(standing == Standing::Open, can && !has, "{ballot:?}");
                            seen += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(seen, 1_268);
    }

    #[test]
    fn it_is_a_rejection_when_the_noes_alone_make_it_impossible() {
        let panel = panel(3, 2, false);
        let vote = |choices: &[Choice]| {
            let votes = members(3).into_iter().zip(choices);
            votes.fold(Ballot::default(), |ballot, (by, choice)| ballot.with(by, *choice, None))
        };
        use Choice::{Approve, Gone, Reject};
        assert_eq!(vote(&[Reject, Reject]).standing(&panel), Standing::Rejected);
        assert_eq!(vote(&[Reject, Gone]).standing(&panel), Standing::Unreachable);
        assert_eq!(vote(&[Gone, Gone]).standing(&panel), Standing::Unreachable);
        assert_eq!(vote(&[Gone, Reject, Reject]).standing(&panel), Standing::Rejected);
        assert_eq!(vote(&[Approve, Reject]).standing(&panel), Standing::Open);
    }

    #[test]
    fn whoever_is_indispensable_has_not_voted_and_cannot_be_missed() {
        let panel = panel(3, 2, false);
        let one = Ballot::default().with(MemberIndex::new(0), Choice::Reject, None);
        assert_eq!(Ballot::default().indispensable(&panel), []);
        assert_eq!(one.indispensable(&panel), [MemberIndex::new(1), MemberIndex::new(2)]);
        let alone = Panel::One(MemberIndex::new(7));
        assert_eq!(Ballot::default().indispensable(&alone), [MemberIndex::new(7)]);
    }

    #[test]
    fn stages_follow_each_other() {
        let stage = |from: usize| Stage {
            approvers: vec![MemberIndex::new(from), MemberIndex::new(from + 1)],
            threshold: 1,
            veto: false,
        };
        let panel = Panel::Stages(Box::new([stage(0), stage(2)]));
        let ballot = Ballot::default().with(MemberIndex::new(1), Choice::Approve, None);
        assert_eq!(ballot.standing(&panel), Standing::Passed);
        let ballot = ballot.next_stage();
        assert_eq!(ballot.standing(&panel), Standing::Open);
        assert_eq!(panel.asked(ballot.stage).count(), 4);
        let ballot = ballot.with(MemberIndex::new(2), Choice::Approve, None);
        assert_eq!(ballot.standing(&panel), Standing::Approved);
    }
}
