//! A run in a few numbers: what the overview shows, without specification and trace.
//!
//! A full view carries every parameter; with many runs that would be megabytes a second.

use model::view::{
    CandidateState, CandidateView, ProgressView, RaceView, RunState, RunView, Verdict, WorkerView,
};
use model::{GameKind, RunId};
use serde::Serialize;
use std::cmp::Ordering;

/// Runs on the overview; older ones that are over are counted only.
const MAX_CARDS: usize = 100;

/// Everything on the overview.
#[derive(Serialize)]
pub(super) struct Overview<'a> {
    runs: Vec<Card<'a>>,
    /// Runs that are over and not shown.
    older: usize,
    workers: &'a [WorkerView],
}

#[derive(Serialize)]
struct Card<'a> {
    id: RunId,
    name: &'a str,
    kind: &'a str,
    game: GameKind,
    state: RunState,
    state_reason: &'a str,
    asked_pairs: u64,
    counted_pairs: u64,
    pairs_per_second: f64,
    /// Until the budget is played.
    eta_seconds: Option<f64>,
    /// Of a test: until its verdict in half of all cases, and in 95 of 100, its budget permitting.
    verdict_seconds: Option<[f64; 2]>,
    /// Its share of the leases that are out, 0 to 1: of the cores, as each slot plays one lease.
    core_share: f64,
    /// Running, but nobody plays it now.
    queued: bool,
    created_at_unix_ms: i64,
    ended_at_unix_ms: Option<i64>,
    /// Of a tune.
    moved: Option<Moved<'a>>,
    /// Of a test or a match.
    test: Option<Standing>,
    /// Of a race.
    race: Option<Field<'a>>,
}

/// How far a tune has come from its start.
#[derive(Serialize)]
struct Moved<'a> {
    parameters: usize,
    /// The parameter that moved most, and its way in units of its `c_end`.
    name: &'a str,
    steps: f64,
}

/// How far a race has come.
#[derive(Serialize)]
struct Field<'a> {
    open: usize,
    accepted: usize,
    rejected: usize,
    /// The candidate that won, or the one nearest to it.
    first: &'a CandidateView,
    verdict: Option<Verdict>,
}

#[derive(Serialize)]
struct Standing {
    /// None in a match, as the two bounds.
    llr: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    elo: f64,
    elo_low: f64,
    elo_high: f64,
    verdict: Option<Verdict>,
}

/// The overview of these runs, given newest first. Runs that are not over are always shown.
pub(super) fn overview<'a>(runs: &'a [RunView], workers: &'a [WorkerView]) -> Overview<'a> {
    let out: u64 = runs.iter().map(|run| run.leases.active).sum();
    let shown = runs
        .iter()
        .enumerate()
        .filter(|(place, run)| *place < MAX_CARDS || !run.state.is_over())
        .map(|(_, run)| card(run, out))
        .collect::<Vec<_>>();
    Overview { older: runs.len() - shown.len(), runs: shown, workers }
}

fn card(run: &RunView, leases_out: u64) -> Card<'_> {
    let (moved, test, race) = match &run.progress {
        ProgressView::Tune(tune) => (farthest(run, &tune.theta), None, None),
        ProgressView::Test(test) => {
            let standing = Standing {
                llr: test.llr,
                lower: test.lower,
                upper: test.upper,
                elo: test.elo,
                elo_low: test.elo_low,
                elo_high: test.elo_high,
                verdict: test.verdict,
            };
            (None, Some(standing), None)
        }
        ProgressView::Race(race) => (None, None, field(race)),
    };
    Card {
        id: run.id,
        name: &run.spec.name,
        kind: &run.kind,
        game: run.spec.game,
        state: run.state,
        state_reason: &run.state_reason,
        asked_pairs: run.asked_pairs,
        counted_pairs: run.counted_pairs,
        pairs_per_second: run.pairs_per_second,
        eta_seconds: run.eta_seconds,
        verdict_seconds: verdict_seconds(run),
        core_share: if leases_out > 0 { run.leases.active as f64 / leases_out as f64 } else { 0.0 },
        queued: run.state == RunState::Running && run.leases.active == 0,
        created_at_unix_ms: run.created_at_unix_ms,
        ended_at_unix_ms: run.ended_at_unix_ms,
        moved,
        test,
        race,
    }
}

fn verdict_seconds(run: &RunView) -> Option<[f64; 2]> {
    let ProgressView::Test(test) = &run.progress else { return None };
    let outlook = test.outlook.filter(|_| run.pairs_per_second > 0.0)?;
    let left = run.asked_pairs.saturating_sub(run.counted_pairs) as f64;
    let after = |pairs: f64| pairs.min(left) / run.pairs_per_second;
    Some([after(outlook.median_pairs), after(outlook.q95_pairs)])
}

fn field(race: &RaceView) -> Option<Field<'_>> {
    let count = |state| race.candidates.iter().filter(|c| c.state == state).count();
    Some(Field {
        open: count(CandidateState::Open),
        accepted: count(CandidateState::Accepted),
        rejected: count(CandidateState::Rejected),
        first: race.first()?,
        verdict: race.verdict,
    })
}

fn farthest<'a>(run: &'a RunView, theta: &[f64]) -> Option<Moved<'a>> {
    let model::spec::Job::Tune(tune) = &run.spec.job else { return None };
    tune.parameters
        .iter()
        .zip(theta)
        .map(|(parameter, now)| (parameter, parameter.steps(*now)))
        .max_by(|(_, a), (_, b)| a.abs().partial_cmp(&b.abs()).unwrap_or(Ordering::Equal))
        .map(|(parameter, steps)| Moved {
            parameters: tune.parameters.len(),
            name: &parameter.name,
            steps,
        })
}
