//! `elomill data`: games of the engine against itself, for a network to learn from.

mod export;
mod folder;
mod generate;
mod show;
mod verify;

pub(super) use folder::{Folder, read_network, replace};

use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Plays games into a folder; goes on where it was
    Generate(Box<generate::Args>),
    /// Lists the folders of games below a folder
    List(show::ListArgs),
    /// Says what the games of a folder amount to
    Stats(show::StatsArgs),
    /// Writes the positions of a folder as text
    Export(export::Args),
    /// Compares the games of a folder with the rules and their recipe
    Verify(verify::Args),
}

impl Args {
    /// # Errors
    /// As the subcommand.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Generate(args) => args.run(),
            What::List(args) => args.run(),
            What::Stats(args) => args.run(),
            What::Export(args) => args.run(),
            What::Verify(args) => args.run(),
        }
    }
}
