//! `elomill man`: the manual of the command line, made from the command line itself: pages for `man`,
//! or the reference of the guide.

mod markdown;

use super::Cli;
use crate::output::say;
use anyhow::Context;
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write a page for each command into this folder, which is made, as elomill-runs-show.1
    #[arg(long, value_name = "DIR", required_unless_present = "markdown")]
    out: Option<PathBuf>,
    /// Print all of it as one Markdown page
    #[arg(long, conflicts_with = "out")]
    markdown: bool,
}

impl Args {
    /// # Errors
    /// The pages cannot be written.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let Some(folder) = self.out else {
            let page = markdown::page(Cli::command());
            std::io::stdout().lock().write_all(page.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        };
        let write = || -> std::io::Result<usize> {
            std::fs::create_dir_all(&folder)?;
            clap_mangen::generate_to(Cli::command(), &folder)?;
            Ok(std::fs::read_dir(&folder)?.count())
        };
        let pages =
            write().with_context(|| format!("cannot write pages into {}", folder.display()))?;
        say(format_args!(
            "{pages} pages in {}: man -l {0}/elomill.1 shows the first",
            folder.display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}
