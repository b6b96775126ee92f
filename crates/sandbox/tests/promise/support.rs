//! A felon, free and shut in.

use sandbox::{Level, Policy};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) const FELON: &str = env!("CARGO_BIN_EXE_sandbox-felon");

pub(crate) fn level() -> Level {
    sandbox::level(Path::new(FELON)).expect("the felon is its own helper")
}

fn said(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if text.is_empty() {
        format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
    } else {
        text
    }
}

/// What it says without a sandbox.
pub(crate) fn free(words: &[&str]) -> String {
    let mut command = Command::new(FELON);
    command.args(words);
    said(command)
}

/// The command that does it under a policy.
pub(crate) fn command(policy: &Policy, words: &[&str]) -> Command {
    let launcher: Vec<PathBuf> = policy.launcher(Path::new(FELON), &level());
    let mut command = Command::new(&launcher[0]);
    command.args(&launcher[1..]).arg(FELON).args(words);
    command
}

/// What it says under a policy.
pub(crate) fn under(policy: &Policy, words: &[&str]) -> String {
    said(command(policy, words))
}

/// What is possible without the sandbox and refused in it.
pub(crate) fn refused(words: &[&str]) {
    assert_eq!(free(words), "done", "{words:?}, free");
    let said = under(&Policy::default(), words);
    assert!(said.starts_with("refused: "), "{words:?}: {said}");
}
