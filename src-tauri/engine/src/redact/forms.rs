//! How a secret looks when programs print it: as it is, escaped, encoded. Every form is cut into pieces of bounded
//! length, each of which is hidden wherever it stands, so that a stream never has to hold back more than a piece.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Longest piece, in bytes.
pub(super) const PIECE: usize = 256;
/// Of a longer value only the beginning is looked for.
const VALUE: usize = 64 * 1024;
/// Encoded forms shorter than this are everywhere.
const ENCODED: usize = 6;
/// Lines of a value that has several are looked for alone from this length on.
const LINE: usize = 16;

/// A value from this length on, of letters and digits both, is no part of a word by chance.
const PART_OF_NOTHING: usize = 16;

/// All pieces of all forms of a value, and whether each counts only as a word of its own: what is short, or a word, may be
/// a part of others. Encoded it is none.
pub(super) fn of(value: &[u8]) -> BTreeMap<Vec<u8>, bool> {
    let value = &value[..value.len().min(VALUE)];
    let mut forms = BTreeMap::new();
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let is_word = value.len() < PART_OF_NOTHING
        || !(has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
            || has(|byte| !byte.is_ascii_alphanumeric()));
    let mut plain = |form: Vec<u8>| {
        for piece in pieces(&form) {
            forms.entry(piece.to_vec()).or_insert(is_word);
        }
    };
    plain(value.to_vec());
    percent(value).into_iter().for_each(&mut plain);
    escaped(value).into_iter().for_each(&mut plain);
    let mut add = |form: Vec<u8>| forms.extend(pieces(&form).map(|piece| (piece.to_vec(), false)));
    let mut lines =
        value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| line.len() >= LINE);
    if value.contains(&b'\n') {
        lines.by_ref().for_each(|line| add(line.to_vec()));
    }
    for form in base64(value).into_iter().chain(hex(value)).filter(|form| form.len() >= ENCODED) {
        add(form);
    }
    forms
}

/// The whole, or windows of it that cover it all.
fn pieces(form: &[u8]) -> impl Iterator<Item = &[u8]> {
    let last = form.len().saturating_sub(PIECE);
    let starts = (0..last).step_by(PIECE).chain(std::iter::once(last));
    starts.map(|start| &form[start..(start + PIECE).min(form.len())])
}

/// What of the encoded text depends on the value alone, when it begins at the first, second or third byte of a group.
fn base64(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let bytes = [&[0; 2][..before], value].concat();
        // Six bits a character: the first ones and the last one may hold bits of what stands around.
        let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            forms.extend(encoded.as_bytes().get(from..to).map(<[u8]>::to_vec));
        }
    }
    forms
}

fn hex(value: &[u8]) -> [Vec<u8>; 2] {
    let lower = value.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    [lower.to_ascii_uppercase().into_bytes(), lower.into_bytes()]
}

/// What is left as it is: by the strict, beside letters and digits; in a path; by JavaScript's `encodeURIComponent`; in a
/// form; by `encodeURI`; by browsers before the host and in a query.
const PLAIN: [&str; 7] = [
    "-_.~",
    "-_.~/",
    "-_.!~*'()",
    "*-._",
    "-_.!~*'();/?:@&=+$,#",
    "-_.~!$%&'()*+,",
    "-_.~!$%&'()*+,/:;=?@[\\]^`{|}",
];

/// As in a URL or a form. Programs differ in what they leave as it is, and in the case of the digits.
fn percent(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for plain in PLAIN {
        for space in ["%20", "+"] {
            for digits in ["0123456789ABCDEF", "0123456789abcdef"].map(str::as_bytes) {
                let mut form = Vec::with_capacity(value.len() * 2);
                for byte in value {
                    match byte {
                        b' ' => form.extend_from_slice(space.as_bytes()),
                        _ if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(byte) => {
                            form.push(*byte)
                        }
                        _ => form.extend([
                            b'%',
                            digits[usize::from(byte >> 4)],
                            digits[usize::from(byte & 15)],
                        ]),
                    }
                }
                forms.push(form);
            }
        }
    }
    forms
}

/// As in JSON (also with `/` escaped, with `\u` for what is no ASCII, and twice over), in a shell and in HTML.
fn escaped(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![shell(value, b"\"\\$`"), shell(value, SHELL_SPECIAL)];
    let Ok(text) = std::str::from_utf8(value) else { return forms };
    let quoted = text.replace('\'', r"'\''");
    let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let json = json(text);
    let ascii = json.chars().fold(String::new(), |mut text, c| {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
        text
    });
    let twice = self::json(&json);
    forms.extend(
        [json.replace('/', r"\/"), ascii, twice, json, html.replace('\'', "&#39;"), html, quoted]
            .map(String::into_bytes),
    );
    forms
}

const SHELL_SPECIAL: &[u8] = b" \t!\"#$&'()*,;<>?[\\]^`{|}~";

fn shell(value: &[u8], special: &[u8]) -> Vec<u8> {
    value.iter().flat_map(|byte| special.contains(byte).then_some(b'\\').into_iter().chain([*byte])).collect()
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}
