//! What can go wrong with the ledger, by what the caller can do about it.

/// An error of the ledger.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address of the database cannot be read.
    #[error("`{url}` is no address of a Postgres database; allowed: postgres://USER@HOST/DATABASE")]
    Url {
        /// What was given, without its password.
        url: String,
        /// What was wrong with it.
        #[source]
        source: sqlx::Error,
    },
    /// The server is too old.
    #[error("the database server is Postgres {found}; allowed: 14 or newer")]
    ServerVersion {
        /// `server_version` as it says.
        found: String,
    },
    /// A later version of the program has changed the schema.
    #[error(
        "the schema is of a later version of Elomill (migration {found}); this one knows those up to \
         {known}; run that version or a newer one"
    )]
    NewerSchema {
        /// The last migration of the database.
        found: i64,
        /// The last that this version knows.
        known: i64,
    },
    /// The database was never used by a coordinator.
    #[error("the database holds no ledger: no coordinator has ever run on it")]
    NoLedger,
    /// The schema could not be brought up to date.
    #[error("the schema could not be brought up to date")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// Another coordinator leads now; nothing was written.
    #[error("another coordinator has taken the lead (epoch {ours} is over); nothing was written")]
    NotLeader {
        /// The epoch that is over.
        ours: i64,
    },
    /// Another coordinator holds the lead.
    #[error(
        "another coordinator leads this ledger; stop that one first, or give this one a database \
         of its own"
    )]
    LeadTaken,
    /// A rule of the schema refused the write; nothing was written.
    #[error("the ledger refused a write: {constraint}")]
    Refused {
        /// The constraint's name.
        constraint: String,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// A stored value is none that this version writes.
    #[error("the ledger holds {what}, which this version cannot read: {found}")]
    Unreadable {
        /// Which value.
        what: String,
        /// What was found, or why it cannot be read.
        found: String,
    },
    /// The database is there, or seems so, and says nothing.
    #[error("the database did not answer in time")]
    Silent,
    /// The database did not answer, or the connection broke.
    #[error("the database did not answer")]
    Database(#[source] sqlx::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(source: sqlx::Error) -> Self {
        let constraint = source
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::constraint)
            .map(str::to_owned);
        match constraint {
            Some(constraint) => StoreError::Refused { constraint, source },
            None => StoreError::Database(source),
        }
    }
}

impl StoreError {
    /// A stored value that cannot be read.
    pub(crate) fn unreadable(what: impl Into<String>, found: impl std::fmt::Display) -> Self {
        StoreError::Unreadable { what: what.into(), found: found.to_string() }
    }
}
