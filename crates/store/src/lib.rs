//! The ledger: all SQL of the project, one file for each aggregate.
//!
//! Statements are plain text with bound parameters, each run by a test against a real Postgres.
//! Nothing here decides: a [`Batch`] says what the coordinator has decided, and [`Ledger::commit`]
//! makes it durable in one transaction or not at all.

mod audits;
mod batch;
mod books;
mod connect;
mod coordinators;
mod disputes;
mod engines;
mod error;
mod exclusions;
mod games;
mod groups;
mod insight;
mod keys;
mod leader;
mod leases;
mod maintenance;
mod migrate;
mod packed;
mod recover;
mod refusals;
mod runs;
mod sign_in;
mod workers;

pub use audits::{
    AuditCounts, AuditIssue, AuditMove, AuditOutcome, CanaryMove, Checks, HoldMove, Mismatch,
    NewAudit, StoredAudit, WorkerCounts,
};
pub use batch::{
    Batch, LeaseMove, NewLease, NewRefusal, NewReport, NewRun, NewSnapshot, RunEvent, RunMove,
};
pub use connect::Ledger;
pub use engines::StoredEngine;
pub use error::StoreError;
pub use exclusions::{ExclusionMove, NewExclusionMove};
pub use games::{KeptGames, StoredGame, StoredMoves, StoredPair};
pub use insight::{Contribution, MergedReport, PlayedReport, StoredEvent, StoredRefusal};
pub use keys::{NewInvite, NewKey, Redeemed, StoredKey};
pub use leader::LeaderEpoch;
pub use leases::StoredLease;
pub use maintenance::{Holdings, Sizes, Snapshot, newest_schema};
pub use recover::{HighestIds, LedgerEntry, OpenLease, OpenSlice, StoredSnapshot};
pub use runs::StoredRun;
pub use sign_in::SignedIn;
pub use workers::{KnownWorker, NewWorker, StoredWorker};

pub(crate) use connect::without_password;

/// A count as Postgres keeps it. What goes in was validated far below the limit.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count as it came out of a column that a constraint keeps from being negative.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
