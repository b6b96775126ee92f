//! The wire: the crate made from `elomill/v1/*.proto`, and the policy by which everybody connects.
//!
//! Generated types are plain data. They are turned into words of `model` in one `convert` file on
//! either side, where everything is validated; nothing past those files sees a wire type.

mod channel;
mod codec;

pub use bytes::Bytes;
pub use channel::{ConnectError, MAX_MESSAGE_BYTES, connect};
pub use keys::Address;

/// Version 1 of the contract. The documentation of each message stands in the `.proto` files.
#[expect(missing_docs, reason = "generated from the .proto files")]
#[expect(
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated from the .proto files"
)]
pub mod v1 {
    tonic::include_proto!("elomill.v1");
}

/// The version of the contract that this build speaks, said in `Hello`.
pub const PROTOCOL_VERSION: u32 = 1;

/// The contract as an encoded `FileDescriptorSet`, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/elomill_descriptor.bin"));
