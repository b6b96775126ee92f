//! What backup and restore ask of a database: whether it is empty, what a snapshot of it holds,
//! whether its tables agree with each other. Only reads.

use crate::migrate::NEWEST;
use crate::{StoreError, unsigned};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use std::str::FromStr;

/// The migration from which on reports and pairs are packed.
const PACKED_SINCE: i64 = 11;

/// How much a ledger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// The number of the last migration; 0 without a schema.
    pub schema: i64,
    /// Runs.
    pub runs: u64,
    /// Merged reports.
    pub reports: u64,
    /// Merged pairs.
    pub pairs: u64,
}

/// Bytes that tables take, with their indexes and what is free in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Reports, pairs and leases.
    pub ledger: u64,
    /// The moves of games.
    pub moves: u64,
}

/// A snapshot of the database that stands as long as this lives.
#[derive(Debug)]
pub struct Snapshot {
    connection: PgConnection,
    id: String,
}

/// The number of the last migration that this version knows.
#[must_use]
pub fn newest_schema() -> i64 {
    NEWEST
}

impl Snapshot {
    /// Takes one, without touching the schema.
    ///
    /// # Errors
    /// The address is none, or the database does not answer.
    pub async fn take(url: &str) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|source| StoreError::Url { url: crate::without_password(url), source })?
            .application_name("elomill maintenance");
        let mut connection = options.connect().await?;
        sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut connection)
            .await?;
        let id: String =
            sqlx::query_scalar("SELECT pg_export_snapshot()").fetch_one(&mut connection).await?;
        Ok(Self { connection, id })
    }

    /// The name under which other sessions, such as that of `pg_dump`, can see the same.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the database has no relation, function or schema of anybody.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn is_empty(&mut self) -> Result<bool, StoreError> {
        let found: bool = sqlx::query_scalar(
            "SELECT EXISTS (
                 SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
             ) OR EXISTS (
                 SELECT FROM pg_namespace
                 WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('information_schema', 'public')
             )",
        )
        .fetch_one(&mut self.connection)
        .await?;
        Ok(!found)
    }

    /// What it holds.
    ///
    /// # Errors
    /// The database is no ledger; errors of the database.
    pub async fn holdings(&mut self) -> Result<Holdings, StoreError> {
        let schema = crate::migrate::applied(&mut self.connection).await?.unwrap_or(0);
        if schema == 0 {
            return Err(StoreError::NoLedger);
        }
        // A backup of before has only rows for each, under the names that are views now.
        let sql = match schema < PACKED_SINCE {
            true => {
                "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM reports),
                        (SELECT count(*) FROM pairs)"
            }
            false => {
                "SELECT (SELECT count(*) FROM runs),
                        (SELECT count(*) FROM reports_by_row)
                            + (SELECT coalesce(sum(reports), 0)::bigint FROM report_groups),
                        (SELECT count(*) FROM pairs_by_row)
                            + (SELECT coalesce(sum(pairs), 0)::bigint FROM report_groups)"
            }
        };
        let (runs, reports, pairs): (i64, i64, i64) =
            sqlx::query_as(sql).fetch_one(&mut self.connection).await?;
        Ok(Holdings {
            schema,
            runs: unsigned(runs),
            reports: unsigned(reports),
            pairs: unsigned(pairs),
        })
    }

    /// What of the ledger contradicts itself, in words; nothing where it is whole. The constraints
    /// of the schema see to the rest.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn contradictions(&mut self) -> Result<Vec<String>, StoreError> {
        // In a ledger from before there were exclusions every report counts.
        let knows_exclusions: bool =
            sqlx::query_scalar("SELECT to_regclass('counted_reports') IS NOT NULL")
                .fetch_one(&mut self.connection)
                .await?;
        let counted = if knows_exclusions { "counted_reports" } else { "reports" };
        let mut rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!(
            "SELECT format('run %s says %s pairs, its reports sum up to others', r.id,
                           r.ll + r.ld + r.dd + r.dw + r.ww)
             FROM runs r
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(ll), 0) AS ll, coalesce(sum(ld), 0) AS ld,
                        coalesce(sum(dd), 0) AS dd, coalesce(sum(dw), 0) AS dw,
                        coalesce(sum(ww), 0) AS ww, coalesce(sum(wins), 0) AS wins,
                        coalesce(sum(draws), 0) AS draws, coalesce(sum(losses), 0) AS losses
                 FROM {counted} WHERE run_id = r.id
             ) s
             WHERE (r.ll, r.ld, r.dd, r.dw, r.ww, r.wins, r.draws, r.losses)
                IS DISTINCT FROM (s.ll, s.ld, s.dd, s.dw, s.ww, s.wins, s.draws, s.losses)"
        )))
        .fetch_all(&mut self.connection)
        .await?;
        let more: Vec<String> = sqlx::query_scalar(
            "SELECT format('report %s says %s pairs, the ledger has %s', r.id,
                           r.ll + r.ld + r.dd + r.dw + r.ww, coalesce(p.pairs, 0))
             FROM reports r
             LEFT JOIN (SELECT report_id, count(*) AS pairs FROM pairs GROUP BY report_id) p
                 ON p.report_id = r.id
             WHERE r.ll + r.ld + r.dd + r.dw + r.ww <> coalesce(p.pairs, 0)
             UNION ALL
             SELECT format('lease %s says %s merged pairs, the ledger has %s', l.id,
                           l.merged_pairs, coalesce(p.pairs, 0))
             FROM leases l
             LEFT JOIN (SELECT lease_id, count(*) AS pairs FROM pairs GROUP BY lease_id) p
                 ON p.lease_id = l.id
             WHERE l.merged_pairs <> coalesce(p.pairs, 0)
             UNION ALL
             SELECT format('run %s counts pair %s %s times', run_id, pair_index, count(*))
             FROM pairs GROUP BY run_id, pair_index HAVING count(*) > 1
             UNION ALL
             SELECT format('lease %s is of run %s, which was never filed', l.id, l.run_id)
             FROM leases l WHERE NOT EXISTS (SELECT FROM runs r WHERE r.id = l.run_id)",
        )
        .fetch_all(&mut self.connection)
        .await?;
        rows.extend(more);
        Ok(rows)
    }

    /// What the tables take on disk now.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn sizes(&mut self) -> Result<Sizes, StoreError> {
        let (ledger, moves): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT sum(pg_total_relation_size(name::regclass))::bigint
                     FROM unnest(ARRAY['report_groups', 'reports_by_row', 'pairs_by_row', 'leases'])
                         AS name),
                    (SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::bigint
                     FROM pg_partition_tree('pair_moves'))",
        )
        .fetch_one(&mut self.connection)
        .await?;
        Ok(Sizes { ledger: unsigned(ledger), moves: unsigned(moves) })
    }

    /// Lets it go.
    pub async fn release(self) {
        // The session ends in any case.
        let _ = self.connection.close().await;
    }
}
