//! Who somebody is on the wire: the Ed25519 key of a worker or a person, the certificate of a
//! coordinator, and the link that makes the two known to each other.
//!
//! Every connection is TLS 1.3 with a certificate on either side. The client's holds nothing but
//! its public key, and with it the client signs the handshake, in which random bytes of the server
//! stand (RFC 8446, 4.4.3): that signature is the log-in, and it is worth nothing on any other
//! connection. The server's certificate is either pinned by its SHA-256 or vouched for by the roots
//! of the system. Which key may do what is for the coordinator to say, not for this crate.

mod address;
mod certificate;
mod client;
mod file;
mod hex;
mod link;
mod public;
mod secret;
mod token;

pub use address::{Address, AddressError};
pub use certificate::{Certificate, CertificateError};
pub use client::{Refused, client_config};
pub use file::FileError;
pub use link::{Link, LinkError};
pub use public::{Fingerprint, PublicKey};
pub use secret::{KeyError, SecretKey};
pub use token::Token;

/// Protocols that both sides speak, in the order of preference: HTTP/2 for gRPC and pages, HTTP/1.1
/// for pages.
const ALPN: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The cryptography of both sides.
fn provider() -> std::sync::Arc<rustls::crypto::CryptoProvider> {
    std::sync::Arc::new(rustls::crypto::ring::default_provider())
}
