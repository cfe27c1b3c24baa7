//! Supervises one command at a time: reads its orders on stdin, runs it in bash in a session of its own, streams frames
//! on stdout until every descendant is gone. Before and between commands it waits for orders, which carry all that a
//! command starts from: nothing of this process's own folder or environment reaches it, nor anything of the command
//! before. After one that did not end by itself and leave nothing behind it ends too.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.
//!
//! Two processes do this: the one that supervises, and above it one that ends what is left should the first be killed.

mod bash;
mod clone;
mod condition;
mod frames;
mod group;
mod jobs;
mod keeper;
mod living;
mod ready;
mod spawn;
mod start;
mod supervisor;
mod terminal;
mod tree;
mod work;

use frames::{Frame, Outbox};
use keeper::Side;
use ready::{EngineGone, Ready};
use serde::Deserialize;
use spawn::{Outputs, Program};
use supervisor::Supervisor;
use tree::Tree;

use crate::orders::{self, Stdin};

pub(crate) use bash::program as bash_program;

type Orders = orders::Orders<Spec>;

/// What to run, as the engine writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    command: String,
    cwd: String,
    /// Bash text that runs before all other.
    #[serde(default)]
    first: String,
    /// Bash text that restores umask, variables and functions.
    restore: String,
    /// Bash text that sets the shell's options, behind all else.
    #[serde(default)]
    options: String,
    /// The shell lives on behind the command.
    #[serde(default)]
    lives: bool,
    /// The command goes on in the shell that lived on behind the last one, where that still does, behind this bash text.
    #[serde(default)]
    continues: Option<String>,
    /// Which of its shell's commands it is.
    #[serde(default)]
    number: u32,
    /// Nothing is to be run: what jobs have written meanwhile is taken.
    #[serde(default)]
    look: bool,
    /// Traps of ours may look at the pipelines of a command of a shell that lives on: it has none of its own.
    #[serde(default)]
    watches: bool,
    /// The shell counts as one that somebody sits at.
    #[serde(default)]
    interactive: bool,
    /// The shell ends as it began: no state is written down.
    #[serde(default)]
    unchanged: bool,
    wall_millis: u64,
    silence_millis: u64,
    /// Both streams through one pipe, as stdout.
    #[serde(default)]
    one_pipe: bool,
    /// Under a terminal of this size, its controlling one, instead of pipes; what is typed follows the orders.
    #[serde(default)]
    terminal: Option<terminal::Size>,
}

/// `grouped`: commands run in a control group of their own where one can be had. Returns the exit code: 0 when the engine
/// heard everything, or had nothing to say.
pub(crate) fn main(grouped: bool) -> i32 {
    let tree = if grouped { Tree::grouped() } else { Tree::PLAIN };
    match keeper::split(tree) {
        Side::Supervisor(tree) => serve(tree),
        Side::Keeper(code) => code,
    }
}

/// Whether a process can be started in a control group of its own: found out by doing it. 0 for yes.
pub(crate) fn try_group() -> i32 {
    let tree = Tree::grouped();
    let started = tree.group().and_then(|group| {
        let program = Program::new(&bash_program(&[]), ["bash", "-c", ":"]).ok()?;
        spawn::spawn(&program, Outputs::Apart, Some(group.folder())).ok()
    });
    let worked = started.is_some_and(|started| {
        rustix::process::waitpid(Some(started.pid), rustix::process::WaitOptions::empty()).is_ok()
    });
    i32::from(!worked)
}

fn serve(tree: Tree) -> i32 {
    // Always before the orders are there, so that none of it takes time of a command's.
    let mut ready = Ready::new(tree);
    loop {
        if let Ok(waiting) = &mut ready
            && let Err(message) = waiting.wait()
        {
            ready = Err(message);
        }
        let orders: Orders = match orders::read(&mut Stdin) {
            Ok(Some(orders)) => orders,
            Ok(None) => return 0,
            Err(message) => return fail(message),
        };
        if orders.spec.look {
            if let Ok(waiting) = &mut ready
                && waiting.look().is_err()
            {
                return 1;
            }
            continue;
        }
        let supervisor = match ready.and_then(|ready| Supervisor::start(ready, &orders)) {
            Ok(supervisor) => supervisor,
            Err(message) => return fail(message),
        };
        match supervisor.run() {
            Ok(Some((lasting, shell))) => ready = Ready::again(lasting, shell),
            Ok(None) => return 0,
            Err(EngineGone) => return 1,
        }
    }
}

fn fail(message: String) -> i32 {
    let mut outbox = Outbox::default();
    outbox.frame(&Frame::Failed { message });
    i32::from(outbox.send_all().is_err())
}
