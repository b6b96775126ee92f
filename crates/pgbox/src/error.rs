//! What can go wrong, each with what was found and the mend.

use std::{io, path::PathBuf};

use crate::{FetchError, FindError};

/// Why the private Postgres could not be found, started, adopted or stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No usable server programs on this machine.
    #[error(transparent)]
    Find(#[from] FindError),

    /// The programs could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),

    /// The variable that the default data directory hangs on is not set.
    #[error(
        "cannot choose a data directory because {0} is not set\nhint: set it, or give --data-dir"
    )]
    NoHome(&'static str),

    /// An operation on a file or directory failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was attempted, as a verb phrase.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },

    /// The unprivileged server user cannot pass through a directory.
    #[error(
        "the Postgres server runs as {user}, who cannot enter {}\n\
         hint: chmod o+x {}, or give a --data-dir elsewhere, such as /var/lib/elomill",
        path.display(), path.display()
    )]
    NotTraversable {
        /// The directory that blocks the way.
        path: PathBuf,
        /// The user that the server runs as.
        user: String,
    },

    /// The socket directory is not private to the server's user.
    #[error(
        "refusing to put the database socket into {}: {found}\n\
         hint: remove it, or have its owner remove it, and start again",
        path.display()
    )]
    SocketDir {
        /// The directory in question.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },

    /// The cluster belongs to another user.
    #[error(
        "{} belongs to user id {owner}, and this process runs as {own}\n\
         hint: start Elomill as its owner or as root, or give another --data-dir",
        path.display()
    )]
    WrongOwner {
        /// The cluster's directory.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Who is running.
        own: u32,
    },

    /// The cluster's directory holds something that is not a cluster.
    #[error(
        "{} is not a Postgres cluster (no PG_VERSION in it) and is not empty\n\
         hint: move it away, or give another --data-dir",
        path.display()
    )]
    NotACluster {
        /// The directory.
        path: PathBuf,
    },

    /// The cluster was made by another major version than any of the programs found.
    #[error(
        "{} was made by PostgreSQL {cluster}, and only PostgreSQL {available} was found here\n\
         hint: install PostgreSQL {cluster} beside it (or name its programs with ELOMILL_PG_BIN); \
         or move the data over: with the programs of both versions run pg_upgrade, or dump it on a \
         machine that has {cluster} and restore it into a new --data-dir",
        path.display()
    )]
    VersionMismatch {
        /// The cluster's directory.
        path: PathBuf,
        /// The major version that the cluster's files have.
        cluster: u32,
        /// The major versions found, comma separated.
        available: String,
    },

    /// The cluster could not be made.
    #[error("initdb failed ({status}): {output}")]
    Initdb {
        /// How it ended.
        status: String,
        /// The end of what it printed.
        output: String,
    },

    /// The server ended, or did not answer, while it was starting.
    #[error("Postgres did not start: {reason}\nits log {} ends with:\n{tail}", log.display())]
    NotStarted {
        /// How it ended.
        reason: String,
        /// The server's log file.
        log: PathBuf,
        /// The log's last lines.
        tail: String,
    },

    /// The server did not go down.
    #[error("the Postgres server with process id {pid} did not stop within {seconds} s")]
    NotStopped {
        /// The postmaster.
        pid: i32,
        /// How long it was waited for.
        seconds: u64,
    },

    /// Another process holds the start lock for too long.
    #[error("another process has been starting or stopping Postgres for {seconds} s (lock {})", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },

    /// There is no private Postgres on this kind of system.
    #[error(
        "a private Postgres needs Unix sockets and is not offered on this system\n\
         hint: give --database-url and any Postgres from version 14 on"
    )]
    Unsupported,
}

impl Error {
    /// For `map_err` on file operations.
    #[cfg(unix)]
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }
}
