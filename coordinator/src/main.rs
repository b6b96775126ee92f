//! The coordinator as a program of its own: arguments, logs, signals; everything else is the library.

use anyhow::Context;
use clap::Parser;
use coordinator::TlsArgs;
use coordinator::dispatch::audits::Auditors;
use std::net::SocketAddr;
use std::path::PathBuf;
use telemetry::Traces;
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
    /// Where workers, authors and browsers find it
    #[arg(long, default_value = "127.0.0.1:8117")]
    listen: SocketAddr,
    /// Folder of the certificate and of the key of the first admin, made at the first start
    #[arg(long, value_name = "DIR", env = "ELOMILL_DATA_DIR")]
    data_dir: PathBuf,
    #[command(flatten)]
    tls: TlsArgs,
    /// Who plays games of workers again, to see that they come out the same: `owners`, workers of
    /// other owners; `workers`, any others; `auto`, other owners, and other workers where all have one
    /// owner; `off`, nobody
    #[arg(long, value_name = "WHO", default_value = "auto")]
    audits: Auditors,
    /// Show the pages to everybody who reaches the port, not only to this machine
    #[arg(long)]
    public_pages: bool,
    /// Days for which the moves of games are kept, besides today [default: for ever]
    #[arg(long, value_name = "DAYS")]
    keep_move_days: Option<u32>,
    /// Show metrics for Prometheus, at this address or 127.0.0.1:8118; whoever reaches it can read
    /// them
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8118")]
    metrics: Option<SocketAddr>,
    /// Tell every step of a pair, as a trace for each lease, to this OpenTelemetry collector, by OTLP
    /// over gRPC
    #[arg(long, value_name = "http://HOST:PORT")]
    otlp: Option<telemetry::Collector>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Program {
        database_url,
        listen,
        data_dir,
        tls,
        audits,
        public_pages,
        keep_move_days,
        metrics,
        otlp,
    } = Program::parse();
    let wanted = std::env::var("ELOMILL_LOG").unwrap_or_default();
    // Text that is none of the filter's grammar, or empty, asks for nothing in particular.
    let filter = match wanted.trim().parse::<Targets>() {
        Ok(filter) if !wanted.trim().is_empty() => filter,
        _ => Targets::new().with_default(LevelFilter::INFO),
    };
    let output = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(output).with(filter).init();
    // Each worker is one; where the limit is low and hard, the door says so when it is reached.
    let _ = coordinator::raise_open_files();
    std::fs::create_dir_all(&data_dir)
        .with_context(|| format!("cannot make the folder {}", data_dir.display()))?;
    let certificate = tls.certificate(&data_dir, &[])?;
    let admin = keys::SecretKey::read_or_make(&data_dir.join("control.key"))?;
    let mut settings = coordinator::Settings::new(database_url, certificate);
    settings.public_pages = public_pages;
    settings.auditors = audits;
    settings.artefacts = Some(data_dir.join("artefacts"));
    settings.keep_move_days = keep_move_days;
    settings.founders = vec![store::NewKey {
        public_key: *admin.public().as_bytes(),
        owner: "operator".to_owned(),
        role: model::Role::Admin,
        label: "control key of the coordinator".to_owned(),
    }];
    let listener =
        TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    if let Some(address) = metrics {
        let port = telemetry::Port::open(address);
        settings.metrics = Some(port.with_context(|| format!("cannot show metrics on {address}"))?);
    }
    if let Some(collector) = otlp {
        settings.traces = Traces::to(&collector, "elomill-coordinator", env!("CARGO_PKG_VERSION"))?;
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
