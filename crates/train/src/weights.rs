//! A network in floating point, without what its training keeps.

use crate::samples::Sample;
use crate::slice::Slice;
use net::{Architecture, BLOCK};

/// A network in floating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Its shape.
    pub architecture: Architecture,
    /// The numbers of each slice of 32 neurons.
    pub(crate) slices: Vec<Vec<f32>>,
    /// What the output of each bucket begins with.
    pub(crate) output_bias: Vec<f32>,
}

impl Weights {
    /// A number of a neuron: of a block of its slice.
    pub(crate) fn of(&self, neuron: usize, block: usize) -> f32 {
        self.slices[neuron / BLOCK][BLOCK * block + neuron % BLOCK]
    }

    /// The output for a position, in double precision.
    pub(crate) fn output(&self, sample: &Sample<'_>) -> f64 {
        let inputs = self.architecture.inputs();
        let mut sum = f64::from(self.output_bias[sample.bucket]);
        for (side, set) in sample.inputs.into_iter().enumerate() {
            let at = Slice::output_at(inputs, sample.bucket, side);
            for neuron in 0..usize::from(self.architecture.hidden) {
                let clipped = self.sum(set, neuron).clamp(0.0, 1.0);
                sum += clipped * clipped * f64::from(self.of(neuron, at));
            }
        }
        sum
    }

    /// The sum of a neuron over a side's inputs, in double precision.
    pub(crate) fn sum(&self, set: &[u16], neuron: usize) -> f64 {
        let begin = f64::from(self.of(neuron, self.architecture.inputs()));
        set.iter().fold(begin, |sum, &input| sum + f64::from(self.of(neuron, input.into())))
    }
}
