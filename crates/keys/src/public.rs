//! The names of the two sides: the public key of a client, the fingerprint of a server.

use crate::hex;
use rustls::pki_types::CertificateDer;
use rustls::server::ParsedCertificate;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// What stands before the 32 bytes of an Ed25519 key in a certificate (RFC 8410).
const ED25519_SPKI: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0];

/// An Ed25519 public key: the name of a worker or a person for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key of these 32 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key that a certificate holds; `None` when it holds one of another kind, or is none.
    #[must_use]
    pub fn of_certificate(certificate: &CertificateDer<'_>) -> Option<Self> {
        let parsed = ParsedCertificate::try_from(certificate).ok()?;
        let info = parsed.subject_public_key_info();
        let key = info.as_ref().strip_prefix(&ED25519_SPKI)?;
        key.try_into().ok().map(Self)
    }

    /// The first digits, by which people tell keys apart.
    #[must_use]
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

/// SHA-256 of a server's certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of this certificate.
    #[must_use]
    pub fn of(certificate: &CertificateDer<'_>) -> Self {
        Self(Sha256::digest(certificate).into())
    }
}

/// Text that is no key and no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("64 hexadecimal digits are needed")]
pub struct NotHex;

macro_rules! as_hex {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(&self.0))
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), hex::encode(&self.0[..6]))
            }
        }

        impl FromStr for $type {
            type Err = NotHex;

            fn from_str(text: &str) -> Result<Self, NotHex> {
                hex::decode(text).map(Self).ok_or(NotHex)
            }
        }
    };
}

as_hex!(PublicKey);
as_hex!(Fingerprint);
