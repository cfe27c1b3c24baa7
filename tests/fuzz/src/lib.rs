//! Makes hostile shell text and checks what the analyser says of it. Runs none of it.

pub mod grammar;
pub mod mutate;
pub mod products;
pub mod rules;
pub mod trial;

/// Texts to begin with: those of the classifier's own corpus, and hostile ones.
pub fn corpus() -> Vec<String> {
    const FILES: [&str; 5] = [
        include_str!("../corpus/hostile.txt"),
        include_str!("../../../src-tauri/engine/src/risk/corpus/everyday.txt"),
        include_str!("../../../src-tauri/engine/src/risk/corpus/reading.txt"),
        include_str!("../../../src-tauri/engine/src/risk/corpus/harmful.txt"),
        include_str!("../../../src-tauri/engine/src/risk/corpus/blocked.txt"),
    ];
    FILES
        .iter()
        .flat_map(|file| file.lines())
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.replace('⏎', "\n").replace('⇥', "\t"))
        .collect()
}
