//! What people see: open runs from memory, ended ones from the ledger, workers from both.
//!
//! The core puts the state of each run that moved here a few times a second; pages and watches
//! read it without disturbing the core.

use crate::dispatch::Moment;
use crate::dispatch::fold::Fold;
use crate::dispatch::run::Run;
use crate::dispatch::scheduler::Idle;
use crate::records::{RecordError, Records};
use crate::recover::{self, RecoverError};
use model::lease::PairIndex;
use model::trust::{Exclusions, Suspicion};
use model::view::{PairView, ProgressView, RunView, Verdict, WorkerView};
use model::{RunId, WorkerId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Ledger, StoreError, StoredRun};
use tokio::sync::watch;

/// Over which time a run's speed is taken.
const RATE_WINDOW: Duration = Duration::from_secs(30);
/// Ended runs whose curves are kept in memory.
const ENDED_KEPT: usize = 32;
/// Ended runs that are kept without curves; the newest of them.
const LISTED_KEPT: usize = 1_000;

/// What a worker last said of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveWorker {
    /// Games being played.
    pub playing_games: u32,
    /// Of all slots together.
    pub nodes_per_second: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct WorkerNow {
    live: LiveWorker,
    connected: bool,
    leases: usize,
    idle: Option<Idle>,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<RunId, Arc<RunView>>,
    /// (moment, pairs) of each open run over the window, oldest first.
    speeds: BTreeMap<RunId, VecDeque<(Moment, u64)>>,
    ended: VecDeque<RunId>,
    /// Ended runs without their curves, as lists show them: they never change, and folding each of
    /// them again for each list would cost more than all open ones.
    listed: BTreeMap<RunId, Arc<RunView>>,
    workers: BTreeMap<WorkerId, WorkerNow>,
    /// What speaks against each worker.
    suspicions: BTreeMap<WorkerId, Suspicion>,
}

/// The shared state of the pages. A lock is held for a copy only, never across a wait.
pub struct Views {
    ledger: Ledger,
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

impl Views {
    /// Nothing shown yet.
    #[must_use]
    pub fn new(ledger: Ledger) -> Self {
        // Pages wait for nobody and hold nobody up.
        let ledger = ledger.reader();
        Self { ledger, state: Mutex::default(), changes: watch::Sender::new(0) }
    }

    /// Counts up whenever anything may have changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Every run, newest first, without curves.
    ///
    /// # Errors
    /// The ledger does not answer, or a run cannot be read.
    pub async fn runs(&self, limit: u32) -> Result<Vec<RunView>, RecoverError> {
        let mut views = Vec::new();
        for stored in self.ledger.newest_runs(limit).await? {
            views.push(self.listed(stored).await?);
        }
        Ok(views)
    }

    /// A run as lists show it, without its curves.
    ///
    /// # Errors
    /// The ledger does not answer, or the run cannot be read.
    pub async fn listed(&self, stored: StoredRun) -> Result<RunView, RecoverError> {
        let (id, state) = (stored.id, stored.state);
        let known = {
            let memory = self.state();
            memory.runs.get(&id).or_else(|| memory.listed.get(&id)).cloned()
        };
        let mut view = match known {
            Some(view) if view.state == state => (*view).clone(),
            _ => self.read(stored).await?,
        };
        view.progress.clear_traces();
        if state.is_over() {
            self.keep_listed(&view);
        }
        Ok(view)
    }

    /// One run with its curves, if there is one.
    ///
    /// # Errors
    /// The ledger does not answer, or the run cannot be read.
    pub async fn run(&self, id: RunId) -> Result<Option<Arc<RunView>>, RecoverError> {
        let known = self.state().runs.get(&id).cloned();
        if known.is_some() {
            return Ok(known);
        }
        match self.ledger.run(id).await? {
            Some(stored) => Ok(Some(Arc::new(self.read(stored).await?))),
            None => Ok(None),
        }
    }

    /// A pair of a run with its games, if it is in the ledger.
    ///
    /// # Errors
    /// The ledger does not answer, or its moves cannot be read.
    pub async fn pair(&self, run: RunId, pair: PairIndex) -> Result<Option<PairView>, RecordError> {
        let Some(stored) = self.ledger.run(run).await? else { return Ok(None) };
        let mut records = Records::from(&self.ledger, run, &stored.spec, pair).await?;
        let first = records.page(1).await?.into_iter().next();
        Ok(first.filter(|found| found.pair == pair))
    }

    /// Every worker that was ever seen.
    ///
    /// # Errors
    /// The ledger does not answer.
    pub async fn workers(&self) -> Result<Vec<WorkerView>, StoreError> {
        let stored = self.ledger.workers().await?;
        let state = self.state();
        let view = |w: store::StoredWorker| {
            let now = state.workers.get(&w.worker.id);
            WorkerView {
                suspicion: state.suspicions.get(&w.worker.id).copied(),
                id: w.worker.id,
                name: w.worker.name,
                platform: w.worker.platform,
                software_version: w.worker.software_version,
                cores: w.worker.cores,
                slots: w.worker.slots,
                connected: now.is_some_and(|n| n.connected),
                first_seen_unix_ms: w.first_seen_unix_ms,
                last_seen_unix_ms: w.last_seen_unix_ms,
                nodes_per_second: now.map_or(0, |n| n.live.nodes_per_second),
                playing_games: now.map_or(0, |n| n.live.playing_games),
                active_leases: now.map_or(0, |n| u32::try_from(n.leases).unwrap_or(u32::MAX)),
                counted_pairs: w.counted_pairs,
                idle_reason: now
                    .and_then(|n| n.idle)
                    .map_or(String::new(), |idle| idle.text().to_owned()),
                refused_reports: w.refused_reports,
                last_refusal: w.last_refusal.unwrap_or_default(),
                owner: w.owner.unwrap_or_default(),
                on_hold: w.on_hold.unwrap_or_default(),
                audited_pairs: w.audited_pairs,
                mismatched_pairs: w.mismatched_pairs,
                excluded: w.excluded,
            }
        };
        Ok(stored.into_iter().map(view).collect())
    }

    /// Shows an open run as it is now.
    pub(crate) fn show_run(&self, run: &Run, now: Moment) {
        let mut state = self.state();
        let pairs = run.fold.tally.pairs().0;
        let speeds = state.speeds.entry(run.id).or_default();
        speeds.push_back((now, pairs));
        let rate = rate(speeds, now);
        state.runs.insert(run.id, Arc::new(view_of(run, rate)));
        drop(state);
        self.changed();
    }

    /// Shows a run for the last time.
    pub(crate) fn end_run(&self, run: &Run) {
        let mut state = self.state();
        state.speeds.remove(&run.id);
        let pairs = run.fold.tally.pairs().0;
        let rate = life_rate(pairs, run.created_at_unix_ms, run.ended_at_unix_ms);
        let mut view = view_of(run, rate);
        view.eta_seconds = None;
        state.runs.insert(run.id, Arc::new(view));
        state.ended.push_back(run.id);
        if state.ended.len() > ENDED_KEPT
            && let Some(old) = state.ended.pop_front()
        {
            state.runs.remove(&old);
        }
        drop(state);
        self.changed();
    }

    /// Forgets an ended run whose figures have changed: it is read from the ledger again.
    pub(crate) fn forget_ended_run(&self, id: RunId) {
        let mut state = self.state();
        state.runs.remove(&id);
        state.listed.remove(&id);
        state.ended.retain(|ended| *ended != id);
        drop(state);
        self.changed();
    }

    /// Forgets the runs that are not over: they are shown again, or read from the ledger.
    pub(crate) fn forget_open_runs(&self) {
        let mut state = self.state();
        state.runs.retain(|_, run| run.state.is_over());
        state.speeds.clear();
        drop(state);
        self.changed();
    }

    /// Shows what the connected workers say; those not named are gone.
    pub(crate) fn show_workers(
        &self,
        workers: impl Iterator<Item = (WorkerId, LiveWorker, bool, usize, Option<Idle>)>,
    ) {
        let workers: BTreeMap<WorkerId, WorkerNow> = workers
            .map(|(id, live, connected, leases, idle)| {
                (id, WorkerNow { live, connected, leases, idle })
            })
            .collect();
        let mut state = self.state();
        let moved = state.workers != workers;
        state.workers = workers;
        drop(state);
        if moved {
            self.changed();
        }
    }

    /// Shows what speaks against each worker; gives back those that are named and were not before.
    pub(crate) fn suspect(
        &self,
        suspicions: BTreeMap<WorkerId, Suspicion>,
    ) -> Vec<(WorkerId, Suspicion)> {
        let mut state = self.state();
        let before = std::mem::replace(&mut state.suspicions, suspicions);
        let was_named = |worker: &WorkerId| before.get(worker).is_some_and(|s| s.named);
        let named = state.suspicions.iter().filter(|(_, suspicion)| suspicion.named);
        let fresh = named.filter(|(worker, _)| !was_named(worker));
        let fresh = fresh.map(|(worker, suspicion)| (*worker, *suspicion)).collect();
        let moved = state.suspicions != before;
        drop(state);
        if moved {
            self.changed();
        }
        fresh
    }

    /// Lets the speed of runs of which nothing came fall.
    pub(crate) fn settle(&self, now: Moment) {
        let mut state = self.state();
        let mut moved = false;
        let State { speeds, runs, .. } = &mut *state;
        for (id, samples) in speeds {
            let rate = rate(samples, now);
            if let Some(view) = runs.get_mut(id)
                && (view.pairs_per_second - rate).abs() > 0.05 * view.pairs_per_second.max(0.01)
            {
                let view = Arc::make_mut(view);
                view.pairs_per_second = rate;
                view.eta_seconds = eta(view.asked_pairs, view.counted_pairs, rate);
                moved = true;
            }
        }
        drop(state);
        if moved {
            self.changed();
        }
    }

    async fn read(&self, stored: StoredRun) -> Result<RunView, RecoverError> {
        let fold = recover::fold_of(&self.ledger, stored.id, &stored.spec).await?;
        let recorded_llr = match stored.verdict {
            Some(_) if fold.excluded.reports > 0 && fold.llr().is_some() => {
                let everything = Exclusions::default();
                let (id, spec) = (stored.id, &stored.spec);
                recover::replay_without(&self.ledger, id, spec, &everything).await?.llr()
            }
            _ => None,
        };
        let audited = self.ledger.audit_counts(stored.id).await?;
        Ok(RunView {
            audited_pairs: audited.matched,
            mismatched_pairs: audited.mismatched,
            id: stored.id,
            kind: stored.spec.job.kind().to_owned(),
            asked_pairs: stored.spec.job.pairs_asked().0,
            counted_pairs: stored.tally.pairs().0,
            leased_pairs: 0,
            progress: fold.view(stored.verdict, stored.state.is_over()),
            spec: stored.spec,
            state: stored.state,
            state_reason: stored.state_reason,
            created_at_unix_ms: stored.created_at_unix_ms,
            ended_at_unix_ms: stored.ended_at_unix_ms,
            pairs_per_second: life_rate(
                stored.tally.pairs().0,
                stored.created_at_unix_ms,
                stored.ended_at_unix_ms,
            ),
            tally: stored.tally,
            eta_seconds: None,
            leases: stored.leases,
            reports: fold.reports,
            excluded_pairs: fold.excluded.pairs.0,
            excluded_reports: fold.excluded.reports,
            warning: warning(stored.verdict, &fold, recorded_llr),
            recorded_llr,
        })
    }

    fn keep_listed(&self, view: &RunView) {
        let mut state = self.state();
        state.listed.entry(view.id).or_insert_with(|| Arc::new(view.clone()));
        if state.listed.len() > LISTED_KEPT {
            state.listed.pop_first();
        }
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panicking holder left is a view, whole in each of its fields.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view_of(run: &Run, rate: f64) -> RunView {
    let (asked, counted) = (run.spec.job.pairs_asked().0, run.fold.tally.pairs().0);
    RunView {
        id: run.id,
        kind: run.spec.job.kind().to_owned(),
        spec: (*run.spec).clone(),
        state: run.state,
        state_reason: run.state_reason.clone(),
        created_at_unix_ms: run.created_at_unix_ms,
        ended_at_unix_ms: run.ended_at_unix_ms,
        asked_pairs: asked,
        counted_pairs: counted,
        leased_pairs: run.leased_pairs,
        tally: run.fold.tally,
        pairs_per_second: rate,
        eta_seconds: eta(asked, counted, rate),
        leases: run.counts,
        reports: run.fold.reports,
        excluded_pairs: run.fold.excluded.pairs.0,
        excluded_reports: run.fold.excluded.reports,
        audited_pairs: run.audited.matched,
        mismatched_pairs: run.audited.mismatched,
        recorded_llr: None,
        warning: warning(run.verdict, &run.fold, None),
        progress: run.fold.view(run.verdict, run.state.is_over()),
    }
}

/// A run as it would be shown if its ledger came to this.
#[must_use]
pub fn folded(view: &RunView, fold: &Fold) -> RunView {
    let verdict = view.progress.verdict();
    let recorded_llr = match (&view.progress, verdict) {
        (ProgressView::Test(test), Some(_)) if fold.excluded.reports > 0 => {
            view.recorded_llr.or(test.llr)
        }
        _ => None,
    };
    RunView {
        tally: fold.tally,
        counted_pairs: fold.tally.pairs().0,
        reports: fold.reports,
        excluded_pairs: fold.excluded.pairs.0,
        excluded_reports: fold.excluded.reports,
        progress: fold.view(verdict, view.state.is_over()),
        warning: warning(verdict, fold, recorded_llr),
        recorded_llr,
        ..view.clone()
    }
}

/// What a reader of a verdict has to know when reports were excluded after it.
fn warning(verdict: Option<Verdict>, fold: &Fold, recorded_llr: Option<f64>) -> String {
    let Some(verdict) = verdict.filter(|_| fold.excluded.reports > 0) else {
        return String::new();
    };
    let llr = match (recorded_llr, fold.llr()) {
        (Some(then), Some(now)) => {
            format!("; its LLR was {then:+.2} and is {now:+.2} without them")
        }
        _ => String::new(),
    };
    format!("{} with {} pairs that were excluded since{llr}", verdict.name(), fold.excluded.pairs)
}

/// Pairs per second over the whole life of a run that is over; 0 for one that is not.
fn life_rate(pairs: u64, created_unix_ms: i64, ended_unix_ms: Option<i64>) -> f64 {
    let lived_ms = ended_unix_ms.map_or(0, |ended| ended - created_unix_ms);
    if lived_ms > 0 { 1000.0 * pairs as f64 / lived_ms as f64 } else { 0.0 }
}

/// Pairs per second over the window. Drops what is older, but keeps one sample to measure from.
fn rate(samples: &mut VecDeque<(Moment, u64)>, now: Moment) -> f64 {
    while samples.len() > 1 && samples[1].0.plus(RATE_WINDOW) <= now {
        samples.pop_front();
    }
    match (samples.front(), samples.back()) {
        (Some((from, first)), Some((_, last))) => {
            let seconds = now.0.saturating_sub(from.0).as_secs_f64();
            if seconds < 0.5 { 0.0 } else { last.saturating_sub(*first) as f64 / seconds }
        }
        _ => 0.0,
    }
}

fn eta(asked: u64, counted: u64, rate: f64) -> Option<f64> {
    (rate > 0.0).then(|| asked.saturating_sub(counted) as f64 / rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_window_and_falls_when_nothing_comes() {
        let at = |seconds: u64| Moment(Duration::from_secs(seconds));
        let mut samples: VecDeque<_> = (0..=60).map(|s| (at(s), 10 * s)).collect();
        assert!((rate(&mut samples, at(60)) - 10.0).abs() < 0.5);
        assert!(samples.len() <= 32);
        assert!(rate(&mut samples, at(300)) < 1.0);
    }
}
