//! What the coordinator counts for Prometheus.
//!
//! Counters begin with the process and count what is written, never what was only decided. Labels
//! are words of the schema (game, kind, state, outcome), so the number of series does not grow with
//! runs, workers or games; every one of them is there from the start, at 0.

use crate::core::Acknowledged;
use crate::dispatch::scheduler::{Idle, Scheduler};
use crate::views::LiveWorker;
use model::GameKind;
use model::lease::LeaseEnd;
use model::view::RunState;
use std::collections::HashMap;
use std::time::Duration;
use store::{AuditOutcome, Batch};
use telemetry::Registry;
use telemetry::prometheus::{
    Error, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
};

const KINDS: [&str; 4] = ["tune", "test", "race", "match"];
const OPEN: [RunState; 2] = [RunState::Running, RunState::Paused];
const OVER: [RunState; 2] = [RunState::Finished, RunState::Stopped];
const ENDS: [LeaseEnd; 4] =
    [LeaseEnd::Completed, LeaseEnd::Returned, LeaseEnd::Expired, LeaseEnd::Revoked];
const OUTCOMES: [&str; 5] = ["merged", "duplicate", "stale", "run_ended", "invalid"];
const IDLE: [Idle; 10] = [
    Idle::NoOpenRun,
    Idle::NotOffered,
    Idle::BudgetSpent,
    Idle::Memory,
    Idle::OtherEngine,
    Idle::Unplayable,
    Idle::Refused,
    Idle::Excluded,
    Idle::OnHold,
    Idle::TooSlow,
];

/// A commit takes from a fraction of a millisecond to the time limit of a statement.
const COMMIT_SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0];
/// Commands of one commit, up to the size of a group.
const COMMIT_COMMANDS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0];

/// Every figure of one coordinator.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    leading: IntGauge,
    ledger_failures: IntCounter,
    commit_seconds: Histogram,
    commit_commands: Histogram,
    runs: IntGaugeVec,
    runs_ended: IntCounterVec,
    pairs_merged: IntCounterVec,
    pairs_open: IntGaugeVec,
    reports: IntCounterVec,
    leases_issued: IntCounter,
    leases_ended: IntCounterVec,
    leases_out: IntGauge,
    sessions: IntGauge,
    sessions_opened: IntCounter,
    workers_idle: IntGaugeVec,
    workers_suspected: IntGauge,
    workers_on_hold: IntGauge,
    audits: IntCounterVec,
    audits_waiting: IntGauge,
    games_playing: IntGauge,
    nodes_per_second: IntGauge,
}

impl Metrics {
    /// Everything at 0.
    #[must_use]
    pub fn new() -> Self {
        Self::registered().expect("the names are constants, and a test makes them all")
    }

    fn registered() -> Result<Self, Error> {
        let registry = Registry::new();
        let version = IntGauge::with_opts(
            Opts::new("elomill_build_info", "1, with the version of the program as a label.")
                .const_label("version", env!("CARGO_PKG_VERSION")),
        )?;
        version.set(1);
        registry.register(Box::new(version))?;
        let new = Maker(&registry);
        let metrics = Self {
            leading: new.gauge("elomill_leading", "Whether this coordinator leads its ledger.")?,
            ledger_failures: new.counter(
                "elomill_ledger_failures_total",
                "Times that the ledger failed and the state was built from it again.",
            )?,
            commit_seconds: new.histogram(
                "elomill_commit_duration_seconds",
                "How long the transaction of one group of decisions took.",
                &COMMIT_SECONDS,
            )?,
            commit_commands: new.histogram(
                "elomill_commit_commands",
                "Commands of workers and authors that went into one transaction.",
                &COMMIT_COMMANDS,
            )?,
            runs: new.gauges(
                "elomill_runs",
                "Runs that are not over, by kind and state.",
                &["kind", "state"],
            )?,
            runs_ended: new.counters(
                "elomill_runs_ended_total",
                "Runs that ended, by kind and how.",
                &["kind", "state"],
            )?,
            pairs_merged: new.counters(
                "elomill_pairs_merged_total",
                "Game pairs merged into the ledger; each is two games.",
                &["game"],
            )?,
            pairs_open: new.gauges(
                "elomill_pairs_open",
                "Pairs that running runs ask for and that are not merged yet; a test may end before.",
                &["game"],
            )?,
            reports: new.counters(
                "elomill_reports_total",
                "Reports of workers that were answered, by what became of them.",
                &["outcome"],
            )?,
            leases_issued: new
                .counter("elomill_leases_issued_total", "Leases handed to workers.")?,
            leases_ended: new.counters(
                "elomill_leases_ended_total",
                "Leases that ended, by how.",
                &["end"],
            )?,
            leases_out: new.gauge("elomill_leases_out", "Leases that workers hold.")?,
            sessions: new.gauge("elomill_sessions", "Open sessions of workers.")?,
            sessions_opened: new
                .counter("elomill_sessions_opened_total", "Sessions that workers opened.")?,
            workers_suspected: new.gauge(
                "elomill_workers_suspected",
                "Workers whose results are not those of the others; one in twenty is honest.",
            )?,
            workers_on_hold: new.gauge(
                "elomill_workers_on_hold",
                "Workers that get nothing until a person has looked at them.",
            )?,
            audits: new.counters(
                "elomill_audits_total",
                "Pairs that another worker played again, by what came of them.",
                &["outcome"],
            )?,
            audits_waiting: new.gauge(
                "elomill_audits_waiting",
                "Pairs that wait for another worker to play them again.",
            )?,
            workers_idle: new.gauges(
                "elomill_workers_idle",
                "Connected workers that want work and get none, by why.",
                &["reason"],
            )?,
            games_playing: new.gauge(
                "elomill_games_playing",
                "Games being played, as the connected workers last said.",
            )?,
            nodes_per_second: new.gauge(
                "elomill_nodes_per_second",
                "Nodes that the connected workers search in a second, as they last said.",
            )?,
            registry,
        };
        metrics.begin();
        Ok(metrics)
    }

    /// Makes every series, so that a rate over it has a beginning.
    fn begin(&self) {
        for kind in KINDS {
            for state in OPEN {
                self.runs.with_label_values(&[kind, state.name()]).set(0);
            }
            for state in OVER {
                self.runs_ended.with_label_values(&[kind, state.name()]).reset();
            }
        }
        for game in GameKind::ALL {
            self.pairs_merged.with_label_values(&[game.name()]).reset();
            self.pairs_open.with_label_values(&[game.name()]).set(0);
        }
        for outcome in OUTCOMES {
            self.reports.with_label_values(&[outcome]).reset();
        }
        for end in ENDS {
            self.leases_ended.with_label_values(&[end.name()]).reset();
        }
        for reason in IDLE.map(reason) {
            self.workers_idle.with_label_values(&[reason]).set(0);
        }
        for outcome in ["matched", "mismatched"] {
            self.audits.with_label_values(&[outcome]).reset();
        }
    }

    /// What a port shows.
    #[must_use]
    pub fn registry(&self) -> Registry {
        self.registry.clone()
    }

    /// This coordinator leads, or does no longer.
    pub(crate) fn lead(&self, leads: bool) {
        self.leading.set(leads.into());
    }

    /// The ledger failed.
    pub(crate) fn ledger_failed(&self) {
        self.ledger_failures.inc();
        self.lead(false);
    }

    /// A worker opened a session.
    pub(crate) fn session_opened(&self) {
        self.sessions_opened.inc();
    }

    /// A batch is written; `scheduler` still has its runs.
    pub(crate) fn committed(
        &self,
        batch: &Batch,
        commands: usize,
        took: Duration,
        scheduler: &Scheduler,
    ) {
        self.commit_seconds.observe(took.as_secs_f64());
        self.commit_commands.observe(commands as f64);
        self.leases_issued.inc_by(batch.leases.len() as u64);
        for end in batch.lease_moves.iter().filter_map(|lease| lease.end) {
            self.leases_ended.with_label_values(&[end.name()]).inc();
        }
        for report in &batch.reports {
            if let Some(run) = scheduler.run(report.run) {
                let game = run.spec.game.name();
                self.pairs_merged.with_label_values(&[game]).inc_by(report.tally.pairs().0);
            }
        }
        for audit in &batch.checks.moved {
            let outcome = match audit.what {
                AuditOutcome::Matched => "matched",
                AuditOutcome::Disputed { .. } => "mismatched",
                // What is said later of a pair that was counted as one that differs.
                _ => continue,
            };
            self.audits.with_label_values(&[outcome]).inc();
        }
        for ended in batch.run_moves.iter().filter(|run| run.state.is_over()) {
            if let Some(run) = scheduler.run(ended.id) {
                let labels = [run.spec.job.kind(), ended.state.name()];
                self.runs_ended.with_label_values(&labels).inc();
            }
        }
    }

    /// So many workers have results that are not those of the others.
    pub(crate) fn suspected(&self, workers: usize) {
        self.workers_suspected.set(whole(workers as u64));
    }

    /// A report was answered.
    pub(crate) fn answered(&self, outcome: &Acknowledged) {
        self.reports.with_label_values(&[outcome.name()]).inc();
    }

    /// How everything stands.
    pub(crate) fn stand<'a>(
        &self,
        scheduler: &Scheduler,
        workers: impl Iterator<Item = (&'a LiveWorker, Option<Idle>)>,
    ) {
        let mut runs: HashMap<(&str, &str), i64> = HashMap::new();
        let mut open: HashMap<&str, u64> = HashMap::new();
        let mut leases = 0;
        for run in scheduler.runs() {
            *runs.entry((run.spec.job.kind(), run.state.name())).or_default() += 1;
            leases += run.leases.len();
            if run.state == RunState::Running {
                let asked = run.spec.job.pairs_asked().0;
                *open.entry(run.spec.game.name()).or_default() +=
                    asked.saturating_sub(run.fold.tally.pairs().0);
            }
        }
        for kind in KINDS {
            for state in OPEN.map(RunState::name) {
                let count = runs.get(&(kind, state)).copied().unwrap_or(0);
                self.runs.with_label_values(&[kind, state]).set(count);
            }
        }
        for game in GameKind::ALL.map(GameKind::name) {
            let count = open.get(game).copied().unwrap_or(0);
            self.pairs_open.with_label_values(&[game]).set(whole(count));
        }
        self.leases_out.set(whole(leases as u64));
        let (mut sessions, mut playing, mut speed) = (0, 0, 0_u64);
        let mut idle: HashMap<&str, i64> = HashMap::new();
        for (worker, why) in workers {
            sessions += 1;
            playing += i64::from(worker.playing_games);
            speed = speed.saturating_add(worker.nodes_per_second);
            if let Some(why) = why {
                *idle.entry(reason(why)).or_default() += 1;
            }
        }
        self.workers_on_hold.set(whole(scheduler.held_workers() as u64));
        self.audits_waiting.set(whole(scheduler.audits().waiting_pairs()));
        self.sessions.set(sessions);
        self.games_playing.set(playing);
        self.nodes_per_second.set(whole(speed));
        for reason in IDLE.map(reason) {
            let count = idle.get(reason).copied().unwrap_or(0);
            self.workers_idle.with_label_values(&[reason]).set(count);
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes figures that are in the registry from the start.
struct Maker<'a>(&'a Registry);

impl Maker<'_> {
    fn gauge(&self, name: &str, help: &str) -> Result<IntGauge, Error> {
        let made = IntGauge::new(name, help)?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, Error> {
        let made = IntGaugeVec::new(Opts::new(name, help), labels)?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    fn counter(&self, name: &str, help: &str) -> Result<IntCounter, Error> {
        let made = IntCounter::new(name, help)?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, Error> {
        let made = IntCounterVec::new(Opts::new(name, help), labels)?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Result<Histogram, Error> {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        let made = Histogram::with_opts(options)?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }
}

/// Why a worker is idle, as a label.
fn reason(idle: Idle) -> &'static str {
    match idle {
        Idle::NoOpenRun => "no_open_run",
        Idle::NotOffered => "not_offered",
        Idle::BudgetSpent => "budget_spent",
        Idle::Memory => "memory",
        Idle::OtherEngine => "other_engine",
        Idle::Unplayable => "unplayable",
        Idle::Refused => "refused",
        Idle::Excluded => "excluded",
        Idle::OnHold => "on_hold",
        Idle::TooSlow => "too_slow",
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_there_from_the_start_and_none_is_named_by_a_run_or_a_worker() {
        let families = Metrics::new().registry().gather();
        let series: usize = families.iter().map(|family| family.get_metric().len()).sum();
        assert!(families.len() >= 18, "{}", families.len());
        assert!((40..100).contains(&series), "{series}");
        for family in &families {
            for label in family.get_metric().iter().flat_map(|metric| metric.get_label()) {
                let known = ["kind", "state", "game", "outcome", "end", "reason", "version"];
                assert!(known.contains(&label.name()), "{} by {}", family.name(), label.name());
            }
        }
    }
}
