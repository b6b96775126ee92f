//! How the rest of the coordinator talks to the core: sessions, what workers say and hear, commands.

use crate::convert::Hello;
use crate::dispatch::fold::{Fold, FoldError};
use crate::dispatch::openings::Openings;
use crate::dispatch::scheduler::{ChangedExclusions, ControlError, Filed, GiveBack, Idle, Push};
use crate::judging::{Judged, Terms};
use keys::PublicKey;
use model::lease::Report;
use model::spec::RunSpec;
use model::trust::Exclusions;
use model::view::ShareView;
use model::{LeaseId, Pairs, RunId, WorkerId};
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

/// One open stream of one worker; a worker that reconnects has a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session {
    /// Whose.
    pub worker: WorkerId,
    pub(super) number: u64,
}

/// The core's end of a session. When the core drops it, the session is over: nothing more comes out
/// of the receiver, and the token is cancelled.
#[derive(Debug)]
pub struct Line {
    outbound: mpsc::Sender<Outbound>,
    _over: DropGuard,
}

impl Line {
    /// A line on which `capacity` messages may wait, with the worker's end of it and the token that
    /// says when it is over.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<Outbound>, CancellationToken) {
        let (outbound, receiver) = mpsc::channel(capacity);
        let over = CancellationToken::new();
        (Self { outbound, _over: over.clone().drop_guard() }, receiver, over)
    }

    /// A way to the same worker for what the core has no part in. It ends with the line.
    #[must_use]
    pub fn side_door(&self) -> mpsc::WeakSender<Outbound> {
        self.outbound.downgrade()
    }

    /// Whether the worker's end took it: it is there, and not too slow.
    pub(super) fn take(&self, message: Outbound) -> bool {
        self.outbound.try_send(message).is_ok()
    }
}

/// Something for a worker's stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Outbound {
    /// From the scheduler.
    Push(Push),
    /// What became of a report.
    Ack {
        /// The lease.
        lease: LeaseId,
        /// Its epoch.
        epoch: u32,
        /// The report's number.
        sequence: u32,
        /// What became of it.
        outcome: Acknowledged,
    },
    /// The coordinator goes away.
    Drain,
    /// There is too much to do for more leases.
    Busy,
    /// Where coordinators are.
    Coordinators(Vec<String>),
}

/// What became of a report, as the worker hears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// In the ledger.
    Merged,
    /// In the ledger before.
    Duplicate,
    /// Given to another worker.
    Stale,
    /// The run is over.
    RunEnded,
    /// It contradicts its lease or itself.
    Invalid(String),
}

impl Acknowledged {
    /// In a word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::RunEnded => "run_ended",
            Self::Invalid(_) => "invalid",
        }
    }
}

/// What a worker says after its hello.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// How many more leases it would take.
    Want(u32),
    /// Finished pairs, about which the rules were asked.
    Report(Judged),
    /// A sign of life.
    Progress {
        /// Games being played.
        playing_games: u32,
        /// Of all slots together.
        nodes_per_second: u64,
    },
    /// It gives a lease back.
    Return {
        /// The lease.
        lease: LeaseId,
        /// Its epoch.
        epoch: u32,
        /// Why.
        why: GiveBack,
    },
}

/// Why a worker plays nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What keeps it from work now; `None` when there is some.
    pub idle: Option<Idle>,
    /// Whether a session of it is open.
    pub connected: bool,
    /// Leases that it has.
    pub leases: usize,
    /// What its session was told last.
    pub session_idle: Option<Idle>,
}

/// A command that was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// Not in this state.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The optimiser refuses the specification.
    #[error(transparent)]
    Spec(#[from] FoldError),
    /// Somebody else changed the exclusions at the same time; nothing was done.
    #[error("the exclusions were changed by somebody else at the same time; look again and repeat")]
    Overtaken,
    /// The ledger did not take it; it may or may not be written.
    #[error("the ledger is not available; try again")]
    Ledger,
    /// The coordinator is going away.
    #[error("the coordinator is stopping")]
    Stopping,
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, CoreError>>;

pub(super) enum Command {
    Join { hello: Hello, line: Line, reply: Reply<Session> },
    Expel { key: PublicKey, reply: Reply<()> },
    Explain { hello: Hello, reply: Reply<Explained> },
    Leave(Session),
    Said(Session, Said),
    Terms(Session, Box<Report>, oneshot::Sender<(Box<Report>, Option<Terms>)>),
    Create { spec: Box<RunSpec>, filed: Filed, openings: Box<Openings>, reply: Reply<RunId> },
    Fork(Box<Forking>),
    Extend { run: RunId, asked: Pairs, reply: Reply<()> },
    Weigh { run: RunId, weight: f64, reply: Reply<()> },
    Pause { run: RunId, reason: String, reply: Reply<()> },
    Resume { run: RunId, reply: Reply<()> },
    Stop { run: RunId, reason: String, reply: Reply<()> },
    Believe(Box<Believing>),
    ExplainRun { run: RunId, reply: Reply<Option<ShareView>> },
    Release { worker: WorkerId, author: String, reason: String, reply: Reply<bool> },
}

/// A change of the exclusions.
pub(super) struct Believing {
    pub(super) change: ChangedExclusions,
    /// Those in force when the runs were folded.
    pub(super) before: Exclusions,
    /// Runs as they are with the change, up to the reports of that time.
    pub(super) folds: BTreeMap<RunId, Fold>,
    /// Whose reports change.
    pub(super) worker: WorkerId,
    /// In which run; none is in all of them.
    pub(super) run: Option<RunId>,
    pub(super) reply: Reply<()>,
}

/// A tune that shall begin with the state of another one.
pub(super) struct Forking {
    pub(super) spec: RunSpec,
    pub(super) source: Fold,
    pub(super) filed: Filed,
    pub(super) openings: Openings,
    pub(super) reply: Reply<RunId>,
}

/// How the rest of the coordinator talks to the core. Cheap to clone; dropping all of them does not
/// stop the core, its token does.
#[derive(Clone, Debug)]
pub struct Handle {
    pub(super) commands: mpsc::Sender<Command>,
}

impl Handle {
    /// Opens a session; what is for the worker goes into `line`.
    ///
    /// # Errors
    /// The coordinator is stopping, or the ledger is not available.
    pub async fn join(&self, hello: Hello, line: Line) -> Result<Session, CoreError> {
        self.ask(|reply| Command::Join { hello, line, reply }).await
    }

    /// Says what a worker said. Waits while the core is busy: a worker that talks too fast is
    /// slowed down, not buffered.
    pub async fn said(&self, session: Session, said: Said) {
        // A core that is gone has dropped the session already.
        let _ = self.commands.send(Command::Said(session, said)).await;
    }

    /// How full the core's queue is, from 0 to 1: what is put off, and what is not, is said of each kind
    /// of message where it comes in.
    #[must_use]
    pub fn load(&self) -> f64 {
        1.0 - self.commands.capacity() as f64 / self.commands.max_capacity() as f64
    }

    /// Ends the session of the worker with this key, if there is one, and takes its leases back.
    ///
    /// # Errors
    /// The ledger is not available: it may or may not be done.
    pub async fn expel(&self, key: PublicKey) -> Result<(), CoreError> {
        self.ask(|reply| Command::Expel { key, reply }).await
    }

    /// Why a worker that introduces itself so would get nothing now.
    ///
    /// # Errors
    /// The coordinator is stopping, or the ledger is not available.
    pub async fn explain(&self, hello: Hello) -> Result<Explained, CoreError> {
        self.ask(|reply| Command::Explain { hello, reply }).await
    }

    /// What the lease of a report says about its games; the report comes back with it. `None` when the
    /// lease is not out, or the session is over.
    pub async fn terms(&self, session: Session, report: Report) -> Option<(Report, Option<Terms>)> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(Command::Terms(session, Box::new(report), reply)).await.ok()?;
        // A core that does not answer has dropped the session.
        let (report, terms) = answer.await.ok()?;
        Some((*report, terms))
    }

    /// Says that a session is over.
    pub async fn leave(&self, session: Session) {
        // A core that is gone has dropped the session already.
        let _ = self.commands.send(Command::Leave(session)).await;
    }

    /// Files a run whose specification and book were checked. The same key gives the same run.
    ///
    /// # Errors
    /// The optimiser refuses it, or the ledger is not available.
    pub async fn create(
        &self,
        spec: RunSpec,
        filed: Filed,
        openings: Openings,
    ) -> Result<RunId, CoreError> {
        let (spec, openings) = (Box::new(spec), Box::new(openings));
        self.ask(|reply| Command::Create { spec, filed, openings, reply }).await
    }

    /// Files a tune that begins with the state of another one. The same key gives the same run.
    ///
    /// # Errors
    /// The state does not fit, or the ledger is not available.
    pub async fn fork(
        &self,
        spec: RunSpec,
        source: Fold,
        filed: Filed,
        openings: Openings,
    ) -> Result<RunId, CoreError> {
        let forking = |reply| Box::new(Forking { spec, source, filed, openings, reply });
        self.ask(|reply| Command::Fork(forking(reply))).await
    }

    /// Raises the budget of a run to this many pairs in all.
    ///
    /// # Errors
    /// It is over or asks for more already, or the ledger is not available.
    pub async fn extend(&self, run: RunId, asked: Pairs) -> Result<(), CoreError> {
        self.ask(|reply| Command::Extend { run, asked, reply }).await
    }

    /// Sets the share of a run against the others.
    ///
    /// # Errors
    /// It is over, the weight is none, or the ledger is not available.
    pub async fn weigh(&self, run: RunId, weight: f64) -> Result<(), CoreError> {
        self.ask(|reply| Command::Weigh { run, weight, reply }).await
    }

    /// Stops giving pairs of a run.
    ///
    /// # Errors
    /// It is not running, or the ledger is not available.
    pub async fn pause(&self, run: RunId, reason: String) -> Result<(), CoreError> {
        self.ask(|reply| Command::Pause { run, reason, reply }).await
    }

    /// Gives pairs of a run again.
    ///
    /// # Errors
    /// It is not paused, or the ledger is not available.
    pub async fn resume(&self, run: RunId) -> Result<(), CoreError> {
        self.ask(|reply| Command::Resume { run, reply }).await
    }

    /// Ends a run by hand.
    ///
    /// # Errors
    /// It is over, or the ledger is not available.
    pub async fn stop(&self, run: RunId, reason: String) -> Result<(), CoreError> {
        self.ask(|reply| Command::Stop { run, reason, reply }).await
    }

    /// Makes or lifts exclusions of this worker, in one run or in all. `before` are those in force
    /// while `folds`, the runs with the change, were folded.
    ///
    /// # Errors
    /// They were changed meanwhile, or the ledger is not available.
    pub async fn believe(
        &self,
        change: ChangedExclusions,
        before: Exclusions,
        folds: BTreeMap<RunId, Fold>,
        worker: WorkerId,
        run: Option<RunId>,
    ) -> Result<(), CoreError> {
        self.ask(|reply| {
            Command::Believe(Box::new(Believing { change, before, folds, worker, run, reply }))
        })
        .await
    }

    /// Why a run gets the work that it gets; `None` for one that is not open.
    ///
    /// # Errors
    /// The coordinator is stopping, or the ledger is not available.
    pub async fn explain_run(&self, run: RunId) -> Result<Option<ShareView>, CoreError> {
        self.ask(|reply| Command::ExplainRun { run, reply }).await
    }

    /// Gives a worker that is on hold leases again. Whether it was on hold.
    ///
    /// # Errors
    /// The ledger is not available.
    pub async fn release(
        &self,
        worker: WorkerId,
        author: String,
        reason: String,
    ) -> Result<bool, CoreError> {
        self.ask(|reply| Command::Release { worker, author, reason, reply }).await
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, CoreError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| CoreError::Stopping)?;
        // Dropped without an answer: the commit failed.
        answer.await.map_err(|_| CoreError::Ledger)?
    }
}
