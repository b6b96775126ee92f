//! What is written of pairs that another worker plays again, of workers that are on hold, and of pairs
//! of the base against itself. What is read of the first two is in `disputes.rs`.

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
pub struct AuditMove {
    /// The run.
    pub run: RunId,
    /// The pair.
    pub pair: PairIndex,
    /// What.
    pub what: AuditOutcome,
}

/// What becomes of a pair that is played again.
#[derive(Clone, Debug, PartialEq)]
pub enum AuditOutcome {
    /// It came out the same.
    Matched,
    /// It came out otherwise: one word stands against another.
    Disputed {
        /// Who played it again.
        auditor: WorkerId,
        /// How.
        found: Box<PairRecord>,
    },
    /// Another one has played it, after the first two.
    Heard {
        /// Who.
        arbiter: WorkerId,
        /// How.
        played: Box<PairRecord>,
    },
    /// Another one played it as it was reported.
    Confirmed,
    /// Others have played it alike and not as it was reported, or a person has looked.
    Refuted,
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
        /// Only because its word stands against one other's.
        disputed: bool,
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
    pub moved: Vec<AuditMove>,
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
    /// Who has played it otherwise since, each otherwise than all before, in order.
    pub others: Vec<(WorkerId, PairRecord)>,
    /// The probe that it played, as JSON; in a tune.
    pub probe: Option<String>,
    /// The place of the candidate that it played; in a race.
    pub candidate: Option<u32>,
}

/// Records of one pair that differ.
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
    /// As others played it then, in order.
    pub arbitrations: Vec<(WorkerId, PairRecord)>,
    /// Whether no two have played it alike so far, and somebody is waited for.
    pub is_open: bool,
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
    /// And came out otherwise, as long as nobody else has said who is right, and for good if the
    /// report was not.
    pub mismatched: u64,
}

/// Writes everything down.
pub(crate) async fn write(tx: &mut Tx<'_>, checks: &Checks) -> Result<(), StoreError> {
    let Checks { wanted, issued, moved, holds, canaries } = checks;
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
        // The last, where a pair was given twice since the last commit.
        let last: BTreeMap<(RunId, PairIndex), &AuditIssue> =
            issued.iter().map(|issue| ((issue.run, issue.pair), issue)).collect();
        let last: Vec<&AuditIssue> = last.into_values().collect();
        sqlx::query(
            "UPDATE audits SET issued_as = i.lease,
                 auditor_id = CASE WHEN state = 'wanted' THEN i.auditor ELSE auditor_id END
             FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
                  AS i (run, pair, lease, auditor)
             WHERE run_id = i.run AND pair_index = i.pair",
        )
        .bind(column(&last, |i| i.run.0))
        .bind(column(&last, |i| signed(i.pair.0)))
        .bind(column(&last, |i| i.lease.0))
        .bind(column(&last, |i| i.auditor.0))
        .execute(&mut **tx)
        .await?;
    }
    write_moves(tx, moved).await?;
    for hold in holds {
        let query = match hold {
            // One that is on hold already is so for another reason from now on.
            HoldMove::Hold { worker, reason, disputed } => sqlx::query(
                "INSERT INTO holds (worker_id, reason, disputed) VALUES ($1, $2, $3)
                 ON CONFLICT (worker_id) WHERE released_at IS NULL
                 DO UPDATE SET reason = excluded.reason, disputed = excluded.disputed",
            )
            .bind(worker.0)
            .bind(reason)
            .bind(disputed),
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

/// Where a pair stands after its last move, and who played it otherwise first.
#[derive(Default)]
struct Standing<'a> {
    state: &'static str,
    auditor: Option<WorkerId>,
    found: Option<&'a PairRecord>,
}

async fn write_moves(tx: &mut Tx<'_>, moved: &[AuditMove]) -> Result<(), StoreError> {
    let mut standings: BTreeMap<(RunId, PairIndex), Standing<'_>> = BTreeMap::new();
    let mut heard = Vec::new();
    for AuditMove { run, pair, what } in moved {
        let entry = (*run, *pair);
        match what {
            AuditOutcome::Matched | AuditOutcome::Confirmed => {
                standings.entry(entry).or_default().state = "matched";
            }
            AuditOutcome::Disputed { auditor, found } => {
                let standing = Standing {
                    state: "disputed",
                    auditor: Some(*auditor),
                    found: Some(found.as_ref()),
                };
                standings.insert(entry, standing);
            }
            AuditOutcome::Refuted => {
                standings.entry(entry).or_default().state = "mismatched";
            }
            AuditOutcome::Heard { arbiter, played } => heard.push((entry, *arbiter, played)),
        }
    }
    if !standings.is_empty() {
        let standings: Vec<_> = standings.into_iter().collect();
        let found = standings.iter().map(|(_, s)| s.found.map(text).transpose());
        sqlx::query(
            "UPDATE audits SET
                 state = m.state,
                 -- Of two that differ both stay.
                 claimed = CASE WHEN coalesce(audits.found, m.found) IS NOT NULL THEN claimed END,
                 found = coalesce(audits.found, m.found),
                 auditor_id = coalesce(m.auditor, auditor_id),
                 ended_at = CASE WHEN m.state <> 'disputed' THEN now() END
             FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])
                  AS m (run, pair, state, auditor, found)
             WHERE run_id = m.run AND pair_index = m.pair",
        )
        .bind(column(&standings, |((run, _), _)| run.0))
        .bind(column(&standings, |((_, pair), _)| signed(pair.0)))
        .bind(column(&standings, |(_, s)| s.state))
        .bind(column(&standings, |(_, s)| s.auditor.map(|id| id.0)))
        .bind(found.collect::<Result<Vec<_>, _>>()?)
        .execute(&mut **tx)
        .await?;
    }
    if !heard.is_empty() {
        let played = heard.iter().map(|(_, _, played)| text(played));
        sqlx::query(
            "INSERT INTO arbitrations (run_id, pair_index, worker_id, played)
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])",
        )
        .bind(column(&heard, |((run, _), _, _)| run.0))
        .bind(column(&heard, |((_, pair), _, _)| signed(pair.0)))
        .bind(column(&heard, |(_, arbiter, _)| arbiter.0))
        .bind(played.collect::<Result<Vec<_>, _>>()?)
        .execute(&mut **tx)
        .await?;
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

pub(crate) fn pair(json: &str) -> Result<PairRecord, StoreError> {
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
}
