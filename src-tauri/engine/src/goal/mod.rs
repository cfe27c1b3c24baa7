//! The parts of a goal session that decide nothing about the machine: what a small script works out of results, what a
//! model's signal says, whether the work goes round in circles, what the model is told, whose to-do is whose, what a sub-goal is told. Pure: no file,
//! no network, no process.

pub mod eval;
pub mod loops;
pub mod prompt;
pub mod signal;
pub mod sub_goal;
pub mod todos;

#[cfg(test)]
mod testing;
