//! What a user may set of the regression; every default is the setting that was simulated.

use model::Finding;
use serde::{Deserialize, Serialize};

/// The most parameters of one tune: the statistics grow with their square, to 148 k numbers here.
pub(super) const MOST_PARAMETERS: usize = 180;

/// The widest range in units of `c_end`: cubes of it must keep their digits.
pub(super) const WIDEST_RANGE: f64 = 1e6;

/// The settings of a regression tune.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BqrConfig {
    /// Standard deviation of the result of one pair, in Elo, 1 to 1000. Absent: measured, from how
    /// far the reports fall from what the fitted surface predicts.
    pub pair_deviation: Option<f64>,
    /// The Elo that one probe may lose over all parameters together, 0.1 to 100; it sets how wide
    /// the probes are. Absent: by the number of parameters D, `min(40, max(D/2, min(1.2 D, 15)))`.
    pub probe_loss: Option<f64>,
    /// How far the probes may leave the user's `c_end`, as a factor either way; 1 to 10. 1 keeps
    /// them at `c_end`.
    pub scale_limit: f64,
    /// Old reports weigh less: the j-th of k counts as `(j/k)^forget`; 0 (all alike) to 1.
    pub forget: f64,
    /// How far from the start the optimum is expected, in `c_end`; 0.1 to 100. Learnt as well.
    pub reach: f64,
}

impl Default for BqrConfig {
    fn default() -> Self {
        Self { pair_deviation: None, probe_loss: None, scale_limit: 3.0, forget: 0.25, reach: 2.0 }
    }
}

impl BqrConfig {
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
            ("forget", forget, 0.0, 1.0, "for 0.25"),
            ("reach", reach, 0.1, 100.0, "for 2"),
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

    /// The Elo that a probe of this many parameters may lose.
    pub(super) fn probe_loss(&self, dimension: usize) -> f64 {
        let size = dimension as f64;
        self.probe_loss.unwrap_or_else(|| (1.2 * size).min(15.0).max(0.5 * size).min(40.0))
    }
}
