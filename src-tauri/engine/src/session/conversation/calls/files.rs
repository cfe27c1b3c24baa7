//! The tools that read and change files: looked at on a thread of their own, shown, run there.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::{Asked, Worked};
use crate::approval::{Permit, Place};
use crate::checkpoint::{AtWork, tell_what_is_kept};
use crate::policy::WouldRun;
use crate::protocol::{EngineError, Proposer, Time, ToolResult};
use crate::session::Session;
use crate::session::classifier::Assessed;
use crate::session::conversation::gate::{Passed, Wanted};
use crate::session::conversation::turn::Talk;
use crate::tools::{self, Call, FileCall, Prepared};

impl Session {
    /// How many calls, from the first, only read and may go side by side.
    pub(super) fn readers(&self, calls: &[Asked]) -> usize {
        if !self.shared.settings().parallel_tools {
            return 1;
        }
        let reads =
            |call: &&Asked| tools::ToolName::parse(&call.tool).is_some_and(tools::ToolName::only_reads);
        calls.iter().take_while(reads).count().max(1)
    }

    /// Reads side by side what the gate lets through without a question; the others follow one by one, each in its
    /// place.
    pub(super) async fn read_together(
        &mut self,
        talk: &mut Talk,
        calls: &[Asked],
        proposer: &Proposer,
    ) -> Result<(), EngineError> {
        let mut running = Vec::new();
        for call in calls {
            let prepared = match tools::read(&call.tool, &call.input) {
                Ok(Call::File(file)) => self.prepare(file).await?,
                Ok(Call::Shell { .. } | Call::AskUser { .. } | Call::CreatePlan { .. }) | Err(_) => None,
            };
            let Some(Ok(prepared)) = prepared else {
                running.push(None);
                continue;
            };
            let assessed = self.of_tool(&prepared);
            let cwd = self.state.shell.cwd.clone();
            let wanted = wanted(call, proposer, &prepared, &cwd);
            let permit = self.would_pass(&wanted, prepared.action(), &assessed).await?;
            let Some(permit) = permit else {
                running.push(None);
                continue;
            };
            self.call_started(call, prepared.action(), &permit, assessed.assessment.risk).await?;
            let started_at = Time::now();
            let task = self.spawn_tool(permit, prepared);
            running.push(Some((started_at, task)));
        }
        for (call, running) in calls.iter().zip(running) {
            match running {
                Some((started_at, task)) => {
                    let done = self.attend(Box::pin(task.join())).await?;
                    if self.control.interrupts() && done.is_none() {
                        self.stop_at(std::slice::from_ref(call), true).await?;
                        continue;
                    }
                    let result = self.result_of_tool(call, started_at, done);
                    self.finish_call(talk, call, *result, None).await?;
                }
                None if self.control.interrupts() => {
                    self.stop_at(std::slice::from_ref(call), false).await?;
                }
                None => {
                    let worked = self.work(talk, call, proposer).await?;
                    self.conclude(talk, call, worked).await?;
                }
            }
        }
        Ok(())
    }

    pub(in crate::session) async fn run_tool(
        &mut self,
        call: &Asked,
        file: FileCall,
        proposer: &Proposer,
    ) -> Result<Worked, EngineError> {
        let prepared = match self.prepare(file).await? {
            Some(Ok(prepared)) => prepared,
            Some(Err(failure)) => {
                return Ok(Worked::Result(call.error(failure.to_string()), None));
            }
            None => return Ok(Worked::Stopped { ran: false, instead: None }),
        };
        let assessed = self.of_tool(&prepared);
        let cwd = self.state.shell.cwd.clone();
        let wanted = wanted(call, proposer, &prepared, &cwd);
        match self.pass(&wanted, prepared.action().clone(), assessed, None).await? {
            Passed::Run(permit, action, assessed) => {
                let checkpoint = match self.keep_for_call(&call.id, &assessed.assessment).await? {
                    Ok(checkpoint) => checkpoint,
                    Err(error) => {
                        return Ok(Worked::Result(call.error(error.message), None));
                    }
                };
                self.call_started(call, &action, &permit, assessed.assessment.risk).await?;
                let started_at = Time::now();
                let task = self.spawn_tool(permit, prepared);
                let done = self.attend(Box::pin(task.join())).await?;
                // It writes what it names and nothing else.
                self.settle(checkpoint, AtWork::Unknown).await?;
                if done.is_none() {
                    return Ok(Worked::Stopped { ran: true, instead: None });
                }
                Ok(Worked::Result(self.result_of_tool(call, started_at, done), None))
            }
            Passed::Refused(result) => Ok(Worked::Result(result, None)),
            Passed::Stopped(instead) => Ok(Worked::Stopped { ran: false, instead }),
            // The dialog offers no editing of a tool's arguments; an answer that claims one is a no.
            Passed::Edited(..) => Ok(Worked::Stopped { ran: false, instead: None }),
        }
    }

    /// Looks at what a file call would do; `None` when the turn was stopped meanwhile.
    async fn prepare(
        &mut self,
        file: FileCall,
    ) -> Result<Option<Result<Prepared, tools::ToolFailure>>, EngineError> {
        let looking = self.looking(file);
        self.attend_unless_stopped(Box::pin(looking)).await
    }

    pub(in crate::session) fn looking(
        &self,
        file: FileCall,
    ) -> impl Future<Output = Result<Prepared, tools::ToolFailure>> + Send + use<> {
        let place = tools::Surroundings {
            root: PathBuf::from(&self.state.cwd),
            cwd: PathBuf::from(&self.state.shell.cwd),
            home: self.shared.classifier.home().to_owned(),
            user: self.shared.classifier.user().to_owned(),
        };
        let work = tokio::task::spawn_blocking(move || tools::prepare(file, &place));
        async move {
            match work.await {
                Ok(prepared) => prepared,
                Err(error) => Err(broke_off(&error)),
            }
        }
    }

    pub(in crate::session) fn of_tool(&self, prepared: &Prepared) -> Assessed {
        let mut assessment = prepared.assessment().clone();
        tell_what_is_kept(&mut assessment, Path::new(&self.state.cwd), self.shared.classifier.home());
        Assessed { would_run: WouldRun::default(), assessment }
    }

    pub(in crate::session) fn spawn_tool(&self, permit: Permit, prepared: Prepared) -> ToolTask {
        let cancel = Arc::new(AtomicBool::new(false));
        let (cwd, asked) = (self.state.shell.cwd.clone(), Arc::clone(&cancel));
        let task = tokio::task::spawn_blocking(move || tools::run(permit, prepared, &cwd, &asked));
        ToolTask { task, cancel, stop: self.control.stop.subscribe() }
    }

    /// What a tool says of files may hold secrets, which go no further. What it did to them stays as it is.
    fn result_of_tool(
        &self,
        call: &Asked,
        started_at: Time,
        done: Option<Result<tools::Done, tools::ToolFailure>>,
    ) -> Box<ToolResult> {
        let now = Time::now();
        let redactor = &self.shared.redactor;
        let result = match done {
            Some(Ok(done)) => ToolResult {
                diffs: done.diffs,
                files_changed: done.files_changed,
                ..*call.success(redactor.text(&done.content))
            },
            Some(Err(failure)) => *call.error(redactor.text(&failure.to_string())),
            None => ToolResult::interrupt(call.id.clone(), &call.tool, true, now),
        };
        Box::new(ToolResult { started_at, ended_at: now, ..result })
    }
}

/// A tool at work on a thread of its own.
pub(in crate::session) struct ToolTask {
    task: tokio::task::JoinHandle<Result<tools::Done, tools::ToolFailure>>,
    cancel: Arc<AtomicBool>,
    stop: watch::Receiver<bool>,
}

impl ToolTask {
    /// Its result; `None` when it was stopped before it had one. What is under way ends by itself at once.
    pub(in crate::session) async fn join(mut self) -> Option<Result<tools::Done, tools::ToolFailure>> {
        let mut task = self.task;
        let joined = tokio::select! {
            biased;
            joined = &mut task => joined,
            () = stopped(&mut self.stop) => {
                self.cancel.store(true, Ordering::Relaxed);
                task.await
            }
        };
        match joined {
            Ok(Err(tools::ToolFailure::Cancelled)) => None,
            Ok(done) => Some(done),
            Err(error) => Some(Err(broke_off(&error))),
        }
    }
}

fn broke_off(error: &tokio::task::JoinError) -> tools::ToolFailure {
    tools::ToolFailure::Io { path: "The tool".to_owned(), why: format!("it broke off: {error}") }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // A sender that is gone can stop nothing.
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn wanted<'a>(call: &'a Asked, proposer: &'a Proposer, prepared: &'a Prepared, cwd: &'a str) -> Wanted<'a> {
    let place = Place::Folder(cwd);
    Wanted { id: &call.id, tool: &call.tool, proposer, diffs: prepared.diffs(), place }
}
