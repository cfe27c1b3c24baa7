//! Paths as text that leads back to the very same bytes: for the store's files, and as keys on the wire.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Printable text, one for each path: a backslash is doubled, control characters are `\u{..}` (`\n` for a line break),
/// bytes that are no UTF-8 are `\xFF`.
pub(super) fn text(path: &Path) -> String {
    let mut out = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02X}"));
        }
    }
    out
}

/// The path that [`text`] wrote; `None` for what it never writes.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let (kind, after) = (escape.chars().next()?, escape.get(1..)?);
        rest = match kind {
            '\\' => {
                bytes.push(b'\\');
                after
            }
            'n' => {
                bytes.push(b'\n');
                after
            }
            'x' => {
                bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
                after.get(2..)?
            }
            'u' => {
                let (code, after) = after.strip_prefix('{')?.split_once('}')?;
                let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                after
            }
            _ => return None,
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// For serde: `#[serde(with = "name")]`.
pub(super) fn serialize<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(path))
}

pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
    path(&text).ok_or_else(|| serde::de::Error::custom("a path that was not written here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_path_comes_back_as_it_was(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let before = PathBuf::from(OsString::from_vec(bytes));
            let written = text(&before);
            prop_assert!(!written.chars().any(char::is_control));
            prop_assert_eq!(path(&written), Some(before));
        }
    }

    #[test]
    fn plain_paths_stay_plain() {
        assert_eq!(text(Path::new("/a/b c/é")), "/a/b c/é");
        assert_eq!(text(Path::new("/a\n\\\u{7}")), "/a\\n\\\\\\u{7}");
    }
}
