//! Reports that do not count: who excluded them, who included them again.

use crate::batch::Tx;
use crate::{Ledger, StoreError};
use model::trust::{Exclusion, ExclusionView, Exclusions, LedgerTime, Remark};
use model::{RunId, WorkerId};
use sqlx::Row;
use sqlx::postgres::PgRow;

/// What an author does to the exclusions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExclusionMove {
    /// One more.
    Exclude(Exclusion),
    /// The end of one, by its number.
    Include(i64),
}

/// A move with who makes it and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewExclusionMove {
    /// The move.
    pub what: ExclusionMove,
    /// The owner of the key that makes it.
    pub author: String,
    /// Why.
    pub reason: String,
}

/// Writes moves down.
pub(crate) async fn insert(tx: &mut Tx<'_>, moves: &[NewExclusionMove]) -> Result<(), StoreError> {
    for NewExclusionMove { what, author, reason } in moves {
        let query = match what {
            ExclusionMove::Exclude(Exclusion { worker, run, since }) => sqlx::query(
                "INSERT INTO exclusions (author, reason, worker_id, run_id, since)
                 VALUES ($1, $2, $3, $4, timestamptz 'epoch' + $5 * interval '1 microsecond')",
            )
            .bind(author)
            .bind(reason)
            .bind(worker.0)
            .bind(run.map(|run| run.0))
            .bind(since.map(|since| since.0)),
            ExclusionMove::Include(exclusion) => sqlx::query(
                "INSERT INTO inclusions (author, reason, exclusion_id) VALUES ($1, $2, $3)",
            )
            .bind(author)
            .bind(reason)
            .bind(exclusion),
        };
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

impl Ledger {
    /// Every exclusion there ever was, in the order in which they were made.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn exclusions(&self) -> Result<Vec<ExclusionView>, StoreError> {
        let rows = sqlx::query(
            "SELECT e.id, e.worker_id, e.run_id, e.author, e.reason,
                    (extract(epoch FROM e.since) * 1000000)::bigint AS since_us,
                    (extract(epoch FROM e.at) * 1000)::bigint AS at_ms,
                    i.author AS lifted_author, i.reason AS lifted_reason,
                    (extract(epoch FROM i.at) * 1000)::bigint AS lifted_ms
             FROM exclusions e LEFT JOIN inclusions i ON i.exclusion_id = e.id
             ORDER BY e.id",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(exclusion).collect()
    }

    /// The exclusions in force.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn exclusions_in_force(&self) -> Result<Exclusions, StoreError> {
        let all = self.exclusions().await?;
        Ok(all.into_iter().filter(|e| e.lifted.is_none()).map(|e| e.exclusion).collect())
    }

    /// The runs in which a worker has merged pairs, newest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn runs_of_worker(&self, worker: WorkerId) -> Result<Vec<RunId>, StoreError> {
        let ids: Vec<i64> = sqlx::query_scalar(
            "SELECT DISTINCT run_id FROM leases WHERE worker_id = $1 AND merged_pairs > 0
             ORDER BY run_id DESC",
        )
        .bind(worker.0)
        .fetch_all(&self.pool)
        .await?;
        Ok(ids.into_iter().map(RunId).collect())
    }
}

fn exclusion(row: &PgRow) -> Result<ExclusionView, StoreError> {
    let lifted = match row.try_get::<Option<i64>, _>("lifted_ms")? {
        Some(at_unix_ms) => Some(Remark {
            author: row.try_get("lifted_author")?,
            reason: row.try_get("lifted_reason")?,
            at_unix_ms,
        }),
        None => None,
    };
    Ok(ExclusionView {
        id: row.try_get("id")?,
        exclusion: Exclusion {
            worker: WorkerId(row.try_get("worker_id")?),
            run: row.try_get::<Option<i64>, _>("run_id")?.map(RunId),
            since: row.try_get::<Option<i64>, _>("since_us")?.map(LedgerTime),
        },
        made: Remark {
            author: row.try_get("author")?,
            reason: row.try_get("reason")?,
            at_unix_ms: row.try_get("at_ms")?,
        },
        lifted,
    })
}
