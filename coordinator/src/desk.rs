//! Who is signed in to the pages, and what they do there.
//!
//! A link of `elomill login` is used up for a session: 128 random bits in a cookie, of which the ledger
//! keeps the SHA-256. A session is asked of the ledger each time, so that it dies with its key, wherever
//! that is revoked. What somebody may do follows from the role of the key, as for calls.

use crate::core::{CoreError, Handle};
use keys::Token;
use model::{Role, RunId, printable};
use sha2::{Digest, Sha256};
use std::time::Duration;
use store::{Ledger, SignedIn, StoreError};

/// How long a browser stays signed in.
pub const SESSION_LASTS: Duration = Duration::from_secs(7 * 86_400);
/// Longest reason for a pause or a stop, without the name of who gave it.
const MAX_REASON: usize = 250;

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Number of the key.
    pub key_id: i64,
    /// Whose it is.
    pub owner: String,
    /// What it may do.
    pub role: Role,
    /// What every form of this session has to bring, which a page of another origin cannot read.
    pub form_token: String,
}

/// Something that is done to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Gives no more of its pairs.
    Pause {
        /// Why.
        reason: String,
    },
    /// Gives its pairs again.
    Resume,
    /// Ends it for good.
    Stop {
        /// Why.
        reason: String,
    },
    /// Sets its share against other runs.
    Weigh {
        /// 0.001 to 1000.
        weight: f64,
    },
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The role does not suffice.
    #[error("the key has the role {0}; this needs author")]
    Role(Role),
    /// A pause or a stop without a reason.
    #[error("a reason is needed: a few words for whoever looks at the run later")]
    NoReason,
    /// The core refuses, or cannot.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The ledger does not answer.
    #[error("the ledger does not answer; try again")]
    Store(#[from] StoreError),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes")]
    NoRandomness,
}

/// Signs people in and out and carries out what they ask.
pub struct Desk {
    ledger: Ledger,
    core: Handle,
}

impl Desk {
    /// Over this ledger and core.
    #[must_use]
    pub fn new(ledger: Ledger, core: Handle) -> Self {
        Self { ledger, core }
    }

    /// Whom a link would sign in; nobody if it is not good, or not any more.
    ///
    /// # Errors
    /// The ledger does not answer.
    pub async fn invited(&self, link: &Token) -> Result<Option<SignedIn>, DeskError> {
        Ok(self.ledger.sign_in(&link.sha256()).await?)
    }

    /// Uses a link up: the token of the new session, or nothing if the link is not good.
    ///
    /// # Errors
    /// The ledger does not answer, or there are no random bytes.
    pub async fn sign_in(&self, link: &Token) -> Result<Option<Token>, DeskError> {
        let session = Token::random().map_err(|_| DeskError::NoRandomness)?;
        let (link, hash) = (link.sha256(), session.sha256());
        let begun = self.ledger.begin_session(&link, &hash, SESSION_LASTS).await?;
        Ok(begun.then_some(session))
    }

    /// Who a session belongs to, while it lasts and its key is good.
    ///
    /// # Errors
    /// The ledger does not answer.
    pub async fn visitor(&self, session: &Token) -> Result<Option<Visitor>, DeskError> {
        let found = self.ledger.session(&session.sha256()).await?;
        Ok(found.map(|SignedIn { key_id, owner, role, .. }| Visitor {
            key_id,
            owner,
            role,
            form_token: form_token(session),
        }))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// The ledger does not answer.
    pub async fn sign_out(&self, session: &Token) -> Result<(), DeskError> {
        Ok(self.ledger.end_session(&session.sha256()).await?)
    }

    /// Does something to a run. A reason is kept with the name of who gave it.
    ///
    /// # Errors
    /// The visitor may not, a reason is missing, or the run is not in a state for it.
    pub async fn act(&self, by: &Visitor, run: RunId, action: Action) -> Result<(), DeskError> {
        if !by.role.covers(Role::Author) {
            return Err(DeskError::Role(by.role));
        }
        let signed = |reason: &str| match printable(reason.trim(), MAX_REASON) {
            reason if reason.is_empty() => Err(DeskError::NoReason),
            reason => Ok(format!("{reason} ({})", by.owner)),
        };
        let name = action.name();
        match action {
            Action::Pause { reason } => self.core.pause(run, signed(&reason)?).await?,
            Action::Resume => self.core.resume(run).await?,
            Action::Stop { reason } => self.core.stop(run, signed(&reason)?).await?,
            Action::Weigh { weight } => self.core.weigh(run, weight).await?,
        }
        tracing::info!(run.id = run.0, by.key = by.key_id, action = name, "done on the pages");
        Ok(())
    }
}

impl Action {
    /// The stable name, which is that of its path.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Action::Pause { .. } => "pause",
            Action::Resume => "resume",
            Action::Stop { .. } => "stop",
            Action::Weigh { .. } => "weigh",
        }
    }
}

/// Follows from the session, so that nothing more has to be kept; says nothing about it.
fn form_token(session: &Token) -> String {
    let mut hash = Sha256::new();
    hash.update(b"form of a session of the pages");
    hash.update(session.as_bytes());
    let mut token = [0; 16];
    token.copy_from_slice(&hash.finalize()[..16]);
    Token::from_bytes(token).to_string()
}
