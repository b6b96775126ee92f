//! One open run: what its ledger made of it, which pairs are out, which are still to give.

use super::fold::{Fold, probe_sets};
use super::openings::Openings;
use model::lease::{PairIndex, PairRange};
use model::spec::{Job, RunSpec};
use model::view::{LeaseCounts, RunState, Verdict};
use model::{LeaseId, ParameterSet, RunId, WorkerId};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use tune::Perturbation;

/// Pairs to give, with the terms on which they are given.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The pairs.
    pub range: PairRange,
    /// Which issue of them comes next, from 1.
    pub epoch: u32,
    /// The block whose probe they play.
    pub block: u64,
    /// The probe, in a tune.
    pub probe: Option<Perturbation>,
}

/// A run that can still move.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// What was asked.
    pub spec: Arc<RunSpec>,
    /// The author's key.
    pub idempotency_key: String,
    /// Milliseconds since 1970, UTC.
    pub created_at_unix_ms: i64,
    /// Milliseconds since 1970, UTC, once it is over.
    pub ended_at_unix_ms: Option<i64>,
    /// Where it is in its life.
    pub state: RunState,
    /// Why it was paused or stopped.
    pub state_reason: String,
    /// What a test said.
    pub verdict: Option<Verdict>,
    /// What its ledger made of it.
    pub fold: Fold,
    /// Which opening a pair plays.
    pub openings: Openings,
    /// The first pair that was never leased.
    pub next_fresh: PairIndex,
    /// Pairs that came back unplayed, first given first.
    pub slices: VecDeque<Slice>,
    /// Leases that are out.
    pub leases: BTreeSet<LeaseId>,
    /// Pairs that are out or merged only in part, counted whole.
    pub leased_pairs: u64,
    /// Leases by state.
    pub counts: LeaseCounts,
    /// What its leases have cost so far over its weight: the run with the least goes first.
    pub pass: f64,
    /// Reports merged since the last snapshot.
    pub unsaved_reports: u32,
    /// Workers that could not play it, in this coordinator's life.
    pub unplayable: BTreeSet<WorkerId>,
}

impl Run {
    /// Pairs that can be given without taking any from another worker.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.state == RunState::Running && (!self.slices.is_empty() || self.fresh_left() > 0)
    }

    /// Pairs never leased.
    #[must_use]
    pub fn fresh_left(&self) -> u64 {
        self.spec.job.pairs_asked().0.saturating_sub(self.next_fresh.0)
    }

    /// Takes the next pairs to give: first those that came back, then fresh ones.
    pub fn take_slice(&mut self) -> Option<Slice> {
        if let Some(slice) = self.slices.pop_front() {
            return Some(slice);
        }
        let count = self.fresh_left().min(u64::from(self.spec.lease_pairs));
        let count = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let range = PairRange { first: self.next_fresh, count };
        let block = range.first.0;
        self.next_fresh = range.end();
        let before = match &self.spec.job {
            Job::Tune(tune) => tune.pairs_before().0,
            Job::Test(_) => 0,
        };
        Some(Slice { range, epoch: 1, block, probe: self.fold.probe(before + block) })
    }

    /// The parameter sets of candidate and base for pairs with this probe.
    #[must_use]
    pub fn sets(&self, probe: Option<&Perturbation>) -> (ParameterSet, ParameterSet) {
        match (&self.spec.job, probe) {
            (Job::Tune(tune), Some(probe)) => probe_sets(tune, probe),
            (Job::Tune(tune), None) => (tune.fixed.clone(), tune.fixed.clone()),
            (Job::Test(test), _) => (test.candidate.clone(), test.base.clone()),
        }
    }

    /// What giving this many pairs costs the run's share.
    #[must_use]
    pub fn cost(&self, pairs: u32) -> f64 {
        f64::from(pairs) * self.spec.limit.nodes.0 as f64 / self.spec.weight
    }
}
