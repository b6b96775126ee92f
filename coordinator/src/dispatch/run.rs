//! One open run: what its ledger made of it, which pairs are out, which are still to give.

use super::fold::{Fold, probe_sets};
use super::openings::Openings;
use super::pace::Paces;
use super::played::Played;
use model::lease::{GameRecord, PairIndex, PairRange, PairRecord};
use model::spec::{Job, RunSpec};
use model::view::{LeaseCounts, RunState, Verdict};
use model::{LeaseId, ParameterSet, RunId, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use store::AuditCounts;

/// Pairs to give, with the terms on which they are given.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The pairs.
    pub range: PairRange,
    /// Which issue of them comes next, from 1.
    pub epoch: u32,
    /// The block that they belong to: the first pair of its first lease.
    pub block: u64,
    /// What they play.
    pub played: Played,
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
    /// The same for each candidate of a race, by its place; those with none are left out.
    pub candidate_pairs: BTreeMap<usize, u64>,
    /// Leases by state.
    pub counts: LeaseCounts,
    /// Who filed it; empty for one from before that was written down.
    pub owner: Arc<str>,
    /// Pairs that came back in this coordinator's life, with the nodes that they took.
    pub played: (u64, f64),
    /// Reports merged since the last snapshot.
    pub unsaved_reports: u32,
    /// Its pairs that were played again.
    pub audited: AuditCounts,
    /// Workers that could not play it, in this coordinator's life.
    pub unplayable: BTreeSet<WorkerId>,
    /// How fast its workers are, in this coordinator's life.
    pub paces: Paces,
}

impl Run {
    /// Pairs that can be given without taking any from another worker.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.state == RunState::Running && (!self.slices.is_empty() || self.fresh_left() > 0)
    }

    /// Pairs never leased. Those that do not count are made up for by as many fresh ones.
    #[must_use]
    pub fn fresh_left(&self) -> u64 {
        let asked = self.spec.job.pairs_asked() + self.fold.excluded.pairs;
        asked.0.saturating_sub(self.next_fresh.0)
    }

    /// Takes the next pairs to give a worker, of so many that are there: first those that came back, as
    /// they are, then fresh ones. In a tune a lease is a block, which the author has sized; else it is as
    /// long as the pace of the worker says.
    pub fn take_slice(&mut self, worker: WorkerId, workers: usize) -> Option<Slice> {
        let before = match &self.spec.job {
            Job::Tune(tune) => tune.pairs_before().0,
            Job::Test(_) | Job::Race(_) => 0,
        };
        let pairs_out = |place| self.candidate_pairs.get(&place).copied().unwrap_or_default();
        if let Some(slice) = self.slices.front() {
            // Pairs of a candidate that was decided meanwhile are played by another one.
            let played = match self.fold.is_open(&slice.played) {
                true => slice.played.clone(),
                false => self.fold.next(before + slice.block, pairs_out)?,
            };
            let slice = self.slices.pop_front()?;
            return Some(Slice { played, ..slice });
        }
        let left = self.fresh_left();
        let most = match &self.spec.job {
            Job::Tune(_) => u32::MAX,
            Job::Test(_) | Job::Race(_) => {
                let target = Duration::from_secs(self.spec.lease_seconds.into());
                self.paces.most_pairs(worker, left, workers, target)
            }
        };
        let count = left.min(u64::from(self.spec.lease_pairs.min(most)));
        let count = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let range = PairRange { first: self.next_fresh, count };
        let block = range.first.0;
        let played = self.fold.next(before + block, pairs_out)?;
        self.next_fresh = range.end();
        Some(Slice { range, epoch: 1, block, played })
    }

    /// Counts pairs that go out.
    pub fn pairs_leave(&mut self, played: &Played, pairs: u64) {
        self.leased_pairs += pairs;
        if let Some(place) = played.candidate() {
            *self.candidate_pairs.entry(place).or_default() += pairs;
        }
    }

    /// Counts pairs that are merged, or out no more.
    pub fn pairs_return(&mut self, played: &Played, pairs: u64) {
        self.leased_pairs = self.leased_pairs.saturating_sub(pairs);
        if let Some(place) = played.candidate()
            && let Some(out) = self.candidate_pairs.get_mut(&place)
        {
            *out = out.saturating_sub(pairs);
            if *out == 0 {
                self.candidate_pairs.remove(&place);
            }
        }
    }

    /// The parameter sets of candidate and base for pairs that play this.
    #[must_use]
    pub fn sets(&self, played: &Played) -> (ParameterSet, ParameterSet) {
        sets(&self.spec.job, played)
    }

    /// What the base plays with; in a tune, what its parameters began with.
    #[must_use]
    pub fn base(&self) -> ParameterSet {
        match &self.spec.job {
            Job::Tune(tune) => {
                let mut set = tune.fixed.clone();
                for parameter in &tune.parameters {
                    set.set(parameter.name.clone(), parameter.start);
                }
                set
            }
            Job::Test(test) => test.base.clone(),
            Job::Race(race) => race.base.clone(),
        }
    }

    /// The nodes that a pair takes: in the mean of those that came back, or a guess.
    #[must_use]
    pub fn nodes_of_pair(&self) -> f64 {
        /// Half-moves of the games of a pair, before any is known.
        const PLIES: u64 = 150;
        match self.played {
            (0, _) => {
                self.spec.limit.nodes.0 as f64 * PLIES.min(2 * self.spec.limit.max_plies.0) as f64
            }
            (pairs, nodes) => nodes / pairs as f64,
        }
    }

    /// Notes what a pair took by the word of its worker: no more than its moves were allowed.
    pub fn note_played(&mut self, pair: &PairRecord) -> f64 {
        let most = |game: &GameRecord| {
            // What a time costs is told by the limit alone; a search ends a little after its limit.
            let allowed = self.spec.limit.nodes.0 as f64 * game.plies.0 as f64;
            match self.spec.is_repeatable() {
                true => (game.nodes.0 as f64).min(1.1 * allowed),
                false => allowed,
            }
        };
        let nodes = most(&pair.candidate_first) + most(&pair.base_first);
        self.played.0 += 1;
        self.played.1 += nodes;
        nodes
    }
}

/// The parameter sets of candidate and base for pairs of a job that play this.
#[must_use]
pub fn sets(job: &Job, played: &Played) -> (ParameterSet, ParameterSet) {
    match (job, played) {
        (Job::Tune(tune), Played::Probe(probe)) => probe_sets(tune, probe),
        (Job::Tune(tune), _) => (tune.fixed.clone(), tune.fixed.clone()),
        (Job::Test(test), _) => (test.candidate.clone(), test.base.clone()),
        (Job::Race(race), played) => {
            let candidate = played.candidate().and_then(|place| race.candidates.get(place));
            let values = candidate.map(|candidate| candidate.values.clone());
            (values.unwrap_or_else(|| race.base.clone()), race.base.clone())
        }
    }
}
