//! Efficiently updatable networks (Y. Nasu, 2018): what they see, how they count, and the files that they
//! stand in.
//!
//! A position is seen by either side as a sparse set of inputs ([`NetGame`]): a piece on a point, by the
//! place of the own king. One layer sums the rows of the inputs that are set; a move changes few of them,
//! so that the sums are kept along the line ([`Accumulators`]). The sums of both sides, clipped and
//! squared, make the value by one of several sets of weights, chosen by the material. All numbers are
//! integers and every kernel gives the same ones ([`Kernel`]), so that a search with a network is the
//! same on every machine. No I/O, no clock, no randomness.

mod accumulators;
mod architecture;
mod file;
mod inputs;
mod kernel;
mod network;
mod xiangqi;

#[cfg(test)]
mod tests;

pub use accumulators::Accumulators;
pub use architecture::{Architecture, ArchitectureError, MOST_BUCKETS, MOST_HIDDEN};
pub use file::FileError;
pub use inputs::{Change, NetGame, View};
pub use kernel::{BLOCK, Block, Kernel};
pub use network::{BoundError, Network, Parts, QUANTUM_IN, QUANTUM_OUT};
