//! The small helper process. `parse` reads shell text under limits; `run` supervises one command at a time, in a control
//! group of its own where one can be had, `run-ungrouped` without; `try-group` says whether one can; `forecast` tries a
//! command out on copies of the files. Programs of a command call it too: for a password, and in the place of sudo.

mod askpass;
mod forecast;
mod inherited;
mod orders;
mod parse;
mod run;
mod sudo;

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let called_as = std::env::args_os().next().unwrap_or_default();
    if Path::new(&called_as).file_name() == Some(OsStr::new("sudo")) {
        return exit(sudo::main());
    }
    // The engine starts it without any variable; so with this one it is a program of a command that calls.
    if let Some(variable) = std::env::var_os(askpass::VARIABLE) {
        return exit(askpass::main(&variable));
    }
    inherited::close();
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
    exit(code)
}

fn exit(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
