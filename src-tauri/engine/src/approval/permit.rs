use sha2::{Digest, Sha256};

use super::Place;
use crate::protocol::{Action, AllowedBy};

/// Proof that this exact action may run once, in this folder and environment, under this plan revision. Made only by
/// [`super`]'s gate, taken by value by whatever runs things, neither `Clone` nor `Deserialize`: a run that nobody
/// allowed does not compile.
///
/// ```
/// # use planwright_engine::{approval::{Permit, Place}, protocol::{Action, AllowedBy}};
/// // What can be done with one that the gate gave:
/// fn check(permit: &Permit) -> bool { permit.covers(&Action::shell("true"), Place::Folder("/"), 1) }
/// ```
///
/// ```compile_fail,E0624
/// # use planwright_engine::{approval::{Permit, Place}, protocol::{Action, AllowedBy}};
/// let permit = Permit::new(&Action::shell("true"), Place::Folder("/"), 1, AllowedBy::User);
/// ```
///
/// ```compile_fail,E0599
/// # use planwright_engine::{approval::{Permit, Place}, protocol::{Action, AllowedBy}};
/// let permit = Permit::for_tests(&Action::shell("true"), Place::Folder("/"), 1);
/// ```
///
/// ```compile_fail,E0451
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// let permit = Permit { digest: [0; 32], any_environment: true, in_terminal: false, allowed_by: AllowedBy::User };
/// ```
///
/// ```compile_fail,E0599
/// # use planwright_engine::{approval::Permit, protocol::{Action, AllowedBy}};
/// fn twice(permit: Permit) -> (Permit, Permit) { (permit.clone(), permit) }
/// ```
#[derive(Debug)]
pub struct Permit {
    digest: [u8; 32],
    /// Given for a folder alone.
    any_environment: bool,
    /// For a run in a terminal with the user at it, and no other; or for any other, and not that.
    in_terminal: bool,
    allowed_by: AllowedBy,
}

impl Permit {
    pub(super) fn new(action: &Action, place: Place<'_>, revision: u32, allowed_by: AllowedBy) -> Self {
        let any_environment = match place {
            Place::Shell(_) => false,
            Place::Folder(_) => true,
        };
        let digest = digest(action, None, place, revision);
        Self { digest, any_environment, in_terminal: false, allowed_by }
    }

    /// The same for a terminal. Whoever sits there sees and answers what a command asks; without them the same command
    /// is another thing, so one is no permit for the other.
    pub(super) fn for_terminal(self) -> Self {
        Self { in_terminal: true, ..self }
    }

    /// A permit that no gate gave, for this crate's own tests of the runner: it is in no build that anybody else has.
    #[cfg(test)]
    pub(crate) fn for_tests(action: &Action, place: Place<'_>, revision: u32) -> Self {
        Self::new(action, place, revision, AllowedBy::User)
    }

    #[cfg(test)]
    pub(crate) fn for_terminal_tests(action: &Action, place: Place<'_>, revision: u32) -> Self {
        Self::for_tests(action, place, revision).for_terminal()
    }

    /// Whether this permit is for exactly this action, place and revision, without a terminal. One for a folder alone covers any
    /// environment in it.
    pub fn covers(&self, action: &Action, place: Place<'_>, revision: u32) -> bool {
        !self.in_terminal && self.is_for(action, place, revision)
    }

    /// The same for a run in a terminal.
    pub fn covers_in_terminal(&self, action: &Action, place: Place<'_>, revision: u32) -> bool {
        self.in_terminal && self.is_for(action, place, revision)
    }

    /// Whether it is for a run in a terminal.
    pub fn is_for_terminal(&self) -> bool {
        self.in_terminal
    }

    fn is_for(&self, action: &Action, place: Place<'_>, revision: u32) -> bool {
        let place = if self.any_environment { Place::Folder(place.cwd()) } else { place };
        self.digest == digest(action, None, place, revision)
    }

    pub fn allowed_by(&self) -> &AllowedBy {
        &self.allowed_by
    }
}

/// Of everything that an answer is for, with exact values in a fixed order; each text with its length before it, so that
/// no two of them can be told as one.
pub(super) fn digest(action: &Action, verify: Option<&Action>, place: Place<'_>, revision: u32) -> [u8; 32] {
    let mut hash = Sha256::new();
    add_action(&mut hash, action);
    hash.update([u8::from(verify.is_some())]);
    if let Some(verify) = verify {
        add_action(&mut hash, verify);
    }
    add(&mut hash, place.cwd());
    match place {
        Place::Folder(_) => hash.update(b"folder"),
        Place::Shell(shell) => {
            hash.update(b"shell");
            add_count(&mut hash, shell.environment.len());
            for (name, value) in &shell.environment {
                add(&mut hash, name);
                hash.update([u8::from(value.is_some())]);
                add(&mut hash, value.as_deref().unwrap_or_default());
            }
            for definitions in [&shell.variables, &shell.functions, &shell.aliases] {
                add_count(&mut hash, definitions.len());
                for (name, definition) in definitions {
                    add(&mut hash, name);
                    add(&mut hash, definition);
                }
            }
            add(&mut hash, &shell.umask);
            for list in [&shell.options, &shell.arguments, &shell.folders, &shell.traps] {
                add_count(&mut hash, list.len());
                list.iter().for_each(|text| add(&mut hash, text));
            }
        }
    }
    hash.update(revision.to_be_bytes());
    hash.finalize().into()
}

fn add_action(hash: &mut Sha256, action: &Action) {
    match action {
        Action::Shell { command } => {
            hash.update(b"shell\0");
            add(hash, command);
        }
        Action::Tool { tool, input, command } => {
            hash.update(b"tool\0");
            [tool, input, command].into_iter().for_each(|text| add(hash, text));
        }
        Action::Manual { instruction } => {
            hash.update(b"manual\0");
            add(hash, instruction);
        }
    }
}

fn add(hash: &mut Sha256, text: &str) {
    add_count(hash, text.len());
    hash.update(text.as_bytes());
}

fn add_count(hash: &mut Sha256, count: usize) {
    hash.update((count as u64).to_be_bytes());
}
