//! Whether a goal that the model calls complete is complete: no open to-do, and the check that the user asked for.

use super::Next;
use crate::brain::text::head_and_tail;
use crate::goal::todos;
use crate::protocol::{
    ActionAuthor, ActionType, AskedBy, CallOutcome, CallState, EngineError, Event, GoalEnd, GoalQuestion,
    GoalQuestionId, NextAction, SentBack, StepId, Verify,
};
use crate::session::Session;

/// Most of a failed check's output that the model is sent back with, in characters.
const RESULT: usize = 2_000;

impl Session {
    pub(super) async fn check(&mut self) -> Result<Next, EngineError> {
        let goal = self.goal()?;
        let ids = todos::open(goal);
        let event = if ids.is_empty() {
            match goal.request.verify.clone() {
                None => self.ended(GoalEnd::Complete { verified: false })?,
                Some(Verify::Command { command }) => self.check_by(command)?,
                Some(Verify::Question { question }) => Event::GoalQuestionAsked {
                    question: GoalQuestion {
                        id: GoalQuestionId::new(),
                        text: question,
                        asked_by: AskedBy::Verify,
                        action_id: None,
                    },
                },
            }
        } else {
            Event::GoalSentBack { reason: SentBack::OpenTodos { ids } }
        };
        self.emit_of_goal(vec![event]).await?;
        Ok(Next::Continue)
    }

    /// The check of this iteration is an action of its own: proposed, run on the way of all others, then judged.
    fn check_by(&self, command: String) -> Result<Event, EngineError> {
        let goal = self.goal()?;
        let iteration = goal.iteration;
        let made = goal.actions.iter().rev().take_while(|action| action.iteration == iteration);
        let made = made.into_iter().find(|action| is_check(action.author));
        Ok(match made.map(|action| &action.state) {
            Some(CallState::Ended { result, .. }) => match result.outcome {
                CallOutcome::Success => self.ended(GoalEnd::Complete { verified: true })?,
                CallOutcome::Error | CallOutcome::Declined | CallOutcome::Interrupted => {
                    Event::GoalSentBack {
                        reason: SentBack::VerifyFailed { result: head_and_tail(&result.content, RESULT) },
                    }
                }
            },
            Some(CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Running { .. })
            | None => Event::GoalActionProposed {
                action_id: StepId::new(),
                iteration,
                author: ActionAuthor::Verify,
                action: NextAction {
                    kind: ActionType::Shell,
                    content: command,
                    rationale: "The check that was asked for.".to_owned(),
                },
            },
        })
    }
}

fn is_check(author: ActionAuthor) -> bool {
    match author {
        ActionAuthor::Verify => true,
        ActionAuthor::Agent | ActionAuthor::User => false,
    }
}
