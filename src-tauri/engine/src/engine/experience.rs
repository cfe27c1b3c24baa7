//! The rules of the field guide with what came of them on this machine: shown, and forgotten when the user says so.

use super::{Adviser, Engine, blocking};
use crate::guide::Local;
use crate::journal;
use crate::protocol::{EngineError, ErrorCode, GuideRule};

impl Engine {
    /// Every rule of the field guide, the user's own first.
    pub async fn guide_rules(&self) -> Result<Vec<GuideRule>, EngineError> {
        let guide = self.shared.brain.guide();
        blocking(move || Ok::<_, EngineError>(guide.list())).await
    }

    /// Forgets what came of a rule, or of all of them and of every choice among commands.
    ///
    /// # Errors
    /// `InvalidInput` where nothing came of such a rule, and what keeps the data folder from being written.
    pub async fn forget_experience(&self, rule: Option<String>) -> Result<(), EngineError> {
        let (guide, folder) = (self.shared.brain.guide(), self.info.data_folder.clone());
        blocking(move || forget(&guide, rule.as_deref(), folder.as_ref())).await
    }
}

impl Adviser {
    /// As [`Engine::guide_rules`].
    pub fn guide_rules(&self) -> Vec<GuideRule> {
        self.local.list()
    }

    /// As [`Engine::forget_experience`].
    ///
    /// # Errors
    /// As there.
    pub fn forget_experience(&self, rule: Option<&str>) -> Result<(), EngineError> {
        forget(&self.local, rule, &super::data_folder())
    }
}

fn forget(guide: &Local, rule: Option<&str>, folder: &std::path::Path) -> Result<(), EngineError> {
    if let Some(rule) = rule
        && guide.experience.of(rule) == Default::default()
    {
        let message =
            format!("Nothing is kept of a rule \"{rule}\". `planwright-cli rules --used` lists what is.");
        return Err(EngineError::new(ErrorCode::InvalidInput, message));
    }
    guide.experience.forget(rule).map_err(|error| journal::folder_error(folder, &error))
}
