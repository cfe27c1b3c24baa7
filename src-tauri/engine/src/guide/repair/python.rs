//! Python: modules and their packages, environments, files that a program writes.

use std::path::Path;

use super::super::case::{Case, Run, one, text};
use super::super::template::{Findings, quote};
use super::packages;
use crate::guide::near::nearest;

fn is_python(run: &Run<'_>) -> bool {
    let name = run.program();
    name == "python"
        || name.strip_prefix("python3").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The command that says which Python is meant.
fn python<'a>(case: &'a Case<'_>) -> Option<Run<'a>> {
    one(case.runs().filter(is_python))
}

/// Whether the project itself has this module, so that no package is missing.
fn is_local(case: &Case<'_>, module: &str) -> bool {
    ["", "src/", "lib/"].iter().any(|folder| {
        case.exists(&format!("{folder}{module}.py")) || case.is_dir(&format!("{folder}{module}"))
    })
}

/// `module` → `package` and `pip`: the command that installs it for the Python that missed it.
pub(super) fn package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.split('.').next()?.to_owned();
    if is_local(case, &module) {
        return None;
    }
    let package = packages::of_module(&module)?;
    let interpreter = match python(case) {
        Some(run) => run.head().raw.clone(),
        None if case.runs().any(|run| is_python(&run)) => return None,
        None => "python3".to_owned(),
    };
    let requirements = case.read("requirements.txt").unwrap_or_default();
    let name = |line: &str| {
        line.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
            .next()
            .unwrap_or_default()
            .to_lowercase()
            .replace('_', "-")
    };
    let listed = requirements.lines().any(|line| name(line) == package.to_lowercase());
    let what = if listed {
        format!("-r {}", quote(&case.path_at_start("requirements.txt")?))
    } else {
        package.to_owned()
    };
    found.set("root", module);
    found.set("what", what);
    found.set("package", package);
    found.set("interpreter", interpreter);
    Some(())
}

/// `module` → `command`: the module is the project's own, below `src` or `lib`: say so by `PYTHONPATH`.
pub(super) fn source_path(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.split('.').next()?.to_owned();
    let run = python(case)?;
    if case.failure.command.contains("PYTHONPATH") {
        return None;
    }
    let holds = |folder: &&str| {
        case.exists(&format!("{folder}/{module}.py")) || case.is_dir(&format!("{folder}/{module}"))
    };
    let folder = one(["src", "lib"].into_iter().filter(holds))?;
    found.set("folder", folder);
    let first = run.command.words.first()?;
    // Through sudo or time an assignment would be an argument.
    (std::ptr::eq(first, run.head())).then_some(())?;
    found.set("command", case.insert_before(first, &format!("PYTHONPATH={folder} "))?);
    Some(())
}

/// `folder`: where a new environment goes; no other one is there.
pub(super) fn environment(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = one(case.runs().filter(|run| is_python(run) || matches!(run.program(), "pip" | "pip3")))?;
    // A Python named by its path stays the system's own, whatever is activated.
    if run.head().raw.contains('/') || run.wrapped_in("sudo") {
        return None;
    }
    let existing =
        [".venv", "venv"].into_iter().find(|folder| case.exists(&format!("{folder}/bin/activate")));
    let folder = case.path_at_start(existing.unwrap_or(".venv"))?;
    found.set("environment", &folder);
    found.set("activate", format!("{folder}/bin/activate"));
    // Making an environment again leaves what is in it.
    let python =
        if case.has_program("python3") || !case.has_program("python") { "python3" } else { "python" };
    found.set("python", python);
    Some(())
}

/// `path` (`…/bin/activate`) → `environment`: the environment to make, if no other one may be meant.
pub(super) fn activate(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let environment = path.strip_suffix("/bin/activate")?.to_owned();
    let sourced = case.runs().any(|run| {
        matches!(run.program(), "source" | ".") && run.args().first().and_then(text) == Some(path)
    });
    let name = environment.rsplit('/').next()?;
    let usual = name.contains("env");
    if !sourced || !usual || !case.has_program("python3") {
        return None;
    }
    if let Some(names) = case.list(".") {
        let another = names.iter().any(|name| case.exists(&format!("{name}/bin/activate")));
        // Its folder is there without the script: something else is wrong with it.
        if another || case.exists(&environment) {
            return None;
        }
    }
    found.set("environment", case.path_at_start(&environment)?);
    Some(())
}

/// Modules that are run by `python3 -m`.
const RUNNABLE: [&str; 26] = [
    "ast",
    "build",
    "calendar",
    "compileall",
    "cProfile",
    "dis",
    "doctest",
    "ensurepip",
    "gzip",
    "http.server",
    "idlelib",
    "json.tool",
    "pdb",
    "pip",
    "pipx",
    "profile",
    "pydoc",
    "pytest",
    "site",
    "tarfile",
    "timeit",
    "trace",
    "unittest",
    "venv",
    "virtualenv",
    "zipfile",
];

/// `module` → `near`: the module that `-m` was to run, where the one named is none.
pub(super) fn near_runnable_module(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.to_owned();
    let run = python(case)?;
    let named = run.known_args()?.windows(2).any(|pair| pair == ["-m", module.as_str()]);
    if !named
        || RUNNABLE.contains(&module.as_str())
        || is_local(case, &module)
        || packages::of_module(&module).is_some()
    {
        return None;
    }
    let slip = nearest(&module, RUNNABLE);
    let usual = match module.as_str() {
        "SimpleHTTPServer" => Some("http.server"),
        _ => None,
    };
    found.set("near", usual.or(slip)?);
    Some(())
}

/// Packages of Debian that are not called `python3-` and the name of the module.
const DISTRIBUTION: [(&str, &str); 27] = [
    ("pytz", "tz"),
    ("PIL", "pil"),
    ("cv2", "opencv"),
    ("sklearn", "sklearn"),
    ("skimage", "skimage"),
    ("Crypto", "pycryptodome"),
    ("OpenSSL", "openssl"),
    ("usb", "usb"),
    ("dns", "dnspython"),
    ("jwt", "jwt"),
    ("git", "git"),
    ("github", "github"),
    ("docx", "docx"),
    ("magic", "magic"),
    ("nacl", "nacl"),
    ("socks", "socks"),
    ("attr", "attr"),
    ("dotenv", "dotenv"),
    ("pkg_resources", "pkg-resources"),
    ("markdown", "markdown"),
    ("jose", "jose"),
    ("ldap", "ldap"),
    ("mpl_toolkits", "matplotlib"),
    ("tkinter", "tk"),
    ("MySQLdb", "mysqldb"),
    ("psycopg2", "psycopg2"),
    ("flask_cors", "flask-cors"),
];

/// Modules whose package of Debian is called `python3-` and their name.
const OF_THEIR_NAME: [&str; 58] = [
    "bs4",
    "yaml",
    "requests",
    "numpy",
    "pandas",
    "scipy",
    "matplotlib",
    "flask",
    "django",
    "pytest",
    "lxml",
    "cryptography",
    "serial",
    "dateutil",
    "setuptools",
    "wheel",
    "virtualenv",
    "sqlalchemy",
    "jinja2",
    "click",
    "rich",
    "tqdm",
    "paramiko",
    "docker",
    "redis",
    "pymysql",
    "zmq",
    "tornado",
    "aiohttp",
    "httpx",
    "sphinx",
    "pygments",
    "psutil",
    "selenium",
    "toml",
    "markdown2",
    "pexpect",
    "scapy",
    "sympy",
    "networkx",
    "nltk",
    "openpyxl",
    "xlrd",
    "xlsxwriter",
    "qrcode",
    "feedparser",
    "httplib2",
    "packaging",
    "bcrypt",
    "netifaces",
    "mypy",
    "pylint",
    "coverage",
    "cffi",
    "simplejson",
    "colorama",
    "tabulate",
    "termcolor",
];

/// `module` → `package`: of the distribution, where the system keeps pip from installing into it.
pub(super) fn distribution_package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("module")?.split('.').next()?.to_owned();
    let is_own = ["/venv", "/.venv", "/.pyenv/", "conda", "/env/", "site-packages", "/opt/"];
    let plain = match python(case) {
        Some(run) => !run.head().raw.contains('/') || run.head().raw.starts_with("/usr/bin/"),
        None => false,
    };
    let folders = case.machine.list(Path::new("/usr/lib"));
    let managed = folders
        .iter()
        .filter(|name| name.starts_with("python3."))
        .any(|name| case.machine.exists(&Path::new("/usr/lib").join(name).join("EXTERNALLY-MANAGED")));
    if !plain
        || !managed
        || is_local(case, &module)
        || is_own.iter().any(|sign| case.everything.contains(sign))
    {
        return None;
    }
    let name = match DISTRIBUTION.iter().find(|(import, _)| *import == module) {
        Some((_, name)) => *name,
        None => OF_THEIR_NAME.iter().find(|name| **name == module)?,
    };
    found.set("package", format!("python3-{name}"));
    found.set("root", module);
    super::programs::apt(case, found)?;
    super::programs::sudo(case, found)
}
