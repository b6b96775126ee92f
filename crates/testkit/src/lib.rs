//! A cluster in a box, for tests only: a real Postgres of its own, a real coordinator on a port of
//! its own, and workers that do what the test says over real gRPC.
//!
//! - [`Database`]: a throw-away Postgres; the coordinator's state outlives coordinators in it;
//! - [`House`]: a coordinator that can be stopped in order or cut off;
//! - [`Puppet`]: a worker whose every message the test chooses;
//! - [`specs`]: small valid specifications and invented results.

mod database;
mod house;
mod puppet;
pub mod specs;

pub use database::Database;
pub use house::{House, admin, admit, invite, key, settings};
pub use puppet::Puppet;
