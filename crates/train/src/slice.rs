//! 32 neurons of either side: their sums, their share of the output, and its slopes.
//!
//! The numbers of a slice lie together: for each input 32, then what the neurons begin with, then for each
//! output bucket the weights of the side to move and of the other. Loops over the 32 have no order that
//! matters, so that they become vectors.

use crate::optimiser::{Learnt, Step};
use crate::samples::{Sample, Samples};
use net::{Architecture, BLOCK};

/// Numbers of the 32 neurons.
pub(crate) type Lanes = [f32; BLOCK];

/// Weights stay within this on either side: 127 units of 1/64, and sums that fit 16 bits.
pub(crate) const MOST_WEIGHT: f32 = 127.0 / 64.0;

/// 32 neurons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slice {
    pub(crate) learnt: Learnt,
    inputs: usize,
    /// The sums of each position of the batch, of the side to move and of the other.
    sums: Vec<[Lanes; 2]>,
    /// The share of each position's output.
    pub(crate) shares: Vec<f32>,
}

fn lanes(numbers: &[f32], at: usize) -> &Lanes {
    numbers[BLOCK * at..].first_chunk().expect("a slice has whole blocks")
}

fn lanes_mut(numbers: &mut [f32], at: usize) -> &mut Lanes {
    numbers[BLOCK * at..].first_chunk_mut().expect("a slice has whole blocks")
}

/// What a neuron gives.
fn activate(sum: f32) -> f32 {
    let clipped = sum.clamp(0.0, 1.0);
    clipped * clipped
}

/// How that grows with the sum.
fn growth(sum: f32) -> f32 {
    if sum > 0.0 && sum < 1.0 { 2.0 * sum } else { 0.0 }
}

impl Slice {
    /// Blocks of 32 numbers of a slice.
    pub(crate) fn blocks(shape: &Architecture) -> usize {
        shape.inputs() + 1 + 2 * usize::from(shape.output_buckets)
    }

    pub(crate) fn new(shape: &Architecture, learnt: Learnt) -> Self {
        Self { learnt, inputs: shape.inputs(), sums: Vec::new(), shares: Vec::new() }
    }

    /// The place of the weights of a side in the output of a bucket.
    pub(crate) fn output_at(inputs: usize, bucket: usize, side: usize) -> usize {
        inputs + 1 + 2 * bucket + side
    }

    /// Computes the shares of these positions.
    pub(crate) fn forward(&mut self, samples: &Samples, batch: &[u32]) {
        let Self { learnt, inputs, sums, shares } = self;
        let values = &learnt.values;
        sums.clear();
        shares.clear();
        for &index in batch {
            let Sample { inputs: sides, bucket } = samples.get(index as usize);
            let mut share: Lanes = [0.0; BLOCK];
            let both: [Lanes; 2] = std::array::from_fn(|side| {
                let mut sum = *lanes(values, *inputs);
                for &input in sides[side] {
                    let row = lanes(values, usize::from(input));
                    for (sum, row) in sum.iter_mut().zip(row) {
                        *sum += row;
                    }
                }
                let weights = lanes(values, Self::output_at(*inputs, bucket, side));
                for ((share, sum), weight) in share.iter_mut().zip(&sum).zip(weights) {
                    *share += activate(*sum) * weight;
                }
                sum
            });
            sums.push(both);
            shares.push(add(share));
        }
    }

    /// Adds to the slopes those of the positions of the last [`Slice::forward`], `by` being the slope of
    /// the loss along each output.
    pub(crate) fn backward(&mut self, samples: &Samples, batch: &[u32], by: &[f32]) {
        let Self { learnt, inputs, sums, .. } = self;
        let Learnt { values, slopes, .. } = learnt;
        for ((&index, both), &by) in batch.iter().zip(sums.iter()).zip(by) {
            let Sample { inputs: sides, bucket } = samples.get(index as usize);
            for (side, sum) in both.iter().enumerate() {
                let at = Self::output_at(*inputs, bucket, side);
                let weights = lanes(values, at);
                let mut along: Lanes = [0.0; BLOCK];
                for ((along, sum), weight) in along.iter_mut().zip(sum).zip(weights) {
                    *along = by * weight * growth(*sum);
                }
                for (slope, sum) in lanes_mut(slopes, at).iter_mut().zip(sum) {
                    *slope += by * activate(*sum);
                }
                let rows = sides[side].iter().map(|&input| usize::from(input));
                for row in rows.chain([*inputs]) {
                    for (slope, along) in lanes_mut(slopes, row).iter_mut().zip(&along) {
                        *slope += along;
                    }
                }
            }
        }
    }

    /// Moves the weights.
    pub(crate) fn step(&mut self, step: Step) {
        self.learnt.step(step, MOST_WEIGHT);
    }
}

/// The sum of the lanes, always in the same order.
fn add(mut lanes: Lanes) -> f32 {
    let mut half = BLOCK / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}
