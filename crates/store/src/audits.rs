//! Pairs that another worker plays again, workers that are on hold, and pairs of the base against
//! itself.

use crate::batch::{Tx, column};
use crate::{Ledger, StoreError, signed, unsigned};
use model::lease::{PairIndex, PairRecord};
use model::{LeaseId, Pentanomial, ReportId, RunId, Tally, WorkerId};
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::BTreeMap;

/// A pair that is to be played again.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAudit {
    /// The run.
    pub run: RunId,
    /// The lease for which it was reported.
    pub lease: LeaseId,
    /// Who reported it.
    pub worker: WorkerId,
    /// The fingerprint of its engine, if it said.
    pub bench: Option<u64>,
    /// The pair as it was reported.
    pub claimed: PairRecord,
}

/// A pair that was given to another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditIssue {
    /// The run.
    pub run: RunId,
    /// The pair.
    pub pair: PairIndex,
    /// The number under which it was given.
    pub lease: LeaseId,
    /// To whom.
    pub auditor: WorkerId,
}

/// What came of playing a pair again.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEnd {
    /// The run.
    pub run: RunId,
    /// The pair.
    pub pair: PairIndex,
    /// How it was played again, where it came out otherwise.
    pub found: Option<PairRecord>,
}

/// A worker that gets no leases from now on, or gets them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoldMove {
    /// From now on none.
    Hold {
        /// The worker.
        worker: WorkerId,
        /// Why.
        reason: String,
    },
    /// Again.
    Release {
        /// The worker.
        worker: WorkerId,
        /// The owner of the key that says so.
        author: String,
        /// Why.
        reason: String,
    },
}

/// A lease of the base against itself, given or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanaryMove {
    /// Given.
    Issued {
        /// Its number.
        id: LeaseId,
        /// The run.
        run: RunId,
        /// To whom.
        worker: WorkerId,
    },
    /// Played to its end.
    Ended {
        /// Its number.
        id: LeaseId,
        /// What came of it.
        tally: Tally,
    },
}

/// Everything of one commit that concerns checks of workers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    /// To be played again.
    pub wanted: Vec<NewAudit>,
    /// Given to be played again.
    pub issued: Vec<AuditIssue>,
    /// Played again.
    pub ended: Vec<AuditEnd>,
    /// Workers held and released.
    pub holds: Vec<HoldMove>,
    /// The base against itself.
    pub canaries: Vec<CanaryMove>,
}

/// A pair that still waits to be played again.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAudit {
    /// The run.
    pub run: RunId,
    /// The lease for which it was reported.
    pub lease: LeaseId,
    /// Who reported it.
    pub worker: WorkerId,
    /// The fingerprint of its engine, if it said.
    pub bench: Option<u64>,
    /// The pair as it was reported.
    pub claimed: PairRecord,
    /// The probe that it played, as JSON; in a tune.
    pub probe: Option<String>,
    /// The place of the candidate that it played; in a race.
    pub candidate: Option<u32>,
}

/// Two records of one pair that differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The run.
    pub run: RunId,
    /// Who reported it first.
    pub worker: WorkerId,
    /// Who played it again.
    pub auditor: WorkerId,
    /// As it was reported.
    pub claimed: PairRecord,
    /// As it was played again.
    pub found: PairRecord,
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
}

/// What a worker has played in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerCounts {
    /// The run.
    pub run: RunId,
    /// The worker.
    pub worker: WorkerId,
    /// Its pairs by score.
    pub counts: Pentanomial,
}

/// How many pairs were played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditCounts {
    /// And came out the same.
    pub matched: u64,
    /// And came out otherwise.
    pub mismatched: u64,
}

/// Writes everything down.
pub(crate) async fn write(tx: &mut Tx<'_>, checks: &Checks) -> Result<(), StoreError> {
    let Checks { wanted, issued, ended, holds, canaries } = checks;
    if !wanted.is_empty() {
        let claimed = wanted.iter().map(|audit| text(&audit.claimed));
        sqlx::query(
            "INSERT INTO audits (run_id, pair_index, lease_id, worker_id, bench, claimed)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
                                  $5::bigint[], $6::text[])",
        )
        .bind(column(wanted, |a| a.run.0))
        .bind(column(wanted, |a| signed(a.claimed.index.0)))
        .bind(column(wanted, |a| a.lease.0))
        .bind(column(wanted, |a| a.worker.0))
        .bind(column(wanted, |a| a.bench.map(signed)))
        .bind(claimed.collect::<Result<Vec<_>, _>>()?)
        .execute(&mut **tx)
        .await?;
    }
    if !issued.is_empty() {
        sqlx::query(
            "UPDATE audits SET issued_as = i.lease, auditor_id = i.auditor
             FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
                  AS i (run, pair, lease, auditor)
             WHERE run_id = i.run AND pair_index = i.pair",
        )
        .bind(column(issued, |i| i.run.0))
        .bind(column(issued, |i| signed(i.pair.0)))
        .bind(column(issued, |i| i.lease.0))
        .bind(column(issued, |i| i.auditor.0))
        .execute(&mut **tx)
        .await?;
    }
    if !ended.is_empty() {
        let found = ended.iter().map(|end| end.found.as_ref().map(text).transpose());
        sqlx::query(
            "UPDATE audits SET
                 state = CASE WHEN e.found IS NULL THEN 'matched' ELSE 'mismatched' END,
                 claimed = CASE WHEN e.found IS NULL THEN NULL ELSE claimed END,
                 found = e.found, ended_at = now()
             FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS e (run, pair, found)
             WHERE run_id = e.run AND pair_index = e.pair",
        )
        .bind(column(ended, |e| e.run.0))
        .bind(column(ended, |e| signed(e.pair.0)))
        .bind(found.collect::<Result<Vec<_>, _>>()?)
        .execute(&mut **tx)
        .await?;
    }
    for hold in holds {
        let query = match hold {
            HoldMove::Hold { worker, reason } => {
                sqlx::query("INSERT INTO holds (worker_id, reason) VALUES ($1, $2)")
                    .bind(worker.0)
                    .bind(reason)
            }
            HoldMove::Release { worker, author, reason } => sqlx::query(
                "UPDATE holds SET released_at = now(), released_by = $2, released_reason = $3
                 WHERE worker_id = $1 AND released_at IS NULL",
            )
            .bind(worker.0)
            .bind(author)
            .bind(reason),
        };
        query.execute(&mut **tx).await?;
    }
    for canary in canaries {
        match canary {
            CanaryMove::Issued { id, run, worker } => {
                sqlx::query("INSERT INTO canaries (id, run_id, worker_id) VALUES ($1, $2, $3)")
                    .bind(id.0)
                    .bind(run.0)
                    .bind(worker.0)
                    .execute(&mut **tx)
                    .await?;
            }
            CanaryMove::Ended { id, tally } => {
                let cells = tally.pentanomial.0;
                sqlx::query(
                    "UPDATE canaries SET ll = $2, ld = $3, dd = $4, dw = $5, ww = $6,
                                         ended_at = now()
                     WHERE id = $1",
                )
                .bind(id.0)
                .bind(signed(cells[0]))
                .bind(signed(cells[1]))
                .bind(signed(cells[2]))
                .bind(signed(cells[3]))
                .bind(signed(cells[4]))
                .execute(&mut **tx)
                .await?;
            }
        }
    }
    Ok(())
}

fn counts(row: &PgRow) -> Result<WorkerCounts, StoreError> {
    let cell = |column: &str| row.try_get::<i64, _>(column).map(unsigned);
    Ok(WorkerCounts {
        run: RunId(row.try_get("run_id")?),
        worker: WorkerId(row.try_get("worker_id")?),
        counts: Pentanomial([cell("ll")?, cell("ld")?, cell("dd")?, cell("dw")?, cell("ww")?]),
    })
}

fn text(pair: &PairRecord) -> Result<String, StoreError> {
    serde_json::to_string(pair)
        .map_err(|e| StoreError::unreadable("a pair that cannot be written", e))
}

fn pair(json: &str) -> Result<PairRecord, StoreError> {
    serde_json::from_str(json).map_err(|e| StoreError::unreadable("a pair of an audit", e))
}

impl Ledger {
    /// What each worker has played in each run after a report, and the last report so far.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn counts_since(
        &self,
        after: Option<ReportId>,
    ) -> Result<(Vec<WorkerCounts>, ReportId), StoreError> {
        let last: i64 = sqlx::query_scalar(
            "SELECT greatest((SELECT max(id) FROM reports_by_row),
                             (SELECT max(last_id) FROM report_groups), 0)",
        )
        .fetch_one(&self.pool)
        .await?;
        let rows = sqlx::query(
            "SELECT r.run_id, l.worker_id,
                    sum(r.ll)::bigint AS ll, sum(r.ld)::bigint AS ld, sum(r.dd)::bigint AS dd,
                    sum(r.dw)::bigint AS dw, sum(r.ww)::bigint AS ww
             FROM (
                 SELECT id, run_id, lease_id, ll, ld, dd, dw, ww FROM reports_by_row
                 WHERE id > $1 AND id <= $2
                 UNION ALL
                 SELECT g.last_id - r.before, g.run_id, r.lease_id, r.ll, r.ld, r.dd, r.dw, r.ww
                 FROM report_groups g
                 CROSS JOIN LATERAL unnest(g.before, g.leases, g.ll, g.ld, g.dd, g.dw, g.ww)
                     AS r (before, lease_id, ll, ld, dd, dw, ww)
                 WHERE g.last_id > $1 AND g.last_id <= $2
             ) r JOIN leases l ON l.id = r.lease_id
             GROUP BY r.run_id, l.worker_id",
        )
        .bind(after.map_or(0, |report| report.0))
        .bind(last)
        .fetch_all(&self.pool)
        .await?;
        Ok((rows.iter().map(counts).collect::<Result<_, _>>()?, ReportId(last)))
    }

    /// What each worker has played of the base against itself.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn canary_counts(&self) -> Result<Vec<WorkerCounts>, StoreError> {
        let rows = sqlx::query(
            "SELECT run_id, worker_id,
                    sum(ll)::bigint AS ll, sum(ld)::bigint AS ld, sum(dd)::bigint AS dd,
                    sum(dw)::bigint AS dw, sum(ww)::bigint AS ww
             FROM canaries WHERE ended_at IS NOT NULL
             GROUP BY run_id, worker_id",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(counts).collect()
    }

    /// Operating system and architecture of each worker.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn platforms(&self) -> Result<BTreeMap<WorkerId, String>, StoreError> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT id, platform FROM workers").fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(|(id, platform)| (WorkerId(id), platform)).collect())
    }

    /// Every pair that still waits to be played again, those of a lease together.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn open_audits(&self) -> Result<Vec<StoredAudit>, StoreError> {
        let rows = sqlx::query(
            "SELECT a.run_id, a.lease_id, a.worker_id, a.bench, a.claimed, l.probe, l.candidate
             FROM audits a JOIN leases l ON l.id = a.lease_id
             WHERE a.state = 'wanted'
             ORDER BY a.lease_id, a.pair_index",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(StoredAudit {
                    run: RunId(row.try_get("run_id")?),
                    lease: LeaseId(row.try_get("lease_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    bench: row.try_get::<Option<i64>, _>("bench")?.map(unsigned),
                    claimed: pair(row.try_get("claimed")?)?,
                    probe: row.try_get("probe")?,
                    candidate: row
                        .try_get::<Option<i32>, _>("candidate")?
                        .and_then(|place| u32::try_from(place).ok()),
                })
            })
            .collect()
    }

    /// For each worker the pairs that came out the same since the last that did not.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn passed_audits(&self) -> Result<Vec<(WorkerId, u64)>, StoreError> {
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT a.worker_id, count(*) FROM audits a
             LEFT JOIN (SELECT worker_id, max(ended_at) AS at FROM audits
                        WHERE state = 'mismatched' GROUP BY worker_id) m USING (worker_id)
             WHERE a.state = 'matched' AND (m.at IS NULL OR a.ended_at > m.at)
             GROUP BY a.worker_id",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(id, count)| (WorkerId(id), unsigned(count))).collect())
    }

    /// Workers that are on hold.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn held_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        let sql = "SELECT worker_id FROM holds WHERE released_at IS NULL ORDER BY worker_id";
        let ids: Vec<i64> = sqlx::query_scalar(sql).fetch_all(&self.pool).await?;
        Ok(ids.into_iter().map(WorkerId).collect())
    }

    /// How many pairs of a run were played again.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn audit_counts(&self, run: RunId) -> Result<AuditCounts, StoreError> {
        let (matched, mismatched): (i64, i64) = sqlx::query_as(
            "SELECT count(*) FILTER (WHERE state = 'matched'),
                    count(*) FILTER (WHERE state = 'mismatched')
             FROM audits WHERE run_id = $1",
        )
        .bind(run.0)
        .fetch_one(&self.pool)
        .await?;
        Ok(AuditCounts { matched: unsigned(matched), mismatched: unsigned(mismatched) })
    }

    /// The pairs of a worker that came out otherwise, the newest first, at most `limit`.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn mismatches(
        &self,
        worker: WorkerId,
        limit: u32,
    ) -> Result<Vec<Mismatch>, StoreError> {
        let rows = sqlx::query(
            "SELECT run_id, worker_id, auditor_id, claimed, found,
                    (extract(epoch FROM ended_at) * 1000)::bigint AS at_ms
             FROM audits WHERE worker_id = $1 AND state = 'mismatched'
             ORDER BY ended_at DESC, run_id, pair_index LIMIT $2",
        )
        .bind(worker.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(Mismatch {
                    run: RunId(row.try_get("run_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    auditor: WorkerId(row.try_get("auditor_id")?),
                    claimed: pair(row.try_get("claimed")?)?,
                    found: pair(row.try_get("found")?)?,
                    at_unix_ms: row.try_get("at_ms")?,
                })
            })
            .collect()
    }
}
