//! A result that lands on what people write by hand: `gcc main.c -o util.c`, `tar czf thesis.tex thesis/`, an archive
//! unpacked over the home folder. What is lost so is lost by a slip, and without a word.

use std::path::Path;

use super::args::{Parsed, behind};
use super::judge::Judge;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Endings of what people write and make, never of an archive or a program.
#[rustfmt::skip]
const WRITTEN: [&str; 48] = [
    "c", "h", "cc", "cpp", "cxx", "hpp", "rs", "go", "py", "js", "ts", "tsx", "jsx", "java", "kt", "swift", "rb", "php", "pl",
    "cs", "hs", "ml", "ex", "sh", "tex", "bib", "md", "rst", "txt", "odt", "docx", "xlsx", "pptx", "pdf", "csv", "jpg", "jpeg",
    "png", "svg", "raw", "heic", "mp3", "flac", "mp4", "mov", "blend", "psd", "kdbx",
];
/// Compilers that print what they make of a text where they are asked to: `gcc -E a.c -o b.c`.
const COMPILERS: [&str; 12] =
    ["gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "gfortran", "rustc", "ld", "nvcc", "gdc"];

pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, args: &[Arg]) {
    match name {
        _ if COMPILERS.contains(&name) => {
            let shows = args.iter().any(|arg| {
                arg.known().is_some_and(|text| {
                    matches!(text, "-E" | "-S" | "-M" | "-MM" | "-fsyntax-only") || text.starts_with("--emit")
                })
            });
            if let Some(file) = parsed.value("-o").filter(|file| !shows && is_written(j, file)) {
                j.found.add(Risk::Dangerous, "writes the result over a text", file.span);
            }
        }
        "tar" | "bsdtar" | "gtar" => {
            let first = args.first().and_then(Arg::known).unwrap_or_default();
            let bundle = first.trim_start_matches('-');
            let packs = !first.starts_with("--") && bundle.contains(['c', 'r', 'u']) && bundle.ends_with('f')
                || parsed.has("-c");
            let file = if bundle.ends_with('f') && !first.starts_with("--") {
                args.get(1)
            } else {
                parsed.value("-f")
            };
            if let Some(file) = file.filter(|file| packs && is_written(j, file)) {
                j.found.add(Risk::Dangerous, "writes the archive over another file", file.span);
            }
            unpacks_home(j, parsed, args, "-C", packs || parsed.has("-t") || bundle.contains('t'));
        }
        "unzip" => {
            let careful = parsed.has("-n") || parsed.has("-l") || parsed.has("-t");
            unpacks_home(j, parsed, args, "-d", careful);
        }
        _ => {}
    }
}

/// Into the home folder itself, where settings lie that the archive may have as well.
fn unpacks_home(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, args: &[Arg], flag: &str, careful: bool) {
    let careful =
        careful || parsed.has("--skip-old-files") || parsed.has("--keep-old-files") || parsed.has("-k");
    let Some(folder) = parsed.value(flag).or_else(|| behind(args, &[flag])).filter(|_| !careful) else {
        return;
    };
    if matches!(j.target(folder), Target::At(paths) if paths.contains(&j.anchors.home)) {
        j.found.add(Risk::Dangerous, "unpacks over the home folder, settings among it", folder.span);
    }
}

pub(super) fn is_written(j: &Judge<'_>, file: &Arg) -> bool {
    let (Text::Known { text, .. } | Text::Glob { pattern: text, .. }) = &file.text else { return false };
    let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
    let fresh = matches!(j.target(file), Target::At(paths)
        if paths.iter().all(|path| j.is_in_made(path)));
    ending.is_some_and(|ending| WRITTEN.contains(&ending)) && !fresh
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn a_result_does_not_land_on_what_people_write() {
        check(
            Risk::Dangerous,
            r#"
            gcc main.c -o util.c
            gcc -O2 util.o -o main.c main.o
            cc -o *.c
            clang++ -o a.cpp b.o
            tar czf thesis.tex thesis.tar.gz
            tar -czf src/main.c src/util.c
            tar -cf photo.jpg photos
            unzip -o dotfiles.zip -d ~
            tar -xzf backup.tar.gz -C ~ --overwrite"#,
        );
        check(
            Risk::Caution,
            r#"
            gcc main.c -o main
            gcc -E main.c -o main.i.c
            tar czf thesis.tar.gz thesis.tex
            tar -xzf backup.tar.gz -C build
            tar -xzf go.tar.gz -C ~/tools
            unzip -o a.zip -d vendor
            unzip -n a.zip -d ~"#,
        );
    }
}
