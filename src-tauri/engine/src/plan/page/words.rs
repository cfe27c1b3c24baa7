//! The tables of words, read once. What is language, or a name that the field gives a thing, stands in `words/*.toml`; the code
//! knows only what kinds there are.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::machine::{Fit, Machine};
use super::phrase::{Phrases, Words as Text};
use crate::protocol::Readiness;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct System {
    pub(super) name: String,
    words: Vec<String>,
    pub(super) is: Vec<String>,
    pub(super) family: Vec<String>,
    codenames: Vec<String>,
    pub(super) kernel: Option<String>,
    pub(super) other: bool,
    related: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Manager {
    pub(super) name: String,
    pub(super) programs: Vec<String>,
    pub(super) verbs: Vec<String>,
    words: Vec<String>,
    /// Can be had on any machine.
    pub(super) obtainable: bool,
}

impl Manager {
    pub(super) fn has_verb(&self, word: &str) -> bool {
        self.verbs.iter().any(|verb| *verb == word.to_lowercase())
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct ServiceWords {
    starts: Vec<String>,
    /// Where it listens unless told otherwise; without one nothing says when it is ready.
    port: Option<u16>,
    /// It writes its address when it is ready.
    #[serde(default)]
    address: bool,
}

#[derive(Deserialize)]
struct SystemsFile {
    system: Vec<System>,
    processor: Vec<System>,
}

#[derive(Deserialize)]
struct ProgramsFile {
    foreign: BTreeMap<String, HashSet<String>>,
    manager: Vec<Manager>,
    families: BTreeMap<String, Vec<String>>,
    languages: BTreeMap<String, HashSet<String>>,
    interactive: Listed,
    editors: Listed,
    person: BTreeMap<String, Vec<String>>,
    once: Verbs,
    service: Vec<ServiceWords>,
    known: KnownPrograms,
    files: FileNames,
    commands: CommandWords,
    dialects: BTreeMap<String, Vec<String>>,
    start_up: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct FileNames {
    endings: String,
    hidden: HashSet<String>,
    manifests: HashSet<String>,
}

/// Words of command lines.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CommandWords {
    no_names: Vec<String>,
    builds: Vec<String>,
    forms: Vec<String>,
    in_source: Vec<String>,
    makes: Vec<String>,
    takes_away: Vec<String>,
    container_switches: Vec<String>,
}

#[derive(Deserialize)]
struct Listed {
    programs: Vec<String>,
}
#[derive(Deserialize)]
struct Verbs {
    verbs: Vec<String>,
}
#[derive(Deserialize)]
struct KnownPrograms {
    programs: String,
}

/// A language's words by table and kind.
#[derive(Deserialize)]
struct LanguageFile {
    heading: BTreeMap<String, Vec<String>>,
    main: Vec<String>,
    teaches: Vec<String>,
    lead: BTreeMap<String, Vec<String>>,
    file: BTreeMap<String, Vec<String>>,
    manual: BTreeMap<String, Vec<String>>,
    placeholder: BTreeMap<String, Vec<String>>,
    way: BTreeMap<String, Vec<String>>,
}

pub(super) struct Words {
    pub(super) systems: Vec<System>,
    processors: Vec<System>,
    /// Every name of a system, longest first.
    names: Vec<(Vec<String>, usize)>,
    manager_names: Vec<(Vec<String>, usize)>,
    pub(super) managers: Vec<Manager>,
    pub(super) families: BTreeMap<String, Vec<String>>,
    pub(super) foreign: BTreeMap<String, HashSet<String>>,
    languages: BTreeMap<String, HashSet<String>>,
    pub(super) interactive: HashSet<String>,
    pub(super) editors: HashSet<String>,
    pub(super) person: BTreeMap<String, Vec<String>>,
    pub(super) once: Vec<String>,
    services: Vec<ServiceWords>,
    pub(super) known: HashSet<String>,
    start_up: BTreeMap<String, Vec<String>>,
    /// Endings that names of files have, and hidden files by name.
    pub(super) endings: HashSet<String>,
    pub(super) hidden: HashSet<String>,
    /// Files that a project has from its beginning, in small letters.
    pub(super) manifests: HashSet<String>,
    pub(super) headings: BTreeMap<String, Phrases>,
    pub(super) main: Phrases,
    pub(super) teaches: Phrases,
    lead: BTreeMap<String, Phrases>,
    file: BTreeMap<String, Phrases>,
    pub(super) manual: BTreeMap<String, Phrases>,
    placeholder: BTreeMap<String, Phrases>,
    /// Words beside a way's name.
    pub(super) filler: HashSet<String>,
    /// Words between a thing and the way to it: "with", "from".
    pub(super) by: HashSet<String>,
    /// What a clause begins with that gives no order, and what such a clause has behind its subject.
    pub(super) subjects: HashSet<String>,
    pub(super) states: HashSet<String>,
    /// Parts of addresses that name nothing, programs that build, and words by which a command makes something.
    pub(super) no_names: HashSet<String>,
    pub(super) container_switches: HashSet<String>,
    pub(super) builds: HashSet<String>,
    /// Beginnings of commands that build one thing, and of those that use the files of their folder.
    pub(super) forms: Vec<String>,
    pub(super) in_source: Vec<String>,
    pub(super) makes: HashSet<String>,
    takes_away: Vec<String>,
    dialects: BTreeMap<String, Vec<String>>,
    /// Verbs whose object is no way: "Install Docker".
    pub(super) acts: HashSet<String>,
    pub(super) numbered: Phrases,
    /// What a way is called.
    pub(super) way_noun: Phrases,
    pub(super) plain: Phrases,
}

/// The tables.
pub(super) fn words() -> &'static Words {
    static WORDS: LazyLock<Words> = LazyLock::new(Words::load);
    &WORDS
}

macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/words/", $name, ".json"))
    };
}

impl Words {
    // The tables are part of the program, and a test reads them.
    #[allow(clippy::expect_used)]
    fn load() -> Self {
        let systems: SystemsFile =
            serde_json::from_str(table!("systems")).expect("the table of systems is well formed");
        let programs: ProgramsFile =
            serde_json::from_str(table!("programs")).expect("the table of programs is well formed");
        let english: LanguageFile =
            serde_json::from_str(table!("en")).expect("the table of English is well formed");
        let phrases = |table: BTreeMap<String, Vec<String>>| -> BTreeMap<String, Phrases> {
            table.into_iter().map(|(kind, texts)| (kind, Phrases::of(&texts))).collect()
        };
        let names = |each: Vec<(usize, &Vec<String>)>| {
            let mut names: Vec<(Vec<String>, usize)> = each
                .into_iter()
                .flat_map(|(place, words)| {
                    words
                        .iter()
                        .map(move |name| (name.split_whitespace().map(str::to_owned).collect(), place))
                })
                .collect();
            names.sort_by_key(|(name, _)| {
                std::cmp::Reverse((name.len(), name.iter().map(String::len).sum::<usize>()))
            });
            names
        };
        Self {
            names: names(systems.system.iter().enumerate().map(|(place, one)| (place, &one.words)).collect()),
            manager_names: names(
                programs.manager.iter().enumerate().map(|(place, one)| (place, &one.words)).collect(),
            ),
            systems: systems.system,
            processors: systems.processor,
            managers: programs.manager,
            families: programs.families,
            foreign: programs.foreign,
            languages: programs.languages,
            interactive: programs.interactive.programs.into_iter().collect(),
            editors: programs.editors.programs.into_iter().collect(),
            person: programs.person,
            once: programs.once.verbs,
            services: programs.service,
            endings: programs.files.endings.split_whitespace().map(str::to_owned).collect(),
            hidden: programs.files.hidden,
            manifests: programs.files.manifests,
            start_up: programs.start_up,
            known: programs.known.programs.split_whitespace().map(str::to_owned).collect(),
            headings: phrases(english.heading),
            main: Phrases::of(&english.main),
            teaches: Phrases::of(&english.teaches),
            lead: phrases(english.lead),
            file: phrases(english.file),
            manual: phrases(english.manual),
            placeholder: phrases(english.placeholder),
            filler: listed(&english.way, "filler").into_iter().collect(),
            by: listed(&english.way, "by").into_iter().collect(),
            subjects: listed(&english.way, "subjects").into_iter().collect(),
            states: listed(&english.way, "states").into_iter().collect(),
            no_names: programs.commands.no_names.into_iter().collect(),
            container_switches: programs.commands.container_switches.into_iter().collect(),
            builds: programs.commands.builds.into_iter().collect(),
            forms: programs.commands.forms,
            in_source: programs.commands.in_source,
            makes: programs.commands.makes.into_iter().collect(),
            takes_away: programs.commands.takes_away,
            dialects: programs.dialects,
            acts: listed(&english.way, "verbs").into_iter().collect(),
            numbered: Phrases::of(&listed(&english.way, "numbered")),
            way_noun: Phrases::of(&listed(&english.way, "nouns")),
            plain: Phrases::of(&listed(&english.way, "plain")),
        }
    }

    /// What of a sentence says that the block behind it is of this kind.
    pub(super) fn lead<'t>(&self, kind: &str, text: &'t str) -> Option<&'t str> {
        self.lead.get(kind)?.find(text)
    }

    pub(super) fn file<'t>(&self, kind: &str, text: &'t str) -> Option<&'t str> {
        self.file.get(kind)?.find(text)
    }

    /// How many words name what a command builds, before its options: `cargo build`.
    pub(super) fn form_of(&self, command: &[String]) -> Option<usize> {
        let begins = |form: &&String| {
            let mut words = command.iter();
            form.split(' ').all(|word| words.next().is_some_and(|next| next == word))
        };
        self.forms.iter().find(begins).map(|form| form.split(' ').count())
    }

    /// Whether a command uses the files of the project whose folder it is run in.
    pub(super) fn is_in_source(&self, text: &str) -> bool {
        let text = text.trim().trim_start_matches("sudo ").trim_start();
        self.in_source.iter().any(|start| {
            let Some(rest) = text.strip_prefix(start.as_str()) else { return false };
            let goes_on = rest.starts_with(|next: char| next.is_alphanumeric() || "-_".contains(next));
            // With a package's name it gets that, from wherever it is run.
            let program = text.split_whitespace().next().unwrap_or_default();
            let gets =
                self.families.get("javascript").is_some_and(|all| all.iter().any(|name| name == program));
            let is_named = rest
                .split_whitespace()
                .any(|word| !word.starts_with('-') || matches!(word, "-g" | "--global"));
            !(goes_on || rest.contains("://") || gets && is_named)
        })
    }

    /// The shell other than bash whose statements a text has: lines that begin as no line for bash does.
    pub(super) fn dialect_of(&self, text: &str) -> Option<&str> {
        let begins = |starts: &Vec<String>| {
            text.lines().any(|line| starts.iter().any(|start| line.trim_start().starts_with(start.as_str())))
        };
        self.dialects.iter().find(|(_, starts)| begins(starts)).map(|(shell, _)| shell.as_str())
    }

    /// Whether a command only shows what goes on, until it is stopped.
    pub(super) fn only_watches(&self, command: &[&str]) -> bool {
        let Some((program, rest)) = command.split_first() else { return false };
        let follows = |word: &&str| {
            matches!(*word, "--follow" | "--tail")
                || word.strip_prefix('-').is_some_and(|letters| {
                    letters.len() < 4
                        && letters.contains('f')
                        && letters.chars().all(|sign| sign.is_ascii_lowercase())
                })
        };
        let shows = match *program {
            "journalctl" | "tail" => true,
            _ => rest.iter().take(3).any(|word| *word == "logs"),
        };
        shows && rest.iter().any(follows)
    }

    /// Whether a command takes away again what a page sets up.
    pub(super) fn takes_away(&self, command: &[&str]) -> bool {
        let starts = |start: &String| {
            let start: Vec<&str> = start.split_whitespace().collect();
            command.starts_with(&start)
        };
        self.takes_away.iter().any(starts)
    }

    /// The shell that reads this file when it starts.
    pub(super) fn shell_of(&self, path: &str) -> Option<&str> {
        let of = |ends: &Vec<String>| ends.iter().any(|end| path.ends_with(end.as_str()));
        self.start_up.iter().find(|(_, ends)| of(ends)).map(|(shell, _)| shell.as_str())
    }

    pub(super) fn placeholder(&self, kind: &str, text: &str) -> bool {
        self.placeholder.get(kind).is_some_and(|phrases| phrases.is_in(text))
    }

    /// The first kind of heading that fits, by the order of the kinds given.
    pub(super) fn heading<'t>(&self, kind: &str, text: &'t str) -> Option<&'t str> {
        self.headings.get(kind)?.find(text)
    }

    /// When a server is ready that a command starts and that goes on until it is stopped.
    pub(super) fn served_on(&self, command: &str) -> Option<Readiness> {
        let words: Vec<&str> = command.split_whitespace().collect();
        if let Some(port) = container_port(&words) {
            return Some(Readiness::Port { port });
        }
        let starts = |service: &&ServiceWords| {
            service.starts.iter().any(|start| {
                let start: Vec<&str> = start.split_whitespace().collect();
                words.starts_with(&start)
            })
        };
        let service = self.services.iter().find(starts)?;
        if command.contains(['\n', '&', '|', ';'])
            || words.iter().any(|word| matches!(*word, "--help" | "-h" | "--version"))
        {
            return None;
        }
        match told_port(&words).filter(|_| service.port.is_some() || service.address).or(service.port) {
            Some(port) => Some(Readiness::Port { port }),
            None => service.address.then_some(Readiness::Address),
        }
    }

    pub(super) fn is_language(&self, kind: &str, language: &str) -> bool {
        self.languages.get(kind).is_some_and(|names| names.contains(language))
    }

    /// The systems that `text` names, with the version behind each.
    pub(super) fn systems_in(&self, text: &str) -> Vec<Mention> {
        let words = Text::of(text);
        let mut found = named(&words, &self.names);
        found.sort_by_key(|(range, _)| range.start);
        found
            .into_iter()
            .map(|(range, place)| {
                let system = &self.systems[place];
                let version = version_behind(&words, range.end, system);
                Mention { text: text[words.range(&range)].to_owned(), words: range, system: place, version }
            })
            .collect()
    }

    /// The processors that `text` names.
    pub(super) fn processors_in(&self, text: &str) -> Vec<(String, &System)> {
        let words = Text::of(text);
        self.processors
            .iter()
            .flat_map(|one| one.words.iter().map(move |word| (word, one)))
            .filter(|(word, _)| (0..words.len()).any(|place| words.get(place) == Some(word.as_str())))
            .map(|(word, one)| (word.clone(), one))
            .collect()
    }

    /// The ways to get a program that `text` names.
    pub(super) fn managers_in(&self, text: &str) -> Vec<&Manager> {
        let words = Text::of(text);
        let mut found = named(&words, &self.manager_names);
        found.sort_by_key(|(range, _)| range.start);
        let mut managers: Vec<&Manager> = Vec::new();
        for (_, place) in found {
            if !managers.iter().any(|known| known.name == self.managers[place].name) {
                managers.push(&self.managers[place]);
            }
        }
        managers
    }

    /// Whether a command gets something by a manager.
    pub(super) fn installs(&self, command: &[&str]) -> bool {
        self.manager_of(command).is_some_and(|one| !one.verbs.is_empty())
    }

    /// The manager that a command's first words are a call of.
    pub(super) fn manager_of(&self, command: &[&str]) -> Option<&Manager> {
        let (program, rest) = command.split_first()?;
        let (program, rest) = match (program, rest) {
            (
                &("python" | "python3"),
                ["-m", module @ ("pip" | "pipx" | "uv" | "conda" | "poetry"), rest @ ..],
            ) => (*module, rest),
            (program, rest) => (*program, rest),
        };
        self.managers.iter().find(|one| {
            one.programs.iter().any(|name| name == program)
                && (one.verbs.is_empty() || rest.iter().take(4).any(|word| one.has_verb(word)))
        })
    }
}

/// A system named in a text.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    pub(super) text: String,
    /// Which words of the text.
    pub(super) words: Range<usize>,
    system: usize,
    version: Option<String>,
}

impl Mention {
    pub(super) fn fit(&self, machine: &Machine) -> Fit {
        let system = &words().systems[self.system];
        if system.related.contains(&machine.id) {
            // What stands for a relative is of use here where nothing better is shown.
            return Fit::Rest;
        }
        machine.fit(system, self.version.as_deref())
    }
}

fn listed(table: &BTreeMap<String, Vec<String>>, key: &str) -> Vec<String> {
    table.get(key).cloned().unwrap_or_default()
}

/// Every word that is part of a name of a system, a processor or a manager.
pub(super) fn name_words() -> &'static HashSet<String> {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let words = words();
        let processors = words.processors.iter().flat_map(|one| one.words.iter().cloned());
        let names = words.names.iter().chain(&words.manager_names).flat_map(|(name, _)| name.iter().cloned());
        names.chain(processors).collect()
    });
    &NAMES
}

fn named(words: &Text, names: &[(Vec<String>, usize)]) -> Vec<(Range<usize>, usize)> {
    let mut taken = vec![false; words.len()];
    let mut found = Vec::new();
    for (name, place) in names {
        for start in 0..words.len() {
            let range = start..start + name.len();
            let fits = name.iter().enumerate().all(|(nth, word)| {
                words
                    .get(start + nth)
                    .is_some_and(|there| there == word || there.split('/').any(|part| part == word))
            });
            if fits && range.end <= words.len() && !taken[range.clone()].iter().any(|taken| *taken) {
                // "macOS/Linux" holds two names in one word.
                let shared = words
                    .get(start)
                    .is_some_and(|there| there.contains('/') && !name.contains(&there.to_owned()));
                if !shared {
                    taken[range.clone()].fill(true);
                }
                found.push((range, *place));
            }
        }
    }
    found
}

/// "12", "22.04", "bookworm", "(bookworm)", "12 (bookworm)" right behind a system's name.
fn version_behind(words: &Text, place: usize, system: &System) -> Option<String> {
    let next = words.get(place)?;
    let is_number = next.starts_with(|first: char| first.is_ascii_digit())
        && next
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.' || letter == '+' || letter == 'x');
    if is_number && !next.ends_with('+') && !next.ends_with('x') {
        return Some(next.to_owned());
    }
    system.codenames.iter().any(|name| name == next).then(|| next.to_owned())
}

/// The suite names of package sources that are not of this machine's release.
pub(super) fn other_release<'t>(machine: &Machine, text: &'t str) -> Option<&'t str> {
    let own = words().systems.iter().find(|system| system.is.contains(&machine.id))?;
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'))
        .find(|word| own.codenames.iter().any(|name| name == word) && *word != machine.codename)
}

/// A name of some release of some system.
pub(super) fn is_codename(word: &str) -> bool {
    words().systems.iter().any(|system| system.codenames.iter().any(|name| name == word))
}

/// Where a container answers that holds the terminal: `docker run -p 8080:80 image`.
fn container_port(words: &[&str]) -> Option<u16> {
    let words = words.strip_prefix(&["sudo"]).unwrap_or(words);
    let ["docker" | "podman" | "nerdctl", "run", rest @ ..] = words else { return None };
    let leaves = |word: &&&str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        **word == "--detach"
            || letters.is_some_and(|letters| letters.len() < 5 && letters.contains(['d', 't']))
    };
    if rest.iter().any(|word| word.contains([';', '&', '|', '>'])) || rest.iter().find(leaves).is_some() {
        return None;
    }
    let after = |pair: &[&str]| matches!(pair[0], "-p" | "--publish").then(|| pair[1].to_owned());
    let mapped = rest.windows(2).find_map(after).or_else(|| {
        rest.iter().find_map(|word| {
            word.strip_prefix("--publish=").or_else(|| word.strip_prefix("-p")).map(str::to_owned)
        })
    })?;
    let host = mapped.rsplit(':').nth(1)?;
    host.parse().ok()
}

/// `--port 8080`, `--port=8080`, `-p 8080`, `0.0.0.0:8080` or a bare number at the end, as `runserver 8080` has it.
fn told_port(words: &[&str]) -> Option<u16> {
    let after =
        |option: &&[&str]| matches!(option[0], "--port" | "-p").then(|| option[1].parse().ok()).flatten();
    // `http.server 8000 --bind 127.0.0.1`
    let named = |pair: &[&str]| pair[0] == "http.server" && pair[1].parse::<u16>().is_ok();
    if let Some(pair) = words.windows(2).find(|pair| named(pair)) {
        return pair[1].parse().ok();
    }
    words
        .windows(2)
        .find_map(|pair| after(&pair))
        .or_else(|| words.iter().find_map(|word| word.strip_prefix("--port=")?.parse().ok()))
        .or_else(|| words.last()?.rsplit(':').next()?.parse().ok())
}
