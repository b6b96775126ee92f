//! The worker: plays leased game pairs on this machine and hands in what came of them.
//!
//! [`run`] is everything: an event loop (`session`) that owns the leases (`holdings`) and talks to
//! three neighbours through bounded channels: the connection (`link`), the threads that play
//! (`slots`) and the disk (`spool`); what of others' engines is needed it has fetched and built
//! (`engines`, and [`shelf`], which an author's command uses as well). Time and network stay here at
//! the rim; who plays what and what is reported when is decided by `holdings`, which is pure.

mod backoff;
pub mod cli;
mod contest;
mod convert;
pub mod doctor;
mod engines;
mod enrol;
mod error;
mod holdings;
mod identity;
mod link;
mod metrics;
mod offer;
mod places;
mod rest;
mod session;
mod settings;
pub mod shelf;
mod shutdown;
mod slots;
mod spool;
mod status;
mod tables;
mod traces;

/// Words of the project on the wire, as a worker says them; for programs that pose as one.
pub mod wire {
    pub use crate::convert::{pair, tally, wire_game as game};
}

pub use engines::describe as describe_externals;
pub use enrol::{EnrolError, Enrolled, coordinator_of, join};
pub use error::WorkerError;
pub use identity::public_key;
pub use rest::{Hours, NoHours, is_paused, pause, resume};
pub use session::run;
pub use settings::{Externals, Only, Settings};
pub use shutdown::Shutdown;
pub use spool::good_bytes as good_bytes_of_spool;
pub use status::{Status, Summary};
