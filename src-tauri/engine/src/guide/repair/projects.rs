//! Where projects are and what their tools are called: read from names of files, at most one folder down.

use std::path::Path;

use super::super::case::{Case, Run, one, text};
use super::super::near::nearest;
use super::super::template::{Findings, quote};

/// The only folder right below that has one of `files`.
fn only_folder_with(case: &Case<'_>, files: &[&str]) -> Option<String> {
    if files.iter().any(|file| case.exists(file)) {
        return None;
    }
    let names = case.list(".")?;
    let has = |name: &&String| {
        !name.starts_with('.') && files.iter().any(|file| case.exists(&format!("{name}/{file}")))
    };
    one(names.iter().filter(has)).cloned()
}

/// `command` and `folder`: the command in the only folder below that has one of `files`.
fn in_folder_with(case: &Case<'_>, found: &mut Findings, files: &[&str]) -> Option<()> {
    case.sole_run()?;
    let folder = only_folder_with(case, files)?;
    found.set("command", format!("cd {} && {}", quote(&folder), case.failure.command));
    found.set("folder", folder);
    Some(())
}

pub(super) fn compose_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_folder_with(case, found, &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"])
}

pub(super) fn project_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_folder_with(case, found, &["pom.xml", "build.gradle", "build.gradle.kts"])
}

pub(super) fn composer_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_folder_with(case, found, &["composer.json"])
}

pub(super) fn gemfile_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_folder_with(case, found, &["Gemfile"])
}

pub(super) fn artisan_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_folder_with(case, found, &["artisan"])
}

pub(super) fn python_project_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    if path != "." && !path.starts_with('/') {
        return None;
    }
    in_folder_with(case, found, &["pyproject.toml", "setup.py"])
}

/// `near`: the only Dockerfile, under another name or one folder down.
pub(super) fn near_dockerfile(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    if case.exists("Dockerfile") {
        return None;
    }
    let names = case.list(".")?;
    let here =
        names.iter().filter(|name| name.to_lowercase().contains("dockerfile") && !case.is_dir(name)).cloned();
    let below = names.iter().filter(|name| !name.starts_with('.')).map(|name| format!("{name}/Dockerfile"));
    let near = one(here.chain(below.filter(|path| case.exists(path))))?;
    found.set("near", near);
    Some(())
}

/// `name` → `near`: the name of an image in small letters, as the command has it.
pub(super) fn lowercase_name(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let capital = |arg: &&str| {
        arg.chars().any(|c| c.is_ascii_uppercase()) && !arg.starts_with('-') && !arg.contains('=')
    };
    let said = found.get("name").unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
    let run = one(case.runs().filter(|run| matches!(run.program(), "docker" | "podman")))?;
    let name = one(run
        .args()
        .iter()
        .filter_map(text)
        .filter(capital)
        .filter(|arg| said.is_empty() || arg.contains(&said)))?;
    found.set("near", name.to_lowercase());
    found.set("name", name);
    Some(())
}

/// `name` is a word of the command, so that its container is the one that is meant.
pub(super) fn container_word(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let said = found.get("name")?.to_owned();
    let run = one(case.runs().filter(|run| matches!(run.program(), "docker" | "podman")))?;
    let word = run.known_args()?.into_iter().find(|word| *word == said).or_else(|| {
        // The message gives the number that the name stands for.
        let operands: Vec<&str> =
            run.known_args()?.into_iter().skip(1).filter(|word| !word.starts_with('-')).collect();
        one(operands.into_iter().filter(|word| !matches!(*word, "rm" | "remove")))
    })?;
    found.set("name", word);
    Some(())
}

/// `start`: how this machine starts its service `unit`, by what it was itself started with.
fn start_service(case: &Case<'_>, found: &mut Findings, unit: &str) -> Option<()> {
    let start = if case.machine.exists(Path::new("/run/systemd/system")) {
        format!("systemctl start {unit}")
    } else if case.machine.exists(&Path::new("/etc/init.d").join(unit)) {
        format!("service {unit} start")
    } else {
        return None;
    };
    found.set("unit", unit);
    found.set("start", format!("{}{start}", case.sudo()?));
    Some(())
}

pub(super) fn postgres_start(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    start_service(case, found, "postgresql")
}

pub(super) fn mysql_start(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let is_mariadb = case.has_program("mariadbd") || case.has_program("mariadb");
    start_service(case, found, if is_mariadb { "mariadb" } else { "mysql" })
}

pub(super) fn mongo_start(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    start_service(case, found, "mongod")
}

/// `start`: as a service, else as a program that goes on by itself.
pub(super) fn redis_start(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    start_service(case, found, "redis-server").or_else(|| {
        case.has_program("redis-server").then(|| found.set("start", "redis-server --daemonize yes"))
    })
}

/// `python` and `manage`: the project's manage.py, as the command runs it.
pub(super) fn manage_py(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = one(case
        .runs()
        .filter(|run| run.args().iter().filter_map(text).any(|arg| arg.ends_with("manage.py"))))?;
    let manage = run.args().iter().filter_map(text).find(|arg| arg.ends_with("manage.py"))?;
    if run.has_arg(&["migrate"]) {
        return None;
    }
    found.set("python", run.program());
    found.set("manage", manage);
    Some(())
}

/// `module`: a name for a Go module, from the folder's.
pub(super) fn go_module(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let folder = case.on_disk(".")?;
    let name = folder.file_name()?.to_str()?.to_lowercase();
    let plain: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
    if plain.is_empty() || case.exists("go.mod") {
        return None;
    }
    found.set("module", plain);
    Some(())
}

/// `wrapper` → `near`: the installed program of the same tool.
pub(super) fn build_tool(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let near = if found.get("wrapper")? == "mvnw" { "mvn" } else { "gradle" };
    let wrapper = format!("./{}", found.get("wrapper")?);
    (case.has_program(near) && !case.exists(&wrapper)).then(|| found.set("near", near))
}

/// `home`: the folder of the only JDK of this machine, or of its default one.
pub(super) fn java_home(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let folder = "/usr/lib/jvm";
    let names = case.machine.list(std::path::Path::new(folder));
    let default = names.iter().find(|name| *name == "default-java");
    let name = default.or_else(|| one(names.iter().filter(|name| !name.starts_with('.'))))?;
    found.set("home", format!("{folder}/{name}"));
    Some(())
}

/// `script` → `near`: from `package.json`.
pub(super) fn package_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let script = found.get("script")?.to_owned();
    let package: serde_json::Value = serde_json::from_str(&case.read("package.json")?).ok()?;
    let near = nearest(&script, package.get("scripts")?.as_object()?.keys().map(String::as_str))?.to_owned();
    found.set("near", near);
    Some(())
}

/// `branch` and `remote`: the branch this repository is on, and its only remote.
pub(super) fn git_current_branch(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let head = case.read(".git/HEAD")?;
    found.set("branch", head.trim().strip_prefix("ref: refs/heads/")?);
    let config = case.read(".git/config")?;
    let remotes =
        config.lines().filter_map(|line| line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]"));
    found.set("remote", one(remotes)?);
    Some(())
}

/// `near`: the first branch of the repository, when it is not `branch`.
pub(super) fn git_other_branch(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let branch = found.get("branch")?.to_owned();
    let names = case.list(".git/refs/heads")?;
    let near = ["main", "master"]
        .into_iter()
        .find(|name| *name != branch && names.iter().any(|there| there == name))?;
    let deletes = |run: &Run<'_>| run.program() == "git" && run.is_sub("branch");
    one(case.runs().filter(deletes))?;
    found.set("near", near);
    Some(())
}

/// `maker`: what makes `configure`, where its sources are here.
pub(super) fn make_configure(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let maker = if case.exists("autogen.sh") {
        "sh autogen.sh"
    } else if case.exists("bootstrap") {
        "sh bootstrap"
    } else if case.exists("configure.ac") || case.exists("configure.in") {
        "autoreconf -fi"
    } else {
        return None;
    };
    found.set("maker", maker);
    Some(())
}

/// `maker`: what makes the makefile, where that is here.
pub(super) fn make_makefile(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["make"])?;
    if run.has_arg(&["-f", "-C"])
        || ["Makefile", "makefile", "GNUmakefile"].iter().any(|name| case.exists(name))
    {
        return None;
    }
    let maker = if case.exists("configure") {
        "./configure"
    } else if case.exists("CMakeLists.txt") {
        "cmake ."
    } else if case.exists("Makefile.PL") {
        "perl Makefile.PL"
    } else {
        return None;
    };
    found.set("maker", maker);
    Some(())
}

/// `command`: a file of a package run as a part of it.
pub(super) fn as_module(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["python3", "python"])?;
    let word = run.args().first()?;
    let path = text(word)?.strip_suffix(".py")?;
    if !path.contains('/') || path.starts_with('/') || path.contains("..") {
        return None;
    }
    let module = path.trim_start_matches("./").replace('/', ".");
    found.set("command", case.splice(&[(word.span, &format!("-m {}", quote(&module)))])?);
    Some(())
}

/// `pip`: the pip that belongs to what the command runs.
pub(super) fn pip(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.runs().next()?;
    let pip = match run.program() {
        python @ ("python" | "python3") => format!("{python} -m pip"),
        pip @ ("pip" | "pip3") => pip.to_owned(),
        _ if case.has_program("pip3") => "pip3".to_owned(),
        _ => "python3 -m pip".to_owned(),
    };
    found.set("pip", pip);
    Some(())
}

/// `near`: the component of rustup, and `unpacker`, by small tables.
pub(super) fn rust_component(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let near = match found.get("component")? {
        "fmt" | "rustfmt" => "rustfmt",
        "clippy" => "clippy",
        "miri" => "miri",
        "rust-analyzer" => "rust-analyzer",
        "llvm-tools" => "llvm-tools",
        _ => return None,
    };
    found.set("near", near);
    Some(())
}

pub(super) fn unpacker(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const BY_ENDING: [(&[&str], &str); 8] = [
        (&[".tar", ".tgz", ".txz", ".tbz2", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"], "tar xf"),
        (&[".zip", ".jar", ".whl", ".apk"], "unzip"),
        (&[".7z"], "7z x"),
        (&[".rar"], "unrar x"),
        (&[".gz"], "gunzip"),
        (&[".bz2"], "bunzip2"),
        (&[".xz"], "unxz"),
        (&[".zst"], "unzstd"),
    ];
    let archive = found.get("archive")?;
    let fits = |(endings, _): &&(&[&str], &str)| endings.iter().any(|ending| archive.ends_with(ending));
    let (_, unpacker) = BY_ENDING.iter().find(fits)?;
    let program = unpacker.split(' ').next()?;
    let usual = match found.get("with")?.split(' ').next()? {
        "gzip" => "gunzip",
        "bzip2" => "bunzip2",
        "xz" => "unxz",
        "zstd" => "unzstd",
        other => other,
    };
    // Given to the right program already: then its name is not true.
    if usual == program || !case.has_program(program) {
        return None;
    }
    found.set("unpacker", *unpacker);
    Some(())
}

/// `option` → `package`: the plugin of pytest that has it.
pub(super) fn pytest_plugin(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = match found.get("option")? {
        "--cov" => "pytest-cov",
        "-n" => "pytest-xdist",
        "--timeout" => "pytest-timeout",
        "--asyncio-mode" => "pytest-asyncio",
        "--reruns" => "pytest-rerunfailures",
        "--html" => "pytest-html",
        "--benchmark" => "pytest-benchmark",
        "--mypy" => "pytest-mypy",
        "--black" => "pytest-black",
        "--ds" => "pytest-django",
        "--xvfb" => "pytest-xvfb",
        "--splits" => "pytest-split",
        _ => return None,
    };
    found.set("package", package);
    Some(())
}

/// `standard`: of C++, as a compiler's option has it.
pub(super) fn cpp_standard(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let standard = match (found.get("standard"), found.get("year")) {
        (Some(standard), _) => standard.to_owned(),
        (None, Some(year)) => year.get(2..)?.to_owned(),
        (None, None) => return None,
    };
    found.set("standard", standard);
    Some(())
}

/// Images that many people run, without a name in front.
const IMAGES: [&str; 34] = [
    "alpine",
    "busybox",
    "caddy",
    "cassandra",
    "consul",
    "debian",
    "elasticsearch",
    "fedora",
    "ghost",
    "golang",
    "grafana",
    "haproxy",
    "hello-world",
    "httpd",
    "influxdb",
    "jenkins",
    "kibana",
    "mariadb",
    "memcached",
    "mongo",
    "mysql",
    "nginx",
    "node",
    "openjdk",
    "php",
    "postgres",
    "python",
    "rabbitmq",
    "redis",
    "registry",
    "ruby",
    "traefik",
    "ubuntu",
    "wordpress",
];

/// `image` → `typed` and `near`: the well-known image whose name was misspelt.
pub(super) fn near_image(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let image = found.get("image")?.to_owned();
    let image = image.trim_start_matches("docker.io/library/").split(':').next()?.to_owned();
    let near = nearest(&image, IMAGES)?;
    let named =
        |word: &str| word == image || word.strip_prefix(&image).is_some_and(|rest| rest.starts_with(':'));
    let run = case.only_run(&["docker", "podman"])?;
    let word = one(run.args().iter().filter(|word| text(word).is_some_and(named)))?;
    let tag = text(word)?.strip_prefix(image.as_str())?;
    found.set("command", case.splice(&[(word.span, &format!("{near}{tag}"))])?);
    found.set("typed", image);
    found.set("near", near);
    Some(())
}

/// `options`: the server and the account that the command named, for another program of PostgreSQL.
pub(super) fn postgres_options(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let mut options = String::new();
    if let Some(run) = case.runs().find(|run| matches!(run.program(), "psql" | "pg_dump" | "pg_restore")) {
        let args = run.known_args()?;
        for pair in args.windows(2) {
            if let ["-h" | "-p" | "-U" | "--host" | "--port" | "--username", value] = pair {
                options.push_str(&format!("{} {} ", pair[0], quote(value)));
            }
        }
    }
    found.set("options", options);
    Some(())
}

/// `typed` → `near`: the class of this folder that `java` was to run.
pub(super) fn near_class(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let run = case.only_run(&["java"])?;
    run.args().iter().find(|arg| text(arg) == Some(&typed))?;
    let mut folders = vec![".".to_owned()];
    let args: Vec<&str> = run.args().iter().filter_map(text).collect();
    let paths = args.windows(2).filter(|pair| matches!(pair[0], "-cp" | "-classpath" | "--class-path"));
    folders.extend(paths.flat_map(|pair| pair[1].split(':')).map(str::to_owned));
    let names: Vec<String> = folders.iter().filter_map(|folder| case.list(folder)).flatten().collect();
    let classes = names.iter().filter_map(|name| name.strip_suffix(".class"));
    found.set("near", super::super::near::nearest(&typed, classes)?);
    Some(())
}

/// `typed` → `near` and `command`: the table or column of an SQLite file that was meant, as its own head names them.
pub(super) fn near_in_database(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let run = case.only_run(&["sqlite3"])?;
    let file = run.known_args()?.into_iter().find(|arg| !arg.starts_with('-'))?;
    let head = case.read(file)?;
    let schema: String = head
        .match_indices("CREATE TABLE")
        .map(|(at, _)| head[at..].chars().take(2000).collect::<String>())
        .collect();
    let names =
        schema.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|name| name.len() > 1);
    let near = super::super::near::nearest(&typed, names)?.to_owned();
    let asked = &case.failure.command;
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut places = asked
        .match_indices(typed.as_str())
        .filter(|(at, _)| !asked[..*at].ends_with(part) && !asked[at + typed.len()..].starts_with(part));
    let (at, _) = places.next().filter(|_| places.next().is_none())?;
    found.set("command", format!("{}{near}{}", &asked[..at], &asked[at + typed.len()..]));
    found.set("near", near);
    Some(())
}

/// `path` and `near`: the database that was meant, where the one that was named has just been made and is empty.
pub(super) fn near_database(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["sqlite3"])?;
    let path = run.known_args()?.into_iter().find(|arg| !arg.starts_with('-'))?;
    if !case.read(path)?.is_empty() || path.contains('/') {
        return None;
    }
    let names = case.list(".")?;
    let is_database = |name: &&String| {
        name.as_str() != path && case.read(name).is_some_and(|head| head.starts_with("SQLite format 3"))
    };
    let near = nearest(path, names.iter().filter(is_database).map(String::as_str))?;
    found.set("near", near);
    found.set("path", path);
    Some(())
}
