//! What an address answered with, by what it says of itself and by its first bytes.

use super::{Address, FetchError};

/// Beginnings of what is no text, whatever its name is.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "an archive"),
    (b"PK\x05\x06", "an archive"),
    (b"\x1f\x8b", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"!<arch>\n", "a package"),
    (b"\xed\xab\xee\xdb", "a package"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
];

/// Beginnings of media types that are no text, and what they are to people.
const TYPES: &[(&str, &str)] = &[
    ("image/", "an image"),
    ("audio/", "a sound"),
    ("video/", "a film"),
    ("font/", "a font"),
    ("application/pdf", "a PDF document"),
    ("application/zip", "an archive"),
    ("application/gzip", "an archive"),
    ("application/x-gzip", "an archive"),
    ("application/x-tar", "an archive"),
    ("application/x-xz", "an archive"),
    ("application/x-bzip", "an archive"),
    ("application/x-7z-compressed", "an archive"),
    ("application/zstd", "an archive"),
    ("application/java-archive", "a program"),
    ("application/x-executable", "a program"),
    ("application/x-msdownload", "a program"),
    ("application/x-msdos-program", "a program"),
    ("application/vnd.microsoft.portable-executable", "a program"),
    ("application/x-debian-package", "a package"),
    ("application/vnd.debian.binary-package", "a package"),
    ("application/x-rpm", "a package"),
    ("application/x-iso9660-image", "a disk image"),
    ("application/vnd.", "a document of another program"),
    ("application/msword", "a document of another program"),
];

/// Media types whose form is sure, and the ending of a file in that form.
const FORMS: &[(&str, &str)] = &[
    ("text/markdown", "md"),
    ("text/x-markdown", "md"),
    ("text/x-rst", "rst"),
    ("text/asciidoc", "adoc"),
    ("text/x-sh", "sh"),
    ("text/x-shellscript", "sh"),
    ("application/x-sh", "sh"),
    ("application/x-shellscript", "sh"),
    ("application/json", "json"),
];

/// Endings that say the form of a text by themselves.
const ENDINGS: &[&str] = &[
    "md", "markdown", "mdown", "mkd", "mdx", "rst", "rest", "adoc", "asciidoc", "asc", "org", "txt", "text",
    "sh", "bash", "zsh", "ksh", "json",
];

/// What is read of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// A file's name with the ending of its form.
    pub name: String,
    pub is_html: bool,
}

/// By the media type alone, so that what is no page need not be loaded.
pub(super) fn refuse_type(media_type: &str) -> Result<(), FetchError> {
    match TYPES.iter().find(|(beginning, _)| media_type.starts_with(beginning)) {
        Some((_, what)) => Err(FetchError::NoPage { what: format!("{what} ({media_type})") }),
        None => Ok(()),
    }
}

/// What an answer is and how it is to be read.
///
/// # Errors
/// `NoPage` and `Empty`.
pub fn contents(address: &Address, media_type: &str, bytes: &[u8]) -> Result<Contents, FetchError> {
    refuse_type(media_type)?;
    let of_type = || if media_type.is_empty() { String::new() } else { format!(" ({media_type})") };
    if let Some((_, what)) = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return Err(FetchError::NoPage { what: format!("{what}{}", of_type()) });
    }
    let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    if !is_wide && bytes.contains(&0) {
        return Err(FetchError::NoPage { what: format!("something that is no text{}", of_type()) });
    }
    if bytes.trim_ascii().is_empty() {
        return Err(FetchError::Empty);
    }
    let file = address.file_name();
    let file = if file.is_empty() { "page" } else { file };
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let ending = ending.to_ascii_lowercase();
    let is_named = ENDINGS.contains(&ending.as_str());
    let says_html = matches!(media_type, "text/html" | "application/xhtml+xml");
    // A server that knows no type for a file often calls it HTML; the file knows better.
    let is_html = if says_html { !is_named || begins_with_tag(bytes) } else { begins_as_html(bytes) };
    let name = match FORMS.iter().find(|(known, _)| *known == media_type) {
        _ if is_html => format!("{stem}.html"),
        Some((_, form)) if !is_named => format!("{file}.{form}"),
        _ => file.to_owned(),
    };
    Ok(Contents { name, is_html })
}

/// The first letters, without what may stand before them.
fn first(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

fn begins_with_tag(bytes: &[u8]) -> bool {
    first(bytes).starts_with(b"<")
}

fn begins_as_html(bytes: &[u8]) -> bool {
    let start: Vec<u8> = first(bytes).iter().take(16).map(u8::to_ascii_lowercase).collect();
    start.starts_with(b"<!doctype html") || start.starts_with(b"<html")
}

/// Whether a page asks for a password.
pub(super) fn asks_for_password(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    text.split("<input").skip(1).any(|rest| {
        let element: String = rest.split('>').next().unwrap_or_default().split(['"', '\'', ' ']).collect();
        element.contains("type=password")
    })
}
