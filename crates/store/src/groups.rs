//! Reports that were merged into one run by one commit: a row for all of them, in and out.

use crate::batch::{NewReport, Tx, column};
use crate::packed::{self, PackedGame};
use crate::{Ledger, StoreError, signed};
use model::lease::PairIndex;
use model::trust::{Exclusions, LedgerTime};
use model::{LeaseId, ReportId, RunId, Tally, WorkerId};
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are unpacked at a time.
const PAGE: i64 = 200;
/// Numbers between the first and the last report of a row: what a `smallint` tells apart.
const MOST_BEFORE: i64 = 32_767;

/// A pair as its row has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupedPair {
    pub(crate) index: PairIndex,
    pub(crate) lease: LeaseId,
    pub(crate) merged_at: LedgerTime,
    pub(crate) games: [PackedGame; 2],
}

/// The cells of a tally and the games that the candidate won, as columns have them.
pub(crate) fn cells(tally: &Tally) -> [i16; 6] {
    let [ll, ld, dd, dw, ww] = tally.pentanomial.0;
    // A report has a thousand pairs at most.
    [ll, ld, dd, dw, ww, tally.wdl.wins].map(|count| i16::try_from(count).unwrap_or(i16::MAX))
}

/// Writes down the reports of a commit.
pub(crate) async fn insert(tx: &mut Tx<'_>, reports: &[NewReport]) -> Result<(), StoreError> {
    let mut by_run: BTreeMap<RunId, Vec<&NewReport>> = BTreeMap::new();
    for report in reports {
        by_run.entry(report.run).or_default().push(report);
    }
    for (run, reports) in by_run {
        let near = |a: &&NewReport, b: &&NewReport| a.id.0 / MOST_BEFORE == b.id.0 / MOST_BEFORE;
        for group in reports.chunk_by(near) {
            insert_group(tx, run, group).await?;
        }
    }
    Ok(())
}

async fn insert_group(
    tx: &mut Tx<'_>,
    run: RunId,
    reports: &[&NewReport],
) -> Result<(), StoreError> {
    let Some(last) = reports.iter().map(|report| report.id.0).max() else { return Ok(()) };
    let indices = || reports.iter().flat_map(|r| r.pairs.iter().map(|pair| signed(pair.index.0)));
    let pairs = i32::try_from(indices().count()).unwrap_or(i32::MAX);
    let cell = |which: usize| column(reports, move |r| cells(&r.tally)[which]);
    sqlx::query(
        "INSERT INTO report_groups (last_id, run_id, min_pair, max_pair, pairs, reports, before,
                                    leases, ll, ld, dd, dw, ww, wins, packed)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    )
    .bind(last)
    .bind(run.0)
    .bind(indices().min().unwrap_or(0))
    .bind(indices().max().unwrap_or(0))
    .bind(pairs)
    .bind(i16::try_from(reports.len()).unwrap_or(i16::MAX))
    .bind(column(reports, |r| i16::try_from(last - r.id.0).unwrap_or(i16::MAX)))
    .bind(column(reports, |r| r.lease.0))
    .bind(cell(0))
    .bind(cell(1))
    .bind(cell(2))
    .bind(cell(3))
    .bind(cell(4))
    .bind(cell(5))
    .bind(packed::pack(reports.iter().map(|report| report.pairs.as_slice())))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The pairs of a row.
fn pairs_of(row: &PgRow) -> Result<Vec<GroupedPair>, StoreError> {
    let last = ReportId(row.try_get("last_id")?);
    let leases: Vec<i64> = row.try_get("leases")?;
    let merged_at = LedgerTime(row.try_get("merged_us")?);
    let bytes: &[u8] = row.try_get("packed")?;
    let unreadable = || {
        let what = format!("the pairs of the reports up to {last}");
        StoreError::unreadable(what, "other bytes than this version writes")
    };
    let pairs = packed::unpack(bytes).ok_or_else(unreadable)?;
    pairs
        .into_iter()
        .map(|pair| {
            let lease = leases.get(pair.report).map(|id| LeaseId(*id)).ok_or_else(unreadable)?;
            Ok(GroupedPair { index: pair.index, lease, merged_at, games: pair.games })
        })
        .collect()
}

impl Ledger {
    /// At most `limit` pairs of a run from `first` on, in their order; of those that came packed.
    pub(crate) async fn grouped_pairs_from(
        &self,
        run: RunId,
        first: PairIndex,
        limit: u32,
    ) -> Result<Vec<GroupedPair>, StoreError> {
        let mut pairs = Vec::new();
        let (mut from, mut span) = (first.0, u64::from(limit));
        loop {
            let to = from.saturating_add(span);
            let mut window = self.grouped_pairs_between(run, from, to).await?;
            window.sort_unstable_by_key(|pair| pair.index);
            pairs.append(&mut window);
            pairs.truncate(limit as usize);
            if pairs.len() == limit as usize || !self.has_pairs_beyond(run, to).await? {
                return Ok(pairs);
            }
            // Pairs that are out leave holes; a larger look finds what lies behind them.
            (from, span) = (to, span.saturating_mul(2));
        }
    }

    async fn grouped_pairs_between(
        &self,
        run: RunId,
        from: u64,
        to: u64,
    ) -> Result<Vec<GroupedPair>, StoreError> {
        let rows = sqlx::query(
            "SELECT last_id, leases, packed,
                    (extract(epoch FROM merged_at) * 1000000)::bigint AS merged_us
             FROM report_groups WHERE run_id = $1 AND max_pair >= $2 AND min_pair < $3",
        )
        .bind(run.0)
        .bind(signed(from))
        .bind(signed(to))
        .fetch_all(&self.pool)
        .await?;
        let mut pairs = Vec::new();
        for row in &rows {
            let within = |pair: &GroupedPair| (from..to).contains(&pair.index.0);
            pairs.extend(pairs_of(row)?.into_iter().filter(within));
        }
        Ok(pairs)
    }

    async fn has_pairs_beyond(&self, run: RunId, index: u64) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT FROM report_groups WHERE run_id = $1 AND max_pair >= $2)";
        let query = sqlx::query_scalar(sql).bind(run.0).bind(signed(index));
        Ok(query.fetch_one(&self.pool).await?)
    }

    /// Hands out every packed pair of a run that counts, in the order of the reports.
    pub(crate) async fn each_counted_pair(
        &self,
        run: RunId,
        mut each: impl FnMut(&GroupedPair),
    ) -> Result<(), StoreError> {
        let exclusions = self.exclusions_in_force().await?;
        let mut after = 0_i64;
        loop {
            let rows = sqlx::query(
                "SELECT last_id, leases, packed,
                        (extract(epoch FROM merged_at) * 1000000)::bigint AS merged_us
                 FROM report_groups WHERE run_id = $1 AND last_id > $2
                 ORDER BY last_id LIMIT $3",
            )
            .bind(run.0)
            .bind(after)
            .bind(PAGE)
            .fetch_all(&self.pool)
            .await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.try_get("last_id")?;
            let mut pairs = Vec::new();
            for row in &rows {
                pairs.append(&mut pairs_of(row)?);
            }
            self.retain_counted(run, &exclusions, &mut pairs).await?;
            pairs.iter().for_each(&mut each);
        }
    }

    /// Leaves those pairs that count.
    pub(crate) async fn retain_counted(
        &self,
        run: RunId,
        exclusions: &Exclusions,
        pairs: &mut Vec<GroupedPair>,
    ) -> Result<(), StoreError> {
        if exclusions.is_empty() {
            return Ok(());
        }
        let workers = self.workers_of_leases(pairs.iter().map(|pair| pair.lease)).await?;
        pairs.retain(|pair| {
            let worker = workers.get(&pair.lease);
            worker.is_none_or(|worker| !exclusions.excludes(run, *worker, pair.merged_at))
        });
        Ok(())
    }

    /// Whose leases these are.
    pub(crate) async fn workers_of_leases(
        &self,
        leases: impl Iterator<Item = LeaseId>,
    ) -> Result<BTreeMap<LeaseId, WorkerId>, StoreError> {
        let ids: BTreeSet<i64> = leases.map(|lease| lease.0).collect();
        let rows: Vec<(i64, i64)> =
            sqlx::query_as("SELECT id, worker_id FROM leases WHERE id = ANY ($1)")
                .bind(ids.into_iter().collect::<Vec<_>>())
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(|(id, worker)| (LeaseId(id), WorkerId(worker))).collect())
    }
}
