use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use planwright_shell::Facts;

use crate::checkpoint::tell_what_is_kept;
use crate::explain;
use crate::keyboard;
use crate::plan::inputs::{Offers, has_reference};
use crate::plan::page::Machine;
use crate::policy::{self, WouldRun};
use crate::protocol::{
    Action, Assessment, Effects, Explanation, KeyboardNeed, Plan, Risk, RiskReason, ShellState, Step,
    UndoOutlook,
};
use crate::risk::{self, DiskPaths, Paths as _, Run, Workspace};
use crate::runner::{HANDED_ON, handed_on_place, plain_variables};
use crate::shell::{ShellReader, with_aliases};

/// Texts whose reading is kept.
const REMEMBERED: usize = 128;

/// Reads a command in the worker and judges what was found, in the shell state that it would run in.
#[derive(Debug, Clone)]
pub(crate) struct RiskClassifier {
    reader: ShellReader,
    environment: Arc<BTreeMap<String, String>>,
    home: PathBuf,
    user: String,
    /// What the reader found in commands and in the functions that steps carry on, by their text. They are judged anew
    /// each time (when the plan is shown, before a step runs, with every command after), but need not be read anew.
    known: Arc<Mutex<BTreeMap<String, Facts>>>,
}

/// What the traps of the shell would do, as a text.
fn traps_of(shell: &ShellState) -> Option<String> {
    let bodies = shell.traps.iter().filter_map(|trap| trap.strip_prefix("trap -- ")?.rsplit_once(' '));
    let bodies: Vec<String> = bodies.map(|(body, _)| format!("eval {body}")).collect();
    (!bodies.is_empty()).then(|| bodies.join("\n"))
}

/// What a command makes the traps of the shell do, other than they would without it, is told and counts as its own: they were
/// judged where they were set. `behind`: they with the command before them; `alone`: without.
fn add_traps(assessment: &mut Assessment, behind: Assessment, alone: &Assessment) {
    let is_known = |reason: &RiskReason| alone.reasons.iter().any(|known| known.text == reason.text);
    let touches =
        |path: &String| assessment.effects.touches.contains(path) || alone.effects.touches.contains(path);
    let worse: Vec<RiskReason> =
        behind.reasons.into_iter().filter(|reason| reason.risk > assessment.risk).collect();
    if worse.iter().all(is_known) && behind.effects.touches.iter().all(touches) {
        return;
    }
    assessment.risk = assessment.risk.max(behind.risk);
    assessment.reasons.extend(worse.into_iter().map(|reason| RiskReason {
        text: format!("a trap that was set before {}", reason.text),
        start: None,
        ..reason
    }));
}

/// A command read and judged.
#[derive(Debug, Clone)]
pub(crate) struct Assessed {
    pub(crate) would_run: WouldRun,
    pub(crate) assessment: Assessment,
}

impl Assessed {
    /// Of what runs nothing.
    fn nothing() -> Self {
        let assessment = Assessment {
            risk: Risk::Safe,
            reasons: Vec::new(),
            effects: Effects { only_files: true, ..Effects::default() },
            undo: UndoOutlook::NotNeeded,
            keyboard: None,
        };
        Self { would_run: WouldRun::default(), assessment }
    }
}

impl RiskClassifier {
    pub(crate) fn new(
        reader: ShellReader,
        environment: BTreeMap<String, String>,
        home: PathBuf,
        user: String,
    ) -> Self {
        Self { reader, environment: Arc::new(environment), home, user, known: Arc::default() }
    }

    /// What pages are read for, as it is now.
    pub(crate) async fn machine(&self) -> Machine {
        let (environment, home, user) = (Arc::clone(&self.environment), self.home.clone(), self.user.clone());
        let look = move || super::machine::this_machine(&environment, &home, &user);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// What it has to offer where a plan asks for something.
    pub(crate) async fn offers(&self, folder: &str) -> Offers {
        let (user, folder) = (self.user.clone(), folder.to_owned());
        tokio::task::spawn_blocking(move || super::machine::offers(user, folder)).await.unwrap_or_default()
    }

    pub(crate) fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
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
        self.judge(command, shell, root, risk::assess).await
    }

    /// The same for a command that a model runs in conversation: what it prints goes to the model.
    pub(crate) async fn assess_for_model(&self, command: &str, shell: &ShellState, root: &str) -> Assessed {
        self.judge(command, shell, root, risk::assess_for_model).await
    }

    async fn judge(
        &self,
        command: &str,
        shell: &ShellState,
        root: &str,
        assess: fn(&str, &Facts, &Workspace<'_>) -> Assessment,
    ) -> Assessed {
        let facts = self.read(command).await;
        let (environment, functions) = self.surroundings(shell).await;
        let workspace = self.workspace(shell, root, &environment, &functions);
        let mut assessment = assess(command, &facts, &workspace);
        if let Some(traps) = traps_of(shell) {
            let behind = format!("{command}\n{traps}");
            let (alone_facts, behind_facts) = (self.read(&traps).await, self.read(&behind).await);
            let alone = assess(&traps, &alone_facts, &workspace);
            add_traps(&mut assessment, assess(&behind, &behind_facts, &workspace), &alone);
        }
        tell_what_is_kept(&mut assessment, Path::new(root), &self.home);
        assessment.keyboard = self.keyboard(command, &facts, shell).await;
        let action = risk::runs(command, &facts, &workspace);
        Assessed { would_run: WouldRun { action, check: Vec::new() }, assessment }
    }

    pub(crate) async fn explain(&self, command: &str, shell: &ShellState, root: &str) -> Explanation {
        let facts = self.read(command).await;
        let (environment, functions) = self.surroundings(shell).await;
        let workspace = self.workspace(shell, root, &environment, &functions);
        let mut assessment = risk::assess(command, &facts, &workspace);
        tell_what_is_kept(&mut assessment, Path::new(root), &self.home);
        assessment.keyboard = self.keyboard(command, &facts, shell).await;
        explain::explain(command, &facts, assessment, &workspace)
    }

    /// What the command wants of a keyboard, or a script that it starts.
    async fn keyboard(&self, command: &str, facts: &Facts, shell: &ShellState) -> Option<KeyboardNeed> {
        if let Some(need) = keyboard::need(command, facts, &|name| is_set(shell, name)) {
            return Some(need);
        }
        for script in keyboard::scripts(command, facts) {
            let Some(text) = DiskPaths.text(&Path::new(&shell.cwd).join(&script.path)) else { continue };
            let facts = if script.is_shell(&text) { Some(self.read(&text).await) } else { None };
            if let Some(need) = keyboard::need_of_script(&script, &text, facts.as_ref()) {
                return Some(need);
            }
        }
        None
    }

    /// The step as it would run: what stands for other words in its command is replaced by them.
    pub(crate) async fn as_it_runs(&self, step: &Step, shell: &ShellState) -> Step {
        let mut step = step.clone();
        if let Action::Shell { command } = &mut step.action
            && !shell.aliases.is_empty()
        {
            *command = with_aliases(&self.reader, command, &shell.aliases).await;
        }
        step
    }

    /// A step with its check and what a model said of it: the strictest of them, with the reasons of all.
    pub(crate) async fn assess_step(&self, step: &Step, shell: &ShellState, root: &str) -> Assessed {
        let mut assessed = match &step.action {
            // Words to a person, which nothing ever reads as a command.
            Action::Manual { .. } => Assessed::nothing(),
            Action::Shell { command } | Action::Tool { command, .. } => {
                self.assess(command, shell, root).await
            }
        };
        if let Some(verify) = &step.verify {
            let Assessed { would_run, assessment } = self.assess(verify, shell, root).await;
            if assessment.risk > Risk::Safe {
                let unknown = Run { words: vec![None], assigned: false, redirected: false };
                // Whatever it does is told, so that no rule overlooks it.
                assessed.would_run.check =
                    if would_run.action.is_empty() { vec![unknown] } else { would_run.action };
            }
            merge(&mut assessed.assessment, assessment);
        }
        if let Some(warning) = &step.warning {
            policy::heed(&mut assessed.assessment, warning);
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
            Arc::make_mut(step).assessment = Some(assessed.assessment);
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
        // Each run has a file of its own; what counts is where it lies.
        environment.insert(HANDED_ON.to_owned(), handed_on_place().display().to_string());
        let own = plain_variables(shell).map(|(name, value)| (name.to_owned(), value));
        environment.extend(own);
        // What a secret stands for is not known.
        environment.retain(|_, value| !has_reference(value));
        let mut functions = BTreeMap::new();
        for (name, definition) in &shell.functions {
            functions.insert(name.clone(), self.read(definition).await);
        }
        (environment, functions)
    }

    /// What is in a command, or in a function's body. Only what could be read without doubt is kept, for a doubt may pass.
    pub(crate) async fn read(&self, text: &str) -> Facts {
        if let Some(facts) = self.known().get(text) {
            return facts.clone();
        }
        let facts = self.reader.read(text).await;
        if facts.doubts.is_empty() {
            let mut known = self.known();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(text.to_owned(), facts.clone());
        }
        facts
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Facts>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Whether a step before gave the variable a value.
fn is_set(shell: &ShellState, name: &str) -> bool {
    shell.environment.get(name).is_some_and(Option::is_some)
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
