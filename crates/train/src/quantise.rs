//! Integers of a network, and how far they are from it.
//!
//! Every weight is rounded to its unit: 1/255 in the first layer, 1/64 among the output weights. For one
//! position the error of the output has a bound that follows from the roundings: with n rows and the begin,
//! a sum is off by at most e = (n + 1)/2 units; a clipped square by at most e(2a + e), a being the clipped
//! sum; the output by Σ |w'| e(2a + e) + Σ |w' − w| a² and what the begin is off. The value in centipawns
//! is cut to a whole number, which takes at most one more.

use crate::samples::Samples;
use crate::slice::Slice;
use crate::weights::Weights;
use net::{BoundError, Network, Parts, QUANTUM_IN, QUANTUM_OUT};

/// How far the integers are from the network, over some positions; centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Rounding {
    /// Positions compared.
    pub positions: usize,
    /// Mean distance.
    pub mean: f64,
    /// Largest distance.
    pub largest: f64,
    /// The largest share of its own bound that a position has reached: at most 1.
    pub of_bound: f64,
}

/// Makes integers of a network.
///
/// # Errors
/// Sums of the integers would not fit; weights that the trainer keeps within its bounds always do, but for
/// outputs whose weights are large without exception.
pub fn quantise(weights: &Weights, scale: i32, origin: [u8; 32]) -> Result<Network, BoundError> {
    let shape = weights.architecture;
    let hidden = usize::from(shape.hidden);
    let (one_in, one_out) = (f32::from(QUANTUM_IN), f32::from(QUANTUM_OUT));
    let block = |at: usize, unit: f32| {
        (0..hidden).map(move |neuron| (weights.of(neuron, at) * unit).round() as i16)
    };
    let rows = (0..shape.inputs()).flat_map(|input| block(input, one_in)).collect();
    let bias = block(shape.inputs(), one_in).collect();
    let outputs = 0..2 * usize::from(shape.output_buckets);
    let output = outputs.flat_map(|at| block(shape.inputs() + 1 + at, one_out)).collect();
    let one = f64::from(one_in) * f64::from(one_in) * f64::from(one_out);
    let begin = |bias: &f32| (f64::from(*bias) * one).round() as i32;
    let output_bias = weights.output_bias.iter().map(begin).collect();
    Network::new(Parts { architecture: shape, scale, origin, rows, bias, output, output_bias })
}

impl Rounding {
    /// Compares the integers with the network over at most so many positions, evenly chosen.
    ///
    /// # Errors
    /// A position is further off than its bound: the place of it among the samples. Then the two are
    /// not the same network.
    pub fn measure(
        weights: &Weights,
        network: &Network,
        samples: &Samples,
        most: usize,
    ) -> Result<Self, usize> {
        let stride = (samples.len() / most.max(1)).max(1);
        let mut rounding = Self::default();
        for index in (0..samples.len()).step_by(stride) {
            let sample = samples.get(index);
            let exact = weights.output(&sample) * f64::from(network.parts().scale);
            let value = f64::from(network.evaluate_inputs(sample.inputs, sample.bucket));
            let distance = (exact - value).abs();
            let bound = bound(weights, network, &sample);
            if distance.is_nan() || distance > bound {
                return Err(index);
            }
            rounding.positions += 1;
            rounding.mean += distance;
            rounding.largest = rounding.largest.max(distance);
            rounding.of_bound = rounding.of_bound.max(distance / bound);
        }
        rounding.mean /= rounding.positions.max(1) as f64;
        Ok(rounding)
    }
}

/// How far the integers can be off for this position, in centipawns.
fn bound(weights: &Weights, network: &Network, sample: &crate::samples::Sample<'_>) -> f64 {
    let (one_in, one_out) = (f64::from(QUANTUM_IN), f64::from(QUANTUM_OUT));
    let shape = &weights.architecture;
    let mut off = 0.5 / (one_in * one_in * one_out);
    for (side, set) in sample.inputs.into_iter().enumerate() {
        let at = Slice::output_at(shape.inputs(), sample.bucket, side);
        let sum_off = (set.len() as f64 + 1.0) * 0.5 / one_in;
        for neuron in 0..usize::from(shape.hidden) {
            let clipped = weights.sum(set, neuron).clamp(0.0, 1.0);
            let weight = f64::from(weights.of(neuron, at));
            let rounded = (weight * one_out).round() / one_out;
            off += rounded.abs() * sum_off * (2.0 * clipped + sum_off);
            off += (rounded - weight).abs() * clipped * clipped;
        }
    }
    off * f64::from(network.parts().scale) + 1.0
}
