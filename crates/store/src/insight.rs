//! What pages ask of the ledger beyond runs and workers: who brought what, how games ended, what was
//! merged when, of the reports that count. Read on demand, one run or one owner at a time.

use crate::groups::GroupedPair;
use crate::{Ledger, StoreError, StoredRun, runs, unsigned};
use model::lease::PairIndex;
use model::{LeaseId, ReportId, RunId, Tally, Termination, WorkerId};
use sqlx::Row;
use std::collections::BTreeMap;

/// What one worker brought to one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The run.
    pub run: RunId,
    /// The worker.
    pub worker: WorkerId,
    /// Its pairs and games.
    pub tally: Tally,
    /// When its last report came; milliseconds since 1970, UTC.
    pub last_unix_ms: i64,
}

/// A report with the times between which its pairs were out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedReport {
    /// When its lease was given; milliseconds since 1970, UTC.
    pub issued_unix_ms: i64,
    /// When it was merged; likewise.
    pub merged_unix_ms: i64,
    /// Its pairs.
    pub pairs: u64,
}

/// A report with what it played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedReport {
    /// The report.
    pub report: ReportId,
    /// Its lease.
    pub lease: LeaseId,
    /// Who played it.
    pub worker: WorkerId,
    /// First pair of the lease.
    pub first_pair: PairIndex,
    /// Its results.
    pub tally: Tally,
    /// The probe of its lease, as its row keeps it.
    pub probe: Option<String>,
}

/// A report that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRefusal {
    /// The run.
    pub run: RunId,
    /// The lease.
    pub lease: LeaseId,
    /// The kind of contradiction, and what it was.
    pub reason: String,
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
}

/// Something that was done to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
    /// What.
    pub event: String,
    /// Why.
    pub reason: String,
}

/// The eight columns of a tally, summed up.
const SUMS: &str = "sum(p.ll)::bigint AS ll, sum(p.ld)::bigint AS ld, sum(p.dd)::bigint AS dd,
    sum(p.dw)::bigint AS dw, sum(p.ww)::bigint AS ww, sum(p.wins)::bigint AS wins,
    sum(p.draws)::bigint AS draws, sum(p.losses)::bigint AS losses";

impl Ledger {
    /// What each worker brought to a run, in the order of the workers.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn contributions_to(&self, run: RunId) -> Result<Vec<Contribution>, StoreError> {
        self.contributions("p.run_id = $1", vec![run.0], "l.worker_id").await
    }

    /// What these workers brought, in the order of the runs, newest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn contributions_of(
        &self,
        workers: &[WorkerId],
    ) -> Result<Vec<Contribution>, StoreError> {
        let ids = workers.iter().map(|id| id.0).collect();
        self.contributions("l.worker_id = ANY ($1)", ids, "p.run_id DESC, l.worker_id").await
    }

    /// `which` and `order` are texts of this file, with the numbers as their only parameter.
    async fn contributions(
        &self,
        which: &'static str,
        numbers: Vec<i64>,
        order: &'static str,
    ) -> Result<Vec<Contribution>, StoreError> {
        let sql = format!(
            "SELECT p.run_id, l.worker_id, {SUMS},
                    (extract(epoch FROM max(p.merged_at)) * 1000)::bigint AS last_ms
             FROM counted_reports p JOIN leases l ON l.id = p.lease_id
             WHERE {which} GROUP BY p.run_id, l.worker_id ORDER BY {order}"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql));
        let query = match &numbers[..] {
            [one] if which.ends_with("$1") => query.bind(*one),
            _ => query.bind(numbers),
        };
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                Ok(Contribution {
                    run: RunId(row.try_get("run_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    tally: runs::tally(row)?,
                    last_unix_ms: row.try_get("last_ms")?,
                })
            })
            .collect()
    }

    /// How the games of a run ended: why, half-points of the candidate, how many.
    ///
    /// # Errors
    /// Errors of the database, or a reason that this version does not know.
    pub async fn terminations(
        &self,
        run: RunId,
    ) -> Result<Vec<(Termination, u8, u64)>, StoreError> {
        let rows: Vec<(String, i16, i64)> = sqlx::query_as(
            "WITH counted AS (
                 SELECT p.* FROM pairs_by_row p JOIN counted_reports c ON c.id = p.report_id
                 WHERE p.run_id = $1
             )
             SELECT g.termination, g.score, count(*)
             FROM (
                 SELECT first_termination AS termination, first_score AS score FROM counted
                 UNION ALL
                 SELECT second_termination, second_score FROM counted
             ) g GROUP BY 1, 2 ORDER BY 1, 2",
        )
        .bind(run.0)
        .fetch_all(&self.pool)
        .await?;
        let mut ends: BTreeMap<(&'static str, u8), (Termination, u64)> = BTreeMap::new();
        let mut add = |why: Termination, score: u8, count: u64| {
            ends.entry((why.name(), score)).or_insert((why, 0)).1 += count;
        };
        for (name, score, count) in rows {
            let why = Termination::from_name(&name)
                .ok_or_else(|| StoreError::unreadable("the termination of a pair", name))?;
            add(why, u8::try_from(score).unwrap_or(0), unsigned(count));
        }
        self.each_counted_pair(run, |pair| {
            for game in pair.games {
                add(game.termination, game.score.half_points(), 1);
            }
        })
        .await?;
        Ok(ends.into_iter().map(|((_, score), (why, count))| (why, score, count)).collect())
    }

    /// The first pairs of a run with the half-points of the candidate in both games together, 0 to 4.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn pair_scores(
        &self,
        run: RunId,
        limit: u32,
    ) -> Result<Vec<(PairIndex, u8)>, StoreError> {
        let rows: Vec<(i64, i16)> = sqlx::query_as(
            "SELECT p.pair_index, (p.first_score + p.second_score)::smallint
             FROM pairs_by_row p JOIN counted_reports c ON c.id = p.report_id
             WHERE p.run_id = $1 ORDER BY p.pair_index LIMIT $2",
        )
        .bind(run.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let row = |(index, score)| (PairIndex(unsigned(index)), u8::try_from(score).unwrap_or(0));
        let mut scores: Vec<(PairIndex, u8)> = rows.into_iter().map(row).collect();
        let exclusions = self.exclusions_in_force().await?;
        let mut from = PairIndex(0);
        while scores.len() < limit as usize {
            let mut pairs = self.grouped_pairs_from(run, from, limit).await?;
            let Some(last) = pairs.last() else { break };
            from = PairIndex(last.index.0 + 1);
            self.retain_counted(run, &exclusions, &mut pairs).await?;
            let score = |pair: &GroupedPair| pair.games.iter().map(|g| g.score.half_points()).sum();
            scores.extend(pairs.iter().map(|pair| (pair.index, score(pair))));
        }
        scores.sort_unstable();
        scores.truncate(limit as usize);
        Ok(scores)
    }

    /// The last reports of a run, newest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn last_reports(
        &self,
        run: RunId,
        limit: u32,
    ) -> Result<Vec<MergedReport>, StoreError> {
        let rows: Vec<(i64, i64, i64)> = sqlx::query_as(
            "SELECT (extract(epoch FROM l.issued_at) * 1000)::bigint,
                    (extract(epoch FROM p.merged_at) * 1000)::bigint,
                    p.ll + p.ld + p.dd + p.dw + p.ww
             FROM counted_reports p JOIN leases l ON l.id = p.lease_id
             WHERE p.run_id = $1 ORDER BY p.id DESC LIMIT $2",
        )
        .bind(run.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let row = |(issued_unix_ms, merged_unix_ms, pairs)| MergedReport {
            issued_unix_ms,
            merged_unix_ms,
            pairs: unsigned(pairs),
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// The report of a run at a place in its order, from 0.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn report_at(
        &self,
        run: RunId,
        place: u64,
    ) -> Result<Option<PlayedReport>, StoreError> {
        let row = sqlx::query(
            "SELECT p.id, p.lease_id, l.worker_id, l.first_pair, l.probe,
                    p.ll, p.ld, p.dd, p.dw, p.ww, p.wins, p.draws, p.losses
             FROM counted_reports p JOIN leases l ON l.id = p.lease_id
             WHERE p.run_id = $1 ORDER BY p.id OFFSET $2 LIMIT 1",
        )
        .bind(run.0)
        .bind(crate::signed(place))
        .fetch_optional(&self.pool)
        .await?;
        let read = |row: sqlx::postgres::PgRow| {
            Ok(PlayedReport {
                report: ReportId(row.try_get("id")?),
                lease: LeaseId(row.try_get("lease_id")?),
                worker: WorkerId(row.try_get("worker_id")?),
                first_pair: PairIndex(unsigned(row.try_get("first_pair")?)),
                tally: runs::tally(&row)?,
                probe: row.try_get("probe")?,
            })
        };
        row.map(read).transpose()
    }

    /// What was done to a run, oldest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn run_events(&self, run: RunId) -> Result<Vec<StoredEvent>, StoreError> {
        let rows: Vec<(i64, String, String)> = sqlx::query_as(
            "SELECT (extract(epoch FROM at) * 1000)::bigint, event, reason FROM run_events
             WHERE run_id = $1 ORDER BY id LIMIT 1000",
        )
        .bind(run.0)
        .fetch_all(&self.pool)
        .await?;
        let row = |(at_unix_ms, event, reason)| StoredEvent { at_unix_ms, event, reason };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Whose the workers are, by the keys that they play with.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn owners_of_workers(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "SELECT w.id, o.name FROM workers w
             JOIN keys k ON k.public_key = w.worker_key JOIN owners o ON o.id = k.owner_id
             ORDER BY w.id",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(id, name)| (WorkerId(id), name)).collect())
    }

    /// What these workers have out now: worker, run, leases, pairs that are not in the ledger yet.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn leases_out(
        &self,
        workers: &[WorkerId],
    ) -> Result<Vec<(WorkerId, RunId, u64, u64)>, StoreError> {
        let ids: Vec<i64> = workers.iter().map(|id| id.0).collect();
        let rows: Vec<(i64, i64, i64, i64)> = sqlx::query_as(
            "SELECT worker_id, run_id, count(*), sum(pairs - merged_pairs)::bigint FROM leases
             WHERE state = 'active' AND worker_id = ANY ($1) GROUP BY 1, 2 ORDER BY 1, 2",
        )
        .bind(ids)
        .fetch_all(&self.pool)
        .await?;
        let row = |(worker, run, leases, pairs)| {
            (WorkerId(worker), RunId(run), unsigned(leases), unsigned(pairs))
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// The newest refusals of these workers, newest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn refusals_of(
        &self,
        workers: &[WorkerId],
        limit: u32,
    ) -> Result<Vec<StoredRefusal>, StoreError> {
        let ids: Vec<i64> = workers.iter().map(|id| id.0).collect();
        let rows: Vec<(i64, i64, String, i64)> = sqlx::query_as(
            "SELECT run_id, lease_id, reason || ': ' || detail,
                    (extract(epoch FROM at) * 1000)::bigint
             FROM refusals WHERE worker_id = ANY ($1) ORDER BY id DESC LIMIT $2",
        )
        .bind(ids)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let row = |(run, lease, reason, at_unix_ms)| StoredRefusal {
            run: RunId(run),
            lease: LeaseId(lease),
            reason,
            at_unix_ms,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// The accepted tests and the matches that were played to their ends, newest first: what lineages
    /// are made of.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn proofs(&self, limit: u32) -> Result<Vec<StoredRun>, StoreError> {
        self.runs_where(
            "WHERE r.state = 'finished' AND (r.kind = 'match' OR r.kind = 'test' AND r.verdict = 'accepted')
             ORDER BY r.ended_at DESC, r.id DESC LIMIT $1",
            i64::from(limit),
        )
        .await
    }
}
