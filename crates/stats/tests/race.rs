//! Races with simulated pairs: the error of the family within its bound, the power of each
//! candidate, and the pairs saved against a test for each candidate.

use model::spec::RaceStop;
use stats::{
    EloModel, PairLaw, Race, RaceSimulated, RaceSimulation, SprtSpec, forecast, simulate_race,
};
use std::num::NonZeroU32;

/// Wide bounds keep the races short: some hundred pairs for each candidate.
const FAMILY: SprtSpec =
    SprtSpec { elo0: 0.0, elo1: 40.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

fn equals() -> PairLaw {
    PairLaw::of_draw_ratio(0.6).expect("a ratio")
}

fn played(stop: RaceStop, truths: &[f64], races: u32, leases_out: u32) -> RaceSimulated {
    let candidates: Vec<_> = truths
        .iter()
        .map(|&truth| (equals().at(truth, FAMILY.model), truth <= FAMILY.elo0))
        .collect();
    let [races, lease_pairs, leases_out] =
        [races, 4, leases_out].map(|n| NonZeroU32::new(n).expect("not zero"));
    let how = RaceSimulation { races, seed: 20_261_201, lease_pairs, leases_out };
    simulate_race(&Race::new(FAMILY, stop, truths.len()), &candidates, &how)
}

/// Pairs of as many separate tests at the same α each, by formula.
fn separate(truths: &[f64]) -> f64 {
    let mean = |truth: &f64| forecast(&FAMILY, *truth, equals().deviation()).mean_pairs;
    truths.iter().map(mean).sum()
}

/// Whatever stops the race, however many of the candidates are good, and with many leases out.
#[test]
fn the_error_of_the_family_is_within_its_bound() {
    let cases: [(RaceStop, &[f64], u32); 5] = [
        (RaceStop::First, &[0.0; 8], 1),
        (RaceStop::First, &[0.0; 8], 30),
        (RaceStop::All, &[0.0; 8], 1),
        (RaceStop::All, &[40.0, 40.0, 40.0, 0.0, 0.0], 1),
        (RaceStop::First, &[0.0, 0.0, -20.0, 40.0], 8),
    ];
    for (stop, truths, leases_out) in cases {
        let races = 1200_u32;
        let found = played(stop, truths, races, leases_out);
        let slack = 3.0 * (0.05_f64 * 0.95 / f64::from(races)).sqrt();
        assert!(found.error_share < 0.05 + slack, "{truths:?}, {leases_out} out: {found:?}");
        // And the level is used where all are just no better.
        if truths.iter().all(|truth| *truth == 0.0) {
            assert!(found.error_share > 0.05 - 4.0 * slack / 3.0, "{truths:?}: {found:?}");
        }
    }
}

#[test]
fn a_good_candidate_is_accepted_with_its_power() {
    let races = 500_u32;
    let slack = 3.0 * (0.05_f64 * 0.95 / f64::from(races)).sqrt();
    let found = played(RaceStop::First, &[0.0, 0.0, 0.0, 40.0, 0.0, 0.0], races, 1);
    assert!(found.pass_share > 0.95 - slack, "{found:?}");
    let found = played(RaceStop::All, &[40.0, 0.0, 40.0, 0.0], races, 4);
    for good in [0, 2] {
        assert!(found.accepted[good] > 0.95 - slack, "{found:?}");
    }
}

/// What a race is for: among takes of which some are good, the poor ones wait.
#[test]
fn a_race_takes_a_fraction_of_the_pairs_of_separate_tests() {
    for (truths, most) in [
        ([40.0, 40.0, 20.0, 20.0, 0.0, 0.0, 0.0, 0.0], 0.45),
        ([60.0, 20.0, 0.0, 0.0, -40.0, -40.0, -40.0, -40.0], 0.5),
        ([40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.65),
    ] {
        let found = played(RaceStop::First, &truths, 300, 1);
        let ratio = found.mean_pairs / separate(&truths);
        assert!(ratio < most, "{truths:?}: {ratio} of the pairs, {found:?}");
        assert!(found.pairs[0] > found.pairs[7], "{found:?}");
    }
}
