//! Questions to the user in words, and the user's hand on an action.

use super::Next;
use super::action::call_of;
use super::control::LONGEST;
use crate::protocol::{
    AskedBy, CallOutcome, EngineError, ErrorCode, Event, GoalAction, GoalEnd, GoalPause, GoalQuestion,
    GoalQuestionId, SentBack,
};
use crate::session::Session;

impl Session {
    pub(super) async fn ask_user(&mut self, action: &GoalAction) -> Result<Next, EngineError> {
        if self.is_unattended() {
            let words =
                "Nobody is here to answer. Decide by what you know, or be stuck and say what you need.";
            let result = *call_of(action).told(CallOutcome::Declined, words);
            self.emit(vec![Event::CallFinished { result, shell: None }]).await?;
            return Ok(Next::Continue);
        }
        let question = GoalQuestion {
            id: GoalQuestionId::new(),
            text: action.action.content.clone(),
            asked_by: AskedBy::Agent,
            action_id: Some(action.id.clone()),
        };
        self.emit(vec![Event::GoalQuestionAsked { question }]).await?;
        Ok(Next::Continue)
    }

    /// Waits for the answer to the question that is open; it may stay open over a pause and a restart.
    pub(super) async fn wait_for_words(&mut self) -> Result<Next, EngineError> {
        loop {
            let Some(question) = self.goal()?.question.clone() else { return Ok(Next::Continue) };
            if let Some((id, text)) = self.control.reply.take()
                && id == question.id
            {
                self.answered(question, text).await?;
                return Ok(Next::Continue);
            }
            if self.is_unattended() {
                return self.pause_goal(GoalPause::Unattended).await;
            }
            if self.control.interrupts() || !self.next_message().await? {
                return Ok(Next::Continue);
            }
        }
    }

    /// The answer and what comes of it are one entry of the record.
    async fn answered(&mut self, question: GoalQuestion, text: String) -> Result<(), EngineError> {
        let mut events = vec![Event::GoalQuestionAnswered { question_id: question.id, text: text.clone() }];
        match question.asked_by {
            AskedBy::Agent => {
                let goal = self.goal()?;
                let asking = question.action_id.as_ref().and_then(|id| goal.action(id));
                events.extend(asking.map(|action| Event::CallFinished {
                    result: *call_of(action).success(text),
                    shell: None,
                }));
            }
            AskedBy::Verify if is_yes(&text) => {
                events.push(self.ended(GoalEnd::Complete { verified: true })?);
            }
            AskedBy::Verify => events.push(Event::GoalSentBack { reason: SentBack::VerifyDenied { text } }),
        }
        self.emit(events).await
    }

    /// Waits while the user works on an action.
    pub(super) async fn wait_for_hand(&mut self) -> Result<Next, EngineError> {
        if self.is_unattended() {
            return self.pause_goal(GoalPause::Unattended).await;
        }
        while self.goal()?.taken_over.is_some() && !self.control.interrupts() {
            if !self.next_message().await? {
                break;
            }
        }
        Ok(Next::Continue)
    }

    /// Refused while it can still be put right.
    pub(super) fn check_reply(&self, id: GoalQuestionId, text: &str) -> Result<(), EngineError> {
        let open = self.goal()?.question.as_ref().is_some_and(|question| question.id == id);
        if !open {
            return Err(EngineError::new(ErrorCode::NoSuchApproval, "That question is no longer open."));
        }
        if text.trim().is_empty() {
            return Err(EngineError::new(ErrorCode::InvalidInput, "Write an answer first."));
        }
        if text.len() > LONGEST {
            return Err(EngineError::new(ErrorCode::TooLarge, "Say it in fewer words."));
        }
        Ok(())
    }
}

/// Only a plain yes is one: whatever else is said tells what is missing.
fn is_yes(text: &str) -> bool {
    let word = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    word == "yes" || word == "y"
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_plain_yes_is_a_yes() {
        assert!(["yes", " Yes. ", "y", "YES!"].into_iter().all(is_yes));
        assert!(!["", "yes, but the page is empty", "no", "yeah", "ok"].into_iter().any(is_yes));
    }
}
