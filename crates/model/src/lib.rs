//! The words of the project as types.
//!
//! Every other crate speaks in these: ids, units, the game pair and its five-way score, parameters,
//! the specification of a run, leases and reports. No I/O, no clock, no randomness. Wire and SQL
//! forms are made by the crates at the rim; here a value that exists is valid.

mod adjudication;
mod constraint;
mod error;
mod game;
mod ids;
mod outcome;
mod parameter;
mod pentanomial;
mod protocol;
mod role;
mod sanitize;
mod side_limit;
mod units;

pub mod evals;
pub mod exchange;
pub mod file;
pub mod lease;
pub mod portable;
pub mod spec;
pub mod trust;
pub mod view;

pub use adjudication::{
    Adjudication, Adjudicator, DrawRule, MOST_COUNTED, MOST_SCORE, ResignRule, ScoreVerdict,
};
pub use constraint::{LinearConstraint, MOST_CONSTRAINTS};
pub use error::{Finding, FindingList};
pub use game::GameKind;
pub use ids::{LeaseId, ReportId, RunId, SnapshotId, WorkerId};
pub use outcome::{GameScore, PairOutcome, Termination, Wdl};
pub use parameter::{MOST_CHOICES, ParameterDef, ParameterKind, ParameterSet};
pub use pentanomial::{Pentanomial, Tally};
pub use protocol::Protocol;
pub use role::{NoRole, Role};
pub use sanitize::printable;
pub use side_limit::{SideLimit, TimeControl, TimeError, parse_seconds};
pub use units::{Elo, Games, Nodes, NormalizedElo, Openings, Pairs, Ply, Score};
