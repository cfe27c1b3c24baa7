//! What of a page's commands makes no sense apart: a text over several prompts, a question after the command before. And the
//! places where a page has the shell started anew, so that its start-up files are read.

use planwright_shell::binding::asks_of_the_last;
use planwright_shell::{Facts, MAX_TEXT};

use super::{Block, Command, Content, join_comment};

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

/// A block that begins by asking how the command before it went is of one step with that.
pub(super) fn across(blocks: &[Block], found: &mut [Result<Vec<Command>, String>]) {
    let mut before: Option<usize> = None;
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| block.is_taken()) {
        let is_typed = matches!(block.content, Content::Script(_) | Content::Console(_));
        let (earlier, own) = found.split_at_mut(place);
        let Some(Ok(own)) = own.first_mut().filter(|_| is_typed) else {
            before = None;
            continue;
        };
        if let Some(Ok(commands)) = before.and_then(|before| earlier.get_mut(before))
            && let Some(last) = commands.last_mut()
            && own.first().is_some_and(|first| asks(&first.text, last))
        {
            take_in(last, own.remove(0));
        }
        if !own.is_empty() {
            before = Some(place);
        }
    }
}

fn asks(text: &str, last: &Command) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let first = line.split([';', '|', '&']).next().unwrap_or(line);
    asks_of_the_last(first) && last.text.len() + text.len() < MAX_TEXT
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
