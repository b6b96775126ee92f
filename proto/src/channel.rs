//! How a client reaches the coordinator: encryption, time limits and keepalive in one place.
//!
//! Keepalive is not optional: a connection whose path was cut and healed never recovers without it,
//! as neither side has anything to send that would notice. A channel dials again by itself, and signs
//! each new connection like the first.

use hyper_util::rt::TokioIo;
use keys::{Address, AddressError, Refused, SecretKey};
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tonic::transport::{Channel, Endpoint, Uri};

/// Largest message either side accepts. A report of 1000 pairs with their moves fits.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// How long dialling and the handshake may take together.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// The address is none, nothing answers there, or what answers is not believed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Not an address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Nothing answers.
    #[error("no coordinator answers at {origin}")]
    Unreachable {
        /// Where.
        origin: String,
        /// What the system said.
        #[source]
        source: tonic::transport::Error,
    },
    /// Something answers that cannot prove to be the coordinator.
    #[error("the server at {origin} is not believed")]
    Refused {
        /// Where.
        origin: String,
        /// Why not.
        #[source]
        source: Refused,
    },
}

/// Connects to a coordinator at an [`Address`], signing each connection with this key. A plain
/// connection, which reaches no further than this machine, is signed by nobody.
///
/// # Errors
/// The text is no address, nothing answers there within five seconds, or the server's certificate
/// is not the one that the address names.
pub async fn connect(url: &str, key: Option<&SecretKey>) -> Result<Channel, ConnectError> {
    let address: Address = url.parse()?;
    let origin = address.origin();
    let refused = |source| ConnectError::Refused { origin: origin.clone(), source };
    let endpoint: Endpoint = format!("http://{}", address.authority())
        .parse::<Uri>()
        .map(Endpoint::from)
        .map_err(|_| AddressError { found: url.to_owned(), why: "the host is none" })?;
    let endpoint = endpoint
        .connect_timeout(CONNECT_WITHIN)
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    let connected = if address.encrypted {
        let config = keys::client_config(address.fingerprint, key).map_err(refused)?;
        let dialler = Dialler::new(&address, Arc::new(config))?;
        endpoint.connect_with_connector(tower::service_fn(move |_| dialler.clone().dial())).await
    } else {
        endpoint.connect().await
    };
    connected.map_err(|source| match why_refused(&source) {
        Some(why) => refused(why),
        None => ConnectError::Unreachable { origin: origin.clone(), source },
    })
}

/// Opens encrypted connections to one place.
#[derive(Clone)]
struct Dialler {
    host: String,
    port: u16,
    name: ServerName<'static>,
    tls: TlsConnector,
}

impl Dialler {
    fn new(
        address: &Address,
        config: Arc<tokio_rustls::rustls::ClientConfig>,
    ) -> Result<Self, AddressError> {
        let name = ServerName::try_from(address.host.clone()).map_err(|_| AddressError {
            found: address.to_string(),
            why: "the host is neither a name nor an IP address",
        })?;
        let tls = TlsConnector::from(config);
        Ok(Self { host: address.host.clone(), port: address.port, name, tls })
    }

    async fn dial(self) -> io::Result<TokioIo<tokio_rustls::client::TlsStream<TcpStream>>> {
        let dialled = async {
            let tcp = TcpStream::connect((self.host.as_str(), self.port)).await?;
            tcp.set_nodelay(true)?;
            self.tls.connect(self.name, tcp).await
        };
        let connected = tokio::time::timeout(CONNECT_WITHIN, dialled).await;
        Ok(TokioIo::new(connected.map_err(|_| io::ErrorKind::TimedOut)??))
    }
}

/// What the handshake said of the server's certificate, somewhere among the causes.
fn why_refused(error: &tonic::transport::Error) -> Option<Refused> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let tls = inner.and_then(|e| e.downcast_ref::<tokio_rustls::rustls::Error>());
        if let Some(refused) = tls.and_then(Refused::of) {
            return Some(refused);
        }
        cause = error.source();
    }
    None
}
