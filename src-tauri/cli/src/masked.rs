//! A password typed at the terminal: read from the terminal itself, whatever stdin is, with the echo off. What was typed is
//! wiped.

use std::io;

use planwright_engine::protocol::{SecretKind, SecretRequest};
use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::tty::{Keys, Tty};
use crate::words;

/// A terminal hands over no longer line.
const LINE_BYTES: usize = 4096;

/// Asks, and waits for a line; `None`: nothing was typed, which declines.
pub(crate) async fn ask(request: &SecretRequest) -> io::Result<Option<SecretString>> {
    let (what, keys) = match request.kind {
        SecretKind::Password => ("password, not shown", Keys::Hidden),
        SecretKind::Passphrase => ("passphrase, not shown", Keys::Hidden),
        SecretKind::Username => ("name", Keys::Shown),
        SecretKind::Confirm => ("yes or no", Keys::Shown),
    };
    let tty = Hidden { tty: Tty::take(keys)?, keys };
    let program = words::one_line(&request.program);
    tty.tty.say(&format!("     For {program} alone ({what}; empty declines): "))?;
    let mut line = Zeroizing::new(vec![0; LINE_BYTES]);
    let length = tty.tty.read(&mut line).await?;
    line.truncate(length);
    let text = std::str::from_utf8(&line).unwrap_or_default().trim_end_matches(['\r', '\n']);
    let declines = match request.kind {
        SecretKind::Confirm => !matches!(text.trim().to_lowercase().as_str(), "y" | "yes"),
        SecretKind::Password | SecretKind::Passphrase | SecretKind::Username => text.is_empty(),
    };
    let answer = if request.kind == SecretKind::Confirm { "yes" } else { text };
    Ok((!declines).then(|| SecretString::from(answer)))
}

struct Hidden {
    tty: Tty,
    keys: Keys,
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if self.keys == Keys::Hidden {
            // The line break that was typed was not shown either. A terminal that is gone needs nothing.
            drop(self.tty.say("\n"));
        }
    }
}
