//! What the sources of a project tell of a build or a start that failed: the file that has a function, the program that is not
//! compiled yet, the folder that was set up for building.

use regex::Regex;

use super::super::case::{Case, one, text};
use super::super::template::{Findings, quote};

const COMPILERS: [&str; 6] = ["gcc", "cc", "g++", "c++", "clang", "clang++"];

/// What the standards of C++ brought, by its name in `std`.
const BROUGHT: [(&str, &[&str]); 3] = [
    (
        "23",
        &[
            "expected",
            "print",
            "println",
            "mdspan",
            "generator",
            "flat_map",
            "to_underlying",
            "unreachable",
            "byteswap",
            "move_only_function",
            "stacktrace",
        ],
    ),
    (
        "20",
        &[
            "integral",
            "floating_point",
            "same_as",
            "convertible_to",
            "derived_from",
            "invocable",
            "predicate",
            "regular",
            "ranges",
            "views",
            "span",
            "format",
            "source_location",
            "jthread",
            "latch",
            "barrier",
            "counting_semaphore",
            "binary_semaphore",
            "bit_cast",
            "popcount",
            "endian",
            "midpoint",
            "lerp",
            "ssize",
            "strong_ordering",
            "weak_ordering",
            "partial_ordering",
            "numbers",
            "make_shared_for_overwrite",
            "remove_cvref_t",
            "erase_if",
            "stop_token",
            "u8string",
        ],
    ),
    (
        "17",
        &[
            "optional",
            "nullopt",
            "variant",
            "visit",
            "any",
            "any_cast",
            "string_view",
            "filesystem",
            "byte",
            "clamp",
            "apply",
            "invoke",
            "size",
            "data",
            "empty",
            "scoped_lock",
            "shared_mutex",
            "is_same_v",
            "void_t",
            "gcd",
            "lcm",
            "reduce",
            "from_chars",
            "to_chars",
            "conjunction",
            "as_const",
        ],
    ),
];

/// `standard` and `command`: the standard of C or C++ that the compiler says or shows to be needed, in the place of the one that was asked for.
pub(super) fn standard(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&COMPILERS)?;
    let said = &case.everything;
    let named = [
        r"only available (?:from|with|since|in) (?:-std=)?(c\+\+|C\+\+|c|C)(\d\d)",
        r"use option '?-std=(c)(\d\d)",
        r"(?:is a|are a|are) (C\+\+|C)(\d\d) (?:extension|feature)",
        r"(?:requires|enabled with|available with) '?-std=(c\+\+|c)(\d\w)",
    ];
    let named = named.iter().find_map(|pattern| {
        let groups = Regex::new(pattern).ok()?.captures(said)?;
        Some((
            groups.get(1)?.as_str().to_lowercase(),
            groups.get(2)?.as_str().replace("2a", "20").replace("1z", "17"),
        ))
    });
    let brought = || {
        let unknown = Regex::new(r"'(?:std::)?(\w+)' (?:is not a member of|in namespace) 'std'|'std::(\w+)' has not been declared|no (?:type|template|member) named '(\w+)' in namespace 'std'").ok()?;
        let groups = unknown.captures(said)?;
        let name = groups.iter().skip(1).flatten().next()?.as_str();
        let (standard, _) = BROUGHT.iter().find(|(_, names)| names.contains(&name))?;
        Some(("c++".to_owned(), (*standard).to_owned()))
    };
    let (language, number) = named.or_else(brought)?;
    let standard = format!("-std={language}{number}");
    let asked = run.args().iter().find(|arg| arg.raw.starts_with("-std="));
    let command = match asked {
        // Newer already: then it is something else.
        Some(word) if year(&word.raw)? >= year(&standard)? => return None,
        Some(word) => case.splice(&[(word.span, &standard)])?,
        None => case.insert_after(run.head(), &format!(" {standard}"))?,
    };
    found.set("standard", standard);
    found.set("command", command);
    Some(())
}

/// The year of a standard, by its last two digits.
fn year(standard: &str) -> Option<u32> {
    let digits: String = standard.chars().filter(char::is_ascii_digit).collect();
    let short: u32 = digits.get(digits.len().checked_sub(2)?..)?.parse().ok()?;
    Some(if short > 80 { 1900 + short } else { 2000 + short })
}

/// `symbol` → `file` and `command`: the one source file here that has the function, compiled with the others.
pub(super) fn of_symbol(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let symbol = found.get("symbol")?.to_owned();
    let run = case.only_run(&COMPILERS)?;
    let endings = [".c", ".cc", ".cpp", ".cxx"];
    let is_source = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
    let sources: Vec<_> = run.args().iter().filter(|arg| text(arg).is_some_and(is_source)).collect();
    let last = *sources.last()?;
    let named = text(last)?;
    let folder = named.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let names = case.list(folder)?;
    let made = Regex::new(&format!(
        r"(?m)^[\w\s*:<>&]*\b{}\s*\([^;{{]*\)\s*(?:const\s*)?\{{",
        regex::escape(&symbol)
    ))
    .ok()?;
    let has = |name: &&String| {
        let path = if folder == "." { (*name).clone() } else { format!("{folder}/{name}") };
        let given = sources
            .iter()
            .any(|source| text(source).is_some_and(|source| source.trim_start_matches("./") == path));
        is_source(name) && !given && case.read(&path).is_some_and(|source| made.is_match(&source))
    };
    let name = one(names.iter().filter(has))?;
    let file = if folder == "." { name.clone() } else { format!("{folder}/{name}") };
    found.set("command", case.insert_after(last, &format!(" {}", quote(&file)))?);
    found.set("file", file);
    Some(())
}

/// `path` (`./hello`) → `source` and `compile`: the source of the program that was to be run, which nobody has compiled yet.
pub(super) fn compile_first(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const LANGUAGES: [(&str, &str, &str); 5] = [
        ("c", "gcc", "gcc {source} -o {program}"),
        ("cpp", "g++", "g++ {source} -o {program}"),
        ("cc", "g++", "g++ {source} -o {program}"),
        ("rs", "rustc", "rustc {source} -o {program}"),
        ("go", "go", "go build -o {program} {source}"),
    ];
    let path = found.get("path")?.to_owned();
    case.runs().find(|run| text(run.head()) == Some(&path))?;
    let (_, name) = path.rsplit_once('/')?;
    // With a makefile the project itself knows how.
    if name.contains('.') || case.exists(&path) || case.exists("Makefile") || case.exists("CMakeLists.txt") {
        return None;
    }
    let is_there = |(ending, compiler, _): &&(&str, &str, &str)| {
        case.exists(&format!("{path}.{ending}")) && case.has_program(compiler)
    };
    let (ending, _, template) = one(LANGUAGES.iter().filter(is_there))?;
    let program = case.path_at_start(path.trim_start_matches("./"))?;
    let source = format!("{program}.{ending}");
    let compile = template.replace("{source}", &quote(&source)).replace("{program}", &quote(&program));
    found.set("source", source);
    found.set("compile", compile);
    Some(())
}

/// `name` → `program` and `command`: a program of the project, in the one of its folders where the shell does not look.
pub(super) fn tool_of_project(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const FOLDERS: [&str; 9] = [
        ".venv/bin",
        "venv/bin",
        "env/bin",
        "vendor/bin",
        "target/debug",
        "target/release",
        "build",
        "build/bin",
        "bin",
    ];
    let name = found.get("name")?.to_owned();
    let run = one(case.runs().filter(|run| text(run.head()) == Some(&name)))?;
    if case.has_program(&name) || run.wrapped_in("sudo") {
        return None;
    }
    let places = FOLDERS.iter().map(|folder| format!("{folder}/{name}"));
    let program = one(places.filter(|place| case.exists(place) && !case.is_dir(place)))?;
    found.set("command", case.splice(&[(run.head().span, &quote(&program))])?);
    found.set("program", program);
    Some(())
}

/// `path` → `near` and `command`: the file of a folder that Python was to run as a whole, by which it starts.
pub(super) fn folder_main(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["python", "python3"])?;
    let word = run
        .args()
        .iter()
        .find(|arg| text(arg).is_some_and(|arg| !arg.starts_with('-') && case.is_dir(arg)))?;
    let folder = text(word)?.trim_end_matches('/');
    let files =
        ["main.py", "app.py", "run.py", "cli.py", "manage.py"].iter().map(|file| format!("{folder}/{file}"));
    let near = one(files.filter(|file| case.exists(file)))?;
    found.set("command", case.splice(&[(word.span, &quote(&near))])?);
    found.set("path", folder);
    found.set("near", near);
    Some(())
}

/// `folder` and `command`: the one folder below that is set up for building, for `ninja` and `meson`.
pub(super) fn build_folder_with(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["ninja", "meson"])?;
    if run.args().iter().any(|arg| arg.raw.starts_with("-C")) || case.exists("build.ninja") {
        return None;
    }
    let folder = super::node::only_folder_with(case, "build.ninja")?;
    let behind = if run.program() == "meson" { run.subcommand()? } else { run.head() };
    found.set("command", case.insert_after(behind, &format!(" -C {}", quote(&folder)))?);
    found.set("folder", folder);
    Some(())
}

/// `file` → `class` and `command`: the sole class of an archive that does not say what to start.
pub(super) fn jar_main(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["java"])?;
    let option = run.args().iter().find(|arg| arg.raw == "-jar")?;
    let file = text(run.args().iter().find(|arg| arg.raw.ends_with(".jar"))?)?;
    let source = case.read(file)?;
    let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '$' | '.'));
    let mut classes: Vec<&str> = source.split(part).filter_map(|word| word.strip_suffix(".class")).collect();
    // Each stands twice: before its bytes and in the list at the end, there with signs of the list before it.
    classes.retain(|class| !class.contains('$') && !class.is_empty());
    classes.sort_unstable();
    classes.dedup();
    let class = one(classes)?.replace('/', ".");
    let jar = run.args().iter().find(|arg| arg.raw.ends_with(".jar"))?;
    let new = format!("{} {}", jar.raw, quote(&class));
    found.set("command", case.splice(&[(option.span, "-cp"), (jar.span, &new)])?);
    found.set("file", file);
    found.set("class", class);
    Some(())
}

/// `file` and `command`: the one makefile here, which has another name than those that make looks for.
pub(super) fn other_makefile(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["make"])?;
    if run.args().iter().any(|arg| arg.raw.starts_with("-f") || arg.raw.starts_with("-C")) {
        return None;
    }
    let is_makefile = |name: &String| {
        let lower = name.to_lowercase();
        lower.ends_with(".mk")
            || lower.ends_with(".mak")
            || lower.starts_with("makefile.") && !lower.ends_with(".am") && !lower.ends_with(".in")
            || matches!(lower.as_str(), "make file" | "makefil" | "makefle" | "mkfile")
    };
    let file = one(case.list(".")?.into_iter().filter(is_makefile))?;
    found.set("command", case.insert_after(run.head(), &format!(" -f {}", quote(&file)))?);
    found.set("file", file);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standards_are_ordered_by_their_year() {
        assert!(year("-std=c99") < year("-std=c11"));
        assert!(year("-std=gnu++17") < year("-std=c++20"));
        assert_eq!(year("-std=c"), None);
    }
}
