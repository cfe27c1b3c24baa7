use serde::{Deserialize, Serialize};

use super::{
    Action, ActionAuthor, AllowedBy, AnswerPart, Approval, ApprovalAnswer, ApprovalId, Author, Candidate,
    Cap, Checkpoint, Correction, CorrectionOf, Detection, GoalEnd, GoalId, GoalPause, GoalQuestion,
    GoalQuestionId, GoalRequest, Instructions, Job, LoopKind, MendedPage, MessageId, Mode, ModelRole,
    NextAction, PageReading, PauseReason, Plan, PlanId, PlanInput, Purpose, Route, SecretOutcome,
    SecretRequest, SecretRequestId, SentBack, Service, ServiceEnd, ServiceId, ShellState, Signal, StepId,
    StepResult, StepSplice, StuckReason, SubGoalEnd, SubGoalTask, Time, Todo, TodoAuthor, ToolResult,
    TurnEnd, UndoId, UndoRecord, Usage,
};

/// What happened, never what a window should do about it. The journal holds these and the state is their fold.
// An event lives for a moment, on its way to the record: a box would cost more than the room it spares.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    SessionCreated {
        title: String,
        cwd: String,
    },
    SessionRenamed {
        title: String,
    },

    PlanGenerated {
        plan: Plan,
    },
    /// `allowed` are the dangerous steps the user ticked; the consent ends with the run.
    PlanConfirmed {
        plan_id: PlanId,
        revision: u32,
        allowed: Vec<StepId>,
    },
    PlanRejected {
        plan_id: PlanId,
    },
    PlanStarted {
        plan_id: PlanId,
        mode: Mode,
    },
    ModeChanged {
        mode: Mode,
    },

    /// Teacher: this step waits for Run. A manual one, in any mode: it waits until the user has done it.
    StepAwaitingRun {
        step_id: StepId,
    },
    /// Written (and for risk above `caution` synced) before the process starts. `attempt` is 0 for the first.
    StepStarted {
        step_id: StepId,
        attempt: u32,
        command: String,
        cwd: String,
        revision: u32,
        allowed_by: AllowedBy,
        /// In a terminal, with the user at its keyboard.
        #[serde(default)]
        terminal: bool,
    },
    /// `shell` is what it left to the next step.
    StepCompleted {
        result: StepResult,
        shell: Option<ShellState>,
    },
    StepFailed {
        result: StepResult,
        reason: String,
    },
    StepSkipped {
        step_id: StepId,
        reason: String,
    },
    StepCancelled {
        step_id: StepId,
        result: Option<StepResult>,
    },
    /// Found running when the journal was opened again.
    StepInterrupted {
        step_id: StepId,
        attempt: u32,
    },
    /// The user put a finished or interrupted step back to pending.
    StepReset {
        step_id: StepId,
    },

    ApprovalNeeded {
        approval: Approval,
    },
    ApprovalResolved {
        approval_id: ApprovalId,
        step_id: StepId,
        answer: ApprovalAnswer,
        allowed_by: Option<AllowedBy>,
    },

    AgentThinking {
        step_id: StepId,
        asking: String,
        about: String,
    },
    AgentError {
        step_id: StepId,
        message: String,
    },
    /// The same step runs again, after `wait_seconds`.
    RetryAttempt {
        step_id: StepId,
        attempt: u32,
        allowed: u32,
        wait_seconds: u32,
        /// The new one, where a correction wrote one.
        #[serde(default)]
        command: Option<String>,
    },
    /// Definitions changed, or their order. Headless, the whole new plan is told with it.
    PlanRevised {
        plan_id: PlanId,
        /// The new one.
        revision: u32,
        original_steps: u32,
        changes: Vec<StepSplice>,
        author: Author,
        reason: String,
        step_id: Option<StepId>,
        /// How the page is read from then on, when that changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<Box<PageReading>>,
        /// What it asks for from then on, when that changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<Vec<PlanInput>>,
    },
    /// The program was ended, and with it the secret values that it held.
    InputsForgotten {
        names: Vec<String>,
    },
    /// 30 % or less of the corrections are left.
    BudgetWarning {
        corrections: u32,
        allowed: u32,
    },
    AgentStuck {
        step_id: StepId,
        reason: StuckReason,
        alternatives: Vec<String>,
        /// What the user is asked to choose among; empty where nothing is known that could help.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        candidates: Vec<Candidate>,
    },
    /// A failed step is mended, or the model is sent back to a failed call with a known way round it (A6).
    /// `number` is the plan's corrections so far, or the ways round that the user's request has had.
    CorrectionAttempt {
        step_id: StepId,
        number: u32,
        correction: Correction,
    },
    /// The step that the correction was made for succeeded, or a call did what the failed one was for.
    CorrectionSuccess {
        step_id: StepId,
        number: u32,
        #[serde(default)]
        of: CorrectionOf,
    },
    CorrectionFailed {
        step_id: StepId,
        number: u32,
        #[serde(default)]
        of: CorrectionOf,
        reason: String,
    },
    GuidanceGiven {
        step_id: StepId,
        text: String,
    },
    BudgetRaised,

    PlanPaused {
        reason: PauseReason,
    },
    PlanResumed {
        mode: Mode,
    },
    PlanCompleted {
        steps: u32,
        repairs: u32,
        skipped: u32,
    },
    /// `code`: what the troubleshooting page explains it under.
    PlanFailed {
        #[serde(default)]
        code: String,
        reason: String,
    },
    /// `gone_at`: every process of the run was seen to be gone.
    PlanCancelled {
        gone_at: Option<Time>,
    },

    /// The user's words; from here to `TurnEnded` it is one turn. `route` is never `auto`: it is what was decided.
    /// `replaces`: the message that this one is a rewriting of; that and all after it leave the conversation.
    UserMessage {
        message_id: MessageId,
        text: String,
        route: Route,
        detection: Option<Detection>,
        replaces: Option<MessageId>,
    },
    /// A model's answer, whole, or what had come of it when it was stopped (then `stop_reason` is `None`, and calls in
    /// it that were not whole are left out).
    AssistantMessage {
        message_id: MessageId,
        /// From 1.
        round: u32,
        model: String,
        /// Stands for the address of its server: what only that server understands goes back to no other.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        parts: Vec<AnswerPart>,
        stop_reason: Option<String>,
    },
    /// Written (and for risk above `caution` synced) before the tool has any effect.
    CallStarted {
        call_id: StepId,
        action: Action,
        cwd: String,
        allowed_by: AllowedBy,
        #[serde(default)]
        terminal: bool,
    },
    /// `shell` is what a command left to the next one.
    CallFinished {
        result: ToolResult,
        shell: Option<ShellState>,
    },
    TurnEnded {
        message_id: MessageId,
        end: TurnEnd,
        /// The account of it (C7), where the settings want one or the model gave none.
        synthesis: Option<String>,
        /// Its id for people and scripts: `synthesis_<message>`.
        #[serde(default)]
        synthesis_id: String,
    },
    /// A model could not be reached and is asked again after the wait.
    ModelRetrying {
        purpose: Purpose,
        model: String,
        attempt: u32,
        allowed: u32,
        wait_millis: u32,
        reason: String,
        /// The sub-goal that asks.
        #[serde(default)]
        sub_goal: Option<u32>,
    },
    /// One call of a model, counted.
    ModelUsed {
        purpose: Purpose,
        model: String,
        usage: Usage,
        /// The sub-goal that asked.
        #[serde(default)]
        sub_goal: Option<u32>,
    },
    /// What the project says about how to work on it is another than before, or is asked about.
    InstructionsFound {
        found: Vec<Instructions>,
    },
    InstructionsAnswered {
        folder: String,
        digest: String,
        read: bool,
    },
    CapWarning {
        cap: Cap,
        used: u32,
        allowed: u32,
    },
    /// Older messages of the conversation were condensed: the first `messages` of what the model is shown are now
    /// this summary. Nothing of the record is lost.
    ContextSummarized {
        messages: u32,
        summary: String,
    },
    /// Written before the step or call that it is for starts.
    CheckpointCreated {
        checkpoint: Checkpoint,
    },
    /// A step's command runs on, and is waited for to be ready.
    ServiceStarted {
        service: Service,
    },
    ServiceReady {
        service_id: ServiceId,
    },
    /// Nothing of it is left.
    ServiceEnded {
        service_id: ServiceId,
        end: ServiceEnd,
    },
    /// What commands have left running in the session's shell, all of it.
    JobsChanged {
        jobs: Vec<Job>,
    },
    /// The user wants a service that is over started again: its step, which is done, is to be done once more. Where the
    /// plan was completed it is paused from here on.
    ServiceWanted {
        service_id: ServiceId,
        step_id: StepId,
    },
    /// Files were put back as they were.
    Undone {
        undo: UndoRecord,
    },
    /// What the run mended was written into the page that the plan is from.
    PageMended {
        page: MendedPage,
    },
    /// A failed step's own changes were put back, as its plan has it; what of them is told before (`undone`).
    RolledBack {
        step_id: StepId,
        undo_id: UndoId,
    },
    /// The oldest `entries` of what the brain remembers of the run, up to the one with the number `up_to`, were
    /// condensed into a sentence; `None`: that failed, and they are dropped (A5).
    AgentContextSummarized {
        summary: Option<String>,
        up_to: u32,
        entries: u32,
    },
    /// A running command asks for a password, a passphrase, a name or a yes. The answer is in no event.
    SecretNeeded {
        request: SecretRequest,
    },
    SecretResolved {
        request_id: SecretRequestId,
        step_id: StepId,
        outcome: SecretOutcome,
    },

    /// A goal is pursued from here to `GoalEnded`; an older one of the session is of the record alone.
    GoalStarted {
        goal_id: GoalId,
        request: GoalRequest,
    },
    /// One iteration begins with what the model says. `iteration` counts from 1.
    GoalSignalReceived {
        iteration: u32,
        model: String,
        signal: Signal,
    },
    /// What the model said is no signal; it goes back with the error. `answer` is its beginning.
    GoalSignalRejected {
        iteration: u32,
        attempt: u32,
        allowed: u32,
        error: String,
        answer: String,
    },
    /// The whole list; written before the action of its iteration.
    TodosChanged {
        iteration: u32,
        author: TodoAuthor,
        todos: Vec<Todo>,
        /// Of it, the to-dos that the user added or changed.
        user_todos: Vec<String>,
    },
    /// Then it goes the way of a call: `ApprovalNeeded`, `CheckpointCreated`, `CallStarted`, `CallFinished`.
    GoalActionProposed {
        action_id: StepId,
        iteration: u32,
        author: ActionAuthor,
        action: NextAction,
    },
    /// The user does this one.
    GoalActionTakenOver {
        action_id: StepId,
    },
    /// `command` is what is to run in its place, as the user's own; without one it is done, and `note` says what came of it.
    GoalActionHandedBack {
        action_id: StepId,
        note: String,
        command: Option<String>,
    },
    GoalQuestionAsked {
        question: GoalQuestion,
    },
    GoalQuestionAnswered {
        question_id: GoalQuestionId,
        text: String,
    },
    GoalGuidance {
        text: String,
    },
    /// `reflected_before`: the model was told of it already.
    GoalLoopNoticed {
        kind: LoopKind,
        iteration: u32,
        actions: Vec<StepId>,
        reflected_before: bool,
    },
    /// A to-do is worked apart from the rest, by the sub-goal with this number.
    SubGoalStarted {
        task: SubGoalTask,
    },
    /// As `GoalSignalReceived`; its to-dos are the sub-goal's own.
    SubGoalSignalReceived {
        number: u32,
        iteration: u32,
        model: String,
        signal: Signal,
    },
    SubGoalSignalRejected {
        number: u32,
        iteration: u32,
        attempt: u32,
        allowed: u32,
        error: String,
        answer: String,
    },
    /// Then `CallStarted` where it may be done, and `CallFinished` in any case. Nobody is asked about it.
    SubGoalActionProposed {
        number: u32,
        action_id: StepId,
        iteration: u32,
        action: NextAction,
    },
    SubGoalLoopNoticed {
        number: u32,
        kind: LoopKind,
        iteration: u32,
        reflected_before: bool,
    },
    /// `synthesis` is for the goal's model, under the id `agent_<number>_<goal>`.
    SubGoalEnded {
        number: u32,
        end: SubGoalEnd,
        synthesis: String,
        /// [`SubGoal::synthesis_id`](super::SubGoal::synthesis_id).
        #[serde(default)]
        synthesis_id: String,
    },
    GoalSentBack {
        reason: SentBack,
    },
    GoalPaused {
        reason: GoalPause,
    },
    /// After a pause, or an end that was not `complete`. `iterations_allowed` is the new total.
    /// `model_backend`: the model that works on it from now on, where that is another one.
    GoalResumed {
        iterations_allowed: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_backend: Option<ModelRole>,
    },
    /// `summary`: a short account for people. `report`: the file that the whole account was written to.
    GoalEnded {
        end: GoalEnd,
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<String>,
    },
}
