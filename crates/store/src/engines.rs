//! Engines that authors have published: names, and the content that each stands for.

use crate::{Ledger, StoreError, signed};
use model::spec::ExternalEngine;
use model::{GameKind, ParameterDef};

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEngine {
    /// The name.
    pub name: String,
    /// What it plays.
    pub game: GameKind,
    /// What workers fetch.
    pub engine: ExternalEngine,
    /// Its numbers.
    pub parameters: Vec<ParameterDef>,
    /// Whose it is.
    pub owner: String,
    /// Milliseconds since 1970, UTC.
    pub published_at_unix_ms: i64,
}

impl Ledger {
    /// Notes that an artefact has come whole; the same again changes nothing.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn add_artefact(
        &self,
        sha256: &str,
        bytes: u64,
        owner: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO artefacts (sha256, bytes, owner) VALUES ($1, $2, $3)
             ON CONFLICT (sha256) DO NOTHING",
        )
        .bind(sha256)
        .bind(signed(bytes))
        .bind(owner)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Gives an artefact that is there a name; from its first row on a name is its owner's. Whether it
    /// was: `false`, and nothing is written, if it is another owner's. The caller has checked the
    /// manifest.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn publish_engine(
        &self,
        name: &str,
        game: GameKind,
        engine: &ExternalEngine,
        parameters: &[ParameterDef],
        owner: &str,
    ) -> Result<bool, StoreError> {
        let parameters = serde_json::to_value(parameters)
            .map_err(|e| StoreError::unreadable("the parameters of an engine", e))?;
        let mut tx = self.pool.begin().await?;
        // Two who publish the same new name wait for each other.
        sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('engine ' || $1, 0))")
            .bind(name)
            .execute(&mut *tx)
            .await?;
        let first: Option<String> =
            sqlx::query_scalar("SELECT owner FROM engines WHERE name = $1 ORDER BY id LIMIT 1")
                .bind(name)
                .fetch_optional(&mut *tx)
                .await?;
        if first.is_some_and(|first| first != owner) {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO engines (name, game, sha256, manifest, parameters, owner)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(name)
        .bind(game.name())
        .bind(&engine.artefact)
        .bind(&engine.manifest)
        .bind(parameters)
        .bind(owner)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// What each name stands for now, by name.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn engines(&self) -> Result<Vec<StoredEngine>, StoreError> {
        type Row = (String, String, String, i64, String, serde_json::Value, String, i64);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT DISTINCT ON (e.name) e.name, e.game, e.sha256, a.bytes, e.manifest,
                    e.parameters, e.owner,
                    (extract(epoch FROM e.published_at) * 1000)::bigint
             FROM engines e JOIN artefacts a ON a.sha256 = e.sha256
             ORDER BY e.name, e.id DESC",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|(name, game, artefact, bytes, manifest, parameters, owner, published_at)| {
                let game =
                    game.parse().map_err(|e| StoreError::unreadable("the game of an engine", e))?;
                let parameters = serde_json::from_value(parameters)
                    .map_err(|e| StoreError::unreadable("the parameters of an engine", e))?;
                let bytes = bytes.unsigned_abs();
                Ok(StoredEngine {
                    name,
                    game,
                    engine: ExternalEngine { artefact, bytes, manifest },
                    parameters,
                    owner,
                    published_at_unix_ms: published_at,
                })
            })
            .collect()
    }
}
