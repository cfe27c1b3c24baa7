//! Bytes of a runbook → text. Old pages are often not UTF-8 and Windows files end their lines their own way; what is
//! not text at all is refused before anything tries to read it.

use crate::plan::raw::too_large;
use crate::plan::validate::MAX_SOURCE_BYTES;
use crate::protocol::{EngineError, ErrorCode};

/// Text with `\n` line ends and no byte order mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    /// For people: set when the bytes were not UTF-8 and how they were read instead.
    pub note: Option<&'static str>,
}

/// Reads UTF-8, UTF-16 with a byte order mark, else Windows-1252 (which Latin-1 text is as well).
pub fn decode(bytes: &[u8]) -> Result<Decoded, EngineError> {
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(too_large());
    }
    let (text, note) = match bytes {
        [0xff, 0xfe, rest @ ..] => (utf16(rest, u16::from_le_bytes)?, None),
        [0xfe, 0xff, rest @ ..] => (utf16(rest, u16::from_be_bytes)?, None),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8_or_legacy(rest)?,
        _ => utf8_or_legacy(bytes)?,
    };
    if text.contains('\0') {
        return Err(not_text());
    }
    Ok(Decoded { text: text.replace("\r\n", "\n"), note })
}

fn utf8_or_legacy(bytes: &[u8]) -> Result<(String, Option<&'static str>), EngineError> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((text.to_owned(), None));
    }
    let text: Option<String> = bytes.iter().map(|&byte| windows_1252(byte)).collect();
    let note = "The file is not UTF-8; it was read as Windows-1252 (Latin-1). Check letters with accents.";
    Ok((text.ok_or_else(not_text)?, Some(note)))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, EngineError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(not_text());
    }
    char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| not_text())
}

/// `None` for bytes that no text has: control characters and the holes of the table.
fn windows_1252(byte: u8) -> Option<char> {
    const HIGH: [char; 32] = [
        '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’',
        '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
    ];
    match byte {
        b'\t' | b'\n' | b'\r' | 0x0c | 0x1b => Some(char::from(byte)),
        0x00..0x20 | 0x7f => None,
        0x80..0xa0 => Some(HIGH[usize::from(byte - 0x80)]).filter(|&letter| letter != '\0'),
        0x20..0x7f | 0xa0..=0xff => Some(char::from(byte)),
    }
}

fn not_text() -> EngineError {
    EngineError::new(
        ErrorCode::NotText,
        "This is not a text file. Choose a Markdown page, a shell script or a plan as JSON.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text
    }

    fn code(bytes: &[u8]) -> ErrorCode {
        decode(bytes).unwrap_err().code
    }

    #[test]
    fn utf8_with_and_without_mark_and_any_line_ends() {
        assert_eq!(decode("é\r\nb\n".as_bytes()).unwrap(), Decoded { text: "é\nb\n".into(), note: None });
        assert_eq!(text(b"\xef\xbb\xbf# T"), "# T");
    }

    #[test]
    fn utf16_with_mark() {
        assert_eq!(text(b"\xff\xfea\0\xe9\0"), "aé");
        assert_eq!(text(b"\xfe\xff\0a\0\xe9"), "aé");
        assert_eq!(code(b"\xff\xfea"), ErrorCode::NotText);
        assert_eq!(code(b"\xff\xfe\x00\xd8"), ErrorCode::NotText, "half a surrogate pair");
    }

    #[test]
    fn latin_1_is_read_and_noted() {
        let decoded = decode(b"Pr\xe9parer \x93tout\x94 \x80").unwrap();
        assert_eq!(decoded.text, "Préparer “tout” €");
        assert!(decoded.note.is_some_and(|note| note.contains("Windows-1252")));
    }

    #[test]
    fn binary_is_refused() {
        assert_eq!(code(b"\x7fELF\x02\x01\x01\0\0\0"), ErrorCode::NotText);
        assert_eq!(code(b"abc\0def"), ErrorCode::NotText);
        assert_eq!(code(b"\x89PNG\r\n\x1a\n"), ErrorCode::NotText);
        assert_eq!(code(b"\xff\xd8\xff\xe0\x10JFIF"), ErrorCode::NotText);
        assert_eq!(code(b"caf\xe9 \x81"), ErrorCode::NotText, "a hole of the table");
    }

    #[test]
    fn five_megabytes() {
        assert!(decode(&vec![b'a'; MAX_SOURCE_BYTES]).is_ok());
        assert_eq!(code(&vec![b'a'; MAX_SOURCE_BYTES + 1]), ErrorCode::TooLarge);
    }
}
