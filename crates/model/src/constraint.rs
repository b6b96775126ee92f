//! A linear condition on several parameters of a tune.

use crate::{Finding, ParameterDef, ParameterKind, ParameterSet, printable};
use serde::{Deserialize, Serialize};

/// The constraints that a tune may have at most.
pub const MOST_CONSTRAINTS: usize = 256;

/// A weighted sum of parameters that must not exceed a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearConstraint {
    /// The factor of each parameter that takes part; none is 0.
    pub sum: ParameterSet,
    /// What the sum is at most.
    pub at_most: f64,
}

impl LinearConstraint {
    /// Checks it against the parameters of its tune; `place` is what the findings call it.
    pub(crate) fn check(
        &self,
        place: &str,
        parameters: &[ParameterDef],
        findings: &mut Vec<Finding>,
    ) {
        let before = findings.len();
        if self.sum.0.is_empty() {
            let mend = "write `sum = { lmr_a = 1, lmr_b = -1 }`";
            findings.push(Finding::new(format!("{place}.sum"), "nothing", "parameters", mend));
        }
        for (name, &factor) in &self.sum.0 {
            let at = format!("{place}.sum.{}", printable(name, 40));
            match parameters.iter().find(|p| p.name == *name) {
                None => findings.push(Finding::new(
                    at.clone(),
                    "no parameter that moves",
                    "names of [[parameter]] tables of this tune",
                    "add the parameter, or take it out of the sum",
                )),
                Some(p) if !matches!(p.kind, ParameterKind::Int | ParameterKind::Float) => {
                    findings.push(Finding::new(
                        at.clone(),
                        format!("a {} parameter", p.kind.name()),
                        "int, float",
                        "take another kind, or take it out of the sum",
                    ));
                }
                Some(_) => {}
            }
            if !(factor.is_finite() && (1e-6..=1e6).contains(&factor.abs())) {
                let allowed = "a factor from 1e-6 to 1e6, either sign";
                findings.push(Finding::new(
                    at,
                    factor.to_string(),
                    allowed,
                    "write a plain number",
                ));
            }
        }
        if !(self.at_most.is_finite() && self.at_most.abs() <= 1e12) {
            findings.push(Finding::new(
                format!("{place}.at_most"),
                self.at_most.to_string(),
                "a finite number below 1e12",
                "write a plain number",
            ));
        }
        if findings.len() > before {
            return;
        }
        let of = |value: &dyn Fn(&ParameterDef, f64) -> f64| -> f64 {
            let terms = self.sum.0.iter().filter_map(|(name, &factor)| {
                let parameter = parameters.iter().find(|p| p.name == *name)?;
                Some(factor * value(parameter, factor))
            });
            terms.sum()
        };
        let least = of(&|p, factor| if factor > 0.0 { p.min } else { p.max });
        let at_start = of(&|p, _| p.start);
        if least > self.at_most {
            findings.push(Finding::new(
                format!("{place}.at_most"),
                format!("{}, and within the ranges the sum is at least {least}", self.at_most),
                "a number that some point of the ranges keeps to",
                "raise at_most, or widen the ranges",
            ));
        } else if at_start > self.at_most + 1e-9 * (1.0 + self.at_most.abs()) {
            findings.push(Finding::new(
                format!("{place}.at_most"),
                format!("{}, and at the start the sum is {at_start}", self.at_most),
                "a number that the start keeps to",
                "move the starts of its parameters",
            ));
        }
    }
}
