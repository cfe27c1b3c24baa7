//! What Python does to files that it names: every call that is known here becomes one known name, and what it does is told.
//! A call that is not known, or a file that is named in another way, is left for the reader to stumble over.

use super::bound::{bound, statements, word};
use super::places::{DEEP, ENTRY, Found, Held, Names, PART, asks, list, settled, sign, value};
use crate::risk::computes::reads::OPENED;
use crate::risk::computes::{Act, Given, Token};

/// `tokens` with the known calls taken in, and what those do.
pub(super) fn taken_in(tokens: &[Token]) -> Option<(Vec<Token>, Vec<Act>)> {
    /// Calls whose names must mean what they always do.
    #[rustfmt::skip]
    const FIXED: [&str; 15] = [
        "str", "sorted", "list", "set", "range", "len", "sum", "min", "max", "any", "enumerate", "print", "stdout",
        "stderr", OPENED,
    ];
    let marks = bound(tokens)?;
    let anew = |at: usize, token: &Token| {
        matches!(token, Token::Name(name) if FIXED.contains(&name.as_str()))
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

/// No bracket is followed further than this.
const FAR: usize = 400;

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
            "os" if asks(tokens, at, &["os", "listdir"]) && !matches!(tokens.get(at + 4), Some(Token::Text(_))) => {
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
            let text = settled(place)?;
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
            "write_text" | "write_bytes" => self.writes(&places).map(|()| whole),
            "touch" => self.writes(&places).map(|()| whole),
            "mkdir" => self.same_as(&["mkdir", "-p"], &[&places]).map(|()| whole),
            "unlink" => self.same_as(&["rm", "-f"], &[&places]).map(|()| whole),
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
            "rename" | "replace" => match value(tokens, next + 3, self.names) {
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
        const CALLS: [(&[&str], &[&str], bool); 13] = [
            (&["os", "rename"], &["mv"], true),
            (&["os", "replace"], &["mv"], true),
            (&["shutil", "move"], &["mv"], true),
            (&["shutil", "copy"], &["cp"], true),
            (&["shutil", "copy2"], &["cp"], true),
            (&["shutil", "copyfile"], &["cp"], true),
            (&["shutil", "copytree"], &["cp", "-r"], true),
            (&["os", "makedirs"], &["mkdir", "-p"], false),
            (&["os", "mkdir"], &["mkdir", "-p"], false),
            (&["os", "remove"], &["rm", "-f"], false),
            (&["os", "unlink"], &["rm", "-f"], false),
            (&["os", "rmdir"], &["rmdir"], false),
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
                if (word(Some(key), "exist_ok") || word(Some(key), "ignore_errors")) && word(Some(yes), "True") =>
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

/// What is known of the names in it, each by the one place where it is given a value.
fn held<'t>(tokens: &'t [Token], marks: &[bool]) -> Names<'t> {
    let mut names = Names::new();
    let mut times = std::collections::BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let (Token::Name(name), Some(true)) = (token, marks.get(at)) {
            let again = sign(tokens, at + 1, '[') && thins_out(tokens, at);
            *times.entry(name.as_str()).or_default() += usize::from(!again);
        }
    }
    let changed = changed_lists(tokens);
    let once = |name: &str| times.get(name) == Some(&1);
    let begins: std::collections::BTreeMap<usize, usize> = statements(tokens).into_iter().collect();
    let mut files = std::collections::BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(end) = begins.get(&at) {
            given(tokens, at, *end, &mut names, &once, &changed);
        }
        if word(Some(token), "for") {
            looped(tokens, at + 1, begins.contains_key(&at), &mut names, &once, &changed);
        }
        // `with open("a") as f`, `with p.open("w") as f`, `f = open("a")`
        if word(Some(token), "open") && sign(tokens, at + 1, '(') {
            let plain = !at.checked_sub(1).is_some_and(|before| sign(tokens, before, '.'));
            if let Some((name, end)) = file_of(tokens, at, plain)
                && end
            {
                *files.entry(name).or_default() += 1;
            }
        }
    }
    for (name, count) in files {
        if times.get(name) == Some(&count) {
            names.insert(name, Held::File);
        }
    }
    names
}

/// The name that is given to the file which the `open` at `at` opens.
fn file_of(tokens: &[Token], at: usize, plain: bool) -> Option<(&str, bool)> {
    let mut depth = 0_u32;
    let close = (at + 1..tokens.len()).take(FAR).find(|place| {
        match tokens.get(*place) {
            Some(Token::Sign('(')) => depth += 1,
            Some(Token::Sign(')')) => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    if let (true, Some(Token::Name(name))) = (word(tokens.get(close + 1), "as"), tokens.get(close + 2)) {
        return Some((name, true));
    }
    let ends = matches!(tokens.get(close + 1), None | Some(Token::Sign(';' | '\n')));
    let start = at.checked_sub(2)?;
    match tokens.get(start..at)? {
        [Token::Name(name), Token::Sign('=')] if plain && ends => Some((name, true)),
        _ => None,
    }
}

/// `name = value`, and nothing behind it.
fn given<'t>(
    tokens: &'t [Token],
    at: usize,
    end: usize,
    names: &mut Names<'t>,
    once: &dyn Fn(&str) -> bool,
    changed: &[&str],
) {
    match tokens.get(at..end) {
        Some([Token::Name(name), Token::Sign('='), ..]) if once(name) => {
            let whole = |found: Found| found.filter(|(_, next)| *next == end).map(|(places, _)| places);
            if let Some(places) = whole(value(tokens, at + 2, names)) {
                names.insert(name, Held::Places(places));
            } else if let Some(places) = whole(list(tokens, at + 2, names)).filter(|_| !changed.contains(&name.as_str())) {
                names.insert(name, Held::List(places));
            }
        }
        // `base, ext = os.path.splitext(f)`
        Some([Token::Name(base), Token::Sign(','), Token::Name(ending), Token::Sign('='), ..])
            if once(base) && once(ending) && tokens.get(at + 5).is_some() =>
        {
            if !asks(tokens, at + 4, &["os", "path", "splitext"]) {
                return;
            }
            let Some((places, next)) = value(tokens, at + 10, names) else { return };
            let single = places.iter().all(|place| !place.contains(['/', '\u{3}']));
            if single && sign(tokens, next, ')') && next + 1 == end {
                for name in [base, ending] {
                    names.insert(name, Held::Places(vec![PART.to_string()]));
                }
            }
        }
        _ => {}
    }
}

/// `for name in list`, from behind the `for` on.
fn looped<'t>(
    tokens: &'t [Token],
    at: usize,
    begins: bool,
    names: &mut Names<'t>,
    once: &dyn Fn(&str) -> bool,
    changed: &[&str],
) {
    match tokens.get(at..) {
        Some([Token::Name(name), within, ..]) if word(Some(within), "in") && once(name) => {
            let Some((places, next)) = list(tokens, at + 2, names) else { return };
            let ends = match tokens.get(next) {
                Some(Token::Sign(sign)) => matches!(sign, ':' | ')' | ']' | '}'),
                // `for n in a if b else c:` goes over something else.
                other => !begins && (word(other, "if") || word(other, "for")),
            };
            if ends {
                names.insert(name, Held::Places(places));
            }
        }
        Some([
            Token::Name(root),
            Token::Sign(','),
            Token::Name(folders),
            Token::Sign(','),
            Token::Name(files),
            within,
            ..,
        ]) if word(Some(within), "in") && asks(tokens, at + 6, &["os", "walk"]) => {
            let Some((places, next)) = value(tokens, at + 10, names) else { return };
            let whole = sign(tokens, next, ')') && sign(tokens, next + 1, ':');
            // Where it goes hangs on the list of folders.
            if !whole || changed.contains(&folders.as_str()) || folders != "_" && !once(folders) {
                return;
            }
            if once(root) {
                names.insert(root, Held::Places(places.iter().map(|place| format!("{place}/{DEEP}")).collect()));
            }
            for name in [folders, files] {
                if once(name) && !changed.contains(&name.as_str()) {
                    names.insert(name, Held::List(vec![ENTRY.to_owned()]));
                }
            }
        }
        _ => {}
    }
}

/// `dirs[:] = [d for d in dirs if …]`: a list that only gets shorter.
fn thins_out(tokens: &[Token], at: usize) -> bool {
    let Some(name) = tokens.get(at) else { return false };
    let Some(
        [Token::Sign('['), Token::Sign(':'), Token::Sign(']'), Token::Sign('='), Token::Sign('['), rest @ ..],
    ) = tokens.get(at + 1..)
    else {
        return false;
    };
    let [Token::Name(one), start, Token::Name(same), within, list, ..] = rest else { return false };
    let shape = one == same && word(Some(start), "for") && word(Some(within), "in") && list == name;
    let mut depth = 1_u32;
    let close = rest.iter().take(FAR).position(|token| {
        match token {
            Token::Sign('[' | '(' | '{') => depth += 1,
            Token::Sign(']' | ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let after = close.map(|close| rest.get(close + 1));
    shape
        && matches!(rest.get(5), Some(Token::Sign(']') | Token::Name(_)))
        && matches!(after, Some(None | Some(Token::Sign(';' | '\n'))))
}

/// Names that are used in a way which may change a list, or hand it on.
fn changed_lists(tokens: &[Token]) -> Vec<&str> {
    const LOOKS: [&str; 10] =
        ["len", "sorted", "list", "set", "sum", "min", "max", "any", "enumerate", "print"];
    let mut changed: Vec<&str> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
        let after = tokens.get(at + 1);
        let moves = matches!(after, Some(Token::Sign('.' | '[' | '(')));
        let iterated = word(before(1), "in") && !moves;
        let asked = before(1) == Some(&Token::Sign('('))
            && matches!(before(2), Some(Token::Name(call)) if LOOKS.contains(&call.as_str()))
            && before(3) != Some(&Token::Sign('.'))
            && after == Some(&Token::Sign(')'));
        let sorts = matches!(tokens.get(at + 1..at + 5),
            Some([Token::Sign('.'), Token::Name(sort), Token::Sign('('), Token::Sign(')')]) if sort == "sort");
        // Where it is given its value: that is counted elsewhere.
        let given = after == Some(&Token::Sign('=')) || word(after, "in") && word(before(1), "for");
        let unpacked = matches!(after, Some(Token::Sign(','))) || word(after, "in");
        let walked = unpacked && matches!(before(1), Some(Token::Sign(','))) && in_walk(tokens, at);
        if !(iterated || asked || sorts || given || walked || thins_out(tokens, at)) {
            changed.push(name);
        }
    }
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// Whether the name at `at` is one of the three that a walk gives.
fn in_walk(tokens: &[Token], at: usize) -> bool {
    [at.checked_sub(3), at.checked_sub(5)].into_iter().flatten().any(|start| {
        word(tokens.get(start), "for")
            && word(tokens.get(start + 6), "in")
            && asks(tokens, start + 7, &["os", "walk"])
    })
}
