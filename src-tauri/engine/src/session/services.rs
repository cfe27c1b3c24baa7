//! Services (E10): commands that go on while later steps run. A service is a step's attempt like any other until it is
//! ready; from then on it is held here, until it is stopped, ends, or the session does. Whatever becomes of the session's
//! task, what it holds is ended with it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::attempt::{Attempt, live, result_of};
use super::readiness::{self, Check, Heard};
use super::undo::at_work;
use super::{Session, not_now};
use crate::approval::{Permit, StepPermit};
use crate::checkpoint::AtWork;
use crate::plan::transition;
use crate::protocol::{
    CheckpointId, EngineError, Event, ExitStatus, PlanState, Service, ServiceEnd, ServiceId, ServiceSpec,
    ServiceState, ShellState, Step, StepId, StepResult, Text, Time, VerifyResult,
};
use crate::runner::{RunOutcome, RunRequest, Trail};
use crate::secret::{About, Asking};

/// The services that run now.
#[derive(Debug, Default)]
pub(super) struct Services(BTreeMap<ServiceId, Held>);

#[derive(Debug)]
struct Held {
    step_id: StepId,
    reins: Reins,
    /// Waits for its end and tells of it. Dropped, the service is ended.
    follower: JoinSet<()>,
}

/// What ends a service, and why it was ended.
#[derive(Debug, Clone)]
struct Reins {
    stop: watch::Sender<bool>,
    why: Arc<OnceLock<ServiceEnd>>,
}

impl Reins {
    fn new() -> Self {
        Self { stop: watch::Sender::new(false), why: Arc::default() }
    }

    /// The first reason counts.
    fn stop(&self, why: ServiceEnd) {
        let _ = self.why.set(why);
        self.stop.send_replace(true);
    }

    fn end(&self, outcome: Option<&RunOutcome>) -> ServiceEnd {
        match (self.why.get(), outcome) {
            (Some(why), _) => why.clone(),
            (None, Some(outcome)) => ServiceEnd::Itself { exit_status: outcome.exit_status.clone() },
            (None, None) => ServiceEnd::Lost,
        }
    }
}

impl Services {
    /// One that has ended is held no more.
    pub(super) fn apply(&mut self, event: &Event) {
        if let Event::ServiceEnded { service_id, .. } = event {
            self.0.remove(service_id);
        }
    }
}

/// An attempt at a step that is a service.
#[derive(Debug)]
pub(super) struct Serving {
    pub(super) step: Step,
    pub(super) spec: ServiceSpec,
    pub(super) attempt: u32,
    pub(super) revision: u32,
    pub(super) shell: ShellState,
    pub(super) permit: StepPermit,
    pub(super) checkpoint: Option<CheckpointId>,
}

/// A service on its way to being ready.
struct Starting {
    id: ServiceId,
    run: JoinSet<RunOutcome>,
    heard: watch::Receiver<Heard>,
    asking: Asking,
    reins: Reins,
}

/// What came of the wait.
enum Waited {
    Ready,
    /// It ended; `None` where not even that could be followed.
    Ended(Box<Option<RunOutcome>>),
    /// What was seen last.
    Late(String),
    /// By the user's wish.
    Stopped,
}

impl Session {
    /// Starts a service and waits until it is ready.
    pub(super) async fn serve(&mut self, serving: Serving) -> Result<Attempt, EngineError> {
        let Serving { step, spec, attempt, revision, shell, permit, checkpoint } = serving;
        let of_this_step = |held: &Held| held.step_id == step.id;
        self.end_services(of_this_step, ServiceEnd::Replaced).await?;
        let mut check = match Check::before_start(&spec.ready, &shell.cwd).await {
            Ok(check) => check,
            Err(reason) => {
                let result = StepResult::not_started(&step, attempt, &shell.cwd, reason.clone());
                self.settle(checkpoint, AtWork::During(Vec::new())).await?;
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
        };
        let started_at = Time::now();
        let mut starting = self.start_service(&step, &spec, attempt, revision, &shell, permit.action).await?;
        let id = starting.id;
        let mut stopped = self.control.stop.subscribe();
        let within = Duration::from_secs(u64::from(spec.within_seconds));
        let wait = async move {
            let mut heard = starting.heard.clone();
            let waited = tokio::select! {
                biased;
                ended = starting.run.join_next() => Waited::Ended(Box::new(ended.and_then(Result::ok))),
                _ = stopped.wait_for(|stop| *stop) => Waited::Stopped,
                () = check.until_ready(&mut heard) => Waited::Ready,
                () = readiness::too_long(within, || starting.asking.is_open()) => Waited::Late(String::new()),
            };
            let waited = match waited {
                Waited::Late(_) => Waited::Late(check.seen()),
                other => other,
            };
            (waited, starting)
        };
        let (waited, mut starting) = self.attend(Box::pin(wait)).await?;
        match waited {
            Waited::Ready => {}
            Waited::Stopped => {
                let outcome = end(&mut starting, ServiceEnd::Stopped).await;
                self.tell_end(id, starting.reins.end(outcome.as_ref())).await?;
                let outcome = outcome.unwrap_or_else(|| unfollowed(started_at));
                let mut result = result_of(&step, attempt, &shell, &outcome);
                self.add_changes(&mut result, &outcome, checkpoint).await?;
                return self.attempt_stopped(result).await;
            }
            Waited::Ended(outcome) => {
                self.tell_end(id, starting.reins.end((*outcome).as_ref())).await?;
                let outcome = outcome.unwrap_or_else(|| unfollowed(started_at));
                let mut result = result_of(&step, attempt, &shell, &outcome);
                self.add_changes(&mut result, &outcome, checkpoint).await?;
                let reason = format!(
                    "It ended before it was ready ({}). A service has to stay in the foreground.",
                    spec.ready
                );
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
            Waited::Late(seen) => {
                let outcome = end(&mut starting, ServiceEnd::NotReady).await;
                self.tell_end(id, ServiceEnd::NotReady).await?;
                let outcome = outcome.unwrap_or_else(|| unfollowed(started_at));
                let exit_status = ExitStatus::TimedOut { seconds: spec.within_seconds };
                let mut result = result_of(&step, attempt, &shell, &outcome);
                result.exit_status = exit_status.clone();
                result.verify =
                    Some(VerifyResult { command: spec.ready.to_string(), exit_status, output: seen });
                self.add_changes(&mut result, &outcome, checkpoint).await?;
                let reason = format!(
                    "It was not ready within {} s ({}), so it was stopped.",
                    spec.within_seconds, spec.ready
                );
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
        }
        let outcome = so_far(&starting.heard, started_at);
        let reins = starting.reins.clone();
        self.hold_service(step.id.clone(), starting);
        self.emit(vec![Event::ServiceReady { service_id: id }]).await?;
        let mut result = result_of(&step, attempt, &shell, &outcome);
        self.add_changes(&mut result, &outcome, checkpoint).await?;
        if let (Some(verify), Some(permit)) = (step.verify.clone(), permit.verify) {
            let check = self.verify(&step, permit, &verify, &shell, &shell, revision, attempt).await?;
            let exit_status = check.exit_status.clone();
            if exit_status.code() != Some(0) {
                let was_stopped = exit_status == ExitStatus::Cancelled;
                reins.stop(if was_stopped { ServiceEnd::Stopped } else { ServiceEnd::NotReady });
                self.end_services(|held| held.step_id == step.id, ServiceEnd::NotReady).await?;
                if was_stopped {
                    return self.attempt_stopped(result).await;
                }
                let reason = format!("It ran, but its check `{verify}` failed, so it was stopped.");
                result.verify =
                    Some(VerifyResult { command: verify, exit_status, output: check.output.into() });
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
        }
        self.attempt_succeeded(&step.id, result, None).await
    }

    async fn start_service(
        &mut self,
        step: &Step,
        spec: &ServiceSpec,
        attempt: u32,
        revision: u32,
        shell: &ShellState,
        permit: Permit,
    ) -> Result<Starting, EngineError> {
        let service = Service {
            id: ServiceId::new(),
            step_id: step.id.clone(),
            attempt,
            title: step.title.clone(),
            command: step.action.command().to_owned(),
            cwd: shell.cwd.clone(),
            ready: spec.ready.clone(),
            started_at: Time::now(),
            state: ServiceState::Starting,
        };
        let id = service.id;
        self.emit(vec![Event::ServiceStarted { service }]).await?;
        let about = About {
            session_id: self.state.id,
            step_id: step.id.clone(),
            command: step.action.command().to_owned(),
            cwd: shell.cwd.clone(),
            wall_limit: Duration::MAX,
            silence_limit: Duration::MAX,
        };
        let leave = self.shared.askpass.allow(about, self.notes.clone());
        let asking = leave.asking();
        let request = RunRequest {
            action: step.action.clone(),
            revision,
            shell: shell.clone(),
            withheld: self.withheld.clone(),
            // It is to go on for as long as it is wanted.
            wall_limit: Duration::MAX,
            silence_limit: Duration::MAX,
            askpass: Some(leave.door()),
            output_file: Some(self.shared.journal.output_path(self.state.id, &step.id, attempt)),
            output_cap: u64::from(self.shared.settings().output_mib) << 20,
            one_pipe: false,
            terminal: None,
            living: None,
            is_last: false,
        };
        let (hear, heard) = watch::channel(Heard::new(&spec.ready));
        let show = live(Arc::clone(&self.shared), self.state.id, step.id.clone(), attempt);
        let live = readiness::listening(hear, show);
        let reins = Reins::new();
        let (runner, stop) = (Arc::clone(&self.shared.runner), reins.stop.subscribe());
        let mut run = JoinSet::new();
        run.spawn(async move {
            let outcome = runner.run(permit, request, live, stop).await;
            // What it still asked is over before the event that says how it ended.
            drop(leave);
            outcome
        });
        Ok(Starting { id, run, heard, asking, reins })
    }

    /// From here on its end is told whenever it comes.
    fn hold_service(&mut self, step_id: StepId, starting: Starting) {
        let Starting { id, mut run, reins, .. } = starting;
        let (notes, why) = (self.notes.clone(), reins.clone());
        let mut follower = JoinSet::new();
        follower.spawn(async move {
            let outcome = run.join_next().await.and_then(Result::ok);
            // Nobody to tell: the session is over.
            let _ = notes.send(Event::ServiceEnded { service_id: id, end: why.end(outcome.as_ref()) });
        });
        self.services.0.insert(id, Held { step_id, reins, follower });
    }

    async fn tell_end(&mut self, service_id: ServiceId, end: ServiceEnd) -> Result<(), EngineError> {
        self.emit(vec![Event::ServiceEnded { service_id, end }]).await
    }

    async fn add_changes(
        &mut self,
        result: &mut StepResult,
        outcome: &RunOutcome,
        checkpoint: Option<CheckpointId>,
    ) -> Result<(), EngineError> {
        let changed = self.settle(checkpoint, at_work(outcome)).await?;
        (result.files_changed, result.more_files_changed) = (changed.files, changed.more);
        Ok(())
    }

    /// Runs the step of a service that is over once more, and none but this. What allowed it before does not count
    /// again. `true`: the run is to go on now.
    pub(super) async fn start_service_again(&mut self, id: ServiceId) -> Result<bool, EngineError> {
        let services = &self.state.services;
        let service = services.iter().find(|service| service.id == id && !service.is_running());
        let service = service.ok_or_else(|| not_now("That service is not over."))?;
        let step_id = service.step_id.clone();
        if services.iter().any(|other| other.step_id == step_id && other.is_running()) {
            return Err(not_now("That service runs again already."));
        }
        let plan = self.plan()?;
        let is_its_step = |step: &&Step| step.service.is_some() && step.action.command() == service.command;
        let Some(step) = plan.step(&step_id).filter(is_its_step) else {
            return Err(not_now("The step of that service is not in the plan any more."));
        };
        if matches!(plan.state, PlanState::Draft | PlanState::Ready) {
            return Err(not_now("Start the plan first."));
        }
        transition::service_again(&step.state).map_err(|_| {
            not_now("The step of that service waits to be run or was skipped. Go on with the plan.")
        })?;
        let mode = plan.mode;
        self.workspace_exists()?;
        self.require_room().await?;
        self.consents.use_up(&step_id);
        self.emit(vec![Event::ServiceWanted { service_id: id, step_id: step_id.clone() }]).await?;
        self.control.released = Some(step_id);
        self.go_on(mode).await
    }

    /// Asks a service to end; that it has is told later.
    pub(super) fn stop_service(&self, id: ServiceId) -> Result<(), EngineError> {
        let held = self.services.0.get(&id);
        let held = held.ok_or_else(|| not_now("That service is not running any more."))?;
        held.reins.stop(ServiceEnd::Stopped);
        Ok(())
    }

    /// Ends all services of the session, and returns when nothing of them is left.
    pub(super) async fn end_all_services(&mut self, why: ServiceEnd) -> Result<(), EngineError> {
        self.end_services(|_| true, why).await
    }

    async fn end_services(
        &mut self,
        which: impl Fn(&Held) -> bool,
        why: ServiceEnd,
    ) -> Result<(), EngineError> {
        let mut followers = Vec::new();
        for held in self.services.0.values_mut().filter(|held| which(held)) {
            held.reins.stop(why.clone());
            followers.push(std::mem::take(&mut held.follower));
        }
        if followers.is_empty() {
            return Ok(());
        }
        let all_gone = async move {
            for mut follower in followers {
                while follower.join_next().await.is_some() {}
            }
        };
        self.attend(Box::pin(all_gone)).await?;
        self.take_notes().await
    }
}

/// Ends a service that is not held yet, and returns when nothing of it is left.
async fn end(starting: &mut Starting, why: ServiceEnd) -> Option<RunOutcome> {
    starting.reins.stop(why);
    starting.run.join_next().await?.ok()
}

/// Of a service that goes on: what it has written so far.
fn so_far(heard: &watch::Receiver<Heard>, started_at: Time) -> RunOutcome {
    let text = Text::from(heard.borrow().text());
    RunOutcome {
        exit_status: ExitStatus::Detached,
        stdout: text.clone(),
        output: text,
        ..unfollowed(started_at)
    }
}

fn unfollowed(started_at: Time) -> RunOutcome {
    RunOutcome {
        exit_status: ExitStatus::NotStarted {
            message: "The service could not be followed to its end.".to_owned(),
        },
        stdout: Text::default(),
        stderr: Text::default(),
        output: Text::default(),
        omitted_lines: 0,
        output_bytes: 0,
        started_at,
        ended_at: Time::now(),
        shell: None,
        leftovers: 0,
        jobs: None,
        trail: Trail::default(),
        work: None,
    }
}
