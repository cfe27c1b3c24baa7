//! Perl one-liners that only compute: `perl -lane '$s += $F[1]; END { print $s }'`. Read from left to right as Perl does,
//! for what a slash or a brace means hangs on what stands before it. Where that is not certain it is not read at all.

/// Words with a meaning of their own that neither run, write nor load anything.
#[rustfmt::skip]
const WORDS: [&str; 126] = [
    "print", "printf", "say", "sprintf", "join", "split", "length", "uc", "lc", "ucfirst", "lcfirst", "reverse",
    "sqrt", "int", "abs", "log", "exp", "sin", "cos", "atan2", "rand", "srand", "time", "localtime", "gmtime",
    "scalar", "if", "unless", "else", "elsif", "while", "until", "for", "foreach", "next", "last", "and", "or",
    "not", "xor", "x", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "ord", "chr", "hex", "oct", "sort", "map",
    "grep", "keys", "values", "each", "delete", "exists", "defined", "undef", "push", "pop", "shift", "unshift",
    "splice", "wantarray", "my", "local", "chomp", "chop", "substr", "index", "rindex", "pos", "quotemeta", "ref",
    "BEGIN", "END", "STDIN", "STDOUT", "STDERR", "ARGV", "close", "eof", "exit", "die", "warn", "sum", "sum0",
    "max", "min", "maxstr", "minstr", "first", "any", "all", "none", "uniq", "uniqnum", "uniqstr", "shuffle",
    "product", "reduce", "pairs", "pairkeys", "pairvalues", "floor", "ceil", "fmod", "pow", "strftime", "mktime",
    "timelocal", "timegm", "looks_like_number", "reftype", "blessed", "Dumper", "decode_json", "encode_json",
    "wrap", "fill", "lock", "redo",
];
/// Behind these a slash begins a pattern.
#[rustfmt::skip]
const BEFORE_PATTERN: [&str; 16] = [
    "split", "grep", "map", "if", "unless", "while", "until", "and", "or", "not", "xor", "print", "push", "join",
    "elsif", "first",
];
/// What their variables hold is no data: the environment, handlers, the files and modules that are still to be opened.
const HIDDEN: [&str; 5] = ["ENV", "SIG", "INC", "BASETIME", "main"];

#[derive(Debug, Clone, PartialEq)]
enum Before {
    /// An operator, an opening bracket, the beginning.
    Sign,
    Value,
    Variable,
    /// `)`
    Round,
    /// The end of a block.
    Block,
    Arrow,
    Word(String),
}

pub(super) fn only_computes(text: &str) -> bool {
    let pod = text.lines().any(|line| {
        line.strip_prefix('=').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    });
    let mut reader =
        Reader { text: text.chars().collect(), at: 0, before: Before::Sign, subscripts: Vec::new() };
    !pod && !text.trim().is_empty() && reader.all().is_some()
}

struct Reader {
    text: Vec<char>,
    at: usize,
    before: Before,
    /// For each open brace, whether it holds the key of a value.
    subscripts: Vec<bool>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next_if(&mut self, fits: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| fits(*c))?;
        self.at += 1;
        Some(c)
    }

    fn blanks(&mut self) {
        while self.next_if(char::is_whitespace).is_some() {}
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.next_if(|c| c.is_ascii_alphanumeric() || c == '_') {
            name.push(c);
        }
        name
    }

    fn is_value(&self) -> bool {
        matches!(self.before, Before::Value | Before::Variable | Before::Round)
    }

    fn all(&mut self) -> Option<()> {
        loop {
            self.blanks();
            let Some(c) = self.peek() else { return Some(()) };
            self.at += 1;
            match c {
                '#' => while self.next_if(|c| c != '\n').is_some() {},
                '"' => {
                    let inside = self.delimited('"')?;
                    puts_in_values_only(&inside).then_some(())?;
                    self.before = Before::Value;
                }
                '\'' => {
                    self.delimited('\'')?;
                    self.before = Before::Value;
                }
                '0'..='9' => self.number(c)?,
                'a'..='z' | 'A'..='Z' | '_' => {
                    self.at -= 1;
                    self.word()?;
                }
                '$' => self.scalar()?,
                '@' if !self.is_value() => self.whole()?,
                '%' if !self.is_value() => self.whole()?,
                '<' if !self.is_value() => {
                    let inside: String =
                        self.text.get(self.at..)?.iter().take_while(|c| **c != '>').collect();
                    matches!(inside.as_str(), "" | "STDIN" | "ARGV").then_some(())?;
                    self.at += inside.len() + 1;
                    self.before = Before::Value;
                }
                '/' if !self.is_value() => {
                    match &self.before {
                        Before::Sign => {}
                        Before::Word(word) if BEFORE_PATTERN.contains(&word.as_str()) => {}
                        _ => return None,
                    }
                    let pattern = self.delimited('/')?;
                    is_plain_pattern(&pattern).then_some(())?;
                    self.flags("gimsxonc")?;
                }
                // A function by its name, everything of a name, an old kind of pattern.
                '&' | '*' | '?' | '@' if !self.is_value() => return None,
                '-' if self.next_if(|c| c == '>').is_some() => {
                    matches!(self.peek(), Some('[' | '{' | '@' | '%')).then_some(())?;
                    if let Some(sigil) = self.next_if(|c| c == '@' || c == '%') {
                        // `->@*`
                        (sigil != ' ' && self.next_if(|c| c == '*').is_some()).then_some(())?;
                        self.before = Before::Value;
                    } else {
                        self.before = Before::Arrow;
                    }
                }
                // `-e` asks about a file; a sum has a value, a blank or a sign there.
                '-' if !self.is_value() && self.peek().is_some_and(|c| c.is_ascii_alphabetic()) => {
                    return None;
                }
                '+' | '-' if self.next_if(|next| next == c).is_some() => {}
                ':' if self.peek() == Some(':') => return None,
                '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '~' | '!' | '=' | '<' | '>' | '.' | ','
                | ';' | ':' | '?' | '\\' => {
                    if "&*/<".contains(c) {
                        self.next_if(|next| next == c);
                    }
                    self.before = Before::Sign;
                }
                '(' | '[' => self.before = Before::Sign,
                ')' => self.before = Before::Round,
                ']' => self.before = Before::Variable,
                '{' => self.opens()?,
                '}' => {
                    self.before =
                        if self.subscripts.pop() == Some(true) { Before::Variable } else { Before::Block };
                }
                _ => return None,
            }
        }
    }

    fn number(&mut self, first: char) -> Option<()> {
        let mut digits = String::from(first);
        while let Some(c) = self.next_if(|c| c.is_ascii_alphanumeric() || c == '_') {
            digits.push(c);
        }
        // What is repeated is not repeated without end.
        let repeats = self.before == Before::Word("x".to_owned());
        (digits.len() <= if repeats { 4 } else { 16 }).then_some(())?;
        self.before = Before::Value;
        Some(())
    }

    /// Behind `$`.
    fn scalar(&mut self) -> Option<()> {
        match self.peek()? {
            c if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                let element = name == "ARGV" && matches!(self.peek(), Some('[' | '{'));
                (!HIDDEN.contains(&name.as_str()) && !element && !self.is_package()).then_some(())?;
            }
            c if c.is_ascii_digit() => drop(self.name()),
            // A value behind a value, or the number of the last one.
            '$' | '#' => {
                self.at += 1;
                return match self.peek()? {
                    c if c.is_ascii_alphabetic() || matches!(c, '_' | '$') => self.scalar(),
                    '{' => {
                        self.before = Before::Arrow;
                        Some(())
                    }
                    _ => None,
                };
            }
            '{' => {
                self.before = Before::Arrow;
                return Some(());
            }
            '&' | '.' | ',' | '/' | '\\' | ';' | '!' | '@' | '+' | '|' | '"' => self.at += 1,
            _ => return None,
        }
        self.before = Before::Variable;
        Some(())
    }

    /// Behind `@` or `%`.
    fn whole(&mut self) -> Option<()> {
        match self.peek()? {
            c if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                let hidden = HIDDEN.contains(&name.as_str()) || name == "ARGV";
                (!hidden && !self.is_package()).then_some(())?;
            }
            '$' => {
                self.at += 1;
                return self.scalar();
            }
            '{' => {
                self.before = Before::Arrow;
                return Some(());
            }
            '+' => self.at += 1,
            _ => return None,
        }
        self.before = Before::Variable;
        Some(())
    }

    fn is_package(&self) -> bool {
        self.peek() == Some('\'') || self.peek() == Some(':') && self.text.get(self.at + 1) == Some(&':')
    }

    fn opens(&mut self) -> Option<()> {
        let subscript = matches!(self.before, Before::Variable | Before::Arrow);
        // `print {$handle} …`
        if let Before::Word(word) = &self.before {
            (!matches!(word.as_str(), "print" | "printf" | "say")).then_some(())?;
        }
        if subscript {
            let start = self.at;
            self.blanks();
            let key = self.name();
            self.blanks();
            if !key.is_empty() && self.next_if(|c| c == '}').is_some() {
                self.before = Before::Variable;
                return Some(());
            }
            self.at = start;
        }
        self.subscripts.push(subscript);
        self.before = Before::Sign;
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let word = self.name();
        (!self.is_package()).then_some(())?;
        let end = self.at;
        self.blanks();
        if self.peek() == Some('=') && self.text.get(self.at + 1) == Some(&'>') {
            self.before = Before::Value;
            return Some(());
        }
        match word.as_str() {
            "m" | "qr" | "s" | "y" | "tr" | "q" | "qq" | "qw" => {
                (!self.is_value()).then_some(())?;
                self.quoted(&word, self.at == end)
            }
            _ => {
                self.at = end;
                WORDS.contains(&word.as_str()).then_some(())?;
                self.before = Before::Word(word);
                Some(())
            }
        }
    }

    /// `m{…}`, `s/…/…/g`, `qw(…)`
    fn quoted(&mut self, kind: &str, adjoins: bool) -> Option<()> {
        let delimiter = self.next_if(|c| "/|!,{([<".contains(c) || adjoins && "#:%@~;".contains(c))?;
        let first = self.delimited(delimiter)?;
        match kind {
            "q" | "qw" => {
                self.before = Before::Value;
                return Some(());
            }
            "qq" => {
                self.before = Before::Value;
                return puts_in_values_only(&first).then_some(());
            }
            "m" | "qr" => {
                is_plain_pattern(&first).then_some(())?;
                return self.flags("gimsxonc");
            }
            _ => {}
        }
        let second = if "{([<".contains(delimiter) {
            self.blanks();
            let delimiter = self.next_if(|c| "/|!{([<".contains(c))?;
            self.delimited(delimiter)?
        } else {
            self.delimited(delimiter)?
        };
        if kind == "s" {
            (is_plain_pattern(&first) && puts_in_values_only(&second)).then_some(())?;
            self.flags("gimsxonrc")
        } else {
            self.flags("cdsr")
        }
    }

    /// The letters behind a pattern; `e` would run its other half.
    fn flags(&mut self, allowed: &str) -> Option<()> {
        let flags = self.name();
        self.before = Before::Value;
        flags.chars().all(|flag| allowed.contains(flag)).then_some(())
    }

    /// All up to the delimiter that closes, which is left behind.
    fn delimited(&mut self, open: char) -> Option<String> {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let mut depth = 1;
        let mut inside = String::new();
        loop {
            let c = self.peek()?;
            self.at += 1;
            if c == '\\' {
                inside.push(c);
                inside.push(self.peek()?);
                self.at += 1;
                continue;
            }
            if c == close {
                depth -= 1;
                if depth == 0 {
                    return Some(inside);
                }
            } else if c == open {
                depth += 1;
            }
            inside.push(c);
        }
    }
}

/// A pattern with no code in it.
fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.contains("(?{")
        && !pattern.contains("(??")
        && !pattern.contains("(?p")
        && puts_in_values_only(pattern)
}

/// Whether all that is put into a text are variables and their elements: `"$h{name} $F[0]"`, and no `@{[ … ]}`, whose
/// inside runs.
fn puts_in_values_only(text: &str) -> bool {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' {
            rest.next();
            continue;
        }
        if c != '$' && c != '@' {
            continue;
        }
        while c == '$' && rest.next_if_eq(&'$').is_some() {}
        if c == '@' {
            rest.next_if_eq(&'$');
        }
        let mut name = String::new();
        let braced = rest.next_if_eq(&'{').is_some();
        while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
        }
        if braced && (name.is_empty() || rest.next() != Some('}')) {
            return false;
        }
        if name.is_empty() {
            match rest.peek() {
                None => return true,
                Some('{' | '[' | '#' | '^' | '-' | '+' | '$' | ':') => return false,
                // `$&`, `$.`, or a sign of a pattern's end; none of them has elements here.
                Some(_) => {
                    let special = rest.next();
                    if special == Some('\\') {
                        rest.next();
                    }
                    if matches!(rest.peek(), Some('[' | '{')) {
                        return false;
                    }
                    continue;
                }
            }
        }
        if HIDDEN.contains(&name.as_str()) || name == "ARGV" && matches!(rest.peek(), Some('[' | '{')) {
            return false;
        }
        loop {
            if rest.peek() == Some(&'-') {
                // `->` leads on only before a bracket.
                let mut ahead = rest.clone();
                ahead.next();
                if ahead.next() != Some('>') || !matches!(ahead.peek(), Some('[' | '{')) {
                    break;
                }
                rest.next();
                rest.next();
            }
            let Some(open) = rest.next_if(|c| matches!(c, '[' | '{')) else { break };
            let close = if open == '[' { ']' } else { '}' };
            let mut key = String::new();
            loop {
                match rest.next() {
                    None => return false,
                    Some(c) if c == close => break,
                    Some(c) => key.push(c),
                }
            }
            let plain =
                |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let number = |key: &str| {
                let digits = key.strip_prefix('-').unwrap_or(key);
                !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
            };
            let variable = key.strip_prefix('$').is_some_and(plain);
            // A bare word in square brackets would be called.
            if !(variable || number(&key) || open == '{' && plain(&key)) {
                return false;
            }
        }
        if rest.peek() == Some(&':') {
            let mut ahead = rest.clone();
            ahead.next();
            if ahead.next() == Some(':') {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
