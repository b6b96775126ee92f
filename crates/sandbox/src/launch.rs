//! Asks a helper how far this machine shuts programs in.

use crate::helper::CALLED;
use crate::level::Level;
use crate::policy::Order;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A helper that does not do its work.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The system does not start it.
    #[error("cannot start `{}`: {source}", host.display())]
    Start {
        /// The program that was to be the helper.
        host: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It says something else than a level: it is no helper, or of another version.
    #[error("`{}` does not say what its sandbox offers: {said}", host.display())]
    Answer {
        /// The program that was to be the helper.
        host: PathBuf,
        /// What it said.
        said: String,
    },
}

/// What is in force for programs that are started through `host`, found out by a helper that puts
/// everything on itself and says what has worked.
///
/// # Errors
/// `host` does not start, or is no helper.
pub fn level(host: &Path) -> Result<Level, LaunchError> {
    let words = Order::default().words();
    let answer = Command::new(host)
        .arg(CALLED)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| LaunchError::Start { host: host.to_owned(), source })?;
    serde_json::from_slice(&answer.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&answer.stderr);
        let said = said.chars().filter(|c| !c.is_control()).take(200).collect();
        LaunchError::Answer { host: host.to_owned(), said }
    })
}
