//! From a source to a program: a commit is fetched, a recipe runs.
//!
//! Recipes run in the sandbox, as what they build does: without a network, writing their source alone.
//! `git` runs outside, for it must reach its server; it executes nothing of what it fetches.

use crate::shelf::{Fault, Guard, ShelfError};
use model::file::Recipe;
use model::printable;
use sandbox::{Policy, Processes};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// MiB of address space of each process of a build, and of each file that it writes.
const BUILD_MIB: u64 = 32_768;

/// Seconds of processor time of each process of a build.
const BUILD_SECONDS: u64 = 3600;

/// The files of one commit.
pub(crate) fn fetch(url: &str, commit: &str, into: &Path) -> Result<(), ShelfError> {
    let git = |words: &[&str], what: &str| {
        let output = Command::new("git")
            .args(["-c", "protocol.ext.allow=never", "-c", "advice.detachedHead=false"])
            .args(words)
            .current_dir(into)
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                let message = format!("cannot start git: {error}");
                ShelfError::new(Fault::Machine, message, "install git")
            })?;
        if output.status.success() {
            return Ok(());
        }
        let said = lines(&output.stderr);
        Err(ShelfError::new(Fault::Unavailable, format!("{what}: git {}:\n{said}", words[0]), ""))
    };
    git(&["init", "--quiet", "--template="], "cannot make a repository")?;
    let what = format!("cannot fetch {}", printable(url, 200));
    // Not every server hands out a single commit.
    git(&["fetch", "--quiet", "--depth", "1", "--", url, commit], &what)
        .or_else(|_| git(&["fetch", "--quiet", "--", url, "+refs/*:refs/remotes/from/*"], &what))?;
    let what = format!("no commit {commit} in {}", printable(url, 200));
    git(&["checkout", "--quiet", "--detach", commit], &what)
}

/// Runs a recipe in the sandbox; the program that came out.
pub(crate) fn build(
    source: &Path,
    recipe: &Recipe,
    guard: &Guard,
    tell: &dyn Fn(&str),
) -> Result<PathBuf, ShelfError> {
    let wrong = |message: String, hint: &str| ShelfError::new(Fault::Unbuildable, message, hint);
    if let Some((program, arguments)) = recipe.command.split_first() {
        let policy = Policy {
            // What it has built it may run.
            read: vec![source.to_owned()],
            scratch: Some(source.to_owned()),
            memory_mib: BUILD_MIB,
            file_mib: BUILD_MIB,
            cpu_seconds: Some(BUILD_SECONDS),
            processes: Processes::Many,
        };
        let command = recipe.command.join(" ");
        tell(&format!("building with `{command}`; sandbox: {}", guard.describe()));
        let output = guard
            .command(&policy, Path::new(program))
            .args(arguments)
            .current_dir(source)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| wrong(format!("cannot start the build: {error}"), ""))?;
        if !output.status.success() {
            let said = [&output.stdout[..], &output.stderr[..]].concat();
            let said = &said[said.len().saturating_sub(4000)..];
            let message = format!("the build failed ({}):\n{}", output.status, lines(said));
            let hint = "a build has no network and writes its source folder alone";
            return Err(wrong(message, hint));
        }
    }
    let result = source.join(&recipe.result);
    // A link could lead out of the source, to what the sandbox kept the build from.
    let is_file = std::fs::symlink_metadata(&result).is_ok_and(|data| data.is_file());
    let is_inside = match (result.canonicalize(), source.canonicalize()) {
        (Ok(result), Ok(source)) => result.starts_with(source),
        _ => false,
    };
    if !is_file || !is_inside {
        let message = format!("the build has made no file {}", recipe.result);
        return Err(wrong(message, "build.result is the program, from the source's root"));
    }
    Ok(result)
}

/// Text of many lines from elsewhere, made safe to show.
fn lines(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<_> = said.lines().map(|line| printable(line, 400)).collect();
    let last = lines.len().saturating_sub(60);
    lines[last..].join("\n")
}
