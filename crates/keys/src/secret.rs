//! The secret half of a key, as it lies on the disk: PKCS #8 in PEM, for its owner's eyes alone.

use crate::file::{self, FileError};
use crate::public::PublicKey;
use rand::TryRng;
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands before the 32 secret bytes in PKCS #8 (RFC 8410).
const ED25519_PKCS8: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// An Ed25519 key with its secret. Clones share it; it is never printed.
#[derive(Clone)]
pub struct SecretKey {
    pair: Arc<KeyPair>,
    public: PublicKey,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds something else. It is left as it is: a key that is lost is lost for ever.
    #[error(
        "{} holds no Ed25519 key; allowed: PKCS #8 in PEM, as this program writes it; remove the \
         file to become somebody new",
        path.display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes")]
    Random(#[source] rand::rngs::SysError),
}

impl SecretKey {
    /// A key that nobody has.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn random() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        rand::rngs::SysRng.try_fill_bytes(&mut seed).map_err(KeyError::Random)?;
        Ok(Self::from_seed(seed))
    }

    /// The key of these secret bytes: the same for the same bytes.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let der = [&ED25519_PKCS8[..], &seed].concat();
        let pair = KeyPair::from_pkcs8_der_and_sign_algo(&der.into(), &PKCS_ED25519);
        Self::of(pair.expect("any 32 bytes are a key of Ed25519")).expect("made as one just now")
    }

    /// The key of this file, made now if there is no such file.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds something else.
    pub fn read_or_make(path: &Path) -> Result<Self, KeyError> {
        if let Some(key) = Self::read(path)? {
            return Ok(key);
        }
        let key = Self::random()?;
        file::write(path, &key.pair.serialize_pem())?;
        Ok(key)
    }

    /// The key of this file, if there is such a file.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let Some(text) = file::read(path)? else { return Ok(None) };
        let pair = KeyPair::from_pkcs8_pem_and_sign_algo(&text, &PKCS_ED25519).ok();
        let key = pair.and_then(Self::of);
        key.map(Some).ok_or_else(|| KeyError::NoKey { path: path.to_owned() })
    }

    fn of(pair: KeyPair) -> Option<Self> {
        let public = PublicKey::from_bytes(pair.public_key_raw().try_into().ok()?);
        Some(Self { pair: Arc::new(pair), public })
    }

    /// The half that others may know.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// A certificate by this key for itself, and the key as TLS signs with it.
    pub(crate) fn certificate(&self) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let made = CertificateParams::new(Vec::new()).and_then(|p| p.self_signed(&*self.pair));
        let certificate = made.expect("a certificate without names is made of constants");
        let secret = PrivatePkcs8KeyDer::from(self.pair.serialize_der());
        (certificate.der().clone(), secret.into())
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey(of {:?})", self.public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_standard_comes_out_of_its_seed_and_its_certificate() {
        // RFC 8032, 7.1, test 1.
        let seed =
            crate::hex::decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
        let key = SecretKey::from_seed(seed.unwrap());
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key.public().to_string(), public);
        assert_eq!(PublicKey::of_certificate(&key.certificate().0), Some(key.public()));
        assert!(!format!("{key:?}").contains("9d61"));
    }

    #[test]
    fn a_key_outlives_its_process_and_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        assert!(SecretKey::read(&path).unwrap().is_none());
        let key = SecretKey::read_or_make(&path).unwrap();
        assert_eq!(SecretKey::read_or_make(&path).unwrap().public(), key.public());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let other = SecretKey::read_or_make(&dir.path().join("other")).unwrap();
        assert_ne!(other.public(), key.public());
    }

    #[test]
    fn a_file_with_something_else_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        for content in [&b"hello"[..], b"", b"\xff\xfe", b"-----BEGIN PRIVATE KEY-----\n"] {
            std::fs::write(&path, content).unwrap();
            let error = SecretKey::read_or_make(&path).unwrap_err().to_string();
            assert!(error.contains("holds no Ed25519 key"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), content);
        }
    }
}
