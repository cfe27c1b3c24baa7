//! The import rule of the engine, as the first lines of its `lib.rs` state it: a module imports from its own row or from
//! rows before it, never in a circle, and nothing of the engine knows the window.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rows of modules, lowest first.
type Rows = Vec<BTreeSet<String>>;
/// Module to the modules it imports, each with a file that does.
type Imports = BTreeMap<String, BTreeMap<String, PathBuf>>;

#[test]
fn imports_point_one_way() {
    let source = engine_source();
    let lib = fs::read_to_string(source.join("lib.rs")).unwrap();
    let rows = rows(&lib);
    assert_eq!(
        rows.iter().flatten().cloned().collect::<BTreeSet<_>>(),
        modules(&lib),
        "lib.rs names every module"
    );
    let imports = imports(&source);
    assert!(imports.values().map(BTreeMap::len).sum::<usize>() > 20, "the imports were found: {imports:?}");
    assert_eq!(upward(&rows, &imports), Vec::<String>::new());
    assert_eq!(circle(&imports), None);
}

#[test]
fn the_engine_knows_no_window() {
    for folder in ["engine", "shell", "processes", "worker", "cli"] {
        let manifest = fs::read_to_string(source_tree().join(folder).join("Cargo.toml")).unwrap();
        for line in manifest.lines() {
            let name = line.split([' ', '.', '=']).next().unwrap_or_default();
            assert!(
                !["tauri", "gtk", "wry"].iter().any(|window| name.starts_with(window)),
                "{folder}: {line}"
            );
        }
    }
}

#[test]
fn an_import_upwards_is_seen() {
    let rows = rows("//! `low` ← `mid`, `beside` ← `high`.\n");
    let of = |text: &str| {
        let found = named(text).into_iter().map(|name| (name, PathBuf::from("x.rs"))).collect();
        Imports::from([("mid".to_owned(), found)])
    };
    assert_eq!(upward(&rows, &of("use crate::low::A;\nuse crate::beside::B;")), Vec::<String>::new());
    assert_eq!(upward(&rows, &of("use crate::{low::{A, high}, high};")), ["mid imports high (x.rs)"]);
    assert_eq!(upward(&rows, &of("let a = crate::high::A;")), ["mid imports high (x.rs)"]);
    assert_eq!(upward(&rows, &of("// crate::high\n/// [`crate::high`]\n")), Vec::<String>::new());
}

#[test]
fn a_circle_is_seen() {
    let edge =
        |from: &str, to: &str| (from.to_owned(), BTreeMap::from([(to.to_owned(), PathBuf::from("x.rs"))]));
    assert_eq!(circle(&Imports::from([edge("a", "b"), edge("b", "c")])), None);
    let found = circle(&Imports::from([edge("a", "b"), edge("b", "c"), edge("c", "b")]));
    assert_eq!(found, Some(vec!["b".to_owned(), "c".to_owned(), "b".to_owned()]));
}

/// The rows of the `←` list in the first lines.
fn rows(lib: &str) -> Rows {
    let doc: String = lib.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let list = doc.rsplit_once(": ").map_or(doc.as_str(), |(_, list)| list);
    list.split('←').map(|row| row.split('`').skip(1).step_by(2).map(str::to_owned).collect()).collect()
}

/// The modules that `lib.rs` declares.
fn modules(lib: &str) -> BTreeSet<String> {
    lib.lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

fn imports(source: &Path) -> Imports {
    let mut imports = Imports::new();
    for file in rust_files(source) {
        let inside = file.strip_prefix(source).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&file).unwrap();
        for name in named(&text) {
            if name != module && module != "lib" {
                imports.entry(module.clone()).or_default().entry(name).or_insert(inside.to_owned());
            }
        }
    }
    imports
}

/// Every Rust file that is not only for tests.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") || stem == "testing" {
            continue;
        }
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules named after `crate::`, alone or in braces, outside comments and the tests at a file's end.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(group) => names.extend(first_names(group)),
            None => names.extend(identifier(after)),
        }
    }
    names
}

/// The first name of each item of a `{…}` group, its opening brace taken off.
fn first_names(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut item = String::new();
    let mut names = Vec::new();
    for character in group.chars() {
        match character {
            '}' if depth == 0 => break,
            ',' if depth == 0 => names.extend(identifier(std::mem::take(&mut item).trim())),
            '{' => depth += 1,
            '}' => depth -= 1,
            other => item.push(other),
        }
    }
    names.extend(identifier(item.trim()));
    names
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    // A capital letter ends a type's or a macro's name, which is no module.
    (!name.is_empty()).then_some(name)
}

fn upward(rows: &Rows, imports: &Imports) -> Vec<String> {
    let row_of = |module: &str| rows.iter().position(|row| row.contains(module));
    let mut wrong = Vec::new();
    for (module, imported) in imports {
        for (other, file) in imported {
            if let (Some(own), Some(others)) = (row_of(module), row_of(other))
                && others > own
            {
                wrong.push(format!("{module} imports {other} ({})", file.display()));
            }
        }
    }
    wrong
}

fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn walk(
        module: &str,
        imports: &Imports,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = way.iter().position(|earlier| earlier == module) {
            let mut found = way[start..].to_vec();
            found.push(module.to_owned());
            return Some(found);
        }
        if done.contains(module) {
            return None;
        }
        way.push(module.to_owned());
        for next in imports.get(module).into_iter().flat_map(BTreeMap::keys) {
            if let Some(found) = walk(next, imports, way, done) {
                return Some(found);
            }
        }
        way.pop();
        done.insert(module.to_owned());
        None
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| walk(module, imports, &mut Vec::new(), &mut done))
}

fn source_tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri")
}

fn engine_source() -> PathBuf {
    source_tree().join("engine/src")
}
