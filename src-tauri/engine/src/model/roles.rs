use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::ModelProvider;
use super::veiled::Veiled;
use crate::protocol::{ModelRole, ModelStatus};
use crate::redact::Redactor;

/// The models in use, by role (M6). Clones share them; switching one is seen by whoever asks next, and a call under way
/// ends with the model it began with.
#[derive(Clone, Default)]
pub struct Models {
    roles: Arc<RwLock<Roles>>,
}

#[derive(Default)]
struct Roles {
    main: Role,
    stronger: Role,
    from_environment: bool,
    /// The environment names the stronger model.
    stronger_from_environment: bool,
    redactor: Option<Redactor>,
}

#[derive(Default)]
struct Role {
    model: Option<Arc<dyn ModelProvider>>,
    problem: Option<String>,
}

impl Roles {
    fn role(&self, role: ModelRole) -> &Role {
        match role {
            ModelRole::Main => &self.main,
            ModelRole::Stronger => &self.stronger,
        }
    }

    fn role_mut(&mut self, role: ModelRole) -> &mut Role {
        match role {
            ModelRole::Main => &mut self.main,
            ModelRole::Stronger => &mut self.stronger,
        }
    }
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
    /// With this main model, which the environment or a test names and the settings cannot change; `None`: the settings
    /// say which.
    pub fn of(main: Option<Arc<dyn ModelProvider>>) -> Self {
        let roles = Roles {
            from_environment: main.is_some(),
            main: Role { model: main, problem: None },
            ..Roles::default()
        };
        Self { roles: Arc::new(RwLock::new(roles)) }
    }

    /// The environment names a main model that cannot be used: there is none, and `problem` says why.
    pub fn unusable(problem: String) -> Self {
        let roles = Roles {
            from_environment: true,
            main: Role { model: None, problem: Some(problem) },
            ..Roles::default()
        };
        Self { roles: Arc::new(RwLock::new(roles)) }
    }

    /// With this stronger model, which the environment names and the settings cannot change; `None`: the settings say which.
    pub fn and_stronger(self, stronger: Option<Arc<dyn ModelProvider>>) -> Self {
        if stronger.is_some() {
            let mut roles = self.roles.write().unwrap_or_else(PoisonError::into_inner);
            roles.stronger_from_environment = true;
            roles.stronger = Role { model: stronger, problem: None };
        }
        self
    }

    /// The environment names a stronger model that cannot be used.
    pub fn and_unusable_stronger(self, problem: String) -> Self {
        {
            let mut roles = self.roles.write().unwrap_or_else(PoisonError::into_inner);
            roles.stronger_from_environment = true;
            roles.stronger = Role { model: None, problem: Some(problem) };
        }
        self
    }

    /// From now on no model is told what this knows to be secret.
    pub fn hide(&self, redactor: Redactor) {
        self.roles.write().unwrap_or_else(PoisonError::into_inner).redactor = Some(redactor);
    }

    pub fn get(&self, role: ModelRole) -> Option<Arc<dyn ModelProvider>> {
        self.read(|roles| {
            let model = roles.role(role).model.clone()?;
            Some(match &roles.redactor {
                Some(redactor) => Arc::new(Veiled { model, redactor: redactor.clone() }),
                None => model,
            })
        })
    }

    pub fn main(&self) -> Option<Arc<dyn ModelProvider>> {
        self.get(ModelRole::Main)
    }

    /// Whether the environment names the main model.
    pub fn from_environment(&self) -> bool {
        self.read(|roles| roles.from_environment)
    }

    /// Whether the environment says which model is in this role.
    pub fn is_pinned(&self, role: ModelRole) -> bool {
        self.read(|roles| match role {
            ModelRole::Main => roles.from_environment,
            ModelRole::Stronger => roles.stronger_from_environment,
        })
    }

    pub fn status(&self) -> ModelStatus {
        self.read(|roles| {
            let problems: Vec<&str> =
                [&roles.main, &roles.stronger].iter().filter_map(|role| role.problem.as_deref()).collect();
            ModelStatus {
                main: roles.main.model.as_ref().map(|model| model.info()),
                stronger: roles.stronger.model.as_ref().map(|model| model.info()),
                problem: (!problems.is_empty()).then(|| problems.join("\n")),
                from_environment: roles.from_environment,
            }
        })
    }

    pub fn set_provider(&self, role: ModelRole, model: Option<Arc<dyn ModelProvider>>) {
        self.write(role, Role { model, problem: None });
    }

    /// There is no model in this role, though one was chosen.
    pub fn fail(&self, role: ModelRole, problem: String) {
        self.write(role, Role { model: None, problem: Some(problem) });
    }

    fn read<T>(&self, read: impl FnOnce(&Roles) -> T) -> T {
        read(&self.roles.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, role: ModelRole, content: Role) {
        *self.roles.write().unwrap_or_else(PoisonError::into_inner).role_mut(role) = content;
    }
}
