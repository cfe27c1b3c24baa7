//! Kills the headless program at random moments of running plans or goals, or fills its disk up, and holds its record against
//! what it had shown: nothing shown is lost or in another order, no step runs twice without saying so, every step that
//! was cut off says so. Prints its figures and the seed; ends with 1 at the first thing that is wrong.
//!
//!     torture [--kills N] [--fills N] [--goals N] [--attended N] [--seed S] [--program FILE]

// A tool that fails as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attended;
mod branches;
mod goals;
mod life;
mod record;
mod room;
mod script;
mod user;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;

use life::{Desk, Ended, Moment};
use record::Record;

struct Args {
    kills: u32,
    fills: u32,
    /// Kills while a goal is worked on.
    goals: u32,
    /// The same with somebody there, whose answers are waited for.
    attended: u32,
    seed: u64,
    /// The headless program; its worker stands beside it.
    program: PathBuf,
}

/// What was seen, for people.
#[derive(Default)]
struct Figures {
    plans: u32,
    lives: u32,
    kills: u32,
    fills: u32,
    shown: u64,
    interrupted: u32,
    paused: u32,
    /// Lives that were killed before they had shown anything.
    silent: u32,
    /// Kills by what went on then, where that was looked at.
    phases: BTreeMap<user::Phase, u32>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == attended::WORD) {
        return attended::live(&words[1..]);
    }
    let args = match args(words.into_iter()) {
        Ok(args) => args,
        Err(problem) => {
            eprintln!(
                "{problem}\nUsage: torture [--kills N] [--fills N] [--goals N] [--attended N] [--seed S] [--program FILE]"
            );
            return ExitCode::from(2);
        }
    };
    let seed = args.seed;
    println!("seed {seed}");
    let begun = Instant::now();
    let outcome = if args.fills > 0 {
        room::with_small_disk(|disk| fill(&args, disk))
    } else {
        let folder = tempfile::tempdir().expect("a folder to work in");
        let killed = match (args.goals, args.attended) {
            (0, 0) => kill(&args, folder.path()),
            (_, 0) => goals::kill(&args, folder.path()),
            (_, _) => user::kill(&args, folder.path()),
        };
        killed.map(Some)
    };
    match outcome {
        Ok(Some(figures)) => {
            tell(&figures, begun.elapsed());
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("WRONG (seed {seed}): {problem}");
            ExitCode::FAILURE
        }
    }
}

fn args(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let (mut kills, mut fills, mut goals, mut attended) = (1000, 0, 0, 0);
    let (mut seed, mut program) = (fastrand::u64(..), None);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value."))?;
        let bad = |_| format!("{value} is no number for {word}.");
        match word.as_str() {
            "--kills" => kills = value.parse().map_err(bad)?,
            "--fills" => fills = value.parse().map_err(bad)?,
            "--goals" => goals = value.parse().map_err(bad)?,
            "--attended" => attended = value.parse().map_err(bad)?,
            "--seed" => seed = value.parse().map_err(bad)?,
            "--program" => program = Some(PathBuf::from(value)),
            other => return Err(format!("{other} is not known.")),
        }
    }
    // Looked for only where none is named: it is built then when it is out of date.
    let program = program.unwrap_or_else(planwright_tests::cli);
    Ok(Args { kills, fills, goals, attended, seed, program })
}

/// Runs plans and kills the program that runs them, until it was killed so often.
fn kill(args: &Args, folder: &Path) -> Result<Figures, String> {
    let mut rng = Rng::with_seed(args.seed);
    let mut figures = Figures::default();
    let desk = Desk::new(&args.program, folder, &folder.join("data"));
    let mut record = Record::default();
    let usual = usual_time(&desk, &mut record, &mut figures)?;
    while figures.kills < args.kills {
        let moment = moment(&mut rng, usual);
        let life = desk.live(&mut record, |running| running.kill_at(moment));
        figures.kills += u32::from(life.ended == Ended::Killed);
        after(&desk, &mut record, life, &mut figures)?;
    }
    to_the_end(&desk, &mut record, &mut figures)?;
    Ok(figures)
}

/// Runs plans and fills the disk that holds their record at random moments; room comes back, and the run goes on.
fn fill(args: &Args, disk: &Path) -> Result<Figures, String> {
    let folder = tempfile::tempdir().expect("a folder to work in");
    let mut rng = Rng::with_seed(args.seed);
    let mut figures = Figures::default();
    let desk = Desk::new(&args.program, folder.path(), disk);
    let mut record = Record::default();
    let usual = usual_time(&desk, &mut record, &mut figures)?;
    while figures.fills < args.fills {
        let moment = moment(&mut rng, usual);
        let killed_too = rng.u8(..4) == 0;
        let life = desk.live(&mut record, |running| {
            if !running.wait_for(moment) {
                return;
            }
            room::fill(disk);
            if killed_too {
                running.kill_at(Moment::After(Duration::from_millis(rng.u64(..150))));
            }
        });
        figures.fills += 1;
        figures.kills += u32::from(life.ended == Ended::Killed);
        room::make(disk);
        after(&desk, &mut record, life, &mut figures)?;
        if record.events().is_empty() && room::left(disk) < room::ENOUGH {
            // It would be full of the records of plans that are over.
            room::empty(disk);
        }
    }
    to_the_end(&desk, &mut record, &mut figures)?;
    Ok(figures)
}

/// What a life has shown, held against what is recorded once it is over.
fn after(desk: &Desk, record: &mut Record, life: life::Life, figures: &mut Figures) -> Result<(), String> {
    figures.lives += 1;
    figures.shown += life.shown.len() as u64;
    figures.silent += u32::from(life.shown.is_empty());
    let outcome = life
        .is_expected()
        .and_then(|()| record.reopen(&desk.data()))
        .and_then(|()| record.check_shown(&life.shown))
        .and_then(|()| record.check_steps(|step| desk.runs_of(step)))
        .and_then(|()| if life.ended == Ended::Killed { Ok(()) } else { record.nothing_is_open() });
    outcome.map_err(|problem| format!("{problem}\n{}", life.last_words()))?;
    if record.is_over() {
        figures.plans += 1;
        figures.interrupted += record.count("step-interrupted");
        figures.paused += record.count("plan-paused");
        desk.clear();
        record.start_over();
    }
    Ok(())
}

/// The plan under way is brought to its end by a life that nothing happens to.
fn to_the_end(desk: &Desk, record: &mut Record, figures: &mut Figures) -> Result<(), String> {
    let plans = figures.plans;
    let life = desk.live(record, |_| ());
    after(desk, record, life, figures)?;
    if figures.plans > plans { Ok(()) } else { Err("the last plan did not come to its end".to_owned()) }
}

/// How long a plan takes that nothing happens to.
fn usual_time(desk: &Desk, record: &mut Record, figures: &mut Figures) -> Result<Duration, String> {
    let begun = Instant::now();
    to_the_end(desk, record, figures)?;
    Ok(begun.elapsed())
}

/// Half of them by the clock, half just after something was shown: that is where the record is written.
fn moment(rng: &mut Rng, usual: Duration) -> Moment {
    if rng.bool() {
        return Moment::After(usual.mul_f64(rng.f64() * 1.1));
    }
    Moment::Shown { lines: rng.usize(1..40), and: Duration::from_micros(rng.u64(..4000)) }
}

fn tell(figures: &Figures, took: Duration) {
    let Figures { plans, lives, kills, fills, shown, interrupted, paused, silent, phases } = figures;
    println!(
        "{kills} kills, {fills} times a full disk, in {lives} lives of {plans} plans or goals; {:.0} s",
        took.as_secs_f64()
    );
    println!("{shown} events shown: 0 lost, 0 in another order");
    println!(
        "{interrupted} steps or actions said that they were interrupted, {paused} pauses; 0 ran twice without saying so"
    );
    println!("{silent} lives ended before they showed anything");
    if !phases.is_empty() {
        let phases: Vec<String> = phases.iter().map(|(phase, kills)| format!("{kills} {phase}")).collect();
        println!("kills by what went on: {}; each session was found as it had been left", phases.join(", "));
    }
}
