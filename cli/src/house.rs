//! The whole of Elomill on one machine: Postgres, the coordinator and a worker, opened and closed as
//! one.
//!
//! Opened from the ground up (database, coordinator, worker) and closed from the top down, so that
//! what was played is handed in before the one who takes it goes. Each part is kept alive by a
//! supervisor of its own; what a kill -9 leaves behind is taken up by the next start.

mod coordinator_part;
mod database_part;
mod worker_part;

use crate::client::Control;
use crate::data_dir::{DataDir, DataDirArgs, DataDirLock};
use crate::endpoint::{Endpoint, Locator};
use crate::interrupt::Interrupt;
use crate::output::{hinted, say};
use clap::Args;
use coordinator_part::CoordinatorPart;
use database_part::DatabasePart;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use worker_part::WorkerPart;

pub(crate) use database_part::programs;
pub(crate) use worker_part::FINISH;

/// Where a house listens when nobody says otherwise.
const USUAL_PORT: u16 = 8117;

/// What `up` and `demo` have in common.
#[derive(Args, Clone, Debug)]
pub(crate) struct HouseArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
    /// A Postgres from version 14 on, in place of the private one
    #[arg(long, value_name = "URL", env = crate::env::DATABASE_URL, hide_env_values = true)]
    database_url: Option<String>,
    /// Fail rather than fetch Postgres where the machine has none
    #[arg(long)]
    no_download: bool,
    /// Address for gRPC and the web pages [default: 127.0.0.1:8117, or a free port]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<SocketAddr>,
    /// Show metrics of the coordinator for Prometheus, at this address or 127.0.0.1:8118; whoever
    /// reaches it can read them
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8118")]
    metrics: Option<SocketAddr>,
    /// Games that the worker plays at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
}

/// Whether a house plays, or only coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worker {
    Own,
    None,
}

/// An open house.
pub(crate) struct House {
    folder: DataDir,
    url: String,
    metrics: Option<SocketAddr>,
    worker: Option<WorkerPart>,
    coordinator: CoordinatorPart,
    database: DatabasePart,
    /// Released last.
    _lock: DataDirLock,
}

impl HouseArgs {
    /// The folder of the house.
    ///
    /// # Errors
    /// No folder is given and none can be derived.
    pub(crate) fn folder(&self) -> anyhow::Result<DataDir> {
        self.data_dir.resolve()
    }

    /// Games that the worker of the house plays at a time.
    pub(crate) fn slots(&self) -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.slots.unwrap_or_else(|| u32::try_from(cores).unwrap_or(u32::MAX)).max(1)
    }

    /// `--data-dir` as a later command needs it; empty when it is the usual one.
    pub(crate) fn data_dir_option(&self) -> String {
        let path: Option<&PathBuf> = self.data_dir.data_dir.as_ref();
        path.map(|path| format!(" --data-dir {}", path.display())).unwrap_or_default()
    }

    /// Opens the house and waits until its coordinator answers.
    ///
    /// # Errors
    /// A part does not start. Nothing is left running then.
    pub(crate) async fn open(&self, worker: Worker) -> anyhow::Result<House> {
        let folder = self.folder()?;
        let lock = folder.lock()?;
        let listener = self.listener()?;
        let url = reachable_url(listener.local_addr()?);
        let metrics = self.metrics_port()?;
        let metrics_address = metrics.as_ref().map(telemetry::Port::address).transpose()?;
        let database = match &self.database_url {
            Some(url) => DatabasePart::of_others(url.clone()),
            None => DatabasePart::private(&folder, self.no_download).await?,
        };
        let mut coordinator = CoordinatorPart::start(database.url().to_owned(), listener, metrics);
        let ready = tokio::select! {
            ready = answers(&url) => ready,
            error = coordinator.failed() => Err(error),
        };
        let ready = ready
            .and_then(|()| Endpoint { url: url.clone(), pid: std::process::id() }.write(&folder));
        if let Err(error) = ready {
            // The error that stopped the start is the one to tell; the rest only has to go.
            let _ = coordinator.close(&CancellationToken::new()).await;
            let _ = database.close().await;
            return Err(error);
        }
        coordinator.is_ready();
        let worker = match worker {
            Worker::Own => Some(WorkerPart::start(&folder, &url, self.slots())?),
            Worker::None => None,
        };
        Ok(House {
            folder,
            url,
            metrics: metrics_address,
            worker,
            coordinator,
            database,
            _lock: lock,
        })
    }

    fn metrics_port(&self) -> anyhow::Result<Option<telemetry::Port>> {
        let Some(address) = self.metrics else { return Ok(None) };
        let port = telemetry::Port::open(address).map_err(|error| {
            hinted(
                format_args!("cannot show metrics on {address}: {error}"),
                "choose another address with --metrics=HOST:PORT",
            )
        })?;
        Ok(Some(port))
    }

    fn listener(&self) -> anyhow::Result<TcpListener> {
        let bind = |address: SocketAddr| -> std::io::Result<TcpListener> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        if let Some(address) = self.listen {
            return bind(address).map_err(|error| {
                hinted(
                    format_args!("cannot listen on {address}: {error}"),
                    "choose another address, or leave --listen out for a free port",
                )
            });
        }
        let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, USUAL_PORT));
        // Taken by another house, most likely: any free port does as well.
        bind(usual)
            .or_else(|_| bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
            .map_err(|error| anyhow::anyhow!("cannot listen on any port of 127.0.0.1: {error}"))
    }
}

impl House {
    /// `http://HOST:PORT` of gRPC and the web pages.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Where the metrics are shown, if they are.
    pub(crate) fn metrics_url(&self) -> Option<String> {
        self.metrics.map(|address| format!("{}/metrics", reachable_url(address)))
    }

    /// The way to the coordinator.
    pub(crate) fn locator(&self) -> Locator {
        Locator::Url(self.url.clone())
    }

    /// Comes back, with the reason, when the house cannot go on.
    pub(crate) async fn failed(&mut self) -> anyhow::Error {
        self.coordinator.failed().await
    }

    /// Ends everything: the worker hands in what it plays, then the coordinator and Postgres go.
    ///
    /// # Errors
    /// Something does not end, or the coordinator ended with an error.
    pub(crate) async fn close(self, interrupt: &Interrupt) -> anyhow::Result<()> {
        if let Some(worker) = self.worker {
            if interrupt.finish.is_cancelled() && !interrupt.hurry.is_cancelled() {
                say("finishing the games in play; Ctrl-C again gives them up");
            }
            worker.close(&interrupt.hurry).await;
        }
        Endpoint::remove(&self.folder);
        let coordinator = self.coordinator.close(&interrupt.hurry).await;
        let database = self.database.close().await;
        coordinator.and(database)
    }
}

/// Waits until the coordinator answers a request.
async fn answers(url: &str) -> anyhow::Result<()> {
    let locator = Locator::Url(url.to_owned());
    loop {
        // Not there yet: the supervisor says so when it never comes.
        if let Ok(mut control) = Control::connect(&locator).await
            && control.runs(1).await.is_ok()
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The address under which this machine reaches a listener.
fn reachable_url(address: SocketAddr) -> String {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    format!("http://{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_every_address_is_reached_by_loopback() {
        assert_eq!(reachable_url("0.0.0.0:81".parse().unwrap()), "http://127.0.0.1:81");
        assert_eq!(reachable_url("10.0.0.2:81".parse().unwrap()), "http://10.0.0.2:81");
    }
}
