//! The engines of others that a machine keeps: found by name or by content, built in the sandbox,
//! known by their bench, ready for the arena.
//!
//! An author's machine has a [`Shelf`]: names, each with a manifest and the program that it came to,
//! and what has to be sent elsewhere for the same engine to come about there ([`Shelf::artefact`]). A
//! worker has a [`Cache`]: artefacts by their hash, as runs need them, and the programs that came of
//! them, of which the longest unused go. Both build at most once and believe no program that visits
//! another number of nodes than its manifest says.
//!
//! It fetches nothing: how an artefact travels is for who has a connection.

mod bench;
mod build;
mod cache;
mod error;
mod files;
mod jail;
mod pack;
mod store;

pub use bench::{prove, run_bench};
pub use cache::{Cache, Ready};
pub use error::{Fault, ShelfError};
pub(crate) use jail::hash_mib;
pub use jail::{Guard, Jail, Mode, policy_of};
pub use pack::{Artefact, pack};
pub use store::{Engine, Kept, Shelf};
