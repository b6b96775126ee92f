//! Where a tune moves: an ordered list of parameters with unique names, each in its range, and the
//! constraints between them.

use crate::polytope::{Polytope, nearest_value};
use model::{Finding, FindingList, LinearConstraint, ParameterDef, ParameterSet};
use std::collections::BTreeSet;

/// An ordered, checked list of parameters; a point of it is one `f64` each, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpace {
    parameters: Vec<ParameterDef>,
    /// Boxed, as most tunes have none.
    constraints: Box<Polytope>,
}

impl ParameterSpace {
    /// A space of these parameters.
    ///
    /// # Errors
    /// Every finding: an empty list, a parameter that fails its own check, a name used twice.
    pub fn new(parameters: Vec<ParameterDef>) -> Result<Self, FindingList> {
        Self::constrained(parameters, &[])
    }

    /// A space of these parameters in which every point keeps to the constraints.
    ///
    /// # Errors
    /// As [`ParameterSpace::new`], and constraints between which there is no room for a probe.
    pub fn constrained(
        parameters: Vec<ParameterDef>,
        constraints: &[LinearConstraint],
    ) -> Result<Self, FindingList> {
        let mut findings = Vec::new();
        if parameters.is_empty() {
            findings.push(Finding::new(
                "parameter",
                "none",
                "at least one",
                "add the parameters to tune",
            ));
        }
        let mut names = BTreeSet::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let place = format!("parameter[{index}]");
            if let Err(found) = parameter.check(&place) {
                findings.extend(found);
            }
            if !names.insert(parameter.name.as_str()) {
                findings.push(Finding::new(
                    format!("{place}.name"),
                    format!("`{}` a second time", model::printable(&parameter.name, 40)),
                    "each name once",
                    "remove or rename one of the two",
                ));
            }
        }
        if !findings.is_empty() {
            return Err(FindingList(findings));
        }
        let constraints = Polytope::new(&parameters, constraints).map_err(FindingList)?;
        Ok(Self { parameters, constraints: Box::new(constraints) })
    }

    /// The constraints as geometry.
    pub(crate) fn constraints(&self) -> &Polytope {
        &self.constraints
    }

    /// The parameters in order.
    #[must_use]
    pub fn parameters(&self) -> &[ParameterDef] {
        &self.parameters
    }

    /// The number of parameters, ≥ 1.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.parameters.len()
    }

    /// The start of every parameter.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }

    /// The values of a point under their names.
    ///
    /// # Panics
    /// If `point` is shorter or longer than the space: a fault of the caller.
    #[must_use]
    pub fn assign(&self, point: &[f64]) -> ParameterSet {
        assert_eq!(point.len(), self.parameters.len(), "a point has one value for each parameter");
        self.parameters.iter().zip(point).map(|(p, value)| (p.name.clone(), *value)).collect()
    }

    /// The nearest playable set: integers rounded to the nearest, everything inside the box.
    ///
    /// # Panics
    /// As [`ParameterSpace::assign`].
    #[must_use]
    pub fn nearest(&self, point: &[f64]) -> ParameterSet {
        self.assign(&self.rounded(point))
    }

    /// The nearest playable point.
    pub(crate) fn rounded(&self, point: &[f64]) -> Vec<f64> {
        let parameters = &self.parameters;
        let mut rounded: Vec<f64> =
            parameters.iter().zip(point).map(|(p, value)| nearest_value(p, *value)).collect();
        if !self.constraints.is_empty() {
            self.constraints.repair(parameters, point, &mut rounded);
        }
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ParameterKind;

    fn parameter(name: &str) -> ParameterDef {
        ParameterDef {
            name: name.to_owned(),
            kind: ParameterKind::Int,
            start: 3.0,
            min: 0.0,
            max: 10.0,
            c_end: 1.0,
            r_end: 0.002,
        }
    }

    #[test]
    fn every_fault_is_found() {
        let broken = ParameterDef { c_end: 0.0, ..parameter("b") };
        let found = ParameterSpace::new(vec![parameter("a"), parameter("a"), broken]).unwrap_err();
        let places: Vec<&str> = found.0.iter().map(|f| f.place.as_str()).collect();
        assert_eq!(places, ["parameter[1].name", "parameter[2].c_end"]);
        assert!(ParameterSpace::new(Vec::new()).is_err());
    }

    #[test]
    fn the_nearest_set_is_playable() {
        let mut float = parameter("f");
        float.kind = ParameterKind::Float;
        let space = ParameterSpace::new(vec![parameter("i"), float]).unwrap();
        let set = space.nearest(&[3.6, 11.5]);
        assert_eq!((set.get("i"), set.get("f")), (Some(4.0), Some(10.0)));
    }
}
