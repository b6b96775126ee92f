//! The strength that a sequential test shows, freed from the bias of its own stopping.
//!
//! A test stops when it looks good or bad, so the plain estimate exaggerates. Here the outcomes are
//! put in order (a fast pass above a slow one, that above a failure) and the estimate is the
//! strength at which the seen outcome is the median one; the interval follows from the quantiles
//! (D. Siegmund, "Estimation following sequential tests", Biometrika 65, 1978).

use crate::brownian::Motion;
use crate::elo::{ELO_PER_T, score_of_elo};
use crate::moments::Moments;
use crate::sprt::{SprtBounds, SprtSpec};
use model::spec::EloModel;
use model::{Elo, Pentanomial};

/// Estimates beyond ±1000 Elo are shown as ±1000.
const WIDEST: f64 = 1000.0;

/// Strength as a sequential test shows it, on the logistic scale whatever that of its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectedElo {
    /// The median-unbiased difference, −1000 to 1000.
    pub elo: Elo,
    /// Lower end of the 95 % interval.
    pub low: Elo,
    /// Upper end of the 95 % interval.
    pub high: Elo,
    /// Likelihood of superiority: the probability, 0 to 1, of a worse outcome at equal strength.
    pub los: f64,
}

impl SprtSpec {
    /// The estimate from the counts with which the test has stopped, or with which it stands: then
    /// as if it had been looked at only here and at the bounds.
    ///
    /// A ratio past a bound counts as having met it on the straight line from the start. Finite for
    /// all counts; the specification must have passed its check.
    #[must_use]
    pub fn corrected(&self, counts: &Pentanomial) -> CorrectedElo {
        let seen = Seen::of(self, counts);
        let elo = seen.strength_at(0.5);
        CorrectedElo {
            elo: Elo(elo),
            low: Elo(seen.strength_at(0.975).min(elo)),
            high: Elo(seen.strength_at(0.025).max(elo)),
            los: seen.worse(0.0),
        }
    }
}

/// An outcome on the plane of pairs and log-likelihood ratio, the latter in its normal form.
struct Seen {
    bounds: SprtBounds,
    /// Mean scores halfway between and apart under the two hypotheses.
    middle: f64,
    width: f64,
    /// Variance of the score of a pair.
    variance: f64,
    pairs: f64,
    llr: f64,
}

impl Seen {
    fn of(spec: &SprtSpec, counts: &Pentanomial) -> Self {
        let Moments { pairs, mean, variance } = Moments::of(counts);
        let (middle, width) = match spec.model {
            EloModel::Logistic => {
                let (s0, s1) = (score_of_elo(Elo(spec.elo0)), score_of_elo(Elo(spec.elo1)));
                (0.5 * (s0 + s1), s1 - s0)
            }
            EloModel::Normalized => {
                let unit = (2.0 * variance).sqrt() / ELO_PER_T;
                (0.5 + 0.5 * (spec.elo0 + spec.elo1) * unit, (spec.elo1 - spec.elo0) * unit)
            }
        };
        let bounds = spec.bounds();
        let slope = (mean - middle) * width / variance;
        let (llr, pairs) = match slope * pairs {
            llr if llr > bounds.upper => (bounds.upper, bounds.upper / slope),
            llr if llr < bounds.lower => (bounds.lower, bounds.lower / slope),
            llr => (llr, pairs),
        };
        Self { bounds, middle, width, variance, pairs, llr }
    }

    /// The probability of a worse outcome at this true strength in logistic Elo.
    fn worse(&self, elo: f64) -> f64 {
        let motion = Motion {
            drift: (score_of_elo(Elo(elo)) - self.middle) * self.width / self.variance,
            variance: self.width * self.width / self.variance,
            lower: self.bounds.lower,
            upper: self.bounds.upper,
        };
        motion.worse(self.pairs, self.llr)
    }

    /// The strength at which a worse outcome has this probability; it falls with strength.
    fn strength_at(&self, probability: f64) -> f64 {
        let (mut low, mut high) = (-WIDEST, WIDEST);
        if self.worse(low) <= probability {
            return low;
        }
        if self.worse(high) >= probability {
            return high;
        }
        while high - low > 1e-11 {
            let middle = 0.5 * (low + high);
            if self.worse(middle) > probability { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::estimate;
    use proptest::prelude::*;

    const SPEC: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 2.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

    #[test]
    fn a_pass_is_worth_less_than_it_shows_and_a_failure_more() {
        let passed = Pentanomial([39, 8843, 26675, 9300, 44]);
        let failed = Pentanomial([44, 9300, 26675, 8843, 39]);
        for (counts, sign) in [(passed, 1.0), (failed, -1.0)] {
            let (plain, corrected) = (estimate(&counts), SPEC.corrected(&counts));
            assert!(sign * (plain.elo.0 - corrected.elo.0) > 0.03, "{plain:?} {corrected:?}");
        }
    }

    #[test]
    fn far_from_the_bounds_there_is_nothing_to_correct() {
        let counts = Pentanomial([13, 37, 50, 25, 3]);
        let (plain, corrected) = (estimate(&counts), SPEC.corrected(&counts));
        assert!((plain.elo.0 - corrected.elo.0).abs() < 1e-9);
        assert!((plain.low.0 - corrected.low.0).abs() < 1e-6);
        assert!((plain.los - corrected.los).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn ordered_and_finite_for_all_counts(
            counts in prop::array::uniform5(prop_oneof![
                Just(0_u64), 0_u64..30, 0_u64..1_000_000, any::<u64>(), Just(u64::MAX)
            ]),
            normalized in any::<bool>(),
        ) {
            let model = if normalized { EloModel::Normalized } else { EloModel::Logistic };
            let found = SprtSpec { model, ..SPEC }.corrected(&Pentanomial(counts));
            prop_assert!(found.low <= found.elo && found.elo <= found.high, "{found:?}");
            prop_assert!(found.low.0 >= -1000.0 && found.high.0 <= 1000.0, "{found:?}");
            prop_assert!((0.0..=1.0).contains(&found.los), "{found:?}");
        }
    }
}
