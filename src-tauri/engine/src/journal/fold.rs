//! The fold: one event after another makes a session's state, by the same code on load and live. It decides nothing
//! and performs nothing; it never lets an event put a plan or a step where the transitions do not allow it.

mod conversation;
mod goal;
mod recovery;
mod revision;
mod services;
mod sub_goal;
mod terminals;
mod thinking;
mod undo;

use std::sync::Arc;

use std::time::Duration;

use crate::plan::transition::{self, ImpossibleTransition};
use crate::protocol::{
    ChatEntry, Conversation, Correction, CorrectionAction, Event, EventRecord, InstructionsUse, Mode,
    ModelWait, Plan, PlanId, PlanState, RejectedSignal, RetryWait, RevisionEntry, SessionId, SessionState,
    ShellState, StepId, StepOrigin, StepResult, StepShell, StepState, Thinking, Time, Usage,
};

pub(crate) use recovery::stuck_in_words;

type Applied = Result<(), ImpossibleTransition>;

/// A session before its first event.
pub fn begin(id: SessionId, title: impl Into<String>, cwd: impl Into<String>, at: Time) -> SessionState {
    let cwd = cwd.into();
    SessionState {
        id,
        title: title.into(),
        shell: ShellState { cwd: cwd.clone(), ..ShellState::default() },
        cwd,
        created_at: at,
        seq: 0,
        plan: None,
        revisions: Vec::new(),
        results: Vec::new(),
        ledger: recovery::fresh_ledger(),
        approvals: Vec::new(),
        shell_before: Vec::new(),
        thinking: None,
        usage: Usage::default(),
        conversation: Conversation::default(),
        checkpoints: Vec::new(),
        secrets: Vec::new(),
        services: Vec::new(),
        jobs: Vec::new(),
        undone: Vec::new(),
        mended: None,
        goal: None,
        terminals: Vec::new(),
        instructions: Vec::new(),
        retry: None,
    }
}

/// Applies one event. An impossible transition is logged and returned; then only `seq` has moved.
pub fn apply(state: &mut SessionState, record: &EventRecord) -> Applied {
    let applied = fold(state, record);
    if let Err(impossible) = &applied {
        tracing::error!(session = %record.session_id, seq = record.seq, %impossible, "event not applied");
    }
    applied
}

/// [`apply`] without the log line, for folds over what another fold has reported already.
pub(super) fn fold(state: &mut SessionState, record: &EventRecord) -> Applied {
    state.seq = record.seq;
    change(state, &record.event, record.at)?;
    if let Some(ended) = ended_run(&record.event) {
        // Nobody is left to hear an answer; also when the program ended before it could say so.
        state.secrets.retain(|open| open.step_id != *ended);
    }
    if thinking::ends(&record.event) {
        state.thinking = None;
    }
    if ends_a_wait(&record.event) {
        state.retry = None;
    }
    Ok(())
}

/// Every arm checks all transitions it needs before it changes anything, so that an error leaves the state whole.
fn change(state: &mut SessionState, event: &Event, at: Time) -> Applied {
    match event {
        Event::SessionCreated { title, cwd } => {
            *state = SessionState { seq: state.seq, ..begin(state.id, title, cwd, at) };
            Ok(())
        }
        Event::SessionRenamed { title } => {
            state.title.clone_from(title);
            Ok(())
        }

        Event::PlanGenerated { plan } => revision::generated(state, plan, at),
        Event::PlanConfirmed { plan_id, revision, allowed: _ } => {
            let plan = same_plan(state, *plan_id, "confirmed")?;
            if plan.revision != *revision {
                return Err(impossible("plan", "at another revision", "confirmed"));
            }
            move_plan(state, PlanState::Ready)
        }
        Event::PlanRejected { plan_id } => {
            same_plan(state, *plan_id, "rejected")?;
            finish(state, PlanState::Cancelled)
        }
        Event::PlanStarted { plan_id, mode } => {
            same_plan(state, *plan_id, "running")?;
            go_on(state, *mode)
        }
        Event::ModeChanged { mode } => {
            plan_of(state, "in another mode")?.mode = *mode;
            Ok(())
        }
        Event::PlanResumed { mode } => go_on(state, *mode),
        Event::PlanPaused { reason } => move_plan(state, PlanState::Paused { reason: reason.clone() }),
        Event::PlanCompleted { .. } => finish(state, PlanState::Completed),
        Event::PlanFailed { code, reason } => {
            finish(state, PlanState::Failed { code: code.clone(), reason: reason.clone() })
        }
        Event::PlanCancelled { .. } => finish(state, PlanState::Cancelled),
        Event::PlanRevised {
            plan_id,
            revision,
            original_steps,
            changes,
            author,
            reason,
            step_id,
            page,
            inputs,
        } => {
            let entry = RevisionEntry {
                revision: *revision,
                author: author.clone(),
                reason: reason.clone(),
                step_id: step_id.clone(),
                at,
                changes: changes.clone(),
            };
            let new = revision::New { page: page.as_deref(), inputs: inputs.as_deref() };
            revision::revised(state, *plan_id, *original_steps, new, entry)
        }
        Event::InputsForgotten { names } => {
            for input in &mut plan_of(state, "without its secrets")?.inputs {
                if names.contains(&input.name) {
                    input.value = None;
                }
            }
            Ok(())
        }

        Event::StepAwaitingRun { step_id } => move_step(state, step_id, StepState::AwaitingRun),
        Event::RetryAttempt { step_id, attempt, allowed, wait_seconds, .. } => {
            let until = at.after(Duration::from_secs((*wait_seconds).into()));
            let wait = || RetryWait { step_id: step_id.clone(), attempt: *attempt, allowed: *allowed, until };
            state.retry = (*wait_seconds > 0).then(wait);
            Ok(())
        }
        Event::StepStarted { step_id, attempt, terminal, .. } => {
            started(state, step_id, *attempt, at)?;
            if *terminal {
                terminals::started(&mut state.terminals, step_id, *attempt);
            }
            Ok(())
        }
        Event::StepCompleted { result, shell } => {
            move_step(state, &result.step_id, StepState::Completed { attempt: result.attempt_index })?;
            recovery::settle(state, &result.step_id);
            state.results.push(result.clone());
            if let Some(shell) = shell {
                left(state, &result.step_id, shell);
            }
            Ok(())
        }
        // What a failed attempt did to the shell is dropped: the next one starts where this one did.
        Event::StepFailed { result, reason } => {
            let failed = StepState::Failed { attempt: result.attempt_index, reason: reason.clone() };
            move_step(state, &result.step_id, failed)?;
            state.results.push(result.clone());
            Ok(())
        }
        Event::StepSkipped { step_id, reason } => {
            move_step(state, step_id, StepState::Skipped { reason: reason.clone() })?;
            recovery::settle(state, step_id);
            Ok(())
        }
        Event::StepCancelled { step_id, result } => cancelled(state, step_id, result.as_ref()),
        Event::StepInterrupted { step_id, attempt } => {
            move_step(state, step_id, StepState::Interrupted { attempt: *attempt })
        }
        Event::StepReset { step_id } => move_step(state, step_id, StepState::Pending),

        Event::ApprovalNeeded { approval } => {
            if let Some(asked) = conversation::asked(state, &approval.step_id, approval.id) {
                asked?;
                state.approvals.push(approval.clone());
                return Ok(());
            }
            if let Some(asked) = goal::asked(state, approval) {
                return asked;
            }
            let awaiting = StepState::AwaitingApproval { approval_id: approval.id };
            move_step(state, &approval.step_id, awaiting)?;
            state.approvals.push(approval.clone());
            Ok(())
        }
        // Back to pending whatever the answer: only a step that starts uses a permission, so one given and not used
        // leaves no trace that a later run could lean on.
        Event::ApprovalResolved { approval_id, step_id, .. } => {
            if !state.approvals.iter().any(|open| open.id == *approval_id && open.step_id == *step_id) {
                return Err(impossible("question", "not open", "answered"));
            }
            if let Some(resolved) = conversation::resolved(state, step_id) {
                return resolved;
            }
            if let Some(resolved) = goal::resolved(state, step_id) {
                return resolved;
            }
            move_step(state, step_id, StepState::Pending)
        }

        Event::AgentThinking { step_id, asking, about } => {
            recovery::begin(state, step_id, at)?;
            state.thinking = Some(Thinking {
                step_id: step_id.clone(),
                asking: asking.clone(),
                about: about.clone(),
                since: at,
            });
            Ok(())
        }
        Event::AgentStuck { step_id, reason, .. } => recovery::stuck(state, step_id, reason),
        Event::CorrectionAttempt { correction: Correction::Step(correction), .. } => {
            match correction.action {
                CorrectionAction::Retry | CorrectionAction::Modify | CorrectionAction::InsertSteps => {
                    state.ledger.corrections = state.ledger.corrections.saturating_add(1);
                }
                CorrectionAction::Skip | CorrectionAction::Abort => {}
            }
            Ok(())
        }
        Event::BudgetRaised => recovery::raise_budget(&mut state.ledger),

        Event::CheckpointCreated { checkpoint } => {
            undo::kept(&mut state.checkpoints, checkpoint);
            Ok(())
        }
        Event::Undone { undo } => {
            undo::undone(&mut state.undone, undo);
            Ok(())
        }

        Event::PageMended { page } => {
            state.mended = Some(page.clone());
            Ok(())
        }

        Event::SecretNeeded { request } => {
            state.secrets.push(request.clone());
            Ok(())
        }
        Event::SecretResolved { request_id, .. } => {
            state.secrets.retain(|open| open.id != *request_id);
            Ok(())
        }

        Event::ServiceStarted { service } => {
            services::started(&mut state.services, service);
            Ok(())
        }
        Event::ServiceReady { service_id } => {
            services::ready(&mut state.services, *service_id, at);
            Ok(())
        }
        Event::ServiceEnded { service_id, end } => {
            services::ended(&mut state.services, *service_id, end, at);
            Ok(())
        }
        Event::JobsChanged { jobs } => {
            state.jobs.clone_from(jobs);
            Ok(())
        }
        Event::ServiceWanted { service_id, step_id } => services::wanted(state, *service_id, step_id),

        // For people and reports; the state holds nothing of them.
        Event::AgentError { .. }
        | Event::RolledBack { .. }
        | Event::BudgetWarning { .. }
        | Event::CorrectionSuccess { .. }
        | Event::CorrectionFailed { .. }
        | Event::GuidanceGiven { .. }
        | Event::AgentContextSummarized { .. } => Ok(()),

        Event::UserMessage { message_id, text, route, detection, replaces } => {
            conversation::user_message(state, *message_id, text, *route, detection.as_ref(), *replaces, at)
        }
        Event::AssistantMessage { message_id, round, model, server: _, parts, stop_reason } => {
            conversation::answered(state, *message_id, *round, model, parts, stop_reason.as_ref(), at)
        }
        Event::CallStarted { call_id, action, cwd, allowed_by, terminal } => {
            goal::call_started(state, call_id, action, cwd, allowed_by, at)
                .or_else(|| sub_goal::call_started(state, call_id, action, cwd, allowed_by, at))
                .unwrap_or_else(|| conversation::call_started(state, call_id, action, cwd, allowed_by, at))?;
            if *terminal {
                terminals::started(&mut state.terminals, call_id, 0);
            }
            Ok(())
        }
        Event::CallFinished { result, shell } => goal::call_finished(state, result, shell.as_ref())
            .or_else(|| sub_goal::call_finished(state, result))
            .unwrap_or_else(|| conversation::call_finished(state, result, shell.as_ref())),
        Event::TurnEnded { message_id, end, synthesis, .. } => {
            conversation::ended(state, *message_id, end, synthesis.as_ref(), at)
        }
        Event::CorrectionAttempt { step_id, number, correction: Correction::Call(correction) } => note(
            state,
            ChatEntry::SelfCorrecting {
                call_id: step_id.clone(),
                attempt: *number,
                correction: correction.clone(),
                at,
            },
        ),
        Event::ModelRetrying { purpose: _, model, attempt, allowed, wait_millis, reason, sub_goal } => {
            let (model, reason) = (model.clone(), reason.clone());
            let (attempt, allowed, wait_millis) = (*attempt, *allowed, *wait_millis);
            match sub_goal {
                Some(number) => {
                    let wait = ModelWait { model, attempt, allowed, wait_millis, reason, at };
                    sub_goal::waits(state, *number, wait);
                    Ok(())
                }
                None => note(state, ChatEntry::Retrying { model, attempt, allowed, wait_millis, reason, at }),
            }
        }
        Event::InstructionsFound { found } => {
            state.instructions.clone_from(found);
            Ok(())
        }
        Event::InstructionsAnswered { folder, digest, read } => {
            let answered =
                state.instructions.iter_mut().filter(|one| one.folder == *folder && one.digest == *digest);
            answered.for_each(|one| {
                one.reading = if *read { InstructionsUse::Read } else { InstructionsUse::Left }
            });
            Ok(())
        }
        Event::CapWarning { cap, used, allowed } => {
            note(state, ChatEntry::CapNear { cap: *cap, used: *used, allowed: *allowed, at })
        }
        Event::ContextSummarized { messages, summary: _ } => {
            note(state, ChatEntry::Summarized { messages: *messages, at })
        }
        Event::ModelUsed { usage, sub_goal, .. } => {
            state.usage.add(usage);
            if let Some(number) = sub_goal {
                sub_goal::used(state, *number, usage);
            }
            Ok(())
        }

        Event::GoalStarted { goal_id, request } => goal::started(state, *goal_id, request, at),
        Event::GoalSignalReceived { iteration, model: _, signal } => {
            goal::signalled(state, *iteration, signal, at)
        }
        Event::GoalSignalRejected { iteration: _, attempt, allowed, error, answer } => {
            let (error, answer) = (error.clone(), answer.clone());
            goal::rejected(state, RejectedSignal { attempt: *attempt, error, answer }, *allowed, at)
        }
        Event::TodosChanged { iteration, author, todos, user_todos } => {
            goal::todos_changed(state, *iteration, *author, todos, user_todos, at)
        }
        Event::GoalActionProposed { action_id, iteration, author, action } => {
            goal::proposed(state, action_id, *iteration, *author, action, at)
        }
        Event::GoalActionTakenOver { action_id } => goal::taken_over(state, action_id),
        Event::GoalActionHandedBack { action_id, note: _, command } => {
            goal::handed_back(state, action_id, command.as_ref())
        }
        Event::GoalQuestionAsked { question } => goal::question_asked(state, question),
        Event::GoalQuestionAnswered { question_id, text: _ } => goal::question_answered(state, *question_id),
        Event::GoalGuidance { text } => goal::guided(state, text, at),
        Event::GoalLoopNoticed { kind, iteration, reflected_before, actions: _ } => {
            goal::looped(state, *kind, *iteration, *reflected_before, at)
        }
        Event::GoalSentBack { reason } => goal::sent_back(state, reason, at),
        Event::SubGoalStarted { task } => sub_goal::started(state, task, at),
        Event::SubGoalSignalReceived { number, iteration, model: _, signal } => {
            sub_goal::signalled(state, *number, *iteration, signal)
        }
        Event::SubGoalSignalRejected { number, iteration: _, attempt, allowed: _, error, answer } => {
            sub_goal::rejected(state, *number, *attempt, error, answer)
        }
        Event::SubGoalActionProposed { number, action_id, iteration, action } => {
            sub_goal::proposed(state, *number, action_id, *iteration, action, at)
        }
        Event::SubGoalLoopNoticed { number, kind, iteration, reflected_before: _ } => {
            sub_goal::looped(state, *number, *kind, *iteration)
        }
        Event::SubGoalEnded { number, end, synthesis, .. } => {
            sub_goal::ended(state, *number, end, synthesis, at)
        }
        Event::GoalPaused { reason } => goal::paused(state, reason),
        Event::GoalResumed { iterations_allowed, model_backend } => {
            goal::resumed(state, *iterations_allowed, *model_backend, at)
        }
        Event::GoalEnded { end, summary: _, report } => goal::ended(state, end, report.as_ref(), at),
    }
}

fn note(state: &mut SessionState, entry: ChatEntry) -> Applied {
    conversation::push(&mut state.conversation, entry);
    Ok(())
}

/// The step or call whose command is certainly over once this has happened.
fn ended_run(event: &Event) -> Option<&StepId> {
    match event {
        Event::StepCompleted { result, .. } | Event::StepFailed { result, .. } => Some(&result.step_id),
        Event::StepCancelled { step_id, .. } | Event::StepInterrupted { step_id, .. } => Some(step_id),
        Event::CallFinished { result, .. } => Some(&result.call_id),
        _ => None,
    }
}

/// After which no attempt waits for its time any more.
fn ends_a_wait(event: &Event) -> bool {
    matches!(
        event,
        Event::StepStarted { .. }
            | Event::StepSkipped { .. }
            | Event::StepReset { .. }
            | Event::PlanPaused { .. }
            | Event::PlanCompleted { .. }
            | Event::PlanFailed { .. }
            | Event::PlanCancelled { .. }
    )
}

fn started(state: &mut SessionState, id: &StepId, attempt: u32, at: Time) -> Applied {
    move_step(state, id, StepState::Running { attempt, started_at: at })?;
    state.ledger.step_id = Some(id.clone());
    state.ledger.attempt = attempt.saturating_add(1);
    if attempt == 0 {
        let shell = state.shell.clone();
        match state.shell_before.iter_mut().find(|kept| kept.step_id == *id) {
            Some(kept) => kept.state = shell,
            None => state.shell_before.push(StepShell { step_id: id.clone(), state: shell }),
        }
    }
    Ok(())
}

/// What a step left is what the next one starts from; what a repair left, the step that it mends too.
fn left(state: &mut SessionState, id: &StepId, shell: &ShellState) {
    state.shell = shell.clone();
    let mut step = id;
    let plan = state.plan.as_ref();
    while let Some(StepOrigin::Repair { for_step, .. }) =
        plan.and_then(|plan| plan.step(step)).map(|step| &step.origin)
    {
        if let Some(kept) = state.shell_before.iter_mut().find(|kept| kept.step_id == *for_step) {
            kept.state = shell.clone();
        }
        step = for_step;
    }
}

fn cancelled(state: &mut SessionState, id: &StepId, result: Option<&StepResult>) -> Applied {
    move_step(state, id, StepState::Cancelled)?;
    state.results.extend(result.cloned());
    Ok(())
}

/// Ends the run: open questions close, and nothing is left looking as if it waited. A step that still runs is left
/// alone: its own event follows when its processes are gone.
fn finish(state: &mut SessionState, end: PlanState) -> Applied {
    let plan = plan_of(state, "finished")?;
    plan.state = transition::plan(&plan.state, end)?;
    for step in &mut plan.steps {
        // It failed, and now nothing mends it any more.
        if let (StepState::Recovering { attempt, .. }, PlanState::Failed { reason, .. }) =
            (&step.state, &plan.state)
        {
            let failed = StepState::Failed { attempt: *attempt, reason: reason.clone() };
            Arc::make_mut(step).state = transition::step(&step.state, failed)?;
        }
        match &step.state {
            StepState::AwaitingRun | StepState::AwaitingApproval { .. } | StepState::Recovering { .. } => {
                Arc::make_mut(step).state = transition::step(&step.state, StepState::Cancelled)?;
            }
            StepState::Pending
            | StepState::Running { .. }
            | StepState::Completed { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled
            | StepState::Interrupted { .. } => {}
        }
    }
    state.approvals.clear();
    Ok(())
}

fn go_on(state: &mut SessionState, mode: Mode) -> Applied {
    move_plan(state, PlanState::Running)?;
    plan_of(state, "running")?.mode = mode;
    Ok(())
}

fn move_plan(state: &mut SessionState, to: PlanState) -> Applied {
    let plan = plan_of(state, "changed")?;
    plan.state = transition::plan(&plan.state, to)?;
    Ok(())
}

fn move_step(state: &mut SessionState, id: &StepId, to: StepState) -> Applied {
    let step = plan_of(state, "changed")?
        .step_mut(id)
        .ok_or_else(|| impossible("step", "not in the plan", "changed"))?;
    step.state = transition::step(&step.state, to)?;
    // Whatever a step waited for before, it does so no longer.
    state.approvals.retain(|open| open.step_id != *id);
    Ok(())
}

fn plan_of<'a>(state: &'a mut SessionState, to: &'static str) -> Result<&'a mut Plan, ImpossibleTransition> {
    state.plan.as_mut().ok_or_else(|| impossible("plan", "not there", to))
}

fn same_plan<'a>(
    state: &'a SessionState,
    id: PlanId,
    to: &'static str,
) -> Result<&'a Plan, ImpossibleTransition> {
    match &state.plan {
        Some(plan) if plan.id == id => Ok(plan),
        Some(_) => Err(impossible("plan", "another one", to)),
        None => Err(impossible("plan", "not there", to)),
    }
}

fn impossible(what: &'static str, from: &'static str, to: &'static str) -> ImpossibleTransition {
    ImpossibleTransition { what, from, to }
}
