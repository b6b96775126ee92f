//! Sequential tests played with simulated pairs: what a plan says, without its approximations.
//!
//! Every test has its own random stream, so the same seed gives the same tests whatever their
//! number. Verdicts come from the exact log-likelihood ratio, as in a real test; looks are left out
//! only where a quick approximation says that both bounds are far.

use crate::law::PairLaw;
use crate::moments::Moments;
use crate::overshoot::Overshoot;
use crate::sprt::{SprtBounds, SprtDecision, SprtSpec, decide};
use crate::{ELO_PER_T, score_of_elo};
use model::spec::EloModel;
use model::{Elo, Pentanomial};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::num::NonZeroU32;

/// Whether the bounds move with the overshoot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// They stay.
    None,
    /// They follow [`Overshoot`].
    Dynamic,
}

/// How to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Tests to play.
    pub tests: NonZeroU32,
    /// Where the random streams start.
    pub seed: u64,
    /// Pairs between two looks at the ratio.
    pub report_pairs: NonZeroU32,
    /// What is done about stepping over a bound.
    pub correction: Correction,
}

/// What came of the simulated tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Share of tests that accepted `elo1`, 0 to 1.
    pub pass_share: f64,
    /// Its standard error, from the share itself.
    pub pass_error: f64,
    /// Mean number of pairs until the verdict.
    pub mean_pairs: f64,
    /// Its standard error.
    pub mean_error: f64,
    /// Half of the tests took no more pairs than this.
    pub median_pairs: u64,
    /// 95 of 100 tests took no more pairs than this.
    pub q95_pairs: u64,
}

/// Plays tests whose pairs follow `law`. The specification must have passed its check.
#[must_use]
pub fn simulate(spec: &SprtSpec, law: &PairLaw, how: &Simulation) -> Simulated {
    let (mut passes, mut lengths) = (0_u32, Vec::new());
    for stream in 0..how.tests.get() {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        rng.set_stream(u64::from(stream));
        let (decision, pairs) = play(spec, law, how, &mut rng);
        passes += u32::from(decision == SprtDecision::AcceptH1);
        lengths.push(pairs);
    }
    lengths.sort_unstable();
    let tests = f64::from(how.tests.get());
    let pass_share = f64::from(passes) / tests;
    let mean_pairs = lengths.iter().map(|&pairs| pairs as f64).sum::<f64>() / tests;
    let variance =
        lengths.iter().map(|&pairs| (pairs as f64 - mean_pairs).powi(2)).sum::<f64>() / tests;
    let at = |share: f64| lengths[((share * tests).ceil() as usize).clamp(1, lengths.len()) - 1];
    Simulated {
        pass_share,
        pass_error: (pass_share * (1.0 - pass_share) / tests).sqrt(),
        mean_pairs,
        mean_error: (variance / tests).sqrt(),
        median_pairs: at(0.5),
        q95_pairs: at(0.95),
    }
}

/// One test: its verdict and its pairs.
fn play(
    spec: &SprtSpec,
    law: &PairLaw,
    how: &Simulation,
    rng: &mut ChaCha8Rng,
) -> (SprtDecision, u64) {
    let mut counts = Pentanomial::default();
    let mut overshoot = Overshoot::new(how.report_pairs);
    let (steps, report_pairs) = (law.steps(), u64::from(how.report_pairs.get()));
    let (mut pairs, mut next_look) = (0_u64, 0_u64);
    loop {
        for _ in 0..report_pairs {
            counts.0[draw(&steps, rng)] += 1;
        }
        pairs += report_pairs;
        if how.correction == Correction::None {
            if pairs < next_look {
                continue;
            }
            if let Some(quiet) = quiet_pairs(spec, &counts) {
                next_look = pairs + quiet;
                continue;
            }
        }
        let ratio = spec.llr(&counts);
        let mut bounds = spec.bounds();
        if how.correction == Correction::Dynamic {
            overshoot = overshoot.seen(pairs, ratio);
            bounds = overshoot.bounds(bounds);
        }
        match decide(ratio, bounds) {
            SprtDecision::Continue => {}
            decision => return (decision, pairs),
        }
    }
}

/// A score in quarters, drawn from a law given by its [`PairLaw::steps`].
pub(crate) fn draw(steps: &[f64; 4], rng: &mut ChaCha8Rng) -> usize {
    let uniform = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    steps.iter().map(|step| usize::from(uniform >= *step)).sum()
}

/// How many more pairs cannot decide the test, if the quick ratio is clear of both bounds.
///
/// On published tests the quick form is off by 0.07 at most from 500 pairs on with plausible
/// counts, by a few units below that. The pairs that would reach a bound are counted as if all had
/// the same extreme score, each moving the ratio twice as far as the first one would.
fn quiet_pairs(spec: &SprtSpec, counts: &Pentanomial) -> Option<u64> {
    let (now, pairs) = quick_llr(spec, counts);
    let margin = 0.1 + 20.0 / pairs;
    let SprtBounds { lower, upper } = spec.bounds();
    let room = (upper - now).min(now - lower) - margin;
    let step = [0, 4].map(|extreme: usize| {
        let mut next = *counts;
        next.0[extreme] += 1;
        (quick_llr(spec, &next).0 - now).abs()
    });
    let reach = 0.5 * room / step[0].max(step[1]);
    (room > 0.0).then(|| reach.min(0.1 * pairs) as u64)
}

/// The log-likelihood ratio with the variance of the counts under both hypotheses, in closed form;
/// and the pairs.
fn quick_llr(spec: &SprtSpec, counts: &Pentanomial) -> (f64, f64) {
    let Moments { pairs, mean, variance } = Moments::of(counts);
    let ratio = match spec.model {
        EloModel::Logistic => {
            let square = |elo: f64| (mean - score_of_elo(Elo(elo))).powi(2);
            0.5 * pairs * ((variance + square(spec.elo0)) / (variance + square(spec.elo1))).ln()
        }
        EloModel::Normalized => {
            let t = (mean - 0.5) / (2.0 * variance).sqrt();
            let square = |elo: f64| (t - elo / ELO_PER_T).powi(2);
            pairs * ((1.0 + square(spec.elo0)) / (1.0 + square(spec.elo1))).ln()
        }
    };
    (ratio, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 40.0, alpha: 0.05, beta: 0.1, model: EloModel::Logistic };

    fn how(tests: u32, seed: u64) -> Simulation {
        let [tests, report_pairs] = [tests, 1].map(|n| NonZeroU32::new(n).unwrap());
        Simulation { tests, seed, report_pairs, correction: Correction::None }
    }

    #[test]
    fn a_seed_is_a_result() {
        let law = PairLaw::of_draw_ratio(0.4).unwrap();
        assert_eq!(simulate(&SPEC, &law, &how(50, 7)), simulate(&SPEC, &law, &how(50, 7)));
        assert_ne!(simulate(&SPEC, &law, &how(50, 7)), simulate(&SPEC, &law, &how(50, 8)));
    }

    #[test]
    fn one_test_has_one_length() {
        let found = simulate(&SPEC, &PairLaw::of_draw_ratio(0.4).unwrap(), &how(1, 3));
        assert_eq!(found.median_pairs, found.q95_pairs);
        assert_eq!(found.mean_pairs, found.median_pairs as f64);
        assert_eq!(found.pass_error, 0.0);
    }

    /// The quick form may leave out a look only where the exact ratio would not have decided.
    #[test]
    fn the_quick_form_changes_no_verdict() {
        let law = PairLaw::of_draw_ratio(0.4).unwrap();
        for (model, elo1) in [(EloModel::Normalized, 30.0), (EloModel::Logistic, 25.0)] {
            let spec = SprtSpec { model, elo1, ..SPEC };
            let law = law.at(0.5 * elo1, model);
            for stream in 0..40 {
                let mut rng = ChaCha8Rng::seed_from_u64(11);
                rng.set_stream(stream);
                let quick = play(&spec, &law, &how(1, 0), &mut rng.clone());
                let mut counts = Pentanomial::default();
                let exact = loop {
                    counts.0[draw(&law.steps(), &mut rng)] += 1;
                    match decide(spec.llr(&counts), spec.bounds()) {
                        SprtDecision::Continue => {}
                        decision => break (decision, counts.pairs().0),
                    }
                };
                assert_eq!(quick, exact);
            }
        }
    }
}
