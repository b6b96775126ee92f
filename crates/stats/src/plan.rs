//! How a sequential test will go, before it is played: pass probability and length.
//!
//! The log-likelihood ratio is taken as Brownian motion between two walls (A. Wald, "Sequential
//! Analysis", 1947; D. Siegmund, "Sequential Analysis", 1985). Simulated tests that look at every
//! pair come within 0.005 of the probability and 2 % of the length.

use crate::brownian::Motion;
use crate::elo::{ELO_PER_T, score_of_elo};
use crate::sprt::{SprtBounds, SprtSpec};
use model::Elo;
use model::spec::EloModel;

/// What to expect of a test at one true strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Probability that `elo1` is accepted, 0 to 1.
    pub pass_probability: f64,
    /// Mean number of pairs until the verdict.
    pub mean_pairs: f64,
    /// Half of all tests take fewer pairs than this.
    pub median_pairs: f64,
    /// 95 of 100 tests take fewer pairs than this.
    pub q95_pairs: f64,
}

/// The forecast for a true strength in the unit of `spec.model`, given the standard deviation of
/// the score of a pair (0 to ½; 0.18 is usual). The specification must have passed its check.
#[must_use]
pub fn forecast(spec: &SprtSpec, truth: f64, pair_deviation: f64) -> Forecast {
    let motion = motion(spec, truth, pair_deviation);
    Forecast {
        pass_probability: motion.upper_probability(),
        mean_pairs: motion.mean_time(),
        median_pairs: motion.quantile(0.5),
        q95_pairs: motion.quantile(0.95),
    }
}

/// The log-likelihood ratio of a test as a motion whose time is counted in pairs.
pub(crate) fn motion(spec: &SprtSpec, truth: f64, pair_deviation: f64) -> Motion {
    let in_deviations = |elo: f64| match spec.model {
        EloModel::Normalized => std::f64::consts::SQRT_2 * elo / ELO_PER_T,
        EloModel::Logistic => (score_of_elo(Elo(elo)) - 0.5) / pair_deviation,
    };
    let (t0, t1, t) = (in_deviations(spec.elo0), in_deviations(spec.elo1), in_deviations(truth));
    let SprtBounds { lower, upper } = spec.bounds();
    Motion {
        drift: (t1 - t0) * (t - 0.5 * (t0 + t1)),
        variance: (t1 - t0) * (t1 - t0),
        lower,
        upper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

    /// Pass probability and mean games of the Brownian approximation at bounds 0 and 5.
    #[test]
    fn as_tabulated() {
        for (truth, pass, games) in [
            (-1.0, 0.0160, 19_662.0),
            (0.0, 0.0500, 25_591.0),
            (1.0, 0.1460, 33_556.0),
            (2.5, 0.5000, 41_861.0),
            (4.0, 0.8540, 33_556.0),
            (5.0, 0.9500, 25_591.0),
        ] {
            let forecast = forecast(&SPEC, truth, 0.18);
            assert!((forecast.pass_probability - pass).abs() < 6e-5, "{truth}: {forecast:?}");
            assert!((2.0 * forecast.mean_pairs - games).abs() < 1.0, "{truth}: {forecast:?}");
        }
    }

    /// Median and 95 % quantile of the games of 20,000 simulated tests at bounds 0 and 5, which
    /// also step over their bounds: a little above the formula.
    #[test]
    fn quantiles_as_simulated() {
        for (truth, median, q95) in [
            (-1.0, 16_364.0, 45_964.0),
            (0.0, 20_622.0, 62_946.0),
            (2.0, 30_842.0, 108_690.0),
            (2.5, 31_872.0, 110_480.0),
            (4.0, 26_084.0, 84_198.0),
            (6.0, 16_130.0, 44_952.0),
        ] {
            let forecast = forecast(&SPEC, truth, 0.18);
            for (found, simulated) in [(forecast.median_pairs, median), (forecast.q95_pairs, q95)] {
                let ratio: f64 = 2.0 * found / simulated;
                assert!((ratio - 1.0).abs() < 0.03, "{truth}: {forecast:?}, ratio {ratio}");
            }
        }
    }

    #[test]
    fn far_strengths_stay_finite() {
        for truth in [-900.0, 900.0] {
            let forecast = forecast(&SPEC, truth, 0.18);
            assert!(forecast.mean_pairs.is_finite() && forecast.mean_pairs > 0.0);
            assert!(forecast.q95_pairs.is_finite() && forecast.q95_pairs >= forecast.median_pairs);
            assert_eq!(forecast.pass_probability, f64::from(truth > 0.0));
        }
    }

    #[test]
    fn logistic_bounds_follow_the_noise_of_a_pair() {
        let spec = SprtSpec { model: EloModel::Logistic, ..SPEC };
        let quiet = forecast(&spec, 0.0, 0.1).mean_pairs;
        let noisy = forecast(&spec, 0.0, 0.2).mean_pairs;
        assert!((noisy / quiet - 4.0).abs() < 1e-9);
    }
}
