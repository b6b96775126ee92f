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

/// Between two attempts of a standby to take the lead.
const LOOK: Duration = Duration::from_millis(100);
/// Attempts between two looks at whether the leader is silent.
const LOOKS_AT_LEADER: u32 = 10;

impl Ledger {
    /// Takes the lead, if no other coordinator has it.
    ///
    /// # Errors
    /// [`StoreError::LeadTaken`] if another has it; errors of the database.
    pub async fn take_lead(&self) -> Result<LeaderEpoch, StoreError> {
        let mut session = PgConnection::connect_with(&self.options).await?;
        if !lock(&mut session).await? {
            return Err(StoreError::LeadTaken);
        }
        self.lead(session).await
    }

    /// Waits until the lead is free and takes it. A leader that has said nothing to the database for
    /// as long as `silence`, by the database's clock, is stopped or cut off: its connections are ended
    /// there, which frees the lead. Whatever it still believes, no commit of its epoch is taken.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn wait_for_lead(&self, silence: Duration) -> Result<LeaderEpoch, StoreError> {
        let mut session = PgConnection::connect_with(&self.options).await?;
        let mut looks = 0_u32;
        while !lock(&mut session).await? {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS_AT_LEADER) && eject(&mut session, silence).await? > 0 {
                tracing::warn!(
                    ?silence,
                    "the leader was silent for too long: its connections are ended"
                );
            }
            tokio::time::sleep(LOOK).await;
        }
        self.lead(session).await
    }

    /// Leads with a session that holds the lock.
    async fn lead(&self, mut session: PgConnection) -> Result<LeaderEpoch, StoreError> {
        let epoch: i64 = sqlx::query_scalar(
            "UPDATE leadership SET epoch = epoch + 1, taken_at = now() RETURNING epoch",
        )
        .fetch_one(&mut session)
        .await?;
        self.make_days().await?;
        Ok(LeaderEpoch { epoch, session })
    }
}

async fn lock(session: &mut PgConnection) -> Result<bool, StoreError> {
    let got = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(LOCK_KEY);
    Ok(got.fetch_one(session).await?)
}

/// Ends every connection of the coordinator that holds the lock, if the session that holds it has been
/// silent for so long; how many those were. All of them: one that is stopped in the middle of a
/// transaction would keep the next leader waiting.
async fn eject(session: &mut PgConnection, silence: Duration) -> Result<u64, StoreError> {
    let ended = sqlx::query(
        "SELECT pg_terminate_backend(a.pid)
         FROM pg_stat_activity a
         JOIN (
             SELECT h.application_name
             FROM pg_locks l
             JOIN pg_stat_activity h ON h.pid = l.pid
             WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
               AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND (l.classid::bigint << 32 | l.objid::bigint) = $1
               AND h.state_change < clock_timestamp() - make_interval(secs => $2)
         ) AS silent ON silent.application_name = a.application_name
         WHERE a.pid <> pg_backend_pid() AND a.datname = current_database()",
    )
    .bind(LOCK_KEY)
    .bind(silence.as_secs_f64())
    .execute(session)
    .await?;
    Ok(ended.rows_affected())
}
