use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::protocol::AgentCorrection;

/// Answers that one run keeps.
const KEPT: usize = 64;

type Key = [u8; 32];

/// What the models answered in one run (M6a): the same question is answered from here. Clones share it; a new plan
/// begins with an empty one. Answers that could not be used are not kept.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    known: Arc<Mutex<HashMap<Key, AgentCorrection>>>,
}

impl Answers {
    pub(super) fn find(&self, model: &str, system: &str, messages: &[String]) -> Option<AgentCorrection> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&key(model, system, messages)).cloned()
    }

    pub(super) fn keep(&self, model: &str, system: &str, messages: &[String], answer: &AgentCorrection) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < KEPT {
            known.insert(key(model, system, messages), answer.clone());
        }
    }
}

/// Each part with its length before it, so that no two questions run into the same text.
fn key(model: &str, system: &str, messages: &[String]) -> Key {
    let mut hash = Sha256::new();
    for part in [model, system].into_iter().chain(messages.iter().map(String::as_str)) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}
