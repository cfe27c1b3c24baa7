//! Contents for a file: which file the page means, and whether they become it, are added to it, or replace a line of it.

use planwright_page::{Code, Inline, InlineKind};

use super::outline::{Lead, Spot, sentences};
use super::verdict::shortened;
use super::words::words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    Write,
    Append,
}

/// What a line of a drawn tree begins with.
const BRANCHES: [&str; 4] = ["├─", "└─", "|-- ", "`-- "];

/// Languages that stand in the same files, by their names and the files' endings.
const LANGUAGES: [&str; 16] = [
    "rs rust",
    "toml",
    "py python python3",
    "json jsonc json5",
    "yaml yml",
    "js javascript ts typescript mjs cjs mts cts jsx tsx",
    "html htm",
    "css scss sass less",
    "xml",
    "go golang",
    "c h cpp hpp cc c++",
    "md markdown",
    "java",
    "rb ruby",
    "php",
    "sql",
];

/// Contents with where they belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileFound {
    pub(super) path: String,
    pub(super) mode: FileMode,
    pub(super) why: String,
}

/// The file that the page gives these contents for, if it names one.
pub(super) fn file_for(spot: &Spot<'_>, code: &Code) -> Option<FileFound> {
    // A drawing of folders holds names, and is nothing that stands in a file.
    if code.text.lines().any(|line| BRANCHES.iter().any(|branch| line.trim_start().starts_with(branch))) {
        return None;
    }
    let found = named(spot, code).filter(|found| fits(&found.path, code))?;
    let name = found.path.rsplit('/').next().unwrap_or(&found.path).to_lowercase();
    // A part of it is for a person to put in its place.
    if is_compose_file(&name) && !code.text.lines().any(|line| line.starts_with("services:")) {
        return None;
    }
    // What a shell reads when it starts is its user's; a page adds to it, whatever its words.
    if is_read_at_start(&found.path) {
        return Some(FileFound { mode: FileMode::Append, ..found });
    }
    // A line or two for a file of the system do not become the whole of it.
    let is_edited = spot.lead.as_ref().is_some_and(|lead| words().file("edit", &lead.text).is_some());
    let is_of_system = found.path.starts_with("/etc/") && code.text.trim().lines().count() <= 3;
    let is_new = spot.lead.as_ref().is_some_and(|lead| lead.text.to_lowercase().contains("creat"));
    if is_of_system && is_edited && !is_new {
        return Some(FileFound { mode: FileMode::Append, ..found });
    }
    let is_created = spot.lead.as_ref().is_some_and(|lead| lead.text.to_lowercase().contains("creat"));
    // What a project has already is added to, where its form allows that, unless these are whole contents for a new one.
    if is_created || is_whole(&code.text) || !words().manifests.contains(&name) {
        return Some(found);
    }
    name.ends_with(".toml").then_some(FileFound { mode: FileMode::Append, ..found })
}

fn is_compose_file(name: &str) -> bool {
    (name.starts_with("docker-compose") || name.starts_with("compose")) && name.ends_with("ml")
}

/// Whether a shell reads the file when it starts.
pub(super) fn is_read_at_start(path: &str) -> bool {
    words().shell_of(path).is_some()
}

/// Whether a block's language can stand in a file with such an ending. What either does not say fits.
fn fits(path: &str, code: &Code) -> bool {
    let kind = |name: &str| {
        LANGUAGES.iter().position(|names| names.split(' ').any(|one| one == name.to_lowercase()))
    };
    let language = code.language.as_deref().and_then(kind);
    let ending =
        path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).and_then(|(_, end)| kind(end));
    language.is_none() || ending.is_none() || language == ending
}

/// Whether a manifest names what it is the manifest of.
fn is_whole(contents: &str) -> bool {
    let begins = |sign: &str| contents.lines().any(|line| line.trim() == sign);
    begins("[package]")
        || begins("[project]")
        || contents.contains("\"name\":") && contents.contains("\"version\":")
}

fn named(spot: &Spot<'_>, code: &Code) -> Option<FileFound> {
    if let Some(title) =
        code.title.as_deref().or_else(|| attribute(code)).filter(|title| is_path(title.trim()))
    {
        let mode = spot.lead.as_ref().map_or(FileMode::Write, |lead| mode_of(&lead.text));
        // The sentence may say in which folder.
        let said = spot.lead.as_ref().map(|lead| paths_in(&lead.text, &lead.inline, 0..lead.text.len()));
        let whole = said.into_iter().flatten().find(|path| path.ends_with(&format!("/{}", title.trim())));
        return Some(FileFound {
            path: whole.unwrap_or_else(|| title.trim().to_owned()),
            mode,
            why: format!("the block is headed \u{201c}{}\u{201d}", title.trim()),
        });
    }
    if let Some(path) = first_line_path(&code.text) {
        return Some(FileFound { why: format!("its first line names {path}"), path, mode: FileMode::Write });
    }
    if let Some((text, inline)) = &spot.after
        && let Some(said) = words().file("after", text)
        && let Some(path) = path_behind(text, inline, text.find(said).unwrap_or(0))
    {
        return Some(FileFound {
            path,
            mode: FileMode::Write,
            why: format!("\u{201c}{}\u{201d}", shortened(text)),
        });
    }
    let lead = spot.lead.as_ref().filter(|lead| !lead.carried)?;
    from_lead(lead)
}

fn from_lead(lead: &Lead) -> Option<FileFound> {
    let all = sentences(&lead.text);
    let last = all.last()?;
    if words().file("illustrates", last).is_some() && words().file("append", last).is_none() {
        return None;
    }
    // The sentence that leads to the block, else the one before it.
    for sentence in all.iter().rev().take(2) {
        if words().file("write", sentence).is_none() {
            continue;
        }
        let start = lead.text.find(sentence).unwrap_or(0);
        let end = start + sentence.len();
        let paths = paths_in(&lead.text, &lead.inline, start..end);
        if let Some(path) = paths.last() {
            let why = format!("\u{201c}{}\u{201d}", shortened(sentence));
            return Some(FileFound { path: path.clone(), mode: mode_of(sentence), why });
        }
    }
    None
}

fn mode_of(text: &str) -> FileMode {
    if words().file("append", text).is_some() && !text.to_lowercase().contains("creat") {
        FileMode::Append
    } else {
        FileMode::Write
    }
}

fn attribute(code: &Code) -> Option<&str> {
    code.attributes
        .iter()
        .find(|(name, _)| {
            matches!(name.as_str(), "title" | "file" | "filename" | "path" | "name" | "caption" | "tangle")
        })
        .map(|(_, value)| value.as_str())
}

/// `# /etc/x.conf`, `// src/index.js`, `<!-- index.html -->` as the first line.
fn first_line_path(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let inside = ["#", "//", ";", "--", "/*", "<!--", "%"].iter().find_map(|mark| line.strip_prefix(mark))?;
    let inside = inside.trim().trim_end_matches("-->").trim_end_matches("*/").trim().trim_end_matches(':');
    let inside = inside
        .strip_prefix("file ")
        .or(inside.strip_prefix("File: "))
        .or(inside.strip_prefix("filename: "))
        .unwrap_or(inside);
    (is_path(inside) && text.trim().lines().count() > 1).then(|| inside.to_owned())
}

fn path_behind(text: &str, inline: &[Inline], at: usize) -> Option<String> {
    paths_in(text, inline, at..text.len()).into_iter().next()
}

/// Paths that a stretch of text names, marked or plain.
pub(super) fn paths_in(text: &str, inline: &[Inline], range: std::ops::Range<usize>) -> Vec<String> {
    let marked: Vec<&Inline> = inline
        .iter()
        .filter(|one| {
            range.contains(&one.at)
                && (!matches!(one.kind, InlineKind::Link { .. }) || is_path(one.text.trim()))
        })
        .collect();
    let mut found: Vec<String> =
        marked.iter().map(|one| one.text.trim()).filter(|word| is_path(word)).map(str::to_owned).collect();
    if found.is_empty() {
        let words = text.get(range).unwrap_or_default().split_whitespace();
        found = words
            .map(|word| {
                word.trim_matches(['`', '\'', '"', ',', ';', ':', '(', ')', '*', '_', '\u{201c}', '\u{201d}'])
                    .trim_end_matches('.')
            })
            .filter(|word| is_path(word) && (word.contains('/') || word.contains('.')))
            .map(str::to_owned)
            .collect();
    }
    found
}

/// Whether a word is the path of a file, by its form.
pub(super) fn is_path(word: &str) -> bool {
    const BARE: [&str; 14] = [
        "Dockerfile",
        "Makefile",
        "Vagrantfile",
        "Procfile",
        "Gemfile",
        "Caddyfile",
        "Jenkinsfile",
        "Pipfile",
        "Containerfile",
        "crontab",
        "Justfile",
        "justfile",
        "Rakefile",
        "Brewfile",
    ];
    if word.is_empty()
        || word.len() > 160
        || word.contains(char::is_whitespace)
        || word.contains("://")
        || word.contains(['(', ')', '|', ',', ';', '=', '?', '&', '*'])
    {
        return false;
    }
    if word.ends_with('/') || word.starts_with('-') || word.starts_with('@') || word.starts_with("www.") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    if BARE.contains(&name) {
        return true;
    }
    let rooted = word.contains('/') && word.starts_with(['/', '~', '.']);
    if let Some(hidden) = name.strip_prefix('.').filter(|rest| !rest.contains('.')) {
        return words().hidden.contains(hidden)
            || hidden.ends_with("rc") && hidden.len() > 2
            || rooted && hidden.len() > 2;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        let rooted = word.starts_with("/etc/")
            || word.starts_with("~/.")
            || word.starts_with("/usr/local/")
            || word.starts_with("/var/");
        return rooted && !name.is_empty();
    };
    let is_ending = words().endings.contains(&ending.to_lowercase()) || rooted && !ending.is_empty();
    let is_host = !word.contains('/')
        && matches!(ending, "com" | "org" | "net" | "io" | "dev" | "de" | "uk" | "app" | "ai" | "co");
    let is_version = stem.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == 'v')
        && ending.chars().all(|letter| letter.is_ascii_digit() || letter == 'x');
    let is_code = stem.is_empty()
        || stem.starts_with(|letter: char| letter.is_uppercase())
            && !word.contains('/')
            && matches!(ending, "js")
            && stem == "Node";
    is_ending && !is_host && !is_version && !is_code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_hosts_versions_and_words() {
        for path in [
            "a.txt",
            ".env",
            "/etc/fail2ban/jail.local",
            "src/index.js",
            "Dockerfile",
            "/etc/hosts",
            "~/.bashrc",
            "docker-compose.yml",
            "rules.v4",
            "app/settings.py",
            "/etc/nginx/sites-available/site",
        ] {
            assert!(is_path(path), "{path}");
        }
        for word in [
            "example.com",
            "1.2.3",
            "Node.js",
            "--flag",
            "a b.txt",
            "http://a/b.txt",
            "docs/",
            "word",
            "",
            "print(x.y)",
        ] {
            assert!(!is_path(word), "{word}");
        }
    }
}
