//! The schema's history, built into the binary.

use crate::StoreError;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{PgConnection, PgPool, SqlSafeStr};
use std::borrow::Cow;

/// Every migration: number, description, text. Appended to, never edited.
const MIGRATIONS: &[(i64, &str, &str)] = &[
    (1, "ledger", include_str!("../../../migrations/0001_ledger.sql")),
    (2, "dashboard", include_str!("../../../migrations/0002_dashboard.sql")),
    (3, "keys", include_str!("../../../migrations/0003_keys.sql")),
    (4, "races", include_str!("../../../migrations/0004_races.sql")),
    (5, "refusals", include_str!("../../../migrations/0005_refusals.sql")),
    (6, "pair_moves", include_str!("../../../migrations/0006_pair_moves.sql")),
    (7, "engines", include_str!("../../../migrations/0007_engines.sql")),
    (8, "trust", include_str!("../../../migrations/0008_trust.sql")),
    (9, "holding", include_str!("../../../migrations/0009_holding.sql")),
    (10, "web", include_str!("../../../migrations/0010_web.sql")),
    (11, "packed", include_str!("../../../migrations/0011_packed.sql")),
    (12, "arbiters", include_str!("../../../migrations/0012_arbiters.sql")),
    (13, "move_times", include_str!("../../../migrations/0013_move_times.sql")),
];

/// The number of the last one.
pub(crate) const NEWEST: i64 = MIGRATIONS[MIGRATIONS.len() - 1].0;

/// The number of the last migration that a database had, if it had any.
pub(crate) async fn applied(connection: &mut PgConnection) -> Result<Option<i64>, StoreError> {
    let is_there: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await?;
    if !is_there {
        return Ok(None);
    }
    let last = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations");
    Ok(last.fetch_one(connection).await?)
}

/// Brings the schema up to date. Concurrent callers wait for each other.
///
/// # Errors
/// A later version of the program has been here, or a migration fails.
pub(crate) async fn run(pool: &PgPool) -> Result<(), StoreError> {
    let mut connection = pool.acquire().await?;
    if let Some(found) = applied(&mut connection).await?.filter(|found| *found > NEWEST) {
        return Err(StoreError::NewerSchema { found, known: NEWEST });
    }
    drop(connection);
    let migrations = MIGRATIONS
        .iter()
        .map(|&(version, description, sql)| {
            Migration::new(
                version,
                Cow::Borrowed(description),
                MigrationType::Simple,
                sql.into_sql_str(),
                false,
            )
        })
        .collect::<Vec<_>>();
    let migrator = Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT };
    migrator.run(pool).await.map_err(StoreError::Migrate)
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".sql"))
            .collect();
        files.sort();
        let listed: Vec<String> = MIGRATIONS
            .iter()
            .map(|(version, description, _)| format!("{version:04}_{description}.sql"))
            .collect();
        assert_eq!(files, listed);
    }
}
