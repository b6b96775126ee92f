//! How a client reaches the coordinator: time limits and keepalive in one place.
//!
//! Keepalive is not optional: a connection whose path was cut and healed never recovers without it,
//! as neither side has anything to send that would notice.

use std::time::Duration;
use tonic::transport::{Channel, Endpoint};

/// Largest message either side accepts. A report of 1000 pairs with their moves fits.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The address is none, or nothing answers there.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Not a URL of the form `http://HOST:PORT`.
    #[error("`{url}` is no address of a coordinator; allowed: http://HOST:PORT")]
    Address {
        /// What was given.
        url: String,
        /// Why it is none.
        #[source]
        source: tonic::transport::Error,
    },
    /// Nothing answers.
    #[error("no coordinator answers at {url}")]
    Unreachable {
        /// What was given.
        url: String,
        /// What the system said.
        #[source]
        source: tonic::transport::Error,
    },
}

/// Connects to a coordinator at `http://HOST:PORT`.
///
/// # Errors
/// The text is no address, or nothing answers there within five seconds.
pub async fn connect(url: &str) -> Result<Channel, ConnectError> {
    let endpoint = Endpoint::from_shared(url.to_owned())
        .map_err(|source| ConnectError::Address { url: url.to_owned(), source })?
        .connect_timeout(Duration::from_secs(5))
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    endpoint
        .connect()
        .await
        .map_err(|source| ConnectError::Unreachable { url: url.to_owned(), source })
}
