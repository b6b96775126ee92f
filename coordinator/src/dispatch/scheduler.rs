//! All runs, leases and workers together.
//!
//! Every method leaves behind what must be written ([`Scheduler::take_batch`]) and what must be
//! said ([`Scheduler::take_outbox`]); the caller writes first and speaks after. When a write fails
//! the whole value is thrown away and built again from the ledger.

mod authors;
mod believing;
mod checking;
mod disputing;
mod explaining;
mod giving;
mod merging;

pub use authors::Filed;
pub use believing::ChangedExclusions;

use super::Moment;
use super::audits::Audits;
use super::fairness::Shares;
use super::run::{Run, Slice};
use model::lease::{LeaseEnd, PairRange, WorkOrder};
use model::spec::RunSpec;
use model::trust::Exclusions;
use model::{FindingList, GameKind, LeaseId, Pairs, RunId, Tally, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use store::{Batch, LeaseMove, NewSnapshot, RunEvent, RunMove};

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
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    /// For each game of the built-in engine the parameters that it knows.
    pub builtin: BTreeMap<GameKind, BTreeSet<String>>,
    /// For each game the fingerprint of the engine built in: the nodes of a fixed search.
    pub bench: BTreeMap<GameKind, u64>,
    /// The largest table that it allows each engine, in KiB, if it says so.
    pub max_hash_kib: Option<u32>,
    /// The only run that it plays.
    pub only_run: Option<RunId>,
    /// What it can do beside the engine built in under nodes.
    pub arena: Option<ArenaOffer>,
}

/// What a worker's arena can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArenaOffer {
    /// Whether it plays programs of others.
    pub externals: bool,
    /// The most memory that it allows each of them, in MiB, if it says so.
    pub max_memory_mib: Option<u64>,
    /// Whether it ends games by their scores.
    pub adjudicates: bool,
    /// Men on the board up to which it has all tables of endings of chess.
    pub tablebase_men: u32,
}

impl Offer {
    /// What of this the run lacks, if something.
    fn lacks(&self, id: RunId, spec: &RunSpec) -> Option<Idle> {
        let sides = spec.players.as_ref().map(|players| players.sides());
        let is_builtin =
            sides.is_none_or(|sides| sides.iter().any(|side| side.engine.external().is_none()));
        let known = self.builtin.get(&spec.game);
        let names = spec.parameter_names();
        let has_names =
            || known.is_some_and(|known| names.iter().all(|name| known.contains(*name)));
        let has = match (&spec.players, self.arena) {
            (None, _) => has_names(),
            (Some(_), None) => false,
            (Some(_), Some(arena)) => {
                (!is_builtin || has_names()) && (!spec.has_externals() || arena.externals)
            }
        };
        let ends = spec.limit.adjudication.is_off()
            || self.arena.is_some_and(|arena| {
                let men = spec.limit.adjudication.tablebases.unwrap_or(0);
                arena.adjudicates && arena.tablebase_men >= men
            });
        if !has || !ends || self.only_run.is_some_and(|only| only != id) {
            return Some(Idle::NotOffered);
        }
        // Another build, whatever version it says: its games are not those that others would play.
        let signature = spec.game.bench_signature().0;
        if is_builtin && self.bench.get(&spec.game).is_some_and(|bench| *bench != signature) {
            return Some(Idle::OtherEngine);
        }
        let memory = spec.players.as_ref().map_or(0, |players| {
            let files = players.externals().filter_map(|engine| engine.file().ok());
            files.map(|file| file.memory_mib).max().unwrap_or(0)
        });
        let most_memory = self.arena.and_then(|arena| arena.max_memory_mib);
        let too_large = self.max_hash_kib.is_some_and(|most| spec.limit.hash_kib > most)
            || most_memory
                .is_some_and(|most| memory + u64::from(spec.limit.hash_kib / 1024) > most);
        too_large.then_some(Idle::Memory)
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
    /// Running runs need larger tables than it allows.
    Memory,
    /// Its engine is another one than that of this version.
    OtherEngine,
    /// It has said of the running runs that it cannot play them.
    Unplayable,
    /// Its reports were refused several times in a row.
    Refused,
    /// What it would play in the open runs would not count.
    Excluded,
    /// A check of its games has failed, and nobody has looked at it yet.
    OnHold,
    /// It plays so slowly that a pair of the open runs would be taken from it before it is finished.
    TooSlow,
}

impl Idle {
    /// Of the reasons of two runs the one that lies nearer to playing.
    #[must_use]
    pub fn nearer(self, other: Self) -> Self {
        let distance = |idle: Self| match idle {
            Idle::Refused | Idle::OnHold | Idle::BudgetSpent => 0,
            Idle::Excluded => 1,
            Idle::TooSlow | Idle::Unplayable => 2,
            Idle::Memory | Idle::OtherEngine => 3,
            Idle::NotOffered => 4,
            Idle::NoOpenRun => 5,
        };
        if distance(other) < distance(self) { other } else { self }
    }

    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Idle::NoOpenRun => "no open run",
            Idle::NotOffered => {
                "open runs need a game or parameters that this worker does not offer"
            }
            Idle::Memory => "open runs need larger tables than this worker allows (--memory)",
            Idle::OtherEngine => {
                "the engine built in is another one than that of the coordinator's version (its bench \
                 differs); install that version"
            }
            Idle::Unplayable => "this worker has said of the open runs that it cannot play them",
            Idle::BudgetSpent => "every pair of the open runs is leased or counted",
            Idle::Refused => "its reports were refused again and again; it gets work later",
            Idle::Excluded => "what this worker plays in the open runs is excluded",
            Idle::OnHold => {
                "games of this worker came out otherwise when another played them; it is on hold \
                 until the operator has looked at them"
            }
            Idle::TooSlow => "this worker is too slow for a pair of the open runs",
        }
    }
}

/// Why a worker is on hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its word stands against another's, and nobody is there who could be asked.
    Disputed,
    /// Two others have played a pair alike, and it has not.
    Refuted,
}

/// Why a lease is called back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// Its run is over.
    RunEnded,
    /// Its pairs were given to another worker, or are for another candidate of their race now.
    LeasedElsewhere,
    /// It is not out, as far as the ledger knows.
    UnknownLease,
}

/// Something to say to a worker, after the batch is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// Play this.
    Order(Box<WorkOrder>),
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
    /// It does not play such by its own rules.
    Unwilling,
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
    /// A budget only grows.
    #[error("run {run} asks for {before} pairs, not for {asked}; allowed: {before} or more")]
    Budget {
        /// The run.
        run: RunId,
        /// The budget wanted.
        asked: Pairs,
        /// The budget that it has.
        before: Pairs,
    },
    /// The specification would not be valid.
    #[error(transparent)]
    Spec(FindingList),
    /// The state of the run does not fit it.
    #[error("run {run} cannot go on so: {why}")]
    Unfit {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
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
    /// The nodes of each of its pairs that its run was charged with when it was given.
    charged: f64,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    connected: bool,
    heard_at: Moment,
    offer: Arc<Offer>,
    want: u32,
    /// Nodes a second of each game that it plays at a time, as it says; 0 before it has said it.
    speed: f64,
    leases: BTreeSet<LeaseId>,
    /// What it plays that counts in no run, under numbers of leases.
    checks: BTreeSet<LeaseId>,
    /// The run whose base it plays against itself next, with the openings.
    canary_for: Option<(RunId, PairRange)>,
    /// What it lacks for a run, for each run that it was compared with.
    playable: BTreeMap<RunId, Option<Idle>>,
    /// Runs that it could not play.
    cannot: BTreeSet<RunId>,
    idle: Option<Idle>,
    /// Refused reports since one was merged.
    refused: u32,
    /// It gets no work before.
    on_hold_until: Moment,
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

/// Reports of a run between two snapshots, at least.
const SNAPSHOT_EVERY: u64 = 200;
/// Of all reports of a run, so small a part may come after its last snapshot: few snapshots are written of
/// a run of which thousands of reports come in a second, and a start folds few reports again.
const SNAPSHOT_SHARE: u64 = 64;
/// Workers that fail to play a run before it is paused.
const UNPLAYABLE_LIMIT: usize = 3;

/// The state machine.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    limits: LeaseLimits,
    ids: LastIds,
    runs: BTreeMap<RunId, Run>,
    leases: BTreeMap<LeaseId, Lease>,
    workers: BTreeMap<WorkerId, Worker>,
    /// What workers offer.
    offers: BTreeSet<Arc<Offer>>,
    exclusions: Exclusions,
    audits: Audits,
    canaries: BTreeMap<LeaseId, checking::Canary>,
    /// Workers that get nothing until a person has looked at them.
    held: BTreeMap<WorkerId, Hold>,
    /// Those that want leases, so that a group costs what it moves and not what there is.
    wanting: BTreeSet<WorkerId>,
    /// Workers with an open session.
    connected: usize,
    /// Before this time nobody looks for overdue leases again: the last look found none.
    overdue_from: Moment,
    /// The same for checks.
    checks_overdue_from: Moment,
    /// What must be written; moves are added from the two sets below when it is taken.
    batch: Batch,
    moved_leases: BTreeMap<LeaseId, (u32, Option<LeaseEnd>)>,
    moved_runs: BTreeSet<RunId>,
    outbox: Vec<(WorkerId, Push)>,
    /// What authors and runs have used.
    shares: Shares,
}

impl Scheduler {
    /// A scheduler without runs.
    #[must_use]
    pub fn new(limits: LeaseLimits, ids: LastIds) -> Self {
        Self { limits, ids, ..Self::default() }
    }

    /// Puts an open run back as the ledger has it.
    pub fn restore_run(&mut self, run: Run) {
        self.shares.enter(run.id, &run.owner, run.spec.weight);
        self.runs.insert(run.id, run);
    }

    /// Puts a lease back as the ledger has it. Its worker is taken to have been heard just now:
    /// the time in which no coordinator listened counts against nobody.
    pub fn restore_lease(&mut self, lease: RecoveredLease, now: Moment) {
        let RecoveredLease { id, run, worker, slice, merged, done, last_sequence } = lease;
        let Some(owner) = self.runs.get_mut(&run) else { return };
        owner.leases.insert(id);
        owner.pairs_leave(&slice.played, u64::from(slice.range.count) - done.len() as u64);
        let holder = self.workers.entry(worker).or_default();
        holder.heard_at = now;
        holder.leases.insert(id);
        let lease =
            Lease { run, worker, slice, done, merged, last_sequence, moved_at: now, charged: 0.0 };
        self.leases.insert(id, lease);
    }

    /// An open run, or one that ended since the last write.
    #[must_use]
    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&id)
    }

    pub(crate) fn run_mut(&mut self, id: RunId) -> Option<&mut Run> {
        self.runs.get_mut(&id)
    }

    /// Every run that is in memory.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.values()
    }

    /// What is known live of a worker: whether a session is open, its leases, why it is idle.
    #[must_use]
    pub fn worker(&self, id: WorkerId) -> Option<(bool, usize, Option<Idle>)> {
        let leases = |w: &Worker| w.leases.len() + w.checks.len();
        self.workers.get(&id).map(|w| (w.connected, leases(w), w.idle))
    }

    /// Workers with an open session.
    pub fn connected_workers(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.iter().filter(|(_, w)| w.connected).map(|(id, _)| *id)
    }

    /// A worker opened a session. `held` are the leases that it still has; those that it lost go
    /// back to their runs, those that are no longer its own are called back.
    pub fn join(&mut self, id: WorkerId, offer: Offer, held: &[(LeaseId, u32)], now: Moment) {
        let offer = self.share(offer);
        let worker = self.workers.entry(id).or_default();
        self.connected += usize::from(!worker.connected);
        worker.connected = true;
        worker.heard_at = now;
        worker.offer = offer;
        worker.want = 0;
        self.wanting.remove(&id);
        worker.idle = None;
        worker.playable.clear();
        worker.cannot.clear();
        let (mine, checks) = (worker.leases.clone(), worker.checks.clone());
        for &(lease, epoch) in held {
            let is_lease = mine.contains(&lease)
                && self.leases.get(&lease).is_some_and(|l| l.slice.epoch == epoch);
            let is_mine = is_lease || self.has_check(id, lease, epoch);
            if !is_mine {
                let reason = CancelReason::UnknownLease;
                self.outbox.push((id, Push::Cancel { lease, epoch, reason }));
            }
        }
        for lease in mine {
            let epoch = self.leases.get(&lease).map(|l| l.slice.epoch);
            if !held.iter().any(|(l, e)| *l == lease && Some(*e) == epoch) {
                self.end_lease(lease, LeaseEnd::Returned);
            }
        }
        for check in checks {
            if !held.iter().any(|(lease, _)| *lease == check) {
                self.drop_check(check);
            }
        }
    }

    /// The same offer as others make, which is most of what is known of a worker: many have one program.
    fn share(&mut self, offer: Offer) -> Arc<Offer> {
        if let Some(known) = self.offers.get(&offer) {
            return Arc::clone(known);
        }
        // Those that nobody makes any more go when there is another one.
        self.offers.retain(|known| Arc::strong_count(known) > 1);
        let offer = Arc::new(offer);
        self.offers.insert(Arc::clone(&offer));
        offer
    }

    /// A worker's session is over. Its leases stay its own until others need them.
    pub fn leave(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            self.connected -= usize::from(worker.connected);
            worker.connected = false;
            worker.want = 0;
            worker.idle = None;
            self.wanting.remove(&id);
        }
        self.hold_undecided();
    }

    /// A worker may play no more: what it has of its leases goes back to their runs.
    pub fn expel(&mut self, id: WorkerId) {
        self.leave(id);
        let leases = self.workers.get(&id).map(|w| w.leases.clone()).unwrap_or_default();
        for lease in leases {
            self.end_lease(lease, LeaseEnd::Returned);
        }
        let checks = self.workers.get(&id).map(|w| w.checks.clone()).unwrap_or_default();
        checks.into_iter().for_each(|check| self.drop_check(check));
    }

    /// How many more leases a worker would take now.
    pub fn want(&mut self, id: WorkerId, leases: u32, now: Moment) {
        // More than a few at a time only lengthen what is lost with a machine.
        const MOST: u32 = 16;
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.heard_at = now;
            worker.want = leases.min(MOST);
            if worker.connected && worker.want > 0 {
                self.wanting.insert(id);
            } else {
                self.wanting.remove(&id);
            }
        }
    }

    /// How fast a worker says it is: nodes a second of all the games that it plays now.
    pub fn played_at(&mut self, id: WorkerId, nodes_per_second: u64, games: u32) {
        if let Some(worker) = self.workers.get_mut(&id)
            && games > 0
            && nodes_per_second > 0
        {
            worker.speed = nodes_per_second as f64 / f64::from(games);
        }
    }

    /// Whether a pair of a run would be taken from a worker before it is finished, and there is
    /// somebody faster who can play it. Without one it plays on: leases that come again last longer.
    fn is_too_slow(&self, id: WorkerId, run: &Run) -> bool {
        let pair = run.nodes_of_pair();
        let most = self.limits.standstill.as_secs_f64();
        let is_slow = |worker: &Worker| worker.speed > 0.0 && pair / worker.speed > most;
        let is_fast = |worker: &Worker| worker.speed > 0.0 && pair / worker.speed <= most;
        run.spec.is_repeatable()
            && self.workers.get(&id).is_some_and(is_slow)
            && self.workers.values().any(|worker| {
                worker.connected
                    && is_fast(worker)
                    && worker.offer.lacks(run.id, &run.spec).is_none()
            })
    }

    /// A sign of life.
    pub fn heard(&mut self, id: WorkerId, now: Moment) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.heard_at = now;
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
            let due = (run.fold.ledger_reports() / SNAPSHOT_SHARE).max(SNAPSHOT_EVERY);
            if u64::from(run.unsaved_reports) >= due
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
        for worker in self.workers.values_mut() {
            for id in &over {
                worker.playable.remove(id);
                worker.cannot.remove(id);
            }
        }
        over.iter().for_each(|id| self.shares.leave(*id));
        over.into_iter().filter_map(|id| self.runs.remove(&id)).collect()
    }

    fn open_run(&mut self, id: RunId) -> Result<&mut Run, ControlError> {
        self.runs.get_mut(&id).ok_or(ControlError::NotOpen(id))
    }

    fn event(&mut self, run: RunId, event: &'static str, reason: &str) {
        self.batch.events.push(RunEvent { run, event, reason: reason.to_owned() });
    }
}
