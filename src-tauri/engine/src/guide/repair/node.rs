//! npm and node: scripts, packages and folders, read from `package.json`.

use serde_json::Value;

use super::super::case::{Case, Run, one, text};
use super::super::near::{nearest, nearest_file};
use super::super::template::{Findings, quote};

const COMMANDS: [&str; 24] = [
    "access",
    "audit",
    "ci",
    "config",
    "dedupe",
    "exec",
    "explain",
    "fund",
    "init",
    "install",
    "link",
    "list",
    "login",
    "outdated",
    "pack",
    "prefix",
    "publish",
    "rebuild",
    "restart",
    "run",
    "start",
    "test",
    "uninstall",
    "update",
];

fn npm<'a>(case: &'a Case<'_>) -> Option<Run<'a>> {
    one(case.runs().filter(|run| run.program() == "npm"))
}

fn package(case: &Case<'_>) -> Option<Value> {
    serde_json::from_str(&case.read("package.json")?).ok()
}

fn lists(package: &Value, module: &str) -> bool {
    let kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    kinds.iter().any(|kind| package.get(kind).and_then(|list| list.get(module)).is_some())
}

/// `script` → `near`: from `package.json`, else from npm's own proposal.
pub(super) fn near_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let script = found.get("script")?.to_owned();
    let near = match package(case) {
        Some(package) => {
            let scripts = package.get("scripts")?.as_object()?;
            nearest(&script, scripts.keys().map(String::as_str))?.to_owned()
        }
        None => {
            let proposed = case
                .everything
                .lines()
                .filter_map(|line| line.split("npm run ").nth(1)?.split_whitespace().next());
            nearest(&script, proposed)?.to_owned()
        }
    };
    let run = npm(case)?;
    let word = one(run.args().iter().filter(|arg| text(arg) == Some(&script)))?;
    found.set("command", case.splice(&[(word.span, &quote(&near))])?);
    found.set("near", near);
    Some(())
}

/// `command`: run inside the one folder below that has a `package.json`.
pub(super) fn folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run().filter(|run| matches!(run.program(), "npm" | "npx" | "yarn" | "pnpm"))?;
    if run.has_arg(&["--prefix", "-C", "init", "-g", "--global"]) || case.exists("package.json") {
        return None;
    }
    let folder = only_folder_with(case, "package.json")?;
    found.set("command", format!("(cd {} && {})", quote(&folder), case.failure.command.trim()));
    found.set("folder", folder);
    Some(())
}

/// The one folder below the starting one that holds `file`.
pub(super) fn only_folder_with(case: &Case<'_>, file: &str) -> Option<String> {
    let names = case.list(".")?;
    let folders = names.into_iter().filter(|name| {
        !name.starts_with('.')
            && !matches!(name.as_str(), "node_modules" | "target")
            && case.exists(&format!("{name}/{file}"))
    });
    one(folders)
}

/// `module` is listed in `package.json` and not installed; `install`: the command that installs what
/// it lists.
pub(super) fn listed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?;
    let mut parts = module.split('/');
    let name = match (parts.next()?, module.starts_with('@')) {
        (scope, true) => format!("{scope}/{}", parts.next()?),
        (name, false) => name.to_owned(),
    };
    if name.starts_with('.') || !lists(&package(case)?, &name) || case.exists(&format!("node_modules/{name}"))
    {
        return None;
    }
    found.set("install", case.in_its_folder("npm install")?);
    found.set("name", name);
    Some(())
}

/// A script's tool is missing because nothing was installed yet.
pub(super) fn not_installed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    npm(case)?;
    let package = package(case)?;
    let filled =
        |kind: &str| package.get(kind).and_then(Value::as_object).is_some_and(|list| !list.is_empty());
    if case.exists("node_modules") || !(filled("dependencies") || filled("devDependencies")) {
        return None;
    }
    found.set("install", case.in_its_folder("npm install")?);
    Some(())
}

/// `name` → `near`: the npm command that was meant.
pub(super) fn near_command(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = npm(case)?;
    let scripts =
        package(case).and_then(|package| package.get("scripts")?.as_object().cloned()).unwrap_or_default();
    let word = run.args().iter().find(|arg| text(arg) == Some(&name))?;
    // `npm build` meant `npm run build` when there is such a script.
    if scripts.contains_key(&name) {
        found.set("near", format!("run {name}"));
        found.set("command", case.insert_before(word, "run ")?);
        return Some(());
    }
    let near = nearest(&name, COMMANDS).filter(|near| match *near {
        "publish" => false,
        "uninstall" => is_removal(&name),
        "install" => !is_removal(&name),
        _ => true,
    });
    if let Some(near) = near {
        found.set("command", case.splice(&[(word.span, near)])?);
        found.set("near", near);
        return Some(());
    }
    // A near script of the project: npm's own words would send `npm biuld` to `npm build`, which does not run it.
    let usual = ["build", "dev", "lint", "serve", "watch"];
    let script = match case.folder {
        Some(_) => nearest(&name, scripts.keys().map(String::as_str))?,
        // Where the project cannot be seen, only the names that most projects have.
        None => usual.into_iter().find(|script| *script == name).or_else(|| nearest(&name, usual))?,
    };
    let near = format!("run {script}");
    found.set("command", case.splice(&[(word.span, &format!("run {}", quote(script)))])?);
    found.set("near", near);
    Some(())
}

/// `unisntall` is nearer to `uninstall` than to `install`.
fn is_removal(name: &str) -> bool {
    nearest(name, ["uninstall", "remove"]).is_some()
}

/// `command`: with `--legacy-peer-deps`.
pub(super) fn legacy_peers(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = npm(case)?;
    let word = run
        .subcommand()
        .filter(|word| matches!(text(word), Some("install" | "i" | "ci" | "add" | "update")))?;
    if run.has_arg(&["--legacy-peer-deps", "--force"]) {
        return None;
    }
    found.set("command", case.insert_after(word, " --legacy-peer-deps")?);
    Some(())
}

/// `command`: `npm ci` as `npm install`.
pub(super) fn ci_to_install(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = npm(case)?;
    let word = run.subcommand().filter(|word| matches!(text(word), Some("ci" | "clean-install")))?;
    if case.exists("yarn.lock") || case.exists("pnpm-lock.yaml") {
        return None;
    }
    found.set("command", case.splice(&[(word.span, "install")])?);
    Some(())
}

/// `path` (absolute, as node prints it) → `typed` and `near`: the near file beside it.
pub(super) fn near_file(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let run = one(case.runs().filter(|run| run.program() == "node"))?;
    let typed = run.subcommand().and_then(text)?.to_owned();
    let name = path.rsplit('/').next()?;
    let (above, last) = typed.rsplit_once('/').unwrap_or((".", &typed));
    if name != last && name != format!("{last}.js") {
        return None;
    }
    let names = case.list(above)?;
    let near = nearest_file(last, names.iter().map(String::as_str))?;
    let near =
        if above == "." && !typed.starts_with("./") { near.to_owned() } else { format!("{above}/{near}") };
    found.set("typed", typed);
    found.set("near", near);
    Some(())
}
