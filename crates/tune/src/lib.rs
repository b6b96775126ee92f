//! Optimisers of engine parameters, fed by game pairs.
//!
//! An optimiser is asked for two parameter sets, `plus` and `minus`, which play a block of pairs
//! against each other, and is told how many points `plus` came out ahead ([`Optimizer`]). It does
//! no I/O and holds no clock; its state is a pure function of the specification, the seed and the
//! ordered reports ([`replay`]).
//!
//! Two of them: [`Spsa`] follows noisy slopes and costs nothing to keep; [`Bqr`] fits the surface
//! around its point to every report, needs fewer pairs for the same strength where parameters are
//! few, and knows how sure it is. [`Tuner`] is the one that a specification names.

mod bqr;
mod choices;
mod config;
mod design;
mod optimizer;
mod packed;
mod polytope;
mod probe;
mod scale;
pub mod sim;
mod space;
mod spsa;
mod survey;
mod tuner;
mod verdict;

pub use bqr::{Bqr, BqrEstimate, BqrState};
pub use config::{Gains, SpsaConfig};
pub use optimizer::{Optimizer, Report, TuneError, replay};
pub use probe::Perturbation;
pub use space::ParameterSpace;
pub use spsa::{Spsa, SpsaState};
pub use survey::{Survey, SurveyedGain};
pub use tuner::{Standing, Tuner, TunerState, UnreadablePerturbation};
pub use verdict::{PLACEBO_CHANCE, Waypoint};
