//! Trains networks on games of the engine against itself, on the processor.
//!
//! [`Samples`] are positions as inputs of a network, with what is known of their worth. A [`Trainer`] goes
//! through them in batches by a seeded order and lowers the squared error of the expected points by AdamW
//! (I. Loshchilov and F. Hutter, 2019). The neurons are cut into slices of 32; a slice is worked on by one
//! thread at a time, whichever, and nothing is ever added up across threads: the numbers are the same to the
//! bit with any number of them, and after a [checkpoint](Trainer::checkpoint) as without. [`quantise`]
//! makes integers of a network and says how far they are from it. No I/O, no clock; threads are the only
//! thing that is not pure here.

mod checkpoint;
mod optimiser;
mod quantise;
mod samples;
mod settings;
mod slice;
mod trainer;
mod weights;

#[cfg(test)]
mod tests;

pub use checkpoint::CheckpointError;
pub use quantise::{Rounding, quantise};
pub use samples::{Samples, SamplesBuilder};
pub use settings::{Settings, SettingsError};
pub use trainer::{Epoch, Progress, Trainer};
pub use weights::Weights;
