//! Optimisers of engine parameters, fed by game pairs.
//!
//! An optimiser is asked for two parameter sets, `plus` and `minus`, which play a block of pairs
//! against each other, and is told how many points `plus` came out ahead ([`Optimizer`]). It does
//! no I/O and holds no clock; its state is a pure function of the specification, the seed and the
//! ordered reports ([`replay`]).

mod config;
mod optimizer;
mod probe;
pub mod sim;
mod space;
mod spsa;

pub use config::{Gains, SpsaConfig};
pub use optimizer::{Optimizer, Report, TuneError};
pub use probe::Perturbation;
pub use space::ParameterSpace;
pub use spsa::{Spsa, SpsaState, replay};
