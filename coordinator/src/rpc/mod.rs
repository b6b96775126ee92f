//! The two gRPC services, over the core.

pub mod control_service;
pub mod worker_service;
