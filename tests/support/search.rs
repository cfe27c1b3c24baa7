//! Looks for a secret in everything that was written, in the forms that programs write it in.

use std::path::{Path, PathBuf};

/// The places below `folder`, and the names there, that hold `secret` in any form.
///
/// # Panics
/// When something there cannot be read: what was not read was not searched.
pub fn holding(folder: &Path, secret: &str) -> Vec<PathBuf> {
    let forms = forms(secret);
    let mut found = Vec::new();
    search(folder, &forms, &mut found);
    found
}

/// Whether the text holds it in any form.
pub fn holds(text: &[u8], secret: &str) -> bool {
    forms(secret).iter().any(|form| contains(text, form))
}

fn search(folder: &Path, forms: &[Vec<u8>], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap_or_else(|error| panic!("{error}")).path();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let kind = path.symlink_metadata().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let held = if kind.is_dir() {
            search(&path, forms, found);
            false
        } else {
            let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            forms.iter().any(|form| contains(&text, form))
        };
        if held || forms.iter().any(|form| contains(name, form)) {
            found.push(path);
        }
    }
}

/// As it is, as JSON writes it, percent-encoded (as little and as much as is usual), and in the three
/// ways that it can stand in base64, of both alphabets.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let percent = |plain: fn(u8) -> bool| -> Vec<u8> {
        let letter = |byte: u8| {
            if plain(byte) { vec![byte] } else { format!("%{byte:02X}").into_bytes() }
        };
        secret.bytes().flat_map(letter).collect()
    };
    let json = serde_json::Value::from(secret).to_string();
    let mut forms = vec![
        secret.as_bytes().to_vec(),
        json.trim_matches('"').as_bytes().to_vec(),
        percent(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)),
        percent(|byte| byte.is_ascii_graphic()),
        percent(|_| false),
    ];
    for before in 0..3 {
        let text = [&vec![b'x'; before][..], secret.as_bytes()].concat();
        let encoded = base64(&text);
        // The signs at the edges hold bits of what stands beside it.
        let inner = &encoded[(before * 8).div_ceil(6)..secret.len() * 8 / 6 + before];
        forms.push(inner.to_vec());
        forms.push(
            inner
                .iter()
                .map(|sign| match sign {
                    b'+' => b'-',
                    b'/' => b'_',
                    other => *other,
                })
                .collect(),
        );
    }
    forms
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    bits.chunks(6)
        .map(|six| {
            SIGNS[six.iter().chain(&[0; 6]).take(6).fold(0, |number, bit| number * 2 + usize::from(*bit))]
        })
        .collect()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found() {
        let secret = "Tr0ub4dor&3/ü";
        let texts = [
            "xTr0ub4dor&3/üx",
            "aVRyMHViNGRvciYzL8O8",
            "YWFUcjB1YjRkb3ImMy/DvA==",
            "VHIwdWI0ZG9yJjMvw7xhYmM=",
            "p=Tr0ub4dor%263%2F%C3%BC&",
        ];
        for text in texts {
            assert!(holds(text.as_bytes(), secret), "{text}");
        }
        assert!(!holds(b"Tr0ub4dor", secret));
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/file"), texts[1]).unwrap();
        std::fs::write(folder.path().join("other"), "nothing").unwrap();
        assert_eq!(holding(folder.path(), secret), [folder.path().join("in/file")]);
    }
}
