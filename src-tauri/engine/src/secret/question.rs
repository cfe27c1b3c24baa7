//! A question as it arrives: untrusted text. What kind it is, what of it is shown, and what makes two of them the same.

use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;

use crate::protocol::SecretKind;

/// No question is longer, in bytes.
const QUESTION_BYTES: u64 = 16 * 1024;
/// Longest prompt that is shown, in characters: an unknown host's question has some 300.
const PROMPT: usize = 1000;

/// What the worker's askpass mode sends: one line of JSON.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    prompt: String,
    /// ssh wants a yes or a no and looks only at how the helper ends.
    confirm: bool,
}

impl Question {
    /// Reads up to the line's end; `None` for anything else.
    pub(super) async fn read(stream: &mut UnixStream) -> Option<Self> {
        let mut line = Vec::new();
        let mut chunk = [0; 1024];
        let mut from = stream.take(QUESTION_BYTES);
        while !line.ends_with(b"\n") {
            let length = from.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
            line.extend_from_slice(&chunk[..length]);
        }
        serde_json::from_slice(&line).ok()
    }

    /// The prompt as it is shown.
    pub(super) fn words(&self) -> String {
        let text = self.prompt.replace("\r\n", "\n");
        let clean: String = text.chars().filter(|letter| *letter == '\n' || is_harmless(*letter)).collect();
        bounded(clean.trim(), PROMPT)
    }

    pub(super) fn kind(&self) -> SecretKind {
        let prompt = self.prompt.to_lowercase();
        if self.confirm || prompt.contains("yes/no") || prompt.contains("'yes'") {
            SecretKind::Confirm
        } else if prompt.trim_start().starts_with("username") {
            SecretKind::Username
        } else if prompt.contains("passphrase") {
            SecretKind::Passphrase
        } else {
            SecretKind::Password
        }
    }

    /// The same for two questions when the second one means that the first one's answer was wrong.
    pub(super) fn subject(&self) -> String {
        let words = self.words();
        let subject = words.strip_prefix("Bad passphrase, try again for ").unwrap_or(&words);
        subject.strip_prefix("Enter passphrase for ").unwrap_or(subject).to_owned()
    }
}

/// On one line, without what steers a terminal or hides in a text.
pub(super) fn one_line(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| is_harmless(*letter))
        .collect();
    clean.trim().to_owned()
}

pub(super) fn bounded(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// No control character, and none that is invisible or turns the text round.
fn is_harmless(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(prompt: &str) -> Question {
        Question { prompt: prompt.to_owned(), confirm: false }
    }

    #[test]
    fn kinds_are_told_by_the_words() {
        let kinds = [
            ("[sudo] password for ada: ", SecretKind::Password),
            ("Username for 'https://git.example': ", SecretKind::Username),
            ("Password for 'https://username@git.example': ", SecretKind::Password),
            ("Enter passphrase for key '/home/ada/.ssh/id_ed25519': ", SecretKind::Passphrase),
            ("ada@host's password: ", SecretKind::Password),
            ("Are you sure you want to continue connecting (yes/no/[fingerprint])? ", SecretKind::Confirm),
            ("Please type 'yes', 'no' or the fingerprint: ", SecretKind::Confirm),
            ("Enter PIN for ECDSA-SK key: ", SecretKind::Password),
            ("", SecretKind::Password),
        ];
        for (prompt, kind) in kinds {
            assert_eq!(question(prompt).kind(), kind, "{prompt}");
        }
        let confirm = Question { confirm: true, ..question("Allow use of key x?") };
        assert_eq!(confirm.kind(), SecretKind::Confirm);
    }

    #[test]
    fn a_prompt_is_only_text() {
        assert_eq!(question("\u{1b}[2J\u{202e}a\r\nb\u{0}\u{200b}\tc ").words(), "[2Ja\nbc");
        let long = question(&"é".repeat(5000)).words();
        assert_eq!(long.chars().count(), PROMPT + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn a_second_try_is_about_the_same() {
        let first = question("Enter passphrase for /k: ").subject();
        assert_eq!(question("Bad passphrase, try again for /k: ").subject(), first);
        assert_ne!(question("Enter passphrase for /other: ").subject(), first);
    }
}
