//! The project's own instructions for models: looked for before a model is asked, read to it only when the user has said so for
//! that folder and that text, and never a permission for anything.

use std::path::PathBuf;

use super::{Session, not_now};
use crate::brain::instructions;
use crate::protocol::{EngineError, Event, Instructions, InstructionsRule, InstructionsUse};

impl Session {
    /// Looks for instructions, and asks about those that nobody has answered for. `false`: stopped while waiting.
    pub(super) async fn find_instructions(&mut self) -> Result<bool, EngineError> {
        self.look_for_instructions(!self.is_unattended()).await?;
        while self.state.instructions.iter().any(|one| one.reading == InstructionsUse::Asked) {
            if self.control.interrupts() || !self.next_message().await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Those that nobody has answered for are left out, unless they are to be asked about.
    pub(super) async fn look_for_instructions(&mut self, ask: bool) -> Result<(), EngineError> {
        let (cwd, home) = (PathBuf::from(&self.state.cwd), self.shared.classifier.home().to_owned());
        let redactor = self.shared.redactor.clone();
        let looking = tokio::task::spawn_blocking(move || instructions::find(&cwd, &home, &redactor));
        let found = self.attend(Box::pin(looking)).await?.unwrap_or_default();
        let answers =
            if found.is_empty() { Default::default() } else { self.shared.journal.readings().await? };
        let rule = self.shared.settings().instructions;
        let found: Vec<Instructions> = found
            .into_iter()
            .map(|one| {
                let known = answers.get(&one.folder);
                let answered = known.filter(|known| known.digest == one.digest).map(|known| known.read);
                let reading = match (rule, answered) {
                    (InstructionsRule::Never, _) | (InstructionsRule::Ask, Some(false)) => {
                        InstructionsUse::Left
                    }
                    (InstructionsRule::Always, _) | (InstructionsRule::Ask, Some(true)) => {
                        InstructionsUse::Read
                    }
                    (InstructionsRule::Ask, None) if ask => InstructionsUse::Asked,
                    (InstructionsRule::Ask, None) => InstructionsUse::Left,
                };
                Instructions { changed: known.is_some() && answered.is_none(), reading, ..one }
            })
            .collect();
        if found != self.state.instructions {
            self.emit(vec![Event::InstructionsFound { found }]).await?;
        }
        Ok(())
    }

    /// The user's word about a folder's instructions, which may be another one than before.
    pub(super) async fn answer_instructions(
        &mut self,
        folder: String,
        digest: String,
        read: bool,
    ) -> Result<(), EngineError> {
        let shown = |one: &Instructions| one.folder == folder && one.digest == digest;
        if !self.state.instructions.iter().any(shown) {
            return Err(not_now("These instructions have changed. Look at them again."));
        }
        self.shared.journal.put_reading(folder.clone(), digest.clone(), read).await?;
        self.emit(vec![Event::InstructionsAnswered { folder, digest, read }]).await
    }

    /// What a model is told of them, in its room.
    pub(super) fn instructions_in_words(&self, room: Option<u32>) -> Option<String> {
        // Half a byte of what it reads for each token: an eighth of its room.
        let most = room.map_or(usize::MAX, |tokens| tokens as usize / 2);
        instructions::in_words(&self.state.instructions, most)
    }
}
