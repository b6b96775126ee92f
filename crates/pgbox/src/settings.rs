//! What a caller asks of a private server, and what it is told about one.

use std::path::{Path, PathBuf};

use crate::{Environment, Found};

/// How much the data is worth.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Survives a power cut: everything Postgres promises.
    Durable,
    /// For tests: no fsync, little memory, deleted at the end.
    Throwaway,
}

/// How long the server shall run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until the last [`PgBox`](crate::PgBox) on its data directory is dropped or released.
    WithOwner,
    /// Until somebody stops it (`elomill db start`, later `elomill db stop`).
    Detached,
}

/// A request for a private server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Elomill's data directory; the cluster is made in its subdirectory `pg`.
    pub data_dir: PathBuf,
    /// The server programs to choose from.
    pub binaries: Found,
    /// How long the server shall run.
    pub lifetime: Lifetime,
    /// The user's directory for sockets; root's and the fallback are known to this crate.
    pub runtime_dir: Option<PathBuf>,
}

impl Settings {
    /// A durable server in `data_dir` that lives as long as its owner.
    pub fn new(env: &Environment, data_dir: &Path, binaries: impl Into<Found>) -> Settings {
        Settings {
            data_dir: data_dir.to_path_buf(),
            binaries: binaries.into(),
            lifetime: Lifetime::WithOwner,
            runtime_dir: env.xdg_runtime_dir.clone(),
        }
    }

    /// The same with another lifetime.
    #[must_use]
    pub fn lifetime(self, lifetime: Lifetime) -> Settings {
        Settings { lifetime, ..self }
    }
}

/// Where a server came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Started now, on a cluster that was made now.
    Created,
    /// Started now, on a cluster that was there.
    Started,
    /// It was running already.
    Adopted,
}

/// What [`PgBox::restart_if_dead`](crate::PgBox::restart_if_dead) found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revival {
    /// The server runs; nothing was done.
    Alive,
    /// The server was gone and runs again.
    Restarted,
}

/// What [`PgBox::release`](crate::PgBox::release) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// The server is down.
    Stopped,
    /// Another process still uses the server.
    InUse,
    /// The server was started to stay ([`Lifetime::Detached`]).
    Detached,
}

/// The state of a data directory's private server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Elomill's data directory.
    pub data_dir: PathBuf,
    /// The cluster's major version; `None` where no cluster has been made.
    pub cluster_version: Option<u32>,
    /// The running server, if there is one.
    pub running: Option<Running>,
    /// Size of the cluster's files in bytes.
    pub size_bytes: u64,
    /// The server's log file.
    pub log: PathBuf,
}

/// A running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// Process id of the postmaster.
    pub pid: i32,
    /// The directory of its socket, once it has opened one.
    pub socket_dir: Option<PathBuf>,
    /// How its usual database is reached, once it has a socket.
    pub url: Option<String>,
    /// Whether it accepts connections now.
    pub answers: bool,
    /// Whether it stays after its owner is gone.
    pub lifetime: Lifetime,
}
