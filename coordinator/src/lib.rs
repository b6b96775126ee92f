//! The coordinator: hands out game pairs, keeps the ledger, moves the runs, shows them.
//!
//! One port serves gRPC (workers and authors) and the pages. [`core`] owns the scheduler of
//! [`dispatch`] and is the only writer; everything else asks it or reads [`views`].

pub mod book;
pub mod convert;
pub mod core;
pub mod dispatch;
pub mod metrics;
pub mod recover;
pub mod rpc;
mod serve;
pub mod views;
pub mod web;

pub use serve::{ServeError, Settings, check_address, run};
