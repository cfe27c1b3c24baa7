//! One command's life on a system where no worker watches over it: bash in a session of its own (Unix) or in a job
//! (Windows), what it writes, its limits, its end. Knows no engine, asks for no permit and must only be called by what
//! has checked one. What it cannot do is known to whoever calls it (the engine's `runner::Shortcoming`): a process that
//! left its session and lost its parent is out of reach, and nothing ends when the calling program is killed.

mod bash;
mod group;
mod life;
mod order;
#[cfg(unix)]
mod table;

pub use life::{Ended, Ending, Stop, run};
pub use order::{Order, Piece, Stream, Unstarted};
