//! The coordinator as a program of its own: arguments, logs, signals; everything else is the library.

use anyhow::Context;
use clap::Parser;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Hands out game pairs, keeps the ledger and shows the runs, on one port.
#[derive(Parser)]
#[command(name = "coordinator", version)]
struct Program {
    /// The Postgres database (14 or newer) that holds the ledger: postgres://USER@HOST/DATABASE
    #[arg(long, env = "ELOMILL_DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Where workers, authors and browsers find it; an address of this machine alone
    #[arg(long, default_value = "127.0.0.1:8117")]
    listen: SocketAddr,
    /// Show metrics for Prometheus, at this address or 127.0.0.1:8118; whoever reaches it can read
    /// them
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8118")]
    metrics: Option<SocketAddr>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Program { database_url, listen, metrics } = Program::parse();
    let wanted = std::env::var("ELOMILL_LOG").unwrap_or_default();
    // Text that is none of the filter's grammar, or empty, asks for nothing in particular.
    let filter = match wanted.trim().parse::<Targets>() {
        Ok(filter) if !wanted.trim().is_empty() => filter,
        _ => Targets::new().with_default(LevelFilter::INFO),
    };
    let output = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(output).with(filter).init();
    coordinator::check_address(listen)?;
    let listener =
        TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let mut settings = coordinator::Settings::new(database_url);
    if let Some(address) = metrics {
        let port = telemetry::Port::open(address);
        settings.metrics = Some(port.with_context(|| format!("cannot show metrics on {address}"))?);
    }
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone().drop_guard();
    let signals = tokio::spawn(async move {
        let heard = interrupted().await;
        drop(stop);
        heard
    });
    coordinator::run(settings, listener, shutdown).await?;
    signals.abort();
    Ok(())
}

/// Waits for Ctrl-C, or for what a service manager sends.
async fn interrupted() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            heard = tokio::signal::ctrl_c() => heard,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
