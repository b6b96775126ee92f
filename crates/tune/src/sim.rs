//! A simulated engine: a known landscape in Elo and pairs with the noise of real ones.
//!
//! It answers before a tune is started what its gains can be expected to win, and lets the tests
//! see an optimiser converge. Landscape: a bowl, flattened far out. Noise: the five-way law of an
//! even match, tilted exponentially to the wanted score, which is how published matches shift. The
//! kinds of tunes that are compared stand in `worlds`.

mod servers;
mod worlds;

pub use worlds::{Method, Outcome, Said, WORLDS, World};

use crate::{Optimizer, ParameterSpace};
use model::{Elo, Pairs, Pentanomial};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The five-way law of pairs between equal sides, from which others are tilted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairNoise {
    /// Probabilities of LL, LD, LW+DD, DW, WW; symmetric, sum 1.
    even: [f64; 5],
}

impl PairNoise {
    /// The reference of the comparisons: a strong engine with 60 % draws; 115 Elo.
    pub const REFERENCE: Self = Self { even: [0.005, 0.2, 0.59, 0.2, 0.005] };
    /// A strong engine on unbalanced openings: half the games drawn; deviation of a pair 123 Elo.
    pub const STRONG: Self = Self { even: [0.0059, 0.2267, 0.5348, 0.2267, 0.0059] };
    /// A young engine: half of the pairs level, 148 Elo.
    pub const YOUNG: Self = Self { even: [0.035, 0.224, 0.482, 0.224, 0.035] };
    /// Few draws, as in short games of weak engines: 177 Elo.
    pub const FEW_DRAWS: Self = Self { even: [0.0735, 0.2275, 0.398, 0.2275, 0.0735] };

    /// The law whose mean score is that of this difference.
    #[must_use]
    pub fn law(&self, difference: Elo) -> [f64; 5] {
        let score = stats::score_of_elo(difference);
        let tilted = |tilt: f64| {
            let mut law = self.even;
            let factor = f64::exp(tilt);
            let powers = [1.0 / (factor * factor), 1.0 / factor, 1.0, factor, factor * factor];
            for (p, power) in law.iter_mut().zip(powers) {
                *p *= power;
            }
            let total: f64 = law.iter().sum();
            law.map(|p| p / total)
        };
        let mean = |law: &[f64; 5]| 0.25 * law[1] + 0.5 * law[2] + 0.75 * law[3] + law[4];
        let (mut low, mut high) = (-30.0, 30.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if mean(&tilted(middle)) < score { low = middle } else { high = middle }
        }
        tilted(0.5 * (low + high))
    }

    /// Plays pairs at this difference.
    pub fn play(&self, difference: Elo, pairs: Pairs, rng: &mut impl Rng) -> Pentanomial {
        let law = self.law(difference);
        let mut counts = Pentanomial::default();
        for _ in 0..pairs.0 {
            let mut left = uniform(rng);
            let mut cell = 0;
            while cell < 4 && left >= law[cell] {
                left -= law[cell];
                cell += 1;
            }
            counts.0[cell] += 1;
        }
        counts
    }
}

/// A landscape with one optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Bowl {
    /// Where the optimum is, one value for each parameter.
    pub optimum: Vec<f64>,
    /// The unit of each parameter: its `c_end`; > 0.
    pub unit: Vec<f64>,
    /// Elo lost one unit away from the optimum along each parameter alone; ≥ 0.
    pub loss: Vec<f64>,
    /// How lopsided each parameter is, above −1 and below 1: its loss is multiplied by
    /// `1 + skew · tanh(offset / 2)`, the offset in units.
    pub skew: Vec<f64>,
    /// The bowl flattens as `S ln(1 + loss/S)`; infinite for a pure parabola.
    pub saturation: f64,
    /// Unit vectors of the mirrors through which an offset is seen before the losses of its
    /// coordinates are added; none where the parameters do not interact.
    pub mirrors: Vec<Vec<f64>>,
}

/// What kind of bowl to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Each parameter is lopsided by so much to one side or the other; 0 to 1.
    pub skew: f64,
    /// The bowl flattens as `S ln(1 + loss/S)`.
    pub saturation: f64,
    /// Deviation of the logarithm of a parameter's loss; ≥ 0.
    pub spread: f64,
    /// Every second parameter does nothing.
    pub dead: bool,
    /// The axes of the bowl are turned at random against those of the parameters (by a mirror for
    /// each dimension; A. Householder, 1958).
    pub rotated: bool,
}

impl Shape {
    /// The reference of the comparisons.
    pub const REFERENCE: Self =
        Self { skew: 0.3, saturation: 100.0, spread: 0.9, dead: false, rotated: false };
}

impl Bowl {
    /// A random bowl whose optimum lies `start_loss` Elo above the start of the space. `loss` is
    /// the median loss at one `c_end`; single parameters scatter about it by a factor of about 2.5.
    #[must_use]
    pub fn random(space: &ParameterSpace, start_loss: f64, loss: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let unit: Vec<f64> = space.parameters().iter().map(|p| p.c_end).collect();
        let losses: Vec<f64> =
            unit.iter().map(|_| loss * (0.9 * gaussian(&mut rng)).exp()).collect();
        let offsets: Vec<f64> = unit.iter().map(|_| gaussian(&mut rng)).collect();
        let drawn: f64 = losses.iter().zip(&offsets).map(|(loss, z)| loss * z * z).sum();
        let scale = (start_loss / drawn).sqrt();
        let optimum = space
            .parameters()
            .iter()
            .zip(&offsets)
            .map(|(p, z)| (p.start + scale * z * p.c_end).clamp(p.min, p.max))
            .collect();
        let skew = vec![0.0; unit.len()];
        let saturation = f64::INFINITY;
        Self { optimum, unit, loss: losses, skew, saturation, mirrors: Vec::new() }
    }

    /// A random bowl with a median loss of ½ Elo at one `c_end`, every parameter lopsided by `skew`
    /// to one side or the other, flattened with `saturation`, its start `start_loss` Elo below the
    /// optimum. Skew 0.3, saturation 100 and 20 Elo are the reference of the comparisons.
    ///
    /// # Panics
    /// As [`Bowl::shaped`].
    #[must_use]
    pub fn lopsided(
        space: &ParameterSpace,
        start_loss: f64,
        skew: f64,
        saturation: f64,
        seed: u64,
    ) -> Self {
        let shape = Shape { skew, saturation, ..Shape::REFERENCE };
        Self::shaped(space, start_loss, &shape, seed)
    }

    /// A random bowl of this shape with a median loss of ½ Elo at one `c_end`, its start
    /// `start_loss` Elo below the optimum.
    ///
    /// # Panics
    /// If the box is too narrow for a start so far below.
    #[must_use]
    pub fn shaped(space: &ParameterSpace, start_loss: f64, shape: &Shape, seed: u64) -> Self {
        let parameters = space.parameters();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let unit: Vec<f64> = parameters.iter().map(|p| p.c_end).collect();
        let mut loss: Vec<f64> =
            unit.iter().map(|_| 0.5 * (shape.spread * gaussian(&mut rng)).exp()).collect();
        let way: Vec<f64> = unit.iter().map(|_| gaussian(&mut rng)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let skew = unit
            .iter()
            .map(|_| if rng.next_u64() & 1 == 1 { shape.skew } else { -shape.skew })
            .collect();
        if shape.dead {
            loss.iter_mut().skip(1).step_by(2).for_each(|loss| *loss = 0.0);
        }
        let mirrors = if shape.rotated { mirrors(unit.len(), &mut rng) } else { Vec::new() };
        let start = space.start();
        let mut bowl =
            Self { optimum: start, unit, loss, skew, saturation: shape.saturation, mirrors };
        let place = |bowl: &mut Self, steps: f64| {
            for ((at, p), way) in bowl.optimum.iter_mut().zip(parameters).zip(&way) {
                *at = (p.start + steps * way * p.c_end).clamp(p.min, p.max);
            }
        };
        // Nearer optima lose less: how far along its way the optimum lies for the loss wanted.
        let (mut low, mut high) = (0.0, 1e3);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            place(&mut bowl, middle);
            if bowl.elo(&space.start()).0 > -start_loss { low = middle } else { high = middle }
        }
        place(&mut bowl, high);
        let lost = -bowl.elo(&space.start()).0;
        assert!((lost - start_loss).abs() < 1e-6, "the box has no room for the optimum");
        bowl
    }

    /// Strength of a point below the optimum, ≤ 0.
    ///
    /// # Panics
    /// If the point has another number of parameters.
    #[must_use]
    pub fn elo(&self, point: &[f64]) -> Elo {
        assert_eq!(point.len(), self.optimum.len(), "a point has one value for each parameter");
        let mut lost = 0.0;
        let mut offsets: Vec<f64> = point
            .iter()
            .zip(&self.optimum)
            .zip(&self.unit)
            .map(|((value, optimum), unit)| (value - optimum) / unit)
            .collect();
        for mirror in &self.mirrors {
            let along: f64 = mirror.iter().zip(&offsets).map(|(m, x)| m * x).sum();
            offsets.iter_mut().zip(mirror).for_each(|(x, m)| *x -= 2.0 * along * m);
        }
        for (index, &offset) in offsets.iter().enumerate() {
            let lopsided = 1.0 + self.skew[index] * (0.5 * offset).tanh();
            lost += self.loss[index] * lopsided * offset * offset;
        }
        if self.saturation.is_finite() {
            lost = self.saturation * (lost / self.saturation).ln_1p();
        }
        Elo(-lost)
    }
}

/// What a point is worth.
pub trait Landscape {
    /// Strength of a point against some fixed opponent.
    fn strength(&self, point: &[f64]) -> Elo;
}

impl Landscape for Bowl {
    fn strength(&self, point: &[f64]) -> Elo {
        self.elo(point)
    }
}

impl<F: Fn(&[f64]) -> Elo> Landscape for F {
    fn strength(&self, point: &[f64]) -> Elo {
        self(point)
    }
}

/// How a simulated tune is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Pairs of the whole tune.
    pub pairs: Pairs,
    /// Pairs of one perturbation; ≥ 1.
    pub block: Pairs,
    /// Blocks that are out with workers at any time; 1 = each is told before the next is asked.
    pub in_flight: usize,
}

/// Plays a whole tune against the landscape.
///
/// # Panics
/// If the optimiser refuses its own perturbation, or a block has no pairs.
pub fn play(
    optimizer: &mut impl Optimizer,
    landscape: &impl Landscape,
    noise: &PairNoise,
    schedule: Schedule,
    seed: u64,
) {
    assert!(schedule.block.0 > 0, "a block has at least one pair");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut waiting = VecDeque::new();
    let mut next = 0;
    loop {
        while next < schedule.pairs.0 && waiting.len() < schedule.in_flight.max(1) {
            let pairs = schedule.block.0.min(schedule.pairs.0 - next);
            waiting.push_back((optimizer.ask(next), Pairs(pairs)));
            next += pairs;
        }
        let Some((perturbation, pairs)) = waiting.pop_front() else { return };
        let difference =
            landscape.strength(&perturbation.plus).0 - landscape.strength(&perturbation.minus).0;
        let counts = noise.play(Elo(difference), pairs, &mut rng);
        optimizer
            .tell(&perturbation, pairs, counts.balance())
            .expect("the perturbation is the optimiser's own and the balance that of its pairs");
    }
}

/// As many random unit vectors as there are dimensions.
fn mirrors(dimension: usize, rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let mut mirror = || {
        let way: Vec<f64> = (0..dimension).map(|_| gaussian(rng)).collect();
        let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        way.into_iter().map(|x| x / length).collect()
    };
    (0..dimension).map(|_| mirror()).collect()
}

/// A uniform number in [0, 1).
fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal number (G. Box, M. Muller, 1958).
fn gaussian(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_has_the_wanted_score() {
        for noise in [PairNoise::STRONG, PairNoise::YOUNG, PairNoise::FEW_DRAWS] {
            assert!((noise.even.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for elo in [-300.0, -10.0, 0.0, 35.0] {
                let law = noise.law(Elo(elo));
                let mean: f64 = law.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
                assert!((stats::elo_of_score(mean).0 - elo).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn played_pairs_follow_the_law() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let counts = PairNoise::YOUNG.play(Elo(40.0), Pairs(100_000), &mut rng);
        assert_eq!(counts.pairs(), Pairs(100_000));
        let estimate = stats::estimate(&counts);
        assert!(estimate.low.0 - 1.0 < 40.0 && 40.0 < estimate.high.0 + 1.0, "{estimate:?}");
    }

    #[test]
    fn a_bowl_loses_what_it_says() {
        let bowl = Bowl {
            optimum: vec![4.0, -1.0],
            unit: vec![2.0, 1.0],
            loss: vec![5.0, 3.0],
            skew: vec![0.0; 2],
            saturation: f64::INFINITY,
            mirrors: Vec::new(),
        };
        let turned = Bowl { mirrors: vec![vec![0.6, 0.8]], ..bowl.clone() };
        // (1, 0) is seen as (1 − 2 · 0.36, −2 · 0.48).
        let seen = 5.0 * 0.28_f64.powi(2) + 3.0 * 0.96_f64.powi(2);
        assert!((turned.elo(&[6.0, -1.0]).0 + seen).abs() < 1e-12);
        assert_eq!(bowl.elo(&[4.0, -1.0]), Elo(0.0));
        assert_eq!(bowl.elo(&[6.0, -3.0]), Elo(-17.0));
        let lopsided = Bowl { skew: vec![0.5, 0.0], ..bowl.clone() };
        assert!((lopsided.elo(&[6.0, -1.0]).0 + 5.0 + 2.5 * 0.5_f64.tanh()).abs() < 1e-12);
        assert!((lopsided.elo(&[2.0, -1.0]).0 + 5.0 - 2.5 * 0.5_f64.tanh()).abs() < 1e-12);
        let flat = Bowl { saturation: 40.0, ..bowl };
        assert!((flat.elo(&[6.0, -3.0]).0 + 40.0 * (17.0_f64 / 40.0).ln_1p()).abs() < 1e-12);
    }
}
