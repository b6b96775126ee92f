//! The client's side of a connection: whom it believes to be the coordinator, and how it signs.

use crate::provider;
use crate::public::Fingerprint;
use crate::secret::SecretKey;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore,
    SignatureScheme, version,
};
use std::sync::Arc;

/// Why the server is not believed to be the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It shows another certificate than the link says.
    #[error(
        "the certificate there has the fingerprint {found}, not {expected}: it is another \
         coordinator, or somebody stands in between; ask for a new link"
    )]
    Fingerprint {
        /// Of the certificate that the link names.
        expected: Fingerprint,
        /// Of the one that was shown.
        found: Fingerprint,
    },
    /// Its certificate is good at another time than this machine's.
    #[error(
        "the certificate there is {what} by the clock of this machine, which shows {now} s since \
         1970 in UTC; set the clock right, or tell the operator"
    )]
    Clock {
        /// Not good yet, or no longer.
        what: &'static str,
        /// The time of this machine.
        now: u64,
    },
    /// No root of this system vouches for it.
    #[error(
        "the certificate there is none that this system trusts ({why}); use a link that carries \
         the fingerprint of the certificate"
    )]
    Untrusted {
        /// What is wrong with it.
        why: String,
    },
}

impl Refused {
    /// What an error of a handshake says about the server's certificate, if it says something.
    #[must_use]
    pub fn of(error: &Error) -> Option<Self> {
        let Error::InvalidCertificate(error) = error else { return None };
        let clock = |what, now: UnixTime| Self::Clock { what, now: now.as_secs() };
        Some(match error {
            CertificateError::Other(OtherError(other)) => match other.downcast_ref::<Self>() {
                Some(refused) => refused.clone(),
                None => Self::Untrusted { why: error.to_string() },
            },
            CertificateError::Expired => clock("no longer good", UnixTime::now()),
            CertificateError::NotValidYet => clock("not good yet", UnixTime::now()),
            CertificateError::ExpiredContext { time, .. } => clock("no longer good", *time),
            CertificateError::NotValidYetContext { time, .. } => clock("not good yet", *time),
            other => Self::Untrusted { why: other.to_string() },
        })
    }
}

/// How a client opens connections: it believes the certificate of this fingerprint and no other, or
/// without one those that the roots of the system vouch for; it signs with this key, or not at all.
///
/// # Errors
/// No fingerprint is given, and this system has no roots.
pub fn client_config(
    pinned: Option<Fingerprint>,
    key: Option<&SecretKey>,
) -> Result<ClientConfig, Refused> {
    let provider = provider();
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&version::TLS13])
        .expect("ring speaks TLS 1.3");
    let builder = match pinned {
        Some(expected) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Pinned { expected, algorithms })),
        None => {
            let mut roots = RootCertStore::empty();
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                return Err(Refused::Untrusted { why: "this system has no roots".to_owned() });
            }
            builder.with_root_certificates(roots)
        }
    };
    let mut config = match key {
        Some(key) => {
            let (certificate, secret) = key.certificate();
            builder
                .with_client_auth_cert(vec![certificate], secret)
                .expect("the certificate was made with this key")
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// Believes one certificate, whatever its names and dates.
#[derive(Debug)]
struct Pinned {
    expected: Fingerprint,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let found = Fingerprint::of(certificate);
        if found == self.expected {
            return Ok(ServerCertVerified::assertion());
        }
        let refused = Refused::Fingerprint { expected: self.expected, found };
        Err(Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(refused)))))
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::PeerIncompatible(rustls::PeerIncompatible::Tls12NotOffered))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
