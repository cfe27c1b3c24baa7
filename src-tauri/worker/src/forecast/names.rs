//! File names as text that says exactly which bytes they are, and that cannot play tricks on a reader.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The path as it is when it is plain text; else with `\n`, `\xff`, `\u{202e}` and `\\` for what is not to be seen.
pub(super) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for chunk in OsStr::as_bytes(path.as_os_str()).utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                hidden if hidden.is_control() || is_invisible(hidden) => {
                    // Writing into a string cannot fail.
                    let _ = write!(text, "{}", hidden.escape_unicode());
                }
                plain => text.push(plain),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Changes the direction or the look of the text around it, or shows as nothing.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stay_and_others_are_told_apart() {
        let cases: [(&[u8], &str); 7] = [
            ("/a b/ä'\"$".as_bytes(), "/a b/ä'\"$"),
            (b"/a\nb\t", r"/a\nb\t"),
            (br"/a\nb", r"/a\\nb"),
            (b"/\xffa", r"/\xffa"),
            (br"/\xffa", r"/\\xffa"),
            (b"/\x1b[2J", r"/\u{1b}[2J"),
            ("/\u{202e}gpj.exe".as_bytes(), r"/\u{202e}gpj.exe"),
        ];
        for (bytes, text) in cases {
            assert_eq!(shown(Path::new(OsStr::from_bytes(bytes))), text);
        }
    }
}
