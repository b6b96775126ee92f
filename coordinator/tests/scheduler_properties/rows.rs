//! The ledger as the schema keeps it, in memory: it applies batches with the schema's rules and
//! gives back what a recovery reads.

use coordinator::dispatch::Moment;
use coordinator::dispatch::fold::Fold;
use coordinator::dispatch::openings::Openings;
use coordinator::dispatch::played::Played;
use coordinator::dispatch::run::{Run, Slice};
use coordinator::dispatch::scheduler::{LastIds, LeaseLimits, RecoveredLease, Scheduler};
use model::lease::{LeaseEnd, PairIndex, PairRange};
use model::view::{LeaseCounts, RunState};
use model::{LeaseId, RunId, Tally};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Batch, NewLease, NewReport, NewRun, NewSnapshot, RunMove};

pub(crate) struct RunRow {
    pub(crate) new: NewRun,
    pub(crate) moved: Option<RunMove>,
    pub(crate) reports: Vec<NewReport>,
    pub(crate) snapshot: Option<NewSnapshot>,
    /// The fold of `reports`, made apart from the scheduler's.
    pub(crate) fold: Fold,
}

impl RunRow {
    pub(crate) fn state(&self) -> RunState {
        self.moved.as_ref().map_or(RunState::Running, |moved| moved.state)
    }
}

pub(crate) struct LeaseRow {
    pub(crate) new: NewLease,
    pub(crate) end: Option<LeaseEnd>,
    pub(crate) merged_pairs: u32,
    pub(crate) done: BTreeSet<u64>,
}

#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) runs: BTreeMap<RunId, RunRow>,
    pub(crate) leases: BTreeMap<LeaseId, LeaseRow>,
    pub(crate) pairs: BTreeSet<(RunId, u64)>,
    last_report: i64,
}

pub(crate) fn positions() -> Arc<[String]> {
    (0..7).map(|i| format!("p{i}")).collect()
}

fn played(lease: &NewLease) -> Played {
    let probe = lease.probe.as_deref().map(|json| serde_json::from_str(json).expect("a probe"));
    Played::of(probe, lease.candidate)
}

impl Rows {
    /// In the order of the statements; every rule of the schema is an assertion.
    pub(crate) fn apply(&mut self, batch: Batch) {
        for new in batch.runs {
            let fold = Fold::new(&new.spec).expect("a valid specification");
            let row = RunRow { moved: None, reports: Vec::new(), snapshot: None, fold, new };
            assert!(self.runs.insert(row.new.id, row).is_none(), "a run twice");
        }
        // Before the leases, which may reach into the larger budget.
        for (id, spec) in batch.respecified {
            let run = self.runs.get_mut(&id).expect("a run that was filed");
            assert!(spec.job.pairs_asked() >= run.new.spec.job.pairs_asked(), "a smaller budget");
            run.fold = run.fold.respecified(&spec).expect("the same run");
            run.new.spec = spec;
        }
        for new in batch.leases {
            self.check_terms(&new);
            let row = LeaseRow { new, end: None, merged_pairs: 0, done: BTreeSet::new() };
            assert!(self.leases.insert(row.new.id, row).is_none(), "a lease twice");
        }
        for report in batch.reports {
            self.merge(report);
        }
        let mut moved = BTreeSet::new();
        for lease in batch.lease_moves {
            assert!(moved.insert(lease.id), "{} moves twice in one batch", lease.id);
            let row = self.leases.get_mut(&lease.id).expect("a lease that was given");
            // I3: an end is for ever.
            assert_eq!(row.end, None, "{} ended before", lease.id);
            row.merged_pairs = lease.merged_pairs;
            row.end = lease.end;
            assert_eq!(row.merged_pairs as usize, row.done.len(), "merged pairs of {}", lease.id);
            let whole = row.merged_pairs == row.new.range.count;
            assert_eq!(row.end == Some(LeaseEnd::Completed), whole, "{} ends as it is", lease.id);
        }
        let mut moved = BTreeSet::new();
        for run in batch.run_moves {
            assert!(moved.insert(run.id), "{} moves twice in one batch", run.id);
            let row = self.runs.get_mut(&run.id).expect("a run that was filed");
            assert!(!row.state().is_over(), "{} was over before", run.id);
            assert!(run.verdict.is_none() || run.state == RunState::Finished);
            // I7, I8: what is stored is the fold of the ledger, to the bit.
            assert_eq!(run.tally, row.fold.tally);
            assert_eq!(run.llr.map(f64::to_bits), row.fold.llr().map(f64::to_bits));
            assert_eq!(run.point, row.fold.point());
            assert_eq!(run.last_report, row.fold.last_report);
            row.moved = Some(run);
        }
        for event in batch.events {
            assert!(self.runs.contains_key(&event.run), "an event of no run");
        }
        for snapshot in batch.snapshots {
            let row = self.runs.get_mut(&snapshot.run).expect("a run that was filed");
            assert_eq!(snapshot.report, row.fold.last_report);
            row.snapshot = Some(snapshot);
        }
        self.check_open();
    }

    /// What a lease may look like, given those before it.
    fn check_terms(&self, new: &NewLease) {
        let run = self.runs.get(&new.run).expect("a lease of a run");
        assert!(!run.state().is_over(), "a lease of a run that is over");
        assert!(run.fold.is_open(&played(new)), "a lease of a candidate that is decided");
        // I5: nothing beyond the budget is given.
        assert!(new.range.end().0 <= run.new.spec.job.pairs_asked().0);
        assert!(new.range.count <= run.new.spec.lease_pairs);
        for old in self.leases.values().filter(|old| old.new.run == new.run) {
            if old.new.block == new.block {
                // I9: a block has one probe for ever.
                assert_eq!(old.new.probe, new.probe);
            }
            let common: Vec<PairIndex> =
                new.range.iter().filter(|i| old.new.range.offset_of(*i).is_some()).collect();
            if !common.is_empty() {
                assert_eq!(old.new.block, new.block, "a pair stays in its block");
                assert!(old.new.epoch < new.epoch, "an epoch twice");
            }
        }
        for index in new.range.iter() {
            assert!(!self.pairs.contains(&(new.run, index.0)), "pair {index} counted before");
        }
    }

    fn merge(&mut self, report: NewReport) {
        assert!(report.id.0 > self.last_report, "reports in order");
        self.last_report = report.id.0;
        let lease = self.leases.get_mut(&report.lease).expect("a lease that was given");
        assert_eq!((lease.end, lease.new.epoch), (None, report.epoch), "a report of a lease out");
        for pair in &report.pairs {
            assert!(lease.new.range.offset_of(pair.index).is_some(), "a foreign pair");
            lease.done.insert(pair.index.0);
            // I1: once.
            assert!(self.pairs.insert((report.run, pair.index.0)), "pair {} twice", pair.index);
        }
        let run = self.runs.get_mut(&report.run).expect("a run that was filed");
        // I5: a run ends once, and nothing counts after it.
        assert!(!run.state().is_over());
        assert_eq!(run.fold.ended(run.new.spec.job.pairs_asked()), None, "a report after the end");
        let tally: Tally = report.pairs.iter().map(|pair| pair.outcome()).collect();
        assert_eq!(tally, report.tally);
        run.fold.apply(report.id, &tally, &played(&lease.new)).expect("fits");
        run.reports.push(report);
    }

    /// What holds between two commits.
    fn check_open(&self) {
        for (id, lease) in &self.leases {
            let run = &self.runs[&lease.new.run];
            let over = run.state().is_over() || !run.fold.is_open(&played(&lease.new));
            assert!(!over || lease.end.is_some(), "{id} is out though what it plays is decided");
        }
        for (id, run) in &self.runs {
            let ended = run.fold.ended(run.new.spec.job.pairs_asked()).is_some();
            assert_eq!(ended, run.state() == RunState::Finished, "{id} ends by its rule");
        }
    }

    pub(crate) fn active(&self, run: RunId) -> impl Iterator<Item = (&LeaseId, &LeaseRow)> {
        self.leases.iter().filter(move |(_, l)| l.new.run == run && l.end.is_none())
    }

    pub(crate) fn counts(&self, run: RunId) -> LeaseCounts {
        let mut counts = LeaseCounts::default();
        for lease in self.leases.values().filter(|lease| lease.new.run == run) {
            match lease.end {
                None => counts.active += 1,
                Some(LeaseEnd::Completed) => counts.completed += 1,
                Some(LeaseEnd::Returned) => counts.returned += 1,
                Some(LeaseEnd::Expired) => counts.expired += 1,
                Some(LeaseEnd::Revoked) => counts.revoked += 1,
            }
        }
        counts
    }

    /// Every pair that was leased, is not counted and is out with nobody.
    pub(crate) fn unplayed(&self, run: RunId) -> Vec<Slice> {
        let mut last: BTreeMap<u64, &LeaseRow> = BTreeMap::new();
        for lease in self.leases.values().filter(|lease| lease.new.run == run) {
            for index in lease.new.range.iter() {
                last.insert(index.0, lease);
            }
        }
        last.retain(|index, lease| lease.end.is_some() && !self.pairs.contains(&(run, *index)));
        let mut slices: Vec<Slice> = Vec::new();
        for (index, lease) in last {
            let (epoch, block, played) = (lease.new.epoch + 1, lease.new.block, played(&lease.new));
            match slices.last_mut() {
                Some(s)
                    if (s.range.end().0, s.block, s.epoch) == (index, block, epoch)
                        && s.played == played =>
                {
                    s.range.count += 1;
                }
                _ => slices.push(Slice {
                    range: PairRange { first: PairIndex(index), count: 1 },
                    epoch,
                    block,
                    played,
                }),
            }
        }
        slices
    }

    /// What a recovery makes of the rows.
    pub(crate) fn scheduler(&self, limits: LeaseLimits, now: Moment) -> Scheduler {
        let ids = LastIds {
            run: self.runs.keys().next_back().map_or(0, |id| id.0),
            lease: self.leases.keys().next_back().map_or(0, |id| id.0),
            report: self.last_report,
        };
        let mut scheduler = Scheduler::new(limits, ids);
        for (id, row) in self.runs.iter().filter(|(_, row)| !row.state().is_over()) {
            scheduler.restore_run(self.run(*id, row));
        }
        for (id, lease) in self.leases.iter().filter(|(_, lease)| lease.end.is_none()) {
            let reports = &self.runs[&lease.new.run].reports;
            let of_lease = || reports.iter().filter(|report| report.lease == *id);
            let mut merged = Tally::default();
            of_lease().for_each(|report| merged += report.tally);
            let NewLease { range, epoch, block, .. } = lease.new;
            let done = lease.done.iter().filter_map(|i| range.offset_of(PairIndex(*i)));
            let recovered = RecoveredLease {
                id: *id,
                run: lease.new.run,
                worker: lease.new.worker,
                done: done.collect(),
                slice: Slice { range, epoch, block, played: played(&lease.new) },
                merged,
                last_sequence: of_lease().map(|report| report.sequence).max().unwrap_or(0),
            };
            scheduler.restore_lease(recovered, now);
        }
        scheduler
    }

    fn run(&self, id: RunId, row: &RunRow) -> Run {
        let spec = &row.new.spec;
        let mut fold = match &row.snapshot {
            Some(snapshot) => Fold::from_snapshot(spec, &snapshot.state).expect("a snapshot"),
            None => Fold::new(spec).expect("a valid specification"),
        };
        let saved = fold.last_report;
        let mut tail = 0;
        for report in row.reports.iter().filter(|report| report.id > saved) {
            let played = played(&self.leases[&report.lease].new);
            fold.apply(report.id, &report.tally, &played).expect("fits");
            tail += 1;
        }
        assert_eq!(fold, row.fold, "snapshot and tail equal the whole");
        let of_run = self.leases.values().filter(|lease| lease.new.run == id);
        Run {
            id,
            spec: Arc::new(spec.clone()),
            idempotency_key: row.new.idempotency_key.clone(),
            created_at_unix_ms: 0,
            ended_at_unix_ms: None,
            state: row.state(),
            state_reason: String::new(),
            verdict: None,
            fold,
            openings: Openings::new(positions(), spec.seed),
            next_fresh: of_run.map(|l| l.new.range.end()).max().unwrap_or_default(),
            slices: self.unplayed(id).into(),
            leases: BTreeSet::new(),
            leased_pairs: 0,
            candidate_pairs: BTreeMap::new(),
            counts: self.counts(id),
            owner: "".into(),
            played: (0, 0.0),
            unsaved_reports: tail,
            audited: store::AuditCounts::default(),
            unplayable: BTreeSet::new(),
            paces: Default::default(),
        }
    }
}
