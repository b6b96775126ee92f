//! The port: takes connections, encrypted ones with the key that signed them, plain ones from this
//! machine alone, and hands them to the server.
//!
//! The first byte tells them apart: a TLS handshake begins with 22, no request of HTTP does. Each
//! handshake is a task of its own, so that a slow one holds nobody up.

use crate::keyring::{Held, Keyring};
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use keys::{Certificate, PublicKey};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long a connection may take to say its first byte and to shake hands.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// Handshakes at the same time; more connections wait in the backlog of the system.
const HANDSHAKES: usize = 1024;
/// Connections that are ready and wait for the server.
const READY: usize = 64;
/// After an error of the listener, such as too many open files.
const BREATH: Duration = Duration::from_millis(200);
/// What a TLS handshake begins with (RFC 8446, 5.1).
const HANDSHAKE_RECORD: u8 = 22;

/// The answer to a plain request from elsewhere.
const SPEAK_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\
    Connection: close\r\nContent-Length: 49\r\n\r\nThis port speaks TLS to other machines: https://.\n";

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Where from.
    pub(crate) address: SocketAddr,
    /// The key that signed the handshake, whether or not anybody knows it.
    pub(crate) key: Option<PublicKey>,
    /// Whether the connection is.
    pub(crate) encrypted: bool,
}

impl Peer {
    /// Whether it is a program of this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.address.ip().to_canonical().is_loopback()
    }
}

/// Connections that are ready to be served.
pub(crate) struct Door {
    ready: mpsc::Receiver<Connection>,
    address: SocketAddr,
}

/// A connection, with whatever has to be there as long as it is.
pub(crate) struct Connection {
    stream: Stream,
    peer: Peer,
    /// Fires when its key is revoked.
    over: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _held: Option<Held>,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Door {
    /// Opens the door; the tasks end with the token.
    pub(crate) fn open(
        listener: TcpListener,
        certificate: &Certificate,
        keyring: Arc<Keyring>,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(READY);
        let tls = TlsAcceptor::from(certificate.server_config());
        tokio::spawn(async move {
            tokio::select! {
                () = accept(listener, tls, keyring, sender) => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(Self { ready, address })
    }
}

/// Accepts until the server is gone.
async fn accept(
    listener: TcpListener,
    tls: TlsAcceptor,
    keyring: Arc<Keyring>,
    ready: mpsc::Sender<Connection>,
) {
    let seats = Arc::new(Semaphore::new(HANDSHAKES));
    loop {
        let Ok(seat) = seats.clone().acquire_owned().await else { return };
        let (tcp, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        if ready.is_closed() {
            return;
        }
        let (tls, keyring, ready) = (tls.clone(), keyring.clone(), ready.clone());
        tokio::spawn(async move {
            let greeted = tokio::time::timeout(HANDSHAKE_WITHIN, greet(tcp, from, &tls, &keyring));
            match greeted.await {
                Ok(Ok(Some(connection))) => {
                    // A server that is gone takes nothing: the connection closes.
                    let _ = ready.send(connection).await;
                }
                Ok(Ok(None)) => {}
                Ok(Err(error)) => tracing::debug!(%from, %error, "a handshake failed"),
                Err(_) => tracing::debug!(%from, "a handshake took too long"),
            }
            drop(seat);
        });
    }
}

/// Finds out who is there; `None` when there is nothing to serve.
async fn greet(
    mut tcp: TcpStream,
    address: SocketAddr,
    tls: &TlsAcceptor,
    keyring: &Arc<Keyring>,
) -> io::Result<Option<Connection>> {
    tcp.set_nodelay(true)?;
    let mut first = [0];
    if tcp.peek(&mut first).await? == 0 {
        return Ok(None);
    }
    if first[0] != HANDSHAKE_RECORD {
        let peer = Peer { address, key: None, encrypted: false };
        if !peer.is_local() {
            tcp.write_all(SPEAK_TLS).await?;
            tcp.shutdown().await?;
            return Ok(None);
        }
        let stream = Stream::Plain(tcp);
        return Ok(Some(Connection { stream, peer, over: None, _held: None }));
    }
    let stream = tls.accept(tcp).await?;
    let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let key = certificates.first().and_then(PublicKey::of_certificate);
    let held = match key.map(|key| (key, keyring.hold(key))) {
        None => None,
        Some((_, Some(held))) => Some(held),
        Some((key, None)) => {
            tracing::warn!(%address, key = %key.short(), "a key has too many connections");
            return Ok(None);
        }
    };
    let over = held.as_ref().map(|held| Box::pin(held.over.clone().cancelled_owned()));
    let stream = Stream::Tls(Box::new(stream));
    Ok(Some(Connection { stream, peer: Peer { address, key, encrypted: true }, over, _held: held }))
}

impl Listener for Door {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.ready.recv().await {
            Some(connection) => {
                let address = connection.peer.address;
                (connection, address)
            }
            // Closed: the server is about to be told to stop.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().peer
    }
}

impl Connection {
    /// An error once the key is revoked; else the task is woken when it is.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(over) = &mut self.over else { return Ok(()) };
        if over.as_mut().poll(cx).is_pending() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the key was revoked"))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
