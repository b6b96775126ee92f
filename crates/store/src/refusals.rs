//! Reports that were refused, and against whom they count.

use crate::StoreError;
use crate::batch::{NewRefusal, Tx, column, small};

/// Refusals that are kept of each worker in full.
const KEPT: i64 = 100;

/// Writes refusals down and counts them.
pub(crate) async fn insert(tx: &mut Tx<'_>, refusals: &[NewRefusal]) -> Result<(), StoreError> {
    if refusals.is_empty() {
        return Ok(());
    }
    let workers = column(refusals, |r| r.worker.0);
    sqlx::query(
        "INSERT INTO refusals (worker_id, run_id, lease_id, epoch, sequence, reason, detail)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::int[],
                              $6::text[], $7::text[])",
    )
    .bind(&workers)
    .bind(column(refusals, |r| r.run.0))
    .bind(column(refusals, |r| r.lease.0))
    .bind(column(refusals, |r| small(r.epoch)))
    .bind(column(refusals, |r| small(r.sequence)))
    .bind(column(refusals, |r| r.reason.name()))
    .bind(column(refusals, |r| r.detail.as_str()))
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        "UPDATE workers SET refused_reports = refused_reports + r.more
         FROM (SELECT id, count(*) AS more FROM unnest($1::bigint[]) AS id GROUP BY id) AS r
         WHERE workers.id = r.id",
    )
    .bind(&workers)
    .execute(&mut **tx)
    .await?;
    sqlx::query(
        "DELETE FROM refusals r USING unnest($1::bigint[]) AS w (id)
         WHERE r.worker_id = w.id AND r.id <= (
             SELECT k.id FROM refusals k WHERE k.worker_id = w.id
             ORDER BY k.id DESC OFFSET $2 LIMIT 1)",
    )
    .bind(&workers)
    .bind(KEPT)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
