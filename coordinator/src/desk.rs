//! Who is signed in to the pages, and what they do there.
//!
//! A link of `elomill login` is used up for a session: 128 random bits in a cookie, of which the ledger
//! keeps the SHA-256. A session is asked of the ledger each time, so that it dies with its key, wherever
//! that is revoked. What somebody may do follows from the role of the key, as for calls.

use crate::core::{CoreError, Handle};
use crate::keyring::Caller;
use crate::rpc::control_service::ControlRpc;
use crate::rpc::trust_service::TrustRpc;
use keys::{PublicKey, Token};
use model::{Pairs, Role, RunId, WorkerId, printable};
use proto::v1;
use proto::v1::control_service_server::ControlService;
use proto::v1::trust_service_server::TrustService;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use store::{Ledger, SignedIn, StoreError};
use tonic::{Request, Status};

/// How long a browser stays signed in.
pub const SESSION_LASTS: Duration = Duration::from_secs(7 * 86_400);
/// Longest reason for a pause or a stop, without the name of who gave it.
const MAX_REASON: usize = 250;

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Number of the key.
    pub key_id: i64,
    /// The key.
    pub key: PublicKey,
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
    #[error("the key has the role {has}; this needs {needs}")]
    Role {
        /// What the visitor may do.
        has: Role,
        /// What it takes.
        needs: Role,
    },
    /// A pause or a stop without a reason.
    #[error("a reason is needed: a few words for whoever looks at the run later")]
    NoReason,
    /// It is done by a call of the contract, which refuses.
    #[error("{}", .0.message())]
    Call(Box<Status>),
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
    trust: Arc<TrustRpc>,
    control: Arc<ControlRpc>,
}

/// Whether a worker's results shall count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// No more.
    Exclude,
    /// Again.
    Include,
}

/// Runs that a belief changes, each as it stands and as it would; and how many more there are.
pub type Effects = (Vec<v1::ExclusionEffect>, u32);

impl Desk {
    /// Over this ledger and core, and the calls that do what the core alone does not.
    #[must_use]
    pub fn new(
        ledger: Ledger,
        core: Handle,
        trust: Arc<TrustRpc>,
        control: Arc<ControlRpc>,
    ) -> Self {
        Self { ledger, core, trust, control }
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
        Ok(found.map(|SignedIn { key_id, public_key, owner, role, .. }| Visitor {
            key_id,
            key: PublicKey::from_bytes(public_key),
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

    /// Excludes a worker or includes it again, in one run or in all: what that changes, and without a
    /// reason only that. It is the call of the contract, with its roles.
    ///
    /// # Errors
    /// The visitor may not, or there is no such worker or run, or nothing to include.
    pub async fn believe(
        &self,
        by: &Visitor,
        belief: Belief,
        worker: WorkerId,
        run: Option<RunId>,
        reason: Option<&str>,
    ) -> Result<Effects, DeskError> {
        by.needs(Role::Author)?;
        if reason.is_some_and(|reason| reason.trim().is_empty()) {
            return Err(DeskError::NoReason);
        }
        let caller = by.caller();
        let (worker_id, run_id) = (worker.0, run.map_or(0, |run| run.0));
        let (preview, reason) = (reason.is_none(), reason.unwrap_or_default().to_owned());
        Ok(match belief {
            Belief::Exclude => {
                let since_unix_ms = 0;
                let asked =
                    v1::ExcludeWorkerRequest { worker_id, run_id, since_unix_ms, reason, preview };
                let answer = self.trust.exclude_worker(from(caller, asked)).await;
                let v1::ExcludeWorkerResponse { effects, more_runs } =
                    answer.map_err(refused)?.into_inner();
                (effects, more_runs)
            }
            Belief::Include => {
                let asked = v1::IncludeWorkerRequest { worker_id, run_id, reason, preview };
                let answer = self.trust.include_worker(from(caller, asked)).await;
                let v1::IncludeWorkerResponse { effects, more_runs } =
                    answer.map_err(refused)?.into_inner();
                (effects, more_runs)
            }
        })
    }

    /// Does something to a run. A reason is kept with the name of who gave it.
    ///
    /// # Errors
    /// The visitor may not, a reason is missing, or the run is not in a state for it.
    pub async fn act(&self, by: &Visitor, run: RunId, action: Action) -> Result<(), DeskError> {
        by.needs(Role::Author)?;
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

impl Desk {
    /// A new tune with a budget of its own, which goes on from the last state of this one with at most
    /// so many pairs. Asked again by the same session, it is the same tune.
    ///
    /// # Errors
    /// The visitor may not, there is no such tune, or the budget is none.
    pub async fn fork(
        &self,
        by: &Visitor,
        run: RunId,
        at: Pairs,
        pairs: Pairs,
    ) -> Result<RunId, DeskError> {
        by.needs(Role::Author)?;
        // As the command does it.
        let seed = self.ledger.run(run).await?.map_or(1, |run| run.spec.seed.wrapping_add(1));
        let once = format!("fork from the pages {} {run} {at} {pairs}", by.form_token);
        let idempotency_key = crate::book::sha256(once.as_bytes());
        let (run_id, at_pairs, pairs) = (run.0, at.0, pairs.0);
        let asked = v1::ForkRunRequest { run_id, at_pairs, pairs, seed, idempotency_key };
        let answer = self.control.fork_run(from(by.caller(), asked)).await.map_err(refused)?;
        let forked = RunId(answer.into_inner().run_id);
        tracing::info!(run.id = forked.0, from = run.0, by.key = by.key_id, "forked on the pages");
        Ok(forked)
    }

    /// Gives pairs again to a worker that waits for a person.
    ///
    /// # Errors
    /// The visitor may not, a reason is missing, or the worker is not on hold.
    pub async fn release(
        &self,
        by: &Visitor,
        worker: WorkerId,
        reason: &str,
    ) -> Result<(), DeskError> {
        by.needs(Role::Admin)?;
        let reason = reason.trim().to_owned();
        if reason.is_empty() {
            return Err(DeskError::NoReason);
        }
        let asked = v1::ReleaseWorkerRequest { worker_id: worker.0, reason };
        self.trust.release_worker(from(by.caller(), asked)).await.map_err(refused)?;
        Ok(())
    }
}

impl Visitor {
    /// # Errors
    /// The role does not cover this one.
    fn needs(&self, needs: Role) -> Result<(), DeskError> {
        let has = self.role;
        if has.covers(needs) { Ok(()) } else { Err(DeskError::Role { has, needs }) }
    }

    /// As who calls.
    fn caller(&self) -> Caller {
        let owner = self.owner.as_str().into();
        Caller { id: self.key_id, key: self.key, owner, role: self.role }
    }
}

fn refused(status: Status) -> DeskError {
    DeskError::Call(Box::new(status))
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

/// A call as the port hands it on.
fn from<T>(caller: Caller, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(caller);
    request
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
