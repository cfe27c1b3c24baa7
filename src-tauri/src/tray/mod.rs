//! The icon in the desktop's tray: whether something works, needs the user or has ended, and the way there. What it shows
//! is worked out here, without a desktop; how it is shown is the desktop's file. So far that is Linux's alone.

#[cfg(target_os = "linux")]
mod item;

use planwright_engine::attention::{Attention, Ending, Kind, Mood, Need};
use planwright_engine::protocol::{Command, SessionId};

#[cfg(target_os = "linux")]
pub(crate) use item::Tray;

/// Sessions that the menu names.
const NAMED: usize = 10;
/// Characters of a session's title in the menu.
const TITLE: usize = 40;

/// Which of the four icons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Idle,
    Working,
    NeedsYou,
    Done,
}

/// All that the tray shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) face: Face,
    /// In one line.
    pub(crate) words: String,
    /// What waits, the needs first: each leads to its session.
    pub(crate) waits: Vec<(SessionId, String)>,
    /// Something works that could be paused.
    pub(crate) can_pause: bool,
    /// Something works or waits that could be stopped.
    pub(crate) can_stop: bool,
}

pub(crate) fn view(attention: &Attention) -> View {
    let (face, words) = match attention.mood() {
        Mood::Idle => (Face::Idle, "Nothing runs".to_owned()),
        Mood::Working { sessions: 1 } => (Face::Working, "Working".to_owned()),
        Mood::Working { sessions } => (Face::Working, format!("Working on {sessions} tasks")),
        Mood::NeedsYou { sessions: 1 } => (Face::NeedsYou, "Needs you".to_owned()),
        Mood::NeedsYou { sessions } => (Face::NeedsYou, format!("Needs you in {sessions} sessions")),
        Mood::Ended { failed: true, .. } => (Face::NeedsYou, "Ended, not done".to_owned()),
        Mood::Ended { failed: false, .. } => (Face::Done, "Done".to_owned()),
    };
    let needs = attention.sessions.iter().filter_map(|(id, standing)| {
        Some((*id, line(&standing.title, need_in_words(standing.need.as_ref()?))))
    });
    let ended = attention.sessions.iter().filter(|(_, standing)| standing.need.is_none());
    let ended = ended
        .filter_map(|(id, standing)| Some((*id, line(&standing.title, ending_in_words(standing.ended?)))));
    View {
        face,
        words,
        waits: needs.chain(ended).take(NAMED).collect(),
        can_pause: attention.works(),
        can_stop: attention.sessions.values().any(|standing| standing.works || standing.need.is_some()),
    }
}

/// What pauses everything that works. A turn cannot be paused: it is interrupted, and the next message goes on from there.
pub(crate) fn pause_all(attention: &Attention) -> Vec<(SessionId, Command)> {
    let works = attention.sessions.iter().filter(|(_, standing)| standing.works);
    works
        .map(|(id, standing)| match standing.kind {
            Kind::Turn => (*id, Command::Interrupt),
            Kind::Goal | Kind::Plan => (*id, Command::Pause),
        })
        .collect()
}

/// What ends everything that works or waits for the user.
pub(crate) fn stop_all(attention: &Attention) -> Vec<(SessionId, Command)> {
    let open = attention.sessions.iter().filter(|(_, standing)| standing.works || standing.need.is_some());
    open.map(|(id, standing)| match standing.kind {
        Kind::Turn => (*id, Command::Interrupt),
        Kind::Goal | Kind::Plan => (*id, Command::Cancel),
    })
    .collect()
}

fn line(title: &str, words: &str) -> String {
    let short: String = title.chars().take(TITLE).collect();
    let cut = if title.chars().count() > TITLE { "…" } else { "" };
    format!("{short}{cut}: {words}")
}

fn need_in_words(need: &Need) -> &'static str {
    match need {
        Need::Secret { .. } => "asks for a password",
        Need::Approval { .. } => "asks for permission",
        Need::Question { .. } => "asks a question",
        Need::Hand { .. } | Need::Manual { .. } => "waits for your hand",
        Need::Run { .. } => "waits for Run",
        Need::Stuck { .. } => "waits for your decision",
        Need::NoRoom => "the disk is full",
        Need::ModelFailed => "the model could not answer",
    }
}

fn ending_in_words(ending: Ending) -> &'static str {
    match ending {
        Ending::PlanDone | Ending::GoalReached { .. } => "done",
        Ending::PlanFailed => "failed",
        Ending::GoalStuck => "stuck",
        Ending::GoalOutOfBudget => "out of budget",
        Ending::Answered => "answered",
        Ending::Unanswered => "not answered whole",
    }
}

/// On other systems there is none yet.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Default)]
pub(crate) struct Tray;

#[cfg(not(target_os = "linux"))]
impl Tray {
    pub(crate) async fn show(
        &mut self,
        _app: &tauri::AppHandle,
        _engine: &planwright_engine::engine::Engine,
        _view: Option<View>,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use planwright_engine::attention::Standing;
    use planwright_engine::protocol::ApprovalId;

    use super::*;

    fn standing(title: &str) -> Standing {
        Standing { title: title.to_owned(), ..Standing::default() }
    }

    fn approval() -> Need {
        Need::Approval { id: ApprovalId::new() }
    }

    fn of<const N: usize>(standings: [Standing; N]) -> (Vec<SessionId>, Attention) {
        let mut ids: Vec<SessionId> = standings.iter().map(|_| SessionId::new()).collect();
        ids.sort();
        (ids.clone(), Attention { sessions: ids.into_iter().zip(standings).collect() })
    }

    #[test]
    fn nothing_waits_and_nothing_can_be_stopped_when_nothing_runs() {
        let (words, waits) = ("Nothing runs".to_owned(), Vec::new());
        let idle = View { face: Face::Idle, words, waits, can_pause: false, can_stop: false };
        assert_eq!(view(&Attention::default()), idle);
    }

    #[test]
    fn the_needs_stand_first_and_each_leads_to_its_session() {
        let ended = Standing { ended: Some(Ending::PlanDone), ..standing("Backup") };
        let needs = Standing { need: Some(approval()), ..standing("Clean up") };
        let works = Standing { works: true, ..standing("Build") };
        let (ids, attention) = of([ended, needs, works]);
        let seen = view(&attention);
        assert_eq!((seen.face, seen.words.as_str()), (Face::NeedsYou, "Needs you"));
        let waits =
            [(ids[1], "Clean up: asks for permission".to_owned()), (ids[0], "Backup: done".to_owned())];
        assert_eq!(seen.waits, waits);
        assert_eq!((seen.can_pause, seen.can_stop), (true, true));
    }

    #[test]
    fn a_failure_has_the_face_of_a_need_and_a_long_title_is_cut() {
        let failed = Standing { ended: Some(Ending::PlanFailed), ..standing(&"ä".repeat(60)) };
        let seen = view(&of([failed]).1);
        assert_eq!((seen.face, seen.words.as_str()), (Face::NeedsYou, "Ended, not done"));
        assert_eq!(seen.waits[0].1, format!("{}…: failed", "ä".repeat(TITLE)));
        assert_eq!((seen.can_pause, seen.can_stop), (false, false));
    }

    #[test]
    fn pausing_leaves_what_waits_and_stopping_ends_it_too() {
        let turn = Standing { works: true, kind: Kind::Turn, ..standing("talk") };
        let plan = Standing { works: true, ..standing("plan") };
        let waits = Standing { need: Some(approval()), kind: Kind::Goal, ..standing("goal") };
        let ended = Standing { ended: Some(Ending::PlanDone), ..standing("over") };
        let (ids, attention) = of([turn, plan, waits, ended]);
        assert_eq!(pause_all(&attention), [(ids[0], Command::Interrupt), (ids[1], Command::Pause)]);
        assert_eq!(
            stop_all(&attention),
            [(ids[0], Command::Interrupt), (ids[1], Command::Cancel), (ids[2], Command::Cancel)]
        );
    }
}
