//! Tunable numbers of an engine, and full assignments of them.

use crate::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether a parameter takes every value or whole ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// Whole numbers.
    Int,
    /// Real numbers.
    Float,
}

/// One tunable number of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterDef {
    /// Its name in the engine: letters, digits and `_`.
    pub name: String,
    /// Whole or real.
    pub kind: ParameterKind,
    /// Where a tune starts; for the engine's own list, the default.
    pub start: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// The perturbation at the end of a tune, in the parameter's own unit; > 0.
    pub c_end: f64,
    /// The learning rate at the end of a tune, in units of `c_end²` (SPSA's `R_end`); > 0.
    pub r_end: f64,
}

impl ParameterDef {
    /// Checks the definition in itself; `place` is what the findings call it.
    ///
    /// # Errors
    /// Everything that is wrong, not only the first.
    pub fn check(&self, place: &str) -> Result<(), Vec<Finding>> {
        let mut findings = Vec::new();
        let name_ok = !self.name.is_empty()
            && self.name.len() <= 64
            && self.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !name_ok {
            findings.push(Finding::new(
                format!("{place}.name"),
                format!("`{}`", crate::printable(&self.name, 40)),
                "1 to 64 letters, digits and `_`",
                "use the name that `elomill params` prints",
            ));
        }
        for (field, value) in [
            ("start", self.start),
            ("min", self.min),
            ("max", self.max),
            ("c_end", self.c_end),
            ("r_end", self.r_end),
        ] {
            if !value.is_finite() || value.abs() > 1e12 {
                findings.push(Finding::new(
                    format!("{place}.{field}"),
                    format!("{value}"),
                    "a finite number below 1e12",
                    "write a plain number",
                ));
            }
        }
        if !findings.is_empty() {
            return Err(findings);
        }
        if self.min >= self.max {
            findings.push(Finding::new(
                format!("{place}.max"),
                format!("{} (min is {})", self.max, self.min),
                "more than min",
                "swap min and max, or widen the range",
            ));
        } else if !(self.min..=self.max).contains(&self.start) {
            findings.push(Finding::new(
                format!("{place}.start"),
                format!("{}", self.start),
                format!("{} to {}", self.min, self.max),
                "move start into the range, or widen the range",
            ));
        }
        if self.c_end <= 0.0 || self.c_end > (self.max - self.min).abs() / 2.0 {
            findings.push(Finding::new(
                format!("{place}.c_end"),
                format!("{}", self.c_end),
                format!("more than 0, at most half the range ({})", (self.max - self.min) / 2.0),
                "a twentieth of the range is a usual choice",
            ));
        }
        if self.r_end <= 0.0 || self.r_end > 1.0 {
            findings.push(Finding::new(
                format!("{place}.r_end"),
                format!("{}", self.r_end),
                "more than 0, at most 1",
                "0.002 is the usual choice for long tunes",
            ));
        }
        let whole = |v: f64| v.fract() == 0.0;
        if self.kind == ParameterKind::Int && !(whole(self.min) && whole(self.max)) {
            findings.push(Finding::new(
                format!("{place}.min/max"),
                format!("{} to {}", self.min, self.max),
                "whole numbers, as the parameter is an integer",
                "round the bounds, or set kind = \"float\"",
            ));
        }
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }
}

/// A full assignment of values to parameters, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParameterSet(pub BTreeMap<String, f64>);

impl ParameterSet {
    /// The value of `name`, if the set has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Sets `name` to `value`.
    pub fn set(&mut self, name: impl Into<String>, value: f64) {
        self.0.insert(name.into(), value);
    }
}

impl FromIterator<(String, f64)> for ParameterSet {
    fn from_iter<I: IntoIterator<Item = (String, f64)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}
