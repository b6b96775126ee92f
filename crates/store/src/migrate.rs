//! The schema's history, built into the binary.

use crate::StoreError;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{PgPool, SqlSafeStr};
use std::borrow::Cow;

/// Every migration: number, description, text. Appended to, never edited.
const MIGRATIONS: &[(i64, &str, &str)] =
    &[(1, "ledger", include_str!("../../../migrations/0001_ledger.sql"))];

/// Brings the schema up to date. Concurrent callers wait for each other.
pub(crate) async fn run(pool: &PgPool) -> Result<(), StoreError> {
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
