//! The private server on systems without Unix sockets: not offered, and said so.

use std::{convert::Infallible, path::Path, process::Command};

use crate::{Error, Found, Origin, Released, Revival, Settings, Status};

/// A private Postgres; there are none on this system.
#[derive(Debug)]
pub struct PgBox {
    never: Infallible,
}

impl PgBox {
    /// Not offered here.
    ///
    /// # Errors
    /// Always [`Error::Unsupported`].
    pub fn start(_settings: Settings) -> Result<PgBox, Error> {
        Err(Error::Unsupported)
    }

    /// Not offered here.
    ///
    /// # Errors
    /// Always [`Error::Unsupported`].
    pub fn throwaway() -> Result<PgBox, Error> {
        Err(Error::Unsupported)
    }

    /// Not offered here.
    ///
    /// # Errors
    /// Always [`Error::Unsupported`].
    pub fn throwaway_with(_binaries: impl Into<Found>) -> Result<PgBox, Error> {
        Err(Error::Unsupported)
    }

    /// Where the server came from.
    pub fn origin(&self) -> Origin {
        match self.never {}
    }

    /// Elomill's data directory.
    pub fn data_dir(&self) -> &Path {
        match self.never {}
    }

    /// The directory of the socket.
    pub fn socket_dir(&self) -> &Path {
        match self.never {}
    }

    /// Process id of the postmaster.
    pub fn pid(&self) -> i32 {
        match self.never {}
    }

    /// The user to connect as.
    pub fn user(&self) -> &'static str {
        match self.never {}
    }

    /// The database to connect to.
    pub fn database(&self) -> &'static str {
        match self.never {}
    }

    /// A connection URL.
    pub fn url(&self, _database: &str) -> String {
        match self.never {}
    }

    /// Whether the server's process lives.
    pub fn is_alive(&mut self) -> bool {
        match self.never {}
    }

    /// Starts the server again if it was killed.
    ///
    /// # Errors
    /// None: there is no value to call it on.
    pub fn restart_if_dead(&mut self) -> Result<Revival, Error> {
        match self.never {}
    }

    /// The command that opens a SQL shell.
    pub fn psql_command(&self) -> Option<Command> {
        match self.never {}
    }

    /// Leaves the server.
    ///
    /// # Errors
    /// None: there is no value to call it on.
    pub fn release(self) -> Result<Released, Error> {
        match self.never {}
    }

    /// Stops the server.
    ///
    /// # Errors
    /// None: there is no value to call it on.
    pub fn stop(self) -> Result<(), Error> {
        match self.never {}
    }
}

/// The state of a private server.
///
/// # Errors
/// Always [`Error::Unsupported`].
pub fn status(_data_dir: &Path) -> Result<Status, Error> {
    Err(Error::Unsupported)
}

/// Stops a private server.
///
/// # Errors
/// Always [`Error::Unsupported`].
pub fn stop(_data_dir: &Path) -> Result<bool, Error> {
    Err(Error::Unsupported)
}
