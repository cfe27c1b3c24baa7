//! Known ways round a tool's failure (A6), told to the model in place of a bare error. A table: a row says which tools
//! and which words of an error it is for, why it helps, and what to use instead.

use super::ToolName::{self, EditFile, ListDir, MultiFileEdit, ReadFile, Search, Shell, WriteFile};
use super::aim;
use crate::protocol::{ExitStatus, SelfCorrection};

/// What the text for the model begins with.
pub const SELF_CORRECT: &str = "SELF_CORRECT_ATTEMPT: ";
/// Most of the error that is carried along, in characters.
const MAX_ERROR: usize = 600;
/// Most of a command that is named, in characters.
const MAX_COMMAND: usize = 160;

struct Way {
    tools: &'static [ToolName],
    /// Words of the error, any of them.
    signs: &'static [&'static str],
    /// What is behind the failure, and what to do about it.
    approach: &'static str,
    instead: &'static [ToolName],
}

const FILES: &[ToolName] = &[ReadFile, EditFile, MultiFileEdit, WriteFile, ListDir, Search];
const EDITS: &[ToolName] = &[EditFile, MultiFileEdit];
const CHANGES: &[ToolName] = &[EditFile, MultiFileEdit, WriteFile];

/// The first row that fits counts.
const WAYS: [Way; 15] = [
    Way {
        tools: EDITS,
        signs: &["`old` does not occur in "],
        approach: "The file is not what you remember. Read the part in question, then edit with exactly the text that \
                   stands there, without the line numbers.",
        instead: &[ReadFile, EditFile],
    },
    Way {
        tools: EDITS,
        signs: &["`old` occurs more than once in "],
        approach: "Take more of the lines around the place into `old`, so that it occurs once, or set replace_all if \
                   every place is meant.",
        instead: &[ReadFile, EditFile],
    },
    Way {
        tools: CHANGES,
        signs: &[" has changed since this was prepared."],
        approach: "Someone else wrote to the file meanwhile. Read it again and make the change anew on what stands \
                   there now.",
        instead: &[ReadFile, EditFile],
    },
    Way {
        tools: &[ReadFile, EditFile, MultiFileEdit, WriteFile],
        signs: &[" is a folder, not a file."],
        approach: "List the folder and pick the file that you mean.",
        instead: &[ListDir],
    },
    Way {
        tools: &[ListDir, WriteFile],
        signs: &[" is not a folder."],
        approach: "A part of the path is a file. List the folder above it to see what is there, or read the file.",
        instead: &[ListDir, ReadFile],
    },
    Way {
        tools: FILES,
        signs: &["There is no file or folder "],
        approach: "The path is wrong, or is relative to another folder. List the folder above it, or search for the \
                   file's name; to make a new file use write_file.",
        instead: &[ListDir, Search],
    },
    Way {
        tools: FILES,
        signs: &[" is a binary file;", " is not text in UTF-8;"],
        approach: "Find out what the file is with the shell: `file PATH`. Convert it or read it with a program made \
                   for it.",
        instead: &[Shell],
    },
    Way {
        tools: &[ReadFile],
        signs: &["it takes too long to read so far into it"],
        approach: "The file is very large. Search it, or read a smaller offset and limit.",
        instead: &[Search, ReadFile],
    },
    Way {
        tools: CHANGES,
        signs: &[" is too large for this tool:"],
        approach: "Change the file with a command made for large files, such as sed, or write it in parts.",
        instead: &[Shell],
    },
    Way {
        tools: &[ReadFile],
        signs: &[" ends before line "],
        approach: "Read again with a smaller offset.",
        instead: &[ReadFile],
    },
    Way {
        tools: FILES,
        signs: &[
            " may not be read or written by this user.",
            " lies on a file system that can only be read.",
        ],
        approach: "This user has no right to it. See with `ls -ld` who owns it. Use another place in the session's \
                   folder, or ask the user; do not change rights by yourself.",
        instead: &[Shell, ToolName::AskUser],
    },
    Way {
        tools: FILES,
        signs: &[" is no ordinary file but "],
        approach: "Such a thing is looked at with a command of its own, with an end to what it reads (`head -c`).",
        instead: &[Shell],
    },
    Way {
        tools: &[Search],
        signs: &["The pattern cannot be used: "],
        approach: "Patterns are regular expressions without look-around or back-references. Put a backslash before \
                   signs that are meant literally.",
        instead: &[Search],
    },
    Way {
        tools: &[Shell],
        signs: &[
            "rg: command not found",
            "rg: not found",
            "ag: command not found",
            "ack: command not found",
            "fd: command not found",
            "fdfind: command not found",
            "tree: command not found",
        ],
        approach: "The program is not installed here. The tools search and list_dir do the same without it.",
        instead: &[Search, ListDir],
    },
    Way {
        tools: &[Shell],
        signs: &["bat: command not found", "batcat: command not found"],
        approach: "The program is not installed here. Read the file with read_file.",
        instead: &[ReadFile],
    },
];

/// How the first line of a command's result begins.
const STATUS_WORDS: [&str; 3] = ["exit status ", "ended by ", "ended after "];
/// What bash exits with when there is no such program.
const NO_SUCH_PROGRAM: i32 = 127;

/// Times that an edit of one file fails before the sturdier way is named.
pub const FAILED_EDITS: u32 = 2;

/// A failure as it came.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'a> {
    pub tool: &'a str,
    /// What the tool said; for a command how it ended, and its output.
    pub error: &'a str,
    /// The command, where it was one, and how it ended.
    pub command: Option<&'a str>,
    pub status: Option<&'a ExitStatus>,
    /// How often an edit of the same file has failed for this request, this one among them.
    pub edits: u32,
}

/// The known way round a failure, if there is one.
pub fn fallback(failed: Failed<'_>) -> Option<SelfCorrection> {
    let Failed { tool, error, command, status: shell, edits } = failed;
    let name = ToolName::parse(tool)?;
    let ended = shell.and_then(ExitStatus::code);
    let (approach, instead) = match (name, shell) {
        (EditFile, _) if edits >= FAILED_EDITS => (
            "Editing it piece by piece does not work. Read the file, and make all of its edits at once with \
             multi_file_edit: either all of them are made or none.",
            [ReadFile, MultiFileEdit].as_slice(),
        ),
        (Shell, _)
            if ended.is_some_and(|code| code != 0)
                && command.is_some_and(|command| aim::patcher(command).is_some()) =>
        {
            (
                "Patterns and patches fail where the text is another than was thought. Read the file, and make the same change \
             with multi_file_edit, whose edits are exact and are made all together or not at all.",
                [MultiFileEdit].as_slice(),
            )
        }
        (Shell, Some(ExitStatus::Silent { .. })) => (
            "The command wrote nothing for long; it may wait for input, which cannot be typed here. Run it with the \
             options that answer its questions, such as --yes or --no-input.",
            [Shell].as_slice(),
        ),
        (Shell, _) if ended != Some(NO_SUCH_PROGRAM) => return None,
        _ => {
            let way = WAYS
                .iter()
                .find(|way| way.tools.contains(&name) && way.signs.iter().any(|sign| says(error, sign)))?;
            (way.approach, way.instead)
        }
    };
    let error = match command {
        Some(command) => format!(
            "`{}`: {}\n{error}",
            command.chars().take(MAX_COMMAND).collect::<String>(),
            failure_line(error)
        ),
        None => error.to_owned(),
    };
    Some(SelfCorrection {
        original_tool: tool.to_owned(),
        original_error: error.chars().take(MAX_ERROR).collect(),
        suggested_approach: approach.to_owned(),
        fallback_tools: instead.iter().map(|tool| tool.as_str().to_owned()).collect(),
    })
}

/// Whether the error says so, as words of their own: "rg: …" is not in "org: …".
fn says(error: &str, sign: &str) -> bool {
    error.match_indices(sign).any(|(at, _)| {
        let before = error[..at].chars().next_back();
        !sign.starts_with(char::is_alphanumeric) || !before.is_some_and(char::is_alphanumeric)
    })
}

/// What the failed call's result begins with for the model: which operation failed how, and what to use instead. The same stands
/// as data in the event beside it.
pub fn self_correct_text(correction: &SelfCorrection) -> String {
    let SelfCorrection { original_tool, original_error, suggested_approach, fallback_tools } = correction;
    format!(
        "{SELF_CORRECT}{original_tool} failed: {} For the same goal use {} instead. {suggested_approach}",
        sentence(failure_line(original_error)),
        fallback_tools.join(" or ")
    )
}

/// The words, in the user's role, that the model is asked to go on with.
pub fn engage_text(correction: &SelfCorrection) -> String {
    let SelfCorrection { original_tool, original_error, suggested_approach, fallback_tools } = correction;
    format!(
        "{original_tool} failed: {} Do not give up, and do not repeat the same call: reach the same goal with {}. \
         {suggested_approach} Make the new calls now.",
        sentence(failure_line(original_error)),
        fallback_tools.join(" or ")
    )
}

/// The line of a failed call's result that says what went wrong: the first, but of a command, whose first says how it ended,
/// the last that it wrote.
pub fn failure_line(content: &str) -> &str {
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    if STATUS_WORDS.iter().any(|words| first.starts_with(words)) {
        return lines.next_back().unwrap_or(first);
    }
    first
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
