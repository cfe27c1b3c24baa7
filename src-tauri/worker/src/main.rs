//! The small helper process. `parse` reads shell text under limits; `run` supervises one command at a time, in a control
//! group of its own where one can be had, `run-ungrouped` without; `try-group` says whether one can; `forecast` tries a
//! command out on copies of the files. Programs of a command call it too: for a password, and in the place of sudo.
//! Elsewhere than on Linux it only reads.

#[cfg(target_os = "linux")]
mod askpass;
#[cfg(target_os = "linux")]
mod forecast;
mod inherited;
#[cfg(target_os = "linux")]
mod orders;
mod parse;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod sudo;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if called_as_sudo() {
        return exit(sudo::main());
    }
    inherited::close();
    let code = match std::env::args().nth(1).as_deref() {
        Some("parse") => parse::main(),
        #[cfg(target_os = "linux")]
        Some("run") => run::main(true),
        #[cfg(target_os = "linux")]
        Some("run-ungrouped") => run::main(false),
        #[cfg(target_os = "linux")]
        Some("try-group") => run::try_group(),
        #[cfg(target_os = "linux")]
        Some("forecast") => forecast::main(),
        #[cfg(target_os = "linux")]
        Some(_) => askpass::main(),
        _ => {
            eprintln!("planwright-worker is started by Planwright; it does nothing by itself");
            2
        }
    };
    exit(code)
}

/// In the place of sudo it is called by that name.
#[cfg(target_os = "linux")]
fn called_as_sudo() -> bool {
    let called_as = std::env::args_os().next().unwrap_or_default();
    std::path::Path::new(&called_as).file_name() == Some("sudo".as_ref())
}

fn exit(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
