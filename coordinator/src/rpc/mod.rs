//! The gRPC services, over the core, and who may call them.

pub mod access;
pub mod control_service;
pub mod engine_service;
mod games_export;
pub mod key_service;
mod on_hand;
pub mod trust_service;
pub mod worker_service;
