//! Why a worker cannot run at all. A coordinator that is away or refuses is none of these.

use std::io;
use std::path::PathBuf;

/// The worker ends with this before or instead of playing.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// Another process uses the directory.
    #[error(
        "state directory {} is in use by another worker; stop that one or give another directory",
        path.display()
    )]
    StateDirInUse {
        /// The directory.
        path: PathBuf,
    },
    /// The directory or a file in it cannot be used.
    #[error("cannot {action} {}", path.display())]
    StateDir {
        /// What was attempted.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] keys::KeyError),
    /// The address of the coordinator is none, so that no amount of waiting helps.
    #[error(transparent)]
    Address(proto::ConnectError),
    /// A thread could not be started.
    #[error("cannot start the thread of slot {slot}")]
    Thread {
        /// Which slot.
        slot: usize,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
