//! What Python does to files that it names: every call that is known here becomes one known name, and what it does is told.
//! A call that is not known, or a file that is named in another way, is left for the reader to stumble over.

use super::bound::{bound, word};
use super::held::{LOOKS, held};
use super::places::{Held, Names, asks, settled, sign, value};
use crate::risk::computes::reads::OPENED;
use crate::risk::computes::{Act, Given, Token};

/// `tokens` with the known calls taken in, and what those do.
pub(super) fn taken_in(tokens: &[Token]) -> Option<(Vec<Token>, Vec<Act>)> {
    /// Beside the calls that only look, names that must mean what they always do.
    const FIXED: [&str; 5] = ["str", "range", "stdout", "stderr", OPENED];
    let marks = bound(tokens)?;
    let anew = |at: usize, token: &Token| {
        matches!(token, Token::Name(name) if FIXED.contains(&name.as_str()) || LOOKS.contains(&name.as_str()))
            && marks.get(at) == Some(&true)
            // `subprocess.run(…, stdout=…)`
            && !(matches!(token, Token::Name(name) if name == "stdout" || name == "stderr")
                && matches!(at.checked_sub(1).and_then(|at| tokens.get(at)), Some(Token::Sign(',' | '('))))
    };
    if tokens.iter().enumerate().any(|(at, token)| anew(at, token)) {
        return None;
    }
    let names = held(tokens, &marks);
    let mut reader = Reader { tokens, names: &names, acts: Vec::new(), taken: Vec::new(), joins: false };
    let mut at = 0;
    while at < tokens.len() {
        let member = at.checked_sub(1).is_some_and(|before| sign(tokens, before, '.'));
        match (!member).then(|| reader.call(at)).flatten() {
            Some(next) => {
                reader.taken.push(Token::Name(OPENED.to_owned()));
                at = next;
            }
            None => {
                reader.taken.push(tokens.get(at)?.clone());
                at += 1;
            }
        }
    }
    // What is put behind a path may lead anywhere.
    let strays = reader.joins && reader.taken.contains(&Token::Sign('/'));
    // `parse` of a module that reads files.
    let parses = tokens.iter().any(|token| word(Some(token), "ElementTree"))
        && reader.taken.iter().any(|token| word(Some(token), "parse"));
    (!strays && !parses).then_some((reader.taken, reader.acts))
}

struct Reader<'t> {
    tokens: &'t [Token],
    names: &'t Names<'t>,
    acts: Vec<Act>,
    taken: Vec<Token>,
    joins: bool,
}

impl Reader<'_> {
    /// A known call that begins at `at`: where what follows it begins.
    fn call(&mut self, at: usize) -> Option<usize> {
        let tokens = self.tokens;
        let Token::Name(name) = tokens.get(at)? else {
            return if sign(tokens, at, '(') { self.path(at) } else { None };
        };
        match name.as_str() {
            "open" if sign(tokens, at + 1, '(') => {
                let (places, next) = value(tokens, at + 2, self.names)?;
                self.opened(&places, next)
            }
            "gzip" if asks(tokens, at, &["gzip", "open"]) => {
                let (places, next) = value(tokens, at + 4, self.names)?;
                let reads = !writes(mode(tokens, next)?.0);
                reads.then(|| self.opened(&places, next)).flatten()
            }
            "ET" if asks(tokens, at, &["ET", "parse"]) => {
                let (places, next) = value(tokens, at + 4, self.names)?;
                sign(tokens, next, ')').then_some(())?;
                self.reads(&places)?;
                Some(next + 1)
            }
            "os" if asks(tokens, at, &["os", "stat"]) => Some(at + 3),
            "os" if asks(tokens, at, &["os", "listdir"])
                && !matches!(tokens.get(at + 4), Some(Token::Text(_))) =>
            {
                let (places, next) = value(tokens, at + 4, self.names)?;
                sign(tokens, next, ')').then_some(())?;
                self.reads(&places)?;
                Some(next + 1)
            }
            "os" | "shutil" => self.moves(at),
            "subprocess" => self.runs(at),
            "Path" | "pathlib" => self.path(at),
            own => match self.names.get(own)? {
                Held::Places(_) => self.path(at),
                Held::File => {
                    let call = sign(tokens, at + 1, '.').then(|| tokens.get(at + 2)).flatten();
                    let writes = word(call, "write") || word(call, "writelines");
                    (writes && sign(tokens, at + 3, '(')).then_some(at + 3)
                }
                Held::List(_) => None,
            },
        }
    }

    fn reads(&mut self, places: &[String]) -> Option<()> {
        let names: Option<Vec<String>> = places.iter().map(|place| settled(place)).collect();
        self.acts.extend(names?.into_iter().map(Act::Read));
        Some(())
    }

    fn writes(&mut self, places: &[String]) -> Option<()> {
        let names: Option<Vec<String>> = places.iter().map(|place| settled(place)).collect();
        self.acts.extend(names?.into_iter().map(Act::Write));
        Some(())
    }

    /// A program that does the same with these places.
    fn same_as(&mut self, program: &[&str], places: &[&[String]]) -> Option<()> {
        let start = program.iter().map(|word| Given { text: (*word).to_owned(), pattern: false });
        let mut words: Vec<Given> = start.collect();
        for place in places.iter().flat_map(|places| places.iter()) {
            // Of deleting by name the judge knows all there is to know.
            let named = program.first() == Some(&"rm") && is_named_here(place);
            let text = if named { place.clone() } else { settled(place)? };
            words.push(Given { pattern: text.contains('*'), text });
        }
        self.acts.push(Act::Run(words));
        Some(())
    }

    /// The rest of `open(place…)`, from behind the place on.
    fn opened(&mut self, places: &[String], at: usize) -> Option<usize> {
        let (mode, next) = mode(self.tokens, at)?;
        if !writes(mode) {
            self.reads(places)?;
            return Some(next);
        }
        self.writes(places)?;
        let call = sign(self.tokens, next, '.').then(|| self.tokens.get(next + 1)).flatten();
        let said = word(call, "write") || word(call, "writelines");
        Some(if said && sign(self.tokens, next + 2, '(') { next + 2 } else { next })
    }

    /// A path by itself, or what is asked of it.
    fn path(&mut self, at: usize) -> Option<usize> {
        let tokens = self.tokens;
        let called = at.checked_sub(1).and_then(|before| tokens.get(before));
        if sign(tokens, at, '(') && matches!(called, Some(Token::Name(_) | Token::Sign(')' | ']'))) {
            return None;
        }
        let (places, next) = value(tokens, at, self.names)?;
        let joins = |token: &Token| word(Some(token), "Path") || *token == Token::Sign('/');
        let made = tokens.get(at..next)?.iter().any(joins);
        let named = next == at + 1;
        (made || named || sign(tokens, at, '(')).then_some(())?;
        let call = match (tokens.get(next), tokens.get(next + 1)) {
            (Some(Token::Sign('.')), Some(Token::Name(call))) if sign(tokens, next + 2, '(') => call.as_str(),
            _ => "",
        };
        let whole = next + 2;
        let found = match call {
            "write_text" | "write_bytes" | "touch" => self.writes(&places).map(|()| whole),
            "mkdir" => self.same_as(&["mkdir", "-p"], &[&places]).map(|()| whole),
            "open" => {
                let (mode, end) = if sign(tokens, next + 3, ')') {
                    ("r", next + 4)
                } else {
                    let Some(Token::Text(mode)) = tokens.get(next + 3) else { return None };
                    (mode.as_str(), self::mode(tokens, next + 4)?.1)
                };
                match writes(mode) {
                    true => self.writes(&places)?,
                    false => self.reads(&places)?,
                }
                Some(end)
            }
            "rename" => match value(tokens, next + 3, self.names) {
                Some((new, end)) if sign(tokens, end, ')') => {
                    self.same_as(&["mv"], &[&places, &new]).map(|()| end + 1)
                }
                _ => None,
            },
            // A name was judged where it was given its value, and one folder is for others to read.
            _ if named || next == at + 4 || next == at + 6 && word(tokens.get(at), "pathlib") => None,
            _ if made => self.reads(&places).map(|()| next),
            _ => None,
        };
        self.joins |= found.is_some() && made;
        found
    }

    fn moves(&mut self, at: usize) -> Option<usize> {
        /// How the call is named, the program that does the same, and whether it takes two places.
        const CALLS: [(&[&str], &[&str], bool); 10] = [
            (&["os", "rename"], &["mv"], true),
            (&["os", "replace"], &["mv"], true),
            (&["shutil", "move"], &["mv"], true),
            (&["shutil", "copy"], &["cp"], true),
            (&["shutil", "copy2"], &["cp"], true),
            (&["shutil", "copyfile"], &["cp"], true),
            (&["shutil", "copytree"], &["cp", "-r"], true),
            (&["os", "makedirs"], &["mkdir", "-p"], false),
            (&["os", "mkdir"], &["mkdir", "-p"], false),
            (&["shutil", "rmtree"], &["rm", "-rf"], false),
        ];
        let tokens = self.tokens;
        let (_, program, two) = CALLS.iter().find(|(call, ..)| asks(tokens, at, call))?;
        let (first, next) = value(tokens, at + 4, self.names)?;
        if *two {
            sign(tokens, next, ',').then_some(())?;
            let (second, end) = value(tokens, next + 1, self.names)?;
            sign(tokens, end, ')').then_some(())?;
            self.same_as(program, &[&first, &second])?;
            return Some(end + 1);
        }
        let end = match tokens.get(next..)? {
            [Token::Sign(')'), ..] => next + 1,
            [Token::Sign(','), key, Token::Sign('='), yes, Token::Sign(')'), ..]
                if (word(Some(key), "exist_ok") || word(Some(key), "ignore_errors"))
                    && word(Some(yes), "True") =>
            {
                next + 5
            }
            _ => return None,
        };
        self.same_as(program, &[&first])?;
        Some(end)
    }

    /// `subprocess.run(["git", "log"], text=True)`
    fn runs(&mut self, at: usize) -> Option<usize> {
        let tokens = self.tokens;
        let known = ["run", "check_call", "check_output", "call"];
        known.iter().any(|call| asks(tokens, at, &["subprocess", call])).then_some(())?;
        sign(tokens, at + 4, '[').then_some(())?;
        let mut words = Vec::new();
        let mut next = at + 5;
        loop {
            let Token::Text(text) = tokens.get(next)? else { return None };
            // A new line is read as a blank.
            let tame = !text.chars().any(|c| c.is_control() || c == ' ');
            words.push(Given { text: tame.then(|| text.clone())?, pattern: false });
            next += 2;
            match tokens.get(next - 1)? {
                Token::Sign(',') => {}
                Token::Sign(']') => break,
                _ => return None,
            }
        }
        loop {
            match tokens.get(next..)? {
                [Token::Sign(')'), ..] => break,
                [Token::Sign(','), Token::Name(key), Token::Sign('='), Token::Name(yes), ..]
                    if matches!(key.as_str(), "capture_output" | "text" | "check" | "universal_newlines")
                        && (yes == "True" || yes == "False") =>
                {
                    next += 4;
                }
                [
                    Token::Sign(','),
                    Token::Name(key),
                    Token::Sign('='),
                    Token::Name(module),
                    Token::Sign('.'),
                    Token::Name(kind),
                    ..,
                ] if matches!(key.as_str(), "stdout" | "stderr")
                    && module == "subprocess"
                    && matches!(kind.as_str(), "PIPE" | "DEVNULL" | "STDOUT") =>
                {
                    next += 6;
                }
                _ => return None,
            }
        }
        self.acts.push(Act::Run(words));
        Some(next + 1)
    }
}

/// One name in the folder at hand, hidden or not: `.pytest_cache`.
fn is_named_here(place: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    place.chars().all(plain) && place.chars().any(|c| c.is_ascii_alphanumeric()) && !place.starts_with('-')
}

fn writes(mode: &str) -> bool {
    !matches!(mode, "r" | "rb" | "rt")
}

/// `, "w", encoding="utf-8")`: the mode, and where what follows begins.
fn mode(tokens: &[Token], at: usize) -> Option<(&str, usize)> {
    let (mut mode, mut at) = ("r", at);
    if let [Token::Sign(','), Token::Text(given), ..] = tokens.get(at..)? {
        (mode, at) = (given.as_str(), at + 2);
    }
    loop {
        match tokens.get(at..)? {
            [Token::Sign(')'), ..] => return Some((mode, at + 1)),
            [Token::Sign(','), Token::Name(key), Token::Sign('='), Token::Text(given), ..]
                if matches!(key.as_str(), "encoding" | "errors" | "newline" | "mode") =>
            {
                if key == "mode" {
                    mode = given;
                }
                at += 4;
            }
            _ => return None,
        }
    }
}
