//! The one task that owns the scheduler: takes commands in order, decides in memory, commits, and
//! only then answers.
//!
//! Commands that come while a commit runs form the next group, so that the ledger sees one
//! transaction for up to [`GROUP`] of them. When a commit fails nobody is answered, every session
//! is dropped, and the state is built again from the ledger: the workers reconnect and say again
//! what was not acknowledged.

use crate::convert::Hello;
use crate::dispatch::fold::FoldError;
use crate::dispatch::openings::Openings;
use crate::dispatch::scheduler::{ControlError, GiveBack, LeaseLimits, Merge, Push, Scheduler};
use crate::dispatch::Moment;
use crate::recover::{self, RecoverError};
use crate::views::{LiveWorker, Views};
use model::lease::Report;
use model::spec::RunSpec;
use model::view::RunState;
use model::{LeaseId, RunId, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{LeaderEpoch, Ledger, NewWorker, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Most commands of one commit.
const GROUP: usize = 200;
/// Commands that may wait; beyond that the sessions wait.
const QUEUE: usize = 1024;
/// Between two looks at overdue leases, and between two states shown of a run.
const TICK: Duration = Duration::from_millis(250);
/// Ticks between two notes that workers are there, and two checks of the lead.
const SLOW_TICKS: u32 = 40;
/// How long sessions get to finish when the coordinator stops.
const DRAIN: Duration = Duration::from_secs(3);
/// How long the ledger may be gone before the coordinator gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// One open stream of one worker; a worker that reconnects has a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session {
    /// Whose.
    pub worker: WorkerId,
    number: u64,
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

/// What a worker says after its hello.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// How many more leases it would take.
    Want(u32),
    /// Finished pairs.
    Report(Report),
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

/// A command that was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// Not in this state.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The optimiser refuses the specification.
    #[error(transparent)]
    Spec(#[from] FoldError),
    /// The ledger did not take it; it may or may not be written.
    #[error("the ledger is not available; try again")]
    Ledger,
    /// The coordinator is going away.
    #[error("the coordinator is stopping")]
    Stopping,
}

type Reply<T> = oneshot::Sender<Result<T, CoreError>>;

enum Command {
    Join { hello: Hello, outbound: mpsc::Sender<Outbound>, reply: Reply<Session> },
    Leave(Session),
    Said(Session, Said),
    Create { spec: Box<RunSpec>, key: String, openings: Box<Openings>, reply: Reply<RunId> },
    Pause { run: RunId, reason: String, reply: Reply<()> },
    Resume { run: RunId, reply: Reply<()> },
    Stop { run: RunId, reason: String, reply: Reply<()> },
}

/// How the rest of the coordinator talks to the core. Cheap to clone; dropping all of them does not
/// stop the core, its token does.
#[derive(Clone, Debug)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
}

impl Handle {
    /// Opens a session; what is for the worker arrives at `outbound`.
    ///
    /// # Errors
    /// The coordinator is stopping, or the ledger is not available.
    pub async fn join(
        &self,
        hello: Hello,
        outbound: mpsc::Sender<Outbound>,
    ) -> Result<Session, CoreError> {
        self.ask(|reply| Command::Join { hello, outbound, reply }).await
    }

    /// Says what a worker said. Waits while the core is busy: a worker that talks too fast is
    /// slowed down, not buffered.
    pub async fn said(&self, session: Session, said: Said) {
        // A core that is gone has dropped the session already.
        let _ = self.commands.send(Command::Said(session, said)).await;
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
        key: String,
        openings: Openings,
    ) -> Result<RunId, CoreError> {
        let (spec, openings) = (Box::new(spec), Box::new(openings));
        self.ask(|reply| Command::Create { spec, key, openings, reply }).await
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

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, CoreError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| CoreError::Stopping)?;
        // Dropped without an answer: the commit failed.
        answer.await.map_err(|_| CoreError::Ledger)?
    }
}

/// The core before it runs.
pub struct Core {
    ledger: Ledger,
    leader: Option<LeaderEpoch>,
    limits: LeaseLimits,
    started: Instant,
    scheduler: Scheduler,
    keys: BTreeMap<Vec<u8>, WorkerId>,
    last_worker: i64,
    sessions: BTreeMap<WorkerId, (u64, mpsc::Sender<Outbound>)>,
    next_session: u64,
    live: BTreeMap<WorkerId, LiveWorker>,
    views: Arc<Views>,
    shown: BTreeSet<RunId>,
    inbox: mpsc::Receiver<Command>,
}

/// An answer that waits for the commit.
type Answer = Box<dyn FnOnce() + Send>;

impl Core {
    /// Takes the lead and builds the state from the ledger.
    ///
    /// # Errors
    /// Another coordinator leads, or the ledger cannot be read.
    pub async fn start(
        ledger: Ledger,
        limits: LeaseLimits,
        views: Arc<Views>,
    ) -> Result<(Self, Handle), RecoverError> {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let mut core = Self {
            ledger,
            leader: None,
            limits,
            started: Instant::now(),
            scheduler: Scheduler::default(),
            keys: BTreeMap::new(),
            last_worker: 0,
            sessions: BTreeMap::new(),
            next_session: 0,
            live: BTreeMap::new(),
            views,
            shown: BTreeSet::new(),
            inbox,
        };
        core.recover().await?;
        Ok((core, Handle { commands }))
    }

    /// Runs until the token is cancelled, then lets the sessions finish and closes the ledger.
    ///
    /// # Errors
    /// The ledger was gone for longer than two minutes, or another coordinator leads.
    pub async fn run(mut self, shutdown: CancellationToken) -> Result<(), RecoverError> {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut ticks = 0_u32;
        let mut group = Vec::with_capacity(GROUP);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = tick.tick() => {
                    ticks = ticks.wrapping_add(1);
                    self.show();
                    if ticks.is_multiple_of(SLOW_TICKS) {
                        self.slow_tick().await?;
                    }
                }
                taken = self.inbox.recv_many(&mut group, GROUP) => {
                    if taken == 0 { break; }
                }
            }
            self.turn(&mut group, true).await?;
        }
        self.drain(&mut group).await?;
        self.show();
        drop(self.leader.take());
        self.ledger.close().await;
        Ok(())
    }

    /// One group: decide, commit, answer.
    async fn turn(
        &mut self,
        group: &mut Vec<Command>,
        give_work: bool,
    ) -> Result<(), RecoverError> {
        let mut answers: Vec<Answer> = Vec::new();
        for command in group.drain(..) {
            if let Err(error) = self.decide(command, &mut answers).await {
                return self.start_again(&error).await;
            }
        }
        if give_work {
            self.scheduler.dispatch(self.now());
        }
        let batch = self.scheduler.take_batch();
        let Some(leader) = &self.leader else { return Ok(()) };
        if let Err(error) = self.ledger.commit(leader, &batch).await {
            return self.start_again(&error).await;
        }
        self.shown.extend(batch.runs.iter().map(|run| run.id));
        self.shown.extend(batch.run_moves.iter().map(|run| run.id));
        self.shown.extend(batch.leases.iter().map(|lease| lease.run));
        for answer in answers {
            answer();
        }
        for (worker, push) in self.scheduler.take_outbox() {
            self.send(worker, Outbound::Push(push));
        }
        for run in self.scheduler.forget_ended() {
            tracing::info!(
                run.id = run.id.0, state = run.state.name(), reason = %run.state_reason,
                pairs = run.fold.tally.pairs().0, "run ended"
            );
            self.views.end_run(&run);
            self.shown.remove(&run.id);
        }
        Ok(())
    }

    async fn decide(
        &mut self,
        command: Command,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        fn later<T: Send + 'static>(reply: Reply<T>, result: Result<T, CoreError>) -> Answer {
            Box::new(move || {
                // Whoever asked may be gone by now.
                let _ = reply.send(result);
            })
        }
        match command {
            Command::Join { hello, outbound, reply } => {
                let session = self.join(hello, outbound).await?;
                answers.push(later(reply, Ok(session)));
            }
            Command::Leave(session) => {
                if self.is_current(session) {
                    self.sessions.remove(&session.worker);
                    self.scheduler.leave(session.worker);
                    self.live.remove(&session.worker);
                }
            }
            Command::Said(session, said) => {
                if self.is_current(session) {
                    self.said(session.worker, said, answers).await?;
                }
            }
            Command::Create { spec, key, openings, reply } => {
                let open = self.scheduler.runs().find(|run| run.idempotency_key == key);
                let known = match open.map(|run| run.id) {
                    Some(run) => Some(run),
                    None => self.ledger.run_of_key(&key).await?,
                };
                let made = match known {
                    Some(run) => Ok(run),
                    None => {
                        let now = unix_ms();
                        self.scheduler.create(*spec, key, *openings, now).map_err(CoreError::from)
                    }
                };
                answers.push(later(reply, made));
            }
            Command::Pause { run, reason, reply } => {
                let done = self.scheduler.pause(run, &reason).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Resume { run, reply } => {
                let done = self.scheduler.resume(run).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Stop { run, reason, reply } => {
                let done = self.scheduler.stop(run, &reason, unix_ms()).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
        }
        Ok(())
    }

    async fn join(
        &mut self,
        hello: Hello,
        outbound: mpsc::Sender<Outbound>,
    ) -> Result<Session, StoreError> {
        let worker = match self.keys.get(&hello.key) {
            Some(id) => *id,
            None => {
                self.last_worker += 1;
                WorkerId(self.last_worker)
            }
        };
        self.ledger
            .greet_worker(&NewWorker {
                id: worker,
                key: hello.key.clone(),
                name: hello.name.clone(),
                platform: hello.platform,
                software_version: hello.software_version,
                cores: hello.cores,
                slots: hello.slots,
            })
            .await?;
        self.keys.insert(hello.key, worker);
        self.next_session += 1;
        let session = Session { worker, number: self.next_session };
        // An older session of the same worker ends here: its sender is dropped.
        self.sessions.insert(worker, (session.number, outbound));
        self.live.insert(worker, LiveWorker::default());
        let now = self.now();
        self.scheduler.join(worker, hello.offer, &hello.held, now);
        tracing::info!(worker.id = worker.0, worker.name = %hello.name, "worker joined");
        Ok(session)
    }

    async fn said(
        &mut self,
        worker: WorkerId,
        said: Said,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        let now = self.now();
        match said {
            Said::Want(leases) => self.scheduler.want(worker, leases, now),
            Said::Progress { playing_games, nodes_per_second } => {
                self.scheduler.heard(worker, now);
                self.live.insert(worker, LiveWorker { playing_games, nodes_per_second });
            }
            Said::Return { lease, epoch, why } => {
                self.scheduler.give_back(worker, lease, epoch, &why);
            }
            Said::Report(report) => {
                let merge = self.scheduler.report(worker, &report, now, unix_ms());
                let outcome = match merge {
                    Merge::Merged => Acknowledged::Merged,
                    Merge::Duplicate => Acknowledged::Duplicate,
                    Merge::Invalid(why) => {
                        tracing::warn!(
                            worker.id = worker.0, lease.id = report.lease.0, reason = %why,
                            "report refused"
                        );
                        Acknowledged::Invalid(why)
                    }
                    Merge::NotOut => self.how_it_ended(worker, &report).await?,
                };
                let (lease, epoch, sequence) = (report.lease, report.epoch, report.sequence);
                let Some((_, outbound)) = self.sessions.get(&worker) else { return Ok(()) };
                let outbound = outbound.clone();
                answers.push(Box::new(move || {
                    // A full or closed channel ends the session; the worker says it again.
                    let _ = outbound.try_send(Outbound::Ack { lease, epoch, sequence, outcome });
                }));
            }
        }
        Ok(())
    }

    /// What to say of a report whose lease is not out: the ledger knows how it ended.
    async fn how_it_ended(
        &self,
        worker: WorkerId,
        report: &Report,
    ) -> Result<Acknowledged, StoreError> {
        let Some(lease) = self.ledger.lease(report.lease).await? else {
            return Ok(Acknowledged::Invalid("there is no such lease".to_owned()));
        };
        if lease.worker != worker || lease.epoch != report.epoch {
            return Ok(Acknowledged::Stale);
        }
        // Reports are cumulative: one that has no more pairs than are merged brings nothing new.
        let merged_all = u64::from(lease.merged_pairs) >= report.cumulative.pairs().0;
        Ok(match lease.run_state {
            _ if merged_all => Acknowledged::Duplicate,
            RunState::Finished | RunState::Stopped => Acknowledged::RunEnded,
            RunState::Running | RunState::Paused => Acknowledged::Stale,
        })
    }

    fn is_current(&self, session: Session) -> bool {
        self.sessions.get(&session.worker).is_some_and(|(number, _)| *number == session.number)
    }

    fn send(&mut self, worker: WorkerId, message: Outbound) {
        let Some((_, outbound)) = self.sessions.get(&worker) else { return };
        if outbound.try_send(message).is_err() {
            // Gone, or so slow that its channel is full: it reconnects and says what it holds.
            self.sessions.remove(&worker);
            self.scheduler.leave(worker);
        }
    }

    /// Shows the runs that moved since the last time.
    fn show(&mut self) {
        let now = self.now();
        for id in std::mem::take(&mut self.shown) {
            if let Some(run) = self.scheduler.run(id) {
                self.views.show_run(run, now);
            }
        }
        let workers = self.live.iter().map(|(id, live)| {
            let (connected, leases, idle) = self.scheduler.worker(*id).unwrap_or_default();
            (*id, live.clone(), connected, leases, idle)
        });
        self.views.show_workers(workers);
        self.views.settle(now);
    }

    async fn slow_tick(&mut self) -> Result<(), RecoverError> {
        let connected: Vec<WorkerId> = self.scheduler.connected_workers().collect();
        let touched = self.ledger.touch_workers(&connected).await;
        let leads = match &mut self.leader {
            Some(leader) => leader.check().await,
            None => Ok(()),
        };
        match touched.and(leads) {
            Ok(()) => Ok(()),
            Err(error) => self.start_again(&error).await,
        }
    }

    /// After a failed write: drop every session and build the state from the ledger again.
    async fn start_again(&mut self, error: &StoreError) -> Result<(), RecoverError> {
        tracing::warn!(error = %chain(error), "the ledger failed; starting again from it");
        self.sessions.clear();
        self.live.clear();
        self.leader = None;
        let since = Instant::now();
        let mut pause = Duration::from_millis(100);
        loop {
            match self.recover().await {
                Ok(()) => {
                    tracing::info!(
                        duration_ms = since.elapsed().as_millis() as u64,
                        "the ledger is back"
                    );
                    return Ok(());
                }
                Err(error) if since.elapsed() > PATIENCE => return Err(error),
                Err(error) => tracing::debug!(error = %chain(&error), "the ledger is still gone"),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    async fn recover(&mut self) -> Result<(), RecoverError> {
        self.leader = None;
        let leader = self.ledger.take_lead().await?;
        let now = self.now();
        self.scheduler = recover::scheduler(&self.ledger, self.limits, now).await?;
        let workers = self.ledger.workers().await?;
        self.last_worker = workers.iter().map(|w| w.worker.id.0).max().unwrap_or(0);
        self.keys = workers.into_iter().map(|w| (w.worker.key, w.worker.id)).collect();
        self.shown = self.scheduler.runs().map(|run| run.id).collect();
        self.leader = Some(leader);
        Ok(())
    }

    /// Gives no more work, tells the workers, and merges what still comes.
    async fn drain(&mut self, group: &mut Vec<Command>) -> Result<(), RecoverError> {
        let workers: Vec<WorkerId> = self.sessions.keys().copied().collect();
        for worker in workers {
            self.send(worker, Outbound::Drain);
        }
        let until = tokio::time::Instant::now() + DRAIN;
        while !self.sessions.is_empty() {
            let taken = tokio::time::timeout_at(until, self.inbox.recv_many(group, GROUP)).await;
            if !matches!(taken, Ok(1..)) {
                break;
            }
            self.turn(group, false).await?;
        }
        self.sessions.clear();
        Ok(())
    }

    fn now(&self) -> Moment {
        Moment(self.started.elapsed())
    }
}

/// The wall clock, for people to read; nothing is decided by it.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// An error with its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
