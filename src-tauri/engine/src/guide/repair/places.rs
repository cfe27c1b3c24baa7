//! What the messages of builds, clusters and tools leave open and the files of the project tell: the folder that was
//! meant, the near name of a target or a service, the library that has a symbol.

use std::path::Path;

use super::super::case::{Case, one};
use super::super::near::nearest;
use super::super::template::Findings;
use super::files::near_path;
use super::node::only_folder_with;

/// `path` → `near`: the one near file. The rule vouches that the program only reads it.
pub(super) fn near_read(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    near_named(case, found, false)
}

/// `path` → `near`: the one near folder. The rule vouches that the program only reads it.
pub(super) fn near_read_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    near_named(case, found, true)
}

fn near_named(case: &Case<'_>, found: &mut Findings, folder: bool) -> Option<()> {
    let path = found.get("path")?.to_owned();
    if case.exists(&path) {
        return None;
    }
    found.set("near", near_path(case, &path, folder)?);
    Some(())
}

/// `folder`: the only one below that has `file`, where this one has none and the command is all there is.
fn folder_with(case: &Case<'_>, found: &mut Findings, file: &str) -> Option<()> {
    case.sole_run()?;
    if case.exists(file) {
        return None;
    }
    found.set("folder", only_folder_with(case, file)?);
    Some(())
}

/// `folder`: the only repository below, for commands that name no file.
pub(super) fn git_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const WHOLE: [&str; 9] = ["status", "log", "pull", "fetch", "push", "branch", "diff", "stash", "remote"];
    let run = case.sole_run().filter(|run| run.program() == "git")?;
    let args = run.known_args()?;
    let [first, rest @ ..] = args.as_slice() else { return None };
    let names_file = rest.iter().any(|arg| *arg == "--" || case.exists(arg));
    if !WHOLE.contains(first) || names_file {
        return None;
    }
    folder_with(case, found, ".git")
}

pub(super) fn cmake_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    folder_with(case, found, "CMakeLists.txt")
}

pub(super) fn terraform_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    folder_with(case, found, "main.tf")
}

/// `tag` is at the very commit that is checked out.
pub(super) fn git_tag_here(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let tag = found.get("tag")?.to_owned();
    let run = case.sole_run().filter(|run| run.program() == "git")?;
    if run.known_args()? != ["tag", tag.as_str()] {
        return None;
    }
    let at = case.read(&format!(".git/refs/tags/{tag}"))?;
    let head = case.read(".git/HEAD")?;
    let head = match head.trim().strip_prefix("ref: ") {
        Some(branch) => case.read(&format!(".git/{branch}"))?,
        None => head,
    };
    (at.trim() == head.trim()).then_some(())
}

/// `folder`: the only program of a Go module, in its folder `cmd`.
pub(super) fn go_command_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    case.sole_run()?;
    let names = case.list("cmd")?;
    let program = one(names.iter().filter(|name| case.exists(&format!("cmd/{name}/main.go"))))?;
    found.set("folder", format!("cmd/{program}"));
    Some(())
}

/// `name` (`com.acme.Main`) → `folder`: the only usual folder of classes that has it.
pub(super) fn java_class_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const FOLDERS: [&str; 6] =
        ["target/classes", "build/classes/java/main", "out", "bin", "build", "classes"];
    let class = format!("{}.class", found.get("name")?.replace('.', "/"));
    let folder = one(FOLDERS.iter().filter(|folder| case.exists(&format!("{folder}/{class}"))))?;
    found.set("folder", *folder);
    Some(())
}

/// `target` → `near`: the near target of `build.xml`.
pub(super) fn ant_near_target(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let target = found.get("target")?.to_owned();
    let project = case.read("build.xml")?;
    let targets = project.split("<target ").skip(1).filter_map(|rest| {
        let rest = rest.split('>').next()?;
        rest.split_once("name=\"")?.1.split('"').next()
    });
    let near = nearest(&target, targets)?.to_owned();
    if near.contains("clean") && !target.starts_with("cl") {
        return None;
    }
    found.set("near", near);
    Some(())
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `name` → `near`: the near service of the compose file.
pub(super) fn compose_near_service(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const FILES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];
    let name = found.get("name")?.to_owned();
    let file = FILES.iter().find_map(|file| case.read(file))?;
    let inside = file.lines().skip_while(|line| line.trim_end() != "services:").skip(1);
    let inside: Vec<&str> = inside
        .take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t', '#']))
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect();
    let first = depth(inside.first()?);
    let services = inside.iter().filter(|line| depth(line) == first);
    let names = services.filter_map(|line| line.trim().split_once(':')).map(|(name, _)| name);
    let near = nearest(&name, names)?.to_owned();
    found.set("near", near);
    Some(())
}

/// `typed` → `near`: the near script of `/etc/init.d`.
pub(super) fn near_service_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let run = case.only_run(&["service"])?;
    if run.has_arg(&["stop"]) {
        return None;
    }
    let names = case.machine.list(Path::new("/etc/init.d"));
    let near = nearest(&typed, names.iter().map(String::as_str))?;
    found.set("near", near);
    Some(())
}

/// `module` → `near`: the near library that pkg-config knows.
pub(super) fn pkg_config_near(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const FOLDERS: [&str; 5] = [
        "/usr/lib/x86_64-linux-gnu/pkgconfig",
        "/usr/lib/aarch64-linux-gnu/pkgconfig",
        "/usr/share/pkgconfig",
        "/usr/lib/pkgconfig",
        "/usr/local/lib/pkgconfig",
    ];
    let module = found.get("module")?.to_owned();
    let mut names: Vec<String> =
        FOLDERS.iter().flat_map(|folder| case.machine.list(Path::new(folder))).collect();
    names.sort();
    names.dedup();
    let near = nearest(&module, names.iter().filter_map(|name| name.strip_suffix(".pc")))?;
    found.set("near", near);
    Some(())
}

/// How the functions of libraries begin that C links only when asked.
const SYMBOLS: [(&str, &str); 62] = [
    ("sqlite3_", "-lsqlite3"),
    ("curl_", "-lcurl"),
    ("PQ", "-lpq"),
    ("mysql_", "-lmysqlclient"),
    ("SSL_", "-lssl -lcrypto"),
    ("EVP_", "-lcrypto"),
    ("SHA256_", "-lcrypto"),
    ("RSA_", "-lcrypto"),
    ("png_", "-lpng"),
    ("jpeg_", "-ljpeg"),
    ("xmlParse", "-lxml2"),
    ("SDL_", "-lSDL2"),
    ("glfw", "-lglfw"),
    ("cairo_", "-lcairo"),
    ("json_object_", "-ljson-c"),
    ("uuid_", "-luuid"),
    ("zmq_", "-lzmq"),
    ("ZSTD_", "-lzstd"),
    ("LZ4_", "-llz4"),
    ("BZ2_", "-lbz2"),
    ("lzma_", "-llzma"),
    ("pcre2_", "-lpcre2-8"),
    ("omp_", "-fopenmp"),
    ("GOMP_", "-fopenmp"),
    ("SHA1_", "-lcrypto"),
    ("SHA512_", "-lcrypto"),
    ("MD5_", "-lcrypto"),
    ("RAND_", "-lcrypto"),
    ("BIO_", "-lcrypto"),
    ("BN_", "-lcrypto"),
    ("X509_", "-lcrypto"),
    ("HMAC_", "-lcrypto"),
    ("PEM_", "-lcrypto"),
    ("ERR_error", "-lcrypto"),
    ("TLS_", "-lssl -lcrypto"),
    ("OPENSSL_", "-lssl -lcrypto"),
    ("gz", "-lz"),
    ("XOpen", "-lX11"),
    ("XCreate", "-lX11"),
    ("glut", "-lglut -lGL"),
    ("glew", "-lGLEW -lGL"),
    ("glClear", "-lGL"),
    ("glBegin", "-lGL"),
    ("glGet", "-lGL"),
    ("glEnable", "-lGL"),
    ("yaml_", "-lyaml"),
    ("cJSON_", "-lcjson"),
    ("archive_", "-larchive"),
    ("uv_", "-luv"),
    ("sodium_", "-lsodium"),
    ("__gmpz_", "-lgmp"),
    ("mpfr_", "-lmpfr -lgmp"),
    ("fftw_", "-lfftw3"),
    ("gsl_", "-lgsl -lgslcblas -lm"),
    ("snd_pcm_", "-lasound"),
    ("pcap_", "-lpcap"),
    ("magic_", "-lmagic"),
    ("XML_Parse", "-lexpat"),
    ("xmlRead", "-lxml2"),
    ("xmlNew", "-lxml2"),
    ("lua_", "-llua5.4"),
    ("event_base_", "-levent"),
];

/// Functions that have no beginning of their own.
const FUNCTIONS: [(&str, &str); 39] = [
    ("deflate", "-lz"),
    ("inflate", "-lz"),
    ("compress", "-lz"),
    ("uncompress", "-lz"),
    ("deflateInit_", "-lz"),
    ("inflateInit_", "-lz"),
    ("gzopen", "-lz"),
    ("crc32", "-lz"),
    ("initscr", "-lncurses"),
    ("endwin", "-lncurses"),
    ("printw", "-lncurses"),
    ("readline", "-lreadline"),
    ("add_history", "-lreadline"),
    ("dlopen", "-ldl"),
    ("dlsym", "-ldl"),
    ("shm_open", "-lrt"),
    ("compressBound", "-lz"),
    ("compress2", "-lz"),
    ("uncompress2", "-lz"),
    ("deflateEnd", "-lz"),
    ("inflateEnd", "-lz"),
    ("zlibVersion", "-lz"),
    ("adler32", "-lz"),
    ("SHA1", "-lcrypto"),
    ("SHA256", "-lcrypto"),
    ("SHA512", "-lcrypto"),
    ("MD5", "-lcrypto"),
    ("HMAC", "-lcrypto"),
    ("newwin", "-lncurses"),
    ("stdscr", "-lncurses"),
    ("mvprintw", "-lncurses"),
    ("wgetch", "-lncurses"),
    ("wrefresh", "-lncurses"),
    ("curs_set", "-lncurses"),
    ("noecho", "-lncurses"),
    ("crypt", "-lcrypt"),
    ("dlclose", "-ldl"),
    ("dlerror", "-ldl"),
    ("mq_open", "-lrt"),
];

fn flag_of(symbol: &str) -> Option<&'static str> {
    let begins = SYMBOLS.iter().find(|(start, _)| symbol.starts_with(start));
    begins.or_else(|| FUNCTIONS.iter().find(|(name, _)| *name == symbol)).map(|(_, flag)| *flag)
}

/// `symbol` → `flag` and `command`: the one library that the first unknown function is of, linked at the end.
pub(super) fn link_library(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let flag = flag_of(found.get("symbol")?)?;
    let run = case.only_run(&["gcc", "cc", "g++", "c++", "clang", "clang++"])?;
    let linked = run.known_args()?.contains(&flag.split(' ').next()?);
    if linked || run.has_arg(&["-c"]) {
        return None;
    }
    found.set("command", case.insert_after(run.last_word(), &format!(" {flag}"))?);
    found.set("flag", flag);
    Some(())
}

/// Debian's package of a library that programs load as they start.
const LOADED: [(&str, &str); 44] = [
    ("libGL.so.1", "libgl1"),
    ("libEGL.so.1", "libegl1"),
    ("libSDL2-2.0.so.0", "libsdl2-2.0-0"),
    ("libX11.so.6", "libx11-6"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libXcomposite.so.1", "libxcomposite1"),
    ("libXcursor.so.1", "libxcursor1"),
    ("libXdamage.so.1", "libxdamage1"),
    ("libXext.so.6", "libxext6"),
    ("libXfixes.so.3", "libxfixes3"),
    ("libXi.so.6", "libxi6"),
    ("libXrandr.so.2", "libxrandr2"),
    ("libXrender.so.1", "libxrender1"),
    ("libXss.so.1", "libxss1"),
    ("libXtst.so.6", "libxtst6"),
    ("libasound.so.2", "libasound2"),
    ("libatk-1.0.so.0", "libatk1.0-0"),
    ("libatk-bridge-2.0.so.0", "libatk-bridge2.0-0"),
    ("libcairo.so.2", "libcairo2"),
    ("libcups.so.2", "libcups2"),
    ("libcurl.so.4", "libcurl4"),
    ("libdrm.so.2", "libdrm2"),
    ("libfuse.so.2", "libfuse2"),
    ("libgbm.so.1", "libgbm1"),
    ("libgdk-3.so.0", "libgtk-3-0"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libgomp.so.1", "libgomp1"),
    ("libgthread-2.0.so.0", "libglib2.0-0"),
    ("libgtk-3.so.0", "libgtk-3-0"),
    ("libmariadb.so.3", "libmariadb3"),
    ("libncursesw.so.6", "libncursesw6"),
    ("libnspr4.so", "libnspr4"),
    ("libnss3.so", "libnss3"),
    ("libnssutil3.so", "libnss3"),
    ("libpango-1.0.so.0", "libpango-1.0-0"),
    ("libpcap.so.0.8", "libpcap0.8"),
    ("libpq.so.5", "libpq5"),
    ("libpulse.so.0", "libpulse0"),
    ("libreadline.so.8", "libreadline8"),
    ("libsmime3.so", "libnss3"),
    ("libssl.so.3", "libssl3"),
    ("libusb-1.0.so.0", "libusb-1.0-0"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libxml2.so.2", "libxml2"),
];

/// `library` → `package` of a library that a program loads as it starts.
pub(super) fn loaded_library(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let library = found.get("library")?;
    let package = LOADED.iter().find(|(name, _)| *name == library)?.1;
    if !case.has_program("apt-get") {
        return None;
    }
    found.set("package", package);
    Some(())
}
