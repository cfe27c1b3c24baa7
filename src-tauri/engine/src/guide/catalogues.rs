//! Messages in the user's language, turned back into English by the machine's own catalogues (those of gettext): the
//! rules know one language, and a program's catalogue says exactly what it wrote in its place.

use std::path::{Path, PathBuf};

use super::Machine;

const FOLDER: &str = "/usr/share/locale";

/// Longest message that is turned back, in lines: programs conclude with what went wrong.
const MAX_LINES: usize = 60;

/// Parts of words by which a language is known. Only a message that has one of them costs the reading of catalogues.
const LANGUAGES: [(&str, &[&str]); 8] = [
    (
        "de",
        &[
            "nicht",
            "Datei",
            "Verzeichnis",
            "Berechtigung",
            "nbekannte",
            "ngültige",
            "Zeile",
            "Kommando",
            "Befehl",
            "Keine ",
            "existiert",
        ],
    ),
    (
        "fr",
        &[
            "ucun ",
            "ucune ",
            "introuvable",
            "mpossible",
            "reconnue",
            "Permission non",
            "de ce type",
            "ligne ",
            "dossier",
            "inconnu",
            "n'est pas",
            "existe",
            "répertoire",
            "spécifié",
        ],
    ),
    (
        "es",
        &[
            "No existe",
            "no encontrad",
            "Permiso denegado",
            "no se ",
            "opción",
            "línea",
            "directorio",
            "fichero",
        ],
    ),
    ("it", &["inesistente", "non trovat", "Permesso negato", "mpossibile", "opzione", "riga ", "Nessuna "]),
    ("pt_BR", &["não", "Arquivo ou", "Permissão negada", "opção", "inválid", "linha "]),
    ("nl", &["bestand", "bestaat", "Toegang", "kan niet", "onbekende", "niet gevonden"]),
    ("pl", &["Nie ma ", "nie ", "Brak dost", "nieznan", "nierozpoznan"]),
    ("sv", &["Filen eller", "Åtkomst", "kan inte", "okän", "hittades inte"]),
];

/// Catalogues that hold the messages of programs with other names.
const HOLDERS: [(&str, &[&str]); 16] = [
    (
        "coreutils",
        &[
            "cat",
            "head",
            "tail",
            "ls",
            "cp",
            "mv",
            "rm",
            "rmdir",
            "mkdir",
            "touch",
            "ln",
            "chmod",
            "chown",
            "chgrp",
            "wc",
            "sort",
            "uniq",
            "cut",
            "tee",
            "du",
            "df",
            "stat",
            "split",
            "join",
            "paste",
            "comm",
            "tr",
            "seq",
            "date",
            "dd",
            "install",
            "mktemp",
            "readlink",
            "realpath",
            "basename",
            "dirname",
            "shred",
            "truncate",
            "sha256sum",
            "md5sum",
            "env",
            "timeout",
            "nohup",
            "nl",
            "fold",
            "od",
            "base64",
            "expr",
            "test",
            "sleep",
        ],
    ),
    ("findutils", &["find", "xargs"]),
    ("diffutils", &["diff", "cmp", "diff3", "sdiff"]),
    ("grep", &["egrep", "fgrep"]),
    ("gzip", &["gunzip", "zcat"]),
    ("xz", &["unxz", "lzma"]),
    ("libapt-pkg", &["apt", "apt-get", "apt-cache", "apt-mark"]),
    ("apt", &["apt-get", "apt-cache", "apt-mark"]),
    ("dpkg", &["dpkg-deb", "dpkg-query"]),
    ("systemd", &["systemctl", "journalctl", "loginctl", "hostnamectl", "timedatectl"]),
    ("util-linux", &["mount", "umount", "su", "lsblk", "kill", "fdisk", "mkfs", "swapon", "losetup"]),
    ("shadow", &["useradd", "usermod", "userdel", "groupadd", "groupmod", "passwd", "su"]),
    ("procps-ng", &["ps", "kill", "free", "top", "watch", "pgrep", "pkill", "sysctl"]),
    ("gnupg2", &["gpg"]),
    ("subversion", &["svn"]),
    ("gcc", &["g++", "cc", "c++", "cpp"]),
];

/// `said` in English, as far as the catalogues of `programs` know its sentences; `None` when nothing is in another
/// language.
pub(super) fn turned_back(said: &str, programs: &[&str], machine: &dyn Machine) -> Option<String> {
    let language = language_of(said)?;
    let bytes = catalogues(language, programs, machine);
    let entries: Vec<Entry<'_>> = bytes.iter().filter_map(|bytes| entries(bytes)).flatten().collect();
    if entries.is_empty() {
        return None;
    }
    let lines: Vec<&str> = said.lines().collect();
    let late = lines.len().saturating_sub(MAX_LINES);
    let mut english = String::with_capacity(said.len());
    for (index, line) in lines.iter().enumerate() {
        match phrase(&entries, line.trim_end(), 0).filter(|_| index >= late) {
            Some(phrase) => english.push_str(&phrase),
            None => english.push_str(line),
        }
        english.push('\n');
    }
    (english.trim_end() != said.trim_end()).then_some(english)
}

fn language_of(said: &str) -> Option<&'static str> {
    let hits = |words: &[&str]| words.iter().filter(|word| said.contains(**word)).count();
    let (count, language) = LANGUAGES.iter().map(|(language, words)| (hits(words), *language)).rev().max()?;
    (count > 0).then_some(language)
}

/// The catalogues of these programs, of the shell that starts them and of the library that all of them speak through.
fn catalogues(language: &str, programs: &[&str], machine: &dyn Machine) -> Vec<Vec<u8>> {
    let folder: PathBuf = Path::new(FOLDER).join(language).join("LC_MESSAGES");
    let there = machine.list(&folder);
    let mut wanted = vec!["libc", "bash"];
    for program in programs {
        wanted.push(program);
        wanted.extend(HOLDERS.iter().filter(|(_, names)| names.contains(program)).map(|(holder, _)| *holder));
    }
    wanted.dedup();
    // `libapt-pkg6.0` and `psql-15` carry their version.
    let is = |file: &str, name: &str| {
        let rest = file.strip_suffix(".mo").and_then(|file| file.strip_prefix(name));
        rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-')))
    };
    let files = there.iter().filter(|file| wanted.iter().any(|name| is(file, name)));
    files.filter_map(|file| machine.catalogue(&folder.join(file))).collect()
}

/// A sentence of a program and what it says in its place.
#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    english: &'a str,
    local: &'a str,
}

/// The entries of a catalogue; `None` when it is none. The form: a head of seven numbers, and two tables of lengths and places.
fn entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    let big = match bytes.get(..4)? {
        [0xde, 0x12, 0x04, 0x95] => false,
        [0x95, 0x04, 0x12, 0xde] => true,
        _ => return None,
    };
    let number = |at: usize| -> Option<usize> {
        let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) } as usize)
    };
    let text = |table: usize, index: usize| -> Option<&str> {
        let at = table.checked_add(index.checked_mul(8)?)?;
        let (length, start) = (number(at)?, number(at.checked_add(4)?)?);
        std::str::from_utf8(bytes.get(start..start.checked_add(length)?)?).ok()
    };
    let (count, ours, theirs) = (number(8)?, number(12)?, number(16)?);
    let mut found = Vec::new();
    for index in 0..count.min(bytes.len() / 16) {
        let (Some(id), Some(local)) = (text(ours, index), text(theirs, index)) else { continue };
        // A context stands before the sentence, and further forms of number behind it.
        let id = id.split_once('\u{4}').map_or(id, |(_, id)| id);
        for (english, local) in id.split('\0').cycle().zip(local.split('\0')).take(2) {
            let (english, local): (Vec<&str>, Vec<&str>) =
                (english.trim().lines().collect(), local.trim().lines().collect());
            if english.len() != local.len() {
                continue;
            }
            let bare = |line: &'_ str| line.trim_matches(|c: char| c.is_whitespace() || c == ':').len();
            let pairs =
                english.into_iter().zip(local).filter(|(english, local)| english != local && bare(local) > 3);
            found.extend(
                pairs.map(|(english, local)| Entry { english: trimmed(english), local: trimmed(local) }),
            );
        }
    }
    Some(found)
}

/// Without the blanks and the colon that lead on to the next part of a message.
fn trimmed(text: &str) -> &str {
    text.trim().trim_end_matches(|c: char| c.is_whitespace() || c == ':')
}

/// `text` in English: as one sentence of a catalogue, or part by part between its colons.
fn phrase(entries: &[Entry<'_>], text: &str, depth: usize) -> Option<String> {
    if depth > 3 || text.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return None;
    }
    if let Some(whole) = sentence(entries, text, depth) {
        return Some(whole);
    }
    let mut ends: Vec<usize> = text.match_indices(": ").map(|(at, _)| at).take(8).collect();
    ends.push(text.len());
    let mut starts = vec![0];
    starts.extend(ends[..ends.len() - 1].iter().map(|end| end + 2));
    if ends.len() == 1 {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut changed = false;
    let mut at = 0;
    while at < starts.len() {
        let longest = (at..ends.len()).rev().find_map(|last| {
            let part = text[starts[at]..ends[last]].trim();
            sentence(entries, part, depth).map(|english| (last, english))
        });
        match longest {
            Some((last, english)) => {
                parts.push(english);
                changed = true;
                at = last + 1;
            }
            None => {
                parts.push(text[starts[at]..ends[at]].trim().to_owned());
                at += 1;
            }
        }
    }
    changed.then(|| parts.join(": "))
}

/// The sentence that a program has for `text`, with what stood in its gaps: the one that explains most of the letters.
fn sentence(entries: &[Entry<'_>], text: &str, depth: usize) -> Option<String> {
    let text = trimmed(text);
    let fitting = entries.iter().filter_map(|entry| {
        let (letters, gaps) = fit(entry.local, text)?;
        Some((letters, entry, gaps))
    });
    // The first of equals.
    let (_, entry, gaps) = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let filled = gaps.iter().map(|(number, gap)| {
        let gap = gap.trim();
        (*number, phrase(entries, gap, depth + 1).unwrap_or_else(|| plainly_quoted(gap)))
    });
    let filled: Vec<(usize, String)> = filled.collect();
    let mut english = String::new();
    let mut count = 0;
    for piece in pieces(entry.english) {
        match piece {
            Piece::Letters(letters) => english.push_str(letters),
            Piece::Gap(number) => {
                count += 1;
                let number = number.unwrap_or(count);
                let (_, gap) = filled.iter().find(|(at, _)| *at == number)?;
                english.push_str(gap);
            }
        }
    }
    Some(english)
}

/// A name in the quotes of a language, in those that English messages have.
fn plainly_quoted(gap: &str) -> String {
    let marks = |c: char| matches!(c, '„' | '“' | '”' | '«' | '»' | '‚' | '‘' | '’' | '‹' | '›');
    let inner = gap.strip_prefix(marks).and_then(|gap| gap.strip_suffix(marks));
    inner.map_or_else(|| gap.to_owned(), |inner| format!("'{}'", inner.trim()))
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Letters(&'a str),
    /// `%s`, or `%2$s` with its number.
    Gap(Option<usize>),
}

/// The fixed letters of a sentence and its gaps, as C's `printf` writes them.
fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        if at > 0 {
            pieces.push(Piece::Letters(&rest[..at]));
        }
        let inside = &rest[at + 1..];
        let flags = |c: char| c.is_ascii_digit() || "$-+ #.*'hlLqjzt".contains(c);
        let length = inside.find(|c: char| !flags(c)).unwrap_or(inside.len());
        match inside[length..].chars().next() {
            Some('%') if length == 0 => pieces.push(Piece::Letters("%")),
            Some(_) => pieces.push(Piece::Gap(
                inside
                    .split_once('$')
                    .filter(|(number, _)| number.len() < length)
                    .and_then(|(number, _)| number.parse().ok()),
            )),
            None => {}
        }
        let skip = inside[length..].chars().next().map_or(0, char::len_utf8);
        rest = &inside[length + skip..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Letters(rest));
    }
    pieces
}

/// How many letters of `text` the sentence has itself, and what stands in its gaps; `None` when it is another one.
fn fit<'a>(format: &str, text: &'a str) -> Option<(usize, Vec<(usize, &'a str)>)> {
    // Most sentences are none of these: a look at their first letters is enough.
    let head = format.find('%').unwrap_or(format.len());
    if !text.starts_with(&format[..head]) || head == format.len() && text.len() != head {
        return None;
    }
    let pieces = pieces(format);
    let letters: usize = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Letters(letters) => letters.chars().filter(|c| c.is_alphabetic()).count(),
            Piece::Gap(_) => 0,
        })
        .sum();
    if letters < 4 {
        return None;
    }
    let mut gaps = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    let mut count = 0;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Gap(number) => {
                count += 1;
                // Two gaps without letters between them: the first takes all.
                if open.is_some() {
                    gaps.push((number.unwrap_or(count), ""));
                } else {
                    open = Some(number.unwrap_or(count));
                }
            }
            Piece::Letters(letters) => {
                let last = index + 1 == pieces.len();
                let start = match open {
                    None => text[at..].starts_with(letters).then_some(at)?,
                    Some(_) if last => text[at..].ends_with(letters).then(|| text.len() - letters.len())?,
                    Some(_) => at + text[at..].find(letters)?,
                };
                if let Some(number) = open.take() {
                    gaps.push((number, &text[at..start]));
                }
                at = start + letters.len();
            }
        }
    }
    if let Some(number) = open {
        gaps.push((number, &text[at..]));
        at = text.len();
    }
    (at == text.len()).then_some((letters, gaps))
}

#[cfg(test)]
mod tests {
    use super::super::SketchedMachine;
    use super::*;

    /// A catalogue as `msgfmt` writes one.
    fn catalogue(pairs: &[(&str, &str)]) -> Vec<u8> {
        let head = 28;
        let table = |start: usize| start + pairs.len() * 8;
        let (ours, theirs) = (head, table(head));
        let mut texts = Vec::new();
        let mut tables = Vec::new();
        for side in [0, 1] {
            for pair in pairs {
                let text = if side == 0 { pair.0 } else { pair.1 };
                tables.extend((text.len() as u32).to_le_bytes());
                tables.extend(((table(theirs) + texts.len()) as u32).to_le_bytes());
                texts.extend(text.as_bytes());
                texts.push(0);
            }
        }
        let numbers = [0x9504_12de_u32, 0, pairs.len() as u32, ours as u32, theirs as u32, 0, 0];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(tables);
        bytes.extend(texts);
        bytes
    }

    fn machine() -> SketchedMachine {
        let mut machine = SketchedMachine::default();
        let files: [(&str, &[(&str, &str)]); 5] = [
            (
                "de/LC_MESSAGES/libc.mo",
                &[
                    ("No such file or directory", "Datei oder Verzeichnis nicht gefunden"),
                    ("%s: unrecognized option '%s%s'\n", "%s: Unbekannte Option »%s%s«\n"),
                ],
            ),
            (
                "de/LC_MESSAGES/bash.mo",
                &[("%s: command not found", "%s: Kommando nicht gefunden."), ("line %d: ", "Zeile %d: ")],
            ),
            (
                "de/LC_MESSAGES/coreutils.mo",
                &[
                    ("cannot move %s to %s", "das Verschieben von %s nach %s ist nicht möglich"),
                    ("cannot create directory %s", "das Verzeichnis %s kann nicht angelegt werden"),
                ],
            ),
            ("de/LC_MESSAGES/libapt-pkg6.0.mo", &[("Invalid operation %s", "Ungültige Operation %s")]),
            (
                "fr/LC_MESSAGES/bash.mo",
                &[("%s: command not found", "%s : commande introuvable"), ("line %d: ", "ligne %d : ")],
            ),
        ];
        for (file, pairs) in files {
            machine.catalogues.insert(Path::new(FOLDER).join(file), catalogue(pairs));
        }
        machine
    }

    #[track_caller]
    fn same(said: &str, programs: &[&str], english: &str) {
        assert_eq!(turned_back(said, programs, &machine()).as_deref().map(str::trim_end), Some(english));
    }

    #[test]
    fn messages_of_real_programs_are_turned_back() {
        same(
            "cat: REAMDE.md: Datei oder Verzeichnis nicht gefunden\n",
            &["cat"],
            "cat: REAMDE.md: No such file or directory",
        );
        same(
            "bash: Zeile 1: gerp: Kommando nicht gefunden.\n",
            &["gerp"],
            "bash: line 1: gerp: command not found",
        );
        same(
            "bash: ligne 1: gerp : commande introuvable\n",
            &["gerp"],
            "bash: line 1: gerp: command not found",
        );
        same("ls: Unbekannte Option »--recusive«\n", &["ls"], "ls: unrecognized option '--recusive'");
        same("E: Ungültige Operation isntall\n", &["apt-get"], "E: Invalid operation isntall");
        same(
            "mv: das Verschieben von 'a.txt' nach 'arch/x/' ist nicht möglich: Datei oder Verzeichnis nicht gefunden\n",
            &["mv"],
            "mv: cannot move 'a.txt' to 'arch/x/': No such file or directory",
        );
        same(
            "mkdir: das Verzeichnis „a/b/c“ kann nicht angelegt werden: Datei oder Verzeichnis nicht gefunden\n",
            &["mkdir"],
            "mkdir: cannot create directory 'a/b/c': No such file or directory",
        );
    }

    #[test]
    fn what_no_catalogue_knows_stays_as_it_is() {
        for said in
            ["cat: x: No such file or directory\n", "step 3 failed\n", "mein Programm: das geht nicht\n"]
        {
            assert_eq!(turned_back(said, &["cat"], &machine()), None, "{said}");
        }
        assert_eq!(
            turned_back(
                "cat: x: Datei oder Verzeichnis nicht gefunden\n",
                &["cat"],
                &SketchedMachine::default()
            ),
            None
        );
    }

    #[test]
    fn a_broken_catalogue_is_none() {
        assert!(entries(b"").is_none() && entries(b"no catalogue at all").is_none());
        let mut bytes = catalogue(&[("one", "eins und zwei")]);
        bytes[12] = 0xff;
        bytes[13] = 0xff;
        assert_eq!(entries(&bytes).map(|entries| entries.len()), Some(0));
    }

    #[test]
    fn gaps_have_their_places() {
        assert_eq!(
            pieces("a %2$s b %.250s"),
            [Piece::Letters("a "), Piece::Gap(Some(2)), Piece::Letters(" b "), Piece::Gap(None)]
        );
        assert_eq!(fit("nicht %s da", "nicht x y da"), Some((7, vec![(1, "x y")])));
        assert_eq!(fit("%s: %s", "a: b"), None);
    }
}
