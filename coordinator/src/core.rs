//! The one task that owns the scheduler: takes commands in order, decides in memory, commits, and
//! only then answers.
//!
//! Commands that come while a commit runs form the next group, so that the ledger sees one
//! transaction for up to [`GROUP`] of them. When a commit fails nobody is answered, every session
//! is dropped, and the state is built again from the ledger: the workers reconnect and say again
//! what was not acknowledged.

mod believing;
mod clock;
mod deciding;
mod handle;
mod recovering;
mod sessions;
mod ticking;

use crate::dispatch::Moment;
use crate::dispatch::audits::AuditPolicy;
use crate::dispatch::scheduler::{LeaseLimits, Scheduler};
use crate::metrics::Metrics;
use crate::recover::RecoverError;
use crate::traces;
use crate::views::{LiveWorker, Views};
use clock::Clock;
use handle::{Believing, Command};
use model::{RunId, WorkerId};
use recovering::{recover, recover_as, stand_by};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{Batch, LeaderEpoch, Ledger, NewWorker, StoreError};
use telemetry::Traces;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use handle::{Acknowledged, CoreError, Explained, Handle, Line, Outbound, Said, Session};

/// Most commands of one commit.
const GROUP: usize = 1024;
/// Commands that are worth a commit at once.
const ENOUGH: usize = 200;
/// How long after a commit fewer of them wait for others: a commit costs about as much for one as for
/// many. A command that comes later than that waits for nobody.
const GATHER: Duration = Duration::from_millis(5);
/// Commands that may wait; beyond that the sessions wait.
const QUEUE: usize = 1024;
/// Between two looks at overdue leases, and between two states shown of a run.
const TICK: Duration = Duration::from_millis(250);
/// Ticks between two notes that workers are there, two checks of the lead, and two looks whether the
/// moves of tomorrow have a place.
const SLOW_TICKS: u32 = 40;
/// How long sessions get to finish when the coordinator stops.
const DRAIN: Duration = Duration::from_secs(3);
/// How long the ledger may be gone before the coordinator gives up.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a database may take for one group, or for being read at a start, before it counts as
/// gone. More than the time limit of its statements.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// The same once the coordinator is told to stop.
const ANSWER_WITHIN_AT_STOP: Duration = Duration::from_secs(2);
/// How long a leader may say nothing to the database before a standby takes the lead from it. The
/// leader says something every [`BEAT_TICKS`].
const LEADER_SILENCE: Duration = Duration::from_secs(10);
/// Ticks between two signs of life to the database.
const BEAT_TICKS: u32 = 4;
/// Between two attempts of a standby to reach the database.
const STANDBY_PAUSE: Duration = Duration::from_secs(1);
/// How long a start waits for a coordinator that is just going, or whose death the database has not
/// noticed yet.
const LEAD_PATIENCE: Duration = Duration::from_secs(5);

/// What a start does when another coordinator leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// It waits some seconds for one that is just going, and fails.
    #[default]
    AtOnce,
    /// It waits as long as it takes, and takes over.
    StandBy,
}

/// The core before it runs.
pub struct Core {
    ledger: Ledger,
    leader: Option<LeaderEpoch>,
    limits: LeaseLimits,
    checking: AuditPolicy,
    lead: Lead,
    clock: Clock,
    scheduler: Scheduler,
    keys: BTreeMap<Vec<u8>, WorkerId>,
    /// Workers that came and are not written down yet.
    greeted: Vec<NewWorker>,
    /// When the last group was written.
    written_at: tokio::time::Instant,
    /// What is written beside the groups, one thing at a time.
    notes: JoinSet<Result<(), StoreError>>,
    /// The highest id of a worker.
    last_worker: WorkerId,
    sessions: BTreeMap<WorkerId, (u64, Line)>,
    next_session: u64,
    live: BTreeMap<WorkerId, LiveWorker>,
    views: Arc<Views>,
    metrics: Arc<Metrics>,
    traces: traces::Leases,
    shown: BTreeSet<RunId>,
    inbox: mpsc::Receiver<Command>,
    shutdown: CancellationToken,
}

/// What waits for the commit.
enum Answer {
    /// To a command.
    Reply(Box<dyn FnOnce() + Send>),
    /// To a report that came then.
    Ack(Session, Outbound, Instant),
}

/// How it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    /// The coordinator was told to stop while the ledger was gone.
    Stop,
}

impl Core {
    /// Takes the lead and builds the state from the ledger.
    ///
    /// # Errors
    /// Another coordinator leads and goes on leading, or the ledger cannot be read.
    pub async fn start(
        ledger: Ledger,
        limits: LeaseLimits,
        checking: AuditPolicy,
        lead: Lead,
        views: Arc<Views>,
        metrics: Arc<Metrics>,
        shutdown: CancellationToken,
    ) -> Result<(Self, Handle), RecoverError> {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let mut core = Self {
            ledger,
            leader: None,
            limits,
            checking,
            lead,
            clock: Clock::start(),
            scheduler: Scheduler::default(),
            keys: BTreeMap::new(),
            greeted: Vec::new(),
            written_at: tokio::time::Instant::now(),
            notes: JoinSet::new(),
            last_worker: WorkerId(0),
            sessions: BTreeMap::new(),
            next_session: 0,
            live: BTreeMap::new(),
            views,
            metrics,
            traces: traces::Leases::default(),
            shown: BTreeSet::new(),
            inbox,
            shutdown,
        };
        if lead == Lead::StandBy {
            let leader = stand_by(&core.ledger).await;
            let recovered =
                recover_as(leader, &core.ledger, core.limits, core.checking, core.now()).await?;
            core.go_on_from(recovered);
            return Ok((core, Handle { commands }));
        }
        let recovered = loop {
            match recover(&core.ledger, core.limits, core.checking, core.now()).await {
                Err(RecoverError::Store(StoreError::LeadTaken)) if core.now().0 < LEAD_PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                result => break result?,
            }
        };
        core.go_on_from(recovered);
        Ok((core, Handle { commands }))
    }

    /// Tells the steps of its leases.
    #[must_use]
    pub fn telling(mut self, traces: Traces) -> Self {
        self.traces = traces::Leases::new(traces);
        self
    }

    /// Runs until the token is cancelled, then lets the sessions finish and closes the ledger. When
    /// the ledger is gone at that time it ends at once: what was acknowledged is in the ledger, and
    /// what was not the workers still have.
    ///
    /// # Errors
    /// The ledger was gone for longer than two minutes, or another coordinator leads.
    pub async fn run(mut self) -> Result<(), RecoverError> {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut ticks = 0_u32;
        let mut group = Vec::with_capacity(GROUP);
        let shutdown = self.shutdown.clone();
        let mut next = Next::GoOn;
        while next == Next::GoOn {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = tick.tick() => {
                    ticks = ticks.wrapping_add(1);
                    self.show(ticks);
                    if ticks.is_multiple_of(BEAT_TICKS) && self.beat().await? == Next::Stop {
                        break;
                    }
                    if ticks.is_multiple_of(SLOW_TICKS) {
                        self.note_who_is_there();
                    }
                }
                taken = self.inbox.recv_many(&mut group, GROUP) => {
                    if taken == 0 { break; }
                    self.gather(&mut group).await;
                }
            }
            self.clock.turn();
            next = self.turn(&mut group, true).await?;
        }
        self.drain(&mut group).await?;
        self.show(0);
        if let Some(leader) = self.leader.take() {
            self.metrics.lead(false);
            leader.release().await;
        }
        self.ledger.close().await;
        Ok(())
    }

    /// Takes what comes soon enough to be written with the group.
    async fn gather(&mut self, group: &mut Vec<Command>) {
        let until = self.written_at + GATHER;
        while group.len() < ENOUGH {
            let more = self.inbox.recv_many(group, GROUP - group.len());
            if !matches!(tokio::time::timeout_at(until, more).await, Ok(1..)) {
                return;
            }
        }
    }

    /// One group: decide, commit, answer.
    async fn turn(
        &mut self,
        group: &mut Vec<Command>,
        give_work: bool,
    ) -> Result<Next, RecoverError> {
        let shutdown = self.shutdown.clone();
        // They need a ledger that says what memory says: after the rest of their group.
        let changes: Vec<Believing> = group
            .extract_if(.., |command| matches!(command, Command::Believe(_)))
            .filter_map(|command| match command {
                Command::Believe(believing) => Some(*believing),
                _ => None,
            })
            .collect();
        let written = tokio::select! {
            written = self.decide_and_write(group, give_work) => written,
            () = too_long(&shutdown) => Err(StoreError::Silent),
        };
        match written {
            Ok((answers, batch)) => {
                self.tell(answers, &batch);
                for change in changes {
                    if self.believe(change).await? == Next::Stop {
                        return Ok(Next::Stop);
                    }
                }
                Ok(Next::GoOn)
            }
            // Whoever asked in this group hears that the ledger is not available.
            Err(error) => self.start_again(&error).await,
        }
    }

    async fn decide_and_write(
        &mut self,
        group: &mut Vec<Command>,
        give_work: bool,
    ) -> Result<(Vec<Answer>, Batch), StoreError> {
        let mut answers: Vec<Answer> = Vec::new();
        let decided = Instant::now();
        let commands = group.len();
        for command in group.drain(..) {
            self.decide(command, &mut answers).await?;
        }
        if give_work {
            self.scheduler.dispatch(self.now());
        }
        let mut batch = self.scheduler.take_batch();
        batch.workers = std::mem::take(&mut self.greeted);
        let leader = self.leader.as_ref().ok_or(StoreError::LeadTaken)?;
        if !batch.is_empty() {
            let began = Instant::now();
            self.ledger.commit(leader, &batch).await?;
            self.written_at = tokio::time::Instant::now();
            let took = began.elapsed();
            self.metrics.committed(&batch, commands, took, &self.scheduler);
            self.traces.written(&batch, decided, took);
        }
        Ok((answers, batch))
    }

    /// Says what is written by now. The pages first, so that who hears of something also sees it.
    fn tell(&mut self, answers: Vec<Answer>, batch: &Batch) {
        self.shown.extend(batch.runs.iter().map(|run| run.id));
        self.shown.extend(batch.run_moves.iter().map(|run| run.id));
        self.shown.extend(batch.leases.iter().map(|lease| lease.run));
        for run in self.scheduler.forget_ended() {
            tracing::info!(
                run.id = run.id.0, state = run.state.name(), reason = %run.state_reason,
                pairs = run.fold.tally.pairs().0, "run ended"
            );
            self.views.end_run(&run);
            self.shown.remove(&run.id);
        }
        let now = self.now();
        for audit in &batch.checks.moved {
            match self.scheduler.run(audit.run) {
                Some(run) => self.views.show_run(run, now),
                None => self.views.forget_ended_run(audit.run),
            }
        }
        for event in &batch.events {
            if let Some(run) = self.scheduler.run(event.run) {
                self.views.show_run(run, now);
            }
        }
        for answer in answers {
            match answer {
                Answer::Reply(reply) => reply(),
                Answer::Ack(session, ack, came) => {
                    if let Outbound::Ack { lease, sequence, outcome, .. } = &ack {
                        self.metrics.answered(outcome);
                        self.traces.answered(*lease, *sequence, outcome.name(), came.elapsed());
                    }
                    // Otherwise it reports again in its new session, and hears it there.
                    if self.is_current(session) {
                        self.send(session.worker, ack);
                    }
                }
            }
        }
        self.traces.said(batch);
        for (worker, push) in self.scheduler.take_outbox() {
            self.send(worker, Outbound::Push(push));
        }
    }

    fn now(&self) -> Moment {
        self.clock.now()
    }
}

/// Ends when an answer of the database can no longer be waited for.
async fn too_long(shutdown: &CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(ANSWER_WITHIN) => {}
        () = async {
            shutdown.cancelled().await;
            tokio::time::sleep(ANSWER_WITHIN_AT_STOP).await;
        } => {}
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
