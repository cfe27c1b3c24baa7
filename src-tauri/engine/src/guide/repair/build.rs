//! Building: the folder that holds the build file, near targets, headers and libraries.

use super::super::case::{Case, one, text};
use super::super::near::nearest;
use super::super::template::{Findings, quote};
use super::node::only_folder_with;
use super::{development, programs};

/// `command`: cargo run inside the one folder below that has a `Cargo.toml`.
pub(super) fn cargo_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run().filter(|run| run.program() == "cargo")?;
    if run.args().iter().filter_map(text).any(|arg| arg.starts_with("--manifest-path") || arg == "-C") {
        return None;
    }
    let folder = only_folder_with(case, "Cargo.toml")?;
    found.set("command", format!("(cd {} && {})", quote(&folder), case.failure.command.trim()));
    found.set("folder", folder);
    Some(())
}

/// `command`: `make -C` the one folder below that has a makefile.
pub(super) fn make_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["make"])?;
    let elsewhere = |arg: &str| {
        arg.starts_with("-C")
            || arg.starts_with("-f")
            || arg.starts_with("--file")
            || arg.starts_with("--directory")
    };
    if run.args().iter().filter_map(text).any(elsewhere) || makefile(case).is_some() {
        return None;
    }
    let folder = only_folder_with(case, "Makefile")?;
    found.set("command", case.insert_after(run.head(), &format!(" -C {}", quote(&folder)))?);
    found.set("folder", folder);
    Some(())
}

fn makefile(case: &Case<'_>) -> Option<String> {
    ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| case.read(name))
}

/// `target` → `near`: the near target of the makefile.
pub(super) fn make_near_target(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["make"])?;
    let target = found.get("target")?.to_owned();
    if run.args().iter().filter_map(text).any(|arg| arg.starts_with("-C") || arg.starts_with("-f")) {
        return None;
    }
    let source = makefile(case)?;
    let targets = source
        .lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#', '.']) && !line.contains(":="))
        .filter_map(|line| Some(line.split_once(':')?.0))
        .flat_map(str::split_whitespace)
        .filter(|name| !name.contains(['%', '$', '=']));
    let near = nearest(&target, targets)?.to_owned();
    // What takes away is only guessed from a word that can mean nothing else.
    if near.contains("clean") && !target.starts_with("cl") || near.contains("uninstall") {
        return None;
    }
    let word = one(run.args().iter().filter(|arg| text(arg) == Some(&target)))?;
    found.set("command", case.splice(&[(word.span, &quote(&near))])?);
    found.set("near", near);
    Some(())
}

/// `header` → `package`, `sudo`.
pub(super) fn header_package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = development::of_header(found.get("header")?)?;
    installable(case, found, package)
}

/// `library` → `package`, `sudo`.
pub(super) fn library_package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = development::of_library(found.get("library")?)?;
    installable(case, found, package)
}

fn installable(case: &Case<'_>, found: &mut Findings, package: &str) -> Option<()> {
    if !case.has_program("apt-get") {
        return None;
    }
    found.set("package", package);
    programs::sudo(case, found)
}

/// `command`: the compiler told to link the maths library, which must stand at the end.
pub(super) fn link_maths(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["gcc", "cc", "g++", "clang"])?;
    if run.has_arg(&["-lm", "-c"]) {
        return None;
    }
    found.set("command", case.insert_after(run.last_word(), " -lm")?);
    Some(())
}
