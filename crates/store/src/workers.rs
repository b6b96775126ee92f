//! Machines that play.

use crate::batch::{Tx, column, small};
use crate::{Ledger, StoreError, unsigned};
use model::WorkerId;
use sqlx::Row;
use sqlx::postgres::PgRow;

/// A worker as it introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorker {
    /// Its id: that of its key if the ledger knows the key, else one that the coordinator gives.
    pub id: WorkerId,
    /// Its public key: 32 bytes, 16 of a worker of before there were keys.
    pub key: Vec<u8>,
    /// For people, made printable.
    pub name: String,
    /// Operating system and architecture.
    pub platform: String,
    /// Version of its program.
    pub software_version: String,
    /// Logical cores.
    pub cores: u32,
    /// Games at the same time.
    pub slots: u32,
}

/// A worker as the ledger knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWorker {
    /// What it said last.
    pub worker: NewWorker,
    /// Milliseconds since 1970, UTC.
    pub first_seen_unix_ms: i64,
    /// Milliseconds since 1970, UTC.
    pub last_seen_unix_ms: i64,
    /// Its pairs in the ledger.
    pub counted_pairs: u64,
    /// Reports of it that were refused.
    pub refused_reports: u64,
    /// What was wrong with the last of them.
    pub last_refusal: Option<String>,
    /// Whose its key is.
    pub owner: Option<String>,
    /// Why it is on hold, if it is.
    pub on_hold: Option<String>,
    /// Pairs of it that came out the same when another played them.
    pub audited_pairs: u64,
    /// Pairs of it that came out otherwise.
    pub mismatched_pairs: u64,
    /// Whether it is excluded from some run or from all.
    pub excluded: bool,
}

/// Who a worker is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownWorker {
    /// Its key, as it introduced itself.
    pub key: Vec<u8>,
    /// Its id.
    pub id: WorkerId,
    /// Whose it is, if its key is known.
    pub owner: Option<String>,
}

/// Writes workers down, or what they say of themselves now.
pub(crate) async fn greet(tx: &mut Tx<'_>, workers: &[NewWorker]) -> Result<(), StoreError> {
    if workers.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO workers (id, worker_key, name, platform, software_version, cores, slots)
         SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[],
                              $6::int[], $7::int[])
         ON CONFLICT (worker_key) DO UPDATE SET
             name = excluded.name,
             platform = excluded.platform,
             software_version = excluded.software_version,
             cores = excluded.cores,
             slots = excluded.slots,
             last_seen_at = now()",
    )
    .bind(column(workers, |w| w.id.0))
    .bind(column(workers, |w| w.key.as_slice()))
    .bind(column(workers, |w| w.name.as_str()))
    .bind(column(workers, |w| w.platform.as_str()))
    .bind(column(workers, |w| w.software_version.as_str()))
    .bind(column(workers, |w| small(w.cores)))
    .bind(column(workers, |w| small(w.slots)))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

impl Ledger {
    /// Writes down that these workers were there until now. True whoever leads: not guarded.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn touch_workers(&self, workers: &[WorkerId]) -> Result<(), StoreError> {
        /// Workers of one statement: whoever greets one of them waits for no more.
        const AT_ONCE: usize = 500;
        for workers in workers.chunks(AT_ONCE) {
            sqlx::query("UPDATE workers SET last_seen_at = now() WHERE id = ANY ($1)")
                .bind(column(workers, |id| id.0))
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }

    /// Whether a worker was ever seen.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn knows_worker(&self, worker: WorkerId) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT FROM workers WHERE id = $1)";
        Ok(sqlx::query_scalar(sql).bind(worker.0).fetch_one(&self.pool).await?)
    }

    /// Every worker that was ever seen, as a coordinator needs it to begin: without its figures, which
    /// take a look at all leases.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn known_workers(&self) -> Result<Vec<KnownWorker>, StoreError> {
        let rows: Vec<(Vec<u8>, i64, Option<String>)> = sqlx::query_as(
            "SELECT w.worker_key, w.id, o.name
             FROM workers w
             LEFT JOIN keys k ON k.public_key = w.worker_key
             LEFT JOIN owners o ON o.id = k.owner_id",
        )
        .fetch_all(&self.pool)
        .await?;
        let known = |(key, id, owner)| KnownWorker { key, id: WorkerId(id), owner };
        Ok(rows.into_iter().map(known).collect())
    }

    /// Every worker that was ever seen, with its pairs in the ledger.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn workers(&self) -> Result<Vec<StoredWorker>, StoreError> {
        let rows = sqlx::query(
            "SELECT w.id, w.worker_key, w.name, w.platform, w.software_version, w.cores, w.slots,
                    (extract(epoch FROM w.first_seen_at) * 1000)::bigint AS first_ms,
                    (extract(epoch FROM w.last_seen_at) * 1000)::bigint AS last_ms,
                    coalesce(l.merged_pairs, 0)::bigint AS pairs,
                    w.refused_reports,
                    (SELECT r.reason || ': ' || r.detail FROM refusals r
                     WHERE r.worker_id = w.id ORDER BY r.id DESC LIMIT 1) AS last_refusal,
                    (SELECT o.name FROM keys k JOIN owners o ON o.id = k.owner_id
                     WHERE k.public_key = w.worker_key) AS owner,
                    (SELECT h.reason FROM holds h
                     WHERE h.worker_id = w.id AND h.released_at IS NULL) AS on_hold,
                    a.matched, a.mismatched,
                    EXISTS (SELECT FROM exclusions_in_force e WHERE e.worker_id = w.id) AS excluded
             FROM workers w
             CROSS JOIN LATERAL (
                 SELECT count(*) FILTER (WHERE state = 'matched') AS matched,
                        count(*) FILTER (WHERE state IN ('disputed', 'mismatched')) AS mismatched
                 FROM audits WHERE worker_id = w.id
             ) a
             LEFT JOIN (SELECT worker_id, sum(merged_pairs) AS merged_pairs
                        FROM leases GROUP BY worker_id) l ON l.worker_id = w.id
             ORDER BY w.id",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(stored_worker).collect()
    }
}

fn stored_worker(row: &PgRow) -> Result<StoredWorker, StoreError> {
    let small =
        |column: &str| row.try_get::<i32, _>(column).map(|count| u32::try_from(count).unwrap_or(0));
    let count = |column: &str| row.try_get::<i64, _>(column).map(unsigned);
    Ok(StoredWorker {
        worker: NewWorker {
            id: WorkerId(row.try_get("id")?),
            key: row.try_get("worker_key")?,
            name: row.try_get("name")?,
            platform: row.try_get("platform")?,
            software_version: row.try_get("software_version")?,
            cores: small("cores")?,
            slots: small("slots")?,
        },
        first_seen_unix_ms: row.try_get("first_ms")?,
        last_seen_unix_ms: row.try_get("last_ms")?,
        counted_pairs: count("pairs")?,
        refused_reports: count("refused_reports")?,
        last_refusal: row.try_get("last_refusal")?,
        owner: row.try_get("owner")?,
        on_hold: row.try_get("on_hold")?,
        audited_pairs: count("matched")?,
        mismatched_pairs: count("mismatched")?,
        excluded: row.try_get("excluded")?,
    })
}
