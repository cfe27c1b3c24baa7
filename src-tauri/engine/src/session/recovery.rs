//! After a failed attempt in agentic mode (SPEC section 4), in this order: the step's budget, the run's budget, the
//! brain, the gate's floor, and only then the plan is changed. Budgets and progress are counted from the journal.

use std::io;
use std::time::Duration;

use super::Session;
use super::conversation::caps;
use super::history::REFUSED;
use super::run::Next;
use crate::brain::{self, FailureCase};
use crate::guide::Experience;
use crate::journal;
use crate::plan::mutator::{MutationError, PlanMutator, RepairNote};
use crate::protocol::{
    AgentCorrection, Author, Candidate, Correction, CorrectionAction, CorrectionOf, EngineError, ErrorCode,
    Event, MAX_ADDED_STEPS, MAX_STEPS_PER_CORRECTION, Risk, StepId, StepResult, StuckReason,
};

/// What the user is asked when the command can have been meant in several ways.
const WHICH: &str = "Several commands can have been meant. Which of them is for you to choose";
/// Refused corrections in a row that mean that the brain goes in circles.
const REFUSALS: u32 = 2;
/// Longest wait for something that passes by itself, in seconds.
const LONGEST_WAIT: u32 = 60;

/// Looks at a step's failure and changes the plan, or gives up.
pub(super) async fn recover(session: &mut Session, id: &StepId) -> Result<Next, EngineError> {
    if let Some(number) = session.history.open_correction(id) {
        let reason = match (&session.control.guidance, &session.control.stronger) {
            (Some(_), _) => "You asked for something else.",
            (None, Some(_)) => "You asked the stronger model.",
            (None, None) => "The step failed again.",
        };
        if session.control.guidance.is_none() && session.control.stronger.is_none() {
            let rule = session.history.open_rule(id).map(str::to_owned);
            learn(session, move |experience| rule.map_or(Ok(()), |rule| experience.tried(&rule, false)))
                .await;
        }
        let reason = reason.to_owned();
        session.emit(vec![not_taken(id, number, reason)]).await?;
    }
    loop {
        // The user's own wish is heard even when the budgets are used up.
        let is_wished = session.control.guidance.is_some() || session.control.stronger.is_some();
        if !is_wished && let Some(reason) = exhausted(session, id) {
            return stuck(session, id, reason, None).await;
        }
        announce(session, id).await?;
        let Some(command) = session.plan()?.step(id).map(|step| step.action.command().to_owned()) else {
            return Ok(Next::Continue);
        };
        let Some(correction) = ask(session, id).await? else { return Ok(Next::Continue) };
        if session.plan()?.step(id).is_none_or(|step| step.action.command() != command) {
            // The user mended the step meanwhile; that counts, not what was thought of the old command.
            return Ok(Next::Continue);
        }
        let number = session.history.next_number();
        if correction.action == CorrectionAction::Abort {
            // Whoever gave up, guide, model or nobody, it is told in the same way.
            let message = correction.reasoning.clone();
            session.emit(vec![Event::AgentError { step_id: id.clone(), message }]).await?;
            let reason = StuckReason::Aborted { reason: correction.reasoning.clone() };
            return stuck(session, id, reason, correction.alternatives).await;
        }
        if !correction.candidates.is_empty() {
            return undecided(session, id, correction).await;
        }
        let refusal = match session.history.no_progress(id, &command, &correction) {
            Some(reason) => Some(reason),
            None => floor(session, &correction).await?,
        };
        let attempt = Event::CorrectionAttempt {
            step_id: id.clone(),
            number,
            correction: Correction::Step(correction.clone()),
        };
        session.emit(vec![attempt]).await?;
        match refusal {
            Some(reason) if reason.starts_with(REFUSED) => {
                session.emit(vec![not_taken(id, number, reason)]).await?;
            }
            Some(reason) => {
                session.emit(vec![not_taken(id, number, reason.clone())]).await?;
                return stuck(session, id, StuckReason::Blocked { reason }, correction.alternatives).await;
            }
            None => return apply(session, id, number, correction).await,
        }
    }
}

/// What led to a step's success is remembered: the rule that mended it, or the user's choice among several commands.
pub(super) async fn learn_of_success(session: &Session, id: &StepId, command: &str) {
    let history = &session.history;
    let rule = history.open_rule(id).map(str::to_owned);
    let choice = history.chosen_for(id, command).map(|failed| (failed.to_owned(), command.to_owned()));
    if rule.is_none() && choice.is_none() {
        return;
    }
    learn(session, move |experience| {
        rule.map_or(Ok(()), |rule| experience.tried(&rule, true))?;
        choice.map_or(Ok(()), |(failed, command)| experience.chosen(&failed, &command))
    })
    .await;
}

/// Nothing depends on it: what cannot be kept is said in the log.
async fn learn(session: &Session, change: impl FnOnce(&Experience) -> io::Result<()> + Send + 'static) {
    let guide = session.shared.brain.guide();
    match tokio::task::spawn_blocking(move || change(&guide.experience)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "what came of a correction cannot be kept"),
        Err(error) => tracing::error!(%error, "keeping what came of a correction broke off"),
    }
}

/// The budget that is used up, in the order of the contract.
fn exhausted(session: &Session, id: &StepId) -> Option<StuckReason> {
    let ledger = &session.state.ledger;
    if session.history.attempts(id) >= ledger.attempts_allowed {
        return Some(StuckReason::StepRetries { allowed: ledger.attempts_allowed - 1 });
    }
    if ledger.corrections >= ledger.corrections_allowed {
        return Some(StuckReason::Corrections { allowed: ledger.corrections_allowed });
    }
    (session.history.refused_in_a_row() >= REFUSALS).then_some(StuckReason::NoProgress)
}

async fn announce(session: &mut Session, id: &StepId) -> Result<(), EngineError> {
    let ledger = &session.state.ledger;
    let (corrections, allowed) = (ledger.corrections, ledger.corrections_allowed);
    let about = "why it failed, and what would mend it".to_owned();
    let asking = match &session.control.stronger {
        Some(model) => model.name(),
        None => session.shared.brain.asking(),
    };
    let mut events = vec![Event::AgentThinking { step_id: id.clone(), asking, about }];
    // 30 % or less are left.
    if allowed.saturating_sub(corrections) * 10 <= allowed * 3 {
        events.push(Event::BudgetWarning { corrections, allowed });
    }
    session.emit(events).await
}

/// Asks the brain; `None` when the user stopped the run meanwhile.
async fn ask(session: &mut Session, id: &StepId) -> Result<Option<AgentCorrection>, EngineError> {
    let Some(case) = case(session, id).await? else { return Ok(None) };
    let (agent, answers, notes) =
        (session.shared.brain.clone(), session.answers.clone(), session.notes.clone());
    let stronger = session.control.stronger.take();
    let asked = async move {
        match stronger {
            Some(model) => brain::ask_model(model.as_ref(), &case, &answers, &notes).await,
            None => agent.analyze_failure(&case, &answers, &notes).await,
        }
    };
    session.attend_unless_stopped(Box::pin(asked)).await
}

async fn case(session: &mut Session, id: &StepId) -> Result<Option<FailureCase>, EngineError> {
    let plan = session.plan()?.clone();
    let Some(step) = plan.step(id).cloned() else { return Ok(None) };
    let shell = session.shell_for(id);
    let model = session.control.stronger.clone().or_else(|| session.shared.brain.model());
    if model.is_some() {
        // A run is not held up by a question about them.
        session.look_for_instructions(false).await?;
        // Whatever the user wished meanwhile is looked at first.
        if session.control.stop.is_aborted() {
            return Ok(None);
        }
    }
    let room = model.and_then(|model| model.info().context_tokens);
    let latest = session.state.results.iter().rev().find(|result| result.step_id == *id).cloned();
    // Asked to reconsider a step that never ran: its question was answered with words before it could.
    let never_ran = || StepResult::not_started(&step, 0, &shell.cwd, "the user did not allow it");
    let result = latest.unwrap_or_else(never_ran);
    Ok(Some(FailureCase {
        facts: session.shared.classifier.read(&result.command).await,
        context: session.context.clone(),
        guidance: session.control.guidance.take(),
        instructions: session.instructions_in_words(room),
        withheld: caps::is_reached(&session.state.usage, &session.shared.settings())
            .then(|| caps::REACHED.to_owned()),
        shell,
        plan,
        step,
        result,
    }))
}

/// A correction with a command on the blocked floor is refused whole, with the reason.
async fn floor(session: &mut Session, correction: &AgentCorrection) -> Result<Option<String>, EngineError> {
    let steps = correction.new_steps.iter().flatten();
    let commands: Vec<String> = steps
        .flat_map(|step| std::iter::once(&step.command).chain(&step.verify))
        .chain(&correction.modified_command)
        .cloned()
        .collect();
    for command in commands {
        let classifier = session.shared.classifier.clone();
        let assessed =
            classifier.assess(&command, &session.with_inputs(&session.state.shell), &session.state.cwd).await;
        if assessed.assessment.risk == Risk::Blocked {
            let why =
                assessed.assessment.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
            return Ok(Some(format!("`{command}` {why}")));
        }
    }
    Ok(None)
}

async fn apply(
    session: &mut Session,
    id: &StepId,
    number: u32,
    correction: AgentCorrection,
) -> Result<Next, EngineError> {
    let author = Author::Agent { source: correction.source.clone() };
    let reason = correction.reasoning.clone();
    let revised = match correction.action {
        CorrectionAction::Retry | CorrectionAction::Modify => match &correction.modified_command {
            Some(command) => {
                let plan = session.plan()?;
                PlanMutator::of(plan).replace_step_command(id, command, &correction.source, &reason).map(
                    |mut plan| {
                        if let Some(step) = plan.step_mut(id) {
                            step.warning = correction.warning.clone();
                        }
                        Some(plan)
                    },
                )
            }
            None => Ok(None),
        },
        CorrectionAction::InsertSteps => {
            let protos: Vec<_> =
                correction.new_steps.iter().flatten().take(MAX_STEPS_PER_CORRECTION).cloned().collect();
            let note = RepairNote {
                for_step: id.clone(),
                source: correction.source.clone(),
                reason: reason.clone(),
            };
            PlanMutator::of(session.plan()?).insert_steps_before(id, &protos, &note).map(Some)
        }
        CorrectionAction::Skip => {
            session.emit(vec![Event::StepSkipped { step_id: id.clone(), reason }]).await?;
            return Ok(Next::Continue);
        }
        CorrectionAction::Abort => Ok(None),
    };
    match revised {
        Ok(Some(plan)) => session.revise(plan, author, reason, Some(id.clone())).await?,
        Ok(None) => {}
        Err(error) => return cannot_apply(session, id, number, correction, &error).await,
    }
    match correction.action {
        CorrectionAction::Retry | CorrectionAction::Modify => retry(session, id, &correction).await,
        CorrectionAction::InsertSteps | CorrectionAction::Skip | CorrectionAction::Abort => {
            Ok(Next::Continue)
        }
    }
}

/// The mutator's refusals: a used-up budget ends the recovery, anything else counts as a refused correction.
async fn cannot_apply(
    session: &mut Session,
    id: &StepId,
    number: u32,
    correction: AgentCorrection,
    error: &MutationError,
) -> Result<Next, EngineError> {
    let reason = format!("{REFUSED} {error}");
    session.emit(vec![not_taken(id, number, reason)]).await?;
    if let MutationError::TooManyAdded { .. } = error {
        let reason = StuckReason::AddedSteps { allowed: MAX_ADDED_STEPS };
        return stuck(session, id, reason, correction.alternatives).await;
    }
    session.control.reconsider = Some(id.clone());
    Ok(Next::Continue)
}

fn not_taken(id: &StepId, number: u32, reason: String) -> Event {
    Event::CorrectionFailed { step_id: id.clone(), number, of: CorrectionOf::Step, reason }
}

/// The same step again, after a wait that the user sees and can end.
async fn retry(
    session: &mut Session,
    id: &StepId,
    correction: &AgentCorrection,
) -> Result<Next, EngineError> {
    let earlier_waits = session.history.waits(id).saturating_sub(1);
    let command = correction.modified_command.clone();
    let wait_seconds =
        correction.wait_seconds.map_or(0, |base| (base << earlier_waits.min(8)).min(LONGEST_WAIT.max(base)));
    let attempt = session.history.attempts(id);
    let allowed = session.state.ledger.attempts_allowed;
    let step_id = id.clone();
    let attempt = attempt + 1;
    session.emit(vec![Event::RetryAttempt { step_id, attempt, allowed, wait_seconds, command }]).await?;
    if wait_seconds > 0 {
        session.rest(id, Duration::from_secs(u64::from(wait_seconds))).await?;
    }
    Ok(Next::Continue)
}

/// Which of several commands was meant is for the user to say: what each would do is told beside it.
async fn undecided(
    session: &mut Session,
    id: &StepId,
    correction: AgentCorrection,
) -> Result<Next, EngineError> {
    let (classifier, shell) = (session.shared.classifier.clone(), session.with_inputs(&session.state.shell));
    let mut candidates = Vec::with_capacity(correction.candidates.len());
    for command in correction.candidates {
        let explained = classifier.explain(&command, &shell, &session.state.cwd).await;
        let told = explained.parts.into_iter().find(|part| part.known).map(|part| part.meaning);
        let does =
            if explained.changes.is_empty() { told.unwrap_or_default() } else { explained.changes.join(" ") };
        candidates.push(Candidate { command, does, risk: explained.assessment.risk });
    }
    let reason = StuckReason::Aborted { reason: WHICH.to_owned() };
    end_stuck(session, id, reason, Vec::new(), candidates).await
}

async fn stuck(
    session: &mut Session,
    id: &StepId,
    reason: StuckReason,
    alternatives: Option<Vec<String>>,
) -> Result<Next, EngineError> {
    end_stuck(session, id, reason, alternatives.unwrap_or_default(), Vec::new()).await
}

async fn end_stuck(
    session: &mut Session,
    id: &StepId,
    reason: StuckReason,
    alternatives: Vec<String>,
    candidates: Vec<Candidate>,
) -> Result<Next, EngineError> {
    let words = format!("Stuck: {}.", journal::stuck_in_words(&reason).trim_end_matches('.'));
    let code = reason.code();
    let mut events = vec![Event::AgentStuck { step_id: id.clone(), reason, alternatives, candidates }];
    // Nobody can choose: the run stops here.
    if session.is_unattended() {
        events.push(Event::PlanFailed { code, reason: words });
    }
    session.emit(events).await?;
    Ok(Next::End)
}

impl From<MutationError> for EngineError {
    fn from(error: MutationError) -> Self {
        use MutationError as E;
        let code = match &error {
            E::NoSuchStep { .. } => ErrorCode::NoSuchStep,
            E::NotADraft | E::ValueInUse { .. } => ErrorCode::NotNow,
            E::StepCompleted { .. }
            | E::StepRunning { .. }
            | E::NothingToInsert
            | E::TooManyAtOnce { .. }
            | E::TooManyAdded { .. }
            | E::BadCommand { .. }
            | E::Unchanged { .. }
            | E::LastStep
            | E::PlanFull { .. }
            | E::NoPage
            | E::NoSuchWay
            | E::NothingToTakeIn
            | E::NoSuchInput { .. }
            | E::UnfitValue { .. }
            | E::NeedsEarlier { .. } => ErrorCode::InvalidInput,
        };
        Self::new(code, error.to_string())
    }
}
