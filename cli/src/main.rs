//! `elomill`: one command for the author, the volunteer and the team.
//!
//! This file turns arguments into a subcommand and its result into an exit status; each subcommand
//! has a file of its own below `commands`.

mod books;
mod calibrate;
mod client;
mod commands;
mod convert;
mod data_dir;
mod display;
mod endpoint;
mod env;
mod filing;
mod follow;
mod house;
mod interrupt;
mod jail;
mod local_match;
mod logging;
mod mismatches;
mod output;
mod summary;
mod tables;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // While there is one thread.
    sandbox::serve_if_called();
    let command = commands::Cli::parse().command;
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&anyhow::anyhow!("cannot start threads: {error}")),
    };
    match runtime.block_on(command.run()) {
        Ok(code) => code,
        // Whoever read the output has seen enough.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    output::say(format_args!("error: {error:#}"));
    ExitCode::FAILURE
}
