//! `elomill book`: what a book of openings holds, what its openings are worth in play, and those of them
//! that show a difference in strength with the fewest games.

mod census;
mod measure;
mod pick;
mod record;
mod worth;

use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Plays pairs from every opening: balance, draws, and the noise of a pair
    Measure(Box<measure::Args>),
    /// Chooses openings by what was measured, and makes a book of them
    Pick(pick::Args),
    /// Counts openings, duplicates, lengths and what is wrong
    Stats(census::Args),
}

impl Args {
    /// # Errors
    /// As the subcommand.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Measure(args) => args.run(),
            What::Pick(args) => args.run(),
            What::Stats(args) => args.run(),
        }
    }
}
