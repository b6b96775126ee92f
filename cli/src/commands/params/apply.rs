//! `elomill params apply`: an accepted set becomes the defaults of the built-in engine, by a change of
//! its sources that is ready to be committed.

mod declarations;
mod plan;
#[cfg(test)]
mod tests;

use crate::filing::{self, refused};
use crate::output::{hinted, line, say};
use anyhow::Context;
use declarations::Sources;
use model::view::RunView;
use model::{FindingList, GameKind, ParameterSet};
use similar::TextDiff;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What `campaign show --format toml` prints, or `runs show --json` of an accepted test or race; `-` is
    /// stdin
    file: PathBuf,
    /// The game that the set was accepted in. A constant of every search is written into the list of
    /// the game's own defaults: other games keep theirs
    #[arg(long)]
    game: GameKind,
    /// The folder of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    sources: PathBuf,
    /// Print the change as a unified diff and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Change sources that have changes which are not committed, or that git does not keep
    #[arg(long)]
    allow_dirty: bool,
}

/// The engine's sources in the project's folder.
const ENGINE: &str = "crates/engine/src";

impl Args {
    /// # Errors
    /// The set has mistakes or was not accepted; the sources are not those of this program, or have
    /// changes of their own; a file cannot be read or written.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let set = self.set()?;
        let folder = self.sources.join(ENGINE);
        if !self.dry_run && !self.allow_dirty {
            is_committed(&self.sources)?;
        }
        let sources = read_sources(&folder)?;
        let changed = plan::plan(&sources, self.game, &set)?;
        if changed.is_empty() {
            say(format_args!("these are the defaults of {} already", self.game));
            return Ok(ExitCode::SUCCESS);
        }
        if self.dry_run {
            for (path, text) in &changed {
                let before = sources.get(path).map_or("", String::as_str);
                let (old, new) = (format!("a/{ENGINE}/{path}"), format!("b/{ENGINE}/{path}"));
                let diff = TextDiff::from_lines(before, text);
                let diff = diff.unified_diff().header(&old, &new).to_string();
                line(diff.trim_end_matches('\n'))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        write(&folder, &changed)?;
        for path in changed.keys() {
            line(folder.join(path).display())?;
        }
        say(
            "cargo test -p engine says whether it holds; `elomill bench` has another signature now",
        );
        Ok(ExitCode::SUCCESS)
    }

    fn set(&self) -> anyhow::Result<ParameterSet> {
        let text = if self.file == Path::new("-") {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
            text
        } else {
            std::fs::read_to_string(&self.file)
                .with_context(|| format!("cannot read {}", self.file.display()))?
        };
        if text.trim_start().starts_with('{') {
            let run: RunView = serde_json::from_str(&text).with_context(|| {
                format!("{} is not what `elomill runs show --json` prints", self.file.display())
            })?;
            return accepted(&run, self.game);
        }
        model::file::parse_set(&text)
            .map_err(|FindingList(findings)| refused(&self.file, &findings))
    }
}

/// The candidate of a test that passed; the winner of a race.
fn accepted(run: &RunView, game: GameKind) -> anyhow::Result<ParameterSet> {
    if run.spec.game != game {
        return Err(anyhow::anyhow!("run {} is of {}, not of {game}", run.id, run.spec.game));
    }
    match filing::accepted(run) {
        Some((set, _)) => Ok(set.clone()),
        None => Err(hinted(
            format_args!("run {} is no test or race that was accepted", run.id),
            "what no test has accepted can be written by hand below [candidate] of a TOML file",
        )),
    }
}

/// Whether git keeps the engine and nothing in it has changed since.
fn is_committed(project: &Path) -> anyhow::Result<()> {
    let output = Command::new("git")
        .arg("-C")
        .arg(project)
        .args(["status", "--porcelain", "--untracked-files=all", "--", ENGINE])
        .output();
    let what = match output {
        Ok(output) if output.status.success() && output.stdout.is_empty() => return Ok(()),
        Ok(output) if output.status.success() => "has changes that are not committed",
        _ => "is not kept by git",
    };
    Err(hinted(
        format_args!("{} {what}", project.join(ENGINE).display()),
        "commit first, look with --dry-run, or say --allow-dirty",
    ))
}

/// Every source below a folder.
fn read_sources(folder: &Path) -> anyhow::Result<Sources> {
    if !folder.join("tunables.rs").is_file() {
        return Err(hinted(
            format_args!("{} has no sources of the engine", folder.display()),
            "name the project's folder with --sources",
        ));
    }
    let mut sources = Sources::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((folder, below)) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
            let path = entry.path();
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push((path, format!("{name}/")));
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                sources.insert(name, text);
            }
        }
    }
    Ok(sources)
}

/// Writes all of them beside the old ones before the first is put in place.
fn write(folder: &Path, changed: &Sources) -> anyhow::Result<()> {
    let new = |path: &str| folder.join(format!("{path}.new"));
    for (path, text) in changed {
        std::fs::write(new(path), text)
            .with_context(|| format!("cannot write {}", new(path).display()))?;
    }
    for path in changed.keys() {
        std::fs::rename(new(path), folder.join(path))
            .with_context(|| format!("cannot write {}", folder.join(path).display()))?;
    }
    Ok(())
}
