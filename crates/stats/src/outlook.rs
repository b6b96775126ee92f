//! How a running test will go on: its chance of passing, how much longer it will take, and whether
//! its budget can still bring it home.
//!
//! From where it stands, the log-likelihood ratio is Brownian motion to the nearer of two walls (A.
//! Wald, 1947). What drives it, the true strength, is taken as normal about the middle of the two
//! hypotheses with their distance as deviation, sharpened by the pairs played; the forecast is the
//! mean over that posterior. Measured in the test's own units it depends on nothing but the ratio,
//! the pairs and the distance of the hypotheses.

use crate::brownian::Motion;
use crate::plan::motion;
use crate::sprt::{SprtBounds, SprtSpec};
use crate::{Moments, overshoot::Overshoot};
use model::Pentanomial;
use statrs::distribution::{ContinuousCDF, Normal};

/// Strengths of equal probability over which the forecast is averaged.
const STRENGTHS: usize = 15;

/// What to expect of a test that has not ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Probability that it will accept `elo1`, 0 to 1, if its budget does not end before.
    pub pass_probability: f64,
    /// Mean number of pairs until its verdict.
    pub mean_pairs: f64,
    /// In half of all cases it takes fewer pairs than this.
    pub median_pairs: f64,
    /// In 95 of 100 cases it takes fewer pairs than this.
    pub q95_pairs: f64,
}

impl SprtSpec {
    /// What to expect of a test that stands at these counts and this ratio. Finite for all counts;
    /// the specification must have passed its check.
    #[must_use]
    pub fn outlook(&self, counts: &Pentanomial, llr: f64, overshoot: &Overshoot) -> Outlook {
        let left = self.left(counts, llr, overshoot);
        let pairs = counts.0.iter().map(|&count| count as f64).sum::<f64>();
        let width = left.variance.sqrt();
        // In standard deviations of a pair from the middle of the hypotheses: seen is llr/(n·width)
        // with precision n, the prior is 0 with precision 1/width².
        let precision = pairs + 1.0 / left.variance;
        let mean = llr / width / precision;
        let deviation = precision.sqrt().recip();
        let standard = Normal::standard();
        let ways: Vec<Motion> = (0..STRENGTHS)
            .map(|place| {
                let z = standard.inverse_cdf((place as f64 + 0.5) / STRENGTHS as f64);
                Motion { drift: width * (mean + deviation * z), ..left }
            })
            .collect();
        let average =
            |of: &dyn Fn(&Motion) -> f64| ways.iter().map(of).sum::<f64>() / STRENGTHS as f64;
        let quantile = |share: f64| {
            let going = |time: f64| average(&|way| way.going(time));
            let (mut low, mut high) = (0.0, 1.0);
            while going(high) > 1.0 - share && high < 1e15 {
                low = high;
                high *= 2.0;
            }
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                if going(middle) > 1.0 - share { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        Outlook {
            pass_probability: average(&Motion::upper_probability),
            mean_pairs: average(&Motion::mean_time),
            median_pairs: quantile(0.5),
            q95_pairs: quantile(0.95),
        }
    }

    /// The probability that the test accepts `elo1` within this many more pairs if `elo1` is true:
    /// the conditional power.
    ///
    /// A test that stops when this falls below g keeps its α and rejects a candidate as strong as
    /// `elo1` with a probability of at most β/(1 − g), and what its budget adds to that (K. Lan, R.
    /// Simon, M. Halperin, "Stochastically curtailed tests in long-term clinical trials", 1982).
    #[must_use]
    pub fn power_left(
        &self,
        counts: &Pentanomial,
        llr: f64,
        overshoot: &Overshoot,
        more_pairs: f64,
    ) -> f64 {
        let left = self.left(counts, llr, overshoot);
        // At elo1 the ratio drifts by half its variance.
        let at_elo1 = Motion { drift: 0.5 * left.variance, ..left };
        at_elo1.upper_by(more_pairs.max(0.0)).clamp(0.0, 1.0)
    }

    /// The motion that is left from where the test stands, without its drift. A ratio past a bound
    /// counts as just before it.
    fn left(&self, counts: &Pentanomial, llr: f64, overshoot: &Overshoot) -> Motion {
        let SprtBounds { lower, upper } = overshoot.bounds(self.bounds());
        let deviation = Moments::of(counts).variance.sqrt();
        let nearest = 1e-6;
        Motion {
            drift: 0.0,
            variance: motion(self, self.elo0, deviation).variance,
            lower: (lower - llr).min(-nearest),
            upper: (upper - llr).max(nearest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::PairLaw;
    use model::spec::EloModel;
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const SPEC: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

    /// Before the first pair it is the plan, averaged over the prior.
    #[test]
    fn nothing_played_is_the_plan() {
        let outlook = SPEC.outlook(&Pentanomial::default(), 0.0, &Overshoot::default());
        assert!((outlook.pass_probability - 0.5).abs() < 1e-9, "{outlook:?}");
        let middle = crate::forecast(&SPEC, 2.5, 0.18);
        let bound = crate::forecast(&SPEC, 5.0, 0.18);
        assert!(outlook.mean_pairs < middle.mean_pairs, "{outlook:?}");
        assert!(outlook.mean_pairs > 0.8 * bound.mean_pairs, "{outlook:?}");
        assert!(
            outlook.median_pairs < outlook.mean_pairs && outlook.mean_pairs < outlook.q95_pairs
        );
    }

    #[test]
    fn a_test_near_a_bound_will_soon_meet_it() {
        let counts = Pentanomial([60, 2300, 5400, 2460, 65]);
        let llr = SPEC.llr(&counts);
        assert!((1.5..2.9).contains(&llr), "{llr}");
        let outlook = SPEC.outlook(&counts, llr, &Overshoot::default());
        assert!(outlook.pass_probability > 0.85, "{outlook:?}");
        let fresh = SPEC.outlook(&Pentanomial::default(), 0.0, &Overshoot::default());
        assert!(outlook.mean_pairs < 0.7 * fresh.mean_pairs, "{outlook:?}");
    }

    /// Tests with a strength from the prior, cut off at 3,000 pairs: of those that still run, as
    /// many pass as was foretold, and half take longer than the median.
    #[test]
    fn forecasts_come_true_on_average() {
        let spec = SprtSpec { elo1: 20.0, ..SPEC };
        let equals = PairLaw::of_draw_ratio(0.6).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut uniform = move || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let standard = Normal::standard();
        let (mut tests, mut passes, mut foretold, mut longer) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..600 {
            let truth = 10.0 + 20.0 * standard.inverse_cdf(uniform().max(1e-9));
            let steps = equals.at(truth, spec.model).steps();
            let mut counts = Pentanomial::default();
            let mut outlook = None;
            let verdict = loop {
                let (u, at) = (uniform(), counts.pairs().0);
                counts.0[steps.iter().map(|step| usize::from(u >= *step)).sum::<usize>()] += 1;
                let llr = spec.llr(&counts);
                match crate::decide(llr, spec.bounds()) {
                    crate::SprtDecision::Continue => {}
                    verdict => break verdict,
                }
                if at + 1 == 300 {
                    outlook = Some(spec.outlook(&counts, llr, &Overshoot::default()));
                }
            };
            let Some(outlook) = outlook else { continue };
            tests += 1.0;
            passes += f64::from(verdict == crate::SprtDecision::AcceptH1);
            foretold += outlook.pass_probability;
            longer += f64::from(counts.pairs().0 as f64 - 300.0 > outlook.median_pairs);
        }
        assert!(tests > 300.0, "{tests} tests were still running");
        let error = 3.0 * (0.25_f64 / tests).sqrt();
        assert!((passes - foretold).abs() / tests < error, "{passes} of {tests}, not {foretold}");
        assert!((longer / tests - 0.5).abs() < error + 0.02, "{longer} of {tests} took longer");
    }

    #[test]
    fn little_power_is_left_when_the_budget_ends_soon() {
        let counts = Pentanomial([50, 2000, 5000, 2000, 50]);
        let llr = SPEC.llr(&counts);
        let power = |more: f64| SPEC.power_left(&counts, llr, &Overshoot::default(), more);
        assert_eq!(power(0.0), 0.0);
        assert!(power(200.0) < 0.01 && power(200.0) <= power(5_000.0));
        // Without an end it is the chance that the start of the test leaves: above 1 − β here.
        let start = SPEC.power_left(&Pentanomial::default(), 0.0, &Overshoot::default(), 1e9);
        assert!((start - 0.95).abs() < 1e-3, "{start}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn finite_for_all_counts(
            counts in prop::array::uniform5(prop_oneof![
                Just(0_u64), 0_u64..30, 0_u64..1_000_000, any::<u64>(), Just(u64::MAX)
            ]),
            normalized in any::<bool>(),
        ) {
            let model = if normalized { EloModel::Normalized } else { EloModel::Logistic };
            let (spec, counts) = (SprtSpec { model, ..SPEC }, Pentanomial(counts));
            let llr = spec.llr(&counts);
            let found = spec.outlook(&counts, llr, &Overshoot::default());
            prop_assert!((0.0..=1.0).contains(&found.pass_probability), "{found:?}");
            prop_assert!(found.mean_pairs.is_finite() && found.mean_pairs >= 0.0, "{found:?}");
            prop_assert!(found.median_pairs <= found.q95_pairs, "{found:?}");
            let power = spec.power_left(&counts, llr, &Overshoot::default(), 1e4);
            prop_assert!((0.0..=1.0).contains(&power), "{power}");
        }
    }
}
