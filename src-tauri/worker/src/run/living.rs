//! A bash that lives on from command to command, so that all that a terminal keeps is kept: jobs, traps, descriptors, limits.
//! It reads its script from a pipe and runs each command as it is complete; its standard input is not that pipe. Around
//! each command it is told where the command's output goes and what has changed meanwhile, and behind it, to write down
//! how it ended. Line numbers are those of the command's own text.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::{ioctl_fionbio, ioctl_fionread};
use rustix::process::Pid;

use super::Spec;
use super::bash::{self, Shell, path};
use super::frames::Stream;
use super::jobs::Jobs;
use super::spawn::{Outputs, Spawned, pipe};
use super::tree::Tree;

/// A shell that has read all and neither ends nor is done for this long waits for the rest of an unfinished text.
const STARVED: Duration = Duration::from_millis(200);
/// A shell that is done needs a moment to be where it waits for the next command.
const SETTLING: Duration = Duration::from_secs(2);

/// The shell between two commands.
#[derive(Debug)]
pub(super) struct Living {
    pub(super) leader: Pid,
    pub(super) leader_fd: OwnedFd,
    pub(super) line: Line,
}

/// What goes to the shell and comes back from it, beside a command's output.
#[derive(Debug)]
pub(super) struct Line {
    /// `None`: nothing more comes, so the shell ends when it has read all.
    feed: Option<File>,
    /// The shell's own end of it, until it has opened that.
    script: Option<Script>,
    waiting: Vec<u8>,
    /// The shell ends behind this command.
    closes: bool,
    starved: Option<Instant>,
    done: File,
    /// So that the shell can open it, and its other end never reads an end.
    done_in: OwnedFd,
    /// Writing ends of the present command's outputs, for the shell to open.
    outputs: Vec<OwnedFd>,
}

/// The pipe under the name that bash calls itself by in its messages, in a folder that is gone with this.
#[derive(Debug)]
struct Script {
    _end: OwnedFd,
    folder: PathBuf,
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.join("bash"));
        let _ = fs::remove_dir(&self.folder);
    }
}

/// This side's ends of a command's outputs.
#[derive(Debug)]
pub(super) struct Wires {
    pub(super) stdout: File,
    /// `None`: it goes where stdout goes.
    pub(super) stderr: Option<File>,
}

/// Starts a shell that lives on; it has not been told a command yet, but has the first one's outputs.
pub(super) fn begin(
    shell: &Shell,
    environment: &[(OsString, OsString)],
    outputs: Outputs<'_>,
    tree: &mut Tree,
) -> io::Result<(Spawned, Line)> {
    let (script_end, feed) = pipe()?;
    let (done, done_in) = pipe()?;
    ioctl_fionbio(&feed, true)?;
    ioctl_fionbio(&done, true)?;
    let script = Script::in_a_folder(script_end)?;
    std::env::set_current_dir(&script.folder)?;
    let spawned = bash::spawn(&shell.living(environment)?, outputs, tree)?;
    let line = Line {
        feed: Some(feed.into()),
        script: Some(script),
        waiting: Vec::new(),
        closes: false,
        starved: None,
        done: done.into(),
        done_in,
        outputs: Vec::new(),
    };
    Ok((spawned, line))
}

impl Script {
    fn in_a_folder(end: OwnedFd) -> io::Result<Self> {
        let name = format!("planwright-shell-{}-{}", std::process::id(), end.as_raw_fd());
        let folder = std::env::temp_dir().join(name);
        // Left by a process that was killed and had this number.
        let _ = fs::remove_file(folder.join("bash"));
        let _ = fs::remove_dir(&folder);
        fs::DirBuilder::new().create(&folder)?;
        let script = Self { folder, _end: end };
        std::os::unix::fs::symlink(path(&script._end), script.folder.join("bash"))?;
        Ok(script)
    }
}

impl Line {
    /// The outputs of the next command.
    pub(super) fn pipes(&mut self, leader: Pid, one_pipe: bool, jobs: &Jobs) -> io::Result<(Wires, String)> {
        let until = Instant::now() + SETTLING;
        while self.feed.as_ref().is_some_and(|feed| ioctl_fionread(feed).is_ok_and(|left| left > 0)) {
            if Instant::now() >= until {
                return Err(ErrorKind::TimedOut.into());
            }
            std::thread::yield_now();
        }
        let (stdout, out_in) = pipe()?;
        let (stderr, err_in) = if one_pipe {
            (None, out_in.try_clone()?)
        } else {
            let (stderr, err_in) = pipe()?;
            (Some(stderr), err_in)
        };
        let redirections = redirections(leader, jobs, &out_in, &err_in);
        self.outputs = vec![out_in, err_in];
        Ok((Wires { stdout: stdout.into(), stderr: stderr.map(File::from) }, redirections))
    }

    /// Tells the shell a command. `redirections` lead to its outputs, where the shell has had others; `none` where it is new.
    pub(super) fn tell(
        &mut self,
        shell: &mut Shell,
        spec: &Spec,
        redirections: Option<&str>,
    ) -> io::Result<()> {
        let start = shell.start(spec, redirections.is_none())?;
        let mut text = String::from("{ builtin set +x; } 2>/dev/null\n");
        if let Some(redirections) = redirections.filter(|text| !text.is_empty()) {
            let _ = writeln!(text, "command exec {redirections}");
        }
        let _ = writeln!(text, "{{ builtin . {start}; }} >/dev/null 2>&1");
        // Only an expansion in a redirection sets the number of the line for good.
        let options = if spec.options.is_empty() { String::new() } else { format!("{}; ", spec.options) };
        let _ = writeln!(text, r#"{{ {options}builtin :; }} 2>"/dev/null${{BASH:$((LINENO=0)):0}}""#);
        text += &spec.command;
        // A second one, should the first be taken for a continued line's.
        text += "\n\n";
        if spec.lives {
            let _ = writeln!(text, "{}", shell.end_of_command(&path(&self.done_in)));
            // Read once the line above has let its own redirections go.
            text.push('\n');
        }
        self.waiting.extend_from_slice(text.as_bytes());
        self.closes = !spec.lives;
        self.starved = None;
        self.feed_some();
        Ok(())
    }

    /// Gives the shell what the pipe takes.
    pub(super) fn feed_some(&mut self) {
        let Some(feed) = &mut self.feed else { return };
        while !self.waiting.is_empty() {
            match feed.write(&self.waiting) {
                Ok(written) => drop(self.waiting.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It has ended.
                Err(_) => self.waiting.clear(),
            }
        }
        if self.closes {
            self.feed = None;
        }
    }

    pub(super) fn feeding(&self) -> Option<BorrowedFd<'_>> {
        if self.waiting.is_empty() { None } else { self.feed.as_ref().map(AsFd::as_fd) }
    }

    pub(super) fn done_fd(&self) -> BorrowedFd<'_> {
        self.done.as_fd()
    }

    /// Whether the shell has come behind the command.
    pub(super) fn is_done(&mut self) -> bool {
        let done = matches!(self.done.read(&mut [0; 16]), Ok(1..));
        if done {
            self.script = None;
            self.outputs.clear();
        }
        done
    }

    /// Ends a text that the shell waits for the rest of; bash then says what is missing.
    pub(super) fn end_when_starved(&mut self, now: Instant) {
        let Some(feed) = &self.feed else { return };
        if !self.waiting.is_empty() || ioctl_fionread(feed).is_ok_and(|left| left > 0) {
            self.starved = None;
        } else if now >= *self.starved.get_or_insert(now) + STARVED {
            self.feed = None;
        }
    }
}

/// Points all descriptors of the shell that are an output of a command before to that of this one.
fn redirections(leader: Pid, jobs: &Jobs, out: &OwnedFd, err: &OwnedFd) -> String {
    let mut text = String::new();
    let folder = format!("/proc/{}/fd", leader.as_raw_nonzero());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fd) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        let to = match inode_of(&target).and_then(|inode| jobs.stream_of(inode)) {
            Some(Stream::Stdout) => out,
            Some(Stream::Stderr) => err,
            None => continue,
        };
        let _ = write!(text, "{fd}>{} ", path(to));
    }
    text
}

fn inode_of(target: &Path) -> Option<u64> {
    target.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}
