//! The bundled runbooks: small, real, offline, each in a scratch folder of its own.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{Engine, ImportSource};
use crate::plan::page::Machine;
use crate::plan::runbook;
use crate::protocol::{EngineError, ErrorCode, SessionState};

/// A bundled runbook, for the window's first minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// The file's name without its ending.
    pub id: String,
    pub title: String,
    /// The page's first sentence.
    pub summary: String,
    /// Steps of the page, before any repair.
    pub steps: u32,
}

macro_rules! pages {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../../../examples/", $id, ".md")))),*]
    };
}

const PAGES: &[(&str, &str)] = pages!["photo-notes", "first-repository", "recipe-site", "spring-cleaning"];

impl Engine {
    pub fn examples(&self) -> Vec<Example> {
        PAGES.iter().filter_map(|(id, text)| describe(id, text)).collect()
    }

    /// Makes a scratch folder in the data folder and imports the example there as a draft.
    pub async fn try_example(&self, id: &str) -> Result<SessionState, EngineError> {
        let Some((_, text)) = PAGES.iter().find(|(known, _)| *known == id) else {
            return Err(EngineError::new(ErrorCode::InvalidInput, "There is no such example."));
        };
        let cwd = self.scratch_folder(id)?;
        let source = ImportSource { name: format!("{id}.md"), bytes: text.as_bytes().to_owned(), path: None };
        self.import(source, Some(cwd), None).await
    }

    fn scratch_folder(&self, id: &str) -> Result<String, EngineError> {
        let name = format!("{id}-{}", crate::protocol::Time::now().0.strftime("%Y%m%d-%H%M%S-%3f"));
        let folder = std::path::Path::new(&self.info.data_folder).join("scratch").join(name);
        fs::create_dir_all(&folder).map_err(|error| {
            let message = format!(
                "The scratch folder {} cannot be made: {error}. Make room, or check its permissions.",
                folder.display()
            );
            EngineError::new(ErrorCode::DataFolderReadOnly, message)
        })?;
        Ok(folder.display().to_string())
    }
}

fn describe(id: &str, text: &str) -> Option<Example> {
    let page = runbook::blocks(text, id, &Machine::default()).ok()?;
    Some(Example {
        id: id.to_owned(),
        title: page.title.clone()?,
        summary: first_sentence(&page.intro),
        steps: u32::try_from(page.blocks.iter().filter(|block| block.is_taken()).count()).ok()?,
    })
}

fn first_sentence(text: &str) -> String {
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text.to_owned(),
    }
}
