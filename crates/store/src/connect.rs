//! The pool of connections and the checks at its start.

use crate::{StoreError, migrate};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use std::{str::FromStr, time::Duration};

/// The ledger in a Postgres database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ledger {
    pub(crate) pool: PgPool,
    pub(crate) options: PgConnectOptions,
}

impl Ledger {
    /// Connects and brings the schema up to date. Any Postgres from 14 on serves.
    ///
    /// # Errors
    /// The address is none, the server does not answer or is too old, or a migration fails.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|source| StoreError::Url { url: without_password(url), source })?
            .application_name(&application_name())
            .options([
                ("statement_timeout", "15s"),
                ("idle_in_transaction_session_timeout", "30s"),
                // A coordinator whose machine is gone says so to nobody: the server finds out within
                // some ten seconds, and its lead is free. Without effect on a socket of this machine.
                ("tcp_keepalives_idle", "4"),
                ("tcp_keepalives_interval", "2"),
                ("tcp_keepalives_count", "3"),
                ("tcp_user_timeout", "10s"),
            ]);
        let pool = PgPoolOptions::new()
            .max_connections(10)
            .min_connections(1)
            .acquire_timeout(Duration::from_secs(5))
            .idle_timeout(Duration::from_secs(600))
            .max_lifetime(Duration::from_secs(1800))
            .connect_with(options.clone())
            .await?;
        let (number, text): (i32, String) = sqlx::query_as(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version')",
        )
        .fetch_one(&pool)
        .await?;
        if number < 140_000 {
            return Err(StoreError::ServerVersion { found: text });
        }
        migrate::run(&pool).await?;
        Ok(Self { pool, options })
    }

    /// The same ledger for those who only look: connections of its own, few, that cannot write and give
    /// up after two seconds, so that no page holds up a report.
    #[must_use]
    pub fn reader(&self) -> Self {
        let options = self.options.clone().options([
            ("default_transaction_read_only", "on"),
            ("statement_timeout", "2s"),
            ("idle_in_transaction_session_timeout", "5s"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(3))
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options.clone());
        Self { pool, options }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// It does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Closes every connection; waits at most two seconds for those in use.
    pub async fn close(&self) {
        // A connection that is still lent out would hold `close` up for ever.
        let _ = tokio::time::timeout(Duration::from_secs(2), self.pool.close()).await;
    }
}

/// A name of this coordinator's connections that no other's have, so that a standby can end those of a
/// leader that hangs.
fn application_name() -> String {
    use std::hash::{BuildHasher, RandomState};
    let chance = RandomState::new().hash_one(std::process::id());
    format!("elomill {} {chance:016x}", std::process::id())
}

pub(crate) fn without_password(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 < at => {
            let user = url[scheme + 3..at].split(':').next().unwrap_or("");
            format!("{}{user}{}", &url[..scheme + 3], &url[at..])
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_password_does_not_reach_an_error_text() {
        assert_eq!(without_password("postgres://u:secret@h:1/db"), "postgres://u@h:1/db");
        assert_eq!(without_password("nonsense"), "nonsense");
    }
}
