//! What comes back: reports merged once, leases ended once, runs ended by their own rule.

use super::checking::choose_audits;
use super::{CancelReason, GiveBack, Lease, Merge, Push, Scheduler, UNPLAYABLE_LIMIT};
use crate::dispatch::Moment;
use crate::dispatch::run::Slice;
use crate::judging::{Failures, Foul, Judged, Terms, Verdict};
use model::lease::{GameRecord, LeaseEnd, PairRange, PairRecord, RefusalReason, Report};
use model::spec::{Keep, RunSpec};
use model::view::RunState;
use model::{LeaseId, ReportId, RunId, Tally, WorkerId, evals};
use std::collections::BTreeSet;
use std::time::Duration;
use store::{KeptGames, NewRefusal, NewReport};

/// Refused reports in a row after which a worker gets no work for a while.
const REFUSED_LIMIT: u32 = 3;
/// How long; twice as long for each further one.
const FIRST_HOLD: Duration = Duration::from_secs(60);
/// The longest that it waits.
const LONGEST_HOLD: Duration = Duration::from_secs(3600);

impl Scheduler {
    /// What the lease of a report says about its games, if it is out at its epoch with this worker.
    pub fn terms(&mut self, worker: WorkerId, report: &Report) -> Option<Terms> {
        if self.has_check(worker, report.lease, report.epoch) {
            return self.check_terms(report);
        }
        let lease = self.leases.get(&report.lease)?;
        if lease.worker != worker || lease.slice.epoch != report.epoch {
            return None;
        }
        let run = self.runs.get_mut(&lease.run)?;
        let range = lease.slice.range;
        let leased = report.pairs.iter().filter(|pair| range.offset_of(pair.index).is_some());
        let openings = leased.map(|pair| run.openings.one(pair.index)).collect();
        Some(Terms {
            game: run.spec.game,
            max_plies: run.spec.limit.max_plies,
            openings,
            adjudication: run.spec.limit.adjudication,
            failures: Failures::of(&run.spec),
        })
    }

    /// Merges a report, if its lease is out at its epoch with this worker and it is consistent. One
    /// that is refused ends its lease: the worker drops it, too.
    pub fn report(
        &mut self,
        worker: WorkerId,
        judged: &Judged,
        now: Moment,
        unix_ms: i64,
    ) -> Merge {
        self.heard(worker, now);
        if self.has_check(worker, judged.report.lease, judged.report.epoch) {
            return self.check_report(worker, judged, now);
        }
        let Judged { report, verdict } = judged;
        match verdict {
            // Whatever its lease is by now, its games were not looked at.
            Verdict::NotAsked => Merge::NotOut,
            Verdict::Fair(moves) => match self.merge(worker, report, moves, now, unix_ms) {
                Err(detail) => {
                    let reason = RefusalReason::Contradiction;
                    self.refuse(worker, report, Foul { reason, detail }, now)
                }
                Ok(merge) => merge,
            },
            Verdict::Foul(foul) => self.refuse(worker, report, foul.clone(), now),
        }
    }

    /// Refuses a report, counts that against its worker, and gives its lease back to the run.
    fn refuse(&mut self, of: WorkerId, report: &Report, foul: Foul, now: Moment) -> Merge {
        let Some(lease) = self.leases.get(&report.lease) else { return Merge::NotOut };
        if lease.worker != of || lease.slice.epoch != report.epoch {
            return Merge::NotOut;
        }
        let run = lease.run;
        let Foul { reason, detail } = foul;
        self.batch.refusals.push(NewRefusal {
            worker: of,
            run,
            lease: report.lease,
            epoch: report.epoch,
            sequence: report.sequence,
            reason,
            detail: detail.clone(),
        });
        self.end_lease(report.lease, LeaseEnd::Returned);
        self.count_refusal(of, now);
        Merge::Invalid(detail)
    }

    /// Counts a refused report against a worker.
    pub(super) fn count_refusal(&mut self, of: WorkerId, now: Moment) {
        let Some(worker) = self.workers.get_mut(&of) else { return };
        worker.refused = worker.refused.saturating_add(1);
        if let Some(doublings) = worker.refused.checked_sub(REFUSED_LIMIT) {
            let hold = FIRST_HOLD.saturating_mul(1 << doublings.min(16)).min(LONGEST_HOLD);
            worker.on_hold_until = now.plus(hold);
        }
    }

    /// Merges a report; the error is what contradicts its lease or itself.
    fn merge(
        &mut self,
        worker: WorkerId,
        report: &Report,
        moves: &[[Vec<u8>; 2]],
        now: Moment,
        unix_ms: i64,
    ) -> Result<Merge, String> {
        let Some(lease) = self.leases.get_mut(&report.lease) else { return Ok(Merge::NotOut) };
        if lease.worker != worker || lease.slice.epoch != report.epoch {
            return Ok(Merge::NotOut);
        }
        let fresh = fresh_pairs(lease, report)?;
        if fresh.is_empty() {
            // An old report again has less; one that claims more must bring the pairs.
            return if report.cumulative.pairs() <= lease.merged.pairs() {
                Ok(Merge::Duplicate)
            } else {
                Err(format!(
                    "the report says {} pairs in all and brings none; merged are {}",
                    report.cumulative.pairs(),
                    lease.merged.pairs()
                ))
            };
        }
        let tally: Tally = fresh.iter().map(|pair| pair.outcome()).collect();
        let mut merged = lease.merged;
        merged += tally;
        if merged != report.cumulative {
            return Err(format!(
                "the report says {:?} in all, its pairs make {:?}",
                report.cumulative.pentanomial.0, merged.pentanomial.0
            ));
        }
        let run_id = lease.run;
        let Some(run) = self.runs.get_mut(&run_id) else { return Ok(Merge::NotOut) };
        let id = ReportId(self.ids.report + 1);
        run.fold.apply(id, &tally, &lease.slice.played).map_err(|error| error.to_string())?;
        self.ids.report = id.0;
        run.unsaved_reports += 1;
        let nodes: f64 = fresh.iter().map(|pair| run.note_played(pair)).sum();
        self.shares.correct(run_id, nodes - lease.charged * fresh.len() as f64);
        run.pairs_return(&lease.slice.played, fresh.len() as u64);
        let is_decided = !run.fold.is_open(&lease.slice.played);
        lease.merged = merged;
        lease.last_sequence = report.sequence;
        run.paces.note(worker, fresh.len(), lease.moved_at, now);
        lease.moved_at = now;
        let range = lease.slice.range;
        lease.done.extend(fresh.iter().filter_map(|pair| range.offset_of(pair.index)));
        let done = lease.done.len();
        let bench = self.workers.get(&worker).and_then(|w| w.offer.bench.get(&run.spec.game));
        choose_audits(
            &mut self.audits,
            &mut self.batch,
            run,
            (report.lease, lease),
            bench.copied(),
            &fresh,
        );
        self.moved_leases.insert(report.lease, (count(done), None));
        self.moved_runs.insert(run_id);
        self.batch.reports.push(NewReport {
            id,
            run: run_id,
            lease: report.lease,
            epoch: report.epoch,
            sequence: report.sequence,
            tally,
            kept: kept(&run.spec, &fresh, report, moves),
            pairs: fresh.into_iter().map(counted).collect(),
        });
        if done == range.count as usize {
            self.end_lease(report.lease, LeaseEnd::Completed);
        }
        self.end_run_if_over(run_id, unix_ms);
        if is_decided {
            self.call_back_decided(run_id);
        }
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.refused = 0;
            worker.on_hold_until = Moment::default();
        }
        Ok(Merge::Merged)
    }

    /// A worker gives back what it has not finished of a lease.
    pub fn give_back(&mut self, of: WorkerId, lease: LeaseId, epoch: u32, why: &GiveBack) {
        if self.has_check(of, lease, epoch) {
            let run = self.audits.out.get(&lease).map(|out| out.audit.run);
            self.drop_check(lease);
            if let (GiveBack::Unplayable(_) | GiveBack::Unwilling, Some(run), Some(worker)) =
                (why, run, self.workers.get_mut(&of))
            {
                worker.cannot.insert(run);
            }
            return;
        }
        let is_its_own =
            self.leases.get(&lease).is_some_and(|l| l.worker == of && l.slice.epoch == epoch);
        if !is_its_own {
            return;
        }
        let run_id = self.leases[&lease].run;
        self.end_lease(lease, LeaseEnd::Returned);
        if *why == GiveBack::Leaving {
            return;
        }
        if let Some(worker) = self.workers.get_mut(&of) {
            worker.cannot.insert(run_id);
        }
        // Who does not want to says nothing of the run.
        let GiveBack::Unplayable(detail) = why else { return };
        let Some(run) = self.runs.get_mut(&run_id) else { return };
        run.unplayable.insert(of);
        // One stranger's word stops nobody's run: another owner has to say the same, where there is
        // one.
        let owners: BTreeSet<_> = run.unplayable.iter().map(|id| self.audits.owner(*id)).collect();
        let is_confirmed = owners.len() >= self.audits.owners().clamp(1, 2);
        // A run of which nothing was ever played is wrong in itself; one that was played by others
        // gets the benefit of the doubt a few times.
        let hopeless = run.fold.ledger_reports() == 0 || run.unplayable.len() >= UNPLAYABLE_LIMIT;
        if hopeless && is_confirmed && run.state == RunState::Running {
            let reason = match owners.len() {
                1 => format!("a worker cannot play it: {detail}"),
                owners => format!("workers of {owners} owners cannot play it: {detail}"),
            };
            // The run is running, so it can be paused.
            let _ = self.pause(run_id, &reason);
        }
    }

    /// Ends a lease; what is unplayed of it goes back to its run, unless that is over.
    pub(super) fn end_lease(&mut self, id: LeaseId, end: LeaseEnd) {
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
        let unplayed = open.iter().map(|slice| u64::from(slice.range.count)).sum();
        run.pairs_return(&lease.slice.played, unplayed);
        self.shares.correct(lease.run, -lease.charged * unplayed as f64);
        if !run.state.is_over() {
            run.slices.extend(open);
        }
    }

    /// Calls back what is out for candidates of a race that are decided: others play those pairs.
    pub(super) fn call_back_decided(&mut self, id: RunId) {
        let Some(run) = self.runs.get(&id).filter(|run| !run.state.is_over()) else { return };
        let decided = |lease: &LeaseId| {
            self.leases.get(lease).is_some_and(|held| !run.fold.is_open(&held.slice.played))
        };
        let out: Vec<LeaseId> = run.leases.iter().copied().filter(decided).collect();
        self.revoke(&out, CancelReason::LeasedElsewhere);
    }

    pub(super) fn end_run_if_over(&mut self, id: RunId, unix_ms: i64) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if run.state.is_over() {
            return;
        }
        let Some(ended) = run.fold.ended(run.spec.job.pairs_asked()) else { return };
        run.verdict = ended.verdict;
        let reason = ended.verdict.map_or("budget played", |verdict| verdict.name());
        self.end_run(id, RunState::Finished, reason, unix_ms);
    }

    pub(super) fn end_run(&mut self, id: RunId, state: RunState, reason: &str, unix_ms: i64) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        run.state = state;
        // A run that ended by its own rule needs no excuse: its verdict or its budget says it.
        run.state_reason = match state {
            RunState::Stopped => reason.to_owned(),
            _ => String::new(),
        };
        run.ended_at_unix_ms = Some(unix_ms);
        run.slices.clear();
        let out: Vec<LeaseId> = run.leases.iter().copied().collect();
        self.moved_runs.insert(id);
        let event = if state == RunState::Finished { "finished" } else { "stopped" };
        self.event(id, event, reason);
        self.revoke(&out, CancelReason::RunEnded);
    }

    fn revoke(&mut self, leases: &[LeaseId], reason: CancelReason) {
        for &lease in leases {
            let Some(held) = self.leases.get(&lease) else { continue };
            let (worker, epoch) = (held.worker, held.slice.epoch);
            self.end_lease(lease, LeaseEnd::Revoked);
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

/// What counts of a pair: everything but the moves and what was said of them.
fn counted(pair: &PairRecord) -> PairRecord {
    let game = |game: &GameRecord| GameRecord {
        moves: String::new(),
        evals: Vec::new(),
        times: Vec::new(),
        ..*game
    };
    PairRecord {
        index: pair.index,
        candidate_first: game(&pair.candidate_first),
        base_first: game(&pair.base_first),
    }
}

/// What a run keeps of the moves of its fresh pairs.
fn kept(
    spec: &RunSpec,
    fresh: &[&PairRecord],
    report: &Report,
    moves: &[[Vec<u8>; 2]],
) -> Vec<KeptGames> {
    let Keep { moves: share, evals } = spec.keep;
    let is_fresh = |pair: &PairRecord| fresh.iter().any(|fresh| fresh.index == pair.index);
    report
        .pairs
        .iter()
        .zip(moves)
        .filter(|(pair, _)| share.holds(spec.seed, pair.index) && is_fresh(pair))
        .map(|(pair, moves)| KeptGames {
            index: pair.index,
            moves: moves.clone(),
            evals: evals.then(|| {
                [&pair.candidate_first, &pair.base_first].map(|game| evals::pack(&game.evals))
            }),
            times: evals.then(|| {
                [&pair.candidate_first, &pair.base_first].map(|game| evals::pack_times(&game.times))
            }),
        })
        .collect()
}

/// What is unplayed of a lease, in consecutive slices at the next epoch, to play the same.
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
                played: lease.slice.played.clone(),
            }),
        }
    }
    slices
}

fn count(pairs: usize) -> u32 {
    u32::try_from(pairs).unwrap_or(u32::MAX)
}
