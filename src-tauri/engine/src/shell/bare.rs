//! Reads the barest of shell text without asking anybody: one program and its words, `git log -n 3 --format='%h %s'`, of
//! letters, digits and a few signs that mean nothing to bash, or of quotes with nothing in them that bash would expand.
//! Everything else is for the readers in the worker. What is read here reads there in the same way, which is tested with
//! equality.

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
        let (word, behind) = word(rest, start)?;
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

/// The word that `text` begins with and that starts at `start`, and what stands behind it: a blank, or nothing.
fn word(text: &str, start: usize) -> Option<(Word, &str)> {
    let means_nothing = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte);
    let mut known = String::new();
    let (mut rest, mut sets, mut bare) = (text, false, true);
    while let Some(first) = rest.bytes().next().filter(|first| *first != b' ') {
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
    // What could set a variable, and a word of the language, even where it is an argument, is for the readers.
    let could_mean = RESERVED.contains(&raw) || (sets && !raw.starts_with("--"));
    if raw.is_empty() || could_mean {
        return None;
    }
    let span = Span { start: number(start), end: number(start + raw.len()) };
    let value = Value::Known { text: known, tilde: false };
    Some((Word { raw: raw.to_owned(), value, span, bare }, rest))
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
    }
}
