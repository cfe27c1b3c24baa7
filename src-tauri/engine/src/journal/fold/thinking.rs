//! When the brain's question is over. Every event is named, so that a new one has to be decided on.

use crate::protocol::Event;

/// Whether the brain's question is over once this has happened.
pub(super) fn ends(event: &Event) -> bool {
    match event {
        Event::AgentThinking { .. }
        | Event::BudgetWarning { .. }
        | Event::SessionRenamed { .. }
        | Event::ModeChanged { .. }
        | Event::BudgetRaised
        | Event::ModelRetrying { .. }
        | Event::ModelUsed { .. }
        | Event::CapWarning { .. }
        | Event::InstructionsFound { .. }
        | Event::InstructionsAnswered { .. }
        | Event::ContextSummarized { .. }
        | Event::CheckpointCreated { .. }
        | Event::Undone { .. }
        | Event::PageMended { .. }
        | Event::SecretNeeded { .. }
        | Event::SecretResolved { .. }
        | Event::ServiceStarted { .. }
        | Event::ServiceReady { .. }
        | Event::ServiceEnded { .. }
        | Event::GoalStarted { .. }
        | Event::GoalSignalReceived { .. }
        | Event::GoalSignalRejected { .. }
        | Event::TodosChanged { .. }
        | Event::GoalActionProposed { .. }
        | Event::GoalActionTakenOver { .. }
        | Event::GoalActionHandedBack { .. }
        | Event::GoalQuestionAsked { .. }
        | Event::GoalQuestionAnswered { .. }
        | Event::GoalGuidance { .. }
        | Event::GoalLoopNoticed { .. }
        | Event::SubGoalStarted { .. }
        | Event::SubGoalSignalReceived { .. }
        | Event::SubGoalSignalRejected { .. }
        | Event::SubGoalActionProposed { .. }
        | Event::SubGoalLoopNoticed { .. }
        | Event::SubGoalEnded { .. }
        | Event::GoalSentBack { .. }
        | Event::GoalPaused { .. }
        | Event::GoalResumed { .. }
        | Event::GoalEnded { .. }
        | Event::ServiceWanted { .. }
        | Event::JobsChanged { .. }
        | Event::InputsForgotten { .. }
        | Event::AgentContextSummarized { .. } => false,
        Event::SessionCreated { .. }
        | Event::PlanGenerated { .. }
        | Event::PlanConfirmed { .. }
        | Event::PlanRejected { .. }
        | Event::PlanStarted { .. }
        | Event::StepAwaitingRun { .. }
        | Event::StepStarted { .. }
        | Event::StepCompleted { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepCancelled { .. }
        | Event::StepInterrupted { .. }
        | Event::StepReset { .. }
        | Event::ApprovalNeeded { .. }
        | Event::ApprovalResolved { .. }
        | Event::AgentError { .. }
        | Event::RolledBack { .. }
        | Event::RetryAttempt { .. }
        | Event::PlanRevised { .. }
        | Event::AgentStuck { .. }
        | Event::CorrectionAttempt { .. }
        | Event::CorrectionSuccess { .. }
        | Event::CorrectionFailed { .. }
        | Event::GuidanceGiven { .. }
        | Event::PlanPaused { .. }
        | Event::PlanResumed { .. }
        | Event::PlanCompleted { .. }
        | Event::PlanFailed { .. }
        | Event::PlanCancelled { .. }
        | Event::UserMessage { .. }
        | Event::AssistantMessage { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. }
        | Event::TurnEnded { .. } => true,
    }
}
