//! `elomill test FILE`: files a sequential test, a match of fixed length, or a race of several
//! candidates; the file says which.

use crate::filing::FileArgs;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
}

impl Args {
    /// # Errors
    /// The file has mistakes, or no coordinator takes it.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        self.file.file("test", None).await
    }
}
