//! From a manifest to a program: a ready file, a folder's recipe, a repository's commit.
//!
//! Recipes run in the sandbox, as what they build does: without a network, writing their source alone.
//! `git` runs outside, for it must reach its server; it executes nothing of what it fetches.

use super::{Lock, Shelf, hash_of, replace};
use crate::books::hex;
use crate::jail::Jail;
use crate::output::{hinted, printable_lines, say};
use anyhow::Context;
use model::file::{EngineFile, EngineSource, Recipe};
use sandbox::{Policy, Processes};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::{Command, Stdio};

/// MiB of address space of each process of a build, and of each file that it writes.
const BUILD_MIB: u64 = 32_768;

impl Shelf {
    /// The SHA-256 under which the program of a manifest is kept, after it was built if it had to be.
    pub(super) fn obtain(
        &self,
        file: &EngineFile,
        folder: &Path,
        lock: &Lock,
    ) -> anyhow::Result<String> {
        match &file.source {
            EngineSource::File { path, sha256 } => {
                let path = folder.join(path);
                let found = hash_of(&path)?;
                if found != *sha256 {
                    let message = format!("{} has the SHA-256 {found}", path.display());
                    let hint = format!("the manifest means {sha256}; take that file, or change it");
                    return Err(hinted(message, hint));
                }
                let taken = self.take_in(&path, lock)?;
                anyhow::ensure!(taken == *sha256, "{} changes meanwhile", path.display());
                Ok(taken)
            }
            EngineSource::Folder { path, recipe } => {
                let source = std::path::absolute(folder.join(path))?;
                anyhow::ensure!(source.is_dir(), "build.folder: no folder {}", source.display());
                build(&source, recipe)?;
                self.take_in(&source.join(&recipe.result), lock)
            }
            EngineSource::Git { url, commit, recipe } => {
                let record = self.0.join("builds").join(key(url, commit, recipe));
                if let Ok(sha256) = std::fs::read_to_string(&record)
                    && self.program(&sha256).exists()
                    && hash_of(&self.program(&sha256))? == sha256
                {
                    say(format_args!("commit {commit} was built before"));
                    return Ok(sha256);
                }
                let source = tempfile::Builder::new().prefix("source-").tempdir_in(&self.0)?;
                // A path counts from the manifest's folder, as others do.
                let local = folder.join(url);
                let from = if local.is_dir() {
                    std::path::absolute(local)?.display().to_string()
                } else {
                    url.clone()
                };
                fetch(&from, commit, source.path())?;
                build(source.path(), recipe)?;
                let sha256 = self.take_in(&source.path().join(&recipe.result), lock)?;
                replace(&record, sha256.as_bytes())?;
                Ok(sha256)
            }
        }
    }
}

/// What decides what a build comes to.
fn key(url: &str, commit: &str, recipe: &Recipe) -> String {
    let mut hash = Sha256::new();
    for part in
        [url, commit, &recipe.result].into_iter().chain(recipe.command.iter().map(String::as_str))
    {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// The files of one commit.
fn fetch(url: &str, commit: &str, into: &Path) -> anyhow::Result<()> {
    let git = |words: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "protocol.ext.allow=never", "-c", "advice.detachedHead=false"])
            .args(words)
            .current_dir(into)
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| hinted(format_args!("cannot start git: {error}"), "install git"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::ensure!(output.status.success(), "git {}:\n{}", words[0], printable_lines(&said));
        Ok(())
    };
    git(&["init", "--quiet", "--template="])?;
    // Not every server hands out a single commit.
    git(&["fetch", "--quiet", "--depth", "1", "--", url, commit])
        .or_else(|_| git(&["fetch", "--quiet", "--", url, "+refs/*:refs/remotes/from/*"]))
        .with_context(|| format!("cannot fetch {}", model::printable(url, 200)))?;
    git(&["checkout", "--quiet", "--detach", commit])
        .with_context(|| format!("no commit {commit} in {}", model::printable(url, 200)))
}

/// Runs a recipe in the sandbox.
fn build(source: &Path, recipe: &Recipe) -> anyhow::Result<()> {
    let Some((program, arguments)) = recipe.command.split_first() else { return Ok(()) };
    let policy = Policy {
        // What it has built it may run.
        read: vec![source.to_owned()],
        scratch: Some(source.to_owned()),
        memory_mib: BUILD_MIB,
        file_mib: BUILD_MIB,
        processes: Processes::Many,
        ..Policy::default()
    };
    let (launcher, level) = Jail::launcher(&policy)?;
    say(format_args!("building with `{}`; sandbox: {level}", recipe.command.join(" ")));
    let (first, rest) = launcher.split_first().context("no helper")?;
    let output = Command::new(first)
        .args(rest)
        .arg(program)
        .args(arguments)
        .current_dir(source)
        .stdin(Stdio::null())
        .output()
        .context("cannot start the build")?;
    if !output.status.success() {
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said);
        let last = said.len().saturating_sub(4000);
        let last = said.char_indices().map(|(at, _)| at).find(|at| *at >= last).unwrap_or(0);
        let message =
            format!("the build failed ({}):\n{}", output.status, printable_lines(&said[last..]));
        return Err(hinted(message, "a build has no network and writes its source folder alone"));
    }
    let result = source.join(&recipe.result);
    anyhow::ensure!(result.is_file(), "the build has made no {}", recipe.result);
    Ok(())
}
