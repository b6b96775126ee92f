//! A race in words: its family, a table of its candidates, its verdict.

use super::{interval, number};
use crate::tables::{Column, table};
use model::spec::{RaceSpec, RaceStop};
use model::view::{CandidateState, CandidateView, RaceView, RunState, RunView, Verdict};

/// One line on where a race stands.
pub(super) fn standing(view: &RaceView) -> String {
    let count = |state| view.candidates.iter().filter(|c| c.state == state).count();
    let mut parts: Vec<String> =
        [CandidateState::Accepted, CandidateState::Open, CandidateState::Rejected]
            .into_iter()
            .map(|state| (count(state), state.name()))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
    if let Some(first) = view.first() {
        parts.push(format!(
            "first {}, LLR {:+.2} in {:.2} … {:.2}, Elo {}",
            model::printable(&first.name, 40),
            first.llr,
            first.lower,
            first.upper,
            interval(first.elo, first.elo_low, first.elo_high)
        ));
    }
    parts.join(", ")
}

/// Everything that a race found.
pub(super) fn lines(run: &RunView, spec: &RaceSpec, view: &RaceView) -> Vec<String> {
    let sprt = spec.sprt;
    let ends = match spec.stop {
        RaceStop::First => "ends with the first that is accepted",
        RaceStop::All => "ends when all are decided",
    };
    vec![
        format!(
            "family       {} candidates, {} Elo {} against {}, α {} for all together, β {} for each; \
             {ends}",
            spec.candidates.len(),
            sprt.model.name(),
            number(sprt.elo0),
            number(sprt.elo1),
            number(sprt.alpha),
            number(sprt.beta)
        ),
        format!("verdict      {}", verdict(run, view)),
        String::new(),
        candidate_table(view),
    ]
}

fn candidate_table(view: &RaceView) -> String {
    use Column::{Number, Text};
    let columns = [
        Text("candidate"),
        Text("state"),
        Number("pairs"),
        Number("LLR"),
        Text("in bounds"),
        Text("Elo, 95 %"),
        Text("corrected"),
        Number("superior"),
    ];
    let row = |candidate: &CandidateView| {
        let corrected = &candidate.corrected;
        vec![
            model::printable(&candidate.name, 40),
            candidate.state.name().to_owned(),
            candidate.tally.pairs().to_string(),
            format!("{:+.2}", candidate.llr),
            format!("{:.2} … {:.2}", candidate.lower, candidate.upper),
            interval(candidate.elo, candidate.elo_low, candidate.elo_high),
            interval(corrected.elo, corrected.elo_low, corrected.elo_high),
            format!("{:.1} %", 100.0 * corrected.los),
        ]
    };
    let rows: Vec<_> = view.candidates.iter().map(row).collect();
    table(&columns, &rows)
}

/// What a race said, plainly.
pub(crate) fn verdict(run: &RunView, view: &RaceView) -> String {
    let accepted: Vec<String> = view
        .candidates
        .iter()
        .filter(|candidate| candidate.state == CandidateState::Accepted)
        .map(|candidate| model::printable(&candidate.name, 40))
        .collect();
    let winner = view.winner.and_then(|place| view.candidates.get(place));
    match (view.verdict, run.state) {
        (Some(Verdict::Accepted), _) => {
            let name = winner.map(|c| model::printable(&c.name, 40)).unwrap_or_default();
            match accepted.len() {
                1 => format!("accepted: {name} is stronger"),
                _ => format!("accepted: {}; {name} has shown most", accepted.join(", ")),
            }
        }
        (Some(Verdict::Rejected), _) => "rejected: no candidate has the gain asked for".to_owned(),
        (Some(Verdict::Inconclusive), _) => {
            format!("inconclusive: {} pairs accepted no candidate", run.counted_pairs)
        }
        (None, RunState::Stopped) => "none: the race was stopped by hand".to_owned(),
        (None, _) => "none yet: the race goes on".to_owned(),
    }
}
