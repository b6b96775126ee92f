//! The parts of the cluster, each a process of its own: this program again, under another word.

use anyhow::Context;
use clap::Args;
use coordinator::Lead;
use keys::Certificate;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use worker::Shutdown;

/// A worker that is silent for longer may lose its leases: much sooner than usual, so that it happens.
const SILENCE: Duration = Duration::from_secs(3);
/// The same for a lease of which nothing comes.
const STANDSTILL: Duration = Duration::from_secs(20);

/// A coordinator that leads or stands by.
#[derive(Clone, Debug, Args)]
pub(crate) struct CoordinatorArgs {
    #[arg(long)]
    database_url: String,
    #[arg(long)]
    listen: SocketAddr,
    /// Where workers reach it, which is the proxy before it.
    #[arg(long)]
    reach: SocketAddr,
    #[arg(long)]
    folder: PathBuf,
}

/// A worker.
#[derive(Clone, Debug, Args)]
pub(crate) struct WorkerArgs {
    #[arg(long)]
    coordinator: String,
    #[arg(long)]
    state_dir: PathBuf,
}

/// The address of a coordinator whose certificate is in this folder, at the proxy before it.
pub(crate) fn address(reach: SocketAddr, folder: &std::path::Path) -> anyhow::Result<String> {
    std::fs::create_dir_all(folder)?;
    let certificate = Certificate::read_or_make(folder, &[])?;
    Ok(format!("https://{reach}#{}", certificate.fingerprint()))
}

impl CoordinatorArgs {
    /// Leads or stands by until it is told to end; begins again when another has taken the lead.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let listener = std::net::TcpListener::bind(self.listen).context("cannot listen")?;
        listener.set_nonblocking(true)?;
        let mut settings = testkit::settings(&self.database_url)?;
        settings.certificate = Certificate::read_or_make(&self.folder, &[])?;
        settings.lead = Lead::StandBy;
        settings.address = Some(address(self.reach, &self.folder)?);
        settings.lease_silence = SILENCE;
        settings.lease_standstill = STANDSTILL;
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        tokio::spawn(async move {
            if terminated().await.is_ok() {
                stop.cancel();
            }
        });
        loop {
            let listener = TcpListener::from_std(listener.try_clone()?)?;
            let ended = coordinator::run(settings.clone(), listener, shutdown.child_token()).await;
            if shutdown.is_cancelled() {
                return Ok(ended?);
            }
            if let Err(error) = ended {
                tracing::warn!("begins again: {:#}", anyhow::Error::from(error));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

impl WorkerArgs {
    /// Plays until it is told to end.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let settings = worker::Settings::new(self.coordinator, "a real one", 1, self.state_dir);
        let shutdown = Shutdown::new();
        let told = shutdown.clone();
        tokio::spawn(async move {
            if terminated().await.is_ok() {
                told.interrupt();
            }
        });
        let summary = worker::run(settings, shutdown).await?;
        tracing::info!(?summary, "ended");
        Ok(())
    }
}

async fn terminated() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}
