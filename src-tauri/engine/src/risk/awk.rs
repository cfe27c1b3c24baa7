//! What an `awk` program does: read as awk reads it, for a bracket or a sign inside a text or a pattern is none. Where it is
//! not certain which of them a sign stands in, it may do anything.

use crate::protocol::Risk;

/// What the program at hand does beyond printing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Does {
    Prints,
    /// Writes to these files, whose names stand there in so many letters.
    Writes(Vec<String>),
    /// Runs something, or writes where nobody knows.
    Anything,
}

impl Does {
    pub(super) fn risk(&self) -> Risk {
        match self {
            Self::Prints => Risk::Safe,
            Self::Writes(_) | Self::Anything => Risk::Dangerous,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// What stands between the quotes; `None` with an escape in it.
    Text(Option<String>),
    Pattern,
    Sign(char),
    /// Ends a statement.
    Line,
}

pub(super) fn does(program: &str) -> Does {
    tokens(program).map_or(Does::Anything, |tokens| judged(&tokens))
}

fn judged(tokens: &[Token]) -> Does {
    let runs = |token: &Token| match token {
        Token::Word(word) => word == "system" || word == "getline",
        // A call by a name that is put together, a library, a namespace.
        Token::Sign(sign) => *sign == '@',
        Token::Text(_) | Token::Pattern | Token::Line => false,
    };
    let pipes = tokens.iter().enumerate().any(|(at, token)| {
        let bar = |at: Option<usize>| at.and_then(|at| tokens.get(at)) == Some(&Token::Sign('|'));
        *token == Token::Sign('|') && !bar(at.checked_sub(1)) && !bar(Some(at + 1))
    });
    if pipes || tokens.iter().any(runs) || goes_on(tokens) {
        return Does::Anything;
    }
    let mut files = Vec::new();
    let mut prints = false;
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if word == "print" || word == "printf" => (prints, depth) = (true, 0),
            Token::Sign('(' | '[') => depth += 1,
            Token::Sign(')' | ']') => depth = depth.saturating_sub(1),
            Token::Sign('{' | '}' | ';') | Token::Line => prints = false,
            // Between brackets it compares.
            Token::Sign('>') if prints && depth == 0 => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                let rest = rest.strip_prefix(&[Token::Sign('>')]).unwrap_or(rest);
                let Some(name) = file(rest) else { return Does::Anything };
                files.push(name);
                prints = false;
            }
            Token::Word(_) | Token::Text(_) | Token::Pattern | Token::Sign(_) => {}
        }
    }
    if files.is_empty() { Does::Prints } else { Does::Writes(files) }
}

/// The file that a statement writes to, from behind its `>` on. Of a name that the data decide (`"out/" $1 ".csv"`) it is
/// known what it begins with and that it ends as data do: nothing runs or reads by itself what is called so, wherever it
/// lands.
fn file(rest: &[Token]) -> Option<String> {
    const DATA: [&str; 13] = [
        ".csv", ".tsv", ".txt", ".json", ".jsonl", ".log", ".fa", ".fasta", ".bed", ".dat", ".vcf", ".gff",
        ".out",
    ];
    let bracketed = rest.first() == Some(&Token::Sign('('));
    let rest = rest.get(usize::from(bracketed)..)?;
    let end = rest.iter().position(|token| matches!(token, Token::Sign(_) | Token::Line));
    let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
    let ends = |behind: &[Token]| matches!(behind.first(), None | Some(Token::Sign(';' | '}') | Token::Line));
    let closed = match behind {
        [Token::Sign(')'), behind @ ..] if bracketed => ends(behind),
        behind => !bracketed && ends(behind),
    };
    let mut whole = String::new();
    for token in name {
        match token {
            Token::Text(text) => whole.push_str(text.as_deref()?),
            Token::Word(_) => whole.push('x'),
            Token::Pattern | Token::Sign(_) | Token::Line => return None,
        }
    }
    let told = name.iter().all(|token| matches!(token, Token::Text(_)));
    let data = matches!(name.last(), Some(Token::Text(Some(ending))) if DATA.contains(&ending.as_str()));
    (closed && !name.is_empty() && (told || data)).then_some(whole)
}

/// A loop that nothing ends.
fn goes_on(tokens: &[Token]) -> bool {
    let word =
        |token: &Token, wanted: &[&str]| matches!(token, Token::Word(own) if wanted.contains(&own.as_str()));
    let endless = tokens.windows(4).any(|part| match part {
        [own, Token::Sign('('), one, Token::Sign(')')] => word(own, &["while"]) && word(one, &["1"]),
        [own, Token::Sign('('), Token::Sign(';') | Token::Line, Token::Sign(';') | Token::Line] => {
            word(own, &["for"])
        }
        _ => false,
    });
    endless && !tokens.iter().any(|token| word(token, &["break", "exit", "return", "next", "nextfile"]))
}

fn tokens(program: &str) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    // Of each bracket that is open: whether a statement's condition stands in it.
    let mut open: Vec<bool> = Vec::new();
    let mut condition = false;
    let mut rest = program.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                rest.next_if_eq(&'\r');
                rest.next_if_eq(&'\n')?;
            }
            '\n' => {
                // Behind these a statement goes on.
                let goes_on = matches!(tokens.last(), Some(Token::Sign(',' | '{' | '&' | '|')))
                    || matches!(tokens.last(), Some(Token::Word(word)) if word == "do" || word == "else");
                if !goes_on {
                    tokens.push(Token::Line);
                }
            }
            _ if c.is_whitespace() => {}
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' => tokens.push(Token::Text(text(&mut rest)?)),
            '/' => match slash(&tokens, condition) {
                Slash::Divides => tokens.push(Token::Sign('/')),
                Slash::Begins => {
                    pattern(&mut rest)?;
                    tokens.push(Token::Pattern);
                }
                // Harmless both ways: nothing in it that a text or a comment begins with.
                Slash::Either => {
                    let inside: String = rest.clone().take_while(|c| !matches!(c, '\n' | '/')).collect();
                    (!inside.contains(['"', '#', '\\', '['])).then_some(())?;
                    tokens.push(Token::Sign('/'));
                }
            },
            _ if c.is_alphanumeric() || c == '_' || c == '$' => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                tokens.push(Token::Word(word));
            }
            _ => {
                if c == '(' {
                    open.push(matches!(tokens.last(), Some(Token::Word(word))
                        if matches!(word.as_str(), "if" | "while" | "for" | "switch")));
                } else if c == ')' {
                    condition = open.pop()?;
                }
                tokens.push(Token::Sign(c));
            }
        }
    }
    Some(tokens)
}

enum Slash {
    Divides,
    /// Begins a pattern.
    Begins,
    Either,
}

/// `condition`: whether the last bracket that was closed held the condition of a statement. Behind any other bracket a slash
/// divides, for every `awk` there is.
fn slash(tokens: &[Token], condition: bool) -> Slash {
    match tokens.last() {
        Some(Token::Word(word)) => match word.as_str() {
            "print" | "printf" | "return" | "in" | "case" | "do" | "else" | "exit" | "delete" => {
                Slash::Begins
            }
            "$" => Slash::Either,
            _ => Slash::Divides,
        },
        Some(Token::Text(_) | Token::Sign(']')) => Slash::Divides,
        Some(Token::Sign(')')) if !condition => Slash::Divides,
        Some(Token::Sign(')' | '+' | '-')) => Slash::Either,
        Some(Token::Pattern | Token::Line | Token::Sign(_)) | None => Slash::Begins,
    }
}

type Rest<'p> = std::iter::Peekable<std::str::Chars<'p>>;

/// Up to the quote that closes.
fn text(rest: &mut Rest<'_>) -> Option<Option<String>> {
    let mut inside = Some(String::new());
    loop {
        match rest.next()? {
            '"' => return Some(inside),
            '\\' => {
                rest.next()?;
                inside = None;
            }
            '\n' => return None,
            c => inside.iter_mut().for_each(|inside| inside.push(c)),
        }
    }
}

/// Up to the slash that closes; one between square brackets does not.
fn pattern(rest: &mut Rest<'_>) -> Option<()> {
    let mut class = false;
    loop {
        match rest.next()? {
            '\\' => drop(rest.next()?),
            '\n' => return None,
            '[' if !class => {
                class = true;
                rest.next_if_eq(&'^');
                // Right behind the bracket it is a letter like any other.
                rest.next_if_eq(&']');
            }
            // `[[:alpha:]]`
            '[' if rest.next_if_eq(&':').is_some() => {
                while rest.next_if(|c| *c != ']' && *c != '\n').is_some() {}
                rest.next_if_eq(&']')?;
            }
            ']' if class => class = false,
            '/' if !class => return Some(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_is_told_from_writing() {
        for program in [
            "{print $1}",
            "$3 > 100 {print $1, $2}",
            "{ if ($1 > 5) print $2 }",
            "/^diff --git/ { file = $3 }\n/^\\+[^+]/ { add[file]++ }\nEND { for (f in add) printf \"%4d %s\\n\", add[f], f }",
            "{print \"a > b | c\"}",
            "/a|b/ {n++} END {print n / NR}",
            "$1 ~ /[^/]+/ && !/x\"y/ {print}",
            "{ print ($1 > 5) }",
            "{ s += $1 } END { print (s / NR) / 2 }",
            "NR==1 || /system/ {print}",
            "{print \"system(1)\"} # a | b > c",
            "BEGIN { while (i++ < 3) print i }",
            "{ gsub(/\\/+/, \"/\"); print }",
            "/[[:alpha:]/]/ { print }",
            "{ print $NF / 2 }",
            "{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }",
            "x = (1) /\"/; print \"x\" > \"/etc/x\" # \"",
        ] {
            assert_eq!(does(program), Does::Prints, "{program}");
        }
        let written = |names: &[&str]| Does::Writes(names.iter().map(|name| (*name).to_owned()).collect());
        for (program, files) in [
            ("{print > \"a\"}", vec!["a"]),
            ("BEGIN{print \";\" > \"/etc/cron.d/x\"}", vec!["/etc/cron.d/x"]),
            ("BEGIN{print \"{\" >> \"/etc/x\"}", vec!["/etc/x"]),
            ("{ print /;/ > \"/etc/x\" }", vec!["/etc/x"]),
            ("{ print $1,\n  $2 > \"a\"; print $3 > \"b\" }", vec!["a", "b"]),
            ("BEGIN{print \"x\" \\\n> \"/etc/x\"}", vec!["/etc/x"]),
            ("{ printf(\"%s\", $1) > \"a\" }", vec!["a"]),
            ("{ print > (\"out/\" $1 \".csv\") }", vec!["out/x.csv"]),
            ("{ print > $2 \".txt\"; n++ }", vec!["x.txt"]),
        ] {
            assert_eq!(does(program), written(&files), "{program}");
        }
        for program in [
            "{ print > $1 }",
            "{ print > \"a\" $1 }",
            "{ print > \"out/\" x }",
            "{ print > (\"out/\" $1) }",
            "{ print > (\"out/\" $1 \".csv\" }",
            "{ print > \"out/\" name($1) \".csv\" }",
            "{ print > (\"out/\" $1 \".sh\") }",
            "{ print > \"\\057etc\" }",
            "BEGIN { while (1) print \"x\"\";\" > f }",
            "{ system(\"id\") }",
            "BEGIN{f=\"sys\" \"tem\"; @f(\"id\")}",
            "{ print | \"sh\" }",
            "{ print |& \"sh\" }",
            "{ \"id\" | getline x }",
            "@load \"x\"",
            "{ getline < \"/etc/x\" }",
            "if (1) /\"/; print \"x\" > \"f\" #\"",
            "if (1) { x = 1 } while (x) /\"/; print \"x\" > \"f\" # \"",
            "{ print 1) }",
            "i++ /\"/; print \"x\" > \"/etc/x\" # \"",
            "{ print \"unclosed }",
        ] {
            assert_eq!(does(program), Does::Anything, "{program}");
        }
    }
}
