//! One-liners that only work something out and print it: `python3 -c 'import sys; print(sys.version)'`. A small reader of
//! words and signs in which everything must be known by name: what it has not heard of may do anything.

mod javascript;
mod names;
mod perl;
mod python;
mod reads;
mod ruby;

use names::{ALIASES, BUILT_IN, MODULES, NAMED, OWN, PACKAGES, PARTLY, REQUIRED, VERSIONS};

/// A language whose one-liners are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
}

impl Language {
    /// The language that a program of this name speaks.
    pub(super) fn of(program: &str) -> Option<Self> {
        let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "python" | "pypy" => Some(Self::Python),
            "node" | "nodejs" => Some(Self::JavaScript),
            "perl" => Some(Self::Perl),
            "ruby" => Some(Self::Ruby),
            "php" => Some(Self::Php),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(u64),
    /// What stands between the quotes.
    Text(String),
    Sign(char),
}

/// Known where no value can be the running program, so that the parts of every value are data. No name reads so.
const DATA: &str = "(data)";

/// What a one-liner may reach from where it runs.
pub(super) struct Around<'a> {
    pub(super) shadowed: &'a dyn Fn(&str) -> bool,
    pub(super) readable: &'a dyn Fn(&str) -> bool,
}

/// Whether `text` only computes and prints. `shadowed` says whether a module of this name lies where Python would look
/// for it first, `readable` whether it may read the file of this name.
pub(super) fn only_computes(language: Language, text: &str, around: &Around<'_>) -> bool {
    let Around { shadowed, readable } = around;
    if language == Language::Perl {
        return perl::only_computes(text);
    }
    if language == Language::Ruby {
        return ruby::only_computes(text, readable);
    }
    let Some(tokens) = tokens(language, text) else { return false };
    let Some(tokens) = reads::taken_in(language, &tokens, readable) else { return false };
    let mut known: Vec<String> = language.words().iter().map(|word| (*word).to_owned()).collect();
    known.push(reads::OPENED.to_owned());
    if !tokens.contains(&Token::Name("process".to_owned())) {
        known.push(DATA.to_owned());
    }
    if language == Language::JavaScript {
        return !tokens.is_empty() && is_light(&tokens) && javascript::calls_what_is_known(&tokens);
    }
    if language == Language::Python && python::may_change_itself(&tokens) {
        return false;
    }
    !tokens.is_empty() && is_light(&tokens) && statements(language, &tokens, &mut known, &shadowed)
}

fn tokens(language: Language, text: &str) -> Option<Vec<Token>> {
    let signs = match language {
        // A bar may begin a pattern or a comment in the others, behind which quotes mean something else.
        Language::JavaScript => "+-*%()[]{},:;.=<>!&|",
        Language::Python | Language::Perl | Language::Php => "+-*%(),;.",
        Language::Ruby => "+-*(),;.",
    };
    if language == Language::Python {
        return python::tokens(text);
    }
    if language == Language::JavaScript {
        return javascript::tokens(text);
    }
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ' ' || c == '\t' {
            continue;
        }
        if c == '"' || c == '\'' {
            let mut inside = String::new();
            loop {
                match rest.next()? {
                    end if end == c => break,
                    // A new line or a tabulator; other escapes may spell anything.
                    '\\' => {
                        rest.next_if(|escaped| "nt".contains(*escaped))?;
                        inside.push(' ');
                    }
                    // Put into the text by Perl, Ruby and PHP, perhaps after running it.
                    '$' | '@' | '#' | '`'
                        if language != Language::Python && language != Language::JavaScript =>
                    {
                        return None;
                    }
                    other => inside.push(other),
                }
            }
            tokens.push(Token::Text(inside));
        } else if c.is_ascii_digit() {
            let mut number = String::from(c);
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                number.push(digit);
            }
            if rest.peek().is_some_and(|next| next.is_alphabetic() || *next == '_') {
                return None;
            }
            tokens.push(Token::Number(number.parse().ok()?));
        } else if c.is_ascii_alphabetic() || c == '_' {
            let mut name = String::from(c);
            while let Some(more) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
                name.push(more);
            }
            // `f"{…}"`, `b'…'`, `r'…'`: texts that mean something else.
            if rest.peek().is_some_and(|next| matches!(next, '"' | '\'')) && name.len() < 3 && name != "p" {
                return None;
            }
            tokens.push(Token::Name(name));
        } else if signs.contains(c) {
            tokens.push(Token::Sign(c));
        } else {
            return None;
        }
    }
    Some(tokens)
}

/// Nothing in it takes longer or fills more memory than a person would wait for.
fn is_light(tokens: &[Token]) -> bool {
    // What makes much of a large number.
    const WIDENS: [&str; 20] = [
        "range",
        "zfill",
        "ljust",
        "rjust",
        "center",
        "repeat",
        "padStart",
        "padEnd",
        "fill",
        "factorial",
        "comb",
        "perm",
        "bytes",
        "product",
        "pow",
        "permutations",
        "combinations",
        "cycle",
        "while",
        "Array",
    ];
    let widens =
        tokens.iter().any(|token| matches!(token, Token::Name(name) if WIDENS.contains(&name.as_str())));
    let powers =
        tokens.windows(2).filter(|pair| matches!(pair, [Token::Sign('*'), Token::Sign('*')])).count();
    let products = tokens.iter().filter(|token| **token == Token::Sign('*')).count();
    let loops = tokens.iter().filter(|token| matches!(token, Token::Name(name) if name == "range")).count();
    let walks = tokens.iter().filter(|token| matches!(token, Token::Name(name) if name == "for")).count();
    let largest = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Number(number) => Some(*number),
            Token::Name(_) | Token::Text(_) | Token::Sign(_) => None,
        })
        .max()
        .unwrap_or(0);
    let repeats = tokens.iter().any(|token| matches!(token, Token::Text(_) | Token::Sign('[')));
    let shifts = tokens.windows(2).any(|pair| pair == [Token::Sign('<'), Token::Sign('<')]);
    let asks = tokens.contains(&Token::Sign('.'));
    powers <= 1
        && (loops + walks <= 3 || loops <= 2 && walks <= 12 && largest <= 10_000)
        && (powers == 0 && !shifts || products <= 2 && largest <= 4096 && loops + walks == 0)
        && (largest <= 1_000_000
            || loops + walks == 0 && !asks && !repeats
            || products == 0 && !shifts && !widens && largest <= 1 << 53)
        && (!repeats
            || products == 0
            || products == 1 && largest <= 10_000
            || products <= 3 && largest <= 200)
}

fn statements(
    language: Language,
    tokens: &[Token],
    known: &mut Vec<String>,
    shadowed: &impl Fn(&str) -> bool,
) -> bool {
    tokens
        .split(|token| matches!(token, Token::Sign(';' | '\n')))
        .filter(|statement| !statement.is_empty())
        .all(|statement| match (language, statement) {
            (Language::Python, [Token::Name(first), rest @ ..]) if first == "import" => {
                imports(rest, known, shadowed)
            }
            (
                Language::Python,
                [Token::Name(first), Token::Name(module), Token::Name(import), names @ ..],
            ) if first == "from" && import == "import" => {
                MODULES.contains(&module.as_str()) && !shadowed(module) && taken(language, names, known)
            }
            _ => expression(language, statement, known),
        })
}

/// `import sys, numpy as np`
fn imports(rest: &[Token], known: &mut Vec<String>, shadowed: &impl Fn(&str) -> bool) -> bool {
    rest.split(|token| *token == Token::Sign(',')).all(|part| {
        let (module, name) = match part {
            [Token::Name(module)] => (module, module),
            [Token::Name(module), Token::Name(by), Token::Name(name)] if by == "as" => (module, name),
            _ => return false,
        };
        if PACKAGES.contains(&module.as_str()) {
            // Never a value of its own: only what is asked of it counts.
            return !shadowed(module) && (name == module || ALIASES.contains(&name.as_str()));
        }
        // Never a value either: what is known of it was taken in before.
        if PARTLY.contains(&module.as_str()) {
            return !shadowed(module) && name == module;
        }
        known.push(name.clone());
        MODULES.contains(&module.as_str())
            && !shadowed(module)
            && (name == module || is_own(Language::Python, name))
    })
}

/// `from math import sqrt, pi`
fn taken(language: Language, names: &[Token], known: &mut Vec<String>) -> bool {
    names.split(|token| *token == Token::Sign(',')).all(|part| match part {
        [Token::Name(name)] if language.members().contains(&name.as_str()) => {
            known.push(name.clone());
            true
        }
        _ => false,
    })
}

/// A name that a one-liner may give to a value of its own: none that means anything else.
fn is_own(language: Language, name: &str) -> bool {
    if language != Language::Python {
        return name.len() == 1 || OWN.contains(&name);
    }
    let taken = BUILT_IN.contains(&name)
        || PARTLY.contains(&name)
        || MODULES.contains(&name)
        || is_package(name)
        || language.words().contains(&name);
    !taken && (name == "_" || !name.starts_with('_'))
}

/// Whether the `=` at `at` gives a value to a name of the one-liner's own, names an argument, or compares.
fn gives_value(language: Language, tokens: &[Token], at: usize) -> bool {
    let sign = |place: Option<usize>| match place.and_then(|place| tokens.get(place)) {
        Some(Token::Sign(sign)) => Some(*sign),
        Some(Token::Name(_) | Token::Number(_) | Token::Text(_)) | None => None,
    };
    let before = at.checked_sub(1);
    let compares = sign(Some(at + 1)) == Some('=') || matches!(sign(before), Some('=' | '!' | '<' | '>'));
    if language == Language::Python {
        return compares || python::gives_value(tokens, at);
    }
    let named = before.and_then(|before| tokens.get(before)).is_some_and(|token| {
        matches!(token, Token::Name(name) if NAMED.contains(&name.as_str()))
            && matches!(sign(before.and_then(|before| before.checked_sub(1))), Some('(' | ','))
    });
    let own = match (language, tokens.get(..at)) {
        (_, Some([Token::Name(name)])) => is_own(language, name),
        (Language::JavaScript, Some([Token::Name(word), Token::Name(name)])) => {
            matches!(word.as_str(), "let" | "const" | "var") && is_own(language, name)
        }
        _ => false,
    };
    // `k => k.length`
    let arrow = language == Language::JavaScript
        && sign(Some(at + 1)) == Some('>')
        && matches!(sign(before.and_then(|before| before.checked_sub(1))), Some('(' | ','))
        && before
            .and_then(|before| tokens.get(before))
            .is_some_and(|token| matches!(token, Token::Name(name) if is_own(language, name)));
    compares || named || own || arrow
}

fn expression(language: Language, tokens: &[Token], known: &mut Vec<String>) -> bool {
    for (at, token) in tokens.iter().enumerate() {
        let bound = match (at.checked_sub(1).and_then(|before| tokens.get(before)), token, tokens.get(at + 1))
        {
            (_, Token::Name(name), Some(Token::Sign('='))) if gives_value(language, tokens, at + 1) => {
                Some(name)
            }
            (Some(Token::Name(word)), Token::Name(name), _)
                if language == Language::Python && word == "for" =>
            {
                Some(name)
            }
            (Some(Token::Name(word)), Token::Name(name), None | Some(Token::Sign(':' | ',')))
                if language == Language::Python && word == "as" =>
            {
                Some(name)
            }
            _ => None,
        };
        known.extend(bound.filter(|name| is_own(language, name)).cloned());
    }
    (0..tokens.len()).all(|at| fits_at(language, tokens, at, known))
}

fn fits_at(language: Language, tokens: &[Token], at: usize, known: &[String]) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    match tokens.get(at) {
        Some(Token::Name(name)) => {
            let member = before == Some(&Token::Sign('.'));
            // In Perl and PHP the dot joins texts.
            let joins = matches!(language, Language::Perl | Language::Php);
            let argument = tokens.get(at + 1) == Some(&Token::Sign('='))
                && (NAMED.contains(&name.as_str())
                    || language == Language::Python && python::is_argument(tokens, at));
            if member && !joins {
                language.members().contains(&name.as_str())
                    || of_package(tokens, at)
                    || language == Language::JavaScript && of_data(tokens, at, name, known)
            } else if argument {
                gives_value(language, tokens, at + 1)
            } else if name == "require" && language == Language::JavaScript {
                matches!(tokens.get(at + 1..at + 4), Some([Token::Sign('('), Token::Text(module), Token::Sign(')')])
                    if is_data(module) || REQUIRED.contains(&module.as_str()))
            } else if language == Language::Python && is_package(name) {
                matches!(tokens.get(at + 1..at + 3), Some([Token::Sign('.'), Token::Name(asked)])
                    if VERSIONS.contains(&asked.as_str()) || name == "yaml" && asked == "safe_load")
            } else {
                // A name that was given no value is an error and nothing more.
                language == Language::Python && is_own(language, name) || known.iter().any(|own| own == name)
            }
        }
        // Only what has a name is called: `("system")("id")` is not.
        Some(Token::Sign('(')) => !matches!(before, Some(Token::Text(_) | Token::Sign(')' | ']' | '}'))),
        // `x["constructor"]`: a member by a name that may be anything.
        Some(Token::Sign('[')) if language == Language::JavaScript => {
            matches!(before, None | Some(Token::Sign('(' | ',' | '[' | '=')))
        }
        Some(Token::Sign('=')) => gives_value(language, tokens, at),
        Some(Token::Number(_) | Token::Text(_) | Token::Sign(_)) => true,
        None => false,
    }
}

fn is_package(name: &str) -> bool {
    PACKAGES.contains(&name) || ALIASES.contains(&name)
}

/// The version that stands right behind the name of a package.
fn of_package(tokens: &[Token], at: usize) -> bool {
    matches!(at.checked_sub(2).and_then(|start| tokens.get(start..=at)),
        Some([Token::Name(package), Token::Sign('.'), Token::Name(asked)])
            if is_package(package) && VERSIONS.contains(&asked.as_str())
                || package == "yaml" && asked == "safe_load")
}

/// `p.packages`: a part of a value of the one-liner's own, looked at and neither called nor set. Not where the value may be
/// the running program, whose parts are more than data.
fn of_data(tokens: &[Token], at: usize, name: &str, known: &[String]) -> bool {
    const INWARD: [&str; 6] = ["constructor", "prototype", "__proto__", "caller", "callee", "arguments"];
    let root = at.checked_sub(2).and_then(|root| tokens.get(root));
    let own =
        matches!(root, Some(Token::Name(root)) if is_own(Language::JavaScript, root) && known.contains(root));
    let whole = at.checked_sub(3).and_then(|before| tokens.get(before)) != Some(&Token::Sign('.'));
    let looks = !matches!(tokens.get(at + 1), Some(Token::Sign('(' | '=' | '[')));
    own && whole && looks && !INWARD.contains(&name) && known.iter().any(|own| own == DATA)
}

/// A file of the project that holds data only: `./package.json`.
fn is_data(path: &str) -> bool {
    path.starts_with("./")
        && path.ends_with(".json")
        && path.chars().all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c))
        && !path.contains("..")
}

#[cfg(test)]
mod javascript_tests;
#[cfg(test)]
mod python_tests;
#[cfg(test)]
mod tests;
