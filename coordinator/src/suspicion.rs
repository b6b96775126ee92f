//! Compares each worker's results with everybody else's, and warns. It excludes nobody: a person does.
//!
//! The counts of each worker in each run are kept up from the ledger, report by report; runs by the
//! kind of machine are the strata of [`stats::evidence`], and so are pairs of the base against itself.

use crate::core::chain;
use crate::metrics::Metrics;
use crate::views::Views;
use model::trust::Suspicion;
use model::{Pentanomial, ReportId, RunId, WorkerId};
use stats::Stratum;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use store::{Ledger, StoreError, WorkerCounts};
use tokio_util::sync::CancellationToken;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(15);
/// Of those that are named, the share that is honest in the mean at most.
const FALSE_SHARE: f64 = 0.05;
/// Runs that are compared: the newest of those in which something was played.
const MOST_RUNS: usize = 200;

/// Where results are expected to be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Field {
    run: RunId,
    /// Pairs of its base against itself.
    canaries: bool,
}

/// The counts of all workers.
#[derive(Debug, Default)]
pub struct Counts {
    last_report: Option<ReportId>,
    fields: BTreeMap<Field, BTreeMap<WorkerId, Pentanomial>>,
}

impl Counts {
    /// Takes in what came since the last time.
    fn add(&mut self, counts: Vec<WorkerCounts>, up_to: ReportId) {
        for WorkerCounts { run, worker, counts } in counts {
            let field = self.fields.entry(Field { run, canaries: false }).or_default();
            *field.entry(worker).or_default() += counts;
        }
        self.last_report = Some(up_to);
    }

    /// Takes in the canaries as they all are now.
    fn set_canaries(&mut self, counts: Vec<WorkerCounts>) {
        self.fields.retain(|field, _| !field.canaries);
        for WorkerCounts { run, worker, counts } in counts {
            let field = self.fields.entry(Field { run, canaries: true }).or_default();
            field.insert(worker, counts);
        }
        let extra = self.fields.len().saturating_sub(2 * MOST_RUNS);
        let oldest: Vec<Field> = self.fields.keys().copied().take(extra).collect();
        oldest.iter().for_each(|field| drop(self.fields.remove(field)));
    }

    /// What speaks against each worker. `kinds` says which machine each has; nobody is compared with
    /// those that are excluded.
    #[must_use]
    pub fn suspicions(
        &self,
        kinds: &BTreeMap<WorkerId, String>,
        excluded: impl Fn(RunId, WorkerId) -> bool,
    ) -> BTreeMap<WorkerId, Suspicion> {
        let mut strata: BTreeMap<WorkerId, Vec<Stratum>> = BTreeMap::new();
        for (field, workers) in &self.fields {
            // Sums over everybody who counts, by the kind of machine.
            let mut sums: BTreeMap<&str, Pentanomial> = BTreeMap::new();
            let counting = |worker: &WorkerId| !excluded(field.run, *worker);
            for (worker, counts) in workers.iter().filter(|(worker, _)| counting(worker)) {
                let kind = kinds.get(worker).map_or("", String::as_str);
                *sums.entry(kind).or_default() += *counts;
            }
            for (worker, own) in workers {
                let kind = kinds.get(worker).map_or("", String::as_str);
                let mut rest = sums.get(kind).copied().unwrap_or_default();
                if counting(worker) {
                    rest.0.iter_mut().zip(own.0).for_each(|(all, own)| *all -= own);
                }
                strata.entry(*worker).or_default().push(Stratum { own: *own, rest });
            }
        }
        let workers: Vec<WorkerId> = strata.keys().copied().collect();
        let evidence: Vec<_> = strata.values().map(|strata| stats::evidence(strata)).collect();
        let log_e: Vec<f64> = evidence.iter().map(|evidence| evidence.log_e).collect();
        let named = stats::suspects(&log_e, FALSE_SHARE);
        let suspicion = |(evidence, named): (stats::Evidence, bool)| Suspicion {
            log10_e: evidence.log_e / std::f64::consts::LN_10,
            pairs: evidence.pairs,
            bias: evidence.bias,
            margin: evidence.margin,
            named,
        };
        workers.into_iter().zip(evidence.into_iter().zip(named).map(suspicion)).collect()
    }
}

/// Looks again and again until told to stop.
pub(crate) async fn keep(
    ledger: Ledger,
    views: Arc<Views>,
    metrics: Arc<Metrics>,
    shutdown: CancellationToken,
) {
    let mut counts = Counts::default();
    loop {
        match look(&ledger, &mut counts).await {
            Ok(suspicions) => {
                let named = suspicions.values().filter(|suspicion| suspicion.named).count();
                metrics.suspected(named);
                for (worker, suspicion) in views.suspect(suspicions) {
                    tracing::warn!(
                        worker.id = worker.0,
                        bias.elo = suspicion.bias.0,
                        margin.elo = suspicion.margin.0,
                        pairs = suspicion.pairs.0,
                        "the results of a worker are not those of the others"
                    );
                }
            }
            Err(error) => {
                tracing::debug!(error = %chain(&error), "the workers cannot be compared now");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

async fn look(
    ledger: &Ledger,
    counts: &mut Counts,
) -> Result<BTreeMap<WorkerId, Suspicion>, StoreError> {
    let (fresh, up_to) = ledger.counts_since(counts.last_report).await?;
    counts.add(fresh, up_to);
    counts.set_canaries(ledger.canary_counts().await?);
    let kinds = ledger.platforms().await?;
    let exclusions = ledger.exclusions_in_force().await?;
    Ok(counts.suspicions(&kinds, |run, worker| exclusions.bars(run, worker)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(run: i64, worker: i64, counts: [u64; 5]) -> WorkerCounts {
        WorkerCounts { run: RunId(run), worker: WorkerId(worker), counts: Pentanomial(counts) }
    }

    #[test]
    fn a_liar_is_named_among_machines_of_its_kind_and_spoils_nobody_once_excluded() {
        let even = [60, 220, 440, 220, 60];
        let mut counts = Counts::default();
        let honest = |run| (1..6).map(move |worker| of(run, worker, even));
        let liar = |run| of(run, 9, [5, 60, 200, 260, 75]);
        for run in 1..4 {
            counts.add(honest(run).chain([liar(run)]).collect(), ReportId(run));
        }
        let mut kinds: BTreeMap<WorkerId, String> =
            [1, 2, 3, 4, 5, 9].map(|worker| (WorkerId(worker), "linux".to_owned())).into();
        let found = counts.suspicions(&kinds, |_, _| false);
        assert!(found[&WorkerId(9)].named, "{found:?}");
        assert!((1..6).all(|worker| !found[&WorkerId(worker)].named), "{found:?}");
        assert!(found[&WorkerId(1)].bias.0 < -1.0, "the liar lifts what they are compared with");
        let found = counts.suspicions(&kinds, |_, worker| worker == WorkerId(9));
        assert!(found[&WorkerId(9)].named);
        assert!(found[&WorkerId(1)].bias.0.abs() < 1e-9, "{found:?}");
        // A machine that nobody else has is compared with nobody.
        kinds.insert(WorkerId(9), "plan 9".to_owned());
        let found = counts.suspicions(&kinds, |_, _| false);
        assert_eq!(found[&WorkerId(9)].pairs.0, 0);
        // But in pairs of the base against itself.
        kinds.insert(WorkerId(9), "linux".to_owned());
        let mut canaries = Counts::default();
        canaries.set_canaries(honest(1).chain([liar(1)]).collect());
        assert!(canaries.suspicions(&kinds, |_, _| false)[&WorkerId(9)].named);
    }
}
