//! What authors ask for: runs filed, branched off, paused, extended, stopped.

use super::{ControlError, Scheduler};
use crate::dispatch::fold::{Fold, FoldError};
use crate::dispatch::openings::Openings;
use crate::dispatch::run::Run;
use model::spec::RunSpec;
use model::view::{LeaseCounts, RunState};
use model::{Pairs, ReportId, RunId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use store::{NewRun, NewSnapshot};

/// By whom a run is filed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// The author's key for it: the same again is the same run.
    pub key: String,
    /// The author.
    pub owner: Arc<str>,
}

impl Scheduler {
    /// Files a run that was checked.
    ///
    /// # Errors
    /// The optimiser refuses the specification.
    pub fn create(
        &mut self,
        spec: RunSpec,
        filed: Filed,
        openings: Openings,
        unix_ms: i64,
    ) -> Result<RunId, FoldError> {
        let fold = Fold::new(&spec)?;
        Ok(self.add(spec, fold, filed, openings, unix_ms))
    }

    /// Files a tune that begins with the state of another one. The state is written with it.
    ///
    /// # Errors
    /// The state does not fit the specification.
    pub fn fork(
        &mut self,
        spec: RunSpec,
        source: &Fold,
        filed: Filed,
        openings: Openings,
        unix_ms: i64,
    ) -> Result<RunId, FoldError> {
        let fold = source.fork(&spec)?;
        let state = fold.to_json();
        let id = self.add(spec, fold, filed, openings, unix_ms);
        self.batch.snapshots.push(NewSnapshot { run: id, report: ReportId(0), state });
        Ok(id)
    }

    fn add(
        &mut self,
        spec: RunSpec,
        fold: Fold,
        filed: Filed,
        openings: Openings,
        unix_ms: i64,
    ) -> RunId {
        let Filed { key: idempotency_key, owner } = filed;
        self.ids.run += 1;
        let id = RunId(self.ids.run);
        self.batch.runs.push(NewRun {
            id,
            spec: spec.clone(),
            idempotency_key: idempotency_key.clone(),
            owner: owner.to_string(),
        });
        self.event(id, "created", "");
        let run = Run {
            id,
            spec: Arc::new(spec),
            idempotency_key,
            created_at_unix_ms: unix_ms,
            ended_at_unix_ms: None,
            state: RunState::Running,
            state_reason: String::new(),
            verdict: None,
            fold,
            openings,
            next_fresh: model::lease::PairIndex(0),
            slices: VecDeque::new(),
            leases: BTreeSet::new(),
            leased_pairs: 0,
            candidate_pairs: BTreeMap::new(),
            counts: LeaseCounts::default(),
            owner,
            played: (0, 0.0),
            unsaved_reports: 0,
            audited: store::AuditCounts::default(),
            unplayable: BTreeSet::new(),
            paces: Default::default(),
        };
        self.restore_run(run);
        id
    }

    /// Raises the budget of an open run to this many pairs in all.
    ///
    /// # Errors
    /// The run is over, or asks for more already.
    pub fn extend(&mut self, id: RunId, asked: Pairs) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state.is_over() {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running, paused" });
        }
        let before = run.spec.job.pairs_asked();
        if asked < before {
            return Err(ControlError::Budget { run: id, asked, before });
        }
        let mut spec = (*run.spec).clone();
        spec.job.ask_pairs(asked);
        spec.check().map_err(ControlError::Spec)?;
        // Gains may depend on the budget: those of coming blocks, as after a restart.
        let fold = run.fold.respecified(&spec);
        run.fold = fold.map_err(|error| ControlError::Unfit { run: id, why: error.to_string() })?;
        run.spec = Arc::new(spec.clone());
        self.batch.respecified.retain(|(other, _)| *other != id);
        self.batch.respecified.push((id, spec));
        self.moved_runs.insert(id);
        self.event(id, "extended", &format!("from {before} to {asked} pairs"));
        Ok(())
    }

    /// Sets the share of an open run against the others.
    ///
    /// # Errors
    /// The run is over, or the weight is none.
    pub fn weigh(&mut self, id: RunId, weight: f64) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state.is_over() {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running, paused" });
        }
        let before = run.spec.weight;
        let mut spec = (*run.spec).clone();
        spec.weight = weight;
        spec.check().map_err(ControlError::Spec)?;
        run.spec = Arc::new(spec.clone());
        self.batch.respecified.retain(|(other, _)| *other != id);
        self.batch.respecified.push((id, spec));
        self.moved_runs.insert(id);
        self.event(id, "weighed", &format!("from {before} to {weight}"));
        Ok(())
    }

    /// Stops giving pairs of a run; what is out goes on.
    ///
    /// # Errors
    /// The run is not running.
    pub fn pause(&mut self, id: RunId, reason: &str) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state != RunState::Running {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running" });
        }
        run.state = RunState::Paused;
        run.state_reason = reason.to_owned();
        self.moved_runs.insert(id);
        self.event(id, "paused", reason);
        Ok(())
    }

    /// Gives pairs of a paused run again.
    ///
    /// # Errors
    /// The run is not paused.
    pub fn resume(&mut self, id: RunId) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state != RunState::Paused {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "paused" });
        }
        run.state = RunState::Running;
        run.state_reason = String::new();
        run.unplayable.clear();
        self.moved_runs.insert(id);
        for worker in self.workers.values_mut() {
            worker.cannot.remove(&id);
        }
        self.event(id, "resumed", "");
        Ok(())
    }

    /// Ends a run by hand. Its leases are revoked; a test has no verdict.
    ///
    /// # Errors
    /// The run is over.
    pub fn stop(&mut self, id: RunId, reason: &str, unix_ms: i64) -> Result<(), ControlError> {
        let run = self.open_run(id)?;
        if run.state.is_over() {
            let found = run.state.name();
            return Err(ControlError::State { run: id, found, allowed: "running, paused" });
        }
        self.end_run(id, RunState::Stopped, reason, unix_ms);
        Ok(())
    }
}
