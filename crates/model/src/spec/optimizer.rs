//! Which optimiser moves the parameters of a tune, with everything that a user may set of it.
//!
//! The algorithms are in `tune`; the settings are here because a file, a message and a row of the
//! ledger carry them.

use crate::Finding;
use serde::{Deserialize, Serialize};

/// The most parameters that `bqr` moves: its statistics grow with their square, to 45,150 numbers
/// here. A tune of more is moved by `spsa`.
pub const BQR_MOST_PARAMETERS: usize = 100;

/// An optimiser and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptimizerSpec {
    /// Follows noisy slopes (J. C. Spall, 1992).
    Spsa(SpsaSettings),
    /// Fits a surface to every report by Bayesian regression.
    Bqr(BqrSettings),
}

impl Default for OptimizerSpec {
    fn default() -> Self {
        Self::Spsa(SpsaSettings::default())
    }
}

impl OptimizerSpec {
    /// Which of them.
    #[must_use]
    pub fn kind(&self) -> OptimizerKind {
        match self {
            Self::Spsa(_) => OptimizerKind::Spsa,
            Self::Bqr(_) => OptimizerKind::Bqr,
        }
    }

    /// Checks the settings; `place` is the table that they stand in.
    pub(super) fn check(&self, place: &str, findings: &mut Vec<Finding>) {
        let found = match self {
            Self::Spsa(settings) => settings.check(place),
            Self::Bqr(settings) => settings.check(&format!("{place}.bqr")),
        };
        findings.extend(found.err().unwrap_or_default());
    }
}

/// An optimiser by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Simultaneous perturbation stochastic approximation.
    #[default]
    Spsa,
    /// Bayesian quadratic regression.
    Bqr,
}

impl OptimizerKind {
    /// Every optimiser.
    pub const ALL: [OptimizerKind; 2] = [OptimizerKind::Spsa, OptimizerKind::Bqr];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OptimizerKind::Spsa => "spsa",
            OptimizerKind::Bqr => "bqr",
        }
    }
}

impl std::fmt::Display for OptimizerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for OptimizerKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = OptimizerKind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| "allowed: spsa, bqr".to_owned())
    }
}

/// Whose rule turns `c_end` and `r_end` into the gains of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GainRule {
    /// An iteration is a pair; integers are perturbed by at least ½, ranges are kept whole.
    #[default]
    Elomill,
    /// As fishtest computes them: an iteration is a pair, nothing is held to a least value.
    Fishtest,
    /// As OpenBench computes them: an iteration is as many pairs as a lease has, integers are
    /// perturbed by at least ½.
    OpenBench,
}

impl GainRule {
    /// Every rule with its stable name.
    pub const ALL: [(&'static str, GainRule); 3] = [
        ("elomill", GainRule::Elomill),
        ("fishtest", GainRule::Fishtest),
        ("openbench", GainRule::OpenBench),
    ];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GainRule::Elomill => "elomill",
            GainRule::Fishtest => "fishtest",
            GainRule::OpenBench => "openbench",
        }
    }
}

/// The schedule of SPSA, common to all parameters of a tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpsaSettings {
    /// How fast the gain falls; in (0, 1].
    pub alpha: f64,
    /// How fast the perturbation falls; in (0, alpha).
    pub gamma: f64,
    /// The stability constant A as a share of the tune, 0 to 1.
    pub a_ratio: f64,
    /// What makes the gains of them.
    pub gains: GainRule,
}

impl Default for SpsaSettings {
    /// What J. C. Spall recommends (1998).
    fn default() -> Self {
        Self { alpha: 0.602, gamma: 0.101, a_ratio: 0.1, gains: GainRule::default() }
    }
}

impl SpsaSettings {
    /// Checks the settings; `place` is what the findings call them.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self, place: &str) -> Result<(), Vec<Finding>> {
        let Self { alpha, gamma, a_ratio, gains: _ } = *self;
        let findings: Vec<Finding> = [
            ("alpha", alpha, alpha > 0.0 && alpha <= 1.0, "more than 0, at most 1", "0.602"),
            ("gamma", gamma, gamma > 0.0 && gamma < alpha, "more than 0, less than alpha", "0.101"),
            ("a_ratio", a_ratio, (0.0..=1.0).contains(&a_ratio), "0 to 1", "0.1"),
        ]
        .into_iter()
        .filter(|&(_, _, holds, _, _)| !holds)
        .map(|(field, value, _, allowed, usual)| {
            let mend = format!("leave it out for {usual}");
            Finding::new(format!("{place}.{field}"), value.to_string(), allowed, mend)
        })
        .collect();
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }
}

/// What a user may set of the regression; every default is the setting that was simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BqrSettings {
    /// Standard deviation of the result of one pair, in Elo, 1 to 1000. Absent: measured, from how
    /// far the reports fall from what the fitted surface predicts.
    pub pair_deviation: Option<f64>,
    /// The Elo that one probe may lose over all parameters together, 0.1 to 100; it sets how wide
    /// the probes are. Absent: by the number of parameters D, `min(40, max(D/2, min(1.2 D, 15)))`.
    pub probe_loss: Option<f64>,
    /// How far the probes may leave the user's `c_end`, as a factor either way; 1 to 10. 1 keeps
    /// them at `c_end`.
    pub scale_limit: f64,
    /// Old reports weigh less: the j-th of k counts as `(j/k)^forget`; 0 (all alike) to 1. It wins
    /// nothing on the simulated landscapes, and the predicted gain comes out far too low with it.
    pub forget: f64,
    /// How far from the start the optimum of a parameter is expected, in `c_end`, 0.1 to 100; learnt
    /// as well. Absent: by the number of parameters D, `min(5, max(2, sqrt(120 / D)))`, so that the
    /// start of a tune is expected some 60 Elo below its optimum.
    pub reach: Option<f64>,
}

impl Default for BqrSettings {
    fn default() -> Self {
        Self { pair_deviation: None, probe_loss: None, scale_limit: 3.0, forget: 0.0, reach: None }
    }
}

impl BqrSettings {
    /// Checks the settings; `place` is what the findings call them.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self, place: &str) -> Result<(), Vec<Finding>> {
        let Self { pair_deviation, probe_loss, scale_limit, forget, reach } = *self;
        let findings: Vec<Finding> = [
            ("pair_deviation", pair_deviation.unwrap_or(100.0), 1.0, 1000.0, "to measure it"),
            ("probe_loss", probe_loss.unwrap_or(10.0), 0.1, 100.0, "for the usual one"),
            ("scale_limit", scale_limit, 1.0, 10.0, "for 3"),
            ("forget", forget, 0.0, 1.0, "for 0"),
            ("reach", reach.unwrap_or(2.0), 0.1, 100.0, "for the usual one"),
        ]
        .into_iter()
        .filter(|&(_, value, low, high, _)| !(low..=high).contains(&value))
        .map(|(field, value, low, high, purpose)| {
            Finding::new(
                format!("{place}.{field}"),
                value.to_string(),
                format!("{low} to {high}"),
                format!("leave it out {purpose}"),
            )
        })
        .collect();
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }
}
