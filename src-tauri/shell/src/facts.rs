use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Longest text that is read, in bytes; anything longer is refused unread.
pub const MAX_TEXT: usize = 16 * 1024;
/// Deepest nesting that is read.
pub const MAX_NESTING: usize = 30;

/// Where a piece of text stands, in characters (Unicode scalar values) of the text that was read: `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// All that is known of a piece of bash text without running it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Facts {
    /// Every simple command at any depth (pipelines, lists, groups, loops, functions, substitutions, here-documents
    /// that are expanded), outer before inner, left to right.
    pub commands: Vec<SimpleCommand>,
    /// Functions that the text defines, each as often as it does.
    pub functions: Vec<Function>,
    /// Top-level commands in order, for splitting a script into steps.
    pub pieces: Vec<Piece>,
    /// Words and here-documents that are shell text themselves (`bash -c '…'`), read as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<Inner>,
    /// What could not be read for certain; empty means that the text was read whole.
    pub doubts: Vec<Doubt>,
}

/// A function that a text defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// Which of the text's commands stand in its body.
    pub body: Range<u32>,
}

/// Shell text inside the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inner {
    pub text: String,
    pub facts: Facts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimpleCommand {
    /// Program first. Empty for a command of assignments or redirections alone.
    pub words: Vec<Word>,
    pub assignments: Vec<Assignment>,
    pub redirects: Vec<Redirect>,
    pub span: Span,
    pub context: Context,
}

/// What surrounds a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Reads the output of a command before it in a pipeline.
    pub piped_from: bool,
    /// Its output goes into another command of the pipeline.
    pub piped_into: bool,
    /// Number of the pipeline in the text; commands of one pipeline share it.
    pub pipeline: u32,
    /// Place in that pipeline, from 0.
    pub stage: u32,
    pub background: bool,
    /// Stands in a function's body: runs only if it is called.
    pub in_function: bool,
    /// Stands in `$(…)`, backticks or `<(…)`.
    pub in_substitution: bool,
    /// Stands in `( … )` or is a pipeline's stage, so that it cannot change the shell's own state.
    pub in_subshell: bool,
    /// May run or not, or many times (if, while, for, case, after && or ||).
    pub conditional: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// As written.
    pub raw: String,
    pub value: Value,
    pub span: Span,
    /// No quote or escape in it.
    pub bare: bool,
}

/// What a word becomes when bash expands it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Value {
    /// Exactly this, quotes and escapes taken off. A leading unquoted `~` is kept as it is and `tilde` says so.
    Known { text: String, tilde: bool },
    /// Brace expansion into several known words.
    Several { texts: Vec<String> },
    /// File name pattern, quotes taken off.
    Glob { pattern: String, tilde: bool },
    /// Has an expansion in it.
    Unknown { parts: Vec<Part> },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Part {
    Text {
        text: String,
    },
    /// `$name` or `${name}`, nothing more.
    Variable {
        name: String,
        quoted: bool,
    },
    /// `$(…)` or backticks; the commands in it are among `Facts::commands`.
    Substitution,
    /// Anything else: `${x%…}`, `$((…))`, `${x@P}`, `$1` …
    Other {
        raw: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
    pub append: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    pub kind: RedirectKind,
    /// Of `&>` and `>&file` the first; the other is 2.
    pub fd: i32,
    /// The file, the descriptor, or for here-documents and here-strings the text.
    pub target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>` and `>&file`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `>&2`, `<&3`, `2>&-`
    Duplicate,
    HereDocument,
    HereString,
}

/// One top-level command of a script with the comment lines right above it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The command's own text, here-documents included, as written.
    pub text: String,
    /// The comments directly above it, `#` and one blank stripped, joined by newlines; shebang left out.
    pub comment: String,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub kind: DoubtKind,
    /// For people, without a full stop.
    pub text: String,
    /// Line of the text, from 1, where known.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DoubtKind {
    /// Not bash, or not bash that the reader knows.
    Syntax,
    /// Longer than `MAX_TEXT`.
    TooLong,
    /// Nested deeper than `MAX_NESTING`.
    TooDeep,
    /// Control, bidirectional or invisible characters that hide what runs.
    Hidden,
    /// The reader ran out of its time or memory.
    Exhausted,
    /// The second reader sees something run or written that the first does not.
    Disagreement,
}

/// A question to the worker's `parse` mode, one JSON object a line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ParseRequest {
    pub id: u32,
    pub text: String,
    /// Bytes that may be read; `MAX_TEXT` for a command, more for a whole script.
    pub max_text: u32,
}

/// Its answer, one JSON object a line, in the order of the questions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ParseResponse {
    pub id: u32,
    pub facts: Facts,
}
