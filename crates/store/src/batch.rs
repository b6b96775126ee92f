//! One commit: everything that the coordinator decided since the last, in one transaction.
//!
//! Group commit makes a row cheap: the statements below take whole columns as arrays, so that two
//! hundred reports cost little more than one.

use crate::audits::{self, Checks};
use crate::exclusions::{self, NewExclusionMove};
use crate::games::{self, KeptGames};
use crate::workers::{self, NewWorker};
use crate::{LeaderEpoch, Ledger, StoreError, groups, leases, refusals, signed};
use model::lease::{LeaseEnd, PairRange, PairRecord, RefusalReason};
use model::spec::RunSpec;
use model::view::{RunState, Verdict};
use model::{LeaseId, ReportId, RunId, Tally, WorkerId};
use sqlx::{Postgres, Transaction};
use std::collections::BTreeMap;

/// A run that was filed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// What was asked.
    pub spec: RunSpec,
    /// The author's key.
    pub idempotency_key: String,
    /// The author.
    pub owner: String,
}

/// A lease that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct NewLease {
    /// Its id.
    pub id: LeaseId,
    /// Its run.
    pub run: RunId,
    /// To whom.
    pub worker: WorkerId,
    /// Which issue of these pairs.
    pub epoch: u32,
    /// The pairs.
    pub range: PairRange,
    /// The block whose probe they play.
    pub block: u64,
    /// The probe as JSON, in a tune.
    pub probe: Option<String>,
    /// The place of the candidate that they play, in a race.
    pub candidate: Option<u32>,
}

/// A report that was merged: its new pairs only.
#[derive(Clone, Debug, PartialEq)]
pub struct NewReport {
    /// Its place in the ledger.
    pub id: ReportId,
    /// The run.
    pub run: RunId,
    /// The lease.
    pub lease: LeaseId,
    /// The lease's epoch.
    pub epoch: u32,
    /// Number within the lease.
    pub sequence: u32,
    /// Sum over `pairs`.
    pub tally: Tally,
    /// The pairs that count from now on; of their moves and evaluations nothing is taken from here.
    pub pairs: Vec<PairRecord>,
    /// What is kept of the moves of some of them.
    pub kept: Vec<KeptGames>,
}

/// A lease that moved on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseMove {
    /// The lease.
    pub id: LeaseId,
    /// Its pairs in the ledger after this commit.
    pub merged_pairs: u32,
    /// How it ended, if it did.
    pub end: Option<LeaseEnd>,
}

/// A run that moved on.
#[derive(Clone, Debug, PartialEq)]
pub struct RunMove {
    /// The run.
    pub id: RunId,
    /// Where it is now.
    pub state: RunState,
    /// Why, when paused or stopped.
    pub state_reason: String,
    /// What a test said.
    pub verdict: Option<Verdict>,
    /// What counts after this commit.
    pub tally: Tally,
    /// Of a test.
    pub llr: Option<f64>,
    /// Of a tune: the optimiser's point as JSON. Of a race: its candidates.
    pub point: Option<String>,
    /// The last report that moved it.
    pub last_report: ReportId,
}

/// A report that was refused and counts against its worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRefusal {
    /// Whose report.
    pub worker: WorkerId,
    /// The run.
    pub run: RunId,
    /// The lease.
    pub lease: LeaseId,
    /// The lease's epoch.
    pub epoch: u32,
    /// Number of the report within the lease.
    pub sequence: u32,
    /// What is wrong with it.
    pub reason: RefusalReason,
    /// The same in detail, for people.
    pub detail: String,
}

/// Something that was done to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// The run.
    pub run: RunId,
    /// `created`, `paused`, `resumed`, `stopped`, `finished`.
    pub event: &'static str,
    /// Why.
    pub reason: String,
}

/// A state of a run to recover from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSnapshot {
    /// The run.
    pub run: RunId,
    /// Good up to this report.
    pub report: ReportId,
    /// The state as JSON.
    pub state: String,
}

/// Everything of one commit. Applied in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Workers that came, each as it introduces itself now; each key at most once.
    pub workers: Vec<NewWorker>,
    /// Filed.
    pub runs: Vec<NewRun>,
    /// Given.
    pub leases: Vec<NewLease>,
    /// Merged, in the order that counts.
    pub reports: Vec<NewReport>,
    /// Leases that moved; each at most once.
    pub lease_moves: Vec<LeaseMove>,
    /// Refused.
    pub refusals: Vec<NewRefusal>,
    /// Checks of workers.
    pub checks: Checks,
    /// Done to exclusions.
    pub exclusions: Vec<NewExclusionMove>,
    /// Runs whose ledger counts otherwise than before: their snapshots are void.
    pub refolded: Vec<RunId>,
    /// Runs that moved; each at most once.
    pub run_moves: Vec<RunMove>,
    /// Runs of which more is asked than before; each at most once.
    pub respecified: Vec<(RunId, RunSpec)>,
    /// Done to runs.
    pub events: Vec<RunEvent>,
    /// Taken.
    pub snapshots: Vec<NewSnapshot>,
}

impl Batch {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Batch::default()
    }
}

/// Snapshots that are kept of each run, besides the state that a forked one began with.
const SNAPSHOTS_KEPT: i64 = 2;

impl Ledger {
    /// Makes a batch durable, whole or not at all.
    ///
    /// # Errors
    /// [`StoreError::NotLeader`] when another coordinator leads by now. After any error it is not
    /// known whether the batch was written, and the caller must read its state from the ledger again.
    pub async fn commit(&self, leader: &LeaderEpoch, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut tx = self.pool.begin().await?;
        // FOR SHARE: a new leader's update waits until this commit is over, or wins and is seen.
        let epoch: i64 = sqlx::query_scalar("SELECT epoch FROM leadership FOR SHARE")
            .fetch_one(&mut *tx)
            .await?;
        if epoch != leader.number() {
            return Err(StoreError::NotLeader { ours: leader.number() });
        }
        workers::greet(&mut tx, &batch.workers).await?;
        insert_runs(&mut tx, &batch.runs).await?;
        leases::insert(&mut tx, &batch.leases).await?;
        groups::insert(&mut tx, &batch.reports).await?;
        games::insert(&mut tx, &batch.reports).await?;
        let ended = leases::merge(&mut tx, &batch.lease_moves, &batch.reports).await?;
        let mut counts = counts(batch, &ended);
        refusals::insert(&mut tx, &batch.refusals).await?;
        audits::write(&mut tx, &batch.checks).await?;
        exclusions::insert(&mut tx, &batch.exclusions).await?;
        void_snapshots(&mut tx, &batch.refolded).await?;
        move_runs(&mut tx, &batch.run_moves, &mut counts).await?;
        count(&mut tx, counts).await?;
        insert_events(&mut tx, &batch.events).await?;
        respecify(&mut tx, &batch.respecified).await?;
        insert_snapshots(&mut tx, &batch.snapshots).await?;
        tx.commit().await?;
        Ok(())
    }
}

pub(crate) type Tx<'a> = Transaction<'a, Postgres>;

async fn insert_runs(tx: &mut Tx<'_>, runs: &[NewRun]) -> Result<(), StoreError> {
    for run in runs {
        let spec = serde_json::to_value(&run.spec)
            .map_err(|e| StoreError::unreadable("a specification that cannot be written", e))?;
        sqlx::query(
            "INSERT INTO runs (id, kind, name, game, spec, book_sha256, idempotency_key, owner,
                               state)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running')",
        )
        .bind(run.id.0)
        .bind(run.spec.job.kind())
        .bind(&run.spec.name)
        .bind(run.spec.game.name())
        .bind(spec)
        .bind(&run.spec.book)
        .bind(&run.idempotency_key)
        .bind(&run.owner)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// Of a run: its new reports and leases, and those that ended as completed, returned, expired, revoked.
type Counts = BTreeMap<RunId, [i64; 6]>;

/// Moves runs on, with what is counted in their rows: each row is written once.
async fn move_runs(
    tx: &mut Tx<'_>,
    moves: &[RunMove],
    counts: &mut Counts,
) -> Result<(), StoreError> {
    for run in moves {
        let cells = run.tally.pentanomial.0;
        let [reports, given, completed, returned, expired, revoked] =
            counts.remove(&run.id).unwrap_or_default();
        sqlx::query(
            "UPDATE runs SET
                 state = $2, state_reason = $3, verdict = $4,
                 ended_at = CASE WHEN $5 THEN coalesce(ended_at, now()) END,
                 ll = $6, ld = $7, dd = $8, dw = $9, ww = $10,
                 wins = $11, draws = $12, losses = $13,
                 llr = $14, point = $15, last_report_id = $16,
                 reports = reports + $17,
                 leases_given = leases_given + $18,
                 leases_completed = leases_completed + $19,
                 leases_returned = leases_returned + $20,
                 leases_expired = leases_expired + $21,
                 leases_revoked = leases_revoked + $22
             WHERE id = $1",
        )
        .bind(run.id.0)
        .bind(run.state.name())
        .bind(&run.state_reason)
        .bind(run.verdict.map(Verdict::name))
        .bind(run.state.is_over())
        .bind(signed(cells[0]))
        .bind(signed(cells[1]))
        .bind(signed(cells[2]))
        .bind(signed(cells[3]))
        .bind(signed(cells[4]))
        .bind(signed(run.tally.wdl.wins))
        .bind(signed(run.tally.wdl.draws))
        .bind(signed(run.tally.wdl.losses))
        .bind(run.llr)
        .bind(&run.point)
        .bind(run.last_report.0)
        .bind(reports)
        .bind(given)
        .bind(completed)
        .bind(returned)
        .bind(expired)
        .bind(revoked)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

fn counts(batch: &Batch, ended: &[(RunId, LeaseEnd)]) -> Counts {
    let mut counts = Counts::new();
    let mut add = |run: RunId, place: usize| counts.entry(run).or_default()[place] += 1;
    batch.reports.iter().for_each(|report| add(report.run, 0));
    batch.leases.iter().for_each(|lease| add(lease.run, 1));
    for (run, end) in ended {
        let place = match end {
            LeaseEnd::Completed => 2,
            LeaseEnd::Returned => 3,
            LeaseEnd::Expired => 4,
            LeaseEnd::Revoked => 5,
        };
        add(*run, place);
    }
    counts
}

/// Counts in the rows of runs that did not move.
async fn count(tx: &mut Tx<'_>, counts: Counts) -> Result<(), StoreError> {
    if counts.is_empty() {
        return Ok(());
    }
    let counts: Vec<(RunId, [i64; 6])> = counts.into_iter().collect();
    let at = |place: usize| column(&counts, move |(_, counts)| counts[place]);
    sqlx::query(
        "UPDATE runs SET
             reports = runs.reports + n.reports,
             leases_given = leases_given + n.given,
             leases_completed = leases_completed + n.completed,
             leases_returned = leases_returned + n.returned,
             leases_expired = leases_expired + n.expired,
             leases_revoked = leases_revoked + n.revoked
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                     $6::bigint[], $7::bigint[])
             AS n (id, reports, given, completed, returned, expired, revoked)
         WHERE runs.id = n.id",
    )
    .bind(column(&counts, |(run, _)| run.0))
    .bind(at(0))
    .bind(at(1))
    .bind(at(2))
    .bind(at(3))
    .bind(at(4))
    .bind(at(5))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn insert_events(tx: &mut Tx<'_>, events: &[RunEvent]) -> Result<(), StoreError> {
    for event in events {
        sqlx::query("INSERT INTO run_events (run_id, event, reason) VALUES ($1, $2, $3)")
            .bind(event.run.0)
            .bind(event.event)
            .bind(&event.reason)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

async fn respecify(tx: &mut Tx<'_>, specs: &[(RunId, RunSpec)]) -> Result<(), StoreError> {
    for (run, spec) in specs {
        let spec = serde_json::to_value(spec)
            .map_err(|e| StoreError::unreadable("a specification that cannot be written", e))?;
        sqlx::query("UPDATE runs SET spec = $2 WHERE id = $1")
            .bind(run.0)
            .bind(spec)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Deletes what was saved of runs before their ledger counted otherwise; the state that a forked run
/// began with stays.
async fn void_snapshots(tx: &mut Tx<'_>, runs: &[RunId]) -> Result<(), StoreError> {
    if runs.is_empty() {
        return Ok(());
    }
    sqlx::query("DELETE FROM snapshots WHERE run_id = ANY ($1) AND report_id > 0")
        .bind(column(runs, |run| run.0))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn insert_snapshots(tx: &mut Tx<'_>, snapshots: &[NewSnapshot]) -> Result<(), StoreError> {
    for snapshot in snapshots {
        sqlx::query(
            "INSERT INTO snapshots (run_id, report_id, state) VALUES ($1, $2, $3)
             ON CONFLICT (run_id, report_id) DO UPDATE SET state = excluded.state",
        )
        .bind(snapshot.run.0)
        .bind(snapshot.report.0)
        .bind(&snapshot.state)
        .execute(&mut **tx)
        .await?;
        sqlx::query(
            "DELETE FROM snapshots WHERE run_id = $1 AND report_id > 0 AND report_id NOT IN (
                 SELECT report_id FROM snapshots WHERE run_id = $1
                 ORDER BY report_id DESC LIMIT $2)",
        )
        .bind(snapshot.run.0)
        .bind(SNAPSHOTS_KEPT)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

pub(crate) fn column<'a, T, V>(rows: &'a [T], value: impl Fn(&'a T) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

pub(crate) fn small(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
