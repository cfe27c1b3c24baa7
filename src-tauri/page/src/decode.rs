//! Bytes into text: byte order marks, UTF-16 without one, older encodings by guess, line ends. Says what it did.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

use crate::document::Encoding;

/// How much of a page the guesses look at.
const SAMPLE: usize = 64 * 1024;

/// None where the bytes are no text.
pub(crate) fn decode(bytes: &[u8]) -> Option<(String, Encoding)> {
    let marked = encoding_rs::Encoding::for_bom(bytes);
    let byte_order_mark = marked.is_some();
    let encoding = match marked {
        Some((encoding, _)) => encoding,
        None => unmarked(bytes)?,
    };
    let (text, lossy) = encoding.decode_with_bom_removal(bytes);
    // Characters that no text has, and many of them: a program that happens to hold no zero bytes.
    let odd = text
        .chars()
        .take(SAMPLE)
        .filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c' | '\x1b' | '\x08'));
    if odd.count() > text.len().min(SAMPLE) / 50 || text.contains('\0') {
        return None;
    }
    let carriage_returns = text.contains('\r');
    let text = if carriage_returns { line_ends(&text) } else { text.into_owned() };
    Some((text, Encoding { name: encoding.name(), byte_order_mark, carriage_returns, lossy }))
}

fn unmarked(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if sample.contains(&0) {
        return utf16(sample);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Some(UTF_8);
    }
    let mut guess = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    guess.feed(bytes, true);
    Some(guess.guess(None, chardetng::Utf8Detection::Allow))
}

/// Text of the West in UTF-16 has a zero in every second byte; a program has them anywhere.
fn utf16(sample: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let zeros = |offset: usize| sample.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), sample.len() / 2);
    match (even * 20 < half, odd * 20 < half) {
        (true, false) if odd * 2 > half => Some(UTF_16LE),
        (false, true) if even * 2 > half => Some(UTF_16BE),
        _ => None,
    }
}

pub(crate) fn line_ends(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    out
}
