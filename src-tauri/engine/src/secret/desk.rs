//! The questions that are open and the commands that may ask. Every question that becomes an event ends with exactly one
//! event that says what became of it. Plain state behind one lock: nothing here waits.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::asker::Asker;
use super::question::Question;
use super::{About, CommandId, MARGIN, PATIENCE};
use crate::protocol::{
    Event, SecretKind, SecretOutcome, SecretRequest, SecretRequestId, SessionId, StepId, Time,
};

/// Tries of the same question by the same process.
const TRIES: u32 = 3;
/// A command that asks more often is asking in a circle.
const QUESTIONS: u32 = 30;

const NOBODY: &str = "Nobody is here to answer. Run it at a terminal or in the window, or arrange it so that nothing is \
                      asked: a key agent, a credential helper, a rule for sudo.";

/// What comes of a question.
pub(super) enum Asked {
    /// The command is over.
    Stranger,
    Refused(&'static str),
    Open {
        id: SecretRequestId,
        answer: oneshot::Receiver<Option<SecretString>>,
        patience: Duration,
    },
}

pub(super) type Learn = Box<dyn Fn(&str) + Send + Sync>;

pub(super) struct Desk {
    pub(super) attended: bool,
    /// Hears of every password before its program does.
    learn: Learn,
    commands: HashMap<CommandId, Running>,
    open: HashMap<SecretRequestId, Open>,
}

/// A command that may ask.
struct Running {
    about: About,
    started: Instant,
    tell: mpsc::UnboundedSender<Event>,
    /// Hears its programs; ended with it.
    listening: Option<AbortHandle>,
    /// How often each process asked the same.
    tries: HashMap<((i32, u64), String), u32>,
    questions: u32,
}

/// A question that waits.
struct Open {
    command: CommandId,
    session: SessionId,
    step_id: StepId,
    kind: SecretKind,
    answer: oneshot::Sender<Option<SecretString>>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("attended", &self.attended).field("open", &self.open.len()).finish()
    }
}

impl Desk {
    pub(super) fn new(attended: bool, learn: Learn) -> Self {
        Self { attended, learn, commands: HashMap::new(), open: HashMap::new() }
    }

    pub(super) fn enter(&mut self, command: CommandId, about: About, tell: mpsc::UnboundedSender<Event>) {
        let (tries, started) = (HashMap::new(), Instant::now());
        self.commands.insert(command, Running { about, started, tell, listening: None, tries, questions: 0 });
    }

    pub(super) fn listens(&mut self, command: CommandId, listening: AbortHandle) {
        match self.commands.get_mut(&command) {
            Some(running) => running.listening = Some(listening),
            None => listening.abort(),
        }
    }

    /// The command is over; what it still asks is withdrawn.
    pub(super) fn leave(&mut self, command: CommandId) {
        let open: Vec<_> =
            self.open.iter().filter(|(_, open)| open.command == command).map(|(id, _)| *id).collect();
        for id in open {
            self.resolve(id, SecretOutcome::Withdrawn);
        }
        if let Some(listening) = self.commands.remove(&command).and_then(|running| running.listening) {
            listening.abort();
        }
    }

    pub(super) fn is_asking(&self, command: CommandId) -> bool {
        self.open.values().any(|open| open.command == command)
    }

    pub(super) fn ask(&mut self, command: CommandId, question: &Question, asker: Asker) -> Asked {
        let Some(running) = self.commands.get_mut(&command) else { return Asked::Stranger };
        let tries = running.tries.entry((asker.process, question.subject())).or_default();
        *tries += 1;
        running.questions += 1;
        let attempt = *tries;
        let refused = if attempt > TRIES {
            Some((SecretOutcome::TooManyTries, "Three answers were wrong, so this one was declined."))
        } else if running.questions > QUESTIONS {
            Some((SecretOutcome::TooManyTries, "This command asked too often, so it was declined."))
        } else if !self.attended {
            Some((SecretOutcome::NobodyThere, NOBODY))
        } else {
            None
        };
        // One that is refused is over as soon as it is told.
        let patience = if refused.is_some() { Duration::ZERO } else { running.patience() };
        let request = running.request(question, asker, attempt.min(TRIES), patience);
        let (id, step_id) = (request.id, request.step_id.clone());
        // Whoever hears events may be gone with the session; then nobody answers either.
        let told = running.tell.send(Event::SecretNeeded { request }).is_ok();
        let refused = if told { refused } else { Some((SecretOutcome::NobodyThere, NOBODY)) };
        if let Some((outcome, words)) = refused {
            drop(running.tell.send(Event::SecretResolved { request_id: id, step_id, outcome }));
            return Asked::Refused(words);
        }
        let (answer, waiting) = oneshot::channel();
        let session = running.about.session_id;
        let kind = question.kind();
        self.open.insert(id, Open { command, session, step_id, kind, answer });
        Asked::Open { id, answer: waiting, patience }
    }

    /// Whether the question was open in this session.
    pub(super) fn answer(
        &mut self,
        session: SessionId,
        id: SecretRequestId,
        answer: Option<SecretString>,
    ) -> bool {
        if self.open.get(&id).is_none_or(|open| open.session != session) {
            return false;
        }
        let outcome = if answer.is_some() { SecretOutcome::Answered } else { SecretOutcome::Declined };
        let Some(open) = self.close(id, outcome) else { return false };
        if let (SecretKind::Password | SecretKind::Passphrase, Some(secret)) = (open.kind, &answer) {
            (self.learn)(secret.expose_secret());
        }
        // Whoever asked may just have gone.
        open.answer.send(answer).is_ok()
    }

    /// Ends a question without an answer; one that is over already stays as it ended.
    pub(super) fn resolve(&mut self, id: SecretRequestId, outcome: SecretOutcome) {
        drop(self.close(id, outcome));
    }

    fn close(&mut self, id: SecretRequestId, outcome: SecretOutcome) -> Option<Open> {
        let open = self.open.remove(&id)?;
        if let Some(running) = self.commands.get(&open.command) {
            let step_id = open.step_id.clone();
            drop(running.tell.send(Event::SecretResolved { request_id: id, step_id, outcome }));
        }
        Some(open)
    }
}

impl Running {
    /// How long an answer may take: the command is not to be ended for its silence while somebody types.
    fn patience(&self) -> Duration {
        let About { wall_limit, silence_limit, .. } = &self.about;
        let left = wall_limit.saturating_sub(self.started.elapsed()).min(*silence_limit);
        PATIENCE.min(left.saturating_sub(MARGIN))
    }

    fn request(&self, question: &Question, asker: Asker, attempt: u32, patience: Duration) -> SecretRequest {
        let expires = jiff::Timestamp::now().checked_add(patience).unwrap_or(jiff::Timestamp::MAX);
        SecretRequest {
            id: SecretRequestId::new(),
            step_id: self.about.step_id.clone(),
            command: self.about.command.clone(),
            cwd: self.about.cwd.clone(),
            program: asker.program,
            called_as: asker.called_as,
            prompt: question.words(),
            kind: question.kind(),
            attempt,
            attempts_allowed: TRIES,
            warning: asker.doubt,
            expires_at: Time(expires),
        }
    }
}
