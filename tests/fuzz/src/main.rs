//! `npm run fuzz`: millions of hostile texts through the whole analyser, with what happened printed at the end. Fails if
//! a rule was broken or this process grew.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use planwright_fuzz::trial::{PRODUCTS, Trial};

/// Bytes that this process may grow once it has warmed up.
const MOST_GROWTH: usize = 48 * 1024 * 1024;

/// Asks the analyser for hostile shell text and checks its answers.
#[derive(Debug, Parser)]
struct Args {
    /// Texts to ask for.
    #[arg(long, default_value_t = 10_000_000)]
    runs: u64,
    /// Where the texts begin; the same number makes the same texts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One text in so many is long, and holds much against much: many folders and many names, many variables and many words.
    #[arg(long, default_value_t = PRODUCTS)]
    products: u64,
    /// The worker program, if not the one beside this program.
    #[arg(long)]
    worker: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = Args::parse();
    let start = Instant::now();
    let beside = || std::env::current_exe().map(|own| own.with_file_name("planwright-worker"));
    let Ok(worker) = args.worker.map_or_else(beside, Ok) else {
        println!("This program does not know where it stands. Name the worker with --worker.");
        return ExitCode::FAILURE;
    };
    let mut trial = Trial::new(worker, args.seed, args.products);
    let mut memory = Memory::default();
    let part = (args.runs / 40).max(1);
    let (mut told, mut broken) = (0, 0);
    while trial.figures.runs < args.runs {
        trial.step().await;
        // At once: whoever breaks off a long run loses nothing of it.
        for (text, breach) in trial.figures.breaches.get(broken..).unwrap_or_default() {
            println!("BROKEN: {}\n  {text:?}", breach.0);
        }
        broken = trial.figures.breaches.len();
        let runs = trial.figures.runs;
        if runs / 1024 > memory.looks {
            memory.look(runs * 10 > args.runs);
        }
        if runs / part > told {
            told = runs / part;
            println!(
                "{runs:>10} runs, {:.0}/s, {} kinds of finding, {} deaths, {} late, {} broken rules, {} MiB here, {} MiB in the worker",
                runs as f64 / start.elapsed().as_secs_f64(),
                trial.figures.signs,
                trial.figures.deaths,
                trial.figures.late,
                trial.figures.breaches.len(),
                memory.now >> 20,
                memory.worker_now >> 20,
            );
        }
    }
    report(&trial, &memory, start.elapsed())
}

fn report(trial: &Trial, memory: &Memory, taken: std::time::Duration) -> ExitCode {
    let figures = &trial.figures;
    for text in &figures.late_texts {
        println!("late: {:?}", text.chars().take(200).collect::<String>());
    }
    let growth = memory.most.saturating_sub(memory.warm);
    println!("executions                {}", figures.runs);
    println!("read whole                {}", figures.whole);
    println!("kinds of finding          {}", figures.signs);
    println!("worker died               {} (each judged dangerous)", figures.deaths);
    println!("worker killed at its time {} (each judged dangerous)", figures.late);
    println!("slowest read              {:?}", figures.slowest_read);
    println!("slowest judgement         {:?}", figures.slowest_judgement);
    println!("  on                      {:?}", figures.slowest_text.chars().take(120).collect::<String>());
    println!("memory here, warm / most  {} / {} MiB", memory.warm >> 20, memory.most >> 20);
    println!("memory of a worker, most  {} MiB", memory.worker >> 20);
    println!("broken rules              {}", figures.breaches.len());
    println!("taken                     {taken:.0?}");
    if growth > MOST_GROWTH {
        println!("BROKEN: this process grew by {} MiB", growth >> 20);
    }
    if figures.breaches.is_empty() && growth <= MOST_GROWTH { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Bytes in memory, looked at now and then.
#[derive(Debug, Default)]
struct Memory {
    looks: u64,
    now: usize,
    /// Most in the first tenth of the run.
    warm: usize,
    most: usize,
    worker: usize,
    worker_now: usize,
}

impl Memory {
    fn look(&mut self, is_warm: bool) {
        self.looks += 1;
        self.now = resident("self");
        self.most = self.most.max(self.now);
        if !is_warm {
            self.warm = self.most;
        }
        let children = std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id()));
        self.worker_now = children.unwrap_or_default().split_whitespace().map(resident).max().unwrap_or(0);
        self.worker = self.worker.max(self.worker_now);
    }
}

fn resident(process: &str) -> usize {
    let told = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = told.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * rustix::param::page_size()
}
