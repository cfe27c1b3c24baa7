//! Reads the barest of shell text without asking anybody: one program and its words, `git log -n 3 --format='%h %s'`, of
//! letters, digits and a few signs that mean nothing to bash, or of quotes with nothing in them that bash would expand.
//! Everything else is for the readers in the worker. What is read here reads there in the same way, which is tested with
//! equality. Of several such commands it tells which programs they are.

use planwright_shell::{Context, Facts, Piece, SimpleCommand, Span, Value, Word, texts_in};

/// Bytes; what is longer is no command of every day.
const LONGEST: usize = 512;
/// Words of the shell's own language.
const RESERVED: [&str; 17] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "select", "function", "time", "coproc",
];

/// `None`: it is not bare, or not for certain.
pub(super) fn read(text: &str) -> Option<Facts> {
    let names_program = text.starts_with(|sign: char| sign.is_ascii_alphabetic() || "_./".contains(sign));
    if text.len() > LONGEST || !names_program {
        return None;
    }
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let start = text.len() - rest.len();
        let Begun { word, sets, behind } = word(rest, start, b" ")?;
        // What could set a variable, and a word of the language, even where it is an argument, is for the readers.
        if is_reserved(&word) || (sets && !word.raw.starts_with("--")) {
            return None;
        }
        words.push(word);
        match behind.strip_prefix(' ') {
            Some(next) => rest = next,
            None => break,
        }
    }
    let span = Span { start: 0, end: number(text.len()) };
    let command = SimpleCommand {
        words,
        assignments: Vec::new(),
        redirects: Vec::new(),
        span,
        context: Context::default(),
    };
    // Whether a word is text for another shell is the readers' to say.
    if texts_in(&command).next().is_some() {
        return None;
    }
    let piece = Piece { text: text.to_owned(), comment: String::new(), span };
    Some(Facts { commands: vec![command], pieces: vec![piece], ..Facts::default() })
}

/// The programs of commands that are each a program and its words, in their order: one after the other, or joined by
/// `;`, `&&`, `||` or `|`. Their input and output may be files. `None`: there is more to it, or not for certain.
pub(crate) fn programs(text: &str) -> Option<Vec<String>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut programs = Vec::new();
    let mut rest = text;
    loop {
        let (program, behind) = command(rest)?;
        programs.push(program);
        let joined = ["&&", "||", "|"].into_iter().find_map(|operator| behind.strip_prefix(operator));
        let next = match joined {
            Some(next) => next,
            None if behind.is_empty() => return Some(programs),
            None => behind.strip_prefix([';', '\n'])?,
        };
        rest = next.trim_start_matches(GAPS);
        // Behind an operator that joins two there is a second one; behind what only ends one there need not be.
        if joined.is_none() && rest.is_empty() {
            return Some(programs);
        }
    }
}

/// Between commands.
const GAPS: [char; 3] = [' ', '\t', '\n'];
const BLANKS: [char; 2] = [' ', '\t'];
/// What a word ends at where more than words may stand.
const ENDS: &[u8] = b" \t\n;&|<>";

/// The program that a command begins with, and what stands behind all of its words.
fn command(text: &str) -> Option<(String, &str)> {
    let Begun { word: program, sets, mut behind } = word(text.trim_start_matches(BLANKS), 0, ENDS)?;
    let Value::Known { text: name, .. } = &program.value else { return None };
    let is_program = name.starts_with(|sign: char| sign.is_ascii_alphabetic() || "_./".contains(sign));
    if sets || !is_program || is_reserved(&program) {
        return None;
    }
    loop {
        behind = behind.trim_start_matches(BLANKS);
        // `<<` begins a text that stands further on, and `>&` may be followed by a number only.
        let file = ["&>>", "&>", ">>", ">|", ">", "<"].into_iter().find_map(|sign| behind.strip_prefix(sign));
        let copied = [">&1", ">&2"].into_iter().find_map(|sign| behind.strip_prefix(sign));
        behind = match (copied, file) {
            (Some(next), _) if next.is_empty() || next.starts_with(ends) => next,
            (Some(_), _) => return None,
            (None, Some(next)) => word(next.trim_start_matches(BLANKS), 0, ENDS)?.behind,
            (None, None) if behind.is_empty() || behind.starts_with(['\n', ';', '&', '|']) => {
                return Some((name.clone(), behind));
            }
            (None, None) => word(behind, 0, ENDS)?.behind,
        };
    }
}

fn ends(sign: char) -> bool {
    u8::try_from(sign).is_ok_and(|sign| ENDS.contains(&sign))
}

fn is_reserved(word: &Word) -> bool {
    RESERVED.contains(&word.raw.as_str())
}

/// What a text begins with.
struct Begun<'a> {
    word: Word,
    /// There is a `=` outside of quotes.
    sets: bool,
    behind: &'a str,
}

/// The word that `text` begins with and that starts at `start`; it goes to one of `ends`, or to the text's.
fn word<'a>(text: &'a str, start: usize, ends: &[u8]) -> Option<Begun<'a>> {
    let means_nothing = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte);
    let mut known = String::new();
    let (mut rest, mut sets, mut bare) = (text, false, true);
    while let Some(first) = rest.bytes().next().filter(|first| !ends.contains(first)) {
        let (part, behind) = match first {
            b'\'' => rest[1..].split_once('\'').filter(|(part, _)| is_literal(part, b""))?,
            b'"' => rest[1..].split_once('"').filter(|(part, _)| is_literal(part, b"$`\\!"))?,
            _ => rest.split_at(rest.bytes().position(|byte| !means_nothing(byte)).unwrap_or(rest.len())),
        };
        if behind.len() == rest.len() {
            return None;
        }
        let quoted = first == b'\'' || first == b'"';
        bare &= !quoted;
        sets |= !quoted && part.contains('=');
        known.push_str(part);
        rest = behind;
    }
    let raw = &text[..text.len() - rest.len()];
    if raw.is_empty() {
        return None;
    }
    let span = Span { start: number(start), end: number(start + raw.len()) };
    let value = Value::Known { text: known, tilde: false };
    Some(Begun { word: Word { raw: raw.to_owned(), value, span, bare }, sets, behind: rest })
}

/// Whether bash takes what stands between quotes letter by letter: one line of ASCII without `special`.
fn is_literal(part: &str, special: &[u8]) -> bool {
    part.bytes().all(|byte| (b' '..=b'~').contains(&byte) && !special.contains(&byte))
}

/// Each character is one byte.
fn number(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use planwright_shell::MAX_TEXT;
    use proptest::prelude::*;

    use super::*;

    const CORPUS: [&str; 4] = [
        include_str!("../risk/corpus/everyday.txt"),
        include_str!("../risk/corpus/reading.txt"),
        include_str!("../risk/corpus/harmful.txt"),
        include_str!("../risk/corpus/blocked.txt"),
    ];

    #[test]
    fn the_readers_read_the_same() {
        let lines = CORPUS.iter().flat_map(|corpus| corpus.lines());
        let bare: Vec<(&str, Facts)> = lines.filter_map(|line| Some((line, read(line)?))).collect();
        for (line, facts) in &bare {
            assert_eq!(*facts, planwright_shell::read(line, MAX_TEXT), "{line}");
        }
        assert!(bare.len() > 6_500, "only {} of the corpus", bare.len());
    }

    /// First words of all commands, for what is read whole and holds nothing but them.
    fn programs_there(text: &str) -> Option<Vec<String>> {
        let facts = planwright_shell::read(text, MAX_TEXT);
        let plain = facts.doubts.is_empty() && facts.functions.is_empty();
        let programs = facts.commands.into_iter().map(|command| {
            let Context { background, in_substitution, .. } = command.context;
            let plain = command.assignments.is_empty() && !background && !in_substitution;
            match command.words.into_iter().next()?.value {
                Value::Known { text, tilde: false } if plain => Some(text),
                _ => None,
            }
        });
        programs.collect::<Option<_>>().filter(|_| plain)
    }

    #[test]
    fn the_readers_find_the_same_programs() {
        let lines = CORPUS.iter().flat_map(|corpus| corpus.lines());
        let found: Vec<(&str, Vec<String>)> =
            lines.filter_map(|line| Some((line, programs(line)?))).collect();
        for (line, programs) in &found {
            assert_eq!(Some(programs), programs_there(line).as_ref(), "{line}");
        }
        let several = found.iter().filter(|(_, programs)| programs.len() > 1).count();
        assert!(several > 400, "only {several} of the corpus");
    }

    #[test]
    fn programs_of_lists_and_pipelines() {
        for (text, expected) in [
            ("ls", vec!["ls"]),
            ("'ls' -l", vec!["ls"]),
            ("  ls\t-l  ", vec!["ls"]),
            ("a b=c if && b || c | d; e\nf;", vec!["a", "b", "c", "d", "e", "f"]),
            ("a &&\n b |\n\nc\n\n", vec!["a", "b", "c"]),
            ("a&&b||c|d;e", vec!["a", "b", "c", "d", "e"]),
            ("a>x 2>&1 <y>>z 'b'&>w|c >|v", vec!["a", "c"]),
            ("a 2>&1|b", vec!["a", "b"]),
            ("a 'b;c' \"d|e\"", vec!["a"]),
        ] {
            let read = programs(text);
            assert_eq!(read.as_ref(), Some(&expected.iter().map(ToString::to_string).collect()), "{text}");
            assert_eq!(read, programs_there(text), "{text}");
        }
        for text in [
            "",
            " ",
            "\nls",
            ";",
            "ls;;",
            "ls &",
            "ls & ls",
            "ls &&",
            "ls ||",
            "ls |",
            "ls |& wc",
            "&& ls",
            "ls && && ls",
            "ls ; ; ls",
            "ls\n;",
            "ls && if",
            "if ls; then ls; fi",
            "ls | while read a; do ls; done",
            "time ls",
            "! ls",
            "a=1",
            "a=1 ls",
            "ls && a=1 ls",
            "(ls)",
            "{ ls; }",
            "ls $a",
            "ls *",
            "ls \\a",
            "ls # a",
            "ls `a`",
            "ls <(a)",
            "ls >(a)",
            "ls << a\nb\na",
            "ls <<< a",
            "ls <> a",
            ">a",
            ">a ls",
            "ls >",
            "ls > ; a",
            "ls >&a",
            "ls >&1a",
            "ls >& 1",
            "ls <&0",
            "ls 2>&-",
            "ls {fd}>a",
            "%1",
            "ls > *",
            "ls > $a",
            "ls é",
            "f() { ls; }",
            "ls ;& ls",
            "[[ a ]]",
            "((1))",
        ] {
            assert_eq!(programs(text), None, "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_for_the_readers() {
        for text in [
            "",
            " ",
            "ls ",
            " ls",
            "ls  -l",
            "ls\t-l",
            "ls\n",
            "a=1",
            "a=1 ls",
            "a+=1 ls",
            "npm a=1",
            "echo if",
            "- a",
            "2 a",
            "if true",
            "then",
            "time ls",
            "coproc ls",
            "ls *",
            "ls ~",
            "ls $x",
            "'ls' a",
            "ls 'a",
            "ls a'",
            "ls \"a",
            "ls 'a'\"",
            "ls \"$a\"",
            "ls \"`a`\"",
            "ls \"\\a\"",
            "ls \"!a\"",
            "ls 'é'",
            "ls 'a\nb'",
            "ls 'a\tb'",
            "ls a='b'",
            "ls 'a'=b",
            "ls $'a'",
            "ls $\"a\"",
            "ls 'a'*",
            "ls 'a'; b",
            "bash -c 'ls a'",
            "env eval \"ls a\"",
            "tee 'a b'",
            "alias x='ls a'",
            "ls \\a",
            "ls a;",
            "ls&",
            "ls|wc",
            "ls>a",
            "ls {a,b}",
            "ls [a]",
            "! ls",
            "ls !a",
            "ls #a",
            "ls é",
            "ls \u{0}",
            "ls `a`",
            "ls ^a",
            "ls (a)",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        let long = "a".repeat(LONGEST);
        assert!(read(&long).is_some() && read(&format!("{long}a")).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn whatever_is_read_here_reads_there_in_the_same_way(
            words in prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9_./:@%+,=-]{1,12}",
                    "(--?[a-z]{0,3}=?)?('[ -&(-~]{0,9}'|\"[ #%-\\[\\]-_a-~]{0,9}\"){1,2}[a-z.]{0,2}",
                    "[a-z]{1,4}(\\[[a-z]\\]|\\{a,b\\}|=|\\+=|~|!|#|\\*|\\?|\\^)?[a-z]{0,3}",
                    prop::sample::select(vec![
                        "if", "then", "fi", "for", "while", "do", "done", "in", "time", "coproc", "function", "select", "case", "esac",
                        "export", "declare", "local", "alias", "eval", "exec", "bash", "-c", "trap", "test", "let",
                        "2", "1", "-", "--", "--a=b", "--=", "=", ":", ".", "..", "%", "@", "+", ",", "a=b", "A=1", "x+=1", "npm",
                    ]).prop_map(str::to_owned),
                ],
                0..7,
            ),
            blank in prop::sample::select(vec![" ", " ", " ", "  ", "\t"]),
        ) {
            let text = words.join(blank);
            if let Some(facts) = read(&text) {
                prop_assert_eq!(facts, planwright_shell::read(&text, MAX_TEXT), "{}", text);
            }
        }

        #[test]
        fn whatever_programs_are_found_here_are_found_there(
            parts in prop::collection::vec(
                prop_oneof![
                    4 => "[a-z./=-]{1,4}",
                    1 => "[0-9]",
                    1 => "'[ -&(-~]{0,5}'|\"[ #%-\\[\\]-_a-~]{0,5}\"",
                    4 => prop::sample::select(vec![
                        " ", " ", "  ", "\t", "\n", ";", "; ", "&", "&&", " && ", "|", " | ", "||", " || ", "|&", ">", ">>", ">|", "<", "<<", "<<<",
                        "<>", "&>", "&>>", ">&", ">&1", "2>&1", "2>", "<&0", "(", ")", "{", "}", "!", "$a", "#", "*", "~", "\\",
                    ]).prop_map(str::to_owned),
                    1 => prop::sample::select(vec![
                        "if", "then", "fi", "for", "while", "do", "done", "in", "time", "coproc", "function", "select", "case", "esac", "a=b",
                        "cd", "eval", "bash -c", "exec", "env -S", "sh -c", "trap", "alias", "xargs", "find . -exec", "ssh", "su -c",
                        "watch", "nice", "export", "declare", "local", "readonly", "typeset", "unset", "let", "test", "[", "printf -v", "read", "mapfile", "source", ".",
                    ]).prop_map(|word| format!(" {word} ")),
                ],
                1..12,
            ),
        ) {
            let text = parts.concat();
            if let Some(found) = programs(&text) {
                prop_assert_eq!(Some(found), programs_there(&text), "{}", text);
            }
        }
    }
}
