//! The engine's benchmarks, in one executable because each would take minutes to link. Each runs in a process of its own:
//! what one leaves in memory or in a control group is not the next one's.
//! `cargo bench --workspace --bench engine`; only some of them with their names behind: `-- overhead rounds`.

mod aborts;
mod assess;
mod cancel;
mod diagnose;
mod flood;
mod journal;
mod keeping;
mod measure;
mod overhead;
mod rounds;
mod turns;

use std::process::Command;

pub(crate) type Failure = Box<dyn std::error::Error>;
type Measure = fn() -> Result<(), Failure>;

const ALL: [(&str, Measure); 11] = [
    ("aborts", aborts::measure),
    ("assess", assess::measure),
    ("at-once", flood::measure_at_once),
    ("cancel", cancel::measure),
    ("diagnose", diagnose::measure),
    ("flood", flood::measure),
    ("journal", journal::measure),
    ("keeping", keeping::measure),
    ("overhead", overhead::measure),
    ("rounds", rounds::measure),
    ("turns", turns::measure),
];

fn main() -> Result<(), Failure> {
    // Cargo itself says `--bench`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = wanted.iter().find(|wanted| ALL.iter().all(|(name, _)| name != wanted)) {
        let names = ALL.map(|(name, _)| name).join(", ");
        return Err(format!("there is no benchmark {unknown}; there are: {names}").into());
    }
    if let [only] = wanted.as_slice() {
        for (_, measure) in ALL.iter().filter(|(name, _)| name == only) {
            measure()?;
        }
        return Ok(());
    }
    for (name, _) in
        ALL.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name))
    {
        println!("\n== {name}");
        if !Command::new(std::env::current_exe()?).arg(name).status()?.success() {
            return Err(format!("the benchmark {name} failed").into());
        }
    }
    Ok(())
}
