//! `elomill tune FILE`: files a tune.

use crate::filing::FileArgs;
use model::spec::OptimizerKind;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    /// What moves the parameters, spsa or bqr, whatever the file says
    #[arg(long)]
    optimizer: Option<OptimizerKind>,
}

impl Args {
    /// # Errors
    /// The file has mistakes, or no coordinator takes it.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        self.file.file("tune", self.optimizer).await
    }
}
