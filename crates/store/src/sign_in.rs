//! Browsers that sign in: links that are good once, and the sessions that they begin.

use crate::{Ledger, StoreError};
use model::Role;
use std::time::Duration;

/// Whom a link or a session stands for; their key is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Number of the key.
    pub key_id: i64,
    /// Its 32 bytes.
    pub public_key: [u8; 32],
    /// Whose it is.
    pub owner: String,
    /// What it may do.
    pub role: Role,
    /// Until when the link or the session is good; milliseconds since 1970, UTC.
    pub expires_at_unix_ms: i64,
}

type Row = (i64, Vec<u8>, String, String, i64);

impl Ledger {
    /// Writes a link of a key down, good for so long by the clock of the database: when it expires, in
    /// milliseconds since 1970, UTC. Links and sessions that have expired go.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn add_sign_in(
        &self,
        token_sha256: &[u8; 32],
        key_id: i64,
        good_for: Duration,
    ) -> Result<i64, StoreError> {
        let mut tx = self.pool.begin().await?;
        // A day later, so that whoever comes late still hears that the link has expired.
        sqlx::query("DELETE FROM sign_ins WHERE expires_at < now() - interval '1 day'")
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM sessions WHERE expires_at < now()").execute(&mut *tx).await?;
        let expires = sqlx::query_scalar(
            "INSERT INTO sign_ins (token_sha256, key_id, expires_at)
             VALUES ($1, $2, now() + $3 * interval '1 second')
             RETURNING (extract(epoch FROM expires_at) * 1000)::bigint",
        )
        .bind(&token_sha256[..])
        .bind(key_id)
        .bind(good_for.as_secs_f64())
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(expires)
    }

    /// Whom a link would sign in, if it is still good.
    ///
    /// # Errors
    /// Errors of the database; a role that this version does not know.
    pub async fn sign_in(&self, token_sha256: &[u8; 32]) -> Result<Option<SignedIn>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "SELECT k.id, k.public_key, o.name, k.role,
                    (extract(epoch FROM s.expires_at) * 1000)::bigint
             FROM sign_ins s JOIN keys k ON k.id = s.key_id JOIN owners o ON o.id = k.owner_id
             WHERE s.token_sha256 = $1 AND s.used_at IS NULL AND s.expires_at > now()
               AND k.revoked_at IS NULL",
        )
        .bind(&token_sha256[..])
        .fetch_optional(&self.pool)
        .await?;
        row.map(signed_in).transpose()
    }

    /// Uses a link up and begins a session that lasts so long; whether the link was still good. Of two
    /// who use it at the same time one is refused.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn begin_session(
        &self,
        link_sha256: &[u8; 32],
        session_sha256: &[u8; 32],
        lasts: Duration,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "WITH used AS (
                 UPDATE sign_ins s SET used_at = now()
                 FROM keys k
                 WHERE s.token_sha256 = $1 AND s.used_at IS NULL AND s.expires_at > now()
                   AND k.id = s.key_id AND k.revoked_at IS NULL
                 RETURNING s.key_id
             )
             INSERT INTO sessions (token_sha256, key_id, expires_at)
             SELECT $2, key_id, now() + $3 * interval '1 second' FROM used",
        )
        .bind(&link_sha256[..])
        .bind(&session_sha256[..])
        .bind(lasts.as_secs_f64())
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Who is signed in by a session, while it lasts and the key is good.
    ///
    /// # Errors
    /// Errors of the database; a role that this version does not know.
    pub async fn session(&self, token_sha256: &[u8; 32]) -> Result<Option<SignedIn>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "SELECT k.id, k.public_key, o.name, k.role,
                    (extract(epoch FROM s.expires_at) * 1000)::bigint
             FROM sessions s JOIN keys k ON k.id = s.key_id JOIN owners o ON o.id = k.owner_id
             WHERE s.token_sha256 = $1 AND s.expires_at > now() AND k.revoked_at IS NULL",
        )
        .bind(&token_sha256[..])
        .fetch_optional(&self.pool)
        .await?;
        row.map(signed_in).transpose()
    }

    /// Ends a session.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn end_session(&self, token_sha256: &[u8; 32]) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM sessions WHERE token_sha256 = $1")
            .bind(&token_sha256[..])
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn signed_in(row: Row) -> Result<SignedIn, StoreError> {
    let (key_id, key, owner, role, expires_at_unix_ms) = row;
    let found = format!("{} bytes", key.len());
    let public_key = key.try_into().map_err(|_| StoreError::unreadable("a public key", found))?;
    let role = role.parse().map_err(|e| StoreError::unreadable(format!("the role {role}"), e))?;
    Ok(SignedIn { key_id, public_key, owner, role, expires_at_unix_ms })
}
