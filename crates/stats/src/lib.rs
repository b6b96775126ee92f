//! Statistics of game pairs: Elo with its interval, and the sequential test of one parameter set
//! against another, or of several against one.
//!
//! Everything is a pure function of a [`model::Pentanomial`], so that any figure can be recomputed
//! from the counts. Pairs, not games, are the independent trials: both games of a pair share an
//! opening, and a biased opening makes their results depend on each other.

mod brownian;
mod corrected;
mod economics;
mod elo;
mod honesty;
mod law;
mod likelihood;
mod moments;
mod opening;
mod outlook;
mod overshoot;
mod plan;
mod race;
mod simulate;
mod simulate_race;
mod sprt;

pub use corrected::CorrectedElo;
pub use economics::{PRESETS, Preset, Prior, gain_per_million_games};
pub use elo::{
    ELO_PER_T, EloEstimate, NORMAL_95, draw_ratio, elo_of_score, estimate, middle_ratio,
    normal_cdf, score_of_elo,
};
pub use honesty::{ALLOWANCE, Evidence, Stratum, evidence, suspects};
pub use law::PairLaw;
pub use likelihood::{MAX_BOUND, llr};
pub use model::spec::EloModel;
pub use moments::Moments;
pub use opening::{OpeningPrior, OpeningWorth, pair_deviation};
pub use outlook::Outlook;
pub use overshoot::Overshoot;
pub use plan::{Forecast, forecast};
pub use race::{Lane, Race};
pub use simulate::{Correction, Simulated, Simulation, simulate};
pub use simulate_race::{RaceSimulated, RaceSimulation, simulate_race};
pub use sprt::{SprtBounds, SprtDecision, SprtError, SprtReport, SprtSpec, decide};
