//! The small helper process. `parse` reads shell text under limits; `run` supervises one command; `forecast` tries
//! one out on copies of the files.

mod forecast;
mod orders;
mod parse;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = match std::env::args().nth(1).as_deref() {
        Some("parse") => parse::main(),
        Some("run") => run::main(),
        Some("forecast") => forecast::main(),
        _ => {
            eprintln!("planwright-worker is started by Planwright; it does nothing by itself");
            2
        }
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
