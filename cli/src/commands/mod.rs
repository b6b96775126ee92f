//! The subcommands: what the words of the command line are, and which file does what they say.

mod backup;
mod bench;
mod book;
mod campaign;
mod completions;
mod data;
mod db;
mod demo;
mod engine;
mod games;
mod invite;
mod judge;
mod keys;
mod lab;
mod loadtest;
mod login;
mod man;
mod r#match;
mod params;
mod perft;
mod runs;
mod solve;
mod stats;
mod test;
mod train;
mod tune;
mod up;
mod watch;
mod worker;
mod workers;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Grinds games into Elo: tunes the parameters of a game engine and proves the gain.
#[derive(Debug, Parser)]
#[command(name = "elomill", version, after_help = crate::env::help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Everything on this machine: tunes the built-in xiangqi engine and tests the result
    Demo(Box<demo::Args>),
    /// Runs database, coordinator and a worker on this machine until it is told to end
    Up(up::Args),
    /// Files a tune from a TOML file
    Tune(tune::Args),
    /// Files a sequential test, a match, or a race of several candidates from a TOML file
    Test(test::Args),
    /// Tunes groups of parameters in turn and crowns what a test accepts
    Campaign(campaign::Args),
    /// Lists, shows and steers runs
    Runs(runs::Args),
    /// Lists, shows and exports the games of a run
    Games(games::Args),
    /// Watches a run to its end
    Watch(watch::Args),
    /// Plays games for a coordinator
    Worker(Box<worker::Args>),
    /// Lists the workers of a coordinator
    Workers(workers::Args),
    /// Prints a link by which a worker or a person joins
    Invite(invite::Args),
    /// Lists and revokes the keys of workers and people
    Keys(keys::Args),
    /// Redeems a link for the commands of this machine, or prints one for the browser
    Login(login::Args),
    /// Prints the parameters of the built-in engine
    Params(params::Args),
    /// Keeps engines of others and looks them over
    Engine(Box<engine::Args>),
    /// Plays two engines of any kind against each other on this machine
    Match(Box<r#match::Args>),
    /// Measures opening books, and picks openings for less noise
    Book(book::Args),
    /// Makes games of the engine against itself, for a network to learn from, and looks after them
    Data(data::Args),
    /// Trains a network on games of the engine against itself
    Train(train::Args),
    /// Counts the positions of a move tree
    Perft(perft::Args),
    /// Says whether a line of moves is over by rule, and for whom
    Judge(judge::Args),
    /// Solves the end of a game exactly
    Solve(solve::Args),
    /// Searches fixed positions: a fingerprint of the engine, and its speed
    Bench(bench::Args),
    /// Compares the classic search algorithms on one tree: values, nodes and time
    Lab(Box<lab::Args>),
    /// Computes statistics of game pairs
    Stats(stats::Args),
    /// Opens many workers against a coordinator and measures what it holds
    Loadtest(loadtest::Args),
    /// The private Postgres, by hand
    Db(db::Args),
    /// Writes the whole ledger into a file, while a coordinator works or not
    Backup(backup::BackupArgs),
    /// Brings a backup into an empty database
    Restore(backup::RestoreArgs),
    /// Prints a completion script for a shell
    Completions(completions::Args),
    /// Writes the manual: pages for man, or one in Markdown
    Man(man::Args),
}

impl Command {
    /// Does what the command says.
    ///
    /// # Errors
    /// As the command; the message ends with a hint where there is one.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            // Boxed: the state of these is large, and they are awaited once.
            Command::Demo(args) => Box::pin(args.run()).await,
            Command::Up(args) => Box::pin(args.run()).await,
            Command::Tune(args) => Box::pin(args.run()).await,
            Command::Test(args) => Box::pin(args.run()).await,
            Command::Campaign(args) => Box::pin(args.run()).await,
            Command::Runs(args) => Box::pin(args.run()).await,
            Command::Games(args) => Box::pin(args.run()).await,
            Command::Watch(args) => Box::pin(args.run()).await,
            Command::Worker(args) => Box::pin(args.run()).await,
            Command::Workers(args) => Box::pin(args.run()).await,
            Command::Invite(args) => Box::pin(args.run()).await,
            Command::Keys(args) => Box::pin(args.run()).await,
            Command::Login(args) => Box::pin(args.run()).await,
            Command::Params(args) => args.run(),
            Command::Engine(args) => args.run().await,
            Command::Match(args) => Box::pin(args.run()).await,
            Command::Book(args) => args.run().await,
            Command::Data(args) => args.run().await,
            Command::Train(args) => args.run().await,
            Command::Perft(args) => args.run(),
            Command::Judge(args) => args.run(),
            Command::Solve(args) => args.run(),
            Command::Bench(args) => args.run(),
            Command::Lab(args) => args.run(),
            Command::Stats(args) => args.run(),
            Command::Loadtest(args) => Box::pin(args.run()).await,
            Command::Db(args) => Box::pin(args.run()).await,
            Command::Backup(args) => Box::pin(args.run()).await,
            Command::Restore(args) => Box::pin(args.run()).await,
            Command::Completions(args) => args.run(),
            Command::Man(args) => args.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn verify_cli() {
        Cli::command().debug_assert();
    }
}
