//! From the ledger back to the scheduler: at every start, and after every failed commit.
//!
//! A run's state is its last snapshot and the reports after it; what is out and what came back
//! unplayed are rows too. Nothing that was in memory is needed, so a kill at any moment costs at
//! most what was never acknowledged.

use crate::book;
use crate::dispatch::Moment;
use crate::dispatch::audits::{Audit, Claim};
use crate::dispatch::fold::{Fold, FoldError};
use crate::dispatch::openings::Openings;
use crate::dispatch::run::{Run, Slice, sets};
use crate::dispatch::scheduler::{Hold, LastIds, LeaseLimits, RecoveredLease, Scheduler};
use model::spec::RunSpec;
use model::trust::Exclusions;
use model::{Pairs, RunId, Tally};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Ledger, LedgerEntry, StoreError, StoredRun};

/// Why the state cannot be built from the ledger.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A run that does not fold.
    #[error("run {run} cannot be recovered")]
    Fold {
        /// The run.
        run: RunId,
        /// Why.
        #[source]
        source: FoldError,
    },
    /// A run whose book is gone or bad.
    #[error("the opening book of run {run} cannot be used: {found}")]
    Book {
        /// The run.
        run: RunId,
        /// What is wrong.
        found: String,
    },
}

/// Reports that are read at a time: fewer where the probe of each is long.
fn page_size(fold: &Fold) -> u32 {
    const MOST: u32 = 2_000;
    const MOST_NUMBERS: usize = 200_000;
    let fitting = MOST_NUMBERS / fold.theta().len().max(1);
    u32::try_from(fitting).unwrap_or(MOST).clamp(16, MOST)
}

/// Folds a run's ledger from its start, without any snapshot but the one that a fork began with.
///
/// # Errors
/// The database, or a report that does not fit.
pub async fn replay(ledger: &Ledger, run: RunId, spec: &RunSpec) -> Result<Fold, RecoverError> {
    let exclusions = ledger.exclusions_in_force().await?;
    replay_without(ledger, run, spec, &exclusions).await
}

/// Folds a run's ledger from its start as it would count with these exclusions.
///
/// # Errors
/// The database, or a report that does not fit.
pub async fn replay_without(
    ledger: &Ledger,
    run: RunId,
    spec: &RunSpec,
    exclusions: &Exclusions,
) -> Result<Fold, RecoverError> {
    let mut fold = begin(ledger, run, spec).await?;
    catch_up(ledger, run, &mut fold, exclusions).await?;
    Ok(fold)
}

/// Folds what a run's ledger has beyond a state that was folded with the same exclusions.
///
/// # Errors
/// The database, or a report that does not fit.
pub async fn catch_up(
    ledger: &Ledger,
    run: RunId,
    fold: &mut Fold,
    exclusions: &Exclusions,
) -> Result<(), RecoverError> {
    while fold_page(ledger, run, fold, exclusions, |_| true).await? {}
    Ok(())
}

/// Folds a run's ledger from its start while no more than so many pairs are counted.
///
/// # Errors
/// The database, or a report that does not fit.
pub async fn replay_to(
    ledger: &Ledger,
    run: RunId,
    spec: &RunSpec,
    most: Pairs,
) -> Result<Fold, RecoverError> {
    let exclusions = ledger.exclusions_in_force().await?;
    let mut fold = begin(ledger, run, spec).await?;
    let fits = |after: &Tally| after.pairs() <= most;
    while fold_page(ledger, run, &mut fold, &exclusions, fits).await? {}
    Ok(fold)
}

/// The run before its first report.
///
/// # Errors
/// The database, or a state that does not fit.
pub async fn begin(ledger: &Ledger, run: RunId, spec: &RunSpec) -> Result<Fold, RecoverError> {
    let fold = match ledger.first_state(run).await? {
        Some(state) => Fold::from_snapshot(spec, &state),
        None => Fold::new(spec),
    };
    fold.map_err(|source| RecoverError::Fold { run, source })
}

/// Folds a run from its last snapshot.
///
/// # Errors
/// The database, or a snapshot or report that does not fit.
pub async fn fold_of(ledger: &Ledger, run: RunId, spec: &RunSpec) -> Result<Fold, RecoverError> {
    // Before the snapshot: one that is newer than these has what came before it right all the same.
    let exclusions = ledger.exclusions_in_force().await?;
    Ok(fold_and_tail(ledger, run, spec, &exclusions).await?.0)
}

/// A run folded from its last snapshot, and how many reports come after that.
async fn fold_and_tail(
    ledger: &Ledger,
    run: RunId,
    spec: &RunSpec,
    exclusions: &Exclusions,
) -> Result<(Fold, u64), RecoverError> {
    let failed = |source| RecoverError::Fold { run, source };
    let saved = match ledger.snapshot(run).await? {
        Some(snapshot) => match Fold::from_snapshot(spec, &snapshot.state) {
            // The whole ledger gives what the snapshot lacks.
            Err(FoldError::Outdated) => Fold::new(spec).map_err(failed)?,
            fold => fold.map_err(failed)?,
        },
        None => Fold::new(spec).map_err(failed)?,
    };
    let saved_reports = saved.ledger_reports();
    let mut fold = saved;
    catch_up(ledger, run, &mut fold, exclusions).await?;
    let tail = fold.ledger_reports() - saved_reports;
    Ok((fold, tail))
}

/// Folds the next page of a run's ledger, up to the first report whose count `fits` refuses. Whether
/// there may be more.
async fn fold_page(
    ledger: &Ledger,
    run: RunId,
    fold: &mut Fold,
    exclusions: &Exclusions,
    mut fits: impl FnMut(&Tally) -> bool,
) -> Result<bool, RecoverError> {
    let page_size = page_size(fold);
    let page = ledger.ledger_after(run, fold.last_report, page_size).await?;
    for entry in &page {
        if exclusions.excludes(run, entry.worker, entry.merged_at) {
            fold.skip(entry.report, &entry.tally);
            continue;
        }
        let mut after = fold.tally;
        after += entry.tally;
        if !fits(&after) {
            return Ok(false);
        }
        apply(run, fold, entry)?;
    }
    Ok(page.len() == page_size as usize)
}

/// Folds one report of a ledger.
fn apply(run: RunId, fold: &mut Fold, entry: &LedgerEntry) -> Result<(), RecoverError> {
    let played = fold.read_played(entry.probe.as_deref(), entry.candidate);
    let applied = played.and_then(|played| fold.apply(entry.report, &entry.tally, &played));
    applied.map_err(|source| RecoverError::Fold { run, source })
}

/// Folds the next page of a run's ledger and hands out the run after each report that counts. Whether
/// there may be more.
///
/// # Errors
/// The database, or a report that does not fit.
pub async fn each_of_page(
    ledger: &Ledger,
    run: RunId,
    fold: &mut Fold,
    exclusions: &Exclusions,
    mut each: impl FnMut(&Fold),
) -> Result<bool, RecoverError> {
    let page_size = page_size(fold);
    let page = ledger.ledger_after(run, fold.last_report, page_size).await?;
    for entry in &page {
        if exclusions.excludes(run, entry.worker, entry.merged_at) {
            fold.skip(entry.report, &entry.tally);
            continue;
        }
        apply(run, fold, entry)?;
        each(fold);
    }
    Ok(page.len() == page_size as usize)
}

/// Builds the scheduler as the ledger has it.
///
/// # Errors
/// The database, or a run that cannot be recovered.
pub async fn scheduler(
    ledger: &Ledger,
    limits: LeaseLimits,
    now: Moment,
) -> Result<Scheduler, RecoverError> {
    let ids = ledger.highest_ids().await?;
    let ids = LastIds { run: ids.run, lease: ids.lease, report: ids.report };
    let mut scheduler = Scheduler::new(limits, ids);
    let exclusions = ledger.exclusions_in_force().await?;
    for stored in ledger.open_runs().await? {
        scheduler.restore_run(open_run(ledger, stored, &exclusions).await?);
    }
    scheduler.restore_exclusions(exclusions);
    for lease in ledger.open_leases().await? {
        let run = lease.run;
        let failed = |source| RecoverError::Fold { run, source };
        // A lease of a run that is not open is not put back.
        let Some(fold) = scheduler.run(run).map(|run| &run.fold) else { continue };
        let played = fold.read_played(lease.probe.as_deref(), lease.candidate).map_err(failed)?;
        let done: BTreeSet<usize> =
            lease.merged_pairs.iter().filter_map(|index| lease.range.offset_of(*index)).collect();
        let recovered = RecoveredLease {
            id: lease.id,
            run: lease.run,
            worker: lease.worker,
            slice: Slice { range: lease.range, epoch: lease.epoch, block: lease.block, played },
            merged: lease.merged,
            done,
            last_sequence: lease.last_sequence,
        };
        scheduler.restore_lease(recovered, now);
    }
    let waiting = waiting_audits(ledger, &mut scheduler).await?;
    let passed = ledger.passed_audits().await?;
    let hold = |disputed| if disputed { Hold::Disputed } else { Hold::Refuted };
    let held = ledger.held_workers().await?;
    let held = held.into_iter().map(|(worker, disputed)| (worker, hold(disputed))).collect();
    scheduler.restore_checks(&passed, held, waiting);
    Ok(scheduler)
}

/// Pairs that are still to be played again. Those that were out wait again: who plays them now is told
/// that it need not.
async fn waiting_audits(
    ledger: &Ledger,
    scheduler: &mut Scheduler,
) -> Result<Vec<Audit>, RecoverError> {
    let mut audits: Vec<Audit> = Vec::new();
    // Runs that are over, as long as their pairs come one after another.
    let mut ended: Option<(RunId, Arc<RunSpec>, Openings)> = None;
    for stored in ledger.open_audits().await? {
        let run = stored.run;
        let failed = |source| RecoverError::Fold { run, source };
        let index = stored.claimed.index;
        let (spec, opening) = match scheduler.run_mut(run) {
            Some(open) => (open.spec.clone(), open.openings.one(index)),
            None => {
                if ended.as_ref().is_none_or(|(id, ..)| *id != run) {
                    let Some(row) = ledger.run(run).await? else { continue };
                    let openings = openings(ledger, run, &row.spec).await?;
                    ended = Some((run, Arc::new(row.spec), openings));
                }
                let Some((_, spec, openings)) = &mut ended else { continue };
                (spec.clone(), openings.one(index))
            }
        };
        let (others, mut records): (Vec<_>, Vec<_>) = stored.others.into_iter().unzip();
        records.insert(0, stored.claimed);
        let claim = Claim { opening, records };
        let goes_with = |last: &&mut Audit| last.lease == stored.lease && last.others == others;
        if let Some(last) = audits.last_mut().filter(goes_with) {
            last.claims.insert(index, claim);
            continue;
        }
        let fold = Fold::new(&spec).map_err(failed)?;
        let played = fold.read_played(stored.probe.as_deref(), stored.candidate);
        let (candidate, base) = sets(&spec.job, &played.map_err(failed)?);
        audits.push(Audit {
            run,
            spec,
            lease: stored.lease,
            worker: stored.worker,
            bench: stored.bench,
            candidate,
            base,
            others,
            claims: BTreeMap::from([(index, claim)]),
        });
    }
    Ok(audits)
}

async fn open_run(
    ledger: &Ledger,
    stored: StoredRun,
    exclusions: &Exclusions,
) -> Result<Run, RecoverError> {
    let run = stored.id;
    let failed = |source| RecoverError::Fold { run, source };
    let (fold, tail) = fold_and_tail(ledger, run, &stored.spec, exclusions).await?;
    let openings = openings(ledger, run, &stored.spec).await?;
    let mut slices = std::collections::VecDeque::new();
    for slice in ledger.unplayed(run).await? {
        let played = fold.read_played(slice.probe.as_deref(), slice.candidate).map_err(failed)?;
        let (range, epoch, block) = (slice.range, slice.next_epoch, slice.block);
        slices.push_back(Slice { range, epoch, block, played });
    }
    Ok(Run {
        id: run,
        next_fresh: ledger.first_fresh_pair(run).await?,
        openings,
        fold,
        slices,
        spec: Arc::new(stored.spec),
        idempotency_key: stored.idempotency_key,
        created_at_unix_ms: stored.created_at_unix_ms,
        ended_at_unix_ms: stored.ended_at_unix_ms,
        state: stored.state,
        state_reason: stored.state_reason,
        verdict: stored.verdict,
        leases: BTreeSet::new(),
        leased_pairs: 0,
        candidate_pairs: BTreeMap::new(),
        counts: stored.leases,
        owner: stored.owner.into(),
        played: (0, 0.0),
        audited: ledger.audit_counts(run).await?,
        unsaved_reports: u32::try_from(tail).unwrap_or(u32::MAX),
        unplayable: BTreeSet::new(),
        paces: Default::default(),
    })
}

pub(crate) async fn openings(
    ledger: &Ledger,
    run: RunId,
    spec: &RunSpec,
) -> Result<Openings, RecoverError> {
    let bad = |found: String| RecoverError::Book { run, found };
    let (game, text) =
        ledger.book(&spec.book).await?.ok_or_else(|| bad("the ledger lacks it".to_owned()))?;
    if game != spec.game {
        return Err(bad(format!("it is for {game}, the run plays {}", spec.game)));
    }
    let positions = book::positions(&text);
    if positions.is_empty() {
        return Err(bad("it has no position".to_owned()));
    }
    Ok(Openings::new(positions, spec.seed).in_order(spec.book_order))
}

/// Whether what a row says of a run equals the fold of its ledger, to the bit.
#[must_use]
pub fn matches(stored: &StoredRun, fold: &Fold) -> bool {
    // Both are null until the first report or command moves the run.
    let llr_agrees = stored.llr.map(f64::to_bits) == fold.llr().map(f64::to_bits)
        || (stored.llr.is_none() && fold.reports == 0);
    let point_agrees =
        stored.point == fold.point() || (stored.point.is_none() && fold.reports == 0);
    stored.tally == fold.tally
        && stored.reports == fold.ledger_reports()
        && stored.last_report == fold.last_report
        && llr_agrees
        && point_agrees
}
