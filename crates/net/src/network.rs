//! The weights of a network, with the bounds under which integers hold them.

use crate::accumulators::Accumulators;
use crate::kernel::{BLOCK, Block, Kernel};
use crate::{Architecture, ArchitectureError, NetGame};

/// What stands for 1 among the values of the neurons.
pub const QUANTUM_IN: i16 = 255;

/// What stands for 1 among the output weights.
pub const QUANTUM_OUT: i16 = 64;

/// Largest output weight: its product with a value fits 16 bits.
const MOST_OUTPUT_WEIGHT: i16 = 128;

/// The numbers of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Its shape.
    pub architecture: Architecture,
    /// Centipawns that an output of 1 stands for.
    pub scale: i32,
    /// SHA-256 of what it was trained from; zeros: not known.
    pub origin: [u8; 32],
    /// The first layer: a row of `hidden` numbers for each input, in units of 1/255.
    pub rows: Vec<i16>,
    /// What each neuron begins with.
    pub bias: Vec<i16>,
    /// For each output bucket the weights of the side to move, then of the other, in units of 1/64.
    pub output: Vec<i16>,
    /// For each output bucket what the sum begins with, in units of 1/(255² · 64).
    pub output_bias: Vec<i32>,
}

/// A network ready to be asked.
#[derive(Clone, Debug)]
pub struct Network {
    parts: Parts,
    rows: Vec<Block>,
    bias: Vec<Block>,
    output: Vec<Block>,
    kernel: Kernel,
}

/// Numbers that are no network, or one whose sums would not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// No network has this shape.
    #[error("the shape of the network: {0}")]
    Shape(#[from] ArchitectureError),
    /// The numbers are not as many as the shape has.
    #[error("{what}: found {found} numbers; allowed: {allowed}")]
    Count {
        /// Which of them.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many the shape has.
        allowed: usize,
    },
    /// A scale of 0 or below, or beyond all use.
    #[error("scale: found {found}; allowed: 1 to 10000 centipawns")]
    Scale {
        /// What it is.
        found: i32,
    },
    /// The sum of a neuron could pass 16 bits.
    #[error(
        "neuron {neuron} could reach {reach}; allowed: 32767, for sums of 16 bits: make the weights of \
         the first layer smaller"
    )]
    Neuron {
        /// Which.
        neuron: usize,
        /// The largest sum that its weights allow.
        reach: i64,
    },
    /// An output weight is too large for its product to fit.
    #[error("output weight {found}; allowed: -128 to 128")]
    OutputWeight {
        /// What it is.
        found: i16,
    },
    /// The sum of an output bucket could pass 32 bits.
    #[error(
        "output bucket {bucket} could reach {reach}; allowed: 2147483647, for sums of 32 bits: make its \
         weights smaller"
    )]
    Output {
        /// Which.
        bucket: usize,
        /// The largest sum that its weights allow.
        reach: i64,
    },
}

/// Most pieces on a board of any game: so many rows are added at most.
const MOST_ROWS: i64 = 40;

impl Network {
    /// Makes a network ready, if none of its sums can pass the bits that hold it, whatever the position.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn new(parts: Parts) -> Result<Self, BoundError> {
        let shape = parts.architecture;
        shape.check()?;
        let hidden = usize::from(shape.hidden);
        let buckets = usize::from(shape.output_buckets);
        for (what, found, allowed) in [
            ("rows", parts.rows.len(), shape.inputs() * hidden),
            ("bias", parts.bias.len(), hidden),
            ("output weights", parts.output.len(), 2 * buckets * hidden),
            ("output bias", parts.output_bias.len(), buckets),
        ] {
            if found != allowed {
                return Err(BoundError::Count { what, found, allowed });
            }
        }
        if !(1..=10_000).contains(&parts.scale) {
            return Err(BoundError::Scale { found: parts.scale });
        }
        let mut largest = vec![0; hidden];
        for row in parts.rows.chunks_exact(hidden) {
            for (largest, weight) in largest.iter_mut().zip(row) {
                *largest = i64::from(weight.unsigned_abs()).max(*largest);
            }
        }
        for (neuron, (largest, bias)) in largest.into_iter().zip(&parts.bias).enumerate() {
            let reach = i64::from(bias.unsigned_abs()) + MOST_ROWS * largest;
            if reach > i64::from(i16::MAX) {
                return Err(BoundError::Neuron { neuron, reach });
            }
        }
        let outputs = parts.output.chunks_exact(2 * hidden).zip(&parts.output_bias);
        for (bucket, (weights, bias)) in outputs.enumerate() {
            let beyond = |w: &&i16| w.unsigned_abs() > MOST_OUTPUT_WEIGHT.unsigned_abs();
            if let Some(&found) = weights.iter().find(beyond) {
                return Err(BoundError::OutputWeight { found });
            }
            let sum: i64 = weights.iter().map(|weight| i64::from(weight.unsigned_abs())).sum();
            let one = i64::from(QUANTUM_IN);
            let reach = i64::from(bias.unsigned_abs()) + sum * one * one;
            if reach > i64::from(i32::MAX) {
                return Err(BoundError::Output { bucket, reach });
            }
        }
        let [rows, bias, output] = [&parts.rows, &parts.bias, &parts.output].map(|n| blocks(n));
        Ok(Self { parts, rows, bias, output, kernel: Kernel::best() })
    }

    /// The same network with another kernel: for comparisons.
    ///
    /// # Panics
    /// This machine does not have it.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        assert!(kernel.is_here(), "{kernel:?} is not here");
        self.kernel = kernel;
        self
    }

    /// Its numbers.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Its shape.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.parts.architecture
    }

    /// The value of a position in centipawns for the side to move, all sums made afresh.
    #[must_use]
    pub fn evaluate<G: NetGame>(&self, position: &G) -> i32 {
        let mut sums = [self.bias.clone(), self.bias.clone()];
        for (side, sums) in sums.iter_mut().enumerate() {
            let view =
                G::view(side, position.king_point(side), self.parts.architecture.king_buckets);
            let mut inputs = Vec::new();
            position.items(|item| inputs.push(self.row::<G>(side, view, item)));
            self.kernel.update(sums, &self.bias, &self.rows, &inputs, &[]);
        }
        let us = usize::from(!position.first_to_move());
        self.value::<G>(&sums[us], &sums[1 - us], position.piece_count())
    }

    /// The same of the inputs that the side to move and the other see, with the output bucket.
    ///
    /// # Panics
    /// The network has no such input or bucket.
    #[must_use]
    pub fn evaluate_inputs(&self, inputs: [&[u16]; 2], bucket: usize) -> i32 {
        let [us, them] = inputs.map(|inputs| {
            let rows: Vec<usize> = inputs.iter().map(|&input| usize::from(input)).collect();
            let mut sums = self.bias.clone();
            self.kernel.update(&mut sums, &self.bias, &self.rows, &rows, &[]);
            sums
        });
        self.value_in(&us, &them, bucket)
    }

    /// The row of an item as a side sees it.
    #[inline]
    pub(crate) fn row<G: NetGame>(&self, side: usize, view: crate::View, item: u16) -> usize {
        usize::from(view.bucket) * G::ITEMS + G::input(side, view.mirrored, item)
    }

    /// `to` becomes `from` with some rows added and others taken away.
    #[inline]
    pub(crate) fn update(&self, to: &mut [Block], from: &[Block], on: &[usize], off: &[usize]) {
        self.kernel.update(to, from, &self.rows, on, off);
    }

    /// What every neuron begins with.
    #[inline]
    pub(crate) fn bias(&self) -> &[Block] {
        &self.bias
    }

    /// Centipawns of the sums of the side to move and of the other.
    #[inline]
    pub(crate) fn value<G: NetGame>(&self, us: &[Block], them: &[Block], pieces: usize) -> i32 {
        self.value_in(us, them, self.parts.architecture.output_bucket::<G>(pieces))
    }

    #[inline]
    fn value_in(&self, us: &[Block], them: &[Block], bucket: usize) -> i32 {
        let blocks = self.parts.architecture.blocks();
        let (ours, theirs) = self.output[2 * blocks * bucket..][..2 * blocks].split_at(blocks);
        let sum = self.kernel.output(us, ours).wrapping_add(self.kernel.output(them, theirs));
        let sum = i64::from(sum.wrapping_add(self.parts.output_bias[bucket]));
        let one = i64::from(QUANTUM_IN) * i64::from(QUANTUM_IN) * i64::from(QUANTUM_OUT);
        (sum * i64::from(self.parts.scale) / one) as i32
    }

    /// Sums along a line of moves.
    #[must_use]
    pub fn accumulators(self: &std::sync::Arc<Self>) -> Accumulators {
        Accumulators::new(self)
    }
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    let block = |numbers: &[i16]| {
        let mut block = Block::default();
        block.0.copy_from_slice(numbers);
        block
    };
    numbers.chunks_exact(BLOCK).map(block).collect()
}
