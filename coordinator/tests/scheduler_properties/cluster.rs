//! A scheduler with its ledger and workers that remember what they hold; checks after every commit.

use super::rows::{Rows, positions};
use coordinator::dispatch::Moment;
use coordinator::dispatch::openings::Openings;
use coordinator::dispatch::scheduler::Scheduler;
use coordinator::dispatch::scheduler::{
    CancelReason, Filed, GiveBack, Idle, LeaseLimits, Merge, Offer, Push,
};
use coordinator::judging::{Judged, Verdict};
use model::lease::{GameRecord, PairIndex, PairRecord, Report, WorkOrder};
use model::spec::RunSpec;
use model::view::RunState;
use model::{GameKind, GameScore, LeaseId, Nodes, Ply, RunId, Termination, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(crate) const LIMITS: LeaseLimits =
    LeaseLimits { silence: Duration::from_secs(60), standstill: Duration::from_secs(600) };

/// What is wrong with a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Everything again, under the number that it had.
    Again,
    ForeignPair,
    PairTwice,
    WrongSum,
    ClaimWithoutPairs,
    OldNumber,
    WrongEpoch,
    FromAnother,
}

#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) order: WorkOrder,
    finished: Vec<PairRecord>,
    sequence: u32,
}

#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) connected: bool,
    pub(crate) want: u32,
    pub(crate) held: BTreeMap<LeaseId, Held>,
    /// Runs that it said it cannot play.
    cannot: BTreeSet<RunId>,
    /// Refused reports since one was merged.
    refused: u32,
}

pub(crate) struct Cluster {
    pub(crate) scheduler: Scheduler,
    pub(crate) rows: Rows,
    pub(crate) machines: BTreeMap<WorkerId, Machine>,
    pub(crate) now: Moment,
    /// Pairs given of each run, the same pair as often as it was.
    pub(crate) issued: BTreeMap<RunId, u64>,
    runs_filed: u32,
    outcome: fn(u64) -> GameScore,
}

/// Both kinds of machine: number 3 knows one parameter less.
pub(crate) fn offer(machine: WorkerId) -> Offer {
    let names: &[&str] = if machine.0 == 3 { &["a"] } else { &["a", "b"] };
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let builtin = BTreeMap::from([(GameKind::TicTacToe, names)]);
    Offer { builtin, ..Offer::default() }
}

pub(crate) fn mixed(index: u64) -> GameScore {
    [GameScore::Loss, GameScore::Draw, GameScore::Win, GameScore::Win]
        [(index * 7 % 11 % 4) as usize]
}

impl Cluster {
    pub(crate) fn new(outcome: fn(u64) -> GameScore) -> Self {
        let rows = Rows::default();
        let now = Moment::default();
        Self {
            scheduler: rows.scheduler(LIMITS, now),
            rows,
            machines: BTreeMap::new(),
            now,
            issued: BTreeMap::new(),
            runs_filed: 0,
            outcome,
        }
    }

    pub(crate) fn create(&mut self, spec: RunSpec) -> RunId {
        self.runs_filed += 1;
        let openings = Openings::new(positions(), spec.seed);
        let key = format!("key-{}", self.runs_filed);
        let filed = Filed { key, owner: format!("author {}", self.runs_filed % 2).into() };
        self.scheduler.create(spec, filed, openings, 0).expect("a valid specification")
    }

    pub(crate) fn join(&mut self, id: WorkerId, remembers: bool) {
        let machine = self.machines.entry(id).or_default();
        if !remembers {
            machine.held.clear();
        }
        let held: Vec<(LeaseId, u32)> =
            machine.held.iter().map(|(id, held)| (*id, held.order.epoch)).collect();
        machine.connected = true;
        machine.want = 0;
        machine.cannot.clear();
        self.scheduler.join(id, offer(id), &held, self.now);
    }

    pub(crate) fn leave(&mut self, id: WorkerId) {
        let Some(machine) = self.machines.get_mut(&id) else { return };
        machine.connected = false;
        machine.want = 0;
        self.scheduler.leave(id);
    }

    pub(crate) fn want(&mut self, id: WorkerId, leases: u32) {
        let Some(machine) = self.machines.get_mut(&id).filter(|machine| machine.connected) else {
            return;
        };
        machine.want = leases.min(16);
        self.scheduler.want(id, leases, self.now);
    }

    pub(crate) fn pick(&self, id: WorkerId, which: usize) -> Option<LeaseId> {
        let machine = self.machines.get(&id).filter(|machine| machine.connected)?;
        let count = machine.held.len();
        machine.held.keys().nth(which % count.max(1)).copied()
    }

    /// Plays some more pairs of a lease and reports them, with a fault or without.
    pub(crate) fn report(&mut self, id: WorkerId, lease: LeaseId, more: usize, fault: Fault) {
        let machine = self.machines.get_mut(&id).expect("a machine");
        let held = machine.held.get_mut(&lease).expect("a lease that it holds");
        let before = held.finished.len();
        let target = (before + more).min(held.order.openings.len());
        let fresh: Vec<PairRecord> = held.order.openings[before..target]
            .iter()
            .map(|opening| pair(opening.index, self.outcome))
            .collect();
        let mut pairs = held.finished.clone();
        pairs.extend(fresh);
        let mut report = Report {
            lease,
            epoch: held.order.epoch,
            sequence: held.sequence + 1,
            cumulative: pairs.iter().map(PairRecord::outcome).collect(),
            pairs,
        };
        if matches!(fault, Fault::None | Fault::Again) {
            if fault == Fault::Again || report.pairs.is_empty() {
                // What was sent before, and nothing new.
                report.pairs.truncate(before);
                report.cumulative = report.pairs.iter().map(PairRecord::outcome).collect();
                report.sequence = held.sequence.max(1);
            } else {
                held.sequence = report.sequence;
                held.finished = report.pairs.clone();
            }
            let merge = self.scheduler.report(id, &judged(&report), self.now, 0);
            assert!(!matches!(merge, Merge::Invalid(_)), "an honest report: {merge:?}");
            if merge == Merge::Merged {
                self.machines.get_mut(&id).expect("a machine").refused = 0;
            }
            return;
        }
        let grown = target > before;
        let garbled = match fault {
            Fault::ForeignPair => {
                let end = held.order.openings.iter().map(|o| o.index.0 + 1).max().expect("one");
                report.pairs.push(pair(PairIndex(end), self.outcome));
                true
            }
            Fault::PairTwice => {
                let first = report.pairs.first().cloned();
                report.pairs.extend(first);
                !report.pairs.is_empty()
            }
            Fault::WrongSum => {
                report.cumulative.pentanomial.0[0] += 1;
                grown
            }
            Fault::ClaimWithoutPairs => {
                report.pairs.clear();
                grown
            }
            Fault::OldNumber => {
                report.sequence = 1;
                grown && self.rows.leases[&lease].merged_pairs > 0
            }
            Fault::WrongEpoch => {
                report.epoch += 1;
                true
            }
            Fault::FromAnother | Fault::None | Fault::Again => true,
        };
        let from = if fault == Fault::FromAnother { WorkerId(99) } else { id };
        if garbled {
            let merge = self.scheduler.report(from, &judged(&report), self.now, 0);
            assert!(matches!(merge, Merge::Invalid(_) | Merge::NotOut), "{fault:?}: {merge:?}");
            if matches!(merge, Merge::Invalid(_)) {
                // It is told to drop the lease.
                let machine = self.machines.get_mut(&from).expect("a machine");
                machine.held.remove(&lease);
                machine.refused += 1;
            }
        }
    }

    pub(crate) fn give_back(&mut self, id: WorkerId, lease: LeaseId, why: &GiveBack) {
        let machine = self.machines.get_mut(&id).expect("a machine");
        let held = machine.held.remove(&lease).expect("a lease that it holds");
        // One that is complete already is not taken back.
        let out = self.scheduler.run(held.order.run).is_some_and(|r| r.leases.contains(&lease));
        if out && matches!(why, GiveBack::Unplayable(_)) {
            machine.cannot.insert(held.order.run);
        }
        self.scheduler.give_back(id, lease, held.order.epoch, why);
    }

    pub(crate) fn resume(&mut self, run: RunId) {
        if self.scheduler.resume(run).is_ok() {
            self.machines.values_mut().for_each(|machine| _ = machine.cannot.remove(&run));
        }
    }

    /// A crash: what was not committed is gone, and every session with it.
    pub(crate) fn recover(&mut self) {
        self.scheduler = self.rows.scheduler(LIMITS, self.now);
        self.machines.values_mut().for_each(|machine| {
            machine.connected = false;
            machine.want = 0;
        });
        self.check();
    }

    /// One group of the core: give work, commit, speak.
    pub(crate) fn turn(&mut self) {
        self.scheduler.dispatch(self.now);
        let batch = self.scheduler.take_batch();
        for lease in &batch.leases {
            *self.issued.entry(lease.run).or_default() += u64::from(lease.range.count);
        }
        self.rows.apply(batch);
        for (id, push) in self.scheduler.take_outbox() {
            self.hear(id, push);
        }
        let over = self.scheduler.forget_ended();
        assert!(over.iter().all(|run| self.rows.runs[&run.id].state() == run.state));
        self.check();
    }

    fn hear(&mut self, id: WorkerId, push: Push) {
        let machine = self.machines.get_mut(&id).expect("a known machine");
        match push {
            Push::Order(order) => {
                assert!(machine.connected, "an order to a machine that is not there");
                assert!(machine.want > 0, "an order that nobody wanted");
                assert!(!machine.cannot.contains(&order.run), "what it cannot play");
                machine.want -= 1;
                let row = &self.rows.leases[&order.lease].new;
                assert_eq!((row.worker, row.run, row.epoch), (id, order.run, order.epoch));
                let given: Vec<PairIndex> = order.openings.iter().map(|o| o.index).collect();
                assert_eq!(given, row.range.iter().collect::<Vec<_>>());
                // Slots end their pairs in another order than that in which they were given.
                let mut order = *order;
                order.openings.sort_by_key(|opening| opening.index.0 * 5 % 7);
                let held = Held { order, finished: Vec::new(), sequence: 0 };
                assert!(machine.held.insert(held.order.lease, held).is_none());
            }
            Push::Cancel { lease, reason, .. } => {
                let row = self.rows.leases.get(&lease);
                assert!(row.is_none_or(|row| row.end.is_some()), "a lease called back is over");
                if reason == CancelReason::RunEnded {
                    let run = row.expect("a lease").new.run;
                    assert!(self.rows.runs[&run].state().is_over());
                }
                machine.held.remove(&lease);
            }
            Push::Idle(_) => assert!(machine.want > 0, "idle though it wants nothing"),
        }
    }

    /// What holds between two commits, wherever the state came from.
    fn check(&self) {
        for run in self.scheduler.runs() {
            let active: BTreeSet<LeaseId> = self.rows.active(run.id).map(|(id, _)| *id).collect();
            assert_eq!(run.leases, active);
            assert_eq!(run.counts, self.rows.counts(run.id), "leases by state of {}", run.id);
            let leased: u64 = self
                .rows
                .active(run.id)
                .map(|(_, l)| u64::from(l.new.range.count - l.merged_pairs))
                .sum();
            assert_eq!(run.leased_pairs, leased, "pairs out of {}", run.id);
            // Each pair below the fresh ones is counted, out or waiting: one of the three, once.
            let mut places = vec![0; usize::try_from(run.next_fresh.0).expect("small")];
            for slice in &run.slices {
                slice.range.iter().for_each(|index| places[index.0 as usize] += 1);
            }
            for (_, lease) in self.rows.active(run.id) {
                let open = lease.new.range.iter().filter(|index| !lease.done.contains(&index.0));
                open.for_each(|index| places[index.0 as usize] += 1);
            }
            for (_, index) in self.rows.pairs.range((run.id, 0)..=(run.id, u64::MAX)) {
                places[*index as usize] += 1;
            }
            assert!(places.iter().all(|count| *count == 1), "{}: {places:?}", run.id);
            assert!(run.next_fresh.0 <= run.spec.job.pairs_asked().0, "I5");
            let mut waiting: Vec<_> = run.slices.iter().cloned().collect();
            waiting.sort_by_key(|slice| slice.range.first);
            assert_eq!(waiting, self.rows.unplayed(run.id), "what a recovery would give");
        }
        // I10: whoever wants is served while there is something for it, and is heard to be honest.
        for (id, machine) in self.machines.iter().filter(|(_, m)| m.connected && m.want > 0) {
            let idle = self.scheduler.worker(*id).and_then(|(_, _, idle)| idle);
            if idle == Some(Idle::Refused) {
                assert!(machine.refused >= 3, "{id} is held back for nothing");
                continue;
            }
            for run in self.scheduler.runs().filter(|run| run.has_work()) {
                let knows = &offer(*id).builtin[&run.spec.game];
                let able = run.spec.parameter_names().iter().all(|name| knows.contains(*name));
                assert!(!able || machine.cannot.contains(&run.id), "{id} waits beside {}", run.id);
            }
            assert!(idle.is_some());
        }
    }

    /// One good machine plays on until every run is over.
    pub(crate) fn finish(&mut self) {
        const GOOD: WorkerId = WorkerId(50);
        let paused: Vec<RunId> = self
            .scheduler
            .runs()
            .filter(|run| run.state == RunState::Paused)
            .map(|run| run.id)
            .collect();
        paused.into_iter().for_each(|run| self.resume(run));
        self.join(GOOD, true);
        for _ in 0..200 {
            if self.scheduler.runs().next().is_none() {
                return;
            }
            self.want(GOOD, 16);
            self.turn();
            let held: Vec<LeaseId> = self.machines[&GOOD].held.keys().copied().collect();
            for lease in held {
                self.report(GOOD, lease, usize::MAX / 2, Fault::None);
                self.machines.get_mut(&GOOD).expect("joined").held.remove(&lease);
            }
            self.turn();
            self.now = self.now.plus(LIMITS.silence);
        }
        panic!("runs that do not end: {:?}", self.scheduler.runs().collect::<Vec<_>>());
    }
}

fn pair(index: PairIndex, outcome: fn(u64) -> GameScore) -> PairRecord {
    let game = |score| GameRecord {
        score,
        termination: Termination::Board,
        plies: Ply(5),
        nodes: Nodes(1),
        moves: String::new(),
        evals: Vec::new(),
        times: Vec::new(),
    };
    let candidate_first = game(outcome(index.0));
    PairRecord { index, candidate_first, base_first: game(outcome(index.0 / 3 + 1)) }
}

/// The report as one whose games are by the rules.
fn judged(report: &Report) -> Judged {
    let moves = vec![[Vec::new(), Vec::new()]; report.pairs.len()];
    Judged { report: report.clone(), verdict: Verdict::Fair(moves) }
}
