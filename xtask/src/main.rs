//! Chores of the repository: `cargo xtask book` makes the opening books, `cargo xtask crosscheck`
//! compares the rules of the games with programs of others, `cargo xtask tidy` checks the house rules,
//! `cargo xtask reference` writes the guide's pages that follow from the code, `cargo xtask release`
//! makes what is offered for download.

mod book;
mod crosscheck;
mod parallel;
mod reference;
mod release;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::Path;
use std::process::ExitCode;

/// Chores of the repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Make an opening book with this project's rules and engine, or try the one that is there
    Book(book::Command),
    /// Compare the rules of the games with those of programs that others wrote
    Crosscheck(crosscheck::Command),
    /// Write the pages of the guide that follow from the code
    Reference(reference::Command),
    /// Make the downloads of a release: static programs, manual pages, checksums, a signature
    Release(release::Command),
    /// Check the house rules on every file of the repository
    Tidy,
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Book(command) => command.run(root()),
        Chore::Crosscheck(command) => command.run(root()),
        Chore::Reference(command) => command.run(root()),
        Chore::Release(command) => command.run(root()),
        Chore::Tidy => tidy::run(root()),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
