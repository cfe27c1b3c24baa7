//! An action on its way: the same judging, gate, checkpoint, runner and record as a tool call of a conversation.

use serde_json::json;

use super::Next;
use crate::brain::text::clip;
use crate::goal::eval::{self, Given, Limits};
use crate::protocol::{
    Action, ActionAuthor, ActionType, AllowedBy, CallOutcome, CallState, EngineError, Event, GoalAction,
    GoalPause, Proposer, ToolName, ToolResult,
};
use crate::session::Session;
use crate::session::conversation::calls::{Asked, Worked};
use crate::tools::{self, Call};

/// Longest reason that a question quotes, in characters.
const REASON: usize = 400;
/// Results that a script has at hand.
const GIVEN: usize = 5;

impl Session {
    pub(super) async fn act(&mut self, action: GoalAction) -> Result<Next, EngineError> {
        let call = call_of(&action);
        let proposer = self.proposer_of(&action)?;
        let content = action.action.content.clone();
        let worked = match action.action.kind {
            ActionType::Shell => self.run_command(&call, content, None, &proposer).await?,
            ActionType::FileRead => match tools::read(&call.tool, &call.input) {
                Ok(Call::File(file)) => self.run_tool(&call, file, &proposer).await?,
                Ok(Call::Shell { .. } | Call::AskUser { .. } | Call::CreatePlan { .. }) => {
                    return Ok(Next::End);
                }
                Err(error) => Worked::Result(call.error(error.to_string()), None),
            },
            ActionType::Eval => self.evaluate(&call, content).await?,
            ActionType::AiConsult => self.consult(&call, content, &proposer).await?,
            ActionType::UserInput => return self.ask_user(&action).await,
        };
        self.conclude_action(&action, worked).await
    }

    /// What the user wrote is theirs, the check of the goal too.
    fn proposer_of(&self, action: &GoalAction) -> Result<Proposer, EngineError> {
        match action.author {
            ActionAuthor::User | ActionAuthor::Verify => Ok(Proposer::User),
            ActionAuthor::Agent => {
                let role = self.goal()?.request.model_backend.unwrap_or(crate::protocol::ModelRole::Main);
                let model = self.shared.models.get(role).map(|model| model.name()).unwrap_or_default();
                Ok(Proposer::Chat { model, reason: clip(&action.action.rationale, REASON) })
            }
        }
    }

    async fn conclude_action(&mut self, action: &GoalAction, worked: Worked) -> Result<Next, EngineError> {
        match worked {
            Worked::Result(mut result, shell) => {
                // What checks a goal says yes by its status, and by nothing else.
                let says_no = result.exit_status.as_ref().is_some_and(|status| status.code() != Some(0));
                if action.author == ActionAuthor::Verify && says_no && result.outcome == CallOutcome::Success
                {
                    result.outcome = CallOutcome::Error;
                }
                // A check looks at the work; it is no part of it.
                let shell = shell.filter(|_| action.author != ActionAuthor::Verify).map(|shell| *shell);
                self.emit(vec![Event::CallFinished { result: *result, shell }]).await?;
            }
            // The next start says what was interrupted.
            Worked::Stopped { .. } if self.control.closing => return Ok(Next::End),
            Worked::Stopped { ran: true, .. } => {
                let words = "It was stopped while it ran, and may have done a part of its work. Look at what it left \
                             before it is done again.";
                let result = *call_of(action).told(CallOutcome::Interrupted, words);
                self.emit(vec![Event::CallFinished { result, shell: None }]).await?;
            }
            Worked::Stopped { ran: false, instead: Some(text) } => {
                let words = "The user does not allow this, and said what to do instead.";
                let result = *call_of(action).told(CallOutcome::Declined, words);
                let finished = Event::CallFinished { result, shell: None };
                self.emit(vec![finished, Event::GoalGuidance { text }]).await?;
            }
            Worked::Stopped { ran: false, instead: None } => {
                let taken_over = self.goal()?.taken_over.as_ref() == Some(&action.id);
                if !self.control.interrupts() && !taken_over {
                    let action_id = action.id.clone();
                    return self.pause_goal(GoalPause::Declined { action_id }).await;
                }
            }
            Worked::AskedUser(_) | Worked::Proposed(..) => {}
        }
        Ok(Next::Continue)
    }

    /// A script touches nothing, so nobody is asked; it is in the record like every action.
    async fn evaluate(&mut self, call: &Asked, script: String) -> Result<Worked, EngineError> {
        let given = given(&self.goal()?.actions);
        self.script_started(call, &script).await?;
        let work = tokio::task::spawn_blocking(move || eval::eval(&script, &given, Limits::default()));
        let done = self.attend(Box::pin(work)).await?;
        let result = match done {
            Ok(Ok(answer)) => call.success(self.shared.redactor.text(&answer)),
            Ok(Err(error)) => call.error(error.to_string()),
            Err(error) => call.error(format!("The script broke off: {error}.")),
        };
        Ok(Worked::Result(result, None))
    }

    pub(super) async fn script_started(&mut self, call: &Asked, script: &str) -> Result<(), EngineError> {
        let started = Event::CallStarted {
            call_id: call.id.clone(),
            action: Action::Tool {
                tool: call.tool.clone(),
                input: call.input.clone(),
                command: format!("{} {}", call.tool, clip(script, REASON)),
            },
            cwd: self.state.shell.cwd.clone(),
            allowed_by: AllowedBy::Mode,
            terminal: false,
        };
        self.emit(vec![started]).await
    }
}

/// The action as a call of the tool that carries it out.
pub(super) fn call_of(action: &GoalAction) -> Asked {
    let content = &action.action.content;
    let (tool, input) = match action.action.kind {
        ActionType::Shell => (ToolName::Shell.as_str(), json!({ "command": content })),
        ActionType::FileRead => (ToolName::ReadFile.as_str(), json!({ "path": content.trim() })),
        ActionType::Eval => (ActionType::Eval.as_str(), json!({ "script": content })),
        ActionType::AiConsult => (ActionType::AiConsult.as_str(), json!({ "question": content })),
        ActionType::UserInput => (ToolName::AskUser.as_str(), json!({ "question": content })),
    };
    Asked { id: action.id.clone(), tool: tool.to_owned(), input: input.to_string() }
}

/// What the last actions gave, for a script.
pub(super) fn given(actions: &[GoalAction]) -> Vec<Given> {
    let ended = actions.iter().filter_map(|action| match &action.state {
        CallState::Ended { result, .. } => Some((action, result)),
        CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Running { .. } => None,
    });
    let mut last: Vec<(&GoalAction, &ToolResult)> = ended.rev().take(GIVEN).collect();
    last.reverse();
    let given = |(action, result): (&GoalAction, &ToolResult)| Given {
        iteration: action.iteration,
        kind: action.action.kind.as_str().to_owned(),
        content: action.action.content.clone(),
        status: result.exit_status.as_ref().and_then(crate::protocol::ExitStatus::code),
        stdout: stdout_of(result),
        stderr: String::new(),
    };
    last.into_iter().map(given).collect()
}

/// A command's content begins with a line of how it ended, which is no part of its output.
fn stdout_of(result: &ToolResult) -> String {
    match (&result.exit_status, result.content.split_once('\n')) {
        (Some(_), Some((_, output))) => output.to_owned(),
        (Some(_), None) => String::new(),
        (None, _) => result.content.clone(),
    }
}
