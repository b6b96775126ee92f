//! What the ledger knows of pairs that another worker plays again: those that wait, those about which
//! workers differ, and who is on hold.

use crate::audits::pair;
use crate::{AuditCounts, Ledger, Mismatch, StoreError, StoredAudit, signed, unsigned};
use model::lease::{PairIndex, PairRecord};
use model::{LeaseId, RunId, WorkerId};
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::BTreeMap;

/// Who played which pair how, after the first two.
type Arbitrations = BTreeMap<(RunId, PairIndex), Vec<(WorkerId, PairRecord)>>;

const MISMATCHES: &str = "SELECT run_id, pair_index, worker_id, auditor_id, claimed, found,
            state = 'disputed' AS is_open,
            (extract(epoch FROM coalesce(ended_at, asked_at)) * 1000)::bigint AS at_ms
     FROM audits";

impl Mismatch {
    /// Who played the pair otherwise than two others, who agree; nobody while no two agree.
    #[must_use]
    pub fn refuted(&self) -> Vec<WorkerId> {
        let first = [(self.worker, &self.claimed), (self.auditor, &self.found)];
        let later = self.arbitrations.iter().map(|(worker, played)| (*worker, played));
        let voices: Vec<(WorkerId, &PairRecord)> = first.into_iter().chain(later).collect();
        let agreed = voices.iter().enumerate().find_map(|(place, (_, record))| {
            let repeats = |(_, later): &(WorkerId, &PairRecord)| record.differs(later).is_none();
            voices[place + 1..].iter().any(repeats).then_some(*record)
        });
        let Some(agreed) = agreed else { return Vec::new() };
        let is_wrong = |(_, record): &&(WorkerId, &PairRecord)| agreed.differs(record).is_some();
        voices.iter().filter(is_wrong).map(|(worker, _)| *worker).collect()
    }
}

impl Ledger {
    /// Every pair that still waits to be played again, those of a lease together.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn open_audits(&self) -> Result<Vec<StoredAudit>, StoreError> {
        let rows = sqlx::query(
            "SELECT a.run_id, a.pair_index, a.lease_id, a.worker_id, a.bench, a.claimed,
                    a.auditor_id, a.found, l.probe, l.candidate
             FROM audits a JOIN leases l ON l.id = a.lease_id
             WHERE a.state IN ('wanted', 'disputed')
             ORDER BY a.lease_id, a.pair_index",
        )
        .fetch_all(&self.pool)
        .await?;
        let heard = sqlx::query(
            "SELECT x.run_id, x.pair_index, x.worker_id, x.played
             FROM arbitrations x JOIN audits a USING (run_id, pair_index)
             WHERE a.state = 'disputed' ORDER BY x.id",
        )
        .fetch_all(&self.pool)
        .await?;
        let mut heard = arbitrations(&heard)?;
        rows.iter()
            .map(|row| {
                let mut others = Vec::new();
                if let Some(found) = row.try_get::<Option<&str>, _>("found")? {
                    others.push((WorkerId(row.try_get("auditor_id")?), pair(found)?));
                    others.extend(heard.remove(&place(row)?).unwrap_or_default());
                }
                Ok(StoredAudit {
                    run: RunId(row.try_get("run_id")?),
                    lease: LeaseId(row.try_get("lease_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    bench: row.try_get::<Option<i64>, _>("bench")?.map(unsigned),
                    claimed: pair(row.try_get("claimed")?)?,
                    others,
                    probe: row.try_get("probe")?,
                    candidate: row
                        .try_get::<Option<i32>, _>("candidate")?
                        .and_then(|place| u32::try_from(place).ok()),
                })
            })
            .collect()
    }

    /// For each worker the pairs that came out the same since its word was refuted last, as that of
    /// who reported or of who played again.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn passed_audits(&self) -> Result<Vec<(WorkerId, u64)>, StoreError> {
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT a.worker_id, count(*) FROM audits a
             LEFT JOIN (
                 SELECT worker_id, max(ended_at) AS at FROM (
                     SELECT worker_id, ended_at FROM audits WHERE state = 'mismatched'
                     UNION ALL
                     SELECT auditor_id, ended_at FROM audits
                     WHERE state = 'matched' AND found IS NOT NULL
                 ) refuted GROUP BY worker_id
             ) m USING (worker_id)
             WHERE a.state = 'matched' AND (m.at IS NULL OR a.ended_at > m.at)
             GROUP BY a.worker_id",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(id, count)| (WorkerId(id), unsigned(count))).collect())
    }

    /// Workers that are on hold, and whether only because word stands against word.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn held_workers(&self) -> Result<Vec<(WorkerId, bool)>, StoreError> {
        let rows: Vec<(i64, bool)> = sqlx::query_as(
            "SELECT worker_id, disputed FROM holds WHERE released_at IS NULL ORDER BY worker_id",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(id, disputed)| (WorkerId(id), disputed)).collect())
    }

    /// How many pairs of a run were played again.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn audit_counts(&self, run: RunId) -> Result<AuditCounts, StoreError> {
        let (matched, mismatched): (i64, i64) = sqlx::query_as(
            "SELECT count(*) FILTER (WHERE state = 'matched'),
                    count(*) FILTER (WHERE state IN ('disputed', 'mismatched'))
             FROM audits WHERE run_id = $1",
        )
        .bind(run.0)
        .fetch_one(&self.pool)
        .await?;
        Ok(AuditCounts { matched: unsigned(matched), mismatched: unsigned(mismatched) })
    }

    /// The pairs about which a worker and others differ, the newest first, at most `limit`: those that
    /// it reported and those that it played again.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn mismatches_of(
        &self,
        worker: WorkerId,
        limit: u32,
    ) -> Result<Vec<Mismatch>, StoreError> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{MISMATCHES} WHERE found IS NOT NULL AND (
                 worker_id = $1 OR auditor_id = $1 OR EXISTS (
                     SELECT FROM arbitrations x WHERE x.worker_id = $1
                     AND (x.run_id, x.pair_index) = (audits.run_id, audits.pair_index)))
             ORDER BY coalesce(ended_at, asked_at) DESC, run_id, pair_index LIMIT $2"
        )))
        .bind(worker.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        self.mismatches(&rows).await
    }

    /// The pairs of a run about which workers differ, from this one on, at most `limit`.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn mismatches_in(
        &self,
        run: RunId,
        from: PairIndex,
        limit: u32,
    ) -> Result<Vec<Mismatch>, StoreError> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{MISMATCHES} WHERE found IS NOT NULL AND run_id = $1 AND pair_index >= $2
             ORDER BY pair_index LIMIT $3"
        )))
        .bind(run.0)
        .bind(signed(from.0))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        self.mismatches(&rows).await
    }

    async fn mismatches(&self, rows: &[PgRow]) -> Result<Vec<Mismatch>, StoreError> {
        let places = rows.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let heard = sqlx::query(
            "SELECT x.run_id, x.pair_index, x.worker_id, x.played
             FROM arbitrations x
             JOIN unnest($1::bigint[], $2::bigint[]) AS p (run, pair)
                 ON (x.run_id, x.pair_index) = (p.run, p.pair)
             ORDER BY x.id",
        )
        .bind(places.iter().map(|(run, _)| run.0).collect::<Vec<_>>())
        .bind(places.iter().map(|(_, pair)| signed(pair.0)).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await?;
        let mut heard = arbitrations(&heard)?;
        rows.iter()
            .map(|row| {
                Ok(Mismatch {
                    run: RunId(row.try_get("run_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    auditor: WorkerId(row.try_get("auditor_id")?),
                    claimed: pair(row.try_get("claimed")?)?,
                    found: pair(row.try_get("found")?)?,
                    arbitrations: heard.remove(&place(row)?).unwrap_or_default(),
                    is_open: row.try_get("is_open")?,
                    at_unix_ms: row.try_get("at_ms")?,
                })
            })
            .collect()
    }
}

fn place(row: &PgRow) -> Result<(RunId, PairIndex), StoreError> {
    let index: i64 = row.try_get("pair_index")?;
    Ok((RunId(row.try_get("run_id")?), PairIndex(unsigned(index))))
}

fn arbitrations(rows: &[PgRow]) -> Result<Arbitrations, StoreError> {
    let mut all = Arbitrations::new();
    for row in rows {
        let worker = WorkerId(row.try_get("worker_id")?);
        all.entry(place(row)?).or_default().push((worker, pair(row.try_get("played")?)?));
    }
    Ok(all)
}
