//! Why things are as they are: what a worker waits for, and what a run gets.

use super::{Idle, Offer, Scheduler};
use crate::dispatch::run::Run;
use model::view::{RunState, ShareView};
use model::{RunId, WorkerId};
use std::collections::BTreeMap;

impl Scheduler {
    /// Why a worker with this offer would get nothing now; `None` when it would get something, as
    /// far as can be said without giving it.
    #[must_use]
    pub fn explain(&self, id: WorkerId, offer: &Offer) -> Option<Idle> {
        if self.held.contains_key(&id) {
            return Some(Idle::OnHold);
        }
        let running = self.runs.values().filter(|run| run.state == RunState::Running);
        let mut best = Idle::NoOpenRun;
        for run in running {
            let why = match self.hindrance(id, offer, run) {
                Some(why) => why,
                None if run.has_work() => return None,
                None => Idle::BudgetSpent,
            };
            best = best.nearer(why);
        }
        Some(best)
    }

    /// What keeps a worker with this offer from a run, if something does.
    fn hindrance(&self, id: WorkerId, offer: &Offer, run: &Run) -> Option<Idle> {
        let known = self.workers.get(&id);
        if let Some(lack) = offer.lacks(run.id, &run.spec) {
            return Some(lack);
        }
        if self.held.contains_key(&id) {
            return Some(Idle::OnHold);
        }
        if self.exclusions.bars(run.id, id) {
            return Some(Idle::Excluded);
        }
        if known.is_some_and(|worker| worker.cannot.contains(&run.id)) {
            return Some(Idle::Unplayable);
        }
        self.is_too_slow(id, run).then_some(Idle::TooSlow)
    }

    /// The terms by which an open run gets work, with why workers cannot play it.
    #[must_use]
    pub fn explain_run(&self, id: RunId) -> Option<ShareView> {
        let run = self.runs.get(&id).filter(|run| !run.state.is_over())?;
        let busy = |run: &Run| run.has_work() || run.leased_pairs > 0;
        let due = self.shares.due(id, |other| self.runs.get(&other).is_some_and(busy))?;
        let (mut workers, mut able) = (0, 0);
        let mut hindrances: BTreeMap<&str, u32> = BTreeMap::new();
        for (worker, known) in self.workers.iter().filter(|(_, worker)| worker.connected) {
            workers += 1;
            match self.hindrance(*worker, &known.offer, run) {
                None => able += 1,
                Some(why) => *hindrances.entry(why.text()).or_default() += 1,
            }
        }
        let slices = run.slices.iter().map(|slice| u64::from(slice.range.count)).sum::<u64>();
        Some(ShareView {
            run: id,
            state: run.state,
            owner: run.owner.to_string(),
            weight: run.spec.weight,
            authors: u32::try_from(due.authors).unwrap_or(u32::MAX),
            author_weight: due.author_weight,
            due_share: due.share,
            used_nodes: due.used_nodes,
            all_nodes: due.all_nodes,
            author_behind_nodes: due.author_behind,
            run_behind_nodes: due.run_behind,
            open_pairs: slices + run.fresh_left(),
            leased_pairs: run.leased_pairs,
            workers,
            able_workers: able,
            hindrances: hindrances.into_iter().map(|(why, n)| (why.to_owned(), n)).collect(),
        })
    }
}
