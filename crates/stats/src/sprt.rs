//! The sequential probability ratio test: its specification, its bounds, its verdict.
//!
//! A. Wald, "Sequential Analysis" (1947). The test stops the first time that the log-likelihood
//! ratio reaches one of two bounds that depend upon the wanted error rates alone.

use crate::elo::{EloEstimate, estimate};
use crate::likelihood::{MAX_BOUND, llr};
use model::spec::EloModel;
use model::{Elo, NormalizedElo, Pentanomial};

/// What is wrong with a specification.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// A bound is not a number or too large.
    #[error("elo0 and elo1 must lie between -{MAX_BOUND} and {MAX_BOUND}, found {0}")]
    Bound(f64),
    /// The bounds do not rise.
    #[error("elo0 must be less than elo1, found {elo0} and {elo1}")]
    Order {
        /// The lower hypothesis.
        elo0: f64,
        /// The upper hypothesis.
        elo1: f64,
    },
    /// An error rate is out of range.
    #[error("{which} must lie strictly between 0 and 0.5, found {found}")]
    Rate {
        /// `alpha` or `beta`.
        which: &'static str,
        /// What stood there.
        found: f64,
    },
}

/// Where the test stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtBounds {
    /// At or below this the lower hypothesis is accepted; < 0.
    pub lower: f64,
    /// At or above this the upper hypothesis is accepted; > 0.
    pub upper: f64,
}

impl SprtBounds {
    /// Wald's bounds `ln(β / (1 − α))` and `ln((1 − β) / α)`, for rates in (0, ½).
    #[must_use]
    pub fn new(alpha: f64, beta: f64) -> Self {
        Self { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }
}

/// A test of `elo1` (the change is worth it) against `elo0` (it is not).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtSpec {
    /// Strength under the lower hypothesis, in the unit of `model`.
    pub elo0: f64,
    /// Strength under the upper hypothesis, in the unit of `model`; > `elo0`.
    pub elo1: f64,
    /// Probability of accepting `elo1` when `elo0` is true; in (0, ½).
    pub alpha: f64,
    /// Probability of accepting `elo0` when `elo1` is true; in (0, ½).
    pub beta: f64,
    /// The scale of the bounds.
    pub model: EloModel,
}

impl From<model::spec::SprtSpec> for SprtSpec {
    /// The same numbers, as an author's file states them.
    fn from(spec: model::spec::SprtSpec) -> Self {
        let model::spec::SprtSpec { elo0, elo1, alpha, beta, model } = spec;
        Self { elo0, elo1, alpha, beta, model }
    }
}

impl SprtSpec {
    /// Checks the specification.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), SprtError> {
        for bound in [self.elo0, self.elo1] {
            // Written so that NaN fails.
            if !(-MAX_BOUND..=MAX_BOUND).contains(&bound) {
                return Err(SprtError::Bound(bound));
            }
        }
        if self.elo0 >= self.elo1 {
            return Err(SprtError::Order { elo0: self.elo0, elo1: self.elo1 });
        }
        for (which, found) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(found > 0.0 && found < 0.5) {
                return Err(SprtError::Rate { which, found });
            }
        }
        Ok(())
    }

    /// Where the test stops.
    #[must_use]
    pub fn bounds(&self) -> SprtBounds {
        SprtBounds::new(self.alpha, self.beta)
    }

    /// The log-likelihood ratio of these counts.
    #[must_use]
    pub fn llr(&self, counts: &Pentanomial) -> f64 {
        llr(counts, self.elo0, self.elo1, self.model)
    }

    /// Everything that a reader wants to know about these counts.
    #[must_use]
    pub fn report(&self, counts: &Pentanomial) -> SprtReport {
        let llr = self.llr(counts);
        let SprtBounds { lower, upper } = self.bounds();
        let EloEstimate { elo, low, high, normalized, los, .. } = estimate(counts);
        SprtReport {
            llr,
            lower,
            upper,
            elo,
            elo_low: low,
            elo_high: high,
            normalized,
            los,
            decision: decide(llr, self.bounds()),
        }
    }
}

/// The verdict at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SprtDecision {
    /// Neither bound is reached.
    Continue,
    /// `elo0` is accepted: the change fails.
    AcceptH0,
    /// `elo1` is accepted: the change passes.
    AcceptH1,
}

/// The verdict for this log-likelihood ratio; reaching a bound is enough.
#[must_use]
pub fn decide(llr: f64, bounds: SprtBounds) -> SprtDecision {
    if llr >= bounds.upper {
        SprtDecision::AcceptH1
    } else if llr <= bounds.lower {
        SprtDecision::AcceptH0
    } else {
        SprtDecision::Continue
    }
}

/// A test at one moment: a pure function of its specification and its counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtReport {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Lower bound of `llr`.
    pub lower: f64,
    /// Upper bound of `llr`.
    pub upper: f64,
    /// Estimated difference.
    pub elo: Elo,
    /// Lower end of its 95 % interval.
    pub elo_low: Elo,
    /// Upper end of its 95 % interval.
    pub elo_high: Elo,
    /// Estimated difference in standard deviations of a game.
    pub normalized: NormalizedElo,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
    /// The verdict.
    pub decision: SprtDecision,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPEC: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 2.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

    #[test]
    fn bounds_as_published() {
        let bounds = SprtBounds::new(0.05, 0.05);
        assert!((bounds.upper - 2.944_438_979).abs() < 1e-9);
        assert!((bounds.lower + 2.944_438_979).abs() < 1e-9);
        let bounds = SprtBounds::new(0.05, 0.10);
        assert!((bounds.lower + 2.25129).abs() < 1e-5 && (bounds.upper - 2.89037).abs() < 1e-5);
    }

    #[test]
    fn a_bound_that_is_reached_decides() {
        let bounds = SPEC.bounds();
        assert_eq!(decide(bounds.upper, bounds), SprtDecision::AcceptH1);
        assert_eq!(decide(bounds.lower, bounds), SprtDecision::AcceptH0);
        assert_eq!(decide(0.0, bounds), SprtDecision::Continue);
    }

    #[test]
    fn wrong_specifications_are_named() {
        assert_eq!(SPEC.check(), Ok(()));
        let nan = SprtSpec { elo0: f64::NAN, ..SPEC }.check();
        assert!(matches!(nan, Err(SprtError::Bound(found)) if found.is_nan()));
        assert_eq!(SprtSpec { elo1: 1001.0, ..SPEC }.check(), Err(SprtError::Bound(1001.0)));
        assert_eq!(
            SprtSpec { elo1: 0.0, ..SPEC }.check(),
            Err(SprtError::Order { elo0: 0.0, elo1: 0.0 })
        );
        for found in [0.0, 0.5, -0.1] {
            assert_eq!(
                SprtSpec { beta: found, ..SPEC }.check(),
                Err(SprtError::Rate { which: "beta", found })
            );
        }
        assert!(SprtSpec { alpha: f64::NAN, ..SPEC }.check().is_err());
    }

    #[test]
    fn a_report_carries_the_verdict_of_its_own_numbers() {
        let passed = SPEC.report(&Pentanomial([39, 8843, 26675, 9940, 44]));
        assert_eq!(passed.decision, SprtDecision::AcceptH1);
        assert!(passed.elo_low < passed.elo && passed.elo < passed.elo_high);
        let open = SPEC.report(&Pentanomial::default());
        assert_eq!(open.decision, SprtDecision::Continue);
        assert_eq!(open.los, 0.5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_report_is_finite_for_all_counts(
            counts in prop::array::uniform5(prop_oneof![
                Just(0_u64), 0_u64..30, 0_u64..1_000_000, any::<u64>(), Just(u64::MAX)
            ]),
        ) {
            let report = SPEC.report(&Pentanomial(counts));
            for value in [report.llr, report.elo.0, report.normalized.0, report.los] {
                prop_assert!(value.is_finite(), "{report:?}");
            }
            prop_assert!(report.elo_low <= report.elo && report.elo <= report.elo_high);
            prop_assert!((0.0..=1.0).contains(&report.los));
        }
    }
}
