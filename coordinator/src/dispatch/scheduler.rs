//! All runs, leases and workers together.
//!
//! Every method leaves behind what must be written ([`Scheduler::take_batch`]) and what must be
//! said ([`Scheduler::take_outbox`]); the caller writes first and speaks after. When a write fails
//! the whole value is thrown away and built again from the ledger.

use super::Moment;
use super::fold::{Fold, FoldError};
use super::openings::Openings;
use super::run::{Run, Slice};
use model::lease::{LeaseEnd, PairRange, PairRecord, Report, WorkOrder};
use model::spec::RunSpec;
use model::view::{LeaseCounts, RunState};
use model::{GameKind, LeaseId, ReportId, RunId, Tally, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use store::{Batch, LeaseMove, NewLease, NewReport, NewRun, NewSnapshot, RunEvent, RunMove};
use tune::Perturbation;

/// Time limits of leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseLimits {
    /// A worker that is silent for longer may lose its leases to others.
    pub silence: Duration,
    /// A lease of which nothing came for longer may be lost even by a worker that is there.
    pub standstill: Duration,
}

impl Default for LeaseLimits {
    fn default() -> Self {
        Self { silence: Duration::from_secs(60), standstill: Duration::from_secs(1800) }
    }
}

/// What a worker can play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// For each game of the built-in engine the parameters that it knows.
    pub builtin: BTreeMap<GameKind, BTreeSet<String>>,
}

impl Offer {
    fn can_play(&self, spec: &RunSpec) -> bool {
        self.builtin
            .get(&spec.game)
            .is_some_and(|known| spec.parameter_names().iter().all(|name| known.contains(*name)))
    }
}

/// Why a worker has nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// No run is running.
    NoOpenRun,
    /// Running runs need what this worker does not offer.
    NotOffered,
    /// Every pair that is asked for is leased or counted.
    BudgetSpent,
}

impl Idle {
    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Idle::NoOpenRun => "no open run",
            Idle::NotOffered => "open runs need a game or parameters that this worker lacks",
            Idle::BudgetSpent => "every pair of the open runs is leased or counted",
        }
    }
}

/// Why a lease is called back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// Its run is over.
    RunEnded,
    /// Its pairs were given to another worker.
    LeasedElsewhere,
    /// It is not out, as far as the ledger knows.
    UnknownLease,
}

/// Something to say to a worker, after the batch is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// Play this.
    Order(WorkOrder),
    /// Stop playing this.
    Cancel {
        /// The lease.
        lease: LeaseId,
        /// Its epoch.
        epoch: u32,
        /// Why.
        reason: CancelReason,
    },
    /// There is nothing now.
    Idle(Idle),
}

/// What became of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Its pairs count, once the batch is written.
    Merged,
    /// Its pairs counted before.
    Duplicate,
    /// The lease is not out: how it ended stands in the ledger.
    NotOut,
    /// It contradicts its lease or itself.
    Invalid(String),
}

/// Why a worker gives pairs back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GiveBack {
    /// It goes away, or lost its place.
    Leaving,
    /// It cannot play them.
    Unplayable(String),
}

/// A refused command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// No such open run.
    #[error("run {0} is not open: it is over, or was never filed")]
    NotOpen(RunId),
    /// The run is not in a state from which this can be done.
    #[error("run {run} is {found}; allowed: {allowed}")]
    State {
        /// The run.
        run: RunId,
        /// Its state.
        found: &'static str,
        /// From which states it can be done.
        allowed: &'static str,
    },
}

#[derive(Clone, Debug)]
struct Lease {
    run: RunId,
    worker: WorkerId,
    slice: Slice,
    done: BTreeSet<usize>,
    merged: Tally,
    last_sequence: u32,
    /// When it was given, or something of it came last.
    moved_at: Moment,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    connected: bool,
    heard_at: Moment,
    offer: Offer,
    want: u32,
    leases: BTreeSet<LeaseId>,
    /// Runs that it could not play.
    cannot: BTreeSet<RunId>,
    idle: Option<Idle>,
}

/// A lease that is out, as read from the ledger.
#[derive(Clone, Debug)]
pub struct RecoveredLease {
    /// Its id.
    pub id: LeaseId,
    /// Its run.
    pub run: RunId,
    /// Who has it.
    pub worker: WorkerId,
    /// Its terms.
    pub slice: Slice,
    /// What is merged of it.
    pub merged: Tally,
    /// Which pairs those are, as offsets in the range.
    pub done: BTreeSet<usize>,
    /// Number of its last merged report.
    pub last_sequence: u32,
}

/// The highest ids given so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastIds {
    /// Of runs.
    pub run: i64,
    /// Of leases.
    pub lease: i64,
    /// Of reports.
    pub report: i64,
}

/// Reports of a run between two snapshots.
const SNAPSHOT_EVERY: u32 = 200;
/// Workers that fail to play a run before it is paused.
const UNPLAYABLE_LIMIT: u32 = 3;

/// The state machine.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    limits: LeaseLimits,
    ids: LastIds,
    runs: BTreeMap<RunId, Run>,
    leases: BTreeMap<LeaseId, Lease>,
    workers: BTreeMap<WorkerId, Worker>,
    /// What must be written; moves are added from the two sets below when it is taken.
    batch: Batch,
    moved_leases: BTreeMap<LeaseId, (u32, Option<LeaseEnd>)>,
    moved_runs: BTreeSet<RunId>,
    outbox: Vec<(WorkerId, Push)>,
}

impl Scheduler {
    /// A scheduler without runs.
    #[must_use]
    pub fn new(limits: LeaseLimits, ids: LastIds) -> Self {
        Self { limits, ids, ..Self::default() }
    }

    /// Puts an open run back as the ledger has it.
    pub fn restore_run(&mut self, run: Run) {
        self.runs.insert(run.id, run);
    }

    /// Puts a lease back as the ledger has it. Its worker is taken to have been heard just now:
    /// the time in which no coordinator listened counts against nobody.
    pub fn restore_lease(&mut self, lease: RecoveredLease, now: Moment) {
        let RecoveredLease { id, run, worker, slice, merged, done, last_sequence } = lease;
        let Some(owner) = self.runs.get_mut(&run) else { return };
        owner.leases.insert(id);
        owner.leased_pairs += u64::from(slice.range.count) - done.len() as u64;
        let holder = self.workers.entry(worker).or_default();
        holder.heard_at = now;
        holder.leases.insert(id);
        let lease = Lease { run, worker, slice, done, merged, last_sequence, moved_at: now };
        self.leases.insert(id, lease);
    }

    /// An open run, or one that ended since the last write.
    #[must_use]
    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&id)
    }

    /// Every run that is in memory.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.values()
    }

    /// What is known live of a worker: whether a session is open, its leases, why it is idle.
    #[must_use]
    pub fn worker(&self, id: WorkerId) -> Option<(bool, usize, Option<Idle>)> {
        self.workers.get(&id).map(|w| (w.connected, w.leases.len(), w.idle))
    }

    /// Workers with an open session.
    pub fn connected_workers(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.iter().filter(|(_, w)| w.connected).map(|(id, _)| *id)
    }

    /// Files a run that was checked.
    ///
    /// # Errors
    /// The optimiser refuses the specification.
    pub fn create(
        &mut self,
        spec: RunSpec,
        idempotency_key: String,
        openings: Openings,
        unix_ms: i64,
    ) -> Result<RunId, FoldError> {
        let fold = Fold::new(&spec)?;
        self.ids.run += 1;
        let id = RunId(self.ids.run);
        self.batch.runs.push(NewRun {
            id,
            spec: spec.clone(),
            idempotency_key: idempotency_key.clone(),
        });
        self.event(id, "created", "");
        let run = Run {
            id,
            spec: Arc::new(spec),
            idempotency_key,
            created_at_unix_ms: unix_ms,
            ended_at_unix_ms: None,
            state: RunState::Running,
            state_reason: String::new(),
            verdict: None,
            fold,
            openings,
            next_fresh: model::lease::PairIndex(0),
            slices: VecDeque::new(),
            leases: BTreeSet::new(),
            leased_pairs: 0,
            counts: LeaseCounts::default(),
            pass: self.least_pass(),
            unsaved_reports: 0,
            unplayable: 0,
        };
        self.runs.insert(id, run);
        Ok(id)
    }

    /// Stops giving pairs of a run; what is out goes on.
    ///
    /// # Errors
    /// The run is not running.
    pub fn pause(&mut self, id: RunId, reason: &str) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state != RunState::Running {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running" });
        }
        run.state = RunState::Paused;
        run.state_reason = reason.to_owned();
        self.moved_runs.insert(id);
        self.event(id, "paused", reason);
        Ok(())
    }

    /// Gives pairs of a paused run again.
    ///
    /// # Errors
    /// The run is not paused.
    pub fn resume(&mut self, id: RunId) -> Result<(), ControlError> {
        let least = self.least_pass();
        let run = self.open_run(id)?;
        if run.state != RunState::Paused {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "paused" });
        }
        run.state = RunState::Running;
        run.state_reason = String::new();
        run.unplayable = 0;
        // What it did not use while it was paused is not owed to it.
        run.pass = run.pass.max(least);
        self.moved_runs.insert(id);
        for worker in self.workers.values_mut() {
            worker.cannot.remove(&id);
        }
        self.event(id, "resumed", "");
        Ok(())
    }

    /// Ends a run by hand. Its leases are revoked; a test has no verdict.
    ///
    /// # Errors
    /// The run is over.
    pub fn stop(&mut self, id: RunId, reason: &str, unix_ms: i64) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state.is_over() {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running, paused" });
        }
        self.end_run(id, RunState::Stopped, reason, unix_ms);
        Ok(())
    }

    /// A worker opened a session. `held` are the leases that it still has; those that it lost go
    /// back to their runs, those that are no longer its own are called back.
    pub fn join(&mut self, id: WorkerId, offer: Offer, held: &[(LeaseId, u32)], now: Moment) {
        let worker = self.workers.entry(id).or_default();
        worker.connected = true;
        worker.heard_at = now;
        worker.offer = offer;
        worker.want = 0;
        worker.idle = None;
        worker.cannot.clear();
        let mine = worker.leases.clone();
        for &(lease, epoch) in held {
            let is_mine = mine.contains(&lease)
                && self.leases.get(&lease).is_some_and(|l| l.slice.epoch == epoch);
            if !is_mine {
                let reason = CancelReason::UnknownLease;
                self.outbox.push((id, Push::Cancel { lease, epoch, reason }));
            }
        }
        for lease in mine {
            if !held.iter().any(|(l, _)| *l == lease) {
                self.end_lease(lease, LeaseEnd::Returned);
            }
        }
    }

    /// A worker's session is over. Its leases stay its own until others need them.
    pub fn leave(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.connected = false;
            worker.want = 0;
            worker.idle = None;
        }
    }

    /// How many more leases a worker would take now.
    pub fn want(&mut self, id: WorkerId, leases: u32, now: Moment) {
        // More than a few at a time only lengthen what is lost with a machine.
        const MOST: u32 = 16;
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.heard_at = now;
            worker.want = leases.min(MOST);
        }
    }

    /// A sign of life.
    pub fn heard(&mut self, id: WorkerId, now: Moment) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.heard_at = now;
        }
    }

    /// Merges a report, if its lease is out at its epoch with this worker and it is consistent.
    pub fn report(
        &mut self,
        worker: WorkerId,
        report: &Report,
        now: Moment,
        unix_ms: i64,
    ) -> Merge {
        self.heard(worker, now);
        let Some(lease) = self.leases.get_mut(&report.lease) else { return Merge::NotOut };
        if lease.worker != worker || lease.slice.epoch != report.epoch {
            return Merge::NotOut;
        }
        let fresh = match fresh_pairs(lease, report) {
            Ok(fresh) => fresh,
            Err(contradiction) => return Merge::Invalid(contradiction),
        };
        if fresh.is_empty() {
            return Merge::Duplicate;
        }
        let tally: Tally = fresh.iter().map(|pair| pair.outcome()).collect();
        let mut merged = lease.merged;
        merged += tally;
        if merged != report.cumulative {
            return Merge::Invalid(format!(
                "the report says {:?} in all, its pairs make {:?}",
                report.cumulative.pentanomial.0, merged.pentanomial.0
            ));
        }
        let run_id = lease.run;
        let Some(run) = self.runs.get_mut(&run_id) else { return Merge::NotOut };
        let id = ReportId(self.ids.report + 1);
        if let Err(error) = run.fold.apply(id, &tally, lease.slice.probe.as_ref()) {
            return Merge::Invalid(error.to_string());
        }
        self.ids.report = id.0;
        run.unsaved_reports += 1;
        run.leased_pairs = run.leased_pairs.saturating_sub(fresh.len() as u64);
        lease.merged = merged;
        lease.last_sequence = report.sequence;
        lease.moved_at = now;
        let range = lease.slice.range;
        lease.done.extend(fresh.iter().filter_map(|pair| range.offset_of(pair.index)));
        let done = lease.done.len();
        self.moved_leases.insert(report.lease, (count(done), None));
        self.moved_runs.insert(run_id);
        self.batch.reports.push(NewReport {
            id,
            run: run_id,
            lease: report.lease,
            epoch: report.epoch,
            sequence: report.sequence,
            tally,
            pairs: fresh.into_iter().cloned().collect(),
        });
        if done == range.count as usize {
            self.end_lease(report.lease, LeaseEnd::Completed);
        }
        self.end_run_if_over(run_id, unix_ms);
        Merge::Merged
    }

    /// A worker gives back what it has not finished of a lease.
    pub fn give_back(&mut self, worker: WorkerId, lease: LeaseId, epoch: u32, why: &GiveBack) {
        let is_its_own = self
            .leases
            .get(&lease)
            .is_some_and(|l| l.worker == worker && l.slice.epoch == epoch);
        if !is_its_own {
            return;
        }
        let run_id = self.leases[&lease].run;
        self.end_lease(lease, LeaseEnd::Returned);
        let GiveBack::Unplayable(detail) = why else { return };
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.cannot.insert(run_id);
        }
        let Some(run) = self.runs.get_mut(&run_id) else { return };
        run.unplayable += 1;
        // A run of which nothing was ever played is wrong in itself; one that was played by others
        // gets the benefit of the doubt a few times.
        let hopeless = run.fold.reports == 0 || run.unplayable >= UNPLAYABLE_LIMIT;
        if hopeless && run.state == RunState::Running {
            let reason = format!("a worker cannot play it: {detail}");
            // The run is running, so it can be paused.
            let _ = self.pause(run_id, &reason);
        }
    }

    /// Gives pairs to every worker that wants some, one lease at a time each, until nobody wants
    /// more or nothing is left.
    pub fn dispatch(&mut self, now: Moment) {
        loop {
            let wanting: Vec<WorkerId> = self
                .workers
                .iter()
                .filter(|(_, w)| w.connected && w.want > 0)
                .map(|(id, _)| *id)
                .collect();
            let mut gave = false;
            for worker in wanting {
                match self.next_slice(worker, now) {
                    Ok((run, slice)) => {
                        self.issue(worker, run, slice, now);
                        gave = true;
                    }
                    Err(idle) => self.say_idle(worker, idle),
                }
            }
            if !gave {
                return;
            }
        }
    }

    /// Takes what must be written.
    pub fn take_batch(&mut self) -> Batch {
        let mut batch = std::mem::take(&mut self.batch);
        for (id, (merged_pairs, end)) in std::mem::take(&mut self.moved_leases) {
            batch.lease_moves.push(LeaseMove { id, merged_pairs, end });
        }
        for id in std::mem::take(&mut self.moved_runs) {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            batch.run_moves.push(RunMove {
                id,
                state: run.state,
                state_reason: run.state_reason.clone(),
                verdict: run.verdict,
                tally: run.fold.tally,
                llr: run.fold.llr(),
                point: run.fold.point(),
                last_report: run.fold.last_report,
            });
            if run.unsaved_reports >= SNAPSHOT_EVERY
                || (run.state.is_over() && run.unsaved_reports > 0)
            {
                run.unsaved_reports = 0;
                batch.snapshots.push(NewSnapshot {
                    run: id,
                    report: run.fold.last_report,
                    state: run.fold.to_json(),
                });
            }
        }
        batch
    }

    /// Takes what must be said once the batch is written.
    pub fn take_outbox(&mut self) -> Vec<(WorkerId, Push)> {
        std::mem::take(&mut self.outbox)
    }

    /// Forgets runs that are over; to be called after their end is written.
    pub fn forget_ended(&mut self) -> Vec<Run> {
        let over: Vec<RunId> =
            self.runs.values().filter(|run| run.state.is_over()).map(|run| run.id).collect();
        over.into_iter().filter_map(|id| self.runs.remove(&id)).collect()
    }

    fn open_run(&mut self, id: RunId) -> Result<&mut Run, ControlError> {
        self.runs.get_mut(&id).ok_or(ControlError::NotOpen(id))
    }

    fn event(&mut self, run: RunId, event: &'static str, reason: &str) {
        self.batch.events.push(RunEvent { run, event, reason: reason.to_owned() });
    }

    fn least_pass(&self) -> f64 {
        let passes = self.runs.values().filter(|r| r.has_work()).map(|r| r.pass);
        passes.min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// Chooses the run that has used least of its share and takes its next pairs.
    fn next_slice(&mut self, worker: WorkerId, now: Moment) -> Result<(RunId, Slice), Idle> {
        let Some(known) = self.workers.get(&worker) else { return Err(Idle::NoOpenRun) };
        let (mut any_running, mut any_playable) = (false, false);
        let mut choices: Vec<(f64, RunId)> = Vec::new();
        for run in self.runs.values().filter(|run| run.state == RunState::Running) {
            any_running = true;
            if !known.offer.can_play(&run.spec) || known.cannot.contains(&run.id) {
                continue;
            }
            any_playable = true;
            choices.push((run.pass, run.id));
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, id) in choices {
            self.expire_one(id, worker, now);
            if let Some(slice) = self.runs.get_mut(&id).and_then(Run::take_slice) {
                return Ok((id, slice));
            }
        }
        Err(match (any_running, any_playable) {
            (false, _) => Idle::NoOpenRun,
            (true, false) => Idle::NotOffered,
            (true, true) => Idle::BudgetSpent,
        })
    }

    /// Ends the longest overdue lease of a run whose pairs another worker can take now. A lease is
    /// expired at that moment and not before, so that a late report of work that nobody else has
    /// begun is still merged.
    fn expire_one(&mut self, run: RunId, taker: WorkerId, now: Moment) {
        let Some(run) = self.runs.get(&run) else { return };
        if !run.slices.is_empty() {
            return;
        }
        let overdue = run
            .leases
            .iter()
            .filter_map(|id| {
                let lease = self.leases.get(id)?;
                let holder = self.workers.get(&lease.worker)?;
                let silent = !(holder.connected && lease.worker == taker)
                    && holder.heard_at.plus(self.limits.silence) <= now;
                let stuck = lease.moved_at.plus(self.limits.standstill) <= now;
                (silent || stuck).then_some((lease.moved_at, *id, lease.worker, lease.slice.epoch))
            })
            .min();
        if let Some((_, lease, worker, epoch)) = overdue {
            self.end_lease(lease, LeaseEnd::Expired);
            let reason = CancelReason::LeasedElsewhere;
            self.outbox.push((worker, Push::Cancel { lease, epoch, reason }));
        }
    }

    fn issue(&mut self, worker: WorkerId, run_id: RunId, slice: Slice, now: Moment) {
        let Some(run) = self.runs.get_mut(&run_id) else { return };
        self.ids.lease += 1;
        let id = LeaseId(self.ids.lease);
        let (candidate, base) = run.sets(slice.probe.as_ref());
        let order = WorkOrder {
            lease: id,
            epoch: slice.epoch,
            run: run_id,
            game: run.spec.game,
            openings: run.openings.of(slice.range),
            candidate,
            base,
            limit: run.spec.limit,
        };
        self.batch.leases.push(NewLease {
            id,
            run: run_id,
            worker,
            epoch: slice.epoch,
            range: slice.range,
            block: slice.block,
            probe: slice.probe.as_ref().map(probe_json),
        });
        run.pass += run.cost(slice.range.count);
        run.leases.insert(id);
        run.leased_pairs += u64::from(slice.range.count);
        run.counts.active += 1;
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.want -= 1;
            worker.idle = None;
            worker.leases.insert(id);
        }
        let lease = Lease {
            run: run_id,
            worker,
            slice,
            done: BTreeSet::new(),
            merged: Tally::default(),
            last_sequence: 0,
            moved_at: now,
        };
        self.leases.insert(id, lease);
        self.outbox.push((worker, Push::Order(order)));
    }

    fn say_idle(&mut self, id: WorkerId, idle: Idle) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        if worker.idle != Some(idle) {
            worker.idle = Some(idle);
            self.outbox.push((id, Push::Idle(idle)));
        }
    }

    /// Ends a lease; what is unplayed of it goes back to its run, unless that is over.
    fn end_lease(&mut self, id: LeaseId, end: LeaseEnd) {
        let Some(lease) = self.leases.remove(&id) else { return };
        self.moved_leases.insert(id, (count(lease.done.len()), Some(end)));
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.leases.remove(&id);
        }
        let Some(run) = self.runs.get_mut(&lease.run) else { return };
        run.leases.remove(&id);
        run.counts.active = run.counts.active.saturating_sub(1);
        match end {
            LeaseEnd::Completed => run.counts.completed += 1,
            LeaseEnd::Returned => run.counts.returned += 1,
            LeaseEnd::Expired => run.counts.expired += 1,
            LeaseEnd::Revoked => run.counts.revoked += 1,
        }
        let open = unplayed(&lease);
        run.leased_pairs = run
            .leased_pairs
            .saturating_sub(open.iter().map(|slice| u64::from(slice.range.count)).sum());
        if end != LeaseEnd::Revoked {
            run.slices.extend(open);
        }
    }

    fn end_run_if_over(&mut self, id: RunId, unix_ms: i64) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if run.state.is_over() {
            return;
        }
        let Some(ended) = run.fold.ended(run.spec.job.pairs_asked()) else { return };
        run.verdict = ended.verdict;
        let reason = ended.verdict.map_or("budget played", |verdict| verdict.name());
        self.end_run(id, RunState::Finished, reason, unix_ms);
    }

    fn end_run(&mut self, id: RunId, state: RunState, reason: &str, unix_ms: i64) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        run.state = state;
        run.state_reason = reason.to_owned();
        run.ended_at_unix_ms = Some(unix_ms);
        run.slices.clear();
        let out: Vec<LeaseId> = run.leases.iter().copied().collect();
        self.moved_runs.insert(id);
        let event = if state == RunState::Finished { "finished" } else { "stopped" };
        self.event(id, event, reason);
        for lease in out {
            let Some(held) = self.leases.get(&lease) else { continue };
            let (worker, epoch) = (held.worker, held.slice.epoch);
            self.end_lease(lease, LeaseEnd::Revoked);
            let reason = CancelReason::RunEnded;
            self.outbox.push((worker, Push::Cancel { lease, epoch, reason }));
        }
    }
}

/// The pairs of a report that its lease does not have yet, or what contradicts the lease.
fn fresh_pairs<'a>(lease: &Lease, report: &'a Report) -> Result<Vec<&'a PairRecord>, String> {
    let range = lease.slice.range;
    let mut seen = BTreeSet::new();
    let mut fresh = Vec::new();
    for pair in &report.pairs {
        let Some(offset) = range.offset_of(pair.index) else {
            return Err(format!(
                "pair {} is not in the lease; allowed: {} to {}",
                pair.index,
                range.first,
                range.end().0 - 1
            ));
        };
        if !seen.insert(offset) {
            return Err(format!("pair {} comes twice in one report", pair.index));
        }
        if !lease.done.contains(&offset) {
            fresh.push(pair);
        }
    }
    if !fresh.is_empty() && report.sequence <= lease.last_sequence {
        return Err(format!(
            "report {} has pairs that report {} had not; allowed: a higher number",
            report.sequence, lease.last_sequence
        ));
    }
    Ok(fresh)
}

/// What is unplayed of a lease, in consecutive slices at the next epoch, with the same probe.
fn unplayed(lease: &Lease) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Vec::new();
    for (offset, index) in lease.slice.range.iter().enumerate() {
        if lease.done.contains(&offset) {
            continue;
        }
        match slices.last_mut() {
            Some(last) if last.range.end() == index => last.range.count += 1,
            _ => slices.push(Slice {
                range: PairRange { first: index, count: 1 },
                epoch: lease.slice.epoch + 1,
                block: lease.slice.block,
                probe: lease.slice.probe.clone(),
            }),
        }
    }
    slices
}

fn probe_json(probe: &Perturbation) -> String {
    serde_json::to_string(probe).expect("a probe is plain data")
}

fn count(pairs: usize) -> u32 {
    u32::try_from(pairs).unwrap_or(u32::MAX)
}
