use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::{Engine, gone, place};
use crate::address::{Address, FetchError, FetchLimits, Fetched, fetch};
use crate::plan::{check, inputs, runbook};
use crate::protocol::{EngineError, ErrorCode, Mode, OnFailure, Plan, PlanOrigin, SessionId, SessionState};
use crate::session::{Message, UNNAMED};

/// A runbook or a plan, as bytes that nothing is assumed about.
#[derive(Debug, Clone)]
pub struct ImportSource {
    /// The file's name; empty or "-" for pasted text.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Where it is, absolute; `None` for a text that is no file.
    pub path: Option<PathBuf>,
}

/// A page from an address, read into the memory and not yet understood.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    page: Fetched,
}

impl FetchedPage {
    /// Where the address led, for people; `None` when it is the page's own.
    pub fn led_to(&self) -> Option<String> {
        self.page.led.last().map(ToString::to_string)
    }

    fn source(&self) -> ImportSource {
        ImportSource { name: self.page.contents.name.clone(), bytes: self.page.bytes.clone(), path: None }
    }

    /// A page without commands has a reason that its text does not tell.
    fn explained(&self, error: EngineError) -> EngineError {
        match error.code {
            ErrorCode::NoCommands if self.page.asks_for_password => FetchError::SignIn.into(),
            ErrorCode::NoCommands if self.page.contents.is_html => {
                let message = format!(
                    "{} If a browser shows commands there, a program of the page puts them in: copy them from the \
                     browser and paste them.",
                    error.message
                );
                EngineError::new(error.code, message)
            }
            _ => error,
        }
    }
}

impl Engine {
    /// Makes a draft of a runbook (Markdown, shell) or a plan (JSON), assessed step by step, and runs nothing.
    ///
    /// # Errors
    /// Whatever is wrong with the source, with what to do about it; then no plan is made.
    pub async fn read_plan(&self, source: &ImportSource, cwd: &str) -> Result<Plan, EngineError> {
        let classifier = &self.shared.classifier;
        let mut plan =
            runbook::import(&source.bytes, &source.name, &classifier.machine().await, classifier.reader())
                .await?;
        let settings = self.settings();
        // A page says nothing of modes; a plan as JSON may.
        if matches!(plan.origin, PlanOrigin::Runbook { .. }) {
            if plan.mode == Mode::default() {
                plan.mode = settings.default_mode;
            }
            if plan.on_failure == OnFailure::default() {
                plan.on_failure = settings.on_failure;
            }
        }
        let offers = classifier.offers(cwd).await;
        inputs::offer(&mut plan.inputs, &offers, |name| classifier.environment().get(name).cloned());
        let shell = inputs::shell_with_inputs(&Self::shell_in(cwd), &plan);
        classifier.assess_plan(&mut plan, &shell, cwd).await;
        check::add_findings(&mut plan, &source.bytes, &|path| Path::new(cwd).join(path).exists());
        if let Some(page) = plan.page.as_mut() {
            let path = source.path.as_deref().and_then(Path::to_str);
            Arc::make_mut(page).path = path.map(str::to_owned);
        }
        Ok(plan)
    }

    /// Imports into a session that has no plan yet, or into a new one. Nothing is made when the source is no plan.
    pub async fn import(
        &self,
        source: ImportSource,
        cwd: Option<String>,
        session: Option<SessionId>,
    ) -> Result<SessionState, EngineError> {
        self.import_with(source, cwd, session, None).await
    }

    /// The same; `on_failure` goes before what the plan and the settings say.
    pub async fn import_with(
        &self,
        source: ImportSource,
        cwd: Option<String>,
        session: Option<SessionId>,
        on_failure: Option<OnFailure>,
    ) -> Result<SessionState, EngineError> {
        let (session, cwd) = self.place_for(cwd, session).await?;
        let plan = self.read_plan(&source, &cwd).await?;
        self.adopt(plan, &source.bytes, cwd, session, on_failure).await
    }

    /// Fetches the page behind an address: the one document, and nothing that it names.
    ///
    /// # Errors
    /// Whatever keeps it from being had, with what to do (see [`FetchError`]).
    pub async fn fetch_page(&self, address: &str) -> Result<FetchedPage, EngineError> {
        let page = fetch(&Address::parse(address)?, &FetchLimits::default()).await?;
        Ok(FetchedPage { page })
    }

    /// Makes a draft of a page from an address, as [`Self::read_plan`] does; its origin is the address.
    ///
    /// # Errors
    /// Those of [`Self::read_plan`].
    pub async fn read_fetched(&self, page: &FetchedPage, cwd: &str) -> Result<Plan, EngineError> {
        let mut plan = self.read_plan(&page.source(), cwd).await.map_err(|error| page.explained(error))?;
        if let PlanOrigin::Runbook { name } | PlanOrigin::Json { name } = &mut plan.origin {
            *name = page.page.address.to_string();
        }
        Ok(plan)
    }

    /// Imports a page that was fetched.
    pub async fn import_fetched(
        &self,
        page: &FetchedPage,
        cwd: Option<String>,
        session: Option<SessionId>,
        on_failure: Option<OnFailure>,
    ) -> Result<SessionState, EngineError> {
        let (session, cwd) = self.place_for(cwd, session).await?;
        let plan = self.read_fetched(page, &cwd).await?;
        self.adopt(plan, &page.page.bytes, cwd, session, on_failure).await
    }

    /// Imports the page behind an address.
    pub async fn import_address(
        &self,
        address: &str,
        cwd: Option<String>,
        session: Option<SessionId>,
    ) -> Result<SessionState, EngineError> {
        let page = self.fetch_page(address).await?;
        self.import_fetched(&page, cwd, session, None).await
    }

    /// The session that takes a plan, when it has none yet, and the folder that the plan is for.
    async fn place_for(
        &self,
        cwd: Option<String>,
        session: Option<SessionId>,
    ) -> Result<(Option<SessionState>, String), EngineError> {
        let session = match session {
            Some(id) => Some(self.open_session(id).await?).filter(|state| state.plan.is_none()),
            None => None,
        };
        let cwd = match (&session, cwd) {
            (Some(state), _) => state.cwd.clone(),
            (None, Some(cwd)) => place::workspace(&cwd)?,
            (None, None) => place::workspace(&self.info.home)?,
        };
        Ok((session, cwd))
    }

    async fn adopt(
        &self,
        mut plan: Plan,
        page: &[u8],
        cwd: String,
        session: Option<SessionState>,
        on_failure: Option<OnFailure>,
    ) -> Result<SessionState, EngineError> {
        plan.on_failure = on_failure.unwrap_or(plan.on_failure);
        let id = match session {
            Some(state) => {
                if state.title == UNNAMED {
                    self.submit(state.id, crate::protocol::Command::Rename { title: plan.title.clone() })
                        .await?;
                }
                state.id
            }
            None => self.create_session(Some(plan.title.clone()), Some(cwd)).await?.id,
        };
        // Kept to be shown beside the plan, and to be mended.
        if plan.page.is_some()
            && let Err(error) = self.shared.journal.keep_page(id, page.to_vec()).await
        {
            tracing::warn!("the page cannot be shown beside its plan: {error}");
        }
        let (reply, answer) = oneshot::channel();
        self.send(id, Message::Adopt(Box::new(plan), reply)).await?;
        answer.await.map_err(|_| gone())??;
        self.open_session(id).await
    }

    /// Imports a file; the session's folder is the file's own unless another is given.
    pub async fn import_file(
        &self,
        path: &Path,
        cwd: Option<String>,
        session: Option<SessionId>,
    ) -> Result<SessionState, EngineError> {
        let source = read_source(path).await?;
        let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cwd = cwd.unwrap_or_else(|| beside.display().to_string());
        self.import(source, Some(cwd), session).await
    }
}

impl ImportSource {
    /// Reads a file: at most what may be imported, so that a huge one costs nothing.
    pub async fn from_file(path: &Path) -> Result<Self, EngineError> {
        read_source(path).await
    }
}

async fn read_source(path: &Path) -> Result<ImportSource, EngineError> {
    use tokio::io::AsyncReadExt as _;
    let unreadable = |error: std::io::Error| {
        let message = format!(
            "{} cannot be read: {}. Check that it exists and that you may read it.",
            path.display(),
            EngineError::reason(&error)
        );
        EngineError::new(ErrorCode::FileUnreadable, message)
    };
    let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(crate::plan::MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut bytes).await.map_err(unreadable)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = tokio::fs::canonicalize(path).await.ok();
    Ok(ImportSource { name, bytes, path })
}
