//! The coordinator: hands out game pairs, keeps the ledger, moves the runs, shows them.
//!
//! One port serves gRPC (workers and authors) and the pages: `door` takes connections, [`keyring`]
//! knows who may do what. [`core`] owns the scheduler of
//! [`dispatch`] and is the only writer; everything else asks it or reads [`views`].

pub mod artefacts;
pub mod book;
pub mod convert;
pub mod core;
pub mod desk;
pub mod dispatch;
mod door;
pub mod insight;
pub mod judging;
pub mod keyring;
pub mod metrics;
mod open_files;
pub mod rate;
pub mod records;
pub mod recover;
pub mod rpc;
mod serve;
pub mod suspicion;
mod tls_args;
mod traces;
pub mod views;
pub mod web;
mod whereabouts;

pub use core::Lead;
pub use open_files::raise_open_files;
pub use recover::RecoverError;
pub use serve::{ServeError, Settings, run};
pub use tls_args::TlsArgs;
