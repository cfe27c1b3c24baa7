use sha2::{Digest, Sha256};

use crate::protocol::{Action, AllowedBy};

/// Proof that this exact action may run once, in this folder, under this plan revision. Made only by
/// [`super`]'s gate, taken by value by whatever runs things, neither `Clone` nor `Deserialize`: a run that nobody
/// allowed does not compile.
///
/// ```
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// // What can be done with one that the gate gave:
/// fn check(permit: &Permit) -> bool { permit.covers(&Action::shell("true"), "/", 1) }
/// ```
///
/// ```compile_fail,E0624
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// let permit = Permit::new(&Action::shell("true"), "/", 1, AllowedBy::User);
/// ```
///
/// ```compile_fail,E0599
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// let permit = Permit::for_tests(&Action::shell("true"), "/", 1);
/// ```
///
/// ```compile_fail,E0451
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// let permit = Permit { digest: [0; 32], allowed_by: AllowedBy::User };
/// ```
///
/// ```compile_fail,E0599
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// fn twice(permit: Permit) -> (Permit, Permit) { (permit.clone(), permit) }
/// ```
#[derive(Debug)]
pub struct Permit {
    digest: [u8; 32],
    allowed_by: AllowedBy,
}

impl Permit {
    pub(super) fn new(action: &Action, cwd: &str, revision: u32, allowed_by: AllowedBy) -> Self {
        Self { digest: digest(action, cwd, revision), allowed_by }
    }

    /// A permit that no gate gave, for this crate's own tests of the runner: it is in no build that anybody else has.
    #[cfg(test)]
    pub(crate) fn for_tests(action: &Action, cwd: &str, revision: u32) -> Self {
        Self::new(action, cwd, revision, AllowedBy::User)
    }

    /// Whether this permit is for exactly this action, folder and revision.
    pub fn covers(&self, action: &Action, cwd: &str, revision: u32) -> bool {
        self.digest == digest(action, cwd, revision)
    }

    pub fn allowed_by(&self) -> &AllowedBy {
        &self.allowed_by
    }
}

fn digest(action: &Action, cwd: &str, revision: u32) -> [u8; 32] {
    let mut hash = Sha256::new();
    match action {
        Action::Shell { command } => {
            hash.update(b"shell\0");
            hash.update((command.len() as u64).to_be_bytes());
            hash.update(command.as_bytes());
        }
        Action::Tool { tool, input, command } => {
            hash.update(b"tool\0");
            for text in [tool, input, command] {
                hash.update((text.len() as u64).to_be_bytes());
                hash.update(text.as_bytes());
            }
        }
    }
    hash.update((cwd.len() as u64).to_be_bytes());
    hash.update(cwd.as_bytes());
    hash.update(revision.to_be_bytes());
    hash.finalize().into()
}
