//! Statistics of game pairs: Elo with its interval, and the sequential test of one parameter set
//! against another.
//!
//! Everything is a pure function of a [`model::Pentanomial`], so that any figure can be recomputed
//! from the counts. Pairs, not games, are the independent trials: both games of a pair share an
//! opening, and a biased opening makes their results depend on each other.

mod elo;
mod likelihood;
mod moments;
mod plan;
mod sprt;

pub use elo::{
    ELO_PER_T, EloEstimate, NORMAL_95, draw_ratio, elo_of_score, estimate, middle_ratio,
    score_of_elo,
};
pub use likelihood::{MAX_BOUND, llr};
pub use model::spec::EloModel;
pub use moments::Moments;
pub use plan::{Forecast, forecast};
pub use sprt::{SprtBounds, SprtDecision, SprtError, SprtReport, SprtSpec, decide};
