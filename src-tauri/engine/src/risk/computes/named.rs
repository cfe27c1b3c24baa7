//! Lua, R, Octave, Julia and Elixir, as far as one-liners go: every name must be one that only works something out or prints it, or
//! one that the text itself gives to a value. What is spelt in another way than by names is not read.

use super::Language;

/// Names that end in a dot stand for all that begin so.
#[rustfmt::skip]
const LUA: [&str; 41] = [
    "print", "io.write", "os.date", "os.time", "os.clock", "ipairs", "pairs", "tostring", "tonumber", "select", "type",
    "next", "unpack", "_VERSION", "string.", "math.", "table.", "utf8.", "for", "in", "do", "end", "if", "then", "else",
    "elseif", "local", "return", "function", "and", "or", "not", "nil", "true", "false", "upper", "lower", "sub", "gsub",
    "format", "rep",
];
#[rustfmt::skip]
const R: [&str; 121] = [
    "print", "cat", "summary", "sessionInfo", "sum", "mean", "median", "sd", "var", "min", "max", "range", "seq", "rep", "c",
    "length", "nrow", "ncol", "dim", "head", "tail", "str", "names", "colnames", "rownames", "paste", "paste0", "format",
    "round", "signif", "floor", "ceiling", "sqrt", "exp", "log", "log2", "log10", "abs", "R.version.string", "R.version",
    "R.Version", "Sys.time", "Sys.Date", "packageVersion", "installed.packages", ".libPaths", "quantile", "cor", "unique",
    "sort", "order", "rev", "levels", "factor", "data.frame", "list", "t", "table", "function", "if", "else", "for", "in",
    "return", "TRUE", "FALSE", "T", "F", "NULL", "NA", "nchar", "toupper", "tolower", "substr", "strsplit", "unlist",
    "sprintf", "is.na", "any", "all", "which", "which.max", "which.min", "cumsum", "diff", "prod", "choose", "factorial",
    "rnorm", "runif", "sample", "set.seed", "matrix", "solve", "crossprod", "rowSums", "colSums", "rowMeans", "colMeans",
    "read.csv", "read.table", "read.delim", "readLines", ".Machine", "invisible", "header", "sep", "na.rm", "digits", "n",
    "decreasing", "collapse", "length.out", "stringsAsFactors", "probs", "nrow", "ncol", "byrow", "times", "each", "rev",
];
#[rustfmt::skip]
const JULIA: [&str; 101] = [
    "println", "print", "sum", "prod", "maximum", "minimum", "mean", "median", "std", "var", "sort", "reverse", "length",
    "size", "collect", "map", "filter", "reduce", "join", "split", "replace", "round", "floor", "ceil", "sqrt", "exp", "log",
    "log10", "log2", "sin", "cos", "tan", "abs", "mod", "rem", "div", "gcd", "lcm", "factorial", "binomial", "rand", "randn",
    "zeros", "ones", "range", "string", "repr", "typeof", "Int", "Int64", "Float64", "BigInt", "BigFloat", "big", "VERSION",
    "versioninfo", "pi", "Sys.CPU_THREADS", "Sys.MACHINE", "Threads.nthreads", "now", "today", "uppercase", "lowercase",
    "eachindex", "enumerate", "zip", "first", "last", "isempty", "any", "all", "count", "in", "unique", "true", "false",
    "nothing", "end", "for", "if", "else", "elseif", "begin", "return", "let", "using", "Statistics", "LinearAlgebra",
    "Dates", "Dates.", "Printf", "Random", "InteractiveUtils", "Pkg", "Pkg.status", "time", "show", "printf", "isodd", "iseven",
];
#[rustfmt::skip]
const OCTAVE: [&str; 76] = [
    "disp", "printf", "fprintf", "display", "sum", "prod", "cumsum", "cumprod", "mean", "median", "std", "var", "min", "max",
    "sort", "unique", "numel", "length", "size", "rows", "columns", "zeros", "ones", "eye", "rand", "randn", "linspace",
    "reshape", "repmat", "find", "any", "all", "floor", "ceil", "round", "fix", "mod", "rem", "abs", "sqrt", "exp", "log",
    "log2", "log10", "sin", "cos", "tan", "atan2", "pi", "e", "inv", "det", "eig", "rank", "trace", "norm", "cross", "dot",
    "kron", "roots", "polyfit", "polyval", "gcd", "lcm", "primes", "isprime", "factor", "factorial", "nchoosek", "num2str",
    "mat2str", "sprintf", "version", "true", "false", "diag",
];
#[rustfmt::skip]
const ELIXIR: [&str; 43] = [
    "IO.puts", "IO.inspect", "IO.write", "Enum.", "String.", "Integer.", "Float.", "List.", "Map.", "Keyword.", "Range.",
    "Date.", "Time.", "DateTime.utc_now", "Tuple.", "MapSet.", "Base.", "System.version", "System.otp_release", "inspect",
    "rem", "div", "abs", "round", "trunc", "max", "min", "length", "hd", "tl", "elem", "to_string", "fn", "end", "do", "if",
    "else", "true", "false", "nil", "and", "or", "not",
];
/// Of these, what goes to files that the text names.
const READS: [&str; 4] = ["read.csv", "read.table", "read.delim", "readLines"];
/// A number of more digits makes more of something than a person would wait for.
const MOST_DIGITS: usize = 6;

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Number,
    Text(String),
    Sign(char),
}

/// Whether `text` only computes and prints; `readable` says whether it may read the file of a name.
pub(super) fn only_computes(language: Language, text: &str, readable: &dyn Fn(&str) -> bool) -> bool {
    let known: &[&str] = match language {
        Language::Lua => &LUA,
        Language::R => &R,
        Language::Octave => &OCTAVE,
        Language::Julia => &JULIA,
        Language::Elixir => &ELIXIR,
        Language::Python | Language::JavaScript | Language::Perl | Language::Ruby | Language::Php => {
            return false;
        }
    };
    let Some(tokens) = tokens(language, text) else { return false };
    let reads =
        tokens.iter().any(|token| matches!(token, Token::Name(name) if READS.contains(&name.as_str())));
    let own = given_names(&tokens);
    !tokens.is_empty()
        && tokens.iter().enumerate().all(|(at, token)| {
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            match token {
                Token::Name(name) => {
                    let known = known.iter().any(|own| match own.strip_suffix('.') {
                        Some(_) => name.starts_with(own),
                        None => own == name,
                    });
                    let is_called = tokens.get(at + 1) == Some(&Token::Sign('('));
                    // A column: `x$weight`.
                    let part = before == Some(&Token::Sign('$')) && !is_called;
                    known || part || !is_called && own.contains(&name.as_str())
                }
                // Only what has a name is called: `"system"("id")` is not.
                Token::Sign('(') => !matches!(before, Some(Token::Text(_) | Token::Sign(')' | ']' | '}'))),
                Token::Text(text) => !reads || !text.contains(['.', '/', '~']) || readable(text),
                Token::Number | Token::Sign(_) => true,
            }
        })
}

/// What the text itself gives to values: `x = 1`, `x <- 1`, `for i in`, `function(x)`, `fn x ->`. No part of anything else.
fn given_names(tokens: &[Token]) -> Vec<&str> {
    let mut own = Vec::new();
    let mut taking = false;
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else {
            taking &= matches!(token, Token::Sign(',' | '('));
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth = depth.saturating_sub(1),
                Token::Name(_) | Token::Number | Token::Text(_) | Token::Sign(_) => {}
            }
            continue;
        };
        let next = |by: usize| tokens.get(at + by);
        let given = match (next(1), next(2)) {
            // Between brackets it is what a function calls so: `cat(x, file = "y")`.
            (Some(Token::Sign('=')), second) => depth == 0 && second != Some(&Token::Sign('=')),
            (Some(Token::Sign('<')), Some(Token::Sign('-')))
            | (Some(Token::Sign('-')), Some(Token::Sign('>'))) => true,
            _ => false,
        };
        if matches!(name.as_str(), "for" | "local" | "function" | "fn") {
            taking = true;
        } else if name == "in" {
            taking = false;
        } else if (given || taking) && !name.contains('.') {
            own.push(name.as_str());
        }
    }
    own
}

fn tokens(language: Language, text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let before = tokens.last();
        match c {
            ' ' | '\t' | '\n' => {}
            // Names in quotes, commands, texts and comments of several lines, signs with a text behind them.
            '\\' if language == Language::Octave => tokens.push(Token::Sign(c)),
            '`' | '\\' | '~' | '?' => return None,
            '[' if language == Language::Lua && rest.peek().is_some_and(|next| matches!(next, '[' | '=')) => {
                return None;
            }
            '-' if language == Language::Lua && rest.peek() == Some(&'-') => return None,
            '#' if language != Language::Lua => return None,
            '"' | '\'' => {
                // `A'` turns a matrix round, `r"…"` is read in another way.
                let joined = matches!(before, Some(Token::Name(_)) | Some(Token::Sign(')' | ']' | '"')));
                if joined && text_is_joined(text, &rest) {
                    return None;
                }
                tokens.push(Token::Text(inside(language, c, &mut rest)?));
            }
            c if c.is_ascii_digit() => {
                let mut digits = 1;
                while rest.next_if(|next| next.is_ascii_digit() || *next == '.' || *next == '_').is_some() {
                    digits += 1;
                }
                if digits > MOST_DIGITS || rest.peek().is_some_and(|next| matches!(next, 'e' | 'E' | 'x')) {
                    return None;
                }
                tokens.push(Token::Number);
            }
            c if c.is_alphabetic() || c == '_' || c == '.' => {
                let mut name = String::from(c);
                while let Some(next) =
                    rest.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | '.'))
                {
                    name.push(next);
                }
                // `1..3`, `"a" .. "b"`
                if name.chars().all(|c| c == '.') {
                    tokens.push(Token::Sign('.'));
                } else {
                    tokens.push(Token::Name(name));
                }
            }
            // Whatever Julia puts together from names, and powers of large numbers.
            '@' if matches!(language, Language::R | Language::Octave) => return None,
            // `!ls`, a comment, and what a line begins with that is no sum.
            '!' | '%' if language == Language::Octave => return None,
            '^' => tokens.push(Token::Sign('^')),
            c if c.is_ascii() => tokens.push(Token::Sign(c)),
            _ => return None,
        }
    }
    Some(tokens)
}

/// Whether the quote just taken stands right behind what is before it.
fn text_is_joined(text: &str, rest: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let left: usize = rest.clone().map(char::len_utf8).sum();
    let until = text.len().saturating_sub(left + 1);
    text.get(..until).is_some_and(|before| !before.ends_with([' ', '\t', '\n', '(', ',']))
}

fn inside(
    language: Language,
    quote: char,
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> Option<String> {
    let mut inside = String::new();
    loop {
        match rest.next()? {
            end if end == quote => return Some(inside),
            '\\' => {
                rest.next_if(|escaped| "nt\"'\\%".contains(*escaped))?;
                inside.push(' ');
            }
            // Put into the text, perhaps after running it.
            '$' if language == Language::Julia => return None,
            '#' if language == Language::Elixir => return None,
            other => inside.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computes(language: Language, text: &str) -> bool {
        only_computes(language, text, &|name| name == "iris.csv")
    }

    #[test]
    fn one_liners_of_every_day() {
        for (language, text) in [
            (Language::Lua, "print(string.format(\"%.3f\", math.pi))"),
            (Language::Lua, "for i=1,10 do io.write(i^2, ' ') end print()"),
            (Language::Lua, "print(_VERSION)"),
            (Language::Lua, "local s = 'a' for k, v in pairs({1, 2}) do print(k .. s, v) end"),
            (Language::Lua, "print(#'abc', ('x'):rep(3))"),
            (Language::R, "summary(read.csv(\"iris.csv\")$weight)"),
            (Language::R, "sessionInfo()"),
            (Language::R, "x <- c(1, 2, 3); cat(mean(x), sd(x), '\\n')"),
            (Language::R, "print(sum(1:100))"),
            (Language::Julia, "using Pkg; Pkg.status()"),
            (Language::Julia, "println(sum(x^2 for x in 1:10))"),
            (Language::Julia, "println(map(x -> x + 1, [1, 2]))"),
            (Language::Elixir, "IO.inspect(Enum.sum(1..100))"),
            (Language::Elixir, "1..5 |> Enum.map(fn x -> x * x end) |> IO.inspect"),
        ] {
            assert!(computes(language, text), "{text}");
        }
    }

    #[test]
    fn whatever_could_run_or_write() {
        for (language, text) in [
            (Language::Lua, "os.execute('id')"),
            (Language::Lua, "io.popen('id')"),
            (Language::Lua, "x = os.execute x('id')"),
            (Language::Lua, "local x = string x.rep('a', 3)"),
            (Language::Lua, "print(load('x')())"),
            (Language::Lua, "_G['os']['execute']('id')"),
            (Language::Lua, "require('x')"),
            (Language::Lua, "print([[']] ) os.execute('id') --'"),
            (Language::Lua, "--' \nos.execute('id') --'"),
            (Language::Lua, "while true do end"),
            (Language::Lua, "print(string.rep('x', 10000000000))"),
            (Language::Lua, "print(('x'):rep(1e10))"),
            (Language::R, "system('id')"),
            (Language::R, "'system'('id')"),
            (Language::R, "do.call('system', list('id'))"),
            (Language::R, "sapply('id', 'system')"),
            (Language::R, "sapply('id', system)"),
            (Language::R, "x <- system; x('id')"),
            (Language::R, "x = 1; x('id')"),
            (Language::R, "x$system('id')"),
            (Language::R, "base::system('id')"),
            (Language::R, "r\"(')\"; system('id') #'"),
            (Language::R, "#'\nsystem('id') #'"),
            (Language::R, "`system`('id')"),
            (Language::R, "print(readLines('~/.ssh/id_rsa'))"),
            (Language::R, "cat('x', file='a.txt')"),
            (Language::R, "unlink('x', recursive=TRUE)"),
            (Language::R, "eval(parse(text='x'))"),
            (Language::Julia, "run(`id`)"),
            (Language::Julia, "println(\"$(run(x))\")"),
            (Language::Julia, "map(run, x)"),
            (Language::Julia, "rm(\"x\")"),
            (Language::Julia, "A' ; run(x) #'"),
            (Language::Julia, "using Pkg; Pkg.add(\"x\")"),
            (Language::Julia, "using X; f()"),
            (Language::Elixir, "System.cmd(\"id\", [])"),
            (Language::Elixir, ":os.cmd('id')"),
            (Language::Elixir, "IO.puts(\"#{System.cmd(\"id\", [])}\")"),
            (Language::Elixir, "Enum.each([\"id\"], &System.shell/1)"),
            (Language::Elixir, "?' ; File.rm('x') #'"),
            (Language::Elixir, "~s(') ; File.rm(x) #'"),
            (Language::Elixir, "x.cmd(1)"),
            (Language::Elixir, ""),
        ] {
            assert!(!computes(language, text), "{text}");
        }
    }
}
