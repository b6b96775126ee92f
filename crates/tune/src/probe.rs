//! The two points of a block: where `plus` and `minus` stand.
//!
//! For SPSA both sides always stand the same distance from their centre. A parameter near a bound
//! has its centre moved inwards, to `min + c ..= max − c`: the probe keeps its full width, where
//! clipping each side by itself would shrink the distance and with it the signal. A regression
//! knows the distance and must see the surface at the bound itself: it clips ([`Edge`]). Integers are rounded as
//! `⌊x + u⌋` with one uniform `u` for both sides of a parameter: right on average, and with
//! `c ≥ ½` the sides always differ.

use crate::config::Gains;
use crate::{ParameterSpace, TuneError};
use model::{ParameterDef, ParameterKind, ParameterSet};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Two points around the present one, and everything needed to learn from their match later.
///
/// All lists have one entry for each parameter, in the order of the space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// Index of the block's first pair in the tune, from 0; it alone sets the gains.
    pub first_pair: u64,
    /// The side of the parameter on which `plus` stands: +1 above, −1 below.
    pub flips: Vec<i8>,
    /// Half the distance of the two sides before rounding and clipping; > 0.
    pub c: Vec<f64>,
    /// The learning rate; > 0. An optimiser without one writes 1.
    pub r: Vec<f64>,
    /// The values that the candidate plays.
    pub plus: Vec<f64>,
    /// The values that the base plays.
    pub minus: Vec<f64>,
}

/// What becomes of a probe that reaches over a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Its centre moves inwards and the width stays.
    Inwards,
    /// The side that is over stands at the bound.
    Clipped,
}

impl Perturbation {
    /// Draws the block's signs and roundings from the stream `first_pair` of the seed.
    pub(crate) fn draw(
        space: &ParameterSpace,
        theta: &[f64],
        gains: impl Fn(usize, &ParameterDef) -> Gains,
        edge: Edge,
        seed: u64,
        first_pair: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(first_pair);
        let size = space.dimension();
        let mut drawn = Self {
            first_pair,
            flips: Vec::with_capacity(size),
            c: Vec::with_capacity(size),
            r: Vec::with_capacity(size),
            plus: Vec::with_capacity(size),
            minus: Vec::with_capacity(size),
        };
        for (index, (parameter, &value)) in space.parameters().iter().zip(theta).enumerate() {
            let Gains { c, r } = gains(index, parameter);
            // One word for each parameter: its last bit is the sign, its first 53 are the uniform.
            let word = rng.next_u64();
            let uniform = (word >> 11) as f64 / (1_u64 << 53) as f64;
            let (low, high) = sides(parameter, value, c, uniform, edge);
            let above = word & 1 == 1;
            drawn.flips.push(if above { 1 } else { -1 });
            drawn.c.push(c);
            drawn.r.push(r);
            drawn.plus.push(if above { high } else { low });
            drawn.minus.push(if above { low } else { high });
        }
        drawn
    }

    /// The candidate's parameter set.
    ///
    /// # Panics
    /// If the perturbation is of another space: a fault of the caller.
    #[must_use]
    pub fn plus_set(&self, space: &ParameterSpace) -> ParameterSet {
        space.assign(&self.plus)
    }

    /// The base's parameter set.
    ///
    /// # Panics
    /// If the perturbation is of another space: a fault of the caller.
    #[must_use]
    pub fn minus_set(&self, space: &ParameterSpace) -> ParameterSet {
        space.assign(&self.minus)
    }

    /// Checks that this can have been drawn for a space of this size.
    pub(crate) fn check(&self, expected: usize) -> Result<(), TuneError> {
        for (list, found) in [
            ("flips", self.flips.len()),
            ("c", self.c.len()),
            ("r", self.r.len()),
            ("plus", self.plus.len()),
            ("minus", self.minus.len()),
        ] {
            if found != expected {
                return Err(TuneError::Dimension { list, found, expected });
            }
        }
        if let Some(index) = self.flips.iter().position(|flip| flip.abs() != 1) {
            let found = self.flips[index].to_string();
            return Err(TuneError::Value { list: "flips", index, found, expected: "1 or -1" });
        }
        for (list, values) in [("c", &self.c), ("r", &self.r)] {
            if let Some(index) = values.iter().position(|v| !(v.is_finite() && *v > 0.0)) {
                let found = values[index].to_string();
                let expected = "a finite number above 0";
                return Err(TuneError::Value { list, index, found, expected });
            }
        }
        Ok(())
    }
}

/// The lower and the upper side of one parameter. A `c` of more than half its range reaches from
/// end to end.
fn sides(parameter: &ParameterDef, value: f64, c: f64, uniform: f64, edge: Edge) -> (f64, f64) {
    let ParameterDef { kind, min, max, .. } = *parameter;
    let c = c.min(0.5 * (max - min));
    let centre = match edge {
        // Not `clamp`, which panics when rounding puts `min + c` a hair above `max − c`.
        Edge::Inwards => value.max(min + c).min(max - c),
        Edge::Clipped => value.clamp(min, max),
    };
    match kind {
        ParameterKind::Float => ((centre - c).max(min), (centre + c).min(max)),
        ParameterKind::Int => {
            // With less than ½ the sides are the same number at times, as their distance demands.
            let apart = if c < 0.5 { 0.0 } else { 1.0 };
            // The limits matter only where adding `uniform` rounds up to the next whole number.
            let low = (centre - c + uniform).floor().clamp(min, max - apart);
            let high = (centre + c + uniform).floor().clamp(low + apart, max);
            (low, high)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameter(kind: ParameterKind, min: f64, max: f64) -> ParameterDef {
        let (name, start) = ("x".to_owned(), min);
        ParameterDef { name, kind, start, min, max, c_end: 0.5, r_end: 0.002 }
    }

    /// What `Perturbation::draw` makes of one parameter over many blocks.
    fn draws(kind: ParameterKind, theta: f64, c: f64) -> Vec<Perturbation> {
        let space = ParameterSpace::new(vec![parameter(kind, -20.0, 20.0)]).unwrap();
        (0..40_000)
            .map(|block| {
                Perturbation::draw(
                    &space,
                    &[theta],
                    |_, _| Gains { c, r: 0.002 },
                    Edge::Inwards,
                    5,
                    8 * block,
                )
            })
            .collect()
    }

    #[test]
    fn rounding_is_right_on_average() {
        for (theta, c) in [(3.3, 0.5), (-1.85, 0.7), (4.4, 0.3), (7.0, 2.25), (0.5, 0.5)] {
            let drawn = draws(ParameterKind::Int, theta, c);
            let n = drawn.len() as f64;
            let mean = |of: &dyn Fn(&Perturbation) -> f64| drawn.iter().map(of).sum::<f64>() / n;
            // The standard error of each mean is at most 0.0025 (deviation ½, 40,000 draws).
            let middle = mean(&|d| 0.5 * (d.plus[0] + d.minus[0]));
            assert!((middle - theta).abs() < 0.01, "centre of {theta}: {middle}");
            let distance = mean(&|d| f64::from(d.flips[0]) * (d.plus[0] - d.minus[0]));
            assert!((distance - 2.0 * c).abs() < 0.015, "distance for {c}: {distance}");
            let side = mean(&|d| f64::from(d.flips[0]));
            assert!(side.abs() < 0.02, "signs are fair: {side}");
        }
    }

    #[test]
    fn a_parameter_at_its_bound_is_probed_at_full_width() {
        let float = parameter(ParameterKind::Float, 0.0, 1.0);
        assert_eq!(sides(&float, 1.0, 0.25, 0.9, Edge::Inwards), (0.5, 1.0));
        assert_eq!(sides(&float, 0.0, 0.5, 0.9, Edge::Inwards), (0.0, 1.0));
        let int = parameter(ParameterKind::Int, 0.0, 1.0);
        for uniform in [0.0, 0.3, 1.0 - f64::EPSILON / 2.0] {
            assert_eq!(sides(&int, 0.4, 0.5, uniform, Edge::Inwards), (0.0, 1.0));
        }
    }

    #[test]
    fn a_clipped_probe_reaches_the_bound_and_keeps_its_sides_apart() {
        let float = parameter(ParameterKind::Float, 0.0, 1.0);
        assert_eq!(sides(&float, 1.0, 0.25, 0.9, Edge::Clipped), (0.75, 1.0));
        assert_eq!(sides(&float, -0.2, 0.25, 0.9, Edge::Clipped), (0.0, 0.25));
        let int = parameter(ParameterKind::Int, 0.0, 5.0);
        for uniform in [0.0, 0.3, 0.5, 1.0 - f64::EPSILON / 2.0] {
            assert_eq!(sides(&int, 5.0, 0.5, uniform, Edge::Clipped), (4.0, 5.0));
            let (low, high) = sides(&int, 0.0, 0.5, uniform, Edge::Clipped);
            assert!(low == 0.0 && high >= 1.0, "{low} {high}");
        }
    }

    /// Pinned, so that a changed generator cannot silently change the replay of old tunes.
    #[test]
    fn the_stream_of_a_seed_is_pinned() {
        let space = ParameterSpace::new(
            (0..12)
                .map(|i| ParameterDef {
                    name: format!("p{i}"),
                    ..parameter(ParameterKind::Int, -20.0, 20.0)
                })
                .collect(),
        )
        .unwrap();
        let drawn = Perturbation::draw(
            &space,
            &[0.25; 12],
            |_, _| Gains { c: 1.5, r: 0.002 },
            Edge::Inwards,
            42,
            16,
        );
        assert_eq!(drawn.flips, PINNED_FLIPS);
        assert_eq!(drawn.plus, PINNED_PLUS);
    }

    const PINNED_FLIPS: [i8; 12] = [-1, 1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1];
    const PINNED_PLUS: [f64; 12] = [-2.0, 2.0, -2.0, 2.0, 2.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, -1.0];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn sides_are_inside_and_even(
            whole in any::<bool>(),
            min in -1_000_000_i32..1_000_000,
            width in 1_u32..1_000_000,
            at in 0.0..=1.0_f64,
            share in 0.0..=1.0,
            uniform in 0.0..1.0,
        ) {
            let (min, width) = (f64::from(min), f64::from(width));
            let kind = if whole { ParameterKind::Int } else { ParameterKind::Float };
            let parameter = parameter(kind, min, min + width);
            let least = if whole { 0.5 } else { 1e-3 };
            let c = least + share * (0.5 * width - least);
            let (low, high) = sides(&parameter, min + at * width, c, uniform, Edge::Inwards);
            prop_assert!(parameter.min <= low && low < high && high <= parameter.max);
            match kind {
                ParameterKind::Int => {
                    prop_assert!(low.fract() == 0.0 && high.fract() == 0.0);
                    prop_assert!((high - low - 2.0 * c).abs() <= 1.0 + 1e-9);
                }
                ParameterKind::Float => prop_assert!((high - low - 2.0 * c).abs() < 1e-8),
            }
            // Where there is room, the centre is the present value itself.
            let value = min + at * width;
            if value - c >= min && value + c <= min + width && kind == ParameterKind::Float {
                let middle: f64 = 0.5 * (low + high);
                prop_assert!((middle - value).abs() < 1e-8);
            }
        }
    }
}
