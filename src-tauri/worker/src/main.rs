//! The helper process. One mode per run, named by the first argument. Prints nothing of its own to stdout but the
//! frames that its mode defines.

mod run;

fn main() {
    let mode = std::env::args().nth(1);
    let code = match mode.as_deref() {
        Some("run") => run::main(),
        _ => {
            eprintln!("This program is started by Planwright; it does nothing by itself.");
            2
        }
    };
    std::process::exit(code);
}
