//! The coordinator.
pub mod dispatch;
