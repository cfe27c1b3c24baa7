//! One-liners that only work something out and print it: `python3 -c 'import sys; print(sys.version)'`. A small reader of
//! words and signs in which everything must be known by name: what it has not heard of may do anything.

mod javascript;
mod named;
mod perl;
mod php;
mod python;
mod reads;
mod ruby;

/// A language whose one-liners are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    R,
    Octave,
    Julia,
    Elixir,
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
            "lua" | "luajit" => Some(Self::Lua),
            "Rscript" | "R" => Some(Self::R),
            "octave" | "octave-cli" => Some(Self::Octave),
            "julia" => Some(Self::Julia),
            "elixir" => Some(Self::Elixir),
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
    /// What a text says between the values that are put into it.
    Piece(String),
    Sign(char),
}

/// What a text does to files, as far as that is more than working something out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// The file's name; with a star in it a pattern.
    Read(String),
    Write(String),
    /// A program that does the same, and what it is given.
    Run(Vec<Given>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) pattern: bool,
}

/// What a one-liner may reach from where it runs.
pub(super) struct Around<'a> {
    pub(super) shadowed: &'a dyn Fn(&str) -> bool,
    pub(super) readable: &'a dyn Fn(&str) -> bool,
}

/// Whether `text` only computes and prints. `shadowed` says whether a module of this name lies where Python would look
/// for it first, `readable` whether it may read the file of this name.
pub(super) fn only_computes(language: Language, text: &str, around: &Around<'_>) -> bool {
    match language {
        Language::Python => python::only_computes(text, around),
        Language::JavaScript => javascript::only_computes(text, around.readable),
        Language::Perl => perl::only_computes(text),
        Language::Ruby => ruby::only_computes(text, around.readable),
        Language::Php => php::only_computes(text),
        Language::Lua | Language::R | Language::Octave | Language::Julia | Language::Elixir => {
            named::only_computes(language, text, around.readable)
        }
    }
}

/// What `text` does to files that it names, when it does nothing else that is not known.
pub(super) fn acts(language: Language, text: &str, around: &Around<'_>) -> Option<Vec<Act>> {
    match language {
        Language::Python => python::acts(text, around),
        Language::JavaScript
        | Language::Perl
        | Language::Ruby
        | Language::Php
        | Language::Lua
        | Language::R
        | Language::Octave
        | Language::Julia
        | Language::Elixir => None,
    }
}

/// Where the bracket closes that opens at `at`, if that is no more than `far` further on.
fn close(tokens: &[Token], at: usize, far: usize) -> Option<usize> {
    matches!(tokens.get(at)?, Token::Sign('(' | '[' | '{')).then_some(())?;
    let mut depth = 0_u32;
    for (place, token) in tokens.iter().enumerate().skip(at).take(far) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place);
                }
            }
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => {}
        }
    }
    None
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
    // A square of what is there stays small, unless it is squared again in the next round.
    let squares = tokens
        .windows(3)
        .filter(|three| matches!(three, [Token::Sign('*'), Token::Sign('*'), Token::Number(2 | 3)]))
        .count();
    let powers =
        tokens.windows(2).filter(|pair| matches!(pair, [Token::Sign('*'), Token::Sign('*')])).count();
    let powers = if squares <= 3 && !is_squared_again(tokens) { powers - squares } else { powers };
    let products = tokens.iter().filter(|token| **token == Token::Sign('*')).count();
    let loops = tokens.iter().filter(|token| matches!(token, Token::Name(name) if name == "range")).count();
    let walks = tokens
        .iter()
        .filter(|token| matches!(token, Token::Name(name) if name == "for" || name == "while"))
        .count();
    let largest = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Number(number) => Some(*number),
            Token::Name(_) | Token::Text(_) | Token::Piece(_) | Token::Sign(_) => None,
        })
        .max()
        .unwrap_or(0);
    let repeats = tokens.iter().any(|token| matches!(token, Token::Text(_) | Token::Sign('[')));
    let shifts = tokens.windows(2).any(|pair| pair == [Token::Sign('<'), Token::Sign('<')]);
    let asks = tokens.contains(&Token::Sign('.'));
    powers <= 1
        && (loops + walks <= 3 || loops <= 2 && walks <= 12 && largest <= 10_000)
        && (powers == 0 && !shifts
            || products <= 2 && largest <= 4096 && loops + walks == 0 && !has_rounds(tokens))
        && (largest <= 1_000_000
            || loops + walks == 0 && !asks && !repeats
            || products == 0 && !shifts && !widens && largest <= 1 << 53)
        && (!repeats
            || products == 0
            || products == 1 && largest <= 10_000
            || products <= 3 && largest <= 200)
}

/// Whether something may run again and again with what it made before.
fn has_rounds(tokens: &[Token]) -> bool {
    const ROUNDS: [&str; 8] = ["while", "lambda", "def", "reduce", "accumulate", "function", "do", "inject"];
    tokens.iter().any(|token| matches!(token, Token::Name(name) if ROUNDS.contains(&name.as_str())))
}

/// Whether what is worked out in one round may go into the next: a loop that is no part of a list, or a function.
fn is_squared_again(tokens: &[Token]) -> bool {
    let mut depth = 0_u32;
    let goes_on = tokens.iter().any(|token| match token {
        Token::Sign('(' | '[') => {
            depth += 1;
            false
        }
        Token::Sign(')' | ']') => {
            depth = depth.saturating_sub(1);
            false
        }
        // `=>`, `->`
        Token::Sign('>' | '{') => true,
        Token::Name(name) => name == "for" && depth == 0,
        Token::Number(_) | Token::Text(_) | Token::Piece(_) | Token::Sign(_) => false,
    });
    goes_on
        || has_rounds(tokens)
        || tokens.windows(5).any(|five| {
            // `2 ** 3 ** 3`
            matches!(five, [Token::Sign('*'), Token::Sign('*'), _, Token::Sign('*'), Token::Sign('*')])
        })
}

#[cfg(test)]
mod effects_tests;
#[cfg(test)]
mod javascript_tests;
#[cfg(test)]
mod python_tests;
#[cfg(test)]
mod tests;
