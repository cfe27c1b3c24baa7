//! What the desktop shows of what asks for the user's attention: notification, title, badge, tray. The engine says what
//! asks; here it is only shown. None of it ever answers.

use std::sync::{Mutex, PoisonError};

use notify_rust::Notification;
use planwright_engine::attention::{Attention, Ending, Mood, Need};
use planwright_engine::engine::Engine;
use planwright_engine::protocol::{SessionId, Time};
use tauri::{AppHandle, Emitter as _, Manager as _, UserAttentionType, WebviewWindow};

use crate::badge::Badge;
use crate::frame;
use crate::tray::{self, Tray};

/// Tells the page to show a session.
const SHOW_SESSION: &str = "show-session";

/// The session that the page shows.
#[derive(Debug, Default)]
pub(crate) struct Looking(Mutex<Option<SessionId>>);

impl Looking {
    pub(crate) fn at(&self, session: Option<SessionId>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = session;
    }

    fn session(&self) -> Option<SessionId> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs until the engine is gone.
pub(crate) async fn watch(app: AppHandle, engine: Engine) {
    let (mut attention, mut settings) = (engine.attention(), engine.watch_settings());
    let (mut badge, mut tray) = (Badge::default(), Tray::default());
    let mut before = Attention::default();
    loop {
        let now = attention.borrow_and_update().clone();
        let with_tray = settings.borrow_and_update().tray_icon;
        if let Some(seen) = looked_at(&app).filter(|id| ended(&now, *id)) {
            // Changes the attention, which is shown in the next round.
            engine.seen(seen);
        }
        for (session, notice) in notices(&before, &now, Time::now()) {
            call(&app, session, &notice);
        }
        if let Some(window) = app.get_webview_window(frame::MAIN)
            && (before.mood() != now.mood() || before.unseen() != now.unseen())
        {
            let title = title(now.mood());
            tracing::debug!("the window's title is \"{title}\"");
            if let Err(error) = window.set_title(&title) {
                tracing::info!("the window's title cannot be set: {error}");
            }
            badge.show(&window, now.unseen()).await;
        }
        tray.show(&app, &engine, with_tray.then(|| tray::view(&now))).await;
        before = now;
        let changed = tokio::select! {
            changed = attention.changed() => changed,
            changed = settings.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}

/// The user has come to the window: what it shows is seen.
pub(crate) fn looks(app: &AppHandle, engine: &Engine) {
    if let Some(session) = app.state::<Looking>().session() {
        engine.seen(session);
    }
}

/// Brings the window to the front with the session in it.
pub(crate) fn show_session(app: &AppHandle, session: SessionId) {
    if let Err(error) = app.emit_to(frame::MAIN, SHOW_SESSION, session) {
        tracing::warn!("the page cannot be told to show a session: {error}");
    }
    frame::to_front(app);
}

fn looked_at(app: &AppHandle) -> Option<SessionId> {
    let in_front = app.get_webview_window(frame::MAIN).is_some_and(|window| is_in_front(&window));
    app.state::<Looking>().session().filter(|_| in_front)
}

fn is_in_front(window: &WebviewWindow) -> bool {
    window.is_focused().unwrap_or(false)
}

fn ended(attention: &Attention, session: SessionId) -> bool {
    attention.sessions.get(&session).is_some_and(|standing| standing.ended.is_some())
}

fn title(mood: Mood) -> String {
    match mood {
        Mood::NeedsYou { sessions } => format!("({sessions}) Planwright: needs you"),
        Mood::Ended { sessions, failed: true } => format!("({sessions}) Planwright: not done"),
        Mood::Ended { sessions, failed: false } => format!("({sessions}) Planwright: done"),
        Mood::Working { .. } | Mood::Idle => "Planwright".to_owned(),
    }
}

/// What a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Notice {
    title: &'static str,
    body: &'static str,
}

const AWAITED: &str = "Planwright waits for your answer";
const ENDED: &str = "Planwright has ended its work";

/// What the user is called for: what was not there before.
fn notices(before: &Attention, now: &Attention, at: Time) -> Vec<(SessionId, Notice)> {
    let mut notices = Vec::new();
    for (id, standing) in &now.sessions {
        let known = before.sessions.get(id);
        if let Some(need) = &standing.need
            && known.and_then(|known| known.need.as_ref()) != Some(need)
            && let Some(body) = awaited(need, at)
        {
            notices.push((*id, Notice { title: AWAITED, body }));
        }
        if let Some(ending) = standing.ended
            && known.and_then(|known| known.ended) != Some(ending)
        {
            notices.push((*id, Notice { title: ENDED, body: ending_in_words(ending) }));
        }
    }
    notices
}

/// Commands, what they would do, questions and results stay in the window: a notification shows on locked screens. `None`: who takes steps by
/// hand, or an action over, knows that it waits.
fn awaited(need: &Need, at: Time) -> Option<&'static str> {
    let words = match need {
        Need::Approval { .. } => "A command waits for your permission.",
        Need::Secret { expires_at, .. } if *expires_at <= at => return None,
        Need::Secret { .. } => "A running command asks for a password.",
        Need::Question { .. } => "The work on a goal needs something from you.",
        Need::Stuck { .. } => "The plan is stuck and waits for your decision.",
        Need::NoRoom => "The work is paused: there is no room on the disk.",
        Need::Manual { .. } => "A step is yours to do by hand.",
        Need::ModelFailed => "The work on a goal is paused: the model could not answer.",
        Need::Hand { .. } | Need::Run { .. } => return None,
    };
    Some(words)
}

fn ending_in_words(ending: Ending) -> &'static str {
    match ending {
        Ending::PlanDone => "The plan is done.",
        Ending::PlanFailed => "The plan failed.",
        Ending::GoalReached { verified: true } => "The goal is reached, and its check passed.",
        Ending::GoalReached { verified: false } => "The goal is reached, by the agent's own word.",
        Ending::GoalStuck => "The work on a goal is stuck, and needs you to go on.",
        Ending::GoalOutOfBudget => "The goal is not reached: its budget is used up.",
        Ending::Answered => "The answer is there.",
        Ending::Unanswered => "The answer ended before it was whole.",
    }
}

fn call(app: &AppHandle, session: SessionId, notice: &Notice) {
    let Some(window) = app.get_webview_window(frame::MAIN) else { return };
    if is_in_front(&window) {
        return;
    }
    if let Err(error) = window.request_user_attention(Some(UserAttentionType::Critical)) {
        tracing::warn!("the window cannot ask for attention: {error}");
    }
    let app = app.clone();
    let notification = Notification::new()
        .appname("Planwright")
        .icon("planwright")
        .summary(notice.title)
        .body(notice.body)
        .action("default", "Show")
        .finalize();
    // A thread of its own: it waits until the notification is clicked or closed.
    tauri::async_runtime::spawn_blocking(move || show(&app, session, &notification));
}

#[cfg(target_os = "linux")]
fn show(app: &AppHandle, session: SessionId, notification: &Notification) {
    match notification.show() {
        Ok(shown) => shown.wait_for_action(|action| {
            if action == "default" {
                show_session(app, session);
            }
        }),
        // A desktop without notifications is none of the user's trouble: the window still asks for attention.
        Err(error) => tracing::info!("no notification: {error}"),
    }
}

#[cfg(not(target_os = "linux"))]
fn show(_app: &AppHandle, _session: SessionId, notification: &Notification) {
    if let Err(error) = notification.show() {
        tracing::info!("no notification: {error}");
    }
}

#[cfg(test)]
mod tests {
    use planwright_engine::attention::Standing;
    use planwright_engine::protocol::{ApprovalId, GoalQuestionId, SecretRequestId, StepId};

    use super::*;

    fn of(id: SessionId, standing: Standing) -> Attention {
        Attention { sessions: [(id, standing)].into() }
    }

    fn needing(need: Need) -> Standing {
        Standing { need: Some(need), ..Standing::default() }
    }

    #[test]
    fn each_need_calls_once_and_anew_when_it_is_another_one() {
        let (id, now) = (SessionId::new(), Time::now());
        let approval = || Need::Approval { id: ApprovalId::new() };
        let (first, second) = (of(id, needing(approval())), of(id, needing(approval())));
        let notice = Notice { title: AWAITED, body: "A command waits for your permission." };
        assert_eq!(notices(&Attention::default(), &first, now), [(id, notice)]);
        assert_eq!(notices(&first, &first, now), []);
        assert_eq!(notices(&first, &second, now), [(id, notice)]);
        assert_eq!(notices(&second, &Attention::default(), now), []);
    }

    #[test]
    fn a_question_itself_stays_in_the_window_and_a_step_by_hand_calls_nobody() {
        let at = Time::now();
        let secret = |expires_at| Need::Secret { id: SecretRequestId::new(), expires_at };
        let later = Time(at.0 + std::time::Duration::from_secs(60));
        let cases = [
            (
                Need::Question { id: Some(GoalQuestionId::new()) },
                Some("The work on a goal needs something from you."),
            ),
            (secret(later), Some("A running command asks for a password.")),
            (secret(at), None),
            (Need::Run { step_id: StepId::from("a") }, None),
            (Need::Manual { step_id: StepId::from("a") }, Some("A step is yours to do by hand.")),
            (Need::Hand { action_id: None }, None),
        ];
        for (need, expected) in cases {
            assert_eq!(awaited(&need, at), expected, "{need:?}");
        }
    }

    #[test]
    fn an_end_calls_once_until_it_was_seen() {
        let (id, now) = (SessionId::new(), Time::now());
        let ended = |ending| of(id, Standing { ended: Some(ending), ..Standing::default() });
        let done = ended(Ending::PlanDone);
        let notice = Notice { title: ENDED, body: "The plan is done." };
        assert_eq!(notices(&Attention::default(), &done, now), [(id, notice)]);
        assert_eq!(notices(&done, &done, now), []);
        assert_eq!(notices(&done, &ended(Ending::PlanFailed), now).len(), 1);
    }

    #[test]
    fn the_title_says_the_most_urgent_thing_and_nothing_else() {
        let cases = [
            (Mood::Idle, "Planwright"),
            (Mood::Working { sessions: 2 }, "Planwright"),
            (Mood::NeedsYou { sessions: 1 }, "(1) Planwright: needs you"),
            (Mood::Ended { sessions: 3, failed: false }, "(3) Planwright: done"),
            (Mood::Ended { sessions: 1, failed: true }, "(1) Planwright: not done"),
        ];
        for (mood, expected) in cases {
            assert_eq!(title(mood), expected);
        }
    }
}
