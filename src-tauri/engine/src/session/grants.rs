//! The remembered answers, kept at hand beside the journal that holds them. Whoever decides holds them meanwhile, so a
//! rule that is revoked counts no more from the moment that revoking it returns.

use tokio::sync::{Mutex, MutexGuard};

use crate::journal::{Journal, Reading};
use crate::protocol::{EngineError, Grant, GrantLifetime, SessionId};

#[derive(Debug)]
pub(crate) struct Remembered {
    journal: Journal,
    grants: Mutex<Vec<Grant>>,
}

impl Remembered {
    /// Takes them from the journal. Those of runs ended with the program that led them, those of a session with it.
    pub(crate) async fn open(journal: Journal) -> Result<Reading<Self>, EngineError> {
        let Reading { value: grants, damage } = journal.grants().await?;
        let of_sessions = grants.iter().any(|grant| grant.lifetime == GrantLifetime::Session);
        let sessions: Vec<SessionId> = if of_sessions {
            journal.sessions("").await?.into_iter().map(|session| session.id).collect()
        } else {
            Vec::new()
        };
        let remembered = Self { journal, grants: Mutex::new(grants) };
        remembered
            .hold()
            .await
            .end(|grant| match grant.lifetime {
                GrantLifetime::Run => true,
                GrantLifetime::Session => !sessions.iter().any(|id| id.to_string() == grant.bound_to),
                GrantLifetime::Folder | GrantLifetime::Always => false,
            })
            .await?;
        Ok(Reading { value: remembered, damage })
    }

    /// Nobody else reads or changes them until this is let go.
    pub(crate) async fn hold(&self) -> Held<'_> {
        Held { journal: &self.journal, grants: self.grants.lock().await }
    }
}

#[derive(Debug)]
pub(crate) struct Held<'a> {
    journal: &'a Journal,
    grants: MutexGuard<'a, Vec<Grant>>,
}

impl Held<'_> {
    /// Oldest first; those that have expired too.
    pub(crate) fn all(&self) -> &[Grant] {
        &self.grants
    }

    /// Adds the grant, or puts it in the place of the one with its id.
    pub(crate) async fn put(&mut self, grant: Grant) -> Result<(), EngineError> {
        self.journal.put_grant(grant.clone()).await?;
        match self.grants.iter_mut().find(|known| known.id == grant.id) {
            Some(known) => *known = grant,
            None => self.grants.push(grant),
        }
        Ok(())
    }

    /// Takes out those that `over` names. Whether there were any.
    pub(crate) async fn end(&mut self, over: impl Fn(&Grant) -> bool) -> Result<bool, EngineError> {
        let gone: Vec<_> = self.grants.iter().filter(|grant| over(grant)).map(|grant| grant.id).collect();
        for id in &gone {
            self.journal.revoke_grant(*id).await?;
            self.grants.retain(|grant| grant.id != *id);
        }
        Ok(!gone.is_empty())
    }
}
