//! The gains of SPSA: how far the two sides stand apart and how far a result moves the point.
//!
//! J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation" (1992), and "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization" (1998) for the exponents and the stability constant. Spelling the gains
//! by their values at the end of the tune (`c_end`, `r_end`) is the custom of the chess testers.

use model::{Finding, Pairs, ParameterDef, ParameterKind};
use serde::{Deserialize, Serialize};

/// The schedule of a tune, common to all its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaConfig {
    /// How fast the gain falls; in (0, 1].
    #[serde(default = "default_alpha")]
    pub alpha: f64,
    /// How fast the perturbation falls; in (0, alpha).
    #[serde(default = "default_gamma")]
    pub gamma: f64,
    /// The stability constant A as a share of `pairs_total`, 0 to 1.
    #[serde(default = "default_a_ratio")]
    pub a_ratio: f64,
    /// The planned length of the tune; the gains have their end values at its last pair. ≥ 1.
    pub pairs_total: Pairs,
}

fn default_alpha() -> f64 {
    0.602
}

fn default_gamma() -> f64 {
    0.101
}

fn default_a_ratio() -> f64 {
    0.1
}

/// The gains of one parameter at one moment of the tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Half the distance between the two sides, in the parameter's unit; > 0.
    pub c: f64,
    /// The learning rate R: one point of difference moves the parameter by `r · c`; > 0.
    pub r: f64,
}

impl SpsaConfig {
    /// The schedule that Spall recommends, for a tune of this length.
    #[must_use]
    pub fn new(pairs_total: Pairs) -> Self {
        Self {
            alpha: default_alpha(),
            gamma: default_gamma(),
            a_ratio: default_a_ratio(),
            pairs_total,
        }
    }

    /// Checks the schedule; `place` is what the findings call it.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self, place: &str) -> Result<(), Vec<Finding>> {
        let mut findings = Vec::new();
        let mut require = |holds: bool, field: &str, found: String, allowed: &str, mend: &str| {
            if !holds {
                findings.push(Finding::new(format!("{place}.{field}"), found, allowed, mend));
            }
        };
        let Self { alpha, gamma, a_ratio, pairs_total } = *self;
        require(
            alpha > 0.0 && alpha <= 1.0,
            "alpha",
            alpha.to_string(),
            "more than 0, at most 1",
            "leave it out for 0.602",
        );
        require(
            gamma > 0.0 && gamma < alpha,
            "gamma",
            gamma.to_string(),
            "more than 0, less than alpha",
            "leave it out for 0.101",
        );
        require(
            (0.0..=1.0).contains(&a_ratio),
            "a_ratio",
            a_ratio.to_string(),
            "0 to 1",
            "leave it out for 0.1",
        );
        require(
            pairs_total.0 >= 1,
            "pairs",
            pairs_total.to_string(),
            "at least 1",
            "state the number of pairs that the tune may use",
        );
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    /// The gains for a block whose first pair has this index, counted from 0.
    ///
    /// With k = `first_pair` + 1, N = `pairs_total`, A = `a_ratio` · N:
    /// `c_k = c_end (N/k)^gamma`, and `R_k = r_end c_end² ((A+N)/(A+k))^alpha / c_k²`.
    ///
    /// `c` is held to at least ½ for integers, so that the two sides differ after rounding, and to
    /// at most half the range. `r` is that of the `c` in use, so that an estimated slope
    /// `balance / 2c` is followed with the same strength whatever `c` had to be.
    #[must_use]
    pub fn gains(&self, parameter: &ParameterDef, first_pair: u64) -> Gains {
        let k = first_pair as f64 + 1.0;
        let total = self.pairs_total.0 as f64;
        let stability = (self.a_ratio * total).floor();
        let c_start = parameter.c_end * total.powf(self.gamma);
        let a = parameter.r_end
            * parameter.c_end
            * parameter.c_end
            * (stability + total).powf(self.alpha);
        let least = match parameter.kind {
            ParameterKind::Int => 0.5,
            ParameterKind::Float => 0.0,
        };
        let c =
            (c_start / k.powf(self.gamma)).max(least).min(0.5 * (parameter.max - parameter.min));
        Gains { c, r: a / (stability + k).powf(self.alpha) / (c * c) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(kind: ParameterKind, c_end: f64) -> ParameterDef {
        ParameterDef {
            name: "x".to_owned(),
            kind,
            start: 100.0,
            min: 0.0,
            max: 200.0,
            c_end,
            r_end: 0.002,
        }
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-5, "{value} should be {expected}");
    }

    /// c_end 5, r_end 0.002, 30,000 pairs, as the testing server of Stockfish computes them.
    #[test]
    fn gains_of_one_pair_an_iteration_as_published() {
        let config = SpsaConfig::new(Pairs(30_000));
        for (first_pair, c, r, step) in [
            (0, 14.16313, 0.001_055_56, 0.014_950_0),
            (1, 13.20551, 0.001_213_96, 0.016_030_9),
            (999, 7.049_515, 0.003_583_91, 0.025_264_8),
            (29_999, 5.0, 0.002, 0.01),
        ] {
            let gains = config.gains(&parameter(ParameterKind::Float, 5.0), first_pair);
            assert_near(gains.c, c);
            assert_near(gains.r, r);
            assert_near(gains.r * gains.c, step);
        }
    }

    /// The other well-known server counts iterations of 8 pairs; in its units, 25,000 of them.
    #[test]
    fn gains_of_the_other_server_in_its_own_iterations() {
        let config = SpsaConfig::new(Pairs(25_000));
        for (first, c, r, step) in [
            (0, 13.90471, 0.001_095_12, 0.015_227_3),
            (1, 12.96456, 0.001_259_40, 0.016_327_6),
            (100, 8.724_197, 0.002_716_96, 0.023_703_4),
            (25_000, 4.999_98, 0.001_999_97, 0.009_999_82),
        ] {
            let gains = config.gains(&parameter(ParameterKind::Int, 5.0), first);
            assert_near(gains.c, c);
            assert_near(gains.r, r);
            assert_near(gains.r * gains.c, step);
        }
    }

    /// a = 0.2, c = 1.6, A = 25 at k = 3: the unit test of the same server, restated by end values.
    #[test]
    fn the_third_pair_of_a_short_tune() {
        let config = SpsaConfig::new(Pairs(250));
        let c_end = 1.6 / 250_f64.powf(0.101);
        let r_end = 0.2 / 275_f64.powf(0.602) / (c_end * c_end);
        let gains =
            config.gains(&ParameterDef { r_end, ..parameter(ParameterKind::Float, c_end) }, 2);
        assert_near(gains.c, 1.6 / 3_f64.powf(0.101));
        assert_near(gains.r, 0.2 / 28_f64.powf(0.602) / (gains.c * gains.c));
    }

    #[test]
    fn integers_keep_half_a_unit_and_ranges_hold() {
        let config = SpsaConfig::new(Pairs(25_000));
        let gains = config.gains(&parameter(ParameterKind::Int, 0.3), 24_999);
        assert_eq!(gains.c, 0.5);
        assert_near(gains.r, 0.00072);
        assert_near(config.gains(&parameter(ParameterKind::Float, 0.3), 24_999).c, 0.3);
        // 90 at the end would be 250 at the start, but the range is 200 wide.
        assert_eq!(config.gains(&parameter(ParameterKind::Int, 90.0), 0).c, 100.0);
    }

    #[test]
    fn a_wrong_schedule_is_named() {
        assert!(SpsaConfig::new(Pairs(1)).check("spsa").is_ok());
        let wrong = SpsaConfig { alpha: f64::NAN, gamma: 0.7, a_ratio: 2.0, pairs_total: Pairs(0) };
        let places: Vec<String> =
            wrong.check("spsa").unwrap_err().into_iter().map(|f| f.place).collect();
        assert_eq!(places, ["spsa.alpha", "spsa.gamma", "spsa.a_ratio", "spsa.pairs"]);
    }
}
