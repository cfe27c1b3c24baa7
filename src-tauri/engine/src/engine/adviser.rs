use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Engine, place};
use crate::guide::{self, Failure, Local, RuleProblem, ThisMachine};
use crate::protocol::{AgentCorrection, Assessment, Explanation};
use crate::session::RiskClassifier;
use crate::shell::ShellReader;

/// What the engine knows without a session: it judges, explains and diagnoses single commands. It runs nothing and
/// keeps nothing on the disk; of the data folder it reads what concerns the field guide.
#[derive(Debug)]
pub struct Adviser {
    classifier: RiskClassifier,
    machine: ThisMachine,
    pub(super) local: Local,
}

impl Adviser {
    /// `worker`: path of the `planwright-worker` program.
    pub fn new(worker: PathBuf) -> Self {
        let environment: BTreeMap<String, String> = place::environment();
        let machine = ThisMachine::new(environment.get("PATH").map_or("", String::as_str));
        let (home, user) = (place::user_home(&environment), place::user_name(&environment));
        let classifier = RiskClassifier::new(ShellReader::new(worker), environment, home, user);
        Self { classifier, machine, local: Local::of(&place::data_folder()) }
    }

    /// Judges a command as if it ran in `cwd`, which is its workspace too.
    pub async fn assess(&self, command: &str, cwd: &Path) -> Assessment {
        let cwd = cwd.display().to_string();
        self.classifier.assess(command, &Engine::shell_in(&cwd), &cwd).await.assessment
    }

    pub async fn explain(&self, command: &str, cwd: &Path) -> Explanation {
        let cwd = cwd.display().to_string();
        self.classifier.explain(command, &Engine::shell_in(&cwd), &cwd).await
    }

    /// What is wrong with the files of the user's own rules, as they are now.
    pub fn rule_problems(&self) -> Vec<RuleProblem> {
        self.local.rules.problems()
    }

    /// The field guide's word on a failure.
    pub async fn diagnose(&self, failure: &Failure) -> Option<AgentCorrection> {
        let facts = self.classifier.read(&failure.command).await;
        guide::diagnose_with(failure, &facts, &self.machine, &self.local)
    }
}
