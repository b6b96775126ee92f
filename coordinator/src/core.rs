//! The one task that owns the scheduler: takes commands in order, decides in memory, commits, and
//! only then answers.
//!
//! Commands that come while a commit runs form the next group, so that the ledger sees one
//! transaction for up to [`GROUP`] of them. When a commit fails nobody is answered, every session
//! is dropped, and the state is built again from the ledger: the workers reconnect and say again
//! what was not acknowledged.

mod believing;
mod clock;
mod handle;

use crate::convert::Hello;
use crate::dispatch::Moment;
use crate::dispatch::audits::AuditPolicy;
use crate::dispatch::scheduler::{LeaseLimits, Merge, Scheduler};
use crate::metrics::Metrics;
use crate::recover::{self, RecoverError};
use crate::traces;
use crate::views::{LiveWorker, Views};
use clock::Clock;
use handle::{Believing, Command, Reply};
use keys::PublicKey;
use model::lease::Report;
use model::view::RunState;
use model::{RunId, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{Batch, KnownWorker, LeaderEpoch, Ledger, NewWorker, StoreError};
use telemetry::Traces;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use handle::{Acknowledged, CoreError, Explained, Handle, Line, Outbound, Said, Session};

/// Most commands of one commit.
const GROUP: usize = 200;
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

/// The state as the ledger has it.
struct Recovered {
    leader: LeaderEpoch,
    scheduler: Scheduler,
    keys: BTreeMap<Vec<u8>, WorkerId>,
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
                    self.show();
                    if ticks.is_multiple_of(BEAT_TICKS) && self.beat().await? == Next::Stop {
                        break;
                    }
                    if ticks.is_multiple_of(SLOW_TICKS) && self.slow_tick().await? == Next::Stop {
                        break;
                    }
                }
                taken = self.inbox.recv_many(&mut group, GROUP) => {
                    if taken == 0 { break; }
                }
            }
            self.clock.turn();
            next = self.turn(&mut group, true).await?;
        }
        self.drain(&mut group).await?;
        self.show();
        if let Some(leader) = self.leader.take() {
            self.metrics.lead(false);
            leader.release().await;
        }
        self.ledger.close().await;
        Ok(())
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
        let batch = self.scheduler.take_batch();
        let leader = self.leader.as_ref().ok_or(StoreError::LeadTaken)?;
        if !batch.is_empty() {
            let began = Instant::now();
            self.ledger.commit(leader, &batch).await?;
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
        for audit in &batch.checks.ended {
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

    async fn decide(
        &mut self,
        command: Command,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        fn later<T: Send + 'static>(reply: Reply<T>, result: Result<T, CoreError>) -> Answer {
            Answer::Reply(Box::new(move || {
                // Whoever asked may be gone by now.
                let _ = reply.send(result);
            }))
        }
        match command {
            Command::Join { reply, .. } if self.shutdown.is_cancelled() => {
                answers.push(later(reply, Err(CoreError::Stopping)));
            }
            Command::Join { hello, line, reply } => {
                let session = self.join(hello, line).await?;
                answers.push(later(reply, Ok(session)));
            }
            Command::Expel { key, reply } => {
                self.expel(&key);
                answers.push(later(reply, Ok(())));
            }
            Command::Explain { hello, reply } => {
                let known = self.keys.get(&hello.key.as_bytes()[..]).copied();
                // Of a worker that never came nothing is held against it.
                let worker = known.unwrap_or(WorkerId(0));
                let (connected, leases, session_idle) =
                    self.scheduler.worker(worker).unwrap_or_default();
                let idle = self.scheduler.explain(worker, &hello.offer);
                let explained = Explained { idle, connected, leases, session_idle };
                answers.push(later(reply, Ok(explained)));
            }
            Command::Leave(session) => {
                if self.is_current(session) {
                    self.end_session(session.worker);
                }
            }
            Command::Said(session, said) => {
                if self.is_current(session) {
                    self.said(session, said, answers).await?;
                }
            }
            Command::Terms(session, report, reply) => {
                let terms = match self.is_current(session) {
                    true => self.scheduler.terms(session.worker, &report),
                    false => None,
                };
                // Nothing is decided by it, so it need not wait for the commit.
                let _ = reply.send((report, terms));
            }
            // Taken out of the group before.
            Command::Believe(_) => {}
            Command::ExplainRun { run, reply } => {
                answers.push(later(reply, Ok(self.scheduler.explain_run(run))));
            }
            Command::Release { worker, author, reason, reply } => {
                let was_held = self.scheduler.release(worker, &author, &reason);
                answers.push(later(reply, Ok(was_held)));
            }
            Command::Create { spec, filed, openings, reply } => {
                let made = match self.run_of_key(&filed.key).await? {
                    Some(run) => Ok(run),
                    None => {
                        let now = unix_ms();
                        self.scheduler.create(*spec, filed, *openings, now).map_err(CoreError::from)
                    }
                };
                answers.push(later(reply, made));
            }
            Command::Fork(forking) => {
                let handle::Forking { spec, source, filed, openings, reply } = *forking;
                let made = match self.run_of_key(&filed.key).await? {
                    Some(run) => Ok(run),
                    None => {
                        let made = self.scheduler.fork(spec, &source, filed, openings, unix_ms());
                        made.map_err(CoreError::from)
                    }
                };
                answers.push(later(reply, made));
            }
            Command::Extend { run, asked, reply } => {
                let done = self.scheduler.extend(run, asked).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Weigh { run, weight, reply } => {
                let done = self.scheduler.weigh(run, weight).map_err(CoreError::from);
                answers.push(later(reply, done));
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

    /// The run that was filed with this key, if there is one.
    async fn run_of_key(&self, key: &str) -> Result<Option<RunId>, StoreError> {
        match self.scheduler.runs().find(|run| run.idempotency_key == key) {
            Some(run) => Ok(Some(run.id)),
            None => self.ledger.run_of_key(key).await,
        }
    }

    async fn join(&mut self, hello: Hello, line: Line) -> Result<Session, StoreError> {
        let next = self.last_worker.0 + 1;
        let key = hello.key.as_bytes().to_vec();
        let known = self.keys.get(&key).copied();
        let leader = self.leader.as_ref().ok_or(StoreError::LeadTaken)?;
        let introduction = NewWorker {
            id: known.unwrap_or(WorkerId(next)),
            key: key.clone(),
            name: hello.name.clone(),
            platform: hello.platform,
            software_version: hello.software_version,
            cores: hello.cores,
            slots: hello.slots,
        };
        let worker = self.ledger.greet_worker(leader, &introduction).await?;
        self.last_worker = self.last_worker.max(worker);
        self.keys.insert(key, worker);
        self.next_session += 1;
        let session = Session { worker, number: self.next_session };
        // An older session of the same worker ends here: its line is dropped.
        self.sessions.insert(worker, (session.number, line));
        self.live.insert(worker, LiveWorker::default());
        self.metrics.session_opened();
        self.traces.met(worker, &hello.key);
        let now = self.now();
        self.scheduler.know_owner(worker, &hello.owner);
        self.scheduler.join(worker, hello.offer, &hello.held, now);
        tracing::info!(worker.id = worker.0, worker.name = %hello.name, "worker joined");
        Ok(session)
    }

    async fn said(
        &mut self,
        session: Session,
        said: Said,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        let (worker, now, came) = (session.worker, self.now(), Instant::now());
        match said {
            Said::Want(leases) => self.scheduler.want(worker, leases, now),
            Said::Progress { playing_games, nodes_per_second } => {
                self.scheduler.heard(worker, now);
                self.scheduler.played_at(worker, nodes_per_second, playing_games);
                self.live.insert(worker, LiveWorker { playing_games, nodes_per_second });
            }
            Said::Return { lease, epoch, why } => {
                self.scheduler.give_back(worker, lease, epoch, &why);
            }
            Said::Report(judged) => {
                let merge = self.scheduler.report(worker, &judged, now, unix_ms());
                let report = &judged.report;
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
                    Merge::NotOut => self.how_it_ended(worker, report).await?,
                };
                let (lease, epoch, sequence) = (report.lease, report.epoch, report.sequence);
                let ack = Outbound::Ack { lease, epoch, sequence, outcome };
                answers.push(Answer::Ack(session, ack, came));
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
            // A check that was given to another, or one that is done and told so before.
            return Ok(Acknowledged::Stale);
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
        let Some((_, line)) = self.sessions.get(&worker) else { return };
        if !line.take(message) {
            // Gone, or so slow that its line is full: it reconnects and says what it holds.
            self.end_session(worker);
        }
    }

    /// The key of a worker is good no longer: its session is over, and its leases go to others.
    fn expel(&mut self, key: &PublicKey) {
        let Some(worker) = self.keys.get(&key.as_bytes()[..]).copied() else { return };
        if self.sessions.contains_key(&worker) {
            tracing::info!(worker.id = worker.0, "worker expelled: its key was revoked");
        }
        self.end_session(worker);
        self.scheduler.expel(worker);
    }

    fn end_session(&mut self, worker: WorkerId) {
        self.sessions.remove(&worker);
        self.scheduler.leave(worker);
        self.live.remove(&worker);
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
        let live = self
            .live
            .iter()
            .map(|(id, live)| (live, self.scheduler.worker(*id).and_then(|(_, _, idle)| idle)));
        self.metrics.stand(&self.scheduler, live);
        self.views.settle(now);
    }

    async fn slow_tick(&mut self) -> Result<Next, RecoverError> {
        let connected: Vec<WorkerId> = self.scheduler.connected_workers().collect();
        let Self { ledger, shutdown, .. } = self;
        let looked = async {
            ledger.touch_workers(&connected).await?;
            ledger.make_days().await
        };
        let looked = tokio::select! {
            looked = looked => looked,
            () = too_long(shutdown) => Err(StoreError::Silent),
        };
        self.go_on(looked).await
    }

    /// A sign of life to the database, in the session that holds the lead.
    async fn beat(&mut self) -> Result<Next, RecoverError> {
        let Self { leader, shutdown, .. } = self;
        let beat = async {
            match leader {
                Some(leader) => leader.check().await,
                None => Err(StoreError::LeadTaken),
            }
        };
        let beat = tokio::select! {
            beat = beat => beat,
            () = too_long(shutdown) => Err(StoreError::Silent),
        };
        self.go_on(beat).await
    }

    async fn go_on(&mut self, looked: Result<(), StoreError>) -> Result<Next, RecoverError> {
        match looked {
            Ok(()) => Ok(Next::GoOn),
            Err(error) => self.start_again(&error).await,
        }
    }

    /// After a failed write: drop every session and build the state from the ledger again. Commands
    /// that come meanwhile are refused.
    async fn start_again(&mut self, error: &StoreError) -> Result<Next, RecoverError> {
        tracing::warn!(error = %chain(error), "the ledger failed; starting again from it");
        self.metrics.ledger_failed();
        self.sessions.clear();
        self.live.clear();
        // Given up first: this coordinator must not be in its own way.
        self.leader = None;
        let since = Instant::now();
        let mut pause = Duration::from_millis(100);
        let shutdown = self.shutdown.clone();
        loop {
            let now = self.now();
            let attempt = async {
                let recovered = recover(&self.ledger, self.limits, self.checking, now);
                let silent = |_| RecoverError::Store(StoreError::Silent);
                tokio::time::timeout(ANSWER_WITHIN, recovered).await.map_err(silent)?
            };
            let recovered = tokio::select! {
                // First of all, so that a stop is a stop even when the database is quick.
                biased;
                () = shutdown.cancelled() => {
                    tracing::warn!("told to stop while the ledger is gone; nothing is lost by that");
                    return Ok(Next::Stop);
                }
                recovered = while_refusing(&mut self.inbox, attempt) => recovered,
            };
            match recovered {
                Ok(recovered) => {
                    self.go_on_from(recovered);
                    let duration_ms = since.elapsed().as_millis() as u64;
                    tracing::info!(duration_ms, "the ledger is back");
                    return Ok(Next::GoOn);
                }
                // The standby of before has taken over: this one is the standby now, afresh.
                Err(error @ RecoverError::Store(StoreError::LeadTaken))
                    if self.lead == Lead::StandBy =>
                {
                    return Err(error);
                }
                Err(error) if since.elapsed() > PATIENCE => return Err(error),
                Err(error) => tracing::debug!(error = %chain(&error), "the ledger is still gone"),
            }
            tokio::select! {
                () = while_refusing(&mut self.inbox, tokio::time::sleep(pause)) => {}
                () = shutdown.cancelled() => {}
            }
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    fn go_on_from(&mut self, recovered: Recovered) {
        let Recovered { leader, scheduler, keys } = recovered;
        self.leader = Some(leader);
        self.metrics.lead(true);
        self.traces.forget();
        self.scheduler = scheduler;
        self.last_worker = keys.values().copied().max().unwrap_or(WorkerId(0));
        self.keys = keys;
        self.shown = self.scheduler.runs().map(|run| run.id).collect();
        // A run may have ended in the very commit whose answer was lost.
        self.views.forget_open_runs();
        self.show();
    }

    /// Gives no more work, tells the workers, and merges what still comes.
    async fn drain(&mut self, group: &mut Vec<Command>) -> Result<(), RecoverError> {
        let workers: Vec<WorkerId> = self.sessions.keys().copied().collect();
        for worker in workers {
            self.send(worker, Outbound::Drain);
        }
        let until = tokio::time::Instant::now() + DRAIN;
        // A worker without a lease has nothing more to say.
        let busy = |core: &Self| {
            let mut workers = core.sessions.keys();
            workers.any(|id| core.scheduler.worker(*id).is_some_and(|(_, leases, _)| leases > 0))
        };
        while busy(self) {
            let taken = tokio::time::timeout_at(until, self.inbox.recv_many(group, GROUP)).await;
            if !matches!(taken, Ok(1..)) {
                break;
            }
            if self.turn(group, false).await? == Next::Stop {
                break;
            }
        }
        self.sessions.clear();
        Ok(())
    }

    fn now(&self) -> Moment {
        self.clock.now()
    }
}

/// Takes the lead and reads the state.
async fn recover(
    ledger: &Ledger,
    limits: LeaseLimits,
    checking: AuditPolicy,
    now: Moment,
) -> Result<Recovered, RecoverError> {
    let leader = ledger.take_lead().await?;
    recover_as(leader, ledger, limits, checking, now).await
}

/// Waits for the lead, whatever happens to the database meanwhile.
async fn stand_by(ledger: &Ledger) -> LeaderEpoch {
    loop {
        match ledger.wait_for_lead(LEADER_SILENCE).await {
            Ok(leader) => return leader,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "standing by; the ledger does not answer");
                tokio::time::sleep(STANDBY_PAUSE).await;
            }
        }
    }
}

/// Reads the state as the leader that this coordinator is.
async fn recover_as(
    leader: LeaderEpoch,
    ledger: &Ledger,
    limits: LeaseLimits,
    checking: AuditPolicy,
    now: Moment,
) -> Result<Recovered, RecoverError> {
    let mut scheduler = recover::scheduler(ledger, limits, now).await?;
    scheduler.set_audit_policy(checking);
    let mut keys = BTreeMap::new();
    for KnownWorker { key, id, owner } in ledger.known_workers().await? {
        if let Some(owner) = &owner {
            scheduler.know_owner(id, &owner.as_str().into());
        }
        keys.insert(key, id);
    }
    Ok(Recovered { leader, scheduler, keys })
}

/// Waits for something without the ledger; commands that come meanwhile are dropped, which tells
/// whoever asked that the ledger is not available.
async fn while_refusing<T>(
    inbox: &mut mpsc::Receiver<Command>,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            Some(_) = inbox.recv() => {}
        }
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
