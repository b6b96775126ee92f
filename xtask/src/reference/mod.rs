//! `cargo xtask reference`: the pages of the guide that follow from the code: the command line from
//! the command, the files of authors from their readers, the contract from the `.proto` files.
//!
//! The pages are committed, so that the guide can be read without building anything. Tests say when
//! they are stale: those of this file, and for the command line one beside the command's.

mod files;
mod rpc;

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

/// Where the pages are.
const FOLDER: &str = "docs/reference";

/// What the chore takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Command {
    /// Write nothing; fail if a page is stale
    #[arg(long)]
    check: bool,
    /// The built command to ask about itself [default: it is built first]
    #[arg(long, value_name = "PROGRAM")]
    elomill: Option<PathBuf>,
}

impl Command {
    /// # Errors
    /// The command cannot be built or run, a `.proto` file is wrong, or a page cannot be written.
    pub(crate) fn run(self, root: &Path) -> anyhow::Result<ExitCode> {
        let mut stale = Vec::new();
        // The pages that need nothing built come first.
        let command_line = std::iter::once_with(|| self.command_line(root));
        for page in pages(root)?.into_iter().map(Ok).chain(command_line) {
            let (name, page) = page?;
            let path = root.join(FOLDER).join(name);
            if std::fs::read_to_string(&path).is_ok_and(|text| text == page) {
                continue;
            }
            stale.push(format!("{FOLDER}/{name}"));
            if !self.check {
                let written = std::fs::create_dir_all(root.join(FOLDER))
                    .and_then(|()| std::fs::write(&path, page));
                written.with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        match (stale.is_empty(), self.check) {
            (true, _) => eprintln!("reference: every page is as the code says"),
            (false, false) => eprintln!("reference: written {}", stale.join(", ")),
            (false, true) => {
                eprintln!("reference: stale {}; run `cargo xtask reference`", stale.join(", "));
                return Ok(ExitCode::FAILURE);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The page that the command prints of itself.
    fn command_line(&self, root: &Path) -> anyhow::Result<(&'static str, String)> {
        let mut command = match &self.elomill {
            Some(program) => Process::new(program),
            None => {
                let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
                let mut command = Process::new(cargo);
                command.args(["run", "--quiet", "--package", "cli", "--"]).current_dir(root);
                command
            }
        };
        let output = command.args(["man", "--markdown"]).output();
        let output = output.with_context(|| format!("cannot start {command:?}"))?;
        if !output.status.success() {
            bail!("elomill man --markdown: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(("command-line.md", String::from_utf8(output.stdout).context("the page is no text")?))
    }
}

/// The pages that follow from what this program knows itself.
fn pages(root: &Path) -> anyhow::Result<Vec<(&'static str, String)>> {
    Ok(vec![("files.md", files::page()), ("rpc.md", rpc::page(&root.join("proto"))?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_pages_are_as_the_code_says() {
        let root = crate::root();
        for (name, page) in pages(root).expect("the contract compiles") {
            let path = root.join(FOLDER).join(name);
            let committed = std::fs::read_to_string(&path).expect("the page is there");
            let differs = committed.lines().zip(page.lines()).position(|(a, b)| a != b);
            assert!(
                committed == page,
                "{} is stale from line {:?}; run `cargo xtask reference`",
                path.display(),
                differs.map(|line| line + 1)
            );
        }
    }
}
