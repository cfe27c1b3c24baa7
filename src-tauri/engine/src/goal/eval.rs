//! `eval` (G4): a small script that reads the last results and works something out. It has no file, network, process,
//! module, clock or way to run text as a script, and every resource that it can use has a bound.
//!
//! The language's own limits count the size of each value, and a few kinds of value escape that count; so the growth of the
//! process is watched as well, and whichever net catches first ends the script.

mod functions;
mod value;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicMathPackage,
    BasicStringPackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult, LexError, ParseErrorType, Position, Scope};

use crate::brain::text::head_and_tail;

/// Longest script, in bytes.
const SCRIPT: usize = 16 * 1024;
/// Longest answer, in characters.
const ANSWER: usize = 16 * 1024;
/// All texts in one value, in bytes; entries of one array and of one map, nested ones counted.
const TEXT: usize = 1024 * 1024;
const ARRAY: usize = 20_000;
const MAP: usize = 5_000;
const VARIABLES: usize = 64;
const FUNCTIONS: usize = 32;
const CALLS: usize = 16;
const EXPRESSION: usize = 32;
/// A value that nests itself a step at a time is as deep as its entries are many, and is walked by recursion.
const STACK: usize = 256 * 1024 * 1024;
/// Words of the language that a script does not have: running text, and pointers to functions, which keep what they were
/// given where no limit counts it.
const DISABLED: [&str; 3] = ["eval", "Fn", "curry"];
/// Operations between two looks at the memory.
const LOOK: u64 = 16;

/// What a script may use before it is ended.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Steps of the language.
    pub operations: u64,
    /// From the script's start to its end.
    pub time: Duration,
    /// Growth of the whole process while it runs, in bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { operations: 1_000_000, time: Duration::from_secs(3), memory: 192 * 1024 * 1024 }
    }
}

/// What an earlier action left, as the script sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    pub iteration: u32,
    /// The action's type, as the signal names it.
    pub kind: String,
    /// The command, script, path or question.
    pub content: String,
    /// Its exit status, where it had one.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Which rule a script broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalErrorKind {
    TooLong,
    Syntax,
    /// It names something that a script does not have.
    Unavailable,
    Operations,
    Time,
    Memory,
    Depth,
    Size,
    /// It did something wrong: a wrong type, a place outside an array, its own `throw`.
    Failed,
}

/// Why there is no answer, in words that a model can mend its script by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{words}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct EvalError {
    pub kind: EvalErrorKind,
    pub line: Option<usize>,
    pub words: String,
}

/// Runs a script over the last results, oldest first, and tells its last value: text as it is, arrays and maps as JSON,
/// after whatever it printed. Blocks for as long as `limits.time`; callers give it a thread that may block.
pub fn eval(script: &str, results: &[Given], limits: Limits) -> Result<String, EvalError> {
    if script.len() > SCRIPT {
        let words = format!("the script is longer than {SCRIPT} bytes; work in smaller pieces");
        return Err(EvalError { kind: EvalErrorKind::TooLong, line: None, words });
    }
    thread::scope(|scope| {
        let run = || run(script, results, limits);
        let failed =
            |words: &str| Err(EvalError { kind: EvalErrorKind::Failed, line: None, words: words.to_owned() });
        match thread::Builder::new().name("eval".to_owned()).stack_size(STACK).spawn_scoped(scope, run) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|_| failed("the script broke the interpreter; write it more plainly")),
            Err(_) => failed("there was no room to run the script; try again"),
        }
    })
}

fn run(script: &str, results: &[Given], limits: Limits) -> Result<String, EvalError> {
    let watch = Watch::new(limits);
    let printed = Arc::new(Mutex::new(String::new()));
    let engine = engine(watch, Arc::clone(&printed));
    let mut scope = Scope::new();
    let results: Vec<Dynamic> = results.iter().map(value::given).collect();
    scope.push_dynamic("last", results.last().cloned().unwrap_or(Dynamic::UNIT));
    scope.push_dynamic("results", results.into());
    let answer =
        engine.eval_with_scope::<Dynamic>(&mut scope, script).map_err(|error| told(&error, limits))?;
    let answer = value::text(&answer)?;
    let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = match (printed.trim_end(), answer.as_str()) {
        ("", "") => "(no value)",
        ("", answer) => answer,
        (printed, "") => printed,
        (printed, answer) => &format!("{printed}\n{answer}"),
    };
    Ok(head_and_tail(whole, ANSWER))
}

/// An engine with nothing in it but what is named here.
fn engine(watch: Watch, printed: Arc<Mutex<String>>) -> Engine {
    let mut engine = Engine::new_raw();
    for package in [
        ArithmeticPackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        BasicMathPackage::new().as_shared_module(),
        BasicStringPackage::new().as_shared_module(),
        MoreStringPackage::new().as_shared_module(),
        BasicArrayPackage::new().as_shared_module(),
        BasicMapPackage::new().as_shared_module(),
        BasicIteratorPackage::new().as_shared_module(),
    ] {
        engine.register_global_module(package);
    }
    for word in DISABLED {
        engine.disable_symbol(word);
    }
    engine
        .set_max_operations(watch.limits.operations)
        .set_max_string_size(TEXT)
        .set_max_array_size(ARRAY)
        .set_max_map_size(MAP)
        .set_max_variables(VARIABLES)
        .set_max_functions(FUNCTIONS)
        .set_max_call_levels(CALLS)
        .set_max_expr_depths(EXPRESSION, EXPRESSION)
        .set_max_strings_interned(0);
    engine.on_progress(move |operations| watch.broken(operations).map(|kind| Dynamic::from_int(kind as i64)));
    let lines = Arc::clone(&printed);
    engine.on_print(move |line| print(&lines, line));
    engine.on_debug(move |line, _, _| print(&printed, line));
    functions::register(&mut engine, watch);
    engine
}

/// Printed lines are kept for the answer, and reach nothing else.
fn print(printed: &Mutex<String>, line: &str) {
    let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
    if printed.len() < TEXT {
        // Writing to a string cannot fail.
        let _ = writeln!(printed, "{line}");
    }
}

/// The time and the memory of one script.
#[derive(Debug, Clone, Copy)]
struct Watch {
    limits: Limits,
    started: Instant,
    resident: Option<u64>,
}

impl Watch {
    fn new(limits: Limits) -> Self {
        Self { limits, started: Instant::now(), resident: resident() }
    }

    fn is_late(&self) -> bool {
        self.started.elapsed() > self.limits.time
    }

    fn broken(&self, operations: u64) -> Option<EvalErrorKind> {
        if self.is_late() {
            return Some(EvalErrorKind::Time);
        }
        let grown = || Some(resident()?.saturating_sub(self.resident?));
        let too_big =
            operations.is_multiple_of(LOOK) && grown().is_some_and(|grown| grown > self.limits.memory);
        too_big.then_some(EvalErrorKind::Memory)
    }
}

/// What the process has in memory, where the platform tells.
fn resident() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

fn told(error: &EvalAltResult, limits: Limits) -> EvalError {
    let inner = innermost(error);
    let (kind, words) = match inner {
        EvalAltResult::ErrorParsing(ParseErrorType::ExprTooDeep, _) => (
            EvalErrorKind::Depth,
            "the expression is nested too deeply; put parts of it into variables".to_owned(),
        ),
        EvalAltResult::ErrorParsing(ParseErrorType::Reserved(word), _) => unavailable(word),
        EvalAltResult::ErrorParsing(ParseErrorType::BadInput(LexError::ImproperSymbol(word, _)), _)
            if DISABLED.contains(&word.as_str()) =>
        {
            unavailable(word)
        }
        EvalAltResult::ErrorParsing(ParseErrorType::LiteralTooLarge(..), _) => too_large(),
        EvalAltResult::ErrorParsing(ParseErrorType::TooManyFunctions, _) => {
            (EvalErrorKind::Size, format!("more than {FUNCTIONS} functions; use fewer"))
        }
        EvalAltResult::ErrorParsing(parse, _) => {
            (EvalErrorKind::Syntax, format!("{parse}; the language is Rhai, mend the script"))
        }
        EvalAltResult::ErrorFunctionNotFound(call, _) => (
            EvalErrorKind::Unavailable,
            format!(
                "there is no `{call}`; a script has no files, network or programs (use shell or file_read for \
                 them), and these functions beside the language's own: {}",
                functions::NAMES
            ),
        ),
        EvalAltResult::ErrorTooManyOperations(_) => (
            EvalErrorKind::Operations,
            format!("more than {} operations; is there a loop without an end?", limits.operations),
        ),
        EvalAltResult::ErrorStackOverflow(_) => {
            (EvalErrorKind::Depth, format!("calls are nested more than {CALLS} deep; use a loop"))
        }
        EvalAltResult::ErrorTooManyVariables(_) => {
            (EvalErrorKind::Size, format!("more than {VARIABLES} variables; use fewer"))
        }
        EvalAltResult::ErrorDataTooLarge(..) => too_large(),
        EvalAltResult::ErrorTerminated(token, _) if token.as_int() == Ok(EvalErrorKind::Memory as i64) => (
            EvalErrorKind::Memory,
            "it took too much memory; keep only what is needed of each value".to_owned(),
        ),
        EvalAltResult::ErrorTerminated(..) => (
            EvalErrorKind::Time,
            format!("it took longer than {} s; do less, or look at less", limits.time.as_secs_f32()),
        ),
        EvalAltResult::ErrorRuntime(thrown, _) => (EvalErrorKind::Failed, thrown.to_string()),
        other => (EvalErrorKind::Failed, without_place(other)),
    };
    EvalError { kind, line: inner.position().line(), words: head_and_tail(&words, 1000) }
}

fn unavailable(word: &str) -> (EvalErrorKind, String) {
    let words = format!(
        "`{word}` is not there: a script has no modules, files, network or programs, and runs no text"
    );
    (EvalErrorKind::Unavailable, words)
}

fn too_large() -> (EvalErrorKind, String) {
    let words = format!(
        "a value became too large (most: {TEXT} bytes of text, {ARRAY} entries, {MAP} fields); work on a part of it"
    );
    (EvalErrorKind::Size, words)
}

fn innermost(error: &EvalAltResult) -> &EvalAltResult {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => innermost(inner),
        other => other,
    }
}

/// The line is told once, and first.
fn without_place(error: &EvalAltResult) -> String {
    let words = error.to_string();
    let place = match error.position() {
        Position::NONE => return words,
        place => format!(" ({place})"),
    };
    words.replace(&place, "")
}
