//! Which circles of waiting the table of kinds would permit.

use crate::message::Role;

/// A kind whose requester waits, as the search sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocking<'k> {
    /// Its name.
    pub(crate) kind: &'k str,
    /// Which roles ask.
    pub(crate) asked_by: &'k [Role],
    /// Which roles decide.
    pub(crate) decided_by: &'k [Role],
}

/// One step of a circle: members of these roles wait for the next step's by a request of the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CycleStep {
    /// Under which role the member asks.
    pub(crate) role: Role,
    /// What it asks.
    pub(crate) kind: String,
}

/// A circle of waiting that these kinds permit, if there is one.
///
/// `holders` are the members by the roles each holds. A member that decides under one role may ask
/// under another, so the search goes from member to member, not from role to role; and nobody
/// decides its own request, so a kind that goes from a role to the same role closes a circle only
/// where two hold it. Kinds that are declared as cyclic are left out by the caller: a circle that
/// one of them is part of was agreed to.
pub(crate) fn cycle(kinds: &[Blocking<'_>], holders: &[&[Role]]) -> Option<Vec<CycleStep>> {
    // Two members of a kind can do whatever more of them could.
    let mut team: Vec<&[Role]> = Vec::new();
    for roles in holders {
        if team.iter().filter(|other| *other == roles).count() < 2 {
            team.push(roles);
        }
    }
    let mut done = vec![false; team.len()];
    let mut path = Vec::new();
    (0..team.len()).find_map(|start| descend(kinds, &team, start, &mut path, &mut done))
}

/// Depth first. `path` holds the members on the way with the step that leaves each.
fn descend(
    kinds: &[Blocking<'_>],
    holders: &[&[Role]],
    at: usize,
    path: &mut Vec<(usize, CycleStep)>,
    done: &mut [bool],
) -> Option<Vec<CycleStep>> {
    if let Some(met) = path.iter().position(|(member, _)| *member == at) {
        return Some(path.drain(met..).map(|(_, step)| step).collect());
    }
    if done.get(at).copied().unwrap_or(true) {
        return None;
    }
    for (to, step) in steps(kinds, holders, at) {
        path.push((at, step));
        let found = descend(kinds, holders, to, path, done);
        if found.is_some() {
            return found;
        }
        path.pop();
    }
    if let Some(done) = done.get_mut(at) {
        *done = true;
    }
    None
}

/// Whom a member may come to wait for, and how.
fn steps<'s>(
    kinds: &'s [Blocking<'_>],
    holders: &'s [&[Role]],
    at: usize,
) -> impl Iterator<Item = (usize, CycleStep)> + 's {
    let own = holders.get(at).copied().unwrap_or_default();
    kinds.iter().flat_map(move |kind| {
        let role = own.iter().find(|role| kind.asked_by.contains(role)).copied();
        let deciders = holders.iter().enumerate().filter(move |(to, roles)| {
            *to != at && roles.iter().any(|role| kind.decided_by.contains(role))
        });
        role.into_iter().flat_map(move |role| {
            let step = CycleStep { role, kind: kind.kind.to_owned() };
            deciders.clone().map(move |(to, _)| (to, step.clone()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAD: &[Role] = &[Role::Lead];
    const WORKER: &[Role] = &[Role::Worker];
    const APPROVER: &[Role] = &[Role::Approver];
    const BOTH: &[Role] = &[Role::Worker, Role::Approver];

    const fn kind<'k>(kind: &'k str, from: &'k [Role], to: &'k [Role]) -> Blocking<'k> {
        Blocking { kind, asked_by: from, decided_by: to }
    }

    fn names(found: Option<Vec<CycleStep>>) -> Option<Vec<(Role, String)>> {
        found.map(|steps| steps.into_iter().map(|step| (step.role, step.kind)).collect())
    }

    #[test]
    fn requests_that_go_one_way_close_no_circle() {
        let kinds = [kind("plan", WORKER, LEAD), kind("review", WORKER, APPROVER)];
        assert_eq!(cycle(&kinds, &[LEAD, WORKER, WORKER, APPROVER]), None);
        assert_eq!(cycle(&[], &[LEAD, WORKER]), None);
        assert_eq!(cycle(&kinds, &[]), None);
    }

    #[test]
    fn two_kinds_that_go_opposite_ways_close_one() {
        let kinds = [kind("plan", WORKER, LEAD), kind("question", LEAD, WORKER)];
        let found = names(cycle(&kinds, &[LEAD, WORKER]));
        let circle = [(Role::Lead, "question".into()), (Role::Worker, "plan".into())];
        assert_eq!(found.as_deref(), Some(&circle[..]));
    }

    #[test]
    fn a_kind_within_a_role_closes_one_where_two_members_hold_it() {
        let kinds = [kind("dependency", WORKER, WORKER)];
        assert_eq!(cycle(&kinds, &[LEAD, WORKER]), None);
        let found = names(cycle(&kinds, &[LEAD, WORKER, WORKER]));
        let step = (Role::Worker, "dependency".to_owned());
        assert_eq!(found, Some(vec![step.clone(), step]));
    }

    #[test]
    fn a_member_that_holds_two_roles_may_close_one() {
        let kinds = [kind("review", WORKER, APPROVER)];
        assert_eq!(cycle(&kinds, &[LEAD, WORKER, APPROVER]), None);
        assert_eq!(cycle(&kinds, &[LEAD, WORKER, BOTH]), None);
        assert!(cycle(&kinds, &[LEAD, BOTH, BOTH]).is_some());
    }

    #[test]
    fn the_way_into_a_circle_is_no_part_of_it() {
        let kinds = [
            kind("report", LEAD, WORKER),
            kind("review", WORKER, APPROVER),
            kind("question", APPROVER, WORKER),
        ];
        let found = names(cycle(&kinds, &[LEAD, WORKER, APPROVER]));
        let circle = [(Role::Worker, "review".into()), (Role::Approver, "question".into())];
        assert_eq!(found.as_deref(), Some(&circle[..]));
    }

    #[test]
    fn every_table_of_two_kinds_is_judged_as_by_trying_all_walks() {
        let sides: [&[Role]; 4] = [LEAD, WORKER, APPROVER, BOTH];
        let teams: [&[&[Role]]; 4] = [
            &[LEAD, WORKER],
            &[LEAD, WORKER, WORKER],
            &[LEAD, WORKER, APPROVER],
            &[LEAD, BOTH, APPROVER],
        ];
        let pairs: Vec<_> =
            sides.iter().flat_map(|from| sides.iter().map(|to| kind("k", from, to))).collect();
        let (mut with, mut without) = (0, 0);
        for team in teams {
            for (first, second) in pairs.iter().flat_map(|a| pairs.iter().map(move |b| (a, b))) {
                let kinds = [*first, *second];
                let found = cycle(&kinds, team);
                // Whoever can still be reached after as many steps as there are members walks in
                // a circle.
                let mut reached: Vec<usize> = (0..team.len()).collect();
                for _ in 0..team.len() {
                    let next = reached.iter().flat_map(|at| steps(&kinds, team, *at));
                    reached = next.map(|(to, _)| to).collect();
                    reached.sort_unstable();
                    reached.dedup();
                }
                assert_eq!(found.is_some(), !reached.is_empty(), "{kinds:?} {team:?}");
                with += usize::from(found.is_some());
                without += usize::from(found.is_none());
            }
        }
        assert_eq!(with + without, 1024);
        assert!(with > 100 && without > 100, "{with} with a circle, {without} without");
    }
}
