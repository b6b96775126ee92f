//! The scheduler: which pairs go to which worker, and what a report does to its run.
//!
//! A pure state machine. It knows no clock (time comes in as [`Moment`]), no database and no
//! network: each call changes the state in memory and adds to a [`store::Batch`] what must become
//! durable before anybody is told. What it decides is therefore tested without any of them.
//!
//! - [`fairness`]: whose turn it is;
//! - [`fold`]: the state of a run as a function of its ledger;
//! - [`audits`]: which pairs are played again by whom;
//! - [`openings`]: which opening a pair plays;
//! - [`played`]: which probe of a tune or candidate of a race it plays;
//! - [`pace`]: how many pairs a worker gets at a time;
//! - [`run`]: a run with its leases and the pairs still to give;
//! - [`scheduler`]: all runs, leases and workers together.

pub mod audits;
pub mod fairness;
pub mod fold;
pub mod openings;
pub mod pace;
pub mod played;
pub mod run;
pub mod scheduler;

use std::time::Duration;

/// A point on the coordinator's monotonic clock, as the time since its start. Wall clocks, those of
/// workers above all, expire nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Duration);

impl Moment {
    /// This moment and `later`.
    #[must_use]
    pub fn plus(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }
}
