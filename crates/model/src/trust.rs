//! Whose results count: exclusions, and what is known of a worker's honesty.
//!
//! The ledger keeps every report for ever. An exclusion says that those of one worker do not count, in
//! one run or in all, from a moment on or from the beginning; its end is a row of its own. Every
//! figure is a fold over the reports that no exclusion in force names.

use crate::{Elo, Pairs, RunId, WorkerId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A moment of the ledger's clock, in microseconds since 1970, UTC: fine enough to tell two reports
/// apart.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct LedgerTime(pub i64);

/// Which reports an exclusion names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Exclusion {
    /// Whose.
    pub worker: WorkerId,
    /// Of which run; none is every run, those that are filed later too.
    pub run: Option<RunId>,
    /// Only reports that came then or later; none is all of them.
    pub since: Option<LedgerTime>,
}

impl Exclusion {
    fn names(&self, run: RunId) -> bool {
        self.run.is_none_or(|only| only == run)
    }
}

/// The exclusions in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions(BTreeMap<WorkerId, Vec<Exclusion>>);

impl Exclusions {
    /// Whether a report of this worker, merged then, does not count.
    #[must_use]
    pub fn excludes(&self, run: RunId, worker: WorkerId, merged_at: LedgerTime) -> bool {
        let of_worker = self.0.get(&worker).into_iter().flatten();
        of_worker
            .filter(|exclusion| exclusion.names(run))
            .any(|exclusion| exclusion.since.is_none_or(|since| merged_at >= since))
    }

    /// Whether a worker gets no pairs of a run: what it played would not count.
    #[must_use]
    pub fn bars(&self, run: RunId, worker: WorkerId) -> bool {
        self.0.get(&worker).into_iter().flatten().any(|exclusion| exclusion.names(run))
    }

    /// Whether nothing is excluded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// With one more.
    pub fn add(&mut self, exclusion: Exclusion) {
        let of_worker = self.0.entry(exclusion.worker).or_default();
        of_worker.push(exclusion);
        of_worker.sort_unstable();
    }
}

impl FromIterator<Exclusion> for Exclusions {
    fn from_iter<I: IntoIterator<Item = Exclusion>>(exclusions: I) -> Self {
        let mut all = Self::default();
        exclusions.into_iter().for_each(|exclusion| all.add(exclusion));
        all
    }
}

/// Who said something about a worker, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The owner of the key that said it.
    pub author: String,
    /// Why.
    pub reason: String,
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
}

/// An exclusion as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusionView {
    /// Its number.
    pub id: i64,
    /// Which reports.
    #[serde(flatten)]
    pub exclusion: Exclusion,
    /// Who excluded them.
    pub made: Remark,
    /// Who included them again; none while it is in force.
    pub lifted: Option<Remark>,
}

/// What the results of a worker, beside those of others with the same kind of machine, say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    /// Decimal logarithm of the evidence against it: 3 is a thousand to one; below 0 speaks for it.
    pub log10_e: f64,
    /// Its pairs that were compared.
    pub pairs: Pairs,
    /// How much better its candidates do.
    pub bias: Elo,
    /// Half the 95 % interval of that.
    pub margin: Elo,
    /// Whether to look at it: of those that are named, one in twenty is honest in the mean.
    pub named: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusion_names_its_worker_its_run_and_what_came_since() {
        let (run, worker, since) = (RunId(3), WorkerId(5), LedgerTime(1_000));
        let one: Exclusions =
            [Exclusion { worker, run: Some(run), since: Some(since) }].into_iter().collect();
        for (run, worker, at, counts) in [
            (3, 5, 1_000, false),
            (3, 5, 2_000, false),
            (3, 5, 999, true),
            (4, 5, 2_000, true),
            (3, 6, 2_000, true),
        ] {
            let excluded = one.excludes(RunId(run), WorkerId(worker), LedgerTime(at));
            assert_eq!(excluded, !counts, "run {run}, worker {worker}, at {at}");
        }
        assert!(one.bars(run, worker) && !one.bars(RunId(4), worker));
        let mut all = one.clone();
        all.add(Exclusion { worker, run: None, since: None });
        assert!(all.excludes(RunId(4), worker, LedgerTime(0)) && all.bars(RunId(9), worker));
        assert!(!all.bars(run, WorkerId(6)));
    }

    #[test]
    fn the_order_in_which_they_were_made_does_not_matter() {
        let [a, b] =
            [None, Some(RunId(1))].map(|run| Exclusion { worker: WorkerId(1), run, since: None });
        let one: Exclusions = [a, b].into_iter().collect();
        assert_eq!(one, [b, a].into_iter().collect());
    }
}
