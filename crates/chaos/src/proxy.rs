//! A proxy that makes weather: delays, silence to both sides or to one, cuts, resets. One stands before
//! each coordinator and one between each coordinator and the database; the kernels of many machines
//! offer no such faults of their own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// Bytes that are passed on at a time; small, so that a cut falls into the middle of frames.
const PIECE: usize = 1500;

/// What happens to what is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Nothing.
    Clear,
    /// Each piece waits so long.
    Slow(Duration),
    /// Nothing passes, and nobody is told.
    Silent,
    /// Nothing reaches the server; what it says passes.
    Deaf,
    /// Nothing that the server says passes; what it is told does.
    Mute,
    /// Every connection ends in order, in the middle of whatever it carries, and none begins.
    Cut,
    /// The same by a reset.
    Reset,
}

/// Where a proxy passes on to.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// A proxy on a port of its own.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    weather: Arc<watch::Sender<Weather>>,
}

impl Proxy {
    /// Listens on loopback and passes on to this place, whoever listens there at the time.
    pub(crate) async fn start(to: Behind) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let weather = Arc::new(watch::Sender::new(Weather::Clear));
        let seen = Arc::clone(&weather);
        tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { continue };
                tokio::spawn(pass(client, to.clone(), seen.subscribe()));
            }
        });
        Ok(Self { address, weather })
    }

    pub(crate) fn set(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }
}

/// One connection from its beginning to its end.
async fn pass(mut client: TcpStream, to: Behind, mut weather: watch::Receiver<Weather>) {
    if matches!(*weather.borrow(), Weather::Cut | Weather::Reset) {
        end(&client, *weather.borrow());
        return;
    }
    // Where nobody listens the client sees its connection end.
    match to {
        Behind::Tcp(to) => {
            let Ok(mut server) = TcpStream::connect(to).await else { return };
            let (from, into) = server.split();
            let ended = carry(&mut client, from, into, &mut weather).await;
            end(&client, ended);
            end(&server, ended);
        }
        Behind::Unix(to) => {
            let Ok(mut server) = UnixStream::connect(to).await else { return };
            let (from, into) = server.split();
            let ended = carry(&mut client, from, into, &mut weather).await;
            end(&client, ended);
        }
    }
}

/// Carries bytes both ways until one side ends, or the weather does it.
async fn carry(
    client: &mut TcpStream,
    from_server: impl AsyncRead + Unpin,
    to_server: impl AsyncWrite + Unpin,
    weather: &mut watch::Receiver<Weather>,
) -> Weather {
    let (from_client, to_client) = client.split();
    let (one, other) = (weather.clone(), weather.clone());
    tokio::select! {
        () = copy(from_client, to_server, one, Weather::Deaf) => Weather::Clear,
        () = copy(from_server, to_client, other, Weather::Mute) => Weather::Clear,
        ended = storm(weather) => ended,
    }
}

fn end(stream: &TcpStream, weather: Weather) {
    if weather == Weather::Reset {
        // Where it is refused the connection ends in order.
        let _ = stream.set_zero_linger();
    }
}

/// Comes back when connections end.
async fn storm(weather: &mut watch::Receiver<Weather>) -> Weather {
    let found = weather.wait_for(|now| matches!(now, Weather::Cut | Weather::Reset)).await;
    found.map_or(Weather::Cut, |now| *now)
}

/// Copies one way; `held` is the weather that stops this way alone.
async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut weather: watch::Receiver<Weather>,
    held: Weather,
) {
    let mut piece = [0; PIECE];
    loop {
        let Ok(read @ 1..) = from.read(&mut piece).await else { return };
        let now = *weather.borrow();
        if let Weather::Slow(delay) = now {
            tokio::time::sleep(delay).await;
        }
        // An error is the end of the proxy itself.
        let _ = weather.wait_for(|now| *now != Weather::Silent && *now != held).await;
        if to.write_all(&piece[..read]).await.is_err() {
            return;
        }
    }
}
