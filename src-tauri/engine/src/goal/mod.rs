//! The parts of a goal session that decide nothing about the machine: what a small script works out of results, what a
//! model's signal says, whether the work goes round in circles. Pure: no file, no network, no process.

pub mod eval;
pub mod loops;
pub mod signal;
