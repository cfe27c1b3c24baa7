//! The small helper process. `parse` reads shell text under limits; `run` supervises one command at a time, in a control
//! group of its own where one can be had, `run-ungrouped` without; `try-group` says whether one can; `forecast` tries a
//! command out on copies of the files.

mod forecast;
mod orders;
mod parse;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = match std::env::args().nth(1).as_deref() {
        Some("parse") => parse::main(),
        Some("run") => run::main(true),
        Some("run-ungrouped") => run::main(false),
        Some("try-group") => run::try_group(),
        Some("forecast") => forecast::main(),
        _ => {
            eprintln!("planwright-worker is started by Planwright; it does nothing by itself");
            2
        }
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
