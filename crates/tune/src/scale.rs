//! The scale on which a parameter is moved: its own, or that of the logarithm.
//!
//! A parameter on a logarithmic scale is moved by factors; `c_end`, perturbations and steps are then
//! differences of logarithms. On the plain scale every function here is the plain arithmetic.

use model::portable::{exp, ln};
use model::{ParameterDef, ParameterKind};

/// A value on the scale of its parameter.
pub(crate) fn place(parameter: &ParameterDef, value: f64) -> f64 {
    if parameter.kind.is_logarithmic() { ln(value) } else { value }
}

/// The value at a place of the scale.
pub(crate) fn value(parameter: &ParameterDef, place: f64) -> f64 {
    if parameter.kind.is_logarithmic() { exp(place) } else { place }
}

/// A value moved on the scale, held to the range.
pub(crate) fn moved(parameter: &ParameterDef, value: f64, by: f64) -> f64 {
    // A product, so that no way is no change to the last bit.
    let moved = if parameter.kind.is_logarithmic() { value * exp(by) } else { value + by };
    moved.clamp(parameter.min, parameter.max)
}

/// A value in units of `c_end` from its start.
pub(crate) fn in_units(parameter: &ParameterDef, value: f64) -> f64 {
    (place(parameter, value) - place(parameter, parameter.start)) / parameter.c_end
}

/// The width of the range on the scale; > 0.
pub(crate) fn width(parameter: &ParameterDef) -> f64 {
    place(parameter, parameter.max) - place(parameter, parameter.min)
}

/// The least half distance with which the two sides of a whole number differ after rounding: ½, or
/// on a logarithmic scale what makes a whole of it about this value. 0 where nothing is rounded.
pub(crate) fn least_half_distance(parameter: &ParameterDef, at: f64) -> f64 {
    match parameter.kind {
        ParameterKind::Int => 0.5,
        ParameterKind::LogInt => {
            // v (e^c − e^−c) ≥ 1 about v, and max (1 − e^−2c) ≥ 1 where the upper side is at its bound.
            let x = 0.5 / at.max(1.0);
            let inside = ln(x + (x * x + 1.0).sqrt());
            inside.max(-0.5 * ln(1.0 - 1.0 / parameter.max.max(2.0)))
        }
        ParameterKind::Float | ParameterKind::LogFloat | ParameterKind::Categorical => 0.0,
    }
}
