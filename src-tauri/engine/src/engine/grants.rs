//! Remembered answers through the door: listed, looked at before they are made, written by hand, taken back.

use planwright_shell::{Facts, Value};

use super::Engine;
use crate::journal::{PastAction, Within};
use crate::policy::{self, Bindings, WouldRun};
use crate::protocol::{
    Action, EngineError, ErrorCode, Grant, GrantId, GrantLifetime, GrantPreview, GrantRule, PastCommand,
    Risk, SessionId, Time, ToolName, Update,
};

/// Different commands of the past that a preview looks at.
const LOOKED_AT: usize = 2000;
/// Those that it shows.
const SHOWN: usize = 50;
/// Longest rule written by hand, in bytes.
const RULE: usize = 4096;

impl Engine {
    /// Oldest first. Those past their `expires_at` are there too, and count no more.
    pub async fn grants(&self) -> Result<Vec<Grant>, EngineError> {
        Ok(self.shared.grants.hold().await.all().to_vec())
    }

    /// When this returns, the rule no longer counts: not for the next command of a run that goes on either.
    pub async fn revoke_grant(&self, id: GrantId) -> Result<(), EngineError> {
        let mut grants = self.shared.grants.hold().await;
        grants.end(|grant| grant.id == id).await?;
        self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        Ok(())
    }

    pub(super) async fn end_session_grants(&self, id: SessionId) -> Result<(), EngineError> {
        let of_it =
            |grant: &Grant| grant.lifetime == GrantLifetime::Session && grant.bound_to == id.to_string();
        let mut grants = self.shared.grants.hold().await;
        if grants.end(of_it).await? {
            self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        }
        Ok(())
    }

    /// Makes a refusal that holds everywhere until it is revoked. The same one again is the one there is.
    ///
    /// # Errors
    /// `InvalidInput` when the rule is none, with what to write instead.
    pub async fn add_never(&self, rule: GrantRule) -> Result<Grant, EngineError> {
        let rule = self.checked(rule).await?;
        let mut grants = self.shared.grants.hold().await;
        let same =
            |grant: &&Grant| !grant.allow && grant.rule == rule && grant.lifetime == GrantLifetime::Always;
        if let Some(known) = grants.all().iter().find(same) {
            return Ok(known.clone());
        }
        let always = GrantLifetime::Always;
        let grant = policy::new_grant(false, rule, always, &Bindings::default(), Time::now(), 0);
        grants.put(grant.clone()).await?;
        self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        Ok(grant)
    }

    /// Which commands of the past an allowing rule would have covered (R4): of this session, of its folder, or all.
    ///
    /// # Errors
    /// `NoSuchSession` when the lifetime needs a session that is not there.
    pub async fn preview_grant(
        &self,
        rule: GrantRule,
        session: Option<SessionId>,
        lifetime: GrantLifetime,
    ) -> Result<GrantPreview, EngineError> {
        let within = match lifetime {
            GrantLifetime::Always => Within::Everything,
            GrantLifetime::Run | GrantLifetime::Session => Within::Session(self.existing(session).await?.0),
            GrantLifetime::Folder => Within::Folder(self.existing(session).await?.1),
        };
        let past = self.shared.journal.past(within, LOOKED_AT).await?;
        let looked_at = u32::try_from(past.len()).unwrap_or(u32::MAX);
        let (mut covered, mut more) = (Vec::new(), 0);
        for past in past {
            if !self.would_have_covered(&rule, &past).await {
                continue;
            }
            if covered.len() == SHOWN {
                more += 1;
                continue;
            }
            let PastAction { action, cwd, last_at, times, root: _ } = past;
            covered.push(PastCommand { command: action.command().to_owned(), cwd, last_at, times });
        }
        Ok(GrantPreview { looked_at, covered, more })
    }

    /// A rule never covers what is dangerous, so that is looked at too.
    async fn would_have_covered(&self, rule: &GrantRule, past: &PastAction) -> bool {
        match (rule, &past.action) {
            // Reading thousands of commands takes seconds; one without the program's name in it need not be read.
            (GrantRule::Program { words }, Action::Shell { command })
                if words.first().is_some_and(|program| !command.contains(program.as_str())) =>
            {
                false
            }
            (GrantRule::Exact { .. } | GrantRule::Tool { .. }, action)
                if !policy::matches_all(rule, action, &WouldRun::default()) =>
            {
                false
            }
            (GrantRule::Program { .. } | GrantRule::Exact { .. } | GrantRule::Tool { .. }, action) => {
                match action {
                    Action::Shell { command } => {
                        let shell = Self::shell_in(&past.cwd);
                        let assessed = self.shared.classifier.assess(command, &shell, &past.root).await;
                        assessed.assessment.risk < Risk::Dangerous
                            && policy::matches_all(rule, action, &assessed.would_run)
                    }
                    Action::Tool { .. } => policy::matches_all(rule, action, &WouldRun::default()),
                    Action::Manual { .. } => false,
                }
            }
        }
    }

    async fn existing(&self, session: Option<SessionId>) -> Result<(SessionId, String), EngineError> {
        let sessions = self.shared.journal.sessions("").await?;
        let found = sessions.into_iter().find(|known| Some(known.id) == session);
        found.map(|known| (known.id, known.cwd)).ok_or_else(|| {
            let message = "The session that this rule is for is not there any more. Choose another one.";
            EngineError::new(ErrorCode::NoSuchSession, message)
        })
    }

    /// The rule as it is held against commands.
    async fn checked(&self, rule: GrantRule) -> Result<GrantRule, EngineError> {
        match rule {
            GrantRule::Exact { command } => {
                let command = bounded(command.trim())?;
                Ok(GrantRule::Exact { command })
            }
            GrantRule::Program { words } => {
                let text = bounded(words.join(" ").trim())?;
                let facts = self.shared.classifier.reader().read(&text).await;
                let words = plain_words(&facts).ok_or_else(|| {
                    invalid(
                        "Write one program with its words, as in `git push`, without &&, |, > or variables. For a \
                         whole line choose the exact text.",
                    )
                })?;
                if words.first().is_some_and(|program| program.starts_with('-')) {
                    return Err(invalid("Begin with the program, as in `git push --force`."));
                }
                Ok(GrantRule::Program { words })
            }
            GrantRule::Tool { tool } => match ToolName::parse(&tool) {
                Some(_) => Ok(GrantRule::Tool { tool }),
                None => Err(invalid("There is no such tool. Choose one of the list.")),
            },
        }
    }
}

fn bounded(text: &str) -> Result<String, EngineError> {
    if text.is_empty() {
        return Err(invalid("Write the program, or the whole command, that must never run."));
    }
    if text.len() > RULE {
        return Err(invalid("This is too long for a rule. Write the program and its first words."));
    }
    Ok(text.to_owned())
}

/// The words of a text that is one plain command and nothing else.
fn plain_words(facts: &Facts) -> Option<Vec<String>> {
    let [only] = facts.commands.as_slice() else { return None };
    let is_plain = facts.doubts.is_empty()
        && facts.functions.is_empty()
        && only.assignments.is_empty()
        && only.redirects.is_empty()
        && !only.words.is_empty();
    let words = only.words.iter().map(|word| match &word.value {
        Value::Known { text, tilde: false } if !text.is_empty() => Some(text.clone()),
        Value::Known { .. } | Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    });
    words.collect::<Option<Vec<String>>>().filter(|_| is_plain)
}

fn invalid(message: &str) -> EngineError {
    EngineError::new(ErrorCode::InvalidInput, message)
}
