//! What an invitation is redeemed with: random, shown once, kept by the coordinator as a hash.

use crate::hex;
use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// 128 random bits. Nobody guesses them, so that a plain hash keeps them safe.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 16]);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn random() -> Result<Self, SysError> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The token of these 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its 16 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(secret)")
    }
}

impl FromStr for Token {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        hex::decode(text).map(Self).ok_or(())
    }
}
