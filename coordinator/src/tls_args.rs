//! `--tls-cert` and `--tls-key`: a certificate of one's own in place of the one that is made.

use keys::{Certificate, CertificateError};
use std::path::{Path, PathBuf};

/// Which certificate a coordinator shows.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TlsArgs {
    /// A certificate of your own in PEM, with those that vouch for it behind it [default: one that
    /// is made at the first start and pinned by every link]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its private key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// The certificate of the arguments, or else of this folder, made with these names if need be.
    ///
    /// # Errors
    /// As [`Certificate::read`] and [`Certificate::read_or_make`].
    pub fn certificate(
        &self,
        folder: &Path,
        names: &[String],
    ) -> Result<Certificate, CertificateError> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Certificate::read(certificate, key),
            _ => Certificate::read_or_make(folder, names),
        }
    }

    /// Whether the certificate is one's own: others may trust it by the roots of their system.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.tls_cert.is_some()
    }
}
