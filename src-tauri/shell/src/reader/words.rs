//! Words: quotes, escapes and brace expansion taken off; every substitution in them read in its turn.
//! Never guesses: a part whose value depends on anything outside the text is an unknown part.

use brush_parser::word::{self, Parameter, ParameterExpr, WordPiece, WordPieceWithSource};

use super::braces::{self, Braces};
use super::place::{Base, Layer, line_of};
use super::walk::Walk;
use crate::{Context, DoubtKind, Part, Span, Value, Word};

/// How bash treats a word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Braces and file name patterns are expanded.
    Argument,
    /// Neither is.
    Assigned,
}

/// A resolved bit of a word, with what decides about globbing.
enum Bit {
    Text { text: String, quoted: bool },
    Tilde(String),
    Part(Part),
}

impl Walk {
    /// A word that the tokenizer found.
    pub(super) fn word(
        &mut self,
        layer: &Layer,
        word: &brush_parser::ast::Word,
        enclosing: Span,
        context: Context,
        role: Role,
    ) -> Word {
        let (raw, base, span) = match &word.loc {
            Some(location) => {
                let (start, end) = layer.trimmed(location);
                let raw: String = layer.slice(start, end).iter().collect();
                let span = layer.base.span(start, end);
                let exact = raw == word.value;
                (raw, if exact { layer.base.shift(start) } else { Base::Within(span) }, span)
            }
            None => (word.value.clone(), Base::Within(enclosing), enclosing),
        };
        let value = self.resolve(&word.value, base, context, role);
        let bare = !raw.contains(['\'', '"', '\\']);
        Word { raw, value, span, bare }
    }

    pub(super) fn resolve(&mut self, text: &str, base: Base, context: Context, role: Role) -> Value {
        let value = self.resolve_unbraced(text, base, context, role, true);
        if role == Role::Assigned {
            return value;
        }
        match braces::expand(text) {
            Braces::None => value,
            Braces::Unsure => unknown_whole(text),
            // A text of some thousand characters could stand for a million words.
            Braces::Words(words) if self.from_braces + words.len() > braces::MOST_IN_A_TEXT => {
                unknown_whole(text)
            }
            Braces::Words(words) => {
                self.from_braces += words.len();
                // Substitutions were collected above from the whole word; reading them again would count them twice.
                let mut texts = Vec::new();
                let mut home = false;
                let mut pattern = false;
                for one in &words {
                    match self.resolve_unbraced(one, base, context, role, false) {
                        Value::Known { tilde, text: known } => {
                            home |= tilde;
                            // A word that came out empty with no quotes in it is no word at all.
                            if !one.is_empty() {
                                texts.push(known);
                            }
                        }
                        Value::Glob { pattern: one, tilde: false } => {
                            pattern = true;
                            texts.push(one);
                        }
                        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => {
                            return unknown_whole(text);
                        }
                    }
                }
                if pattern {
                    let all = braces::pattern_of_all(&texts).filter(|_| !home);
                    return all.map_or_else(
                        || unknown_whole(text),
                        |pattern| Value::Glob { pattern, tilde: false },
                    );
                }
                match <[String; 1]>::try_from(texts) {
                    Ok([text]) => Value::Known { text, tilde: home },
                    Err(texts) => Value::Several { texts },
                }
            }
        }
    }

    fn resolve_unbraced(
        &mut self,
        text: &str,
        base: Base,
        context: Context,
        role: Role,
        collect: bool,
    ) -> Value {
        if let Some(wider) = with_any_for_groups(text) {
            return self.resolve_unbraced(&wider, base, context, role, collect);
        }
        let pieces = match word::parse(text, &super::options()) {
            Ok(pieces) => pieces,
            Err(_) => {
                self.unreadable(text, base);
                return unknown_whole(text);
            }
        };
        let mut bits = Vec::new();
        for piece in &pieces {
            self.bit(text, piece, base, context, collect, &mut bits);
        }
        fold(bits, role)
    }

    fn bit(
        &mut self,
        text: &str,
        piece: &WordPieceWithSource,
        base: Base,
        context: Context,
        collect: bool,
        bits: &mut Vec<Bit>,
    ) {
        let raw = || text.get(piece.start_index..piece.end_index).unwrap_or(text).to_owned();
        match &piece.piece {
            WordPiece::Text(plain) => {
                // An unquoted operator cannot stand in a word: the two halves of the parser disagree about its end.
                let torn = plain.contains([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>', '`']);
                if torn || opens_expansion(text, piece) {
                    self.unreadable(text, base);
                    bits.push(Bit::Part(Part::Other { raw: raw() }));
                } else if let Some(at) = assigned_tilde(plain).filter(|_| bits.is_empty()) {
                    // bash expands `of=~/x`, although it is an argument like any other.
                    let (start, rest) = plain.split_at(at);
                    bits.push(Bit::Text { text: start.to_owned(), quoted: false });
                    bits.push(Bit::Part(Part::Other { raw: rest.to_owned() }));
                } else {
                    bits.push(Bit::Text { text: plain.clone(), quoted: false });
                }
            }
            WordPiece::SingleQuotedText(inner) => bits.push(Bit::Text { text: inner.clone(), quoted: true }),
            WordPiece::AnsiCQuotedText(inner) => match ansi_c(inner) {
                Some(text) => bits.push(Bit::Text { text, quoted: true }),
                None => bits.push(Bit::Part(Part::Other { raw: raw() })),
            },
            WordPiece::EscapeSequence(escape) => {
                let text: String = escape.chars().skip(1).filter(|c| *c != '\n').collect();
                bits.push(Bit::Text { text, quoted: true });
            }
            WordPiece::TildeExpansion(_) => {
                let next = text.get(piece.end_index..).and_then(|rest| rest.chars().next());
                match next {
                    None | Some('/') => bits.push(Bit::Tilde(raw())),
                    Some(_) => bits.push(Bit::Part(Part::Other { raw: raw() })),
                }
            }
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                bits.push(Bit::Text { text: String::new(), quoted: true });
                for piece in inner {
                    self.quoted_bit(text, piece, base, context, Quote::Double, collect, bits);
                }
            }
            WordPiece::ParameterExpansion(_)
            | WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => {
                bits.push(Bit::Part(self.expansion(text, piece, base, context, Quote::None, collect)));
            }
        }
    }

    /// A piece of a double-quoted string or of a here-document's body.
    #[allow(clippy::too_many_arguments)]
    fn quoted_bit(
        &mut self,
        text: &str,
        piece: &WordPieceWithSource,
        base: Base,
        context: Context,
        quote: Quote,
        collect: bool,
        bits: &mut Vec<Bit>,
    ) {
        match &piece.piece {
            WordPiece::Text(plain) => {
                if plain.contains('`') || opens_expansion(text, piece) {
                    self.unreadable(text, base);
                    bits.push(Bit::Part(Part::Other { raw: plain.clone() }));
                } else {
                    // `\\` has a piece of its own, so what is left here is a line continuation.
                    bits.push(Bit::Text { text: plain.replace("\\\n", ""), quoted: true });
                }
            }
            WordPiece::EscapeSequence(escape) => {
                bits.push(Bit::Text { text: escape.chars().skip(1).collect(), quoted: true });
            }
            WordPiece::ParameterExpansion(_)
            | WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => {
                bits.push(Bit::Part(self.expansion(text, piece, base, context, quote, collect)));
            }
            WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::DoubleQuotedSequence(_)
            | WordPiece::GettextDoubleQuotedSequence(_)
            | WordPiece::TildeExpansion(_) => {
                self.unreadable(text, base);
                bits.push(Bit::Part(Part::Other { raw: text.to_owned() }));
            }
        }
    }

    /// The body of a here-document that expands.
    pub(super) fn here_document(&mut self, text: &str, base: Base, context: Context) -> Value {
        let Ok(pieces) = word::parse_heredoc(text, &super::options()) else {
            self.unreadable(text, base);
            return unknown_whole(text);
        };
        let mut bits = Vec::new();
        for piece in &pieces {
            self.quoted_bit(text, piece, base, context, Quote::HereDocument, true, &mut bits);
        }
        fold(bits, Role::Assigned)
    }

    /// Reads the substitutions in a text whose own value does not matter: an arithmetic expression, the inside of
    /// `${…}`, an index. Quotes count as plain characters, because inside double quotes bash expands between them.
    pub(super) fn collect(&mut self, text: &str, base: Base, context: Context) {
        if text.contains("<(") || text.contains(">(") {
            self.unreadable(text, base);
        }
        if text.contains(['$', '`']) {
            self.here_document(text, base, context);
        }
    }

    fn expansion(
        &mut self,
        text: &str,
        piece: &WordPieceWithSource,
        base: Base,
        context: Context,
        quote: Quote,
        collect: bool,
    ) -> Part {
        let raw = text.get(piece.start_index..piece.end_index).unwrap_or(text);
        let at = base.shift(text.get(..piece.start_index).map_or(0, |before| before.chars().count()));
        match &piece.piece {
            WordPiece::CommandSubstitution(inner) => {
                if collect {
                    self.nested(inner, at.shift(2), context);
                }
                Part::Substitution
            }
            WordPiece::BackquotedCommandSubstitution(_) => {
                if collect {
                    let inner = raw.strip_prefix('`').and_then(|r| r.strip_suffix('`')).unwrap_or(raw);
                    let opened = unescape_backquoted(inner, quote);
                    let base = if opened == inner {
                        at.shift(1)
                    } else {
                        Base::Within(at.span(0, raw.chars().count()))
                    };
                    self.nested(&opened, base, context);
                }
                Part::Substitution
            }
            WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                parameter: Parameter::Named(name),
                indirect: false,
            }) => Part::Variable { name: name.clone(), quoted: quote != Quote::None },
            WordPiece::ParameterExpansion(_) => {
                if collect && let Some(inner) = raw.strip_prefix("${").and_then(|r| r.strip_suffix('}')) {
                    self.collect(inner, at.shift(2), context);
                }
                Part::Other { raw: raw.to_owned() }
            }
            WordPiece::ArithmeticExpression(expression) => {
                if collect {
                    if !balanced(&expression.value) {
                        self.unreadable(text, base);
                    }
                    let lead = if raw.starts_with("$((") { 3 } else { 2 };
                    self.collect_arithmetic(&expression.value, at.shift(lead), context);
                }
                Part::Other { raw: raw.to_owned() }
            }
            WordPiece::Text(_)
            | WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::DoubleQuotedSequence(_)
            | WordPiece::GettextDoubleQuotedSequence(_)
            | WordPiece::TildeExpansion(_)
            | WordPiece::EscapeSequence(_) => Part::Other { raw: raw.to_owned() },
        }
    }

    /// As `collect`, but `<(` is a comparison there.
    pub(super) fn collect_arithmetic(&mut self, text: &str, base: Base, context: Context) {
        if text.contains(['$', '`']) {
            self.here_document(text, base, context);
        }
    }

    pub(super) fn unreadable(&mut self, text: &str, base: Base) {
        let line = match base {
            Base::At(start) => Some(line_of(&self.text, start as usize)),
            Base::Within(span) => Some(line_of(&self.text, span.start as usize)),
        };
        let shown: String = text.chars().take(60).collect();
        self.doubt(DoubtKind::Syntax, format!("This part could not be read: {shown}"), line);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Double,
    HereDocument,
}

pub(super) fn unknown_whole(text: &str) -> Value {
    Value::Unknown { parts: vec![Part::Other { raw: text.to_owned() }] }
}

fn fold(bits: Vec<Bit>, role: Role) -> Value {
    if bits.iter().any(|bit| matches!(bit, Bit::Part(_))) {
        return Value::Unknown { parts: parts(bits) };
    }
    let mut tilde = false;
    let mut bracket = false;
    let mut glob = false;
    let mut plain = String::new();
    let mut pattern = String::new();
    for bit in bits {
        match bit {
            Bit::Tilde(text) => {
                tilde = true;
                plain.push_str(&text);
                pattern.push_str(&text);
            }
            Bit::Text { text, quoted: true } => {
                for c in text.chars() {
                    // A quoted `*` stands for itself, also in a pattern.
                    if matches!(c, '*' | '?' | '[' | ']' | '\\') {
                        pattern.push('\\');
                    }
                    pattern.push(c);
                }
                plain.push_str(&text);
            }
            Bit::Text { text, quoted: false } => {
                for c in text.chars() {
                    match c {
                        '*' | '?' => glob = true,
                        '[' => bracket = true,
                        ']' if bracket => glob = true,
                        _ => {}
                    }
                }
                plain.push_str(&text);
                pattern.push_str(&text);
            }
            Bit::Part(_) => {}
        }
    }
    if glob && role == Role::Argument {
        Value::Glob { pattern, tilde }
    } else {
        Value::Known { text: plain, tilde }
    }
}

fn parts(bits: Vec<Bit>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for bit in bits {
        match bit {
            Bit::Part(part) => parts.push(part),
            Bit::Tilde(raw) => parts.push(Part::Other { raw }),
            Bit::Text { text, .. } if text.is_empty() => {}
            Bit::Text { text, .. } => match parts.last_mut() {
                Some(Part::Text { text: before }) => before.push_str(&text),
                _ => parts.push(Part::Text { text }),
            },
        }
    }
    parts
}

/// A lone `$` that bash would take for the start of an expansion which the parser does not know.
fn opens_expansion(text: &str, piece: &WordPieceWithSource) -> bool {
    let piece_text = text.get(piece.start_index..piece.end_index).unwrap_or("");
    piece_text.contains("${")
        || piece_text.contains("$(")
        || piece_text.contains("$[")
        || (piece_text.ends_with('$')
            && text.get(piece.end_index..).is_some_and(|rest| rest.starts_with(['{', '(', '['])))
}

/// Where the tilde stands in `name=~…` or `name=…:~…`.
fn assigned_tilde(text: &str) -> Option<usize> {
    let (name, value) = text.split_once('=')?;
    let valid = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.trim_end_matches('+').chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !valid {
        return None;
    }
    let start = name.len() + 1;
    if value.starts_with('~') { Some(start) } else { value.find(":~").map(|at| start + at + 1) }
}

fn balanced(expression: &str) -> bool {
    let mut depth = 0i64;
    for c in expression.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn unescape_backquoted(text: &str, quote: Quote) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.peek() {
                Some('\\' | '`' | '$') => {
                    out.extend(chars.next());
                    continue;
                }
                Some('"') if quote == Quote::Double => {
                    out.extend(chars.next());
                    continue;
                }
                _ => {}
            }
        }
        out.push(c);
    }
    out
}

/// `$'…'` with its escapes taken off; `None` for what is not text afterwards.
pub(super) fn ansi_c(text: &str) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let push = |bytes: &mut Vec<u8>, c: char| bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
    while let Some(c) = chars.next() {
        if c != '\\' {
            push(&mut bytes, c);
            continue;
        }
        let Some(escape) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |radix: u32, most: usize, first: Option<char>| {
            let mut number = first.and_then(|c| c.to_digit(radix));
            let mut count = usize::from(number.is_some());
            while count < most
                && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
            {
                chars.next();
                count += 1;
                number = Some(number.unwrap_or(0) * radix + digit);
            }
            number
        };
        match escape {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => push(&mut bytes, escape),
            // What follows decides a control character in ways not worth copying.
            'c' => return None,
            '0'..='7' => bytes.push(u8::try_from(digits(8, 3, Some(escape))? & 0xff).ok()?),
            'x' => bytes.push(u8::try_from(digits(16, 2, None)?).ok()?),
            'u' => push(&mut bytes, char::from_u32(digits(16, 4, None)?)?),
            'U' => push(&mut bytes, char::from_u32(digits(16, 8, None)?)?),
            other => {
                bytes.push(b'\\');
                push(&mut bytes, other);
            }
        }
    }
    // A zero byte ends the string in bash.
    if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() }
}

/// An extended pattern (`!(*.md)`, `@(a|b)`) matches no more than `*` does. `None` where there is none, or where something in
/// the word is expanded or quoted, which would move.
fn with_any_for_groups(text: &str) -> Option<String> {
    if !super::extends_patterns(text) || text.contains(['$', '`', '\'', '"', '\\']) {
        return None;
    }
    let mut wider = String::new();
    let mut depth = 0_usize;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '?' | '*' | '+' | '@' | '!' if letters.peek() == Some(&'(') => {
                letters.next();
                if depth == 0 {
                    wider.push('*');
                }
                depth += 1;
            }
            '(' if depth > 0 => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ => wider.push(letter),
        }
    }
    (depth == 0).then_some(wider)
}
