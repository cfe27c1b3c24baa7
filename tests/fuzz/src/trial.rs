//! The whole analyser as it is shipped, asked text after text: the worker under its limits, the reader's client in this
//! process, the judge. Keeps texts that show something new to make others of. Owns the count of what happened.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastrand::Rng;
use planwright_engine::explain;
use planwright_engine::protocol::Assessment;
use planwright_engine::risk::{self, Paths, Workspace};
use planwright_engine::shell::ShellReader;
use planwright_shell::{Facts, MAX_TEXT};
use rustix::time::{ClockId, clock_gettime};

use crate::grammar::{self, REAL};
use crate::mutate::mutate;
use crate::products::product;
use crate::rules::{self, Breach};

/// Texts that are kept to make others of.
const POOL: usize = 8_192;
/// Bytes of the longest of them. What is made of long texts grows longer still, and takes ever longer to read.
const LONGEST_KEPT: usize = 1_024;
/// Kinds of finding that are remembered. Once there are more it begins anew, for names in the texts make ever more.
const KINDS: usize = 65_536;
/// One text in so many is asked twice and explained, and asked once more with a harmful end.
const TWICE: u64 = 16;
/// One text in so many holds much against much.
pub const PRODUCTS: u64 = 2_048;
/// The judge may think this long, in time of the processor; ten times as long where it was built for tests, without what makes
/// it fast.
const JUDGE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 200 });
/// The reader may keep its asker this long, however busy the machine is.
const READER: Duration = Duration::from_secs(5);

/// What happened so far.
#[derive(Debug, Default)]
pub struct Figures {
    /// Texts that were read and judged, those with a harmful end and second looks included.
    pub runs: u64,
    /// Read whole.
    pub whole: u64,
    /// The worker ended without an answer; judged dangerous.
    pub deaths: u64,
    /// The worker was killed at its time limit; judged dangerous.
    pub late: u64,
    /// The first of those that were killed.
    pub late_texts: Vec<String>,
    /// Kinds of finding that were new when they were seen.
    pub signs: usize,
    pub slowest_read: Duration,
    /// In time of the processor.
    pub slowest_judgement: Duration,
    /// The text that took it.
    pub slowest_text: String,
    /// Each with its text, at most a few dozen.
    pub breaches: Vec<(String, Breach)>,
}

/// A reader, a place to judge in, and the texts that are worth changing.
#[derive(Debug)]
pub struct Trial {
    reader: ShellReader,
    environment: BTreeMap<String, String>,
    functions: BTreeMap<String, Facts>,
    rng: Rng,
    products: u64,
    pool: Vec<String>,
    seen: HashSet<u64>,
    pub figures: Figures,
}

impl Trial {
    /// `worker`: path of the worker program. The same `seed` makes the same texts, as long as no answer is late. One text in
    /// so many as `products` says is a product.
    pub fn new(worker: PathBuf, seed: u64, products: u64) -> Self {
        let environment =
            [("HOME", "/home/u"), ("USER", "u"), ("PWD", "/home/u/app"), ("PATH", "/usr/bin:/bin")];
        Self {
            reader: ShellReader::new(worker),
            environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            functions: BTreeMap::new(),
            rng: Rng::with_seed(seed),
            products,
            pool: crate::corpus(),
            seen: HashSet::new(),
            figures: Figures::default(),
        }
    }

    /// Makes one text and asks for it, now and then in several ways.
    pub async fn step(&mut self) {
        let text = self.text();
        let answer = self.ask(&text).await;
        if self.is_new(&answer) && text.len() <= LONGEST_KEPT {
            if self.pool.len() < POOL {
                self.pool.push(text.clone());
            } else {
                let place = self.rng.usize(..POOL);
                self.pool[place] = text.clone();
            }
        }
        let kept = rules::check(&text, &answer.0, &answer.1);
        self.note(&text, kept);
        if self.rng.u64(..TWICE) == 0 {
            let again = self.ask(&text).await;
            self.note(&text, rules::same((&answer.0, &answer.1), (&again.0, &again.1)));
            self.explain(&text, &answer);
            if let Some(worse) = rules::with_harmful_end(&text, &answer.0) {
                let judged = self.ask(&worse).await;
                self.note(&worse, rules::not_lowered(&judged.1));
            }
        }
    }

    fn text(&mut self) -> String {
        if self.rng.u64(..self.products.max(1)) == 0 {
            return product(&mut self.rng, MAX_TEXT);
        }
        let depth = self.rng.u32(..4);
        let fresh = self.rng.u8(..8) < 3;
        let base = if fresh { grammar::script(&mut self.rng, &REAL, depth) } else { self.pooled() };
        if fresh && self.rng.bool() {
            return base;
        }
        let other = self.pooled();
        // A little beyond the limit, so that the limit is met as well.
        mutate(&mut self.rng, &base, &other, MAX_TEXT + 64)
    }

    fn pooled(&mut self) -> String {
        let place = self.rng.usize(..self.pool.len());
        self.pool[place].clone()
    }

    async fn ask(&mut self, text: &str) -> (Facts, Assessment) {
        let start = Instant::now();
        let facts = self.reader.read(text).await;
        let read = start.elapsed();
        let before = processor_time();
        let assessment = risk::assess(text, &facts, &self.workspace());
        let judged = processor_time().saturating_sub(before);
        self.count(text, &facts, read, judged);
        (facts, assessment)
    }

    fn explain(&mut self, text: &str, (facts, assessment): &(Facts, Assessment)) {
        let before = processor_time();
        let explanation = explain::explain(text, facts, assessment.clone(), &self.workspace());
        let taken = processor_time().saturating_sub(before);
        self.note(text, rules::explains(text, &explanation));
        if taken > JUDGE {
            self.note(text, Err(Breach(format!("to explain it took {taken:?}"))));
        }
    }

    fn workspace(&self) -> Workspace<'_> {
        Workspace {
            root: "/home/u/app".into(),
            cwd: "/home/u/app".into(),
            home: "/home/u".into(),
            user: "u".into(),
            environment: &self.environment,
            functions: &self.functions,
            paths: &NoDisk,
        }
    }

    fn count(&mut self, text: &str, facts: &Facts, read: Duration, judged: Duration) {
        let figures = &mut self.figures;
        figures.runs += 1;
        figures.whole += u64::from(facts.doubts.is_empty());
        if rules::ran_out(facts) {
            let late = facts.doubts.iter().any(|doubt| doubt.text.contains("in time"));
            *(if late { &mut figures.late } else { &mut figures.deaths }) += 1;
            if late && figures.late_texts.len() < 20 {
                figures.late_texts.push(text.to_owned());
            }
        }
        figures.slowest_read = figures.slowest_read.max(read);
        if judged > figures.slowest_judgement {
            figures.slowest_judgement = judged;
            text.clone_into(&mut figures.slowest_text);
        }
        if read > READER {
            self.note(text, Err(Breach(format!("the reader kept its asker {read:?}"))));
        }
        if judged > JUDGE {
            self.note(text, Err(Breach(format!("the judge thought for {judged:?}"))));
        }
    }

    fn note(&mut self, text: &str, kept: Result<(), Breach>) {
        if let Err(breach) = kept
            && self.figures.breaches.len() < 40
        {
            self.figures.breaches.push((text.to_owned(), breach));
        }
    }

    fn is_new(&mut self, (facts, assessment): &(Facts, Assessment)) -> bool {
        let mut new = false;
        for sign in rules::signs(facts, assessment) {
            let mut hasher = DefaultHasher::new();
            sign.hash(&mut hasher);
            if self.seen.len() >= KINDS {
                self.seen.clear();
            }
            let first = self.seen.insert(hasher.finish());
            self.figures.signs += usize::from(first);
            new |= first;
        }
        new
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// No file is there, and nothing is a link.
#[derive(Debug)]
struct NoDisk;

impl Paths for NoDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut whole = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => {
                    whole.pop();
                }
                other => whole.push(other),
            }
        }
        whole
    }
    fn is_dir(&self, _: &Path) -> bool {
        false
    }
    fn exists(&self, _: &Path) -> bool {
        false
    }
    fn system_devices(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
