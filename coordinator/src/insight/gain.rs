//! What a tune by `spsa` has won: the strength of its present point above the start, by a surface fitted
//! to its own reports ([`tune::Survey`]). A fork has the reports of those before it as well.

use super::lineage::Strength;
use super::{Insight, TuneGain};
use crate::dispatch::fold::{Fold, FoldError};
use crate::dispatch::played::Played;
use crate::recover::{self, RecoverError};
use model::spec::{BQR_MOST_PARAMETERS, Job, OptimizerKind, RunSpec, TuneSpec};
use model::trust::Exclusions;
use model::view::ProgressView;
use model::{Pairs, ReportId, RunId};
use store::{Ledger, LedgerEntry};
use tune::Survey;

/// Reports that are read at a time.
const PAGE: u32 = 1_000;
/// Forks of forks that are followed back.
const MOST_FORKS: usize = 32;

/// The surface under a tune, and how far its ledger was read for it.
pub(super) struct Surveyed {
    survey: Survey,
    last: ReportId,
    pairs: Pairs,
}

impl Insight {
    /// What a tune by `spsa` has won so far; none if there is no such tune.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn gain(&self, id: RunId) -> Result<Option<TuneGain>, RecoverError> {
        let Some(run) = self.views.run(id).await? else { return Ok(None) };
        let (Job::Tune(tune), ProgressView::Tune(now)) = (&run.spec.job, &run.progress) else {
            return Ok(None);
        };
        if tune.acting().kind() != OptimizerKind::Spsa {
            return Ok(None);
        }
        let Some(fresh) = Survey::new(tune) else {
            let why = format!(
                "no surface is fitted to more than {BQR_MOST_PARAMETERS} parameters, or to a range of more \
                 than a million c_end"
            );
            return Ok(Some(TuneGain { pairs: 0, strength: None, why }));
        };
        // One at a time: the next one finds what this one has read.
        let mut kept = self.surveys.lock().await;
        let exclusions = self.ledger.exclusions_in_force().await?;
        let surveyed = match kept.take(id, &exclusions) {
            Some(surveyed) => surveyed,
            None => self.before(tune, fresh, &exclusions).await?,
        };
        let surveyed =
            read(&self.ledger, id, &run.spec, &exclusions, surveyed, Pairs(u64::MAX)).await?;
        let told = surveyed.survey.gain_of(&now.theta);
        let told = told.map_err(|error| failed(id, error.into()))?;
        let (elo, way) = (told.gain.0, stats::NORMAL_95 * told.deviation.0);
        let strength = Strength { elo, low: elo - way, high: elo + way };
        let pairs = surveyed.pairs.0;
        kept.put(id, exclusions, surveyed);
        Ok(Some(TuneGain { pairs, strength: Some(strength), why: String::new() }))
    }

    /// What the tunes show from which this one was forked.
    async fn before(
        &self,
        tune: &TuneSpec,
        fresh: Survey,
        exclusions: &Exclusions,
    ) -> Result<Surveyed, RecoverError> {
        let mut line = Vec::new();
        let mut last = tune.clone();
        while let Some(fork) = last.forked_from
            && line.len() < MOST_FORKS
            && let Some(stored) = self.ledger.run(fork.run).await?
            && let Job::Tune(source) = &stored.spec.job
            && source.parameters == tune.parameters
        {
            last = source.clone();
            let own = fork.pairs.0.saturating_sub(source.pairs_before().0);
            line.push((stored.id, stored.spec, Pairs(own)));
        }
        let mut surveyed = Surveyed { survey: fresh, last: ReportId(0), pairs: Pairs(0) };
        for (run, spec, most) in line.into_iter().rev() {
            surveyed = read(&self.ledger, run, &spec, exclusions, surveyed, most).await?;
            surveyed.last = ReportId(0);
        }
        Ok(Surveyed { pairs: Pairs(0), ..surveyed })
    }
}

/// Shows the reports of a run that come after the last one that was seen, while no more than `most` pairs
/// of it are counted.
async fn read(
    ledger: &Ledger,
    run: RunId,
    spec: &RunSpec,
    exclusions: &Exclusions,
    mut surveyed: Surveyed,
    most: Pairs,
) -> Result<Surveyed, RecoverError> {
    // It alone knows how probes are written.
    let fold = std::sync::Arc::new(recover::begin(ledger, run, spec).await?);
    if surveyed.last == ReportId(0) {
        surveyed.pairs = Pairs(0);
    }
    loop {
        let mut page = ledger.ledger_after(run, surveyed.last, PAGE).await?;
        let more = page.len() == PAGE as usize;
        let Some(last) = page.last().map(|entry| entry.report) else { return Ok(surveyed) };
        page.retain(|entry| !exclusions.excludes(run, entry.worker, entry.merged_at));
        let fold = fold.clone();
        // The surface is fitted anew ever so often, which takes its time with many parameters.
        let seen = tokio::task::spawn_blocking(move || see(&fold, surveyed, &page, most));
        let seen = seen.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let (next, whole) = seen.map_err(|source| failed(run, source))?;
        surveyed = Surveyed { last, ..next };
        if !more || !whole {
            return Ok(surveyed);
        }
    }
}

/// Shows reports to the surface; whether all of them.
fn see(
    fold: &Fold,
    mut surveyed: Surveyed,
    page: &[LedgerEntry],
    most: Pairs,
) -> Result<(Surveyed, bool), FoldError> {
    for entry in page {
        let pairs = entry.tally.pairs();
        if surveyed.pairs.0 + pairs.0 > most.0 {
            return Ok((surveyed, false));
        }
        let Played::Probe(probe) = fold.read_played(entry.probe.as_deref(), None)? else {
            let found = "there is none".to_owned();
            return Err(FoldError::Unreadable { what: "the probe of a lease", found });
        };
        surveyed.survey.see(&probe, pairs, entry.tally.pentanomial.balance())?;
        surveyed.pairs += pairs;
    }
    Ok((surveyed, true))
}

fn failed(run: RunId, source: FoldError) -> RecoverError {
    RecoverError::Fold { run, source }
}
