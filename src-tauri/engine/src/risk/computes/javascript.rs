//! JavaScript one-liners that only compute. Any part of any value can be reached by a name that is put together, so what
//! counts is what is called: methods that are known, functions that stand here, and nothing that was only found.

use super::names::REQUIRED;
use super::reads::OPENED;
use super::{Language, Token, is_data};

/// Calls behind a dot, besides those of `Language::members`.
#[rustfmt::skip]
const CALLS: [&str; 66] = [
    "error", "warn", "info", "table", "group", "groupEnd", "match", "matchAll", "test", "replace", "replaceAll",
    "trimStart", "trimEnd", "padEnd", "charAt", "charCodeAt", "codePointAt", "at", "localeCompare", "substring",
    "substr", "lastIndexOf", "fromEntries", "has", "get", "set", "add", "delete", "clear", "push", "pop", "shift",
    "unshift", "splice", "toSorted", "toReversed", "toPrecision", "isInteger", "isFinite", "isNaN", "from", "of",
    "trunc", "sign", "hypot", "cbrt", "log2", "log10", "getFullYear", "getMonth", "getDate", "getDay", "getHours",
    "getMinutes", "toDateString", "toLocaleDateString", "toLocaleTimeString", "UTC", "basename", "extname", "dirname",
    "relative", "normalize", "format", "inspect", "fromCodePoint",
];
/// Those that call what they are given: a function that stands right there, or one of the language.
#[rustfmt::skip]
const GIVEN_A_FUNCTION: [&str; 20] = [
    "map", "filter", "forEach", "find", "findIndex", "findLast", "some", "every", "flatMap", "reduce", "reduceRight",
    "sort", "toSorted", "replace", "replaceAll", "from", "on", "parse", "stringify", "group",
];
/// Words that may be called, or that a bracket may follow.
#[rustfmt::skip]
const CALLABLE: [&str; 24] = [
    "parseInt", "parseFloat", "Number", "String", "Boolean", "BigInt", "isNaN", "isFinite", "encodeURIComponent",
    "decodeURIComponent", "encodeURI", "decodeURI", "btoa", "atob", "Date", "if", "for", "switch", "catch", "return",
    "of", "in", "typeof", "else",
];
#[rustfmt::skip]
const CLASSES: [&str; 14] = [
    "Set", "Map", "Date", "Array", "RegExp", "URL", "URLSearchParams", "Error", "Intl", "Number", "String", "Object",
    "TextDecoder", "TextEncoder",
];
#[rustfmt::skip]
const WORDS: [&str; 38] = [
    "console", "JSON", "Math", "Object", "Array", "new", "true", "false", "null", "undefined", "const", "let", "var",
    "Intl", "Set", "Map", "RegExp", "Infinity", "NaN", "function", "break", "continue", "try", "finally", "throw",
    "case", "default", "instanceof", "void", "Symbol", "URL", "URLSearchParams", "Error", "TextDecoder",
    "TextEncoder", "performance", "do", "delete",
];
/// What leads from a value to what made it, and from there to code.
const INWARD: [&str; 9] = [
    "constructor",
    "prototype",
    "__proto__",
    "caller",
    "callee",
    "arguments",
    "__defineGetter__",
    "mainModule",
    "binding",
];
/// What is called by itself when a value is shown.
const CALLED_UNSEEN: [&str; 8] =
    ["toString", "valueOf", "toJSON", "then", "get", "set", "inspect", "customInspect"];
const OF_PROCESS: [&str; 14] = [
    "version",
    "versions",
    "arch",
    "platform",
    "argv",
    "memoryUsage",
    "uptime",
    "cwd",
    "pid",
    "title",
    "execPath",
    "release",
    "stdin",
    "stdout",
];
/// Everything else that Node knows by a name of its own.
#[rustfmt::skip]
const GLOBAL: [&str; 78] = [
    "Function", "globalThis", "global", "eval", "Proxy", "Reflect", "WebAssembly", "SharedArrayBuffer", "Atomics",
    "Buffer", "Promise", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "structuredClone", "fetch",
    "WebSocket", "EventSource", "Request", "Response", "Headers", "FormData", "File", "Blob", "Worker", "navigator",
    "localStorage", "sessionStorage", "BroadcastChannel", "MessageChannel", "MessagePort", "crypto", "module",
    "exports", "require", "process", "import", "export", "this", "super", "with", "yield", "await", "async", "class",
    "extends", "static", "enum", "while", "debugger", "assert", "async_hooks", "buffer", "child_process", "cluster",
    "constants", "dgram", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "net", "os",
    "path", "repl", "stream", "sys", "tls", "tty", "url", "util", "vm", "zlib",
];

/// Behind these a slash begins a pattern.
const BEFORE_PATTERN: [&str; 7] = ["return", "typeof", "in", "case", "void", "delete", "instanceof"];

pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    if text.contains("<!--") || text.contains("-->") {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let tokens = read(&chars, &mut at, 0)?;
    (at == chars.len()).then_some(tokens)
}

/// Up to the end, or inside a template to the brace that closes.
fn read(chars: &[char], at: &mut usize, depth: u8) -> Option<Vec<Token>> {
    (depth < 4).then_some(())?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut braces = 0_u32;
    // For each open round bracket, whether it stands behind `if` and the like.
    let mut asks: Vec<bool> = Vec::new();
    let mut after_question = false;
    while let Some(&c) = chars.get(*at) {
        let next = chars.get(*at + 1).copied();
        match c {
            _ if c.is_whitespace() => *at += 1,
            '/' if next == Some('/') => {
                while chars.get(*at).is_some_and(|c| *c != '\n') {
                    *at += 1;
                }
            }
            '/' if next == Some('*') => {
                let end = (*at + 2..chars.len()).find(|end| chars.get(*end..end + 2) == Some(&['*', '/']))?;
                *at = end + 2;
            }
            '/' => {
                let pattern = match tokens.last() {
                    None => true,
                    Some(Token::Name(word)) => BEFORE_PATTERN.contains(&word.as_str()),
                    Some(Token::Number(_) | Token::Text(_)) | Some(Token::Sign(']')) => false,
                    Some(Token::Sign(')')) => after_question,
                    // The end of a block or of a value; a sum that goes on.
                    Some(Token::Sign('}')) => return None,
                    Some(Token::Sign('+' | '-')) => {
                        let twice = tokens.len() > 1 && tokens.get(tokens.len() - 2) == tokens.last();
                        (!twice).then_some(true)?
                    }
                    Some(Token::Sign(_)) => true,
                };
                if pattern {
                    skip_pattern(chars, at)?;
                    tokens.push(Token::Text("/".to_owned()));
                } else {
                    tokens.push(Token::Sign('/'));
                    *at += 1;
                }
            }
            '"' | '\'' => {
                *at += 1;
                let mut inside = String::new();
                loop {
                    let inner = *chars.get(*at)?;
                    *at += 1;
                    match inner {
                        '\n' => return None,
                        '\\' => {
                            let escaped = *chars.get(*at)?;
                            *at += 1;
                            // Other escapes may spell anything.
                            inside.push(if matches!(escaped, 'n' | 't') { ' ' } else { '\u{1}' });
                            (!matches!(escaped, 'x' | 'u' | '0'..='7')).then_some(())?;
                        }
                        _ if inner == c => break,
                        _ => inside.push(inner),
                    }
                }
                tokens.push(Token::Text(inside));
            }
            '`' => {
                // With a name before it, it is given to a function.
                matches!(
                    tokens.last(),
                    None | Some(Token::Sign('(' | ',' | '=' | '+' | '[' | '?' | ':' | '>' | '{'))
                )
                .then_some(())?;
                *at += 1;
                template(chars, at, depth, &mut tokens)?;
            }
            '0'..='9' => {
                let mut number = String::new();
                while let Some(&digit) = chars.get(*at).filter(|c| c.is_ascii_digit() || **c == '_') {
                    number.extend((digit != '_').then_some(digit));
                    *at += 1;
                }
                let letter = chars.get(*at).is_some_and(|c| c.is_alphabetic());
                (!letter || chars.get(*at) == Some(&'e')).then_some(())?;
                tokens.push(Token::Number(number.parse().ok()?));
                if letter {
                    return None;
                }
            }
            _ if c.is_ascii_alphabetic() || c == '_' || c == '$' => {
                let mut name = String::new();
                while let Some(&c) =
                    chars.get(*at).filter(|c| c.is_ascii_alphanumeric() || matches!(**c, '_' | '$'))
                {
                    name.push(c);
                    *at += 1;
                }
                tokens.push(Token::Name(name));
            }
            '(' => {
                asks.push(
                    matches!(tokens.last(), Some(Token::Name(word)) if matches!(word.as_str(), "if" | "for")),
                );
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            ')' => {
                after_question = asks.pop()?;
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            '}' if braces == 0 => return (depth > 0).then_some(tokens),
            '{' | '}' => {
                braces = if c == '{' { braces + 1 } else { braces - 1 };
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            _ if "+-*%[],:;.=<>!&|?~^".contains(c) => {
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            _ => return None,
        }
    }
    (depth == 0 && braces == 0).then_some(tokens)
}

fn skip_pattern(chars: &[char], at: &mut usize) -> Option<()> {
    let mut class = false;
    loop {
        *at += 1;
        match *chars.get(*at)? {
            '\\' => *at += 1,
            '\n' => return None,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            _ => {}
        }
    }
    *at += 1;
    while chars.get(*at).is_some_and(|c| c.is_ascii_lowercase()) {
        *at += 1;
    }
    Some(())
}

/// A text with `${…}` in it is read as `String(…, …)`.
fn template(chars: &[char], at: &mut usize, depth: u8, tokens: &mut Vec<Token>) -> Option<()> {
    tokens.extend([Token::Name("String".to_owned()), Token::Sign('(')]);
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            '`' => break,
            '\\' => *at += 1,
            '$' if chars.get(*at) == Some(&'{') => {
                *at += 1;
                tokens.push(Token::Sign('('));
                tokens.extend(read(chars, at, depth + 1)?);
                (chars.get(*at) == Some(&'}')).then_some(())?;
                *at += 1;
                tokens.extend([Token::Sign(')'), Token::Sign(',')]);
            }
            _ => {}
        }
    }
    tokens.push(Token::Sign(')'));
    Some(())
}

/// Whether all that `tokens` call is known.
pub(super) fn calls_what_is_known(tokens: &[Token]) -> bool {
    let Some(functions) = functions(tokens) else { return false };
    let fresh = fresh(tokens);
    let checked = Checked { tokens, functions, fresh };
    (0..tokens.len()).all(|at| checked.fits(at).is_some())
}

struct Checked<'t> {
    tokens: &'t [Token],
    /// Names of functions that stand here.
    functions: Vec<&'t str>,
    /// Names of objects and lists that are made here.
    fresh: Vec<&'t str>,
}

fn name(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(name)) => Some(name),
        Some(Token::Sign(_) | Token::Number(_) | Token::Text(_)) | None => None,
    }
}

fn sign(token: Option<&Token>) -> Option<char> {
    match token {
        Some(Token::Sign(sign)) => Some(*sign),
        Some(Token::Name(_) | Token::Number(_) | Token::Text(_)) | None => None,
    }
}

fn is_own(name: &str) -> bool {
    !GLOBAL.contains(&name)
        && !WORDS.contains(&name)
        && !CALLABLE.contains(&name)
        && !INWARD.contains(&name)
        && !name.starts_with("__")
}

/// Where the bracket closes that opens at `at`.
fn close(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place);
                }
            }
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) => {}
        }
    }
    None
}

/// Whether a function begins at `at`: `x => …`, `(a, b) => …`, `function (…) …`.
fn is_function(tokens: &[Token], at: usize) -> bool {
    let arrow = |end: usize| sign(tokens.get(end)) == Some('=') && sign(tokens.get(end + 1)) == Some('>');
    match tokens.get(at) {
        Some(Token::Name(word)) if word == "function" => true,
        Some(Token::Name(_)) => arrow(at + 1),
        Some(Token::Sign('(')) => close(tokens, at).is_some_and(|end| arrow(end + 1)),
        _ => false,
    }
}

/// Names of functions that stand here, and are only ever called by them; `None` when such a name means something else too.
fn functions(tokens: &[Token]) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut bound = Vec::new();
    for at in 0..tokens.len() {
        let Some(own) = name(tokens.get(at + 1)).filter(|own| is_own(own)) else { continue };
        let declared = match name(tokens.get(at)) {
            Some("const") => sign(tokens.get(at + 2)) == Some('=') && is_function(tokens, at + 3),
            Some("function") => true,
            Some(_) | None => false,
        };
        if declared {
            found.push(own);
            bound.push(at + 1);
        }
    }
    let once = tokens.iter().enumerate().all(|(at, token)| {
        let own = name(Some(token)).filter(|own| found.contains(own) && !bound.contains(&at));
        let member = at > 0 && sign(tokens.get(at - 1)) == Some('.');
        own.is_none() || member || sign(tokens.get(at + 1)) == Some('(')
    });
    once.then_some(found)
}

fn fresh(tokens: &[Token]) -> Vec<&str> {
    let made = |at: usize| {
        let literal = matches!(sign(tokens.get(at)), Some('{' | '['));
        let end = close(tokens, at).filter(|_| literal);
        let created = name(tokens.get(at)) == Some("Object") && name(tokens.get(at + 2)) == Some("create");
        created || end.is_some_and(|end| !matches!(sign(tokens.get(end + 1)), Some('.' | '[' | '=' | '(')))
    };
    (0..tokens.len())
        .filter_map(|at| match (name(tokens.get(at)), name(tokens.get(at + 1)), sign(tokens.get(at + 2))) {
            (Some("const"), Some(own), Some('=')) if is_own(own) && made(at + 3) => Some(own),
            _ => None,
        })
        .collect()
}

impl Checked<'_> {
    fn fits(&self, at: usize) -> Option<()> {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let after = self.tokens.get(at + 1);
        let good = match self.tokens.get(at)? {
            Token::Name(word) if sign(before) == Some('.') => self.member(word, at),
            Token::Name(word) => self.word(word, at, before, after),
            Token::Text(text) => {
                !INWARD.iter().any(|inward| text.contains(inward)) && !CALLED_UNSEEN.contains(&text.as_str())
            }
            Token::Number(number) => *number <= 1 << 53,
            Token::Sign('(') => {
                !matches!(before, Some(Token::Text(_) | Token::Number(_) | Token::Sign(')' | ']' | '.')))
            }
            Token::Sign('=') => self.gives_value(at),
            Token::Sign(_) => true,
        };
        good.then_some(())
    }

    fn member(&self, word: &str, at: usize) -> bool {
        let after = self.tokens.get(at + 1);
        if INWARD.contains(&word) || word.starts_with("__") {
            return false;
        }
        if sign(after) != Some('(') {
            // A function that is only found is handed on nowhere: see `takes_functions`.
            return true;
        }
        let of = at.checked_sub(2).and_then(|of| self.tokens.get(of));
        let known = CALLS.contains(&word)
            || Language::JavaScript.members().contains(&word)
            || matches!(word, "write" | "on" | "setEncoding" | "create") && self.is_stream(word, of);
        known && self.takes_functions(word, at + 1)
    }

    fn is_stream(&self, word: &str, of: Option<&Token>) -> bool {
        match word {
            "write" => name(of) == Some("stdout"),
            "create" => name(of) == Some("Object"),
            _ => name(of) == Some("stdin") || sign(of) == Some(')'),
        }
    }

    /// Whether what is given to a call that calls it stands right there.
    fn takes_functions(&self, word: &str, open: usize) -> bool {
        if !GIVEN_A_FUNCTION.contains(&word) {
            return true;
        }
        let Some(end) = close(self.tokens, open) else { return false };
        let mut starts = vec![open + 1];
        let mut depth = 0_u32;
        for at in open + 1..end {
            match sign(self.tokens.get(at)) {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Some(',') if depth == 0 => starts.push(at + 1),
                Some(_) | None => {}
            }
        }
        let ends = |at: usize| matches!(sign(self.tokens.get(at)), Some(')' | ','));
        let harmless = |at: usize| {
            is_function(self.tokens, at)
                || match self.tokens.get(at) {
                    Some(Token::Text(_) | Token::Number(_)) => ends(at + 1),
                    Some(Token::Name(word)) => {
                        ["Boolean", "Number", "String", "parseInt", "parseFloat", "null"]
                            .contains(&word.as_str())
                            && ends(at + 1)
                            || word == "String" && close(self.tokens, at + 1).is_some_and(|end| ends(end + 1))
                    }
                    Some(Token::Sign(')')) => true,
                    Some(Token::Sign('[' | '{')) => {
                        word == "stringify" && close(self.tokens, at).is_some_and(|end| ends(end + 1))
                    }
                    Some(Token::Sign(_)) | None => false,
                }
        };
        match word {
            // The value itself comes first.
            "from" | "parse" | "stringify" | "on" => starts.iter().skip(1).all(|at| harmless(*at)),
            "reduce" | "reduceRight" => starts.first().is_some_and(|at| is_function(self.tokens, *at)),
            "replace" | "replaceAll" => starts.iter().skip(1).all(|at| harmless(*at)),
            "group" => true,
            _ => starts.iter().all(|at| harmless(*at)),
        }
    }

    fn word(&self, word: &str, at: usize, before: Option<&Token>, after: Option<&Token>) -> bool {
        let key = sign(after) == Some(':') && matches!(sign(before), Some('{' | ','));
        if key {
            return !CALLED_UNSEEN.contains(&word) && !INWARD.contains(&word);
        }
        // `{ get x() {…} }`
        if matches!(word, "get" | "set" | "async" | "static") && name(after).is_some() {
            return false;
        }
        if name(before) == Some("new") {
            return CLASSES.contains(&word) && matches!(sign(after), Some('(' | '.' | ')' | ';' | ','));
        }
        match word {
            "new" => name(after).is_some(),
            "process" => {
                sign(after) == Some('.')
                    && name(self.tokens.get(at + 2)).is_some_and(|part| OF_PROCESS.contains(&part))
            }
            "require" => {
                matches!(self.tokens.get(at + 1..at + 4), Some([Token::Sign('('), Token::Text(module), Token::Sign(')')])
                    if is_data(module) || REQUIRED.contains(&module.as_str()))
            }
            OPENED => true,
            _ if CALLABLE.contains(&word) => true,
            _ if WORDS.contains(&word) => {
                sign(after) != Some('(')
                    || matches!(word, "function" | "const" | "let" | "var" | "case" | "throw" | "void")
                    || matches!(word, "Array" | "Object" | "Error")
            }
            _ if is_own(word) => sign(after) != Some('(') || self.functions.contains(&word),
            _ => false,
        }
    }

    /// Whether the `=` at `at` compares, belongs to an arrow, or gives a value to a name of its own or to a part of an
    /// object that is made here.
    fn gives_value(&self, at: usize) -> bool {
        let sign_at = |place: Option<usize>| place.and_then(|place| sign(self.tokens.get(place)));
        if matches!(sign_at(Some(at + 1)), Some('=' | '>'))
            || matches!(sign_at(at.checked_sub(1)), Some('=' | '!'))
        {
            return true;
        }
        let Some(mut target) = at.checked_sub(1) else { return false };
        if matches!(sign_at(Some(target)), Some('<' | '>')) {
            return true;
        }
        // `n += 1`, `n ||= 1`
        while matches!(sign_at(Some(target)), Some('+' | '-' | '*' | '/' | '%' | '|' | '&' | '?')) {
            let Some(before) = target.checked_sub(1) else { return false };
            target = before;
        }
        let own = |place: usize| {
            let member =
                place.checked_sub(1).is_some_and(|before| sign(self.tokens.get(before)) == Some('.'));
            name(self.tokens.get(place)).filter(|own| is_own(own) && !member)
        };
        match self.tokens.get(target) {
            Some(Token::Name(_)) => match own(target) {
                Some(own) => {
                    !self.functions.contains(&own)
                        || name(self.tokens.get(target.wrapping_sub(1))) == Some("const")
                }
                // `totals.sum = …`
                None => {
                    let part = name(self.tokens.get(target))
                        .is_some_and(|part| !CALLED_UNSEEN.contains(&part) && !INWARD.contains(&part));
                    part && target >= 2
                        && sign(self.tokens.get(target - 1)) == Some('.')
                        && own(target - 2).is_some_and(|own| self.fresh.contains(&own))
                }
            },
            // `const { a, b } = …`, or one part of an object: `counts[key] = …`
            Some(Token::Sign(end @ (']' | '}'))) => {
                let open = (0..target).rev().find(|open| close(self.tokens, *open) == Some(target));
                let Some(open) = open.filter(|open| *open > 0) else { return false };
                let declared = matches!(name(self.tokens.get(open - 1)), Some("const" | "let" | "var"));
                declared || *end == ']' && own(open - 1).is_some_and(|own| self.fresh.contains(&own))
            }
            _ => false,
        }
    }
}
