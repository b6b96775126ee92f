//! The certificate of a coordinator: one of its own making, kept beside its data, or one's own.

use crate::file::{self, FileError};
use crate::public::{Fingerprint, PublicKey};
use crate::{ALPN, provider};
use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme, client, version,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A certificate with its key, ready to serve.
#[derive(Clone)]
pub struct Certificate {
    config: Arc<ServerConfig>,
    fingerprint: Fingerprint,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that was named is not there.
    #[error("there is no file {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file holds something else.
    #[error("{} holds {found}; allowed: {allowed}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
        /// What may stand there.
        allowed: &'static str,
    },
    /// A certificate could not be made.
    #[error("a certificate cannot be made")]
    Make(#[source] rcgen::Error),
}

impl Certificate {
    /// The certificate of this folder, in `tls.crt` and `tls.key`; made now, with these names beside
    /// those of loopback, if there is none. It is good for ever: whoever pins it asks for no date.
    ///
    /// # Errors
    /// The folder cannot be read or written, or the files hold something else.
    pub fn read_or_make(folder: &Path, names: &[String]) -> Result<Self, CertificateError> {
        let (certificate, key) = (folder.join("tls.crt"), folder.join("tls.key"));
        if !key.exists() {
            let mut all = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
            all.extend(names.iter().filter(|name| !name.is_empty()).cloned());
            let pair = KeyPair::generate().map_err(CertificateError::Make)?;
            let made = CertificateParams::new(all).and_then(|params| params.self_signed(&pair));
            let made = made.map_err(CertificateError::Make)?;
            // The key last: with it the pair is whole.
            file::write(&certificate, &made.pem())?;
            file::write(&key, &pair.serialize_pem())?;
        }
        Self::read(&certificate, &key)
    }

    /// The certificate of these files, in PEM, with those that vouch for it behind it.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or the two do not belong together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let text = |path: &Path| {
            file::read(path)?.ok_or_else(|| CertificateError::Missing { path: path.to_owned() })
        };
        let content = |path: &Path, found: String, allowed| CertificateError::Content {
            path: path.to_owned(),
            found,
            allowed,
        };
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(text(certificate)?.as_bytes()).collect();
        let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| {
            content(certificate, "no certificate".to_owned(), "certificates in PEM, its own first")
        })?;
        let secret = PrivateKeyDer::from_pem_slice(text(key)?.as_bytes()).map_err(|_| {
            content(key, "no private key".to_owned(), "the private key of the certificate in PEM")
        })?;
        let fingerprint = Fingerprint::of(&chain[0]);
        let provider = provider();
        let any_key = AnyKey { algorithms: provider.signature_verification_algorithms };
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&version::TLS13])
            .and_then(|builder| {
                builder.with_client_cert_verifier(Arc::new(any_key)).with_single_cert(chain, secret)
            });
        let mut config = config.map_err(|error| {
            content(key, error.to_string(), "the private key that belongs to the certificate")
        })?;
        config.alpn_protocols = ALPN.map(<[u8]>::to_vec).to_vec();
        // Nobody comes back without signing anew, and nothing is kept for those who are away.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Self { config: Arc::new(config), fingerprint })
    }

    /// What clients pin.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// How a server accepts connections with it.
    #[must_use]
    pub fn server_config(&self) -> Arc<ServerConfig> {
        self.config.clone()
    }
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Certificate({:?})", self.fingerprint)
    }
}

/// Takes the certificate of any client that proves to have the Ed25519 key in it, and clients
/// without one: who may do what is asked of the key afterwards.
#[derive(Debug)]
struct AnyKey {
    algorithms: WebPkiSupportedAlgorithms,
}

impl ClientCertVerifier for AnyKey {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let known = PublicKey::of_certificate(certificate);
        known
            .map(|_| ClientCertVerified::assertion())
            .ok_or_else(|| Error::InvalidCertificate(rustls::CertificateError::BadEncoding))
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<client::danger::HandshakeSignatureValid, Error> {
        Err(Error::PeerIncompatible(rustls::PeerIncompatible::Tls12NotOffered))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<client::danger::HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_is_made_once_and_its_key_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let made = Certificate::read_or_make(dir.path(), &["mill.example".to_owned()]).unwrap();
        let again = Certificate::read_or_make(dir.path(), &[]).unwrap();
        assert_eq!(again.fingerprint(), made.fingerprint());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(dir.path().join("tls.key")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn files_that_do_not_belong_together_are_named() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Certificate::read_or_make(one.path(), &[]).unwrap();
        Certificate::read_or_make(two.path(), &[]).unwrap();
        let (crt, key) = (one.path().join("tls.crt"), one.path().join("tls.key"));
        let error = |crt: &Path, key: &Path| Certificate::read(crt, key).unwrap_err().to_string();
        assert!(error(&crt, &two.path().join("tls.key")).contains("belongs to the certificate"));
        assert!(error(&key, &key).contains("no certificate"));
        assert!(error(&crt, &crt).contains("no private key"));
        assert!(error(&crt, &one.path().join("none")).contains("there is no file"));
    }
}
