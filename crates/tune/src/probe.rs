//! The two points of a block: where `plus` and `minus` stand.
//!
//! For SPSA both sides always stand the same distance from their centre. A parameter near a bound
//! has its centre moved inwards, to `min + c ..= max − c`: the probe keeps its full width, where
//! clipping each side by itself would shrink the distance and with it the signal. A regression
//! knows the distance and must see the surface at the bound itself: it clips ([`Edge`]). Integers are
//! rounded as `⌊x + u⌋` with one uniform `u` for both sides of a parameter: right on average, and with
//! `c ≥ ½` the sides always differ. Constraints are treated as bounds are (`polytope`). Choices are
//! drawn as `choices` says.

use crate::config::Gains;
use crate::{ParameterSpace, TuneError, choices, scale};
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
    /// Half the distance of the two sides before rounding and clipping, on the parameter's scale; > 0.
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

/// Which side of each parameter `plus` stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// By a fair bit each.
    Drawn,
    /// On the upper one where this says so; one entry for each parameter.
    Designed(Vec<bool>),
}

/// Which block is drawn, and how.
pub(crate) struct Block {
    /// Of the tune.
    pub(crate) seed: u64,
    /// Index of its first pair, which names the stream.
    pub(crate) first_pair: u64,
    pub(crate) edge: Edge,
    pub(crate) signs: Signs,
}

impl Perturbation {
    /// Draws the block's signs and roundings from the stream `first_pair` of the seed.
    pub(crate) fn draw(
        space: &ParameterSpace,
        theta: &[f64],
        scores: &[Vec<f64>],
        gains: impl Fn(usize, &ParameterDef) -> Gains,
        block: Block,
    ) -> Self {
        let Block { seed, first_pair, edge, signs } = block;
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
        let gains: Vec<Gains> =
            space.parameters().iter().enumerate().map(|(i, p)| gains(i, p)).collect();
        let constrained = Constrained::new(space, theta, &gains, edge);
        let mut scores = scores.iter();
        let mut words = Vec::with_capacity(if constrained.is_some() { size } else { 0 });
        for (index, (parameter, &value)) in space.parameters().iter().zip(theta).enumerate() {
            let Gains { c, r } = gains[index];
            // One word for each parameter: its last bit is the sign, its first 53 are the uniform.
            let word = rng.next_u64();
            let uniform = (word >> 11) as f64 / (1_u64 << 53) as f64;
            let above = match &signs {
                Signs::Drawn => word & 1 == 1,
                Signs::Designed(above) => above[index],
            };
            drawn.flips.push(if above { 1 } else { -1 });
            drawn.c.push(constrained.as_ref().map_or(c, |held| held.c[index]));
            drawn.r.push(r);
            if parameter.kind == ParameterKind::Categorical {
                let none = Vec::new();
                let (plus, minus) =
                    choices::draw(parameter, scores.next().unwrap_or(&none), &mut rng);
                drawn.plus.push(plus);
                drawn.minus.push(minus);
            } else {
                let (low, high) = sides(parameter, value, c, uniform, edge);
                drawn.plus.push(if above { high } else { low });
                drawn.minus.push(if above { low } else { high });
            }
            if constrained.is_some() {
                words.push(uniform);
            }
        }
        if let Some(held) = constrained {
            held.place(space, &words, edge, &mut drawn);
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

/// The middle of a probe between constraints, and how wide it is there.
struct Constrained {
    middle: Vec<f64>,
    c: Vec<f64>,
}

impl Constrained {
    /// None where there are no constraints.
    fn new(space: &ParameterSpace, theta: &[f64], gains: &[Gains], edge: Edge) -> Option<Self> {
        let constraints = space.constraints();
        if constraints.is_empty() {
            return None;
        }
        let parameters = space.parameters();
        let mut middle = theta.to_vec();
        let half_range = |(p, gains): (&ParameterDef, &Gains)| gains.c.min(0.5 * scale::width(p));
        let mut c: Vec<f64> = parameters.iter().zip(gains).map(half_range).collect();
        match edge {
            Edge::Inwards => constraints.make_room(parameters, &mut middle, &mut c),
            Edge::Clipped => {}
        }
        // What no constraint names keeps the gain that it has by itself.
        for (index, gains) in gains.iter().enumerate().filter(|(i, _)| !constraints.involves(*i)) {
            c[index] = gains.c;
        }
        Some(Self { middle, c })
    }

    /// Puts both sides of every parameter that a constraint names where they may stand.
    fn place(self, space: &ParameterSpace, uniforms: &[f64], edge: Edge, drawn: &mut Perturbation) {
        let (constraints, parameters) = (space.constraints(), space.parameters());
        for (side, sign) in [(&mut drawn.plus, 1.0), (&mut drawn.minus, -1.0)] {
            let mut raw = side.clone();
            for index in (0..raw.len()).filter(|index| constraints.involves(*index)) {
                let p = &parameters[index];
                let by = sign * f64::from(drawn.flips[index]) * self.c[index];
                raw[index] = (self.middle[index] + by).clamp(p.min, p.max);
            }
            if edge == Edge::Clipped {
                constraints.project(parameters, &mut raw, |_| 1.0);
            }
            for index in (0..raw.len()).filter(|index| constraints.involves(*index)) {
                let p = &parameters[index];
                side[index] = if p.kind.is_whole() {
                    (raw[index] + constraints.uniform(index, uniforms)).floor().clamp(p.min, p.max)
                } else {
                    raw[index]
                };
            }
            constraints.repair(parameters, &raw, side);
        }
    }
}

/// The lower and the upper side of one parameter. A `c` of more than half its range reaches from
/// end to end.
fn sides(parameter: &ParameterDef, value: f64, c: f64, uniform: f64, edge: Edge) -> (f64, f64) {
    let ParameterDef { min, max, .. } = *parameter;
    let [least, most] = [min, max].map(|bound| scale::place(parameter, bound));
    let at = scale::place(parameter, value);
    let c = c.min(0.5 * (most - least));
    let centre = match edge {
        // Not `clamp`, which panics when rounding puts `min + c` a hair above `max − c`.
        Edge::Inwards => at.max(least + c).min(most - c),
        Edge::Clipped => at.clamp(least, most),
    };
    let [low, high] = [centre - c, centre + c].map(|side| scale::value(parameter, side));
    if !parameter.kind.is_whole() {
        return (low.max(min).min(max), high.min(max).max(min));
    }
    // With less than a whole between them the sides are the same number at times, as their distance
    // demands. On a logarithmic scale the least distance comes out of rounding.
    let is_apart = match parameter.kind {
        ParameterKind::LogInt => high - low >= 1.0 - 1e-9,
        _ => c >= 0.5,
    };
    let apart = if is_apart { 1.0 } else { 0.0 };
    // The limits matter only where adding `uniform` rounds up to the next whole number.
    let low = (low + uniform).floor().clamp(min, max - apart);
    let high = (high + uniform).floor().clamp(low + apart, max);
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameter(kind: ParameterKind, min: f64, max: f64) -> ParameterDef {
        let (name, start) = ("x".to_owned(), min);
        ParameterDef { name, kind, start, min, max, c_end: 0.5, r_end: 0.002 }
    }

    fn spsa_block(seed: u64, first_pair: u64) -> Block {
        Block { seed, first_pair, edge: Edge::Inwards, signs: Signs::Drawn }
    }

    /// What `Perturbation::draw` makes of one parameter over many blocks.
    fn draws(kind: ParameterKind, theta: f64, c: f64) -> Vec<Perturbation> {
        let space = ParameterSpace::new(vec![parameter(kind, -20.0, 20.0)]).unwrap();
        (0..40_000)
            .map(|block| {
                Perturbation::draw(
                    &space,
                    &[theta],
                    &[],
                    |_, _| Gains { c, r: 0.002 },
                    spsa_block(5, 8 * block),
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

    #[test]
    fn rounding_on_a_logarithmic_scale_is_right_on_average_and_keeps_the_sides_apart() {
        for (theta, c) in [(1.4, 0.01), (3.3, 0.1), (40.0, 0.02), (700.0, 0.05), (1000.0, 0.01)] {
            let whole = parameter(ParameterKind::LogInt, 1.0, 1000.0);
            let c = scale::least_half_distance(&whole, theta).max(c);
            let n = 20_000;
            let (mut low, mut high) = (0.0, 0.0);
            for step in 0..n {
                let uniform = (f64::from(step) + 0.5) / f64::from(n);
                let (a, b) = sides(&whole, theta, c, uniform, Edge::Inwards);
                assert!(1.0 <= a && a < b && b <= 1000.0 && a.fract() == 0.0 && b.fract() == 0.0);
                (low, high) = (low + a / f64::from(n), high + b / f64::from(n));
            }
            let middle = theta.ln().max(c).min(1000_f64.ln() - c);
            let expected = [(middle - c).exp(), (middle + c).exp()];
            assert!((low - expected[0]).abs() < 1e-3, "{theta}: {low}, {expected:?}");
            assert!((high - expected[1]).abs() < 1e-3, "{theta}: {high}, {expected:?}");
        }
    }

    /// A linear landscape gives the same mean step at a bound, at a face and in the middle: what SPSA
    /// learns there is not less, and not another.
    #[test]
    fn slopes_are_measured_in_full_at_bounds_and_faces() {
        use model::LinearConstraint;
        for kind in [ParameterKind::Int, ParameterKind::Float] {
            let named =
                |name: &str| ParameterDef { name: name.to_owned(), ..parameter(kind, -20.0, 20.0) };
            let sum = [("a".to_owned(), 1.0), ("b".to_owned(), 1.0)].into_iter().collect();
            let face = LinearConstraint { sum, at_most: 20.0 };
            let start = |name: &str| ParameterDef { start: 0.0, ..named(name) };
            let free = ParameterSpace::new(vec![start("a"), start("b")]).unwrap();
            let held = ParameterSpace::constrained(vec![start("a"), start("b")], &[face]).unwrap();
            for (space, theta) in [
                (&free, [0.25, -3.5]),
                (&free, [20.0, -20.0]),
                (&free, [19.3, 18.75]),
                (&held, [0.25, -3.5]),
                (&held, [10.25, 9.75]),
                (&held, [20.0, 0.0]),
            ] {
                let (blocks, c) = (20_000_u32, 1.25);
                let mut learnt = [0.0; 2];
                for block in 0..blocks {
                    let gains = |_: usize, _: &ParameterDef| Gains { c, r: 0.002 };
                    let first = u64::from(8 * block);
                    let asked = Perturbation::draw(space, &theta, &[], gains, spsa_block(5, first));
                    let balance: f64 = [3.0, -1.0]
                        .iter()
                        .zip(asked.plus.iter().zip(&asked.minus))
                        .map(|(slope, (plus, minus))| slope * (plus - minus))
                        .sum();
                    for (learnt, flip) in learnt.iter_mut().zip(&asked.flips) {
                        *learnt += balance * f64::from(*flip) / f64::from(blocks);
                    }
                }
                // 2c times the slopes; the deviation of a mean is below 0.06.
                assert!((learnt[0] - 7.5).abs() < 0.25, "{kind:?} at {theta:?}: {learnt:?}");
                assert!((learnt[1] + 2.5).abs() < 0.25, "{kind:?} at {theta:?}: {learnt:?}");
            }
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
            &[],
            |_, _| Gains { c: 1.5, r: 0.002 },
            spsa_block(42, 16),
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
                _ => prop_assert!((high - low - 2.0 * c).abs() < 1e-8),
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
