//! `elomill watch ID`: follows a run to its end, through restarts of the coordinator.

use super::runs::run_id;
use crate::endpoint::CoordinatorArgs;
use crate::filing::watch_to_end;
use crate::interrupt::Interrupt;
use model::RunId;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run
    #[arg(value_parser = run_id)]
    id: RunId,
    /// Print one JSON object at every change
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Args {
    /// # Errors
    /// There is no such run, or no coordinator answers at the start.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let interrupt = Interrupt::listen()?;
        watch_to_end(&self.coordinator.locator()?, self.id, &interrupt, self.json).await
    }
}
