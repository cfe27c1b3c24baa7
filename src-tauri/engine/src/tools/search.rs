//! Lines of text files that match a pattern. Follows no links, opens ordinary files only, and stays within bounds of
//! matches, bytes and time. Files that usually hold passwords or keys are passed over unless one is named itself.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Walk, WalkBuilder};
use regex::bytes::{Regex, RegexBuilder};

use super::prepare::Target;
use super::{ToolFailure, prepare, reach};
use crate::plan::card::harmless;
use crate::risk::holds_secrets;

/// Matching lines that the model is told.
const MAX_MATCHES: usize = 200;
/// The same in bytes.
const MAX_TOLD: usize = 32 * 1024;
/// Most of one line, in characters.
const MAX_LINE: usize = 300;
/// Larger files are passed over.
const MAX_FILE: u64 = 5 * 1024 * 1024;
/// Largest file of ignore rules that is read.
const MAX_RULES: u64 = 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
/// Memory that a pattern may take, in bytes.
const MAX_PATTERN: usize = 4 * 1024 * 1024;

/// What came of a search, besides its lines.
#[derive(Debug, Default)]
struct Found {
    lines: String,
    matches: usize,
    files: usize,
    large: usize,
    secret: usize,
    unruly: usize,
    full: bool,
    late: bool,
}

pub(super) fn pattern(pattern: &str, ignore_case: bool) -> Result<Regex, ToolFailure> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_PATTERN)
        .build()
        .map_err(|error| ToolFailure::BadPattern { why: first_words(&error.to_string()) })
}

/// The files that `glob` lets in. Apart from the walk's own rules, so that it lets in nothing that those leave out.
pub(super) fn only(glob: Option<&str>, root: &Path) -> Result<Override, ToolFailure> {
    let bad = |error: ignore::Error| ToolFailure::BadPattern { why: first_words(&error.to_string()) };
    let mut builder = OverrideBuilder::new(root);
    if let Some(glob) = glob {
        builder.add(glob).map_err(bad)?;
    }
    builder.build().map_err(bad)
}

pub(super) fn search(
    target: &Target,
    wanted: &str,
    glob: Option<&str>,
    ignore_case: bool,
    cancel: &AtomicBool,
) -> Result<String, ToolFailure> {
    let regex = pattern(wanted, ignore_case)?;
    let only = only(glob, &target.path)?;
    // Whoever searches the folder of keys itself was asked about that.
    let careful = !holds_secrets(&target.path);
    let until = Instant::now() + PATIENCE;
    let mut found = Found::default();
    let unruly = Arc::new(AtomicUsize::new(0));
    let walk = walk(&target.path, &unruly);
    for entry in walk {
        if cancel.load(Ordering::Relaxed) {
            return Err(ToolFailure::Cancelled);
        }
        if found.full || Instant::now() > until {
            found.late = !found.full;
            break;
        }
        // What cannot be looked at is passed over, as with every search.
        let Ok(entry) = entry else { continue };
        let named = entry.depth() == 0;
        let path = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        if !named && only.matched(path, false).is_ignore() {
            continue;
        }
        if careful && !named && holds_secrets(path) {
            found.secret += 1;
            continue;
        }
        let Ok((file, stat)) = reach::file(path) else { continue };
        if u64::try_from(stat.st_size).is_ok_and(|size| size > MAX_FILE) {
            found.large += 1;
            continue;
        }
        let mut bytes = Vec::new();
        if file.take(MAX_FILE).read_to_end(&mut bytes).is_err() || memchr::memchr(0, &bytes).is_some() {
            continue;
        }
        found.files += 1;
        found.file(&shown(path, target), &bytes, &regex);
    }
    found.unruly = unruly.load(Ordering::Relaxed);
    Ok(found.told())
}

/// The files below, without those that are hidden or that `.gitignore` and `.ignore` name. A folder whose rules cannot
/// be read safely is passed over and counted; where that is `root` or one above it, no rules count.
fn walk(root: &Path, unruly: &Arc<AtomicUsize>) -> Walk {
    let ruled = root.ancestors().all(has_readable_rules);
    let unruly = Arc::clone(unruly);
    WalkBuilder::new(root)
        .standard_filters(false)
        .hidden(true)
        .ignore(ruled)
        .git_ignore(ruled)
        .parents(ruled)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::cmp::Ord::cmp)
        .filter_entry(move |entry| {
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            let fine = !ruled || has_readable_rules(entry.path());
            if !fine {
                unruly.fetch_add(1, Ordering::Relaxed);
            }
            fine && !prepare::is_not_stored(entry.path())
        })
        .build()
}

/// The walk opens these by their names alone: a pipe among them would hold it up for ever, a link to an endless device
/// would fill the memory.
fn has_readable_rules(folder: &Path) -> bool {
    [".gitignore", ".ignore"].iter().all(|name| match folder.join(name).metadata() {
        Ok(found) => found.is_file() && found.len() <= MAX_RULES,
        // Not there, or a link to nothing: nothing will be opened.
        Err(_) => true,
    })
}

impl Found {
    fn file(&mut self, name: &str, bytes: &[u8], regex: &Regex) {
        let (mut line, mut counted, mut at) = (1usize, 0usize, 0usize);
        while at <= bytes.len() && !self.full {
            let Some(hit) = regex.find_at(bytes, at) else { return };
            // An empty match behind the last line's end is in no line.
            if hit.start() == bytes.len() && (bytes.is_empty() || bytes.ends_with(b"\n")) {
                return;
            }
            line += memchr::memchr_iter(b'\n', &bytes[counted..hit.start()]).count();
            counted = hit.start();
            let start = memchr::memrchr(b'\n', &bytes[..hit.start()]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &bytes[hit.start()..]).map_or(bytes.len(), |at| hit.start() + at);
            self.line(name, line, &bytes[start..end]);
            at = end + 1;
        }
    }

    fn line(&mut self, name: &str, number: usize, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end();
        let mut shown: String = text.chars().take(MAX_LINE).collect();
        if shown.len() < text.len() {
            shown.push_str(" [cut]");
        }
        let line = format!("{name}:{number}: {shown}\n");
        if self.matches == MAX_MATCHES || self.lines.len() + line.len() > MAX_TOLD {
            self.full = true;
            return;
        }
        self.matches += 1;
        self.lines.push_str(&line);
    }

    fn told(mut self) -> String {
        let mut note = |applies: bool, text: String| {
            if applies {
                self.lines.push_str(&format!("[{text}]\n"));
            }
        };
        note(self.matches == 0, format!("No match. Files searched: {}.", self.files));
        note(self.full, "There are more matches. Narrow the pattern, the path or the glob.".to_owned());
        note(self.late, format!("Stopped after {} s. Narrow the path or the glob.", PATIENCE.as_secs()));
        note(self.large > 0, format!("Files over {MAX_FILE} bytes, passed over: {}.", self.large));
        note(
            self.secret > 0,
            format!("Files that usually hold passwords or keys, passed over: {}.", self.secret),
        );
        note(self.unruly > 0, format!("Folders with unreadable ignore rules, passed over: {}.", self.unruly));
        self.lines
    }
}

fn shown(path: &Path, target: &Target) -> String {
    let inside = path.strip_prefix(&target.path).unwrap_or(path);
    let whole = match (inside.as_os_str().is_empty(), target.shown.as_str()) {
        (true, shown) => return shown.to_owned(),
        (false, ".") => inside.to_owned(),
        (false, shown) => Path::new(shown).join(inside),
    };
    harmless(&whole.to_string_lossy())
}

fn first_words(text: &str) -> String {
    const WORDS: usize = 300;
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" ")).chars().take(WORDS).collect()
}
