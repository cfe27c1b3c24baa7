//! What a packed file is by its first bytes, whatever its name says.

use super::super::case::{Case, one};
use super::super::template::{Findings, quote};

/// How each kind begins, read as text: what is no text stands as `\u{fffd}`.
const KINDS: [(&str, &str, &str); 8] = [
    ("PK\u{3}\u{4}", "a zip archive", "unzip"),
    ("7z\u{fffd}\u{fffd}", "a 7z archive", "7z"),
    ("Rar!", "a rar archive", "unrar"),
    ("\u{1f}\u{fffd}", "packed by gzip", "gunzip"),
    ("BZh", "packed by bzip2", "bunzip2"),
    ("\u{fffd}7zXZ", "packed by xz", "unxz"),
    ("(\u{fffd}/\u{fffd}", "packed by zstd", "unzstd"),
    ("!<arch>", "a package of Debian", "dpkg-deb"),
];

/// `archive`, `kind` and `command`: the sole archive of the command unpacked by the program that its bytes are for.
pub(super) fn true_unpacker(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let unpackers =
        ["tar", "unzip", "gunzip", "gzip", "bunzip2", "bzip2", "unxz", "xz", "zcat", "7z", "unzstd", "zstd"];
    let run = case.sole_run().filter(|run| unpackers.contains(&run.program()))?;
    let args = run.known_args()?;
    let folder = args.windows(2).find(|pair| matches!(pair[0], "-C" | "-d")).map(|pair| pair[1]);
    let is_archive =
        |arg: &&&str| !arg.starts_with('-') && Some(**arg) != folder && !case.is_dir(arg) && case.exists(arg);
    // Members may be named besides: then only a person can say it anew.
    let archive = one(args.iter().filter(is_archive))?;
    let packs = args
        .iter()
        .any(|arg| *arg == "-c" && run.program() == "tar" || arg.starts_with("-c") && arg.contains('f'));
    let source = case.read(archive)?;
    let (kind, program) = match KINDS.iter().find(|(begin, _, _)| source.starts_with(begin)) {
        Some((_, kind, program)) => (*kind, *program),
        None if source.chars().skip(257).take(5).eq("ustar".chars()) => ("a tar archive", "tar"),
        None => return None,
    };
    let named = quote(archive);
    let into = |letter: &str| folder.map_or_else(String::new, |folder| format!(" {letter}{}", quote(folder)));
    // tar knows what a compressed one is packed by, and unzip and gunzip do not know a tar.
    let unpacks_tar = run.program() == "unzip" || run.program() == "7z";
    let command = match program {
        "unzip" => format!("unzip {named}{}", into("-d ")),
        "7z" => format!("7z x {named}{}", into("-o")),
        "unrar" => format!("unrar x {named}"),
        "dpkg-deb" => return None,
        "tar" => format!("tar -xf {named}{}", into("-C ")),
        "gunzip" | "bunzip2" | "unxz" | "unzstd" if unpacks_tar => format!("tar -xf {named}{}", into("-C ")),
        program if run.program() != "tar" && folder.is_none() => {
            // These ask for their own ending.
            format!("{program} -c {named} > {}", quote(unpacked(archive)?))
        }
        _ => return None,
    };
    let same = run.program() == program || packs;
    if same || !case.has_program(command.split(' ').next()?) {
        return None;
    }
    found.set("archive", *archive);
    found.set("kind", kind);
    found.set("command", command);
    Some(())
}

/// The name without the ending of a compression.
fn unpacked(archive: &str) -> Option<&str> {
    let (stem, ending) = archive.rsplit_once('.')?;
    matches!(ending, "gz" | "bz2" | "xz" | "zst" | "zip" | "Z").then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_of_a_compression_is_taken_off() {
        assert_eq!(unpacked("a.txt.gz"), Some("a.txt"));
        assert_eq!(unpacked("a.txt"), None);
    }
}
