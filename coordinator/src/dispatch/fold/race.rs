//! A race as its ledger makes it: the counts of each candidate, and what they decide.

use super::test::corrected_view;
use super::{Ended, FoldError};
use model::spec::RaceSpec;
use model::view::{CandidateState, CandidateView, RaceView, Verdict};
use model::{Pairs, Tally};
use serde::{Deserialize, Serialize};
use stats::{Lane, Race, SprtBounds};

/// The candidates of a race at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RaceFold {
    names: Vec<String>,
    race: Race,
    tallies: Vec<Tally>,
    /// The candidate whose report came last.
    last: Option<usize>,
}

/// What is stored of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RaceSnapshot {
    lanes: Vec<Lane>,
    tallies: Vec<Tally>,
    last: Option<usize>,
}

impl RaceFold {
    pub(super) fn new(spec: &RaceSpec) -> Self {
        let candidates = spec.candidates.len();
        Self {
            names: spec.candidates.iter().map(|candidate| candidate.name.clone()).collect(),
            race: Race::new(spec.sprt.into(), spec.stop, candidates),
            tallies: vec![Tally::default(); candidates],
            last: None,
        }
    }

    /// The same race at a stored state.
    pub(super) fn with_state(self, state: RaceSnapshot) -> Result<Self, FoldError> {
        let RaceSnapshot { lanes, tallies, last } = state;
        let known = self.tallies.len();
        let fits = tallies.len() == known && last.is_none_or(|place| place < known);
        match self.race.with_lanes(lanes) {
            Some(race) if fits => Ok(Self { names: self.names, race, tallies, last }),
            _ => Err(FoldError::Unreadable {
                what: "the snapshot of a run",
                found: "it is of a race with other candidates".to_owned(),
            }),
        }
    }

    pub(super) fn state(&self) -> RaceSnapshot {
        RaceSnapshot {
            lanes: self.race.lanes().to_vec(),
            tallies: self.tallies.clone(),
            last: self.last,
        }
    }

    /// Takes in what was new in a report of a candidate.
    pub(super) fn apply(&mut self, new: &Tally, candidate: Option<usize>) -> Result<(), FoldError> {
        let unreadable =
            |found: String| FoldError::Unreadable { what: "the candidate of a lease", found };
        let place = candidate.ok_or_else(|| unreadable("there is none".to_owned()))?;
        let known = self.tallies.len();
        let tally = self
            .tallies
            .get_mut(place)
            .ok_or_else(|| unreadable(format!("number {place} of {known}")))?;
        *tally += *new;
        self.race.seen(place, &tally.pentanomial);
        self.last = Some(place);
        Ok(())
    }

    pub(super) fn ended(&self, spent: bool) -> Option<Ended> {
        let accepted = self.race.count(CandidateState::Accepted) > 0;
        let open = self.race.count(CandidateState::Open) > 0;
        let verdict = match (accepted, open) {
            (true, _) => Verdict::Accepted,
            (false, false) => Verdict::Rejected,
            (false, true) => Verdict::Inconclusive,
        };
        (self.race.is_over() || spent).then_some(Ended { verdict: Some(verdict) })
    }

    /// Whether a candidate still plays.
    pub(super) fn is_open(&self, candidate: usize) -> bool {
        let lane = self.race.lanes().get(candidate);
        lane.is_some_and(|lane| lane.state == CandidateState::Open)
    }

    /// The candidate that plays next, given the pairs of each that are out.
    pub(super) fn next(&self, pairs_out: impl Fn(usize) -> u64) -> Option<usize> {
        self.race.next(pairs_out)
    }

    /// The candidate of the last report, and its ratio after it.
    pub(super) fn last(&self) -> Option<(usize, f64)> {
        self.last.map(|place| (place, self.race.lanes()[place].llr))
    }

    pub(super) fn view(&self, verdict: Option<Verdict>) -> RaceView {
        let candidates: Vec<CandidateView> =
            (0..self.tallies.len()).map(|place| self.candidate_view(place)).collect();
        let winner = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.state == CandidateState::Accepted)
            .max_by(|(_, a), (_, b)| a.corrected.elo.total_cmp(&b.corrected.elo))
            .map(|(place, _)| place);
        RaceView { candidates, winner, verdict }
    }

    fn candidate_view(&self, place: usize) -> CandidateView {
        let (lane, tally) = (&self.race.lanes()[place], self.tallies[place]);
        let SprtBounds { lower, upper } = self.race.bounds_of(place);
        let estimate = stats::estimate(&tally.pentanomial);
        CandidateView {
            name: self.names[place].clone(),
            state: lane.state,
            tally,
            llr: lane.llr,
            lower,
            upper,
            elo: estimate.elo.0,
            elo_low: estimate.low.0,
            elo_high: estimate.high.0,
            corrected: corrected_view(&self.race.corrected(place, &tally.pentanomial)),
        }
    }

    /// What the row of the run keeps: every candidate with its counts, for whoever reads it by SQL.
    pub(super) fn row(&self) -> String {
        #[derive(Serialize)]
        struct Row {
            pairs: Pairs,
            pentanomial: [u64; 5],
            llr: f64,
            state: CandidateState,
        }
        let row = |(lane, tally): (&Lane, &Tally)| Row {
            pairs: tally.pairs(),
            pentanomial: tally.pentanomial.0,
            llr: lane.llr,
            state: lane.state,
        };
        let rows: Vec<Row> = self.race.lanes().iter().zip(&self.tallies).map(row).collect();
        serde_json::to_string(&rows).expect("counts are plain data")
    }
}
