//! Views of runs as the control service says them.

use super::specification::wire_spec;
use super::{wire_set, wire_tally};
use crate::dispatch::fold::Fold;
use model::view::{
    CandidateState, CandidateView, Convergence, CorrectedView, ProgressView, RunState, RunView,
    ShareView, TuneEstimate, Verdict,
};
use proto::v1;

/// A run for the control service.
#[must_use]
pub fn wire_run(view: &RunView) -> v1::Run {
    let leases = view.leases;
    v1::Run {
        run_id: view.id.0,
        spec: Some(wire_spec(&view.spec)),
        state: wire_state(view.state).into(),
        created_at_unix_ms: view.created_at_unix_ms,
        ended_at_unix_ms: view.ended_at_unix_ms.unwrap_or(0),
        state_reason: view.state_reason.clone(),
        asked_pairs: view.asked_pairs,
        leased_pairs: view.leased_pairs,
        tally: Some(wire_tally(&view.tally)),
        pairs_per_second: view.pairs_per_second,
        leases: Some(v1::LeaseCounts {
            active: leases.active,
            completed: leases.completed,
            returned: leases.returned,
            expired: leases.expired,
            revoked: leases.revoked,
        }),
        reports: view.reports,
        excluded_pairs: view.excluded_pairs,
        excluded_reports: view.excluded_reports,
        recorded_llr: view.recorded_llr,
        audited_pairs: view.audited_pairs,
        mismatched_pairs: view.mismatched_pairs,
        warning: view.warning.clone(),
        progress: Some(wire_progress(&view.progress)),
    }
}

/// A run as lists show it: without curves, and of very many parameters those that moved farthest.
#[must_use]
pub fn wire_listed_run(view: &RunView) -> v1::Run {
    let mut view = match view.farthest() {
        // A hundred tunes of ten thousand parameters would be no message any more.
        Some(places) => view.narrowed(&places),
        None => view.clone(),
    };
    view.progress.clear_traces();
    wire_run(&view)
}

/// Why a run gets what it gets, for the control service.
#[must_use]
pub fn wire_share(view: &ShareView) -> v1::Share {
    let hindrance =
        |(text, workers): &(String, u32)| v1::Hindrance { text: text.clone(), workers: *workers };
    v1::Share {
        run_id: view.run.0,
        state: wire_state(view.state).into(),
        owner: view.owner.clone(),
        weight: view.weight,
        authors: view.authors,
        author_weight: view.author_weight,
        due_share: view.due_share,
        used_nodes: view.used_nodes,
        all_nodes: view.all_nodes,
        author_behind_nodes: view.author_behind_nodes,
        run_behind_nodes: view.run_behind_nodes,
        open_pairs: view.open_pairs,
        leased_pairs: view.leased_pairs,
        workers: view.workers,
        able_workers: view.able_workers,
        hindrances: view.hindrances.iter().map(hindrance).collect(),
    }
}

fn wire_state(state: RunState) -> v1::RunState {
    match state {
        RunState::Running => v1::RunState::Running,
        RunState::Paused => v1::RunState::Paused,
        RunState::Finished => v1::RunState::Finished,
        RunState::Stopped => v1::RunState::Stopped,
    }
}

fn wire_progress(progress: &ProgressView) -> v1::run::Progress {
    match progress {
        ProgressView::Tune(tune) => v1::run::Progress::Tune(v1::TuneProgress {
            theta: tune.theta.clone(),
            suggested: Some(wire_set(&tune.suggested)),
            trace: tune
                .trace
                .iter()
                .map(|point| v1::TunePoint { pairs: point.pairs, theta: point.theta.clone() })
                .collect(),
            estimate: tune.estimate.as_ref().map(wire_estimate),
            choices: tune
                .choices
                .iter()
                .map(|odds| v1::ChoiceOdds {
                    name: odds.name.clone(),
                    probabilities: odds.probabilities.clone(),
                })
                .collect(),
            verdict: tune.verdict.as_ref().map(|verdict| v1::TuneVerdict {
                convergence: match verdict.convergence {
                    Convergence::NothingShown => v1::Convergence::NothingShown,
                    Convergence::Moves => v1::Convergence::Moves,
                    Convergence::Converged => v1::Convergence::Converged,
                }
                .into(),
                why: verdict.why.clone(),
                chance: verdict.chance.clone(),
                noise: verdict.noise.clone(),
            }),
        }),
        ProgressView::Test(test) => v1::run::Progress::Test(v1::TestProgress {
            llr: test.llr.unwrap_or_default(),
            lower: test.lower.unwrap_or_default(),
            upper: test.upper.unwrap_or_default(),
            elo: test.elo,
            elo_low: test.elo_low,
            elo_high: test.elo_high,
            normalized_elo: test.normalized_elo,
            los: test.los,
            verdict: wire_verdict(test.verdict).into(),
            trace: test
                .trace
                .iter()
                .map(|point| v1::TestPoint {
                    pairs: point.pairs,
                    llr: point.llr.unwrap_or_default(),
                    elo: point.elo,
                    elo_low: point.elo_low,
                    elo_high: point.elo_high,
                })
                .collect(),
            corrected: test.corrected.map(wire_corrected),
            outlook: test.outlook.map(|outlook| v1::TestOutlook {
                pass_probability: outlook.pass_probability,
                mean_pairs: outlook.mean_pairs,
                median_pairs: outlook.median_pairs,
                q95_pairs: outlook.q95_pairs,
            }),
        }),
        ProgressView::Race(race) => v1::run::Progress::Race(v1::RaceProgress {
            candidates: race.candidates.iter().map(wire_candidate).collect(),
            winner: race.winner.and_then(|place| u32::try_from(place).ok()),
            verdict: wire_verdict(race.verdict).into(),
        }),
    }
}

fn wire_estimate(estimate: &TuneEstimate) -> v1::TuneEstimate {
    v1::TuneEstimate {
        deviation: estimate.deviation.clone(),
        signal_to_noise: estimate.signal_to_noise.clone(),
        gain: estimate.gain,
        gain_low: estimate.gain_low,
        gain_high: estimate.gain_high,
        remaining_loss: estimate.remaining_loss,
        pair_deviation: estimate.pair_deviation,
    }
}

fn wire_verdict(verdict: Option<Verdict>) -> v1::Verdict {
    match verdict {
        None => v1::Verdict::Unspecified,
        Some(Verdict::Accepted) => v1::Verdict::Accepted,
        Some(Verdict::Rejected) => v1::Verdict::Rejected,
        Some(Verdict::Inconclusive) => v1::Verdict::Inconclusive,
    }
}

fn wire_corrected(corrected: CorrectedView) -> v1::TestCorrected {
    let CorrectedView { elo, elo_low, elo_high, los } = corrected;
    v1::TestCorrected { elo, elo_low, elo_high, los }
}

fn wire_candidate(candidate: &CandidateView) -> v1::CandidateProgress {
    v1::CandidateProgress {
        name: candidate.name.clone(),
        state: match candidate.state {
            CandidateState::Open => v1::CandidateState::Open,
            CandidateState::Accepted => v1::CandidateState::Accepted,
            CandidateState::Rejected => v1::CandidateState::Rejected,
        }
        .into(),
        tally: Some(wire_tally(&candidate.tally)),
        llr: candidate.llr,
        lower: candidate.lower,
        upper: candidate.upper,
        elo: candidate.elo,
        elo_low: candidate.elo_low,
        elo_high: candidate.elo_high,
        corrected: Some(wire_corrected(candidate.corrected)),
    }
}

/// A run after one report.
#[must_use]
pub fn wire_history(fold: &Fold) -> v1::HistoryRow {
    v1::HistoryRow {
        report_id: fold.last_report.0,
        tally: Some(wire_tally(&fold.tally)),
        theta: fold.theta().to_vec(),
        llr: fold.llr().or(fold.last_candidate().map(|(_, llr)| llr)).unwrap_or_default(),
        candidate: fold.last_candidate().and_then(|(place, _)| u32::try_from(place).ok()),
    }
}
