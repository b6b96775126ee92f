//! Positions as inputs of a network, with what is known of their worth.

use data::{Game, WalkError, positions};
use model::portable;
use net::{Architecture, NetGame};
use std::collections::HashSet;

/// Positions in memory: 4 bytes for each piece and 8 more for each position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The inputs of every position: those of the side to move, then as many of the other.
    inputs: Vec<u16>,
    /// Where each position's inputs end.
    ends: Vec<u32>,
    buckets: Vec<u8>,
    /// Centipawns for the side to move.
    scores: Vec<i16>,
    /// What the side to move got out of the game, in half-points.
    results: Vec<u8>,
}

/// One position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    /// The inputs of the side to move and of the other.
    pub(crate) inputs: [&'a [u16]; 2],
    /// Its output bucket.
    pub(crate) bucket: usize,
}

impl Samples {
    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Sample<'_> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let inputs = &self.inputs[start..self.ends[index] as usize];
        let (us, them) = inputs.split_at(inputs.len() / 2);
        Sample { inputs: [us, them], bucket: usize::from(self.buckets[index]) }
    }

    /// The expected points that a network is to give: a blend of result and score, the score on a
    /// logistic scale of so many centipawns.
    pub(crate) fn target(&self, index: usize, result_share: f64, scale: f64) -> f64 {
        let result = f64::from(self.results[index]) / 2.0;
        let score = sigmoid(f64::from(self.scores[index]) / scale);
        result_share * result + (1.0 - result_share) * score
    }

    /// The logistic scale in whole centipawns, 50 to 2000, at which the scores foretell the results with
    /// the least squared error, by golden sections.
    #[must_use]
    pub fn best_scale(&self) -> i32 {
        // Every so many suffice: the scale has one number.
        let stride = (self.len() / 100_000).max(1);
        let loss = |scale: f64| -> f64 {
            let error = |index: usize| {
                let expected = sigmoid(f64::from(self.scores[index]) / scale);
                (expected - f64::from(self.results[index]) / 2.0).powi(2)
            };
            (0..self.len()).step_by(stride).map(error).sum()
        };
        let (mut low, mut high) = (50.0, 2000.0);
        for _ in 0..30 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            if loss(a) < loss(b) { high = b } else { low = a }
        }
        f64::midpoint(low, high).round() as i32
    }

    pub(crate) fn push<G: NetGame>(&mut self, shape: &Architecture, kept: &data::Position<'_, G>) {
        let position = kept.position;
        let us = usize::from(!position.first_to_move());
        for side in [us, 1 - us] {
            let view = G::view(side, position.king_point(side), shape.king_buckets);
            position.items(|item| {
                let input =
                    usize::from(view.bucket) * G::ITEMS + G::input(side, view.mirrored, item);
                self.inputs.push(input as u16);
            });
        }
        self.ends.push(self.inputs.len() as u32);
        self.buckets.push(shape.output_bucket::<G>(position.piece_count()) as u8);
        self.scores.push(kept.score.0.clamp(-30_000, 30_000) as i16);
        self.results.push((2.0 * kept.result) as u8);
    }
}

/// Takes games and makes two sets of them: what is learnt from, and what is held out.
///
/// A game is held out whole, by its number; a position that was seen before, in whichever game, is left
/// out.
#[derive(Clone, Debug)]
pub struct SamplesBuilder {
    shape: Architecture,
    held_out: u64,
    seen: HashSet<u64>,
    learnt: Samples,
    held: Samples,
    repeated: u64,
}

/// Most inputs of a set, as their ends are numbers of 32 bits.
const MOST_INPUTS: usize = u32::MAX as usize - 1024;

impl SamplesBuilder {
    /// For networks of this shape, one in so many games held out.
    #[must_use]
    pub fn new(shape: Architecture, held_out: u32) -> Self {
        let (learnt, held) = (Samples::default(), Samples::default());
        let held_out = u64::from(held_out.max(2));
        Self { shape, held_out, seen: HashSet::new(), learnt, held, repeated: 0 }
    }

    /// Takes the kept positions of a game; `false` when the set is full, and nothing is taken.
    ///
    /// # Errors
    /// The game is none.
    pub fn add<G: NetGame>(&mut self, game: &Game) -> Result<bool, WalkError> {
        let Self { shape, seen, learnt, held, repeated, held_out } = self;
        let samples = if is_held_out(game.index, *held_out) { held } else { learnt };
        if samples.inputs.len() > MOST_INPUTS - game.kept.len() * 2 * G::MOST_PIECES {
            return Ok(false);
        }
        positions::<G>(game, |kept| {
            if seen.insert(kept.position.hash()) {
                samples.push(shape, &kept);
            } else {
                *repeated += 1;
            }
        })?;
        Ok(true)
    }

    /// What is learnt from, what is held out, and how many positions were left out as seen before.
    #[must_use]
    pub fn finish(self) -> (Samples, Samples, u64) {
        (self.learnt, self.held, self.repeated)
    }
}

/// One in so many games, spread by a multiplication (D. Knuth's multiplicative hashing).
fn is_held_out(index: u64, one_in: u64) -> bool {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(one_in)
}

/// 1 / (1 + e^−x), the same on every machine.
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + portable::exp(-x))
}
