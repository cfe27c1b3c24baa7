//! Words that were meant to be others, where what can be meant is a list: of the program, of the folder, of what is known.

use super::super::case::{Case, one, text};
use super::super::near::{nearest, nearest_file};
use super::super::template::{Findings, quote};
use super::packages;

const SIGNALS: [&str; 16] = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL", "SIGTERM", "SIGSTOP", "SIGCONT", "SIGUSR1", "HUP", "INT",
    "QUIT", "KILL", "TERM", "STOP", "CONT", "USR1",
];
const DAYS: [&str; 10] = [
    "yesterday",
    "today",
    "tomorrow",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
const VARIABLES: [&str; 16] = [
    "HOME",
    "PATH",
    "USER",
    "SHELL",
    "LANG",
    "EDITOR",
    "HOSTNAME",
    "TERM",
    "LOGNAME",
    "DISPLAY",
    "TMPDIR",
    "PWD",
    "OLDPWD",
    "RANDOM",
    "SECONDS",
    "BASH_SOURCE",
];

/// `command`: the signs that a page writes as `&amp;` and the like, as the shell wants them.
pub(super) fn plain_entities(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = &case.failure.command;
    // The command of somebody who works on a page holds them on purpose.
    let quoted =
        asked.split(['\'', '"']).skip(1).step_by(2).any(|part| part.contains('&') && part.contains(';'));
    if quoted || asked.contains("<<") {
        return None;
    }
    let entities = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    let plain = entities.into_iter().fold(asked.clone(), |text, (written, sign)| text.replace(written, sign));
    (plain != *asked).then(|| found.set("command", plain))
}

/// `typed` → `near` and `command`: the one near word of those that the message or the kind of failure allows.
pub(super) fn near_word_of(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let said = &case.everything;
    let near = if let Some((_, listed)) = said.split_once("Valid arguments are:") {
        let quoted = listed.lines().filter(|line| line.trim_start().starts_with("- '"));
        nearest(&typed, quoted.flat_map(|line| line.split('\'').skip(1).step_by(2)))?
    } else if said.contains("invalid signal specification") {
        nearest(&typed, SIGNALS)?
    } else if said.contains("unbound variable") {
        nearest(&typed, VARIABLES)?
    } else {
        nearest(&typed, DAYS)?
    };
    let near = near.to_owned();
    set_in_command(case, found, &typed, &near)
}

/// `typed` → `near` and `command`: a package of PyPI under its own name. Never one that is not well known.
pub(super) fn known_python_package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let near = packages::of_module(&typed).filter(|package| *package != typed).or_else(|| {
        let known = [
            "requests",
            "numpy",
            "pandas",
            "scipy",
            "matplotlib",
            "flask",
            "django",
            "fastapi",
            "uvicorn",
            "pytest",
            "tensorflow",
            "torch",
            "torchvision",
            "transformers",
            "beautifulsoup4",
            "sqlalchemy",
            "pillow",
            "pyyaml",
            "selenium",
            "boto3",
            "jupyter",
            "jupyterlab",
            "notebook",
            "scikit-learn",
            "opencv-python",
            "openai",
            "gunicorn",
            "celery",
            "pydantic",
            "poetry",
            "virtualenv",
            "setuptools",
            "ansible",
            "streamlit",
            "plotly",
            "seaborn",
            "scrapy",
            "aiohttp",
            "httpx",
            "psycopg2-binary",
            "python-dotenv",
            "cryptography",
        ];
        (typed.chars().count() > 4).then(|| nearest(&typed.to_lowercase(), known)).flatten()
    })?;
    set_in_command(case, found, &typed, near)
}

/// `typed` → `near` and `command`: a package of npm under its own name. Never one that is not well known.
pub(super) fn known_npm_package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let known = [
        "express",
        "lodash",
        "axios",
        "react",
        "react-dom",
        "react-router-dom",
        "next",
        "vue",
        "typescript",
        "eslint",
        "prettier",
        "webpack",
        "nodemon",
        "mongoose",
        "dotenv",
        "chalk",
        "commander",
        "jest",
        "vite",
        "vitest",
        "tailwindcss",
        "create-react-app",
        "create-next-app",
        "create-vite",
        "body-parser",
        "jsonwebtoken",
        "bcrypt",
        "socket.io",
        "moment",
        "dayjs",
        "redux",
        "rxjs",
        "puppeteer",
        "playwright",
        "cypress",
        "prisma",
        "sequelize",
        "fastify",
        "http-server",
        "json-server",
        "rimraf",
        "cross-env",
        "concurrently",
        "ts-node",
    ];
    let near = (typed.chars().count() > 4).then(|| nearest(&typed, known)).flatten()?;
    set_in_command(case, found, &typed, near)
}

/// `near` and `command`, which is the asked one with `typed`, a whole word or a part of one, replaced.
fn set_in_command(case: &Case<'_>, found: &mut Findings, typed: &str, near: &str) -> Option<()> {
    let asked = &case.failure.command;
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let places: Vec<usize> = asked
        .match_indices(typed)
        .filter(|(at, _)| {
            let before = asked[..*at].chars().next_back();
            let after = asked[at + typed.len()..].chars().next();
            // `-SIGKLL`: the dash belongs to no name.
            !before.is_some_and(|c| part(c) && c != '-') && !after.is_some_and(part)
        })
        .map(|(at, _)| at)
        .collect();
    let [at] = places[..] else { return None };
    found.set("command", format!("{}{near}{}", &asked[..at], &asked[at + typed.len()..]));
    found.set("near", near);
    Some(())
}

/// Names of the Python files of the folder, without the ending.
fn modules(case: &Case<'_>) -> Option<Vec<String>> {
    let names = case.list(".")?;
    Some(names.iter().filter_map(|name| name.strip_suffix(".py")).map(str::to_owned).collect())
}

/// `near`: the one file here that makes a Flask application.
pub(super) fn flask_file(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let makes =
        |name: &String| case.read(&format!("{name}.py")).is_some_and(|source| source.contains("Flask("));
    let near = one(modules(case)?.into_iter().filter(makes))?;
    found.set("near", near);
    Some(())
}

/// `module` → `near` and `command`: the one Python file here that is near to it.
pub(super) fn near_own_module(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.to_owned();
    let modules = modules(case)?;
    if modules.contains(&module) || case.is_dir(&module) {
        return None;
    }
    let near = nearest(&module, modules.iter().map(String::as_str))?.to_owned();
    let asked = &case.failure.command;
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let places: Vec<usize> = asked
        .match_indices(&module)
        .filter(|(at, _)| {
            !asked[..*at].chars().next_back().is_some_and(|c| part(c) || c == '/')
                && !asked[at + module.len()..].chars().next().is_some_and(part)
        })
        .map(|(at, _)| at)
        .collect();
    let [at] = places[..] else { return None };
    found.set("command", format!("{}{near}{}", &asked[..at], &asked[at + module.len()..]));
    found.set("near", near);
    Some(())
}

/// `module` → `folder`: the one folder below that holds it.
pub(super) fn folder_of_module(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.to_owned();
    let names = case.list(".")?;
    let holds = |name: &String| {
        !name.starts_with('.')
            && !matches!(name.as_str(), "node_modules" | "venv" | "env")
            && (case.is_dir(&format!("{name}/{module}")) || case.exists(&format!("{name}/{module}.py")))
    };
    let folder = one(names.into_iter().filter(holds))?;
    found.set("folder", folder);
    Some(())
}

/// `typed` → `near` and `command`: the one installed package that is near to it.
pub(super) fn near_installed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let names = case.machine.list(std::path::Path::new("/var/lib/dpkg/info"));
    let installed = names.iter().filter_map(|name| name.strip_suffix(".list")).map(|name| {
        // `libc6:amd64` is called libc6.
        name.split(':').next().unwrap_or(name)
    });
    let near = nearest(&typed, installed)?.to_owned();
    set_in_command(case, found, &typed, &near)
}

/// `module` → `command`: run by the Python of the environment beside, which has the module.
pub(super) fn environment_beside(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.split('.').next()?.to_owned();
    let run = case.only_run(&["python", "python3"])?;
    if run.head().raw.contains('/') || run.wrapped_in("sudo") {
        return None;
    }
    let has = |folder: &&str| {
        let versions = case.list(&format!("{folder}/lib")).unwrap_or_default();
        versions.iter().any(|version| {
            let place = format!("{folder}/lib/{version}/site-packages/{module}");
            version.starts_with("python") && (case.is_dir(&place) || case.exists(&format!("{place}.py")))
        })
    };
    let folder = one([".venv", "venv", "env"].into_iter().filter(has))?;
    let python = format!("{folder}/bin/python");
    found.set("command", case.splice(&[(run.head().span, &python)])?);
    found.set("environment", folder);
    Some(())
}

/// `path` → `near`: the one script beside it that was meant to be run.
pub(super) fn near_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    case.runs().find(|run| text(run.head()) == Some(&path))?;
    let (above, name) = path.rsplit_once('/')?;
    let folder = if above.is_empty() { "/" } else { above };
    if case.exists(&path) || matches!(name, "rm" | "dd") {
        return None;
    }
    let names = case.list(folder)?;
    let near = nearest_file(name, names.iter().map(String::as_str))?;
    // A source has to be compiled before anything runs.
    if [".c", ".cc", ".cpp", ".rs", ".go", ".java", ".h", ".md", ".txt"]
        .iter()
        .any(|ending| near.ends_with(ending))
    {
        return None;
    }
    let near = format!("{above}/{near}");
    (!case.is_dir(&near)).then(|| found.set("near", near))
}

/// `path` (`*.jpeg`) → `near`: the pattern with the ending that files here have.
pub(super) fn near_ending(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let (above, pattern) = path.rsplit_once('/').unwrap_or((".", &path));
    let ending =
        pattern.strip_prefix("*.").filter(|ending| ending.chars().all(|c| c.is_ascii_alphanumeric()))?;
    let kinds = [
        ["jpg", "jpeg"],
        ["yml", "yaml"],
        ["htm", "html"],
        ["tif", "tiff"],
        ["mpg", "mpeg"],
        ["md", "markdown"],
    ];
    let same = |other: &str| {
        let (left, right) = (ending.to_lowercase(), other.to_lowercase());
        left == right
            || kinds.iter().any(|kind| kind.contains(&left.as_str()) && kind.contains(&right.as_str()))
    };
    let names = case.list(above)?;
    let mut endings: Vec<&str> = names
        .iter()
        .filter_map(|name| {
            name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)
        })
        .filter(|other| *other != ending && same(other))
        .collect();
    endings.sort_unstable();
    endings.dedup();
    let [other] = endings[..] else { return None };
    let near = path.replace(&format!("*.{ending}"), &format!("*.{other}"));
    let asked = &case.failure.command;
    if asked.matches(path.as_str()).count() != 1 {
        return None;
    }
    found.set("command", asked.replacen(&path, &near, 1));
    found.set("near", near);
    Some(())
}

/// `path` → `near`: the file of that name in the one folder below that has it. For programs that read it.
pub(super) fn deeper_input(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let (above, name) = path.rsplit_once('/').unwrap_or((".", &path));
    if case.exists(&path) || !name.contains('.') || name.starts_with('.') {
        return None;
    }
    let readers =
        ["cat", "head", "tail", "less", "wc", "file", "stat", "python3", "python", "node", "bash", "sh"];
    case.only_run(&readers)?;
    let names = case.list(above)?;
    let holds = |folder: &String| {
        !folder.starts_with('.')
            && !matches!(folder.as_str(), "node_modules" | "target" | "build" | "dist")
            && case.exists(&format!("{above}/{folder}/{name}"))
    };
    let folder = one(names.into_iter().filter(holds))?;
    let near = if above == "." { format!("{folder}/{name}") } else { format!("{above}/{folder}/{name}") };
    found.set("command", case.replace_word(&path, &quote(&near))?);
    found.set("near", near);
    Some(())
}
