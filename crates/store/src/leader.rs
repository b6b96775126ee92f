//! One coordinator leads: an advisory lock says who, an epoch keeps a paused old leader from
//! writing.

use crate::{Ledger, StoreError};
use sqlx::{Connection, PgConnection};
use std::time::Duration;

/// The key of the advisory lock: "elomill" in ASCII.
const LOCK_KEY: i64 = 0x0065_6c6f_6d69_6c6c;

/// The right to write, until another takes the lead. Dropping it gives the lead up.
#[derive(Debug)]
pub struct LeaderEpoch {
    epoch: i64,
    /// The session that holds the advisory lock; the lock ends with it.
    session: PgConnection,
}

impl LeaderEpoch {
    /// The number that each commit checks.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.epoch
    }

    /// Whether the session that holds the lock is still there.
    ///
    /// # Errors
    /// The session broke: the lead may be another's.
    pub async fn check(&mut self) -> Result<(), StoreError> {
        self.session.ping().await.map_err(StoreError::from)
    }

    /// Gives the lead up in order, so that the next coordinator has it at once; a dropped lead is
    /// free once the server notices. Waits at most a second.
    pub async fn release(self) {
        let mut session = self.session;
        let released = async {
            sqlx::query("SELECT pg_advisory_unlock($1)")
                .bind(LOCK_KEY)
                .execute(&mut session)
                .await?;
            session.close().await
        };
        // A server that is gone has freed the lock by itself.
        let _ = tokio::time::timeout(Duration::from_secs(1), released).await;
    }
}

impl Ledger {
    /// Takes the lead, if no other coordinator has it.
    ///
    /// # Errors
    /// [`StoreError::LeadTaken`] if another has it; errors of the database.
    pub async fn take_lead(&self) -> Result<LeaderEpoch, StoreError> {
        let mut session = PgConnection::connect_with(&self.options).await?;
        let got: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
            .bind(LOCK_KEY)
            .fetch_one(&mut session)
            .await?;
        if !got {
            return Err(StoreError::LeadTaken);
        }
        let epoch: i64 = sqlx::query_scalar(
            "UPDATE leadership SET epoch = epoch + 1, taken_at = now() RETURNING epoch",
        )
        .fetch_one(&mut session)
        .await?;
        self.make_days().await?;
        Ok(LeaderEpoch { epoch, session })
    }
}
