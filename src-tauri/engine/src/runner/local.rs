//! Runs commands on this machine, each under a worker process of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{oneshot, watch};

use super::apart;
use super::environment::{self, BaseEnvironment};
use super::handed_on::{self, HandedOn};
use super::living::{self, Lease, LivingShell};
use super::output::Output;
use super::reader::Reader;
use super::spare::{Link, OrderError, Reins, Workers};
use super::sudo::SudoText;
use super::terminal::Size;
use super::turns::Turns;
use super::unchanged::Foreseen;
use super::{Live, RunOutcome, RunRequest, Runner, Shortcoming, state, wire};
use crate::approval::Permit;
use crate::protocol::Time;
use crate::redact::Redactor;

/// Runs commands on this machine. The environment they start from is the engine's own as it is when this is made.
/// Clones share the worker that is kept ready for the next command.
#[derive(Debug, Clone)]
pub struct LocalRunner {
    pub(super) workers: Workers,
    pub(super) base: BaseEnvironment,
    pub(super) redactor: Redactor,
    pub(super) turns: Arc<Turns>,
}

impl LocalRunner {
    /// `worker` is the program `planwright-worker`. What `redactor` knows is hidden in all output; it learns what the
    /// environment holds.
    pub fn new(worker: PathBuf, redactor: Redactor) -> Self {
        let base = BaseEnvironment::capture(&worker);
        environment::tell_secrets(&redactor);
        Self { workers: Workers::new(worker), base, redactor, turns: Arc::default() }
    }

    /// What it starts from; at a terminal somebody is there to be asked.
    fn base_of(&self, request: &RunRequest) -> BaseEnvironment {
        if request.terminal.is_some() { BaseEnvironment::capture_for_terminal() } else { self.base.clone() }
    }

    /// Gives a worker its orders; the error is in words for people.
    fn start(
        &self,
        request: &RunRequest,
        foreseen: Foreseen,
        base: &BaseEnvironment,
        size: Option<Size>,
        mut lease: Option<&mut Lease>,
    ) -> Result<(Link, HandedOn), String> {
        let cwd = &request.shell.cwd;
        if !Path::new(cwd).is_dir() {
            return Err(format!("The folder {cwd} does not exist. Choose another folder."));
        }
        let mut environment = base.overlaid(&request.shell);
        let handed_on = HandedOn::begin(&mut environment);
        let mut sudo = SudoText::default();
        if request.askpass.is_some() && foreseen.may_call_sudo {
            sudo = SudoText::new(self.workers.program(), &environment, &request.shell);
        }
        let mut restore = state::restore_text(&request.shell) + sudo.restored.as_str();
        let lives = lease.is_some();
        if lives {
            restore += &state::traps_text(&request.shell);
        }
        let aliases = state::aliases_text(request.action.command(), &request.shell);
        restore += &aliases;
        let number = lease.as_ref().map_or(0, |lease| lease.number);
        let ends = lives && living::ends_behind(request);
        let kept = lease.as_mut().and_then(|lease| lease.take());
        // Where there is no way from its state to this one it ends here. What it left running goes on.
        let change = kept.as_ref().and_then(|kept| {
            let change = living::change(kept.state.as_ref()?, &request.shell, base)?;
            let file = environment.get(OsStr::new(handed_on::VARIABLE))?.to_str()?;
            Some(format!("{}{change}{aliases}", living::handed_on_text(file)))
        });
        let spec = wire::Spec {
            command: request.action.command(),
            cwd,
            first: &sudo.first,
            restore: &restore,
            options: &state::options_text(&request.shell),
            unchanged: foreseen.unchanged,
            interactive: foreseen.reads_start_up,
            lives: lives && !ends,
            continues: change.as_deref(),
            number,
            look: false,
            watches: !request.shell.traps.iter().any(|trap| trap.ends_with("DEBUG") || trap.ends_with("ERR"))
                && !request.shell.options.iter().any(|option| option.ends_with("trace")),
            wall_millis: wire::millis(request.wall_limit),
            silence_millis: wire::millis(request.silence_limit),
            one_pipe: request.one_pipe,
            terminal: size.map(|(rows, cols)| wire::Size { rows, cols }),
        };
        let orders = wire::orders(&spec, &environment)
            .map_err(|error| format!("The command could not be handed over: {error}."))?;
        let program = self.workers.program().display();
        if let Some(Ok(link)) = kept.map(|kept| kept.waiting.order(&orders)) {
            return Ok((link, handed_on));
        }
        let link = self.workers.order(&orders).map_err(|error| match error {
            OrderError::Start(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("The helper program {program} is missing. Install Planwright again.")
            }
            OrderError::Start(error) => {
                format!("The helper program {program} could not be started: {error}.")
            }
            OrderError::Send(error) => format!("The helper program stopped at once: {error}."),
        })?;
        Ok((link, handed_on))
    }
}

#[async_trait::async_trait]
impl Runner for LocalRunner {
    async fn run(
        &self,
        permit: Permit,
        request: RunRequest,
        live: Live,
        mut cancel: watch::Receiver<bool>,
    ) -> RunOutcome {
        let (started_at, begun) = (Time::now(), Instant::now());
        if let Some(refused) = request.refused(&permit, &mut cancel, started_at) {
            return refused;
        }
        let (request, withheld) = request.revealed();
        let runner = self.clone();
        let (hand_over, handed_over) = oneshot::channel();
        // One thread for all of it: each change of threads would cost a short command a good part of its time.
        let mut running = tokio::task::spawn_blocking(move || {
            let size = request.terminal.as_ref().map(|terminal| terminal.size());
            let (base, foreseen) = (runner.base_of(&request), request.foreseen());
            let is_shared = !apart::has_a_shell_of_its_own(&request, foreseen);
            let mut lease = request.living.as_ref().filter(|_| is_shared).and_then(LivingShell::lease);
            let (Link { child, stdin, stdout }, handed_on) =
                runner.start(&request, foreseen, &base, size, lease.as_mut())?;
            if let Some(askpass) = &request.askpass {
                askpass.open(child.id());
            }
            request.tell_secrets(&runner.redactor);
            let output = Output::new(&request, &runner.redactor, live);
            let reins = Arc::new(Reins::new(stdin));
            let held = Arc::downgrade(&reins);
            if let (Some(terminal), Some(size)) = (&request.terminal, size) {
                let held = held.clone();
                terminal.attach(size, move |words| held.upgrade().is_some_and(|reins| reins.tell(words)));
            }
            // Nobody there to take them: the run was dropped, the worker sees the end of its stdin and kills everything.
            drop(hand_over.send(reins));
            let reader =
                Reader::new(request, foreseen, base.clone(), runner.workers, lease, runner.turns, output)
                    .read(child, stdout, &held);
            Ok::<_, String>((reader, handed_on.read(), base))
        });
        // Held here: when this call is dropped the worker sees the end of its stdin and kills everything.
        let reins = handed_over.await.ok();
        let mut may_cancel = reins.is_some();
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                changed = cancel.changed(), if may_cancel => {
                    if changed.is_err() {
                        may_cancel = false;
                    } else if *cancel.borrow_and_update() {
                        may_cancel = false;
                        if let Some(reins) = &reins {
                            reins.cancel();
                        }
                    }
                }
            }
        };
        match finished {
            Ok(Ok((reader, handed_on, base))) => {
                let mut outcome = reader.into_outcome(started_at, begun.elapsed());
                if let Some(shell) = &mut outcome.shell {
                    handed_on.take_into(shell, &base);
                }
                outcome.hidden(&withheld)
            }
            Ok(Err(message)) => RunOutcome::not_started(started_at, &message),
            Err(_) => RunOutcome::not_started(started_at, "The command could not be followed to its end."),
        }
    }

    fn shortcomings(&self) -> &'static [Shortcoming] {
        &[]
    }
}
