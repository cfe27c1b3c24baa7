//! What a page's later blocks need of the shell that an earlier one ran in: a command in the background, an open descriptor, a
//! trap, the status of the last command. Each step is run by a shell of its own, so these go into one step. And the places where
//! a page has the shell started anew, so that its start-up files are read.

use std::collections::HashSet;

use planwright_shell::binding::{Held, Script, asks_of_the_last, mentions};
use planwright_shell::{Facts, MAX_TEXT, RedirectKind, SimpleCommand, Span};

use super::{Block, Command, Content, join_comment};

/// Words by which a command asks for what runs in the background.
const ASK_FOR_JOBS: [&str; 8] = ["wait", "fg", "bg", "jobs", "disown", "kill", "pkill", "killall"];
/// Where a server of this machine answers.
const HERE: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"];

/// Commands typed at prompts, those together that the reader has in one piece.
pub(super) fn together(typed: Vec<Command>, facts: &Facts) -> Vec<Command> {
    let mut done: Vec<Command> = Vec::with_capacity(typed.len());
    let mut at = 0;
    for command in typed {
        let start = at;
        at += length(&command.text) + 1;
        // The line end before it lies within a piece.
        let joins = facts.pieces.iter().any(|piece| piece.span.start < start && piece.span.end > start);
        match done.last_mut() {
            Some(last) if joins && last.note == command.note => take_in(last, command),
            _ => done.push(command),
        }
    }
    done
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn take_in(command: &mut Command, next: Command) {
    command.text.push('\n');
    command.text.push_str(&next.text);
    join_comment(&mut command.comment, &next.comment);
    command.expected = next.expected;
}

/// Takes steps of several blocks together where the later need the shell of the earlier.
pub(super) fn across(blocks: &[Block], facts: &[Facts], found: &mut [Result<Vec<Command>, String>]) {
    let joinable = |place: usize| {
        let block = &blocks[place];
        block.is_taken()
            && matches!(block.content, Content::Script(_) | Content::Console(_) | Content::File(_))
    };
    // Stretches that nothing stands in between that is no command.
    let mut stretch: Vec<usize> = Vec::new();
    for place in 0..=blocks.len() {
        if place < blocks.len() && !blocks[place].is_taken() {
            continue;
        }
        if place < blocks.len() && joinable(place) && found[place].is_ok() {
            stretch.push(place);
            continue;
        }
        if stretch.len() > 1 {
            join_in(&stretch, facts, found);
        }
        stretch.clear();
    }
}

/// One command of a stretch, and where it stands.
struct Standing {
    place: usize,
    text: String,
    held: Vec<Need>,
    first_of_block: bool,
}

/// What is to be there for a later command.
struct Need {
    held: Held,
    /// Files that it writes.
    files: HashSet<String>,
}

fn join_in(stretch: &[usize], facts: &[Facts], found: &mut [Result<Vec<Command>, String>]) {
    let mut all: Vec<(Standing, Command)> = Vec::new();
    for place in stretch {
        let Some(Ok(commands)) = found.get_mut(*place) else { continue };
        let commands = std::mem::take(commands);
        let last = commands.len().saturating_sub(1);
        for (nth, command) in commands.into_iter().enumerate() {
            // What binds in a block is bound to its end.
            let held = if nth == last { held_by(&facts[*place]) } else { Vec::new() };
            let standing =
                Standing { place: *place, text: command.text.clone(), held, first_of_block: nth == 0 };
            all.push((standing, command));
        }
    }
    let joins = joins(&all.iter().map(|(standing, _)| standing).collect::<Vec<_>>());
    let mut done: Vec<(usize, Command)> = Vec::new();
    for ((standing, command), joins) in all.into_iter().zip(joins) {
        match done.last_mut() {
            Some((_, last)) if joins && last.text.len() + command.text.len() < MAX_TEXT => {
                take_in(last, command);
            }
            _ => done.push((standing.place, command)),
        }
    }
    for (place, command) in done {
        if let Some(Ok(commands)) = found.get_mut(place) {
            commands.push(command);
        }
    }
}

fn joins(all: &[&Standing]) -> Vec<bool> {
    let mut joins = vec![false; all.len()];
    let mut join = |first: usize, last: usize| {
        joins.iter_mut().take(last + 1).skip(first + 1).for_each(|joins| *joins = true);
    };
    for (at, standing) in all.iter().enumerate() {
        let line = standing.text.lines().next().unwrap_or_default();
        if at > 0 && standing.first_of_block && asks_of_the_last(first_command(line)) {
            join(at - 1, at);
        }
        for need in &standing.held {
            let last = (at + 1..all.len()).rev().find(|later| need.is_of(&all[*later].text));
            if let Some(last) = last {
                join(at, last);
            }
        }
    }
    let texts: Vec<&str> = all.iter().map(|standing| standing.text.as_str()).collect();
    for (first, last) in mentions(&texts) {
        join(first, last);
    }
    joins
}

fn first_command(line: &str) -> &str {
    line.split([';', '|', '&']).next().unwrap_or(line)
}

fn held_by(facts: &Facts) -> Vec<Need> {
    let whole = Span { start: 0, end: u32::MAX };
    let held: HashSet<Held> = Script::of(facts).held_by(whole).into_iter().collect();
    let in_background = |command: &&SimpleCommand| command.context.background;
    let files: HashSet<String> = facts.commands.iter().filter(in_background).flat_map(written_by).collect();
    let with_files = |held: Held| {
        let files = if held == Held::Job { files.clone() } else { HashSet::new() };
        Need { held, files }
    };
    held.into_iter().map(with_files).collect()
}

fn written_by(command: &SimpleCommand) -> impl Iterator<Item = String> + '_ {
    let writes = command.redirects.iter().filter(|redirect| {
        matches!(
            redirect.kind,
            RedirectKind::Write | RedirectKind::Append | RedirectKind::WriteBoth | RedirectKind::AppendBoth
        )
    });
    writes.map(|redirect| redirect.target.raw.clone()).filter(|file| file != "/dev/null")
}

impl Need {
    /// Whether a later command asks for it.
    fn is_of(&self, text: &str) -> bool {
        match &self.held {
            Held::All => true,
            Held::Rest => false,
            Held::Descriptor(name) => {
                let forms =
                    [format!("&{name}"), format!("-u {name}"), format!("/fd/{name}"), format!("${name}")];
                let opens = [format!("{name}>"), format!("{name}<"), format!("{{{name}}}")];
                forms.iter().chain(&opens).any(|form| text.contains(form.as_str()))
            }
            Held::Job => {
                let words =
                    || text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '%' && sign != '_');
                let is_job = |word: &str| word.strip_prefix('%').is_some_and(|rest| !rest.is_empty());
                words().any(|word| ASK_FOR_JOBS.contains(&word) || is_job(word))
                    || text.contains("$!")
                    // The ends of a coprocess.
                    || ["COPROC", "[0]}", "[1]}"].iter().any(|end| text.contains(end))
                    || HERE.iter().any(|here| text.contains(here))
                    || self.files.iter().any(|file| text.contains(file.as_str()))
            }
        }
    }
}

/// What reads the files that a new shell would read, where a text only starts one.
pub(super) fn restarted(text: &str) -> Option<&'static str> {
    const SHELLS: [&str; 3] = ["$SHELL", "${SHELL}", "bash"];
    let mut words = text.split_whitespace().map(|word| word.trim_matches('"'));
    if words.next() != Some("exec") {
        return None;
    }
    let mut login = false;
    let mut named = false;
    for word in words {
        match word {
            "-l" | "--login" => login = true,
            "-i" => {}
            shell if !named && SHELLS.contains(&shell.rsplit('/').next().unwrap_or(shell)) => named = true,
            _ => return None,
        }
    }
    let reads = match login {
        false => "if [ -f ~/.bashrc ]; then . ~/.bashrc; fi",
        true => {
            "for file in ~/.bash_profile ~/.bash_login ~/.profile; do if [ -f \"$file\" ]; then . \"$file\"; break; fi; done"
        }
    };
    named.then_some(reads)
}

/// A shell that is started anew, as the step that reads what it would.
pub(super) fn anew(command: Command) -> Command {
    let Some(reads) = restarted(&command.text) else { return command };
    Command {
        text: reads.to_owned(),
        title: Some("Start the shell anew".to_owned()),
        note: Some("The page starts the shell anew here: what that would read at its start is read."),
        ..command
    }
}

/// The command that a page wants done in a terminal of the user's own, where it only starts a shell.
pub(super) fn by_hand(instruction: &str) -> Option<Command> {
    let text = instruction.strip_prefix("Do `")?.split_once('`')?.0;
    restarted(text)?;
    Some(anew(Command { text: text.to_owned(), ..Command::default() }))
}
