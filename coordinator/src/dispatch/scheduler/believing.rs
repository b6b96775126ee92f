//! Whose results count: what an exclusion does to runs, leases and workers.
//!
//! The state of a run is the fold of its ledger without the reports that exclusions in force name;
//! who reads the ledger hands it in. An exclusion by itself ends no run, so that its end gives back
//! what was there: the next report asks the rule of the run again, and where none can come, because
//! everything is played, the end of an exclusion does.

use super::{CancelReason, Push, Scheduler};
use crate::dispatch::fold::Fold;
use model::lease::LeaseEnd;
use model::trust::Exclusions;
use model::{LeaseId, RunId};
use store::{NewExclusionMove, NewSnapshot};

/// Exclusions that were made or lifted, with what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedExclusions {
    /// What was done.
    pub moves: Vec<NewExclusionMove>,
    /// Those in force from now on.
    pub in_force: Exclusions,
    /// Open runs as their ledgers make them with these.
    pub folds: Vec<(RunId, Fold)>,
    /// `excluded` or `included`.
    pub event: &'static str,
    /// Who and why, for the runs.
    pub reason: String,
}

impl Scheduler {
    /// Puts the exclusions back as the ledger has them.
    pub fn restore_exclusions(&mut self, in_force: Exclusions) {
        self.exclusions = in_force;
    }

    /// Takes over other exclusions. What is out with a worker in a run in which it is excluded goes to
    /// others.
    pub fn change_exclusions(&mut self, changed: ChangedExclusions, unix_ms: i64) {
        let ChangedExclusions { moves, in_force, folds, event, reason } = changed;
        self.exclusions = in_force;
        self.batch.exclusions.extend(moves);
        let barred: Vec<LeaseId> = self
            .leases
            .iter()
            .filter(|(_, lease)| self.exclusions.bars(lease.run, lease.worker))
            .map(|(id, _)| *id)
            .collect();
        for id in barred {
            self.take_back(id);
        }
        for (id, fold) in folds {
            let Some(run) = self.runs.get_mut(&id).filter(|run| !run.state.is_over()) else {
                continue;
            };
            run.fold = fold;
            run.unsaved_reports = 0;
            self.batch.refolded.push(id);
            self.batch.snapshots.push(NewSnapshot {
                run: id,
                report: run.fold.last_report,
                state: run.fold.to_json(),
            });
            let is_played = run.leases.is_empty() && run.slices.is_empty() && run.fresh_left() == 0;
            self.moved_runs.insert(id);
            self.event(id, event, &reason);
            self.call_back_decided(id);
            if is_played {
                self.end_run_if_over(id, unix_ms);
            }
        }
    }

    /// Takes a lease from its holder.
    pub(super) fn take_back(&mut self, lease: LeaseId) {
        let Some(held) = self.leases.get(&lease) else { return };
        let (worker, epoch) = (held.worker, held.slice.epoch);
        self.end_lease(lease, LeaseEnd::Returned);
        let reason = CancelReason::LeasedElsewhere;
        self.outbox.push((worker, Push::Cancel { lease, epoch, reason }));
    }
}
