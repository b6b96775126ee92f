//! The worker as a program of its own: arguments, logs, interrupts; everything else is the library.

use clap::Parser;
use tracing_subscriber::EnvFilter;
use worker::{Shutdown, cli};

/// Plays games for an Elomill coordinator.
#[derive(Parser)]
#[command(name = "worker", version)]
struct Program {
    #[command(flatten)]
    args: cli::Args,
}

// One thread at the rim: the cores belong to the games.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let program = Program::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into()))
        .init();
    let shutdown = Shutdown::new();
    let settings = program.args.resolve()?;
    let summary = tokio::select! {
        summary = worker::run(settings, shutdown.clone()) => summary?,
        error = cli::interrupts(shutdown) => {
            error?;
            unreachable!("interrupts are awaited for ever");
        }
    };
    tracing::info!(
        pairs.played = summary.played.0,
        pairs.accepted = summary.accepted.0,
        pairs.spooled = summary.spooled.0,
        "the worker has ended"
    );
    Ok(())
}
