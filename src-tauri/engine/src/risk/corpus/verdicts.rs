//! The verdicts of one day, frozen: `verdicts.tsv` holds risk, effects and runs of the commands of the corpora, of one wrapping of
//! each harmful one, and of texts put together by a seeded die. While the judge is rebuilt, nothing harmful may get milder, and
//! every other change stands in `changes.toml` with its reason and the number of lines that it accounts for.
//!
//! `UPDATE_VERDICTS=1` freezes anew; the list of changes is emptied by hand then.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;

use super::{BLOCKED, EVERYDAY, HARMFUL, READING, around::around, commands, in_workspace};
use crate::protocol::{Assessment, Risk};
use crate::risk::fixture::read;
use crate::risk::{Run, assess, runs};

const FROZEN: &str = include_str!("verdicts.tsv");
const CHANGES: &str = include_str!("changes.toml");
/// How many texts the die puts together.
const SEEDED: usize = 12_000;

/// Where a text comes from, which decides what its verdict may become.
const HARMFUL_LINE: &str = "harmful";

/// A text with the verdict that it had.
struct Row {
    origin: String,
    verdict: Verdict,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
struct Verdict {
    risk: Risk,
    /// A letter for each effect, and a digest of the paths touched.
    effects: String,
    /// How many runs there are, and a digest of their words.
    runs: String,
}

/// A kind of change that is wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// `safe → caution`, `effects` or `runs`.
    change: String,
    /// A reason that the line is given now; empty where none is needed any more.
    because: String,
    /// How many lines change so.
    lines: usize,
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(default)]
    change: Vec<Change>,
}

/// The same on every machine and with every compiler, unlike the hash of the standard library (FNV-1a).
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn effects(assessment: &Assessment) -> String {
    let effects = &assessment.effects;
    let mut letters: String = [
        (effects.deletes, 'd'),
        (effects.changes_tree_ownership, 'o'),
        (effects.raises_privilege, 'p'),
        (effects.writes_outside, 'w'),
        (effects.uses_network, 'n'),
        (effects.installs_packages, 'i'),
        (effects.only_files, 'f'),
    ]
    .into_iter()
    .filter_map(|(there, letter)| there.then_some(letter))
    .collect();
    if !effects.touches.is_empty() {
        let mut paths = effects.touches.clone();
        paths.sort();
        let _ = write!(letters, "{}:{:08x}", paths.len(), digest(&paths.join("\n")));
    }
    letters
}

fn told(runs: &[Run]) -> String {
    format!("{}:{:08x}", runs.len(), digest(&format!("{runs:?}")))
}

fn judged(text: &str) -> (Verdict, Assessment) {
    let facts = read(text);
    in_workspace(|workspace| {
        let assessment = assess(text, &facts, workspace);
        let runs = told(&runs(text, &facts, workspace));
        (Verdict { risk: assessment.risk, effects: effects(&assessment), runs }, assessment)
    })
}

fn name(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe",
        Risk::Caution => "caution",
        Risk::Dangerous => "dangerous",
        Risk::Blocked => "blocked",
    }
}

fn frozen() -> Vec<Row> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [origin, risk, effects, runs, text] = fields.as_slice() else { panic!("not a row: {line:?}") };
        let risk = [Risk::Safe, Risk::Caution, Risk::Dangerous, Risk::Blocked]
            .into_iter()
            .find(|own| name(*own) == *risk)
            .unwrap();
        let verdict = Verdict { risk, effects: (*effects).into(), runs: (*runs).into() };
        Row { origin: (*origin).into(), verdict, text: text.replace('⏎', "\n").replace('␉', "\t") }
    };
    FROZEN.lines().map(row).collect()
}

/// A small generator of numbers, the same everywhere (splitmix64).
struct Die(u64);

impl Die {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    fn pick<'t, T>(&mut self, among: &'t [T]) -> &'t T {
        among.get(self.roll(among.len())).unwrap()
    }
}

/// Texts to freeze, each with where it comes from.
fn texts() -> Vec<(&'static str, String)> {
    let corpora =
        [(HARMFUL_LINE, HARMFUL), (HARMFUL_LINE, BLOCKED), ("everyday", EVERYDAY), ("reading", READING)];
    let plain: Vec<(&'static str, String)> = corpora
        .iter()
        .flat_map(|(origin, corpus)| commands(corpus).into_iter().map(|text| (*origin, text)))
        .collect();
    // Every harmful command in one form, every fourth of the others.
    let wrapped = plain.iter().enumerate().filter_map(|(number, (origin, text))| {
        let forms: Vec<(usize, String)> = around(text).collect();
        let kept = *origin == HARMFUL_LINE || number % 4 == 0;
        let (_, form) = forms.get(number * 7 % forms.len())?;
        kept.then(|| (*origin, form.clone()))
    });
    let mut die = Die(37);
    let seeded: Vec<_> = (0..SEEDED).map(|_| put_together(&mut die, &plain)).collect();
    let mut seen = HashSet::new();
    let all: Vec<_> = plain.iter().cloned().chain(wrapped).chain(seeded).collect();
    all.into_iter().filter(|(_, text)| seen.insert(text.clone())).collect()
}

/// Two commands in one text, or one with a word exchanged, left out, or not known before it runs.
fn put_together(die: &mut Die, plain: &[(&'static str, String)]) -> (&'static str, String) {
    const JOINTS: [&str; 7] = ["; ", " && ", " || ", " | ", "\n", " & ", " |& "];
    const UNKNOWN: [&str; 6] = ["$X", "\"$X\"", "\"$(cat list)\"", "$1", "*", "\"${X:-a}\""];
    let (origin, text) = die.pick(plain).clone();
    let (other_origin, other) = die.pick(plain).clone();
    let way = die.roll(4);
    if way == 0 {
        let harmful = origin == HARMFUL_LINE || other_origin == HARMFUL_LINE;
        return (if harmful { HARMFUL_LINE } else { "mixed" }, [text, other].join(*die.pick(&JOINTS)));
    }
    let mut words: Vec<&str> = text.split(' ').collect();
    let at = die.roll(words.len());
    let others: Vec<&str> = other.split(' ').collect();
    let new = if way == 1 { *die.pick(&others) } else { *die.pick(&UNKNOWN) };
    if way == 3 && words.len() > 1 {
        words.remove(at);
    } else if let Some(word) = words.get_mut(at) {
        *word = new;
    }
    ("mixed", words.join(" "))
}

/// Judges `rows` anew; a row that changed comes with what it is now.
fn changed(rows: &[Row]) -> Vec<(&Row, Verdict, Assessment)> {
    let half = rows.len().div_ceil(2).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = rows
            .chunks(half)
            .map(|rows| {
                scope.spawn(move || {
                    let anew = rows.iter().map(|row| (row, judged(&row.text)));
                    let differs = anew.filter(|(row, (now, _))| *now != row.verdict);
                    differs.map(|(row, (now, assessment))| (row, now, assessment)).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn is_milder_on_harm(row: &Row, now: &Verdict) -> bool {
    row.origin == HARMFUL_LINE && now.risk < row.verdict.risk
}

/// What kind of change it is.
fn kind(was: &Verdict, now: &Verdict) -> String {
    if was.risk != now.risk {
        format!("{} → {}", name(was.risk), name(now.risk))
    } else if was.effects != now.effects {
        "effects".to_owned()
    } else {
        "runs".to_owned()
    }
}

/// Writes today's verdicts, unless a harmful text that was frozen is judged milder.
fn freeze(path: PathBuf) {
    let old = frozen();
    for (row, now, _) in changed(&old) {
        assert!(!is_milder_on_harm(row, &now), "milder, so nothing is frozen: {:?}", row.text);
    }
    let rows: Vec<String> = texts()
        .into_iter()
        .map(|(origin, text)| {
            let Verdict { risk, effects, runs } = judged(&text).0;
            let text = text.replace('\n', "⏎").replace('\t', "␉");
            format!("{origin}\t{}\t{effects}\t{runs}\t{text}\n", name(risk))
        })
        .collect();
    std::fs::write(path, rows.concat()).unwrap();
}

#[test]
fn verdicts_change_only_for_a_reason() {
    if std::env::var_os("UPDATE_VERDICTS").is_some() {
        freeze(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/risk/corpus/verdicts.tsv"));
        return;
    }
    let rows = frozen();
    assert!(rows.len() > 20_000, "{} texts are too few to mean anything", rows.len());
    let changes: Changes = toml::from_str(CHANGES).unwrap();
    let mut wrong = Vec::new();
    let mut counted: BTreeMap<usize, usize> = BTreeMap::new();
    for (row, now, assessment) in changed(&rows) {
        let kind = kind(&row.verdict, &now);
        let of_risk = assessment.reasons.iter().filter(|reason| reason.risk == now.risk);
        let reasons: Vec<&str> = of_risk.map(|reason| reason.text.as_str()).collect();
        let listed = changes.change.iter().position(|change| {
            let fits = |reason: &&str| *reason == change.because;
            let none = change.because.is_empty() && (reasons.is_empty() || row.verdict.risk == now.risk);
            change.change == kind && (none || reasons.iter().any(fits))
        });
        match listed.filter(|_| !is_milder_on_harm(row, &now)) {
            Some(number) => *counted.entry(number).or_default() += 1,
            None => {
                println!("{}\t{kind}\t{:?}\t{}", row.origin, row.text, reasons.join("; "));
                if row.verdict.risk == now.risk {
                    println!("\twas {:?}\n\tnow {now:?}", row.verdict);
                }
                wrong.push(&row.text);
            }
        }
    }
    for (number, change) in changes.change.iter().enumerate() {
        assert!(!change.why.is_empty(), "a change without a reason: {change:?}");
        let lines = counted.get(&number).copied().unwrap_or_default();
        println!("{lines} of {} lines: {}: {}", change.lines, change.change, change.why);
        assert_eq!(lines, change.lines, "{}: {}", change.change, change.because);
    }
    assert!(wrong.is_empty(), "{} verdicts changed for no reason that is listed", wrong.len());
}
