//! Owners, keys and invitations.

use crate::{Ledger, StoreError};
use model::{Role, WorkerId};
use std::time::Duration;

/// A key to be admitted without an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its 32 bytes.
    pub public_key: [u8; 32],
    /// Whose it is.
    pub owner: String,
    /// What it may do.
    pub role: Role,
    /// For people.
    pub label: String,
}

/// A key as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// Its number, for people to type.
    pub id: i64,
    /// Who it is.
    pub key: NewKey,
    /// Milliseconds since 1970, UTC.
    pub created_at_unix_ms: i64,
    /// Milliseconds since 1970, UTC; `None` while it is good.
    pub revoked_at_unix_ms: Option<i64>,
    /// Why it was revoked.
    pub revoked_reason: String,
    /// The worker that plays with it, if one has come.
    pub worker: Option<WorkerId>,
}

/// An invitation to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvite {
    /// Of the token.
    pub token_sha256: [u8; 32],
    /// Whose the keys will be.
    pub owner: String,
    /// What they may do.
    pub role: Role,
    /// How many keys may redeem it.
    pub uses: u32,
    /// How long it is good, by the clock of the database.
    pub expires_in: Duration,
}

/// What became of an attempt to redeem an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redeemed {
    /// The key is known from now on, or was before with the same role.
    Admitted,
    /// There is no such invitation.
    NoSuchInvite,
    /// It was good until then, by the clock of the database.
    Expired {
        /// Milliseconds since 1970, UTC.
        at_unix_ms: i64,
    },
    /// So many keys have redeemed it, and no more may.
    UsedUp {
        /// How many.
        uses: u32,
    },
    /// The key was revoked, and stays so.
    Revoked,
    /// The key has another role already.
    OtherRole(Role),
}

type KeyRow = (i64, Vec<u8>, String, String, String, i64, Option<i64>, String, Option<i64>);

impl Ledger {
    /// Counts up with every change of a key.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn keyring_version(&self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("SELECT version FROM keyring").fetch_one(&self.pool).await?)
    }

    /// Every key, oldest first.
    ///
    /// # Errors
    /// Errors of the database; a role that this version does not know.
    pub async fn keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        self.keys_like(None).await
    }

    /// One key, if it is known.
    ///
    /// # Errors
    /// As [`Ledger::keys`].
    pub async fn key(&self, public_key: &[u8; 32]) -> Result<Option<StoredKey>, StoreError> {
        Ok(self.keys_like(Some(public_key)).await?.pop())
    }

    async fn keys_like(&self, public_key: Option<&[u8; 32]>) -> Result<Vec<StoredKey>, StoreError> {
        let rows: Vec<KeyRow> = sqlx::query_as(
            "SELECT k.id, k.public_key, o.name, k.role, k.label,
                    (extract(epoch FROM k.created_at) * 1000)::bigint,
                    (extract(epoch FROM k.revoked_at) * 1000)::bigint,
                    k.revoked_reason, w.id
             FROM keys k
             JOIN owners o ON o.id = k.owner_id
             LEFT JOIN workers w ON w.worker_key = k.public_key
             WHERE $1::bytea IS NULL OR k.public_key = $1
             ORDER BY k.id",
        )
        .bind(public_key.map(|key| &key[..]))
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(stored_key).collect()
    }

    /// Admits keys without an invitation: those that a coordinator is started with. A key that is
    /// known stays as it is, revoked or not.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn admit_keys(&self, keys: &[NewKey]) -> Result<(), StoreError> {
        for key in keys {
            let owner = self.owner(&key.owner).await?;
            sqlx::query(
                "INSERT INTO keys (public_key, owner_id, role, label) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (public_key) DO NOTHING",
            )
            .bind(&key.public_key[..])
            .bind(owner)
            .bind(key.role.name())
            .bind(&key.label)
            .execute(&self.pool)
            .await?;
        }
        Ok(())
    }

    /// Writes an invitation down: its number, and when it expires in milliseconds since 1970, UTC.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn add_invite(&self, invite: &NewInvite) -> Result<(i64, i64), StoreError> {
        let owner = self.owner(&invite.owner).await?;
        let row = sqlx::query_as(
            "INSERT INTO invites (token_sha256, owner_id, role, uses, expires_at)
             VALUES ($1, $2, $3, $4, now() + $5 * interval '1 second')
             RETURNING id, (extract(epoch FROM expires_at) * 1000)::bigint",
        )
        .bind(&invite.token_sha256[..])
        .bind(owner)
        .bind(invite.role.name())
        .bind(i32::try_from(invite.uses).unwrap_or(i32::MAX))
        .bind(invite.expires_in.as_secs_f64())
        .fetch_one(&self.pool)
        .await?;
        Ok(row)
    }

    /// Redeems an invitation for a key. The same key again is answered as the first time, and
    /// counted once.
    ///
    /// # Errors
    /// Errors of the database; a role that this version does not know.
    pub async fn redeem(
        &self,
        token_sha256: &[u8; 32],
        public_key: &[u8; 32],
        label: &str,
    ) -> Result<Redeemed, StoreError> {
        type Invite = (i64, i64, String, i32, i32, i64, bool);
        let mut tx = self.pool.begin().await?;
        // FOR UPDATE: of two keys that redeem the last use at the same time one is refused.
        let invite: Option<Invite> = sqlx::query_as(
            "SELECT id, owner_id, role, uses, used,
                    (extract(epoch FROM expires_at) * 1000)::bigint, expires_at <= now()
             FROM invites WHERE token_sha256 = $1 FOR UPDATE",
        )
        .bind(&token_sha256[..])
        .fetch_optional(&mut *tx)
        .await?;
        let Some((invite, owner, name, uses, used, expires_at, is_over)) = invite else {
            return Ok(Redeemed::NoSuchInvite);
        };
        let known: Option<(String, bool)> =
            sqlx::query_as("SELECT role, revoked_at IS NOT NULL FROM keys WHERE public_key = $1")
                .bind(&public_key[..])
                .fetch_optional(&mut *tx)
                .await?;
        match known {
            Some((_, true)) => return Ok(Redeemed::Revoked),
            Some((known, false)) if known == name => return Ok(Redeemed::Admitted),
            Some((known, false)) => return Ok(Redeemed::OtherRole(role(&known)?)),
            None if is_over => return Ok(Redeemed::Expired { at_unix_ms: expires_at }),
            None if used >= uses => {
                return Ok(Redeemed::UsedUp { uses: u32::try_from(uses).unwrap_or(0) });
            }
            None => {}
        }
        sqlx::query("UPDATE invites SET used = used + 1 WHERE id = $1")
            .bind(invite)
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "INSERT INTO keys (public_key, owner_id, role, label, invite_id)
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(&public_key[..])
        .bind(owner)
        .bind(&name)
        .bind(label)
        .bind(invite)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Redeemed::Admitted)
    }

    /// Revokes a key for ever; whether there is one of this number. One that is revoked already
    /// keeps its time and reason.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn revoke_key(&self, id: i64, reason: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE keys
             SET revoked_reason = CASE WHEN revoked_at IS NULL THEN $2 ELSE revoked_reason END,
                 revoked_at = coalesce(revoked_at, now())
             WHERE id = $1",
        )
        .bind(id)
        .bind(reason)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The number of an owner, who is written down if need be.
    async fn owner(&self, name: &str) -> Result<i64, StoreError> {
        // The update changes nothing; it makes the row of a known owner come back.
        let id = sqlx::query_scalar(
            "INSERT INTO owners (name) VALUES ($1)
             ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
        )
        .bind(name)
        .fetch_one(&self.pool)
        .await?;
        Ok(id)
    }
}

fn role(name: &str) -> Result<Role, StoreError> {
    name.parse().map_err(|e| StoreError::unreadable(format!("the role {name}"), e))
}

fn stored_key(row: KeyRow) -> Result<StoredKey, StoreError> {
    let found = format!("{} bytes", row.1.len());
    let public_key = row.1.try_into().map_err(|_| StoreError::unreadable("a public key", found))?;
    Ok(StoredKey {
        id: row.0,
        key: NewKey { public_key, owner: row.2, role: role(&row.3)?, label: row.4 },
        created_at_unix_ms: row.5,
        revoked_at_unix_ms: row.6,
        revoked_reason: row.7,
        worker: row.8.map(WorkerId),
    })
}
