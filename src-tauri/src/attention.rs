//! Calls the user when an answer is awaited, or a goal has come to its end, and the window is not in front: urgency, and a
//! desktop notification that brings the window there and does nothing else. It never answers.

use notify_rust::Notification;
use planwright_engine::engine::Updates;
use planwright_engine::protocol::{Event, GoalEnd, GoalPause, Time, Update};
use tauri::{AppHandle, Manager as _, UserAttentionType};

use crate::frame;

/// Runs until the engine is gone.
pub(crate) async fn watch(app: AppHandle, mut updates: Updates) {
    while let Some(update) = updates.next().await {
        if let Some(notice) = notice(&update) {
            call(&app, notice);
        }
    }
}

/// What a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Notice<'a> {
    title: &'static str,
    body: &'a str,
}

const AWAITED: &str = "Planwright waits for your answer";
const ENDED: &str = "Planwright has ended its work on a goal";

/// What the user is called for. Commands, questions and results stay in the window: a notification shows on locked screens.
fn notice(update: &Update) -> Option<Notice<'_>> {
    let awaited = |body| Some(Notice { title: AWAITED, body });
    match update {
        Update::Event { record } => match &record.event {
            Event::ApprovalNeeded { approval } => awaited(&approval.warning_message),
            Event::SecretNeeded { request } if request.expires_at > Time::now() => {
                awaited("A running command asks for a password.")
            }
            Event::AgentStuck { .. } => awaited("The plan is stuck and waits for your decision."),
            Event::GoalQuestionAsked { .. } => awaited("The work on a goal needs something from you."),
            Event::GoalPaused { reason } => match reason {
                GoalPause::ModelFailed { .. } => {
                    awaited("The work on a goal is paused: the model could not answer.")
                }
                GoalPause::NoRoom { .. } => {
                    awaited("The work on a goal is paused: there is no room on the disk.")
                }
                // What the user did, or finds at the next start.
                GoalPause::User
                | GoalPause::Interrupted
                | GoalPause::Unattended
                | GoalPause::Declined { .. } => None,
            },
            Event::GoalEnded { end, .. } => {
                let body = match end {
                    GoalEnd::Complete { verified: true } => "It is reached, and its check passed.",
                    GoalEnd::Complete { verified: false } => "It is reached, by the agent's own word.",
                    GoalEnd::Stuck { .. } => "It is stuck, and needs you to go on.",
                    GoalEnd::OutOfBudget { .. } => "It is not reached: its budget is used up.",
                    GoalEnd::Cancelled => return None,
                };
                Some(Notice { title: ENDED, body })
            }
            _ => None,
        },
        Update::Output { .. }
        | Update::Terminal { .. }
        | Update::Answer { .. }
        | Update::Models { .. }
        | Update::Sessions { .. }
        | Update::Settings { .. }
        | Update::Grants { .. }
        | Update::Forecast { .. }
        | Update::Problem { .. } => None,
    }
}

fn call(app: &AppHandle, notice: Notice<'_>) {
    let Some(window) = app.get_webview_window(frame::MAIN) else { return };
    if window.is_focused().unwrap_or(false) {
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
    tauri::async_runtime::spawn_blocking(move || show(&app, &notification));
}

#[cfg(target_os = "linux")]
fn show(app: &AppHandle, notification: &Notification) {
    match notification.show() {
        Ok(shown) => shown.wait_for_action(|action| {
            if action == "default" {
                frame::to_front(app);
            }
        }),
        // A desktop without notifications is none of the user's trouble: the window still asks for attention.
        Err(error) => tracing::info!("no notification: {error}"),
    }
}

#[cfg(not(target_os = "linux"))]
fn show(_app: &AppHandle, notification: &Notification) {
    if let Err(error) = notification.show() {
        tracing::info!("no notification: {error}");
    }
}

#[cfg(test)]
mod tests {
    use planwright_engine::protocol::{
        AskedBy, Cap, Event, EventRecord, GoalBudget, GoalEnd, GoalPause, GoalQuestion, GoalQuestionId,
        SessionId, StuckCause, Time, Update,
    };

    use super::{AWAITED, ENDED, Notice, notice};

    fn title(event: Event) -> Option<&'static str> {
        let record = EventRecord { session_id: SessionId::new(), seq: 1, at: Time::now(), event };
        notice(&Update::Event { record }).map(|notice| notice.title)
    }

    #[test]
    fn a_goal_calls_when_it_needs_the_user_or_ends_and_not_for_what_the_user_did() {
        let ended = |end| Event::GoalEnded { end, summary: "done".into() };
        let paused = |reason| Event::GoalPaused { reason };
        let stuck = GoalEnd::Stuck { cause: StuckCause::SaidSo, words: "no way".into() };
        let cases = [
            (ended(GoalEnd::Complete { verified: true }), Some(ENDED)),
            (ended(GoalEnd::Complete { verified: false }), Some(ENDED)),
            (ended(stuck), Some(ENDED)),
            (ended(GoalEnd::OutOfBudget { budget: GoalBudget::Cap { cap: Cap::Tokens } }), Some(ENDED)),
            (ended(GoalEnd::Cancelled), None),
            (paused(GoalPause::NoRoom { message: "full".into() }), Some(AWAITED)),
            (
                paused(GoalPause::ModelFailed { code: "network".into(), message: "gone".into() }),
                Some(AWAITED),
            ),
            (paused(GoalPause::User), None),
            (paused(GoalPause::Interrupted), None),
            (Event::GoalGuidance { text: "x".into() }, None),
        ];
        for (event, expected) in cases {
            assert_eq!(title(event.clone()), expected, "{event:?}");
        }
    }

    #[test]
    fn a_question_itself_stays_in_the_window() {
        let question = GoalQuestion {
            id: GoalQuestionId::new(),
            text: "Which of the secret disks?".into(),
            asked_by: AskedBy::Agent,
            action_id: None,
        };
        let event = Event::GoalQuestionAsked { question };
        let record = EventRecord { session_id: SessionId::new(), seq: 1, at: Time::now(), event };
        let update = Update::Event { record };
        let body = "The work on a goal needs something from you.";
        assert_eq!(notice(&update), Some(Notice { title: AWAITED, body }));
    }
}
