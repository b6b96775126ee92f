//! What pages show beyond the run itself, computed when somebody asks: who brought what, how games
//! ended, which openings decide, how late reports are, how a tune stood at any time, how champions follow
//! each other.
//!
//! Everything is read from the ledger, and kept only to read on from there; one question is one run, one
//! worker or one owner.

mod curves;
mod gain;
mod kept;
pub mod lineage;
mod told;

pub use told::{
    Breakdown, CandidateCurve, CurvePoint, Done, Ended, Hands, Iteration, Lateness, NextReport,
    OpeningShare, Openings, Out, Refused, Share, TuneGain,
};

use crate::core::chain;
use crate::dispatch::played::Played;
use crate::records::{RecordError, Records};
use crate::recover::{self, RecoverError};
use crate::views::Views;
use kept::Kept;
use lineage::{Lineage, Proof, Strength, lineages};
use model::lease::PairIndex;
use model::spec::{Job, RunSpec};
use model::view::{PairView, ProgressView, RunView, WorkerView};
use model::{Pairs, Pentanomial, RunId, WorkerId};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Contribution, Ledger};
use tokio::sync::{Mutex, Semaphore};

/// Pairs of a run whose openings are looked at.
const OPENING_PAIRS: u32 = 200_000;
/// Openings that are told, from either end.
const OPENINGS_TOLD: usize = 20;
/// Reports over which their lateness is taken.
const LATE_REPORTS: usize = 200;
/// Reports that may have come in between.
const LATE_WINDOW: u32 = 4_000;
/// Accepted tests and matches that lineages are made of.
const PROOFS: u32 = 2_000;
/// Runs of one owner that are told.
const RUNS_OF_OWNER: usize = 100;
/// Questions of the costly kind that are answered at the same time; more wait.
const AT_A_TIME: usize = 2;

/// Answers questions about runs and workers.
pub struct Insight {
    ledger: Ledger,
    views: Arc<Views>,
    seats: Semaphore,
    surveys: Mutex<Kept<gain::Surveyed>>,
    races: Mutex<Kept<curves::Raced>>,
}

impl Insight {
    /// Over this ledger and what is shown of it.
    #[must_use]
    pub fn new(ledger: Ledger, views: Arc<Views>) -> Self {
        Self {
            ledger,
            views,
            seats: Semaphore::new(AT_A_TIME),
            surveys: Mutex::default(),
            races: Mutex::default(),
        }
    }

    /// Everything about one run, if there is one.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn breakdown(&self, id: RunId) -> Result<Option<Breakdown>, RecoverError> {
        let Some(run) = self.views.run(id).await? else { return Ok(None) };
        let _seat = self.seats.acquire().await;
        let contributions = self.ledger.contributions_to(id).await?;
        let mut workers = self.shares(contributions, &BTreeMap::from([(id, run.clone())])).await?;
        workers.sort_by_key(|share| (std::cmp::Reverse(share.pairs), share.worker));
        let mut terminations: BTreeMap<&'static str, Ended> = BTreeMap::new();
        for (why, half_points, count) in self.ledger.terminations(id).await? {
            let reason = why.name();
            let ended = terminations.entry(reason);
            let ended = ended.or_insert(Ended { reason, wins: 0, draws: 0, losses: 0 });
            match half_points {
                0 => ended.losses += count,
                1 => ended.draws += count,
                _ => ended.wins += count,
            }
        }
        let mut terminations: Vec<Ended> = terminations.into_values().collect();
        terminations.sort_by_key(|e| std::cmp::Reverse(e.wins + e.draws + e.losses));
        let events = self.ledger.run_events(id).await?.into_iter();
        Ok(Some(Breakdown {
            workers,
            terminations,
            openings: self.openings(id, &run.spec).await?,
            lateness: lateness(&self.ledger.last_reports(id, LATE_WINDOW).await?),
            events: events
                .map(|e| Done { at_unix_ms: e.at_unix_ms, event: e.event, reason: e.reason })
                .collect(),
        }))
    }

    async fn openings(&self, id: RunId, spec: &RunSpec) -> Result<Openings, RecoverError> {
        let scores = self.ledger.pair_scores(id, OPENING_PAIRS).await?;
        let mut order = recover::openings(&self.ledger, id, spec).await?;
        let told = tokio::task::spawn_blocking(move || {
            let mut by_opening: BTreeMap<String, (u64, u64, PairIndex)> = BTreeMap::new();
            let mut openings = Openings { book: order.len(), ..Openings::default() };
            for (pair, half_points) in scores {
                openings.pairs += 1;
                openings.even_pairs += u64::from(half_points == 2);
                let entry = by_opening.entry(order.one(pair).position).or_insert((0, 0, pair));
                entry.0 += 1;
                entry.1 += u64::from(half_points);
            }
            openings.played = by_opening.len();
            let mut all: Vec<OpeningShare> = by_opening
                .into_iter()
                .map(|(opening, (pairs, half_points, pair))| OpeningShare {
                    opening,
                    pairs,
                    score: half_points as f64 / (4 * pairs) as f64,
                    pair,
                })
                .collect();
            let weight = |share: &OpeningShare| (share.score - 0.5) * share.pairs as f64;
            all.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.opening.cmp(&b.opening)));
            if all.len() > 2 * OPENINGS_TOLD {
                all.drain(OPENINGS_TOLD..all.len() - OPENINGS_TOLD);
            }
            openings.told = all;
            openings
        });
        Ok(told.await.unwrap_or_default())
    }

    /// A tune as it stood after at most so many of its pairs; none if there is no such tune.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn iteration(
        &self,
        id: RunId,
        pairs: Pairs,
    ) -> Result<Option<Iteration>, RecoverError> {
        let Some(stored) = self.ledger.run(id).await? else { return Ok(None) };
        if !matches!(stored.spec.job, Job::Tune(_)) {
            return Ok(None);
        }
        let _seat = self.seats.acquire().await;
        let fold = recover::replay_to(&self.ledger, id, &stored.spec, pairs).await?;
        let ProgressView::Tune(mut state) = fold.view(None, stored.state.is_over()) else {
            return Ok(None);
        };
        state.trace.clear();
        let report = self.ledger.report_at(id, fold.reports).await?;
        let next = report.and_then(|report| {
            let probe = match fold.read_played(report.probe.as_deref(), None) {
                Ok(Played::Probe(probe)) => probe,
                Ok(_) => return None,
                Err(error) => {
                    tracing::warn!(run.id = id.0, error = %chain(&error), "a probe cannot be read");
                    return None;
                }
            };
            Some(NextReport {
                worker: report.worker,
                first_pair: report.first_pair,
                tally: report.tally,
                plus: probe.plus.clone(),
                minus: probe.minus.clone(),
                c: probe.c.clone(),
                flips: probe.flips.clone(),
            })
        });
        let pairs = fold.tally.pairs().0;
        Ok(Some(Iteration { pairs, reports: fold.reports, state, next }))
    }

    /// The lineages of champions, those that moved last first.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn lineages(&self) -> Result<Vec<Lineage>, RecoverError> {
        let _seat = self.seats.acquire().await;
        let mut proofs = Vec::new();
        for stored in self.ledger.proofs(PROOFS).await? {
            let view = self.views.listed(stored).await?;
            proofs.extend(proof(&view));
        }
        Ok(lineages(&proofs))
    }

    /// One worker, if there is one.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn worker(&self, id: WorkerId) -> Result<Option<Hands>, RecoverError> {
        let owner = self.ledger.owners_of_workers().await?.into_iter().find(|(w, _)| *w == id);
        self.hands(owner.map(|(_, owner)| owner), |worker| worker.id == id).await
    }

    /// The workers of an owner, if there are any.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn owner(&self, name: &str) -> Result<Option<Hands>, RecoverError> {
        let owners = self.ledger.owners_of_workers().await?;
        let own: Vec<WorkerId> =
            owners.into_iter().filter(|(_, owner)| owner == name).map(|(id, _)| id).collect();
        self.hands(Some(name.to_owned()), |worker| own.contains(&worker.id)).await
    }

    /// At most `limit` pairs of a run from one on, with their games.
    ///
    /// # Errors
    /// The ledger does not answer, or stored moves are none.
    pub async fn pairs(
        &self,
        id: RunId,
        first: PairIndex,
        limit: u32,
    ) -> Result<Vec<PairView>, RecordError> {
        let Some(stored) = self.ledger.run(id).await? else { return Ok(Vec::new()) };
        let mut records = Records::from(&self.ledger, id, &stored.spec, first).await?;
        records.page(u64::from(limit)).await
    }

    /// Every worker with its owner, if it is known.
    ///
    /// # Errors
    /// The ledger does not answer.
    pub async fn owners(&self) -> Result<BTreeMap<WorkerId, String>, RecoverError> {
        Ok(self.ledger.owners_of_workers().await?.into_iter().collect())
    }

    async fn hands(
        &self,
        owner: Option<String>,
        is_meant: impl Fn(&WorkerView) -> bool,
    ) -> Result<Option<Hands>, RecoverError> {
        let workers: Vec<WorkerView> =
            self.views.workers().await?.into_iter().filter(|worker| is_meant(worker)).collect();
        if workers.is_empty() {
            return Ok(None);
        }
        let _seat = self.seats.acquire().await;
        let ids: Vec<WorkerId> = workers.iter().map(|worker| worker.id).collect();
        let mut contributions = self.ledger.contributions_of(&ids).await?;
        contributions.truncate(RUNS_OF_OWNER);
        let out = self.ledger.leases_out(&ids).await?;
        let mut runs = BTreeMap::new();
        let named = contributions.iter().map(|c| c.run).chain(out.iter().map(|(_, run, ..)| *run));
        for run in named {
            if let std::collections::btree_map::Entry::Vacant(entry) = runs.entry(run)
                && let Some(view) = self.views.run(run).await?
            {
                entry.insert(view);
            }
        }
        let shares = self.shares(contributions, &runs).await?;
        let name = |run| runs.get(&run).map(|view| view.spec.name.clone()).unwrap_or_default();
        let refusals = self.ledger.refusals_of(&ids, 20).await?.into_iter();
        Ok(Some(Hands {
            owner,
            workers,
            out: out
                .into_iter()
                .map(|(worker, run, leases, pairs)| Out {
                    worker,
                    run,
                    run_name: name(run),
                    leases,
                    pairs,
                })
                .collect(),
            shares,
            refusals: refusals
                .map(|r| Refused { run: r.run, at_unix_ms: r.at_unix_ms, reason: r.reason })
                .collect(),
        }))
    }

    /// Contributions with what they are worth; those to runs that are not given are left out.
    async fn shares(
        &self,
        contributions: Vec<Contribution>,
        runs: &BTreeMap<RunId, Arc<RunView>>,
    ) -> Result<Vec<Share>, RecoverError> {
        let names: BTreeMap<WorkerId, String> = self
            .ledger
            .workers()
            .await?
            .into_iter()
            .map(|w| (w.worker.id, w.worker.name))
            .collect();
        let owners: BTreeMap<WorkerId, String> = self.owners().await?;
        let share = |c: Contribution| {
            let run = runs.get(&c.run)?;
            let test = match &run.spec.job {
                Job::Test(test) => Some(test),
                Job::Tune(_) | Job::Race(_) => None,
            };
            let own = &c.tally.pentanomial;
            Some(Share {
                run: c.run,
                run_name: run.spec.name.clone(),
                kind: run.kind.clone(),
                worker: c.worker,
                worker_name: names.get(&c.worker).cloned().unwrap_or_default(),
                owner: owners.get(&c.worker).cloned(),
                tally: c.tally,
                pairs: own.pairs().0,
                strength: test.map(|_| strength(own)),
                llr_moved: test
                    .and_then(|test| test.sprt)
                    .map(|sprt| llr_moved(&sprt.into(), &run.tally.pentanomial, own)),
                last_unix_ms: c.last_unix_ms,
            })
        };
        Ok(contributions.into_iter().filter_map(share).collect())
    }
}

fn strength(counts: &Pentanomial) -> Strength {
    let estimate = stats::estimate(counts);
    Strength { elo: estimate.elo.0, low: estimate.low.0, high: estimate.high.0 }
}

/// What the LLR of `all` pairs is more than without some of them.
fn llr_moved(sprt: &stats::SprtSpec, all: &Pentanomial, some: &Pentanomial) -> f64 {
    let mut rest = *all;
    for (cell, own) in rest.0.iter_mut().zip(some.0) {
        *cell = cell.saturating_sub(own);
    }
    let without = if rest.pairs().0 == 0 { 0.0 } else { sprt.llr(&rest) };
    sprt.llr(all) - without
}

/// Of reports newest first.
fn lateness(reports: &[store::MergedReport]) -> Option<Lateness> {
    let looked_at = reports.len().min(LATE_REPORTS);
    let mut seen: Vec<u64> = (0..looked_at)
        .map(|place| {
            let issued = reports[place].issued_unix_ms;
            let since = reports[place + 1..].iter().take_while(|r| r.merged_unix_ms > issued);
            since.map(|report| report.pairs).sum()
        })
        .collect();
    seen.sort_unstable();
    let last = looked_at.checked_sub(1)?;
    let took = |r: &store::MergedReport| (r.merged_unix_ms - r.issued_unix_ms).max(0) as f64;
    Some(Lateness {
        reports: looked_at,
        median_pairs: seen[last / 2],
        q90_pairs: seen[last * 9 / 10],
        mean_seconds: reports[..looked_at].iter().map(took).sum::<f64>()
            / (1000.0 * looked_at as f64),
    })
}

fn proof(run: &RunView) -> Option<Proof> {
    let (Job::Test(test), ProgressView::Test(view)) = (&run.spec.job, &run.progress) else {
        return None;
    };
    // A test of two engines crowns neither's parameters.
    let players = run.spec.players.as_ref();
    let engines = players.map(|players| (&players.candidate.engine, &players.base.engine));
    let engine = match engines {
        None => "builtin".to_owned(),
        Some((candidate, base)) if candidate == base => candidate.name(),
        Some(_) => return None,
    };
    let naive = Strength { elo: view.elo, low: view.elo_low, high: view.elo_high };
    let strength = match view.corrected {
        Some(c) => Strength { elo: c.elo, low: c.elo_low, high: c.elo_high },
        None => naive,
    };
    Some(Proof {
        run: run.id,
        name: run.spec.name.clone(),
        game: run.spec.game,
        engine,
        ended_at_unix_ms: run.ended_at_unix_ms.unwrap_or(run.created_at_unix_ms),
        candidate: test.candidate.clone(),
        base: test.base.clone(),
        candidate_run: test.candidate_run,
        strength,
        is_test: test.sprt.is_some(),
        pairs: run.counted_pairs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::MergedReport;

    #[test]
    fn what_pairs_moved_is_what_is_missing_without_them() {
        let sprt = stats::SprtSpec {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: stats::EloModel::Normalized,
        };
        let all = Pentanomial([10, 40, 100, 60, 20]);
        let good = Pentanomial([0, 0, 10, 20, 10]);
        let bad = Pentanomial([10, 20, 10, 0, 0]);
        assert!(llr_moved(&sprt, &all, &good) > 0.3);
        assert!(llr_moved(&sprt, &all, &bad) < -0.3);
        let whole = llr_moved(&sprt, &all, &all);
        assert!((whole - sprt.llr(&all)).abs() < 1e-12, "{whole}");
    }

    #[test]
    fn lateness_counts_what_came_between_lease_and_report() {
        let report = |issued, merged| MergedReport {
            issued_unix_ms: issued,
            merged_unix_ms: merged,
            pairs: 8,
        };
        // Two workers, each with a lease out while the other reports; newest first.
        let reports = [report(20, 40), report(10, 30), report(0, 20), report(0, 10)];
        let late = lateness(&reports).unwrap();
        assert_eq!((late.median_pairs, late.q90_pairs, late.reports), (8, 8, 4));
        assert!((late.mean_seconds - 0.0175).abs() < 1e-9);
        assert_eq!(lateness(&[report(0, 10)]).unwrap().median_pairs, 0);
        assert_eq!(lateness(&[]), None);
    }
}
