use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use planwright_shell::Facts;

use crate::checkpoint::tell_what_is_kept;
use crate::explain;
use crate::protocol::{Assessment, Explanation, Plan, Risk, ShellState, Step, UndoOutlook};
use crate::risk::{self, DiskPaths, Workspace};
use crate::shell::ShellReader;

/// Reads a command in the worker and judges what was found, in the shell state that it would run in.
#[derive(Debug, Clone)]
pub(crate) struct Assessor {
    reader: ShellReader,
    environment: Arc<BTreeMap<String, String>>,
    home: PathBuf,
    user: String,
}

/// A command read and judged.
#[derive(Debug, Clone)]
pub(crate) struct Assessed {
    pub(crate) facts: Facts,
    pub(crate) assessment: Assessment,
}

impl Assessor {
    pub(crate) fn new(
        reader: ShellReader,
        environment: BTreeMap<String, String>,
        home: PathBuf,
        user: String,
    ) -> Self {
        Self { reader, environment: Arc::new(environment), home, user }
    }

    pub(crate) fn reader(&self) -> &ShellReader {
        &self.reader
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) async fn assess(&self, command: &str, shell: &ShellState, root: &str) -> Assessed {
        let facts = self.reader.read(command).await;
        let (environment, functions) = self.surroundings(shell).await;
        let workspace = self.workspace(shell, root, &environment, &functions);
        let mut assessment = risk::assess(command, &facts, &workspace);
        tell_what_is_kept(&mut assessment, Path::new(root), &self.home);
        Assessed { facts, assessment }
    }

    /// The same for a command that a model runs in conversation: what it prints goes to the model.
    pub(crate) async fn assess_for_model(&self, command: &str, shell: &ShellState, root: &str) -> Assessed {
        let facts = self.reader.read(command).await;
        let (environment, functions) = self.surroundings(shell).await;
        let workspace = self.workspace(shell, root, &environment, &functions);
        let mut assessment = risk::assess_for_model(command, &facts, &workspace);
        tell_what_is_kept(&mut assessment, Path::new(root), &self.home);
        Assessed { facts, assessment }
    }

    pub(crate) async fn explain(&self, command: &str, shell: &ShellState, root: &str) -> Explanation {
        let facts = self.reader.read(command).await;
        let (environment, functions) = self.surroundings(shell).await;
        let workspace = self.workspace(shell, root, &environment, &functions);
        let mut assessment = risk::assess(command, &facts, &workspace);
        tell_what_is_kept(&mut assessment, Path::new(root), &self.home);
        explain::explain(command, &facts, assessment, &workspace)
    }

    /// A step with its check: the stricter of the two, with the reasons of both.
    pub(crate) async fn assess_step(&self, step: &Step, shell: &ShellState, root: &str) -> Assessed {
        let mut assessed = self.assess(step.action.command(), shell, root).await;
        if let Some(verify) = &step.verify {
            let check = self.assess(verify, shell, root).await.assessment;
            merge(&mut assessed.assessment, check);
        }
        assessed
    }

    /// Fills in the assessment of every step that has none, as judged before anything has run.
    pub(crate) async fn assess_plan(&self, plan: &mut Plan, shell: &ShellState, root: &str) {
        for step in &mut plan.steps {
            if step.assessment.is_some() {
                continue;
            }
            let assessed = self.assess_step(step, shell, root).await;
            step.assessment = Some(assessed.assessment);
        }
    }

    async fn surroundings(&self, shell: &ShellState) -> (BTreeMap<String, String>, BTreeMap<String, Facts>) {
        let mut environment = (*self.environment).clone();
        for (name, value) in &shell.environment {
            match value {
                Some(value) => environment.insert(name.clone(), value.clone()),
                None => environment.remove(name),
            };
        }
        let mut functions = BTreeMap::new();
        for (name, definition) in &shell.functions {
            functions.insert(name.clone(), self.reader.read(definition).await);
        }
        (environment, functions)
    }

    fn workspace<'a>(
        &self,
        shell: &ShellState,
        root: &str,
        environment: &'a BTreeMap<String, String>,
        functions: &'a BTreeMap<String, Facts>,
    ) -> Workspace<'a> {
        Workspace {
            root: PathBuf::from(root),
            cwd: PathBuf::from(&shell.cwd),
            home: self.home.clone(),
            user: self.user.clone(),
            environment,
            functions,
            paths: &DiskPaths,
        }
    }
}

fn merge(into: &mut Assessment, check: Assessment) {
    into.risk = into.risk.max(check.risk);
    into.reasons.extend(check.reasons);
    into.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.risk));
    let effects = &mut into.effects;
    effects.deletes |= check.effects.deletes;
    effects.changes_tree_ownership |= check.effects.changes_tree_ownership;
    effects.raises_privilege |= check.effects.raises_privilege;
    effects.writes_outside |= check.effects.writes_outside;
    effects.uses_network |= check.effects.uses_network;
    effects.installs_packages |= check.effects.installs_packages;
    effects.only_files &= check.effects.only_files || check.risk == Risk::Safe;
    effects.touches.extend(check.effects.touches);
    if check.undo != UndoOutlook::NotNeeded && into.undo == UndoOutlook::NotNeeded {
        into.undo = check.undo;
    }
}
