//! Tunable numbers of an engine, and full assignments of them.

use crate::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which values a parameter takes, and on which scale it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterKind {
    /// Whole numbers.
    Int,
    /// Real numbers.
    Float,
    /// Whole numbers above 0, moved by factors.
    LogInt,
    /// Real numbers above 0, moved by factors.
    LogFloat,
    /// Whole numbers that name choices without order; a switch is two of them.
    Categorical,
}

/// The choices that a categorical parameter may have at most.
pub const MOST_CHOICES: usize = 16;

impl ParameterKind {
    /// Every kind with its stable name.
    pub const ALL: [(&'static str, ParameterKind); 5] = [
        ("int", ParameterKind::Int),
        ("float", ParameterKind::Float),
        ("log-int", ParameterKind::LogInt),
        ("log-float", ParameterKind::LogFloat),
        ("categorical", ParameterKind::Categorical),
    ];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ParameterKind::Int => "int",
            ParameterKind::Float => "float",
            ParameterKind::LogInt => "log-int",
            ParameterKind::LogFloat => "log-float",
            ParameterKind::Categorical => "categorical",
        }
    }

    /// Whether only whole numbers are values.
    #[must_use]
    pub fn is_whole(self) -> bool {
        matches!(self, ParameterKind::Int | ParameterKind::LogInt | ParameterKind::Categorical)
    }

    /// Whether it is moved by factors: its steps are differences of logarithms.
    #[must_use]
    pub fn is_logarithmic(self) -> bool {
        matches!(self, ParameterKind::LogInt | ParameterKind::LogFloat)
    }

    /// What the engine has to have under the name: [`ParameterKind::Int`] or
    /// [`ParameterKind::Float`].
    #[must_use]
    pub fn in_engine(self) -> Self {
        if self.is_whole() { ParameterKind::Int } else { ParameterKind::Float }
    }
}

/// One tunable number of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterDef {
    /// Its name in the engine: letters, digits and `_`.
    pub name: String,
    /// Which values it takes, on which scale.
    pub kind: ParameterKind,
    /// Where a tune starts; for the engine's own list, the default.
    pub start: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// The perturbation at the end of a tune; > 0. In the parameter's own unit; on a logarithmic
    /// scale a relative step, 0.05 being five percent; of a categorical parameter the Elo by which the
    /// best choice is expected to be better than the others, 0.1 to 100.
    pub c_end: f64,
    /// The learning rate at the end of a tune, in units of `c_end²` (SPSA's `R_end`); > 0. A
    /// categorical parameter has no use for it.
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
        self.check_scale(place, &mut findings);
        if self.r_end <= 0.0 || self.r_end > 1.0 {
            findings.push(Finding::new(
                format!("{place}.r_end"),
                format!("{}", self.r_end),
                "more than 0, at most 1",
                "0.002 is the usual choice for long tunes",
            ));
        }
        let whole = |v: f64| v.fract() == 0.0;
        if self.kind.is_whole() && !(whole(self.min) && whole(self.max)) {
            findings.push(Finding::new(
                format!("{place}.min/max"),
                format!("{} to {}", self.min, self.max),
                "whole numbers, as the parameter is an integer",
                "round the bounds, or set kind = \"float\"",
            ));
        }
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    /// What the kind asks of `c_end`, of the range and of the start.
    fn check_scale(&self, place: &str, findings: &mut Vec<Finding>) {
        let mut wrong = |field: &str, found: f64, allowed: String, mend: &str| {
            findings.push(Finding::new(
                format!("{place}.{field}"),
                found.to_string(),
                allowed,
                mend,
            ));
        };
        match self.kind {
            ParameterKind::Categorical => {
                let choices = self.max - self.min + 1.0;
                if self.min < self.max && choices > MOST_CHOICES as f64 {
                    let allowed = format!("{} at most: {MOST_CHOICES} choices", self.min + 15.0);
                    wrong("max", self.max, allowed, "name fewer choices, or take kind \"int\"");
                }
                if self.start.fract() != 0.0 {
                    wrong(
                        "start",
                        self.start,
                        "a whole number".to_owned(),
                        "name one of the choices",
                    );
                }
                if !(0.1..=100.0).contains(&self.c_end) {
                    let allowed =
                        "0.1 to 100, the Elo that the best choice is expected to be ahead";
                    wrong("c_end", self.c_end, allowed.to_owned(), "leave it out for 5");
                }
            }
            kind if kind.is_logarithmic() && self.min <= 0.0 => {
                let allowed = "more than 0, as the scale is logarithmic".to_owned();
                wrong("min", self.min, allowed, "raise min, or take kind \"int\" or \"float\"");
            }
            kind => {
                let (width, of) = match kind.is_logarithmic() {
                    true => ((self.max / self.min).ln(), "half the logarithm of max over min"),
                    false => ((self.max - self.min).abs(), "half the range"),
                };
                // A hair more passes: a c_end from end to end may come out of rounding.
                if self.c_end <= 0.0 || self.c_end > 0.5 * width * (1.0 + 1e-12) {
                    let allowed = format!("more than 0, at most {of} ({})", 0.5 * width);
                    wrong(
                        "c_end",
                        self.c_end,
                        allowed,
                        "a twentieth of the range is a usual choice",
                    );
                }
            }
        }
    }

    /// How far a value lies from the start, in units of `c_end`; of a categorical parameter 0 for the
    /// choice of the start and 1 for any other.
    #[must_use]
    pub fn steps(&self, value: f64) -> f64 {
        match self.kind {
            ParameterKind::Int | ParameterKind::Float => (value - self.start) / self.c_end,
            ParameterKind::LogInt | ParameterKind::LogFloat => {
                (value / self.start).ln() / self.c_end
            }
            ParameterKind::Categorical => f64::from(value != self.start),
        }
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
