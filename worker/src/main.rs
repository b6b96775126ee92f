//! The worker as a program of its own: arguments, logs, interrupts; everything else is the library.

use clap::{Parser, Subcommand};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use worker::{Shutdown, cli};

/// Plays games for an Elomill coordinator.
#[derive(Parser)]
#[command(name = "worker", version, args_conflicts_with_subcommands = true)]
struct Program {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    args: cli::Args,
}

#[derive(Subcommand)]
enum Action {
    /// Redeems the link of an invitation, then plays
    Join(Box<cli::JoinArgs>),
    /// Pauses the worker of this machine: it finishes its pairs and takes no more
    Pause(cli::StateArgs),
    /// Lets a paused worker play again
    Resume(cli::StateArgs),
}

fn main() -> anyhow::Result<()> {
    // While there is one thread.
    sandbox::serve_if_called();
    // One thread at the rim: the cores belong to the games.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work())
}

async fn work() -> anyhow::Result<()> {
    let program = Program::parse();
    let wanted = std::env::var("ELOMILL_LOG").unwrap_or_default();
    // Text that is none of the filter's grammar, or empty, asks for nothing in particular.
    let filter = match wanted.trim().parse::<Targets>() {
        Ok(filter) if !wanted.trim().is_empty() => filter,
        _ => Targets::new().with_default(LevelFilter::INFO),
    };
    let output = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(output).with(filter).init();
    let shutdown = Shutdown::new();
    let settings = match program.action {
        Some(Action::Pause(state)) => return Ok(worker::pause(&state.resolve()?)?),
        Some(Action::Resume(state)) => return Ok(worker::resume(&state.resolve()?)?),
        Some(Action::Join(join)) => join.join().await?.1,
        None => program.args.resolve()?,
    };
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
