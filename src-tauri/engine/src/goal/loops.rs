//! Whether the work goes round in circles. Looks at what was done since a to-do last moved, for movement is progress
//! whatever the actions look like. Pure; what is done about it is the loop's.

use crate::protocol::{
    ActionAuthor, ActionType, CallState, GoalAction, GoalState, LoopKind, LoopNotice, StepId, SubGoal,
};

/// Times that one action may give one result.
const SAME: usize = 3;
/// Actions of the longest cycle.
const LONGEST_CYCLE: usize = 5;
/// Rounds of a cycle that gave the same results each time, and rounds whatever they gave.
const SAME_ROUNDS: usize = 2;
const ROUNDS: usize = 3;
/// Iterations in which no to-do moved.
const STILL: u32 = 10;

/// A loop that was seen in what was done last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    pub kind: LoopKind,
    /// The actions that make it, oldest first; none when nothing moved.
    pub actions: Vec<StepId>,
    /// The model was told of a loop, no to-do has moved since, and it goes in circles again: it is stuck. Otherwise it is
    /// to be told.
    pub reflected_before: bool,
}

/// What work is looked at: a goal's, or a sub-goal's.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    actions: &'a [GoalAction],
    looped: Option<&'a LoopNotice>,
    iteration: u32,
    moved_in: u32,
}

impl<'a> From<&'a GoalState> for Course<'a> {
    fn from(goal: &'a GoalState) -> Self {
        let (iteration, moved_in) = (goal.iteration, goal.moved_in);
        Self { actions: &goal.actions, looped: goal.looped.as_ref(), iteration, moved_in }
    }
}

impl<'a> From<&'a SubGoal> for Course<'a> {
    fn from(sub: &'a SubGoal) -> Self {
        let (iteration, moved_in) = (sub.iteration, sub.moved_in);
        Self { actions: &sub.actions, looped: sub.looped.as_ref(), iteration, moved_in }
    }
}

/// Looks at the last actions, which are ended, after each iteration. What the user did counts as nothing.
pub fn notice<'a>(course: impl Into<Course<'a>>) -> Option<Noticed> {
    let course = course.into();
    let ended: Vec<(&GoalAction, &str)> = course
        .actions
        .iter()
        .filter(|action| action.author != ActionAuthor::User)
        .filter_map(|action| match &action.state {
            CallState::Ended { result, .. } => Some((action, result.content.as_str())),
            CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Running { .. } => None,
        })
        .collect();
    let history: Vec<Past<'_>> = ended
        .iter()
        .map(|(action, result)| Past {
            iteration: action.iteration,
            kind: action.action.kind,
            content: &action.action.content,
            result,
        })
        .collect();
    let reflected_in = course.looped.map(|looped| looped.iteration);
    let standing = Standing { iteration: course.iteration, moved_in: course.moved_in, reflected_in };
    let (found, reflected_before) = match judge(&history, standing) {
        Verdict::GoOn => return None,
        Verdict::Reflect(found) => (found, false),
        Verdict::Stuck(found) => (found, true),
    };
    let actions = found.actions.iter().map(|at| ended[*at].0.id.clone()).collect();
    Some(Noticed { kind: found.kind, actions, reflected_before })
}

/// An action that has come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Past<'a> {
    iteration: u32,
    kind: ActionType,
    content: &'a str,
    result: &'a str,
}

/// Where the work stands, counted in iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// The one that has just ended.
    iteration: u32,
    /// In which a to-do moved last; 0 when none has.
    moved_in: u32,
    /// After which the model was last told of a loop.
    reflected_in: Option<u32>,
}

/// Places in the history; none of them when nothing moved.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Loop {
    kind: LoopKind,
    actions: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    GoOn,
    Reflect(Loop),
    Stuck(Loop),
}

/// Judges the history, oldest first. After a reflection the count starts anew: what is seen then is a second loop.
fn judge(history: &[Past<'_>], standing: Standing) -> Verdict {
    let told = standing.reflected_in.filter(|told| *told >= standing.moved_in);
    let from = match told {
        Some(told) => history.partition_point(|past| past.iteration <= told),
        // A to-do moves before the action of its iteration.
        None => history.partition_point(|past| past.iteration < standing.moved_in),
    };
    let still = standing.iteration.saturating_sub(told.unwrap_or(standing.moved_in));
    match (noticed(&history[from..], from, still), told) {
        (None, _) => Verdict::GoOn,
        (Some(found), None) => Verdict::Reflect(found),
        (Some(found), Some(_)) => Verdict::Stuck(found),
    }
}

fn noticed(recent: &[Past<'_>], from: usize, still: u32) -> Option<Loop> {
    let found = |kind, actions: Vec<usize>| Some(Loop { kind, actions });
    if let Some(actions) = same_action(recent) {
        return found(LoopKind::SameAction, actions.into_iter().map(|at| from + at).collect());
    }
    if let Some(length) = cycle(recent) {
        let end = from + recent.len();
        return found(LoopKind::Cycle, (end - length..end).collect());
    }
    if still >= STILL { found(LoopKind::NoProgress, Vec::new()) } else { None }
}

/// The last action gave the result that it gave twice before, whatever lay between.
fn same_action(recent: &[Past<'_>]) -> Option<Vec<usize>> {
    let last = recent.last()?;
    let same = |past: &Past<'_>| is_same_action(past, last) && is_same_result(past, last);
    let mut places: Vec<usize> =
        recent.iter().enumerate().rev().filter(|(_, past)| same(past)).map(|(at, _)| at).take(SAME).collect();
    places.reverse();
    (places.len() == SAME).then_some(places)
}

/// How many of the last actions go round: two rounds of two to five actions with the same results, or three rounds of
/// them whatever they gave.
fn cycle(recent: &[Past<'_>]) -> Option<usize> {
    let goes_round = |length: usize, rounds: usize, same: fn(&Past<'_>, &Past<'_>) -> bool| {
        let from = recent.len().checked_sub(length * rounds)?;
        let round = &recent[from..];
        let all = round.iter().zip(&round[length..]).all(|(before, after)| same(before, after));
        // One action alone, with results that differ, is somebody who waits or watches.
        let is_one = round[..length].windows(2).all(|pair| is_same_action(&pair[0], &pair[1]));
        (all && !is_one).then_some(length * rounds)
    };
    (2..=LONGEST_CYCLE).find_map(|length| {
        goes_round(length, SAME_ROUNDS, |a, b| is_same_action(a, b) && is_same_result(a, b))
            .or_else(|| goes_round(length, ROUNDS, is_same_action))
    })
}

fn is_same_action(one: &Past<'_>, other: &Past<'_>) -> bool {
    one.kind == other.kind && one.content.split_whitespace().eq(other.content.split_whitespace())
}

fn is_same_result(one: &Past<'_>, other: &Past<'_>) -> bool {
    one.result.split_whitespace().eq(other.result.split_whitespace())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Loop, Past, Standing, Verdict, judge};
    use crate::protocol::{ActionType, LoopKind};

    /// `a1` is the command `a` with the result `1`, one an iteration.
    fn history(text: &str) -> Vec<Past<'_>> {
        (1..)
            .zip(text.split_whitespace())
            .map(|(iteration, part)| {
                let (content, result) = part.split_at(1);
                Past { iteration, kind: ActionType::Shell, content, result }
            })
            .collect()
    }

    fn judged(text: &str, moved_in: u32, reflected_in: Option<u32>) -> Verdict {
        let history = history(text);
        judge(&history, Standing { iteration: history.len() as u32, moved_in, reflected_in })
    }

    fn reflect(kind: LoopKind, actions: &[usize]) -> Verdict {
        Verdict::Reflect(Loop { kind, actions: actions.to_vec() })
    }

    fn stuck(kind: LoopKind, actions: &[usize]) -> Verdict {
        Verdict::Stuck(Loop { kind, actions: actions.to_vec() })
    }

    #[test]
    fn circles_are_noticed_and_work_is_not() {
        use LoopKind::{Cycle, NoProgress, SameAction};
        let cases = [
            ("", Verdict::GoOn),
            ("a1 a1", Verdict::GoOn),
            ("a1 a1 a1", reflect(SameAction, &[0, 1, 2])),
            ("a1 a2 a3", Verdict::GoOn),
            ("a1 b1 a1 c1 a1", reflect(SameAction, &[0, 2, 4])),
            ("a1 b1 a1 c1 a2", Verdict::GoOn),
            ("a1 b1 a1 b1", reflect(Cycle, &[0, 1, 2, 3])),
            ("a1 b1 a1 b2", Verdict::GoOn),
            ("a1 b1 a2 b2 a3 b3", reflect(Cycle, &[0, 1, 2, 3, 4, 5])),
            ("z1 a1 b1 c1 a1 b1 c1", reflect(Cycle, &[1, 2, 3, 4, 5, 6])),
            ("a1 b1 c1 d1 a1 b1 c1 d1", reflect(Cycle, &[0, 1, 2, 3, 4, 5, 6, 7])),
            ("a1 b1 c1 d1 e1 f1 g1 h1 i1", Verdict::GoOn),
            ("a1 b1 c1 d1 e1 f1 g1 h1 i1 j1", reflect(NoProgress, &[])),
            // Six are too many for a cycle; that nothing moves is seen all the same.
            ("a1 b1 c1 d1 e1 f1 a1 b1 c1 d1 e1 f1", reflect(NoProgress, &[])),
            ("a1 a2 a3 a4 a5 a6", Verdict::GoOn),
        ];
        for (text, expected) in cases {
            assert_eq!(judged(text, 0, None), expected, "{text}");
        }
        let five = "a1 b1 c1 d1 e1 a1 b1 c1 d1 e1";
        assert_eq!(judged(five, 0, None), reflect(Cycle, &(0..10).collect::<Vec<_>>()));
    }

    #[test]
    fn a_to_do_that_moved_is_progress() {
        assert_eq!(judged("a1 a1 a1", 2, None), Verdict::GoOn);
        assert_eq!(judged("a1 a1 a1 a1", 2, None), reflect(LoopKind::SameAction, &[1, 2, 3]));
        assert_eq!(judged("a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1", 2, None), Verdict::GoOn);
    }

    #[test]
    fn the_second_time_is_stuck_unless_something_moved() {
        assert_eq!(judged("a1 a1 a1 a1 a1", 0, Some(3)), Verdict::GoOn);
        assert_eq!(judged("a1 a1 a1 a1 a1 a1", 0, Some(3)), stuck(LoopKind::SameAction, &[3, 4, 5]));
        assert_eq!(judged("a1 a1 a1 a1 a1 a1", 4, Some(3)), reflect(LoopKind::SameAction, &[3, 4, 5]));
        let twelve = "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1";
        assert_eq!(judged(twelve, 0, Some(2)), stuck(LoopKind::NoProgress, &[]));
        assert_eq!(judged(twelve, 0, Some(3)), Verdict::GoOn);
    }

    #[test]
    fn blanks_and_the_kind_of_action_count_as_they_should() {
        let past = |iteration, kind, content, result| Past { iteration, kind, content, result };
        let standing = Standing { iteration: 3, moved_in: 0, reflected_in: None };
        let blanks = [
            past(1, ActionType::Shell, "df  -h", "ok\n"),
            past(2, ActionType::Shell, "df -h", "ok"),
            past(3, ActionType::Shell, " df -h", " ok"),
        ];
        assert_eq!(judge(&blanks, standing), reflect(LoopKind::SameAction, &[0, 1, 2]));
        let kinds = [
            past(1, ActionType::Shell, "x", "ok"),
            past(2, ActionType::Eval, "x", "ok"),
            past(3, ActionType::FileRead, "x", "ok"),
        ];
        assert_eq!(judge(&kinds, standing), Verdict::GoOn);
    }

    proptest! {
        #[test]
        fn work_that_never_repeats_is_left_alone(results in prop::collection::vec("[a-z]{0,5}", 0..60)) {
            let contents: Vec<String> = (0..results.len()).map(|at| format!("command {at}")).collect();
            let history: Vec<Past<'_>> = (1..)
                .zip(contents.iter().zip(&results))
                .map(|(iteration, (content, result))| Past { iteration, kind: ActionType::Shell, content, result })
                .collect();
            let iteration = history.len() as u32;
            let standing = Standing { iteration, moved_in: iteration.saturating_sub(9), reflected_in: None };
            prop_assert_eq!(judge(&history, standing), Verdict::GoOn);
        }

        #[test]
        fn what_goes_round_is_noticed_at_its_end(length in 2_usize..=5, before in 0_usize..20) {
            let contents: Vec<String> = (0..before).map(|at| format!("once {at}"))
                .chain((0..2 * length).map(|at| format!("again {}", at % length)))
                .collect();
            let history: Vec<Past<'_>> = (1..)
                .zip(&contents)
                .map(|(iteration, content)| Past { iteration, kind: ActionType::Shell, content, result: "same" })
                .collect();
            let standing = Standing { iteration: history.len() as u32, moved_in: 0, reflected_in: None };
            let places = (before..before + 2 * length).collect();
            prop_assert_eq!(
                judge(&history, standing),
                Verdict::Reflect(Loop { kind: LoopKind::Cycle, actions: places })
            );
        }
    }
}
