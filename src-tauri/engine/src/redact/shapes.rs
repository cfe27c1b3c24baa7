//! What looks like a secret whoever it belongs to: an anchor that is looked for, and what has to stand behind it. Each
//! decision needs a bounded number of bytes; a secret may go on from there without bound.

/// Bytes that a secret goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Upper,
    Token,
    Dotted,
    Base64,
    /// Up to a blank, a quote or what separates values.
    Value,
}

impl Class {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Token => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
            }
            Self::Value => {
                !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"\"'`,;&<>\\".contains(&byte)
            }
        }
    }
}

/// How a secret goes on past what was needed to tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    While(Class),
    Block(Block),
}

/// The inside of a key block: it ends with the second run of five dashes, as in `-----END … KEY-----`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    left: u32,
    dashes: u32,
    fences: u32,
}

impl Block {
    /// A block without an end hides no more than this, in bytes: the largest keys have some 13 000.
    const MOST: u32 = 32 * 1024;
    const FENCE: u32 = 5;

    fn begun() -> Self {
        Self { left: Self::MOST, dashes: 0, fences: 0 }
    }

    /// Takes a byte of it; `None` when that was the last.
    fn step(mut self, byte: u8) -> Option<Self> {
        self.dashes = if byte == b'-' { self.dashes + 1 } else { 0 };
        self.fences += u32::from(self.dashes == Self::FENCE);
        self.left = self.left.checked_sub(1)?;
        (self.fences < 2).then_some(self)
    }
}

impl On {
    /// How many of the bytes belong to it, and how it goes on when all of them do.
    pub(super) fn advance(self, bytes: &[u8]) -> (usize, Option<Self>) {
        match self {
            Self::While(class) => match bytes.iter().position(|byte| !class.has(*byte)) {
                Some(end) => (end, None),
                None => (bytes.len(), Some(self)),
            },
            Self::Block(mut block) => {
                for (at, byte) in bytes.iter().enumerate() {
                    match block.step(*byte) {
                        Some(next) => block = next,
                        None => return (at + 1, None),
                    }
                }
                (bytes.len(), Some(Self::Block(block)))
            }
        }
    }
}

/// What has to stand behind an anchor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// At least so many bytes of a class. The anchor is a part of it.
    Key(Class, usize),
    /// The same, for an anchor that also ends common words: none may stand before it.
    KeyAlone(Class, usize),
    /// Two parts of base64 that are JSON objects, with a dot between.
    WebToken,
    /// `: value`, `= value`, `": "Bearer value"`: the value, of at least so many bytes where no scheme names it.
    Field(usize),
    /// A value right behind it, of at least so many bytes.
    Assigned(usize),
    /// `name:password@`: the password.
    Login,
    KeyBlock,
}

/// What stands behind an anchor. Places count from the anchor's end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    No,
    /// More bytes are needed to tell.
    More,
    /// `from` is `None` when the anchor is a part of the secret.
    Hidden {
        from: Option<usize>,
        to: usize,
        on: Option<On>,
    },
}

pub(super) const ANCHORS: &[(&str, Shape)] = {
    use Class::{Base64, Dotted, Token, Upper, Word};
    use Shape::{Assigned, Field, Key, KeyAlone, KeyBlock, Login, WebToken};
    &[
        ("ghp_", Key(Word, 30)),
        ("gho_", Key(Word, 30)),
        ("ghu_", Key(Word, 30)),
        ("ghs_", Key(Word, 30)),
        ("ghr_", Key(Word, 30)),
        ("github_pat_", Key(Token, 22)),
        ("glpat-", Key(Token, 20)),
        ("xoxb-", Key(Token, 10)),
        ("xoxp-", Key(Token, 10)),
        ("xoxa-", Key(Token, 10)),
        ("xoxr-", Key(Token, 10)),
        ("xoxs-", Key(Token, 10)),
        ("xapp-", Key(Token, 20)),
        ("AKIA", KeyAlone(Upper, 16)),
        ("ASIA", KeyAlone(Upper, 16)),
        ("AIza", KeyAlone(Token, 35)),
        ("ya29.", Key(Token, 20)),
        ("sk-ant-", Key(Token, 16)),
        ("sk-proj-", Key(Token, 16)),
        ("sk-", KeyAlone(Word, 32)),
        ("sk_live_", Key(Word, 16)),
        ("sk_test_", Key(Word, 16)),
        ("rk_live_", Key(Word, 16)),
        ("whsec_", Key(Base64, 16)),
        ("npm_", Key(Word, 36)),
        ("pypi-AgE", Key(Token, 40)),
        ("dckr_pat_", Key(Token, 20)),
        ("hf_", KeyAlone(Word, 30)),
        ("SG.", KeyAlone(Dotted, 40)),
        ("hvs.", KeyAlone(Token, 20)),
        ("dop_v1_", Key(Word, 40)),
        ("glsa_", Key(Token, 32)),
        ("shpat_", Key(Word, 32)),
        ("tskey-", Key(Token, 16)),
        ("AGE-SECRET-KEY-1", Key(Upper, 50)),
        ("AccountKey=", Assigned(40)),
        ("eyJ", WebToken),
        ("Authorization", Field(16)),
        ("authorization", Field(16)),
        ("AUTHORIZATION", Field(16)),
        ("X-Api-Key", Field(8)),
        ("X-API-Key", Field(8)),
        ("x-api-key", Field(8)),
        ("X-Auth-Token", Field(8)),
        ("x-auth-token", Field(8)),
        ("PRIVATE-TOKEN", Field(8)),
        ("Private-Token", Field(8)),
        ("private-token", Field(8)),
        ("X-Vault-Token", Field(8)),
        ("aws_secret_access_key", Field(16)),
        ("aws_session_token", Field(16)),
        ("Bearer ", Key(Base64, 20)),
        ("PASSWORD=", Assigned(6)),
        ("PASSWD=", Assigned(6)),
        ("PASSPHRASE=", Assigned(6)),
        ("_PASS=", Assigned(6)),
        ("_SECRET=", Assigned(6)),
        ("_TOKEN=", Assigned(8)),
        ("SECRET_KEY=", Assigned(6)),
        ("API_KEY=", Assigned(8)),
        ("APIKEY=", Assigned(8)),
        ("ACCESS_KEY=", Assigned(8)),
        ("PRIVATE_KEY=", Assigned(8)),
        ("://", Login),
        ("-----BEGIN PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN RSA PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN EC PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN DSA PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----", KeyBlock),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", KeyBlock),
    ]
};

/// Longest name and password in an address.
const NAME: usize = 64;
const PASSWORD: usize = 256;
/// Longest first part of a web token.
const PART: usize = 256;
/// Shortest value behind a scheme such as `Bearer`.
const WITH_SCHEME: usize = 6;
const SCHEMES: [&[u8]; 6] = [b"bearer", b"basic", b"token", b"digest", b"apikey", b"negotiate"];
/// What a value that stands for another begins with: `$TOKEN`, `<token>`, `***`.
const PLACEHOLDERS: &[u8] = b"$<{*[(%";

impl Shape {
    /// Looks at what stands before the anchor and behind it. With `end` nothing comes after `rest`.
    pub(super) fn look(self, before: Option<u8>, rest: &[u8], end: bool) -> Look {
        let more = if end { Look::No } else { Look::More };
        match self {
            Self::Key(class, least) => key(class, least, rest, more),
            // Behind a colour's escape sequence stands an `m`.
            Self::KeyAlone(class, least) => match before {
                Some(byte) if Class::Token.has(byte) && byte != b'm' => Look::No,
                Some(_) | None => key(class, least, rest, more),
            },
            Self::WebToken => web_token(rest, more),
            Self::Field(least) => field(rest, least, more),
            Self::Assigned(least) => value(rest, 0, least, more),
            Self::Login => login(rest, more),
            Self::KeyBlock => Look::Hidden { from: None, to: 0, on: Some(On::Block(Block::begun())) },
        }
    }
}

fn key(class: Class, least: usize, rest: &[u8], more: Look) -> Look {
    match enough(class, least, rest) {
        Some(true) => Look::Hidden { from: None, to: least, on: Some(On::While(class)) },
        Some(false) => Look::No,
        None => more,
    }
}

/// Whether so many bytes of the class come first; `None` when there are too few bytes to tell.
fn enough(class: Class, least: usize, rest: &[u8]) -> Option<bool> {
    let run = rest.iter().take(least).take_while(|byte| class.has(**byte)).count();
    if run == least { Some(true) } else { (run < rest.len()).then_some(false) }
}

fn web_token(rest: &[u8], more: Look) -> Look {
    const SECOND: &[u8] = b".eyJ";
    let first = rest.iter().take(PART).take_while(|byte| Class::Token.has(**byte)).count();
    let behind = &rest[first..];
    if behind.starts_with(SECOND) {
        return Look::Hidden { from: None, to: first + SECOND.len(), on: Some(On::While(Class::Dotted)) };
    }
    if first < PART && SECOND.starts_with(behind) { more } else { Look::No }
}

/// Blanks and quotes around the colon, and the scheme, are bounded: whoever writes more of them means something else.
fn field(rest: &[u8], least: usize, more: Look) -> Look {
    const ROOM: usize = 64;
    let room = &rest[..rest.len().min(ROOM)];
    let skip =
        |at: usize, bytes: &[u8]| at + room[at..].iter().take_while(|byte| bytes.contains(byte)).count();
    let colon = skip(0, b"\"'\\ \t");
    match room.get(colon) {
        None if room.len() < ROOM => return more,
        Some(b':' | b'=') => {}
        Some(_) | None => return Look::No,
    }
    let start = skip(colon + 1, b"\"'\\ \t");
    let word = room[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if start + word == room.len() {
        // What follows decides whether this was a scheme; a word that fills the room is none.
        let undecided = room.len() < ROOM && more == Look::More;
        return if undecided { Look::More } else { value(rest, start, least, more) };
    }
    let is_scheme = SCHEMES.iter().any(|scheme| room[start..start + word].eq_ignore_ascii_case(scheme));
    if !(is_scheme && room[start + word] == b' ') {
        return value(rest, start, least, more);
    }
    let start = skip(start + word, b" \t");
    if start == room.len() && room.len() < ROOM {
        return more;
    }
    value(rest, start, WITH_SCHEME, more)
}

fn value(rest: &[u8], start: usize, least: usize, more: Look) -> Look {
    let quotes = rest[start..].iter().take(2).take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    let start = start + quotes;
    if rest.get(start).is_some_and(|first| PLACEHOLDERS.contains(first)) {
        return Look::No;
    }
    match enough(Class::Value, least, &rest[start..]) {
        Some(true) => {
            Look::Hidden { from: Some(start), to: start + least, on: Some(On::While(Class::Value)) }
        }
        Some(false) => Look::No,
        None => more,
    }
}

fn login(rest: &[u8], more: Look) -> Look {
    let is_part = |byte: &&u8| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/@?#'\"<>\\".contains(byte)
    };
    let name = rest.iter().take(NAME + 1).take_while(|byte| is_part(byte) && **byte != b':').count();
    match rest.get(name) {
        None => return more,
        Some(b':') => {}
        Some(_) => return Look::No,
    }
    let start = name + 1;
    let length = rest[start..].iter().take(PASSWORD + 1).take_while(is_part).count();
    match rest.get(start + length) {
        None => more,
        Some(b'@') if length > 0 && !PLACEHOLDERS.contains(&rest[start]) => {
            Look::Hidden { from: Some(start), to: start + length, on: None }
        }
        Some(_) => Look::No,
    }
}
