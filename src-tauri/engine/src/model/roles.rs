use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::ModelProvider;
use crate::protocol::ModelRole;

/// The models in use, by role (M6). Clones share them; switching one is seen by whoever asks next, and a call under way
/// ends with the model it began with.
#[derive(Clone, Default)]
pub struct Models {
    roles: Arc<RwLock<Roles>>,
}

#[derive(Default)]
struct Roles {
    main: Option<Arc<dyn ModelProvider>>,
    stronger: Option<Arc<dyn ModelProvider>>,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |role| self.get(role).map(|model| model.name());
        f.debug_struct("Models")
            .field("main", &name(ModelRole::Main))
            .field("stronger", &name(ModelRole::Stronger))
            .finish()
    }
}

impl Models {
    /// With this main model and no other; `None` is rules only.
    pub fn of(main: Option<Arc<dyn ModelProvider>>) -> Self {
        let models = Self::default();
        models.set(ModelRole::Main, main);
        models
    }

    pub fn get(&self, role: ModelRole) -> Option<Arc<dyn ModelProvider>> {
        let roles = self.roles.read().unwrap_or_else(PoisonError::into_inner);
        match role {
            ModelRole::Main => roles.main.clone(),
            ModelRole::Stronger => roles.stronger.clone(),
        }
    }

    pub fn main(&self) -> Option<Arc<dyn ModelProvider>> {
        self.get(ModelRole::Main)
    }

    pub fn set(&self, role: ModelRole, model: Option<Arc<dyn ModelProvider>>) {
        let mut roles = self.roles.write().unwrap_or_else(PoisonError::into_inner);
        match role {
            ModelRole::Main => roles.main = model,
            ModelRole::Stronger => roles.stronger = model,
        }
    }
}
