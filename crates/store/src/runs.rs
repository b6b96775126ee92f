//! Runs as stored.

use crate::{Ledger, StoreError, unsigned};
use model::spec::RunSpec;
use model::view::{LeaseCounts, RunState, Verdict};
use model::{Pentanomial, ReportId, RunId, Tally, Wdl};
use sqlx::Row;
use sqlx::postgres::PgRow;

/// A run as its row says. The tally equals the fold over the run's reports.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Its id.
    pub id: RunId,
    /// What was asked.
    pub spec: RunSpec,
    /// The author's key.
    pub idempotency_key: String,
    /// The author; empty for a run from before that was written down.
    pub owner: String,
    /// Where it is in its life.
    pub state: RunState,
    /// Why it was paused or stopped.
    pub state_reason: String,
    /// What a test said.
    pub verdict: Option<Verdict>,
    /// Milliseconds since 1970, UTC.
    pub created_at_unix_ms: i64,
    /// Milliseconds since 1970, UTC.
    pub ended_at_unix_ms: Option<i64>,
    /// What counts.
    pub tally: Tally,
    /// Of a test.
    pub llr: Option<f64>,
    /// Of a tune: the optimiser's point as JSON. Of a race: its candidates.
    pub point: Option<String>,
    /// The last report that moved it.
    pub last_report: ReportId,
    /// How many reports it has.
    pub reports: u64,
    /// Its leases by state.
    pub leases: LeaseCounts,
}

const SELECT: &str = "
    SELECT r.id, r.spec, r.idempotency_key, r.owner, r.state, r.state_reason, r.verdict,
           (extract(epoch FROM r.created_at) * 1000)::bigint AS created_ms,
           (extract(epoch FROM r.ended_at) * 1000)::bigint AS ended_ms,
           r.ll, r.ld, r.dd, r.dw, r.ww, r.wins, r.draws, r.losses,
           r.llr, r.point, r.last_report_id,
           r.reports, r.leases_given, r.leases_completed, r.leases_returned, r.leases_expired,
           r.leases_revoked
    FROM runs r";

impl Ledger {
    /// One run.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn run(&self, id: RunId) -> Result<Option<StoredRun>, StoreError> {
        let sql = const_format(SELECT, "WHERE r.id = $1");
        let row = sqlx::query(sql).bind(id.0).fetch_optional(&self.pool).await?;
        row.as_ref().map(stored_run).transpose()
    }

    /// Runs that can still move, in the order of their ids.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn open_runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        let sql = const_format(SELECT, "WHERE r.state IN ('running', 'paused') ORDER BY r.id");
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        rows.iter().map(stored_run).collect()
    }

    /// The newest runs, newest first.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn newest_runs(&self, limit: u32) -> Result<Vec<StoredRun>, StoreError> {
        self.runs_where("ORDER BY r.id DESC LIMIT $1", i64::from(limit)).await
    }

    /// Runs by a condition of this crate with one number in it.
    pub(crate) async fn runs_where(
        &self,
        rest: &'static str,
        number: i64,
    ) -> Result<Vec<StoredRun>, StoreError> {
        let rows = sqlx::query(const_format(SELECT, rest)).bind(number).fetch_all(&self.pool);
        rows.await?.iter().map(stored_run).collect()
    }

    /// The run of an author's idempotency key.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn run_of_key(&self, key: &str) -> Result<Option<RunId>, StoreError> {
        let id: Option<i64> = sqlx::query_scalar("SELECT id FROM runs WHERE idempotency_key = $1")
            .bind(key)
            .fetch_optional(&self.pool)
            .await?;
        Ok(id.map(RunId))
    }
}

/// Two constant texts of this file put together; no outside text reaches it.
fn const_format(select: &'static str, rest: &'static str) -> sqlx::AssertSqlSafe<String> {
    sqlx::AssertSqlSafe(format!("{select} {rest}"))
}

fn stored_run(row: &PgRow) -> Result<StoredRun, StoreError> {
    let id: i64 = row.try_get("id")?;
    let unreadable = |what: &str, found: &dyn std::fmt::Display| {
        StoreError::unreadable(format!("the {what} of run {id}"), found)
    };
    let spec: serde_json::Value = row.try_get("spec")?;
    let spec: RunSpec = serde_json::from_value(spec).map_err(|e| unreadable("spec", &e))?;
    let state: String = row.try_get("state")?;
    let verdict: Option<String> = row.try_get("verdict")?;
    let count = |column: &str| row.try_get::<i64, _>(column).map(unsigned);
    Ok(StoredRun {
        id: RunId(id),
        spec,
        idempotency_key: row.try_get("idempotency_key")?,
        owner: row.try_get("owner")?,
        state: RunState::from_name(&state).ok_or_else(|| unreadable("state", &state))?,
        state_reason: row.try_get("state_reason")?,
        verdict: verdict
            .map(|v| Verdict::from_name(&v).ok_or_else(|| unreadable("verdict", &v)))
            .transpose()?,
        created_at_unix_ms: row.try_get("created_ms")?,
        ended_at_unix_ms: row.try_get("ended_ms")?,
        tally: tally(row)?,
        llr: row.try_get("llr")?,
        point: row.try_get("point")?,
        last_report: ReportId(row.try_get("last_report_id")?),
        reports: count("reports")?,
        leases: leases(row)?,
    })
}

fn leases(row: &PgRow) -> Result<LeaseCounts, sqlx::Error> {
    let count = |column: &str| row.try_get::<i64, _>(column).map(unsigned);
    let over = LeaseCounts {
        active: 0,
        completed: count("leases_completed")?,
        returned: count("leases_returned")?,
        expired: count("leases_expired")?,
        revoked: count("leases_revoked")?,
    };
    let ended = over.completed + over.returned + over.expired + over.revoked;
    Ok(LeaseCounts { active: count("leases_given")?.saturating_sub(ended), ..over })
}

/// Reads the eight columns of a tally, which `runs` and `reports` name alike.
pub(crate) fn tally(row: &PgRow) -> Result<Tally, sqlx::Error> {
    let count = |column: &str| row.try_get::<i64, _>(column).map(unsigned);
    Ok(Tally {
        pentanomial: Pentanomial([
            count("ll")?,
            count("ld")?,
            count("dd")?,
            count("dw")?,
            count("ww")?,
        ]),
        wdl: Wdl { wins: count("wins")?, draws: count("draws")?, losses: count("losses")? },
    })
}
