//! The gains of SPSA: how far the two sides stand apart and how far a result moves the point.
//!
//! J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation" (1992), and "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization" (1998) for the exponents and the stability constant. Spelling the gains
//! by their values at the end of the tune (`c_end`, `r_end`) is the custom of the chess testers.

use crate::scale;
use model::spec::{GainRule, SpsaSettings};
use model::{Finding, Pairs, ParameterDef, ParameterKind};

/// The schedule of one tune, common to all its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpsaConfig {
    /// What its author set.
    pub settings: SpsaSettings,
    /// The planned length of the tune; the gains have their end values at its last pair. ≥ 1.
    pub pairs_total: Pairs,
    /// Pairs that share one perturbation: the iteration of [`GainRule::OpenBench`], which the other
    /// rules do not ask for. ≥ 1.
    pub block: Pairs,
}

/// The gains of one parameter at one moment of the tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Half the distance between the two sides, on the parameter's scale; > 0.
    pub c: f64,
    /// The learning rate R: one point of difference moves the parameter by `r · c`; > 0.
    pub r: f64,
}

impl SpsaConfig {
    /// The schedule that Spall recommends, for a tune of this length.
    #[must_use]
    pub fn new(pairs_total: Pairs) -> Self {
        Self { settings: SpsaSettings::default(), pairs_total, block: Pairs(1) }
    }

    /// Checks the schedule; `place` is what the findings call it.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self, place: &str) -> Result<(), Vec<Finding>> {
        let mut findings = self.settings.check(place).err().unwrap_or_default();
        for (field, found) in [("pairs", self.pairs_total), ("block", self.block)] {
            if found.0 == 0 {
                findings.push(Finding::new(
                    format!("{place}.{field}"),
                    found.to_string(),
                    "at least 1",
                    "state the number of pairs",
                ));
            }
        }
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    /// The gains for a block whose first pair has this index, counted from 0.
    ///
    /// With N iterations in all, k counted from 1, A = `a_ratio` · N:
    /// `c_k = c_end (N/k)^gamma`, and `R_k = r_end c_end² ((A+N)/(A+k))^alpha / c_k²`.
    ///
    /// An iteration is a pair; with [`GainRule::OpenBench`] it is a block, and k has a fraction
    /// within it. A is a whole number but for that rule.
    ///
    /// But for [`GainRule::Fishtest`], `c` is held to at least ½ for integers, so that the two sides
    /// differ after rounding; with [`GainRule::Elomill`] it is also held to at most half the range.
    /// `r` is that of the `c` in use, so that an estimated slope `balance / 2c` is followed with the
    /// same strength whatever `c` had to be.
    #[must_use]
    pub fn gains(&self, parameter: &ParameterDef, first_pair: u64) -> Gains {
        self.at(first_pair).gains(parameter)
    }

    /// The schedule at a block: what is common to all its parameters.
    pub(crate) fn at(&self, first_pair: u64) -> Moment {
        let SpsaSettings { alpha, gamma, a_ratio, gains: rule } = self.settings;
        let iteration = match rule {
            GainRule::Elomill | GainRule::Fishtest => 1.0,
            GainRule::OpenBench => self.block.0 as f64,
        };
        let k = first_pair as f64 / iteration + 1.0;
        let total = self.pairs_total.0 as f64 / iteration;
        let stability = match rule {
            GainRule::Elomill | GainRule::Fishtest => (a_ratio * total).floor(),
            GainRule::OpenBench => a_ratio * total,
        };
        Moment {
            rule,
            c_factor: total.powf(gamma),
            c_divisor: k.powf(gamma),
            a_factor: (stability + total).powf(alpha),
            a_divisor: (stability + k).powf(alpha),
        }
    }
}

/// The powers of a schedule at one block, which all parameters share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    rule: GainRule,
    c_factor: f64,
    c_divisor: f64,
    a_factor: f64,
    a_divisor: f64,
}

impl Moment {
    /// The gains of a parameter, wherever it stands.
    pub(crate) fn gains(&self, parameter: &ParameterDef) -> Gains {
        // Where a whole number on a logarithmic scale stands says more: see `about`.
        let least = match (parameter.kind, self.rule) {
            (ParameterKind::Int, GainRule::Elomill | GainRule::OpenBench) => 0.5,
            _ => 0.0,
        };
        self.held(parameter, least)
    }

    /// The gains of a parameter that stands at this value. On a logarithmic scale the least half
    /// distance of whole numbers depends on it.
    pub(crate) fn about(&self, parameter: &ParameterDef, value: f64) -> Gains {
        match (parameter.kind, self.rule) {
            (ParameterKind::LogInt, GainRule::Elomill | GainRule::OpenBench) => {
                self.held(parameter, scale::least_half_distance(parameter, value))
            }
            // Its scores follow `choices`, not the gains.
            (ParameterKind::Categorical, _) => Gains { c: parameter.c_end, r: parameter.r_end },
            _ => self.gains(parameter),
        }
    }

    /// The gains of a parameter whose perturbation is this one.
    pub(crate) fn with(&self, parameter: &ParameterDef, c: f64) -> Gains {
        let a = parameter.r_end * parameter.c_end * parameter.c_end * self.a_factor;
        Gains { c, r: a / self.a_divisor / (c * c) }
    }

    fn held(&self, parameter: &ParameterDef, least: f64) -> Gains {
        let c_start = parameter.c_end * self.c_factor;
        let most = match self.rule {
            GainRule::Elomill => 0.5 * scale::width(parameter),
            GainRule::Fishtest | GainRule::OpenBench => f64::INFINITY,
        };
        self.with(parameter, (c_start / self.c_divisor).max(least).min(most))
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

    fn with(gains: GainRule, pairs: u64, block: u64) -> SpsaConfig {
        let settings = SpsaSettings { gains, ..SpsaSettings::default() };
        SpsaConfig { settings, block: Pairs(block), ..SpsaConfig::new(Pairs(pairs)) }
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-5, "{value} should be {expected}");
    }

    /// c_end 5, r_end 0.002, 30,000 pairs, as the testing server of Stockfish computes them.
    #[test]
    fn gains_of_one_pair_an_iteration_as_published() {
        let config = with(GainRule::Fishtest, 30_000, 12);
        assert_eq!(
            SpsaConfig::new(Pairs(30_000)).gains(&parameter(ParameterKind::Int, 5.0), 999),
            config.gains(&parameter(ParameterKind::Int, 5.0), 999),
        );
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

    /// The other well-known server counts iterations of 8 pairs, here 25,000 of them.
    #[test]
    fn gains_of_the_other_server_in_its_own_iterations() {
        let config = with(GainRule::OpenBench, 200_000, 8);
        for (first, c, r, step) in [
            (0, 13.90471, 0.001_095_12, 0.015_227_3),
            (8, 12.96456, 0.001_259_40, 0.016_327_6),
            (800, 8.724_197, 0.002_716_96, 0.023_703_4),
            (200_000, 4.999_98, 0.001_999_97, 0.009_999_82),
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
        // One of the two servers floors integers as well, the other lets both sides round alike.
        let small = parameter(ParameterKind::Int, 0.3);
        let floored = with(GainRule::OpenBench, 200_000, 8).gains(&small, 199_992);
        assert_eq!(floored.c, 0.5);
        assert_near(floored.r, 0.00072);
        let plain = with(GainRule::Fishtest, 25_000, 8).gains(&small, 24_999);
        assert_near(plain.c, 0.3);
        assert_near(plain.r, 0.002);
        // 90 at the end would be 250 at the start, but the range is 200 wide.
        assert_eq!(config.gains(&parameter(ParameterKind::Int, 90.0), 0).c, 100.0);
    }

    #[test]
    fn a_wrong_schedule_is_named() {
        assert!(SpsaConfig::new(Pairs(1)).check("spsa").is_ok());
        let settings =
            SpsaSettings { alpha: f64::NAN, gamma: 0.7, a_ratio: 2.0, gains: GainRule::default() };
        let wrong = SpsaConfig { settings, pairs_total: Pairs(0), block: Pairs(1) };
        let places: Vec<String> =
            wrong.check("spsa").unwrap_err().into_iter().map(|f| f.place).collect();
        assert_eq!(places, ["spsa.alpha", "spsa.gamma", "spsa.a_ratio", "spsa.pairs"]);
    }
}
