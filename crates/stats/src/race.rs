//! Several candidates against one base in one sequential family: levels, verdicts, and which
//! candidate plays next.
//!
//! Each candidate has a test of its own against the base ([`SprtSpec`]). With `K` candidates of which
//! `j` are accepted, a candidate is accepted at the level α/(K − j), the step-down of S. Holm ("A
//! simple sequentially rejective multiple test procedure", 1979) carried over to sequential tests by
//! J. Bartroff and J. Song ("Sequential tests of multiple hypotheses controlling type I and II
//! familywise error rates", 2014); until one is accepted that is Bonferroni's α/K. The chance to
//! accept any candidate that is no better than `elo0` is then at most α, whichever they are: let m
//! candidates be no better. Before the first of them is accepted, at most K − m others are, so it is
//! accepted at a level of α/m or a stricter one; each of the m reaches that with a chance of at most
//! α/m (A. Wald's bounds), and their sum is α. Nothing in it asks the candidates to be independent.
//!
//! Nor does the order of play enter: a candidate's pairs are drawn anew each time, so a rule that
//! looks at the past alone can only cut its test short, which accepts nothing. The next pairs go to
//! the open candidate with the highest upper confidence bound of its strength, its posterior mean and
//! one deviation (T. Lai and H. Robbins, 1985; P. Auer and others, 2002). Poor candidates wait, and
//! most of them are never played to their end when another is accepted first.

use crate::overshoot::Overshoot;
use crate::sprt::{SprtBounds, SprtDecision, SprtSpec, decide};
use crate::{CorrectedElo, llr};
use model::Pentanomial;
use model::spec::RaceStop;
use model::view::CandidateState;
use serde::{Deserialize, Serialize};

/// What one candidate has shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Its log-likelihood ratio.
    pub llr: f64,
    /// Its pairs.
    pub pairs: u64,
    /// Whether it is decided.
    pub state: CandidateState,
    /// The chance to accept it at `elo0`: that of now, or of when it was decided.
    pub alpha: f64,
    overshoot: Overshoot,
}

/// A race at one moment: a function of its rules and of the ordered counts of its candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// With the α of the whole family.
    family: SprtSpec,
    stop: RaceStop,
    lanes: Vec<Lane>,
}

impl Race {
    /// A race of so many candidates that has not begun; α of `family` is that of all together.
    #[must_use]
    pub fn new(family: SprtSpec, stop: RaceStop, candidates: usize) -> Self {
        let lane = Lane {
            llr: 0.0,
            pairs: 0,
            state: CandidateState::Open,
            alpha: family.alpha / candidates.max(1) as f64,
            overshoot: Overshoot::default(),
        };
        Self { family, stop, lanes: vec![lane; candidates] }
    }

    /// The same race with these lanes, if they are as many as its candidates.
    #[must_use]
    pub fn with_lanes(self, lanes: Vec<Lane>) -> Option<Self> {
        (lanes.len() == self.lanes.len()).then_some(Self { lanes, ..self })
    }

    /// The candidates, in the order of the specification.
    #[must_use]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The test of one candidate, at its own level.
    ///
    /// # Panics
    /// If there is no such candidate.
    #[must_use]
    pub fn test_of(&self, candidate: usize) -> SprtSpec {
        SprtSpec { alpha: self.lanes[candidate].alpha, ..self.family }
    }

    /// Where a candidate is decided, the overshoot of its reports taken off.
    ///
    /// # Panics
    /// If there is no such candidate.
    #[must_use]
    pub fn bounds_of(&self, candidate: usize) -> SprtBounds {
        self.lanes[candidate].overshoot.bounds(self.test_of(candidate).bounds())
    }

    /// The Elo of a candidate with these counts, freed of the bias of its own stopping.
    ///
    /// # Panics
    /// If there is no such candidate.
    #[must_use]
    pub fn corrected(&self, candidate: usize, counts: &Pentanomial) -> CorrectedElo {
        self.test_of(candidate).corrected(counts)
    }

    /// Takes in that a candidate has these counts now, one report more than before. What is decided
    /// stays so.
    ///
    /// # Panics
    /// If there is no such candidate.
    pub fn seen(&mut self, candidate: usize, counts: &Pentanomial) {
        let lane = &mut self.lanes[candidate];
        if lane.state != CandidateState::Open {
            return;
        }
        let SprtSpec { elo0, elo1, model, .. } = self.family;
        lane.llr = llr(counts, elo0, elo1, model);
        lane.pairs = counts.pairs().0;
        lane.overshoot = lane.overshoot.seen(lane.pairs, lane.llr);
        // An acceptance eases the level of the others, which may accept one more.
        while self.decide_one() && !self.is_over() {}
    }

    /// Decides the first open candidate whose ratio is past a bound. Whether there was one.
    fn decide_one(&mut self) -> bool {
        for candidate in 0..self.lanes.len() {
            if self.lanes[candidate].state != CandidateState::Open {
                continue;
            }
            match decide(self.lanes[candidate].llr, self.bounds_of(candidate)) {
                SprtDecision::Continue => {}
                SprtDecision::AcceptH0 => {
                    self.lanes[candidate].state = CandidateState::Rejected;
                    return true;
                }
                SprtDecision::AcceptH1 => {
                    self.lanes[candidate].state = CandidateState::Accepted;
                    self.ease();
                    return true;
                }
            }
        }
        false
    }

    /// Sets the level of the open candidates after an acceptance.
    fn ease(&mut self) {
        let left = self.lanes.len() - self.count(CandidateState::Accepted);
        let alpha = self.family.alpha / left.max(1) as f64;
        let open = |lane: &&mut Lane| lane.state == CandidateState::Open;
        self.lanes.iter_mut().filter(open).for_each(|lane| lane.alpha = alpha);
    }

    /// How many candidates are in this state.
    #[must_use]
    pub fn count(&self, state: CandidateState) -> usize {
        self.lanes.iter().filter(|lane| lane.state == state).count()
    }

    /// Whether the race is over by its own rule.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let accepted = self.count(CandidateState::Accepted) > 0;
        self.count(CandidateState::Open) == 0 || (self.stop == RaceStop::First && accepted)
    }

    /// The candidate that plays next, given the pairs of each that are out already; none when no
    /// candidate is open.
    #[must_use]
    pub fn next(&self, pairs_out: impl Fn(usize) -> u64) -> Option<usize> {
        let open = |lane: &Lane| lane.state == CandidateState::Open;
        let bound = |candidate: usize| self.confidence_bound(candidate, pairs_out(candidate));
        (0..self.lanes.len())
            .filter(|candidate| open(&self.lanes[*candidate]))
            .map(|candidate| (bound(candidate), candidate))
            // Of equals, the first.
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, candidate)| candidate)
    }

    /// Posterior mean and one deviation of a candidate's strength, measured from the middle of the
    /// hypotheses in their distance; the prior has that middle as mean and the distance as deviation.
    /// Pairs that are out make it surer and say nothing yet, so that many workers spread.
    fn confidence_bound(&self, candidate: usize, pairs_out: u64) -> f64 {
        let Lane { llr, pairs, .. } = self.lanes[candidate];
        // Of the ratio for each pair, with normalised bounds; with logistic ones the noise of a pair
        // is taken as usual: it is the same for all candidates.
        let width = match self.family.model {
            model::spec::EloModel::Normalized => {
                std::f64::consts::SQRT_2 * (self.family.elo1 - self.family.elo0) / crate::ELO_PER_T
            }
            model::spec::EloModel::Logistic => {
                let score = |elo| crate::score_of_elo(model::Elo(elo));
                (score(self.family.elo1) - score(self.family.elo0)) / USUAL_DEVIATION
            }
        };
        let variance = width * width;
        let mean = llr / (1.0 + variance * pairs as f64);
        let deviation = (1.0 + variance * (pairs as f64 + pairs_out as f64)).sqrt().recip();
        mean + deviation
    }
}

/// Of the score of a pair.
const USUAL_DEVIATION: f64 = 0.18;

#[cfg(test)]
mod tests {
    use super::*;
    use model::spec::EloModel;

    const FAMILY: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 20.0, alpha: 0.08, beta: 0.05, model: EloModel::Normalized };

    const GOOD: Pentanomial = Pentanomial([0, 20, 60, 120, 40]);
    const POOR: Pentanomial = Pentanomial([40, 120, 60, 20, 0]);

    #[test]
    fn the_first_accepted_ends_a_race_of_the_first() {
        let mut race = Race::new(FAMILY, RaceStop::First, 4);
        assert!(race.lanes().iter().all(|lane| lane.alpha == 0.02));
        assert_eq!(race.bounds_of(2), SprtBounds::new(0.02, 0.05));
        race.seen(1, &POOR);
        assert_eq!(race.lanes()[1].state, CandidateState::Rejected);
        assert!(!race.is_over());
        race.seen(2, &GOOD);
        assert_eq!(race.lanes()[2].state, CandidateState::Accepted);
        assert!(race.is_over());
        assert_eq!(race.test_of(2).alpha, 0.02, "the level at which it was decided");
    }

    /// A ratio between the bounds of two levels waits for the level to ease.
    #[test]
    fn each_acceptance_eases_the_level_of_the_others() {
        let mut race = Race::new(FAMILY, RaceStop::All, 2);
        for n in 1..200 {
            race.seen(0, &Pentanomial([n, 10 * n, 30 * n, 12 * n, n]));
            if race.lanes()[0].llr > 2.6 {
                break;
            }
        }
        assert!(race.lanes()[0].llr < 3.0, "{:?}", race.lanes()[0]);
        assert_eq!(race.lanes()[0].state, CandidateState::Open);
        race.seen(1, &GOOD);
        assert_eq!(race.lanes().iter().map(|lane| lane.alpha).collect::<Vec<_>>(), [0.08, 0.04]);
        assert_eq!(race.count(CandidateState::Accepted), 2);
        assert!(race.is_over());
    }

    #[test]
    fn what_is_decided_stays_so_and_plays_no_more() {
        let mut race = Race::new(FAMILY, RaceStop::All, 3);
        race.seen(0, &POOR);
        race.seen(0, &GOOD);
        assert_eq!(race.lanes()[0].state, CandidateState::Rejected);
        assert_eq!(race.next(|_| 0), Some(1));
        race.seen(1, &POOR);
        assert_eq!(race.next(|_| 0), Some(2));
        race.seen(2, &POOR);
        assert_eq!((race.next(|_| 0), race.is_over()), (None, true));
    }

    #[test]
    fn the_promising_play_first_and_many_workers_spread() {
        let mut race = Race::new(FAMILY, RaceStop::First, 3);
        assert_eq!(race.next(|_| 0), Some(0));
        assert_eq!(race.next(|candidate| [8, 0, 0][candidate]), Some(1));
        assert_eq!(race.next(|candidate| [8, 8, 0][candidate]), Some(2));
        race.seen(0, &Pentanomial([5, 22, 40, 16, 1]));
        race.seen(2, &Pentanomial([1, 16, 40, 22, 5]));
        assert_eq!(race.next(|_| 0), Some(2));
        assert_eq!(race.next(|candidate| [0, 0, 1_000_000][candidate]), Some(1));
    }

    #[test]
    fn lanes_come_back_to_the_bit() {
        let mut race = Race::new(FAMILY, RaceStop::All, 3);
        race.seen(1, &Pentanomial([2, 18, 40, 21, 4]));
        let json = serde_json::to_string(race.lanes()).unwrap();
        let lanes = serde_json::from_str(&json).unwrap();
        let fresh = Race::new(FAMILY, RaceStop::All, 3);
        assert_eq!(fresh.with_lanes(lanes), Some(race));
        assert_eq!(Race::new(FAMILY, RaceStop::All, 2).with_lanes(Vec::new()), None);
    }
}
