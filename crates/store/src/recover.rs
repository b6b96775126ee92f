//! What a coordinator reads when it takes the lead: the last snapshot of each open run, the ledger
//! after it, the leases that are out, and the pairs that came back unplayed.

use crate::{Ledger, StoreError, runs, unsigned};
use model::lease::{PairIndex, PairRange};
use model::trust::LedgerTime;
use model::{LeaseId, Pentanomial, ReportId, RunId, Tally, Wdl, WorkerId};
use sqlx::Row;
use std::collections::BTreeMap;

/// The highest ids in use, 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HighestIds {
    /// Of runs.
    pub run: i64,
    /// Of workers.
    pub worker: i64,
    /// Of leases.
    pub lease: i64,
    /// Of reports.
    pub report: i64,
}

/// A state to recover from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// Good up to this report.
    pub report: ReportId,
    /// The state as JSON.
    pub state: String,
}

/// One merged report with what is needed to apply it again.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Its place in the ledger.
    pub report: ReportId,
    /// Who reported.
    pub worker: WorkerId,
    /// When it was merged.
    pub merged_at: LedgerTime,
    /// What was new in it.
    pub tally: Tally,
    /// The probe that its pairs played, as JSON; in a tune.
    pub probe: Option<String>,
    /// The place of the candidate that they played; in a race.
    pub candidate: Option<u32>,
}

/// A lease that is out.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLease {
    /// Its id.
    pub id: LeaseId,
    /// Its run.
    pub run: RunId,
    /// Who has it.
    pub worker: WorkerId,
    /// Its epoch.
    pub epoch: u32,
    /// Its pairs.
    pub range: PairRange,
    /// Its block.
    pub block: u64,
    /// Its probe as JSON.
    pub probe: Option<String>,
    /// The place of its candidate, in a race.
    pub candidate: Option<u32>,
    /// Number of its last merged report; 0 without any.
    pub last_sequence: u32,
    /// What is merged of it.
    pub merged: Tally,
    /// Which pairs those are.
    pub merged_pairs: Vec<PairIndex>,
}

/// Pairs that were leased, did not come back, and are out with nobody.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSlice {
    /// The pairs.
    pub range: PairRange,
    /// The epoch that their next lease has.
    pub next_epoch: u32,
    /// Their block.
    pub block: u64,
    /// Their probe as JSON.
    pub probe: Option<String>,
    /// The place of their candidate, in a race.
    pub candidate: Option<u32>,
}

impl Ledger {
    /// The highest ids in use.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn highest_ids(&self) -> Result<HighestIds, StoreError> {
        let (run, worker, lease, report): (i64, i64, i64, i64) = sqlx::query_as(
            "SELECT coalesce((SELECT max(id) FROM runs), 0),
                    coalesce((SELECT max(id) FROM workers), 0),
                    greatest((SELECT max(id) FROM leases), (SELECT max(issued_as) FROM audits),
                             (SELECT max(id) FROM canaries), 0),
                    greatest((SELECT max(id) FROM reports_by_row),
                             (SELECT max(last_id) FROM report_groups), 0)",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(HighestIds { run, worker, lease, report })
    }

    /// The last snapshot of a run.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn snapshot(&self, run: RunId) -> Result<Option<StoredSnapshot>, StoreError> {
        let row: Option<(i64, String)> = sqlx::query_as(
            "SELECT report_id, state FROM snapshots WHERE run_id = $1
             ORDER BY report_id DESC LIMIT 1",
        )
        .bind(run.0)
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|(report, state)| StoredSnapshot { report: ReportId(report), state }))
    }

    /// The state that a forked run began with.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn first_state(&self, run: RunId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT state FROM snapshots WHERE run_id = $1 AND report_id = 0";
        Ok(sqlx::query_scalar(sql).bind(run.0).fetch_optional(&self.pool).await?)
    }

    /// At most `limit` reports of a run after `after`, in the order that counts.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn ledger_after(
        &self,
        run: RunId,
        after: ReportId,
        limit: u32,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        // Rows of a run are in the order of their reports, so that no more of them is read than is asked.
        let rows = sqlx::query(
            "SELECT r.id, r.ll, r.ld, r.dd, r.dw, r.ww, r.wins, r.draws, r.losses, l.probe,
                    l.candidate, l.worker_id,
                    (extract(epoch FROM r.merged_at) * 1000000)::bigint AS merged_us
             FROM (
                 (SELECT id, lease_id, ll, ld, dd, dw, ww, wins, draws, losses, merged_at
                  FROM reports_by_row WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3)
                 UNION ALL
                 (SELECT g.last_id - r.before, r.lease_id, r.ll::bigint, r.ld::bigint, r.dd::bigint,
                         r.dw::bigint, r.ww::bigint, r.wins::bigint,
                         (r.ld + 2 * r.dd + 3 * r.dw + 4 * r.ww - 2 * r.wins)::bigint,
                         (2 * r.ll + r.ld - r.dw - 2 * r.ww + r.wins)::bigint, g.merged_at
                  FROM report_groups g
                  CROSS JOIN LATERAL unnest(g.before, g.leases, g.ll, g.ld, g.dd, g.dw, g.ww, g.wins)
                      AS r (before, lease_id, ll, ld, dd, dw, ww, wins)
                  WHERE g.run_id = $1 AND g.last_id > $2 AND g.last_id - r.before > $2
                  ORDER BY g.last_id, r.before DESC LIMIT $3)
             ) r JOIN leases l ON l.id = r.lease_id
             ORDER BY r.id LIMIT $3",
        )
        .bind(run.0)
        .bind(after.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(LedgerEntry {
                    report: ReportId(row.try_get("id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    merged_at: LedgerTime(row.try_get("merged_us")?),
                    tally: runs::tally(row)?,
                    probe: row.try_get("probe")?,
                    candidate: row.try_get::<Option<i32>, _>("candidate")?.map(count),
                })
            })
            .collect()
    }

    /// Every lease of open runs that is out.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn open_leases(&self) -> Result<Vec<OpenLease>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, run_id, worker_id, epoch, first_pair, pairs, block, probe, candidate,
                    last_sequence, merged_tally,
                    ARRAY(SELECT index FROM unnest(merged_set) r,
                              LATERAL generate_series(lower(r), upper(r) - 1) AS index) AS merged
             FROM leases WHERE state = 'active' ORDER BY id",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let merged: Vec<i64> = row.try_get("merged")?;
                let cells: Option<Vec<i16>> = row.try_get("merged_tally")?;
                Ok(OpenLease {
                    id: LeaseId(row.try_get("id")?),
                    run: RunId(row.try_get("run_id")?),
                    worker: WorkerId(row.try_get("worker_id")?),
                    epoch: count(row.try_get("epoch")?),
                    range: PairRange {
                        first: PairIndex(unsigned(row.try_get("first_pair")?)),
                        count: count(row.try_get("pairs")?),
                    },
                    block: unsigned(row.try_get("block")?),
                    probe: row.try_get("probe")?,
                    candidate: row.try_get::<Option<i32>, _>("candidate")?.map(count),
                    last_sequence: count(row.try_get("last_sequence")?),
                    merged: tally(&cells.unwrap_or_default()),
                    merged_pairs: merged.into_iter().map(|i| PairIndex(unsigned(i))).collect(),
                })
            })
            .collect()
    }

    /// The first pair of a run that was never leased.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn first_fresh_pair(&self, run: RunId) -> Result<PairIndex, StoreError> {
        // Pairs that are given again were part of a first lease.
        let next: Option<i64> = sqlx::query_scalar(
            "SELECT first_pair + pairs FROM leases WHERE run_id = $1 AND epoch = 1
             ORDER BY first_pair DESC LIMIT 1",
        )
        .bind(run.0)
        .fetch_optional(&self.pool)
        .await?;
        Ok(PairIndex(unsigned(next.unwrap_or(0))))
    }

    /// Pairs of an open run that were leased, are not in the ledger, and are out with nobody; each
    /// once, with the terms of the last lease that had them.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn unplayed(&self, run: RunId) -> Result<Vec<OpenSlice>, StoreError> {
        // The last lease of each pair decides: when it is out, somebody plays the pair; when it has the
        // pair merged, somebody has. Probes are long, so they are read once for each lease and not for
        // each pair.
        let rows: Vec<(i64, i64, bool, i32, i64, Option<i32>)> = sqlx::query_as(
            "SELECT DISTINCT ON (index) index, l.id,
                    l.state NOT IN ('active', 'completed')
                        AND NOT coalesce(l.merged_set, '{}') @> index AS waits,
                    l.epoch, l.block, l.candidate
             FROM leases l,
                  LATERAL generate_series(l.first_pair, l.first_pair + l.pairs - 1) AS index
             WHERE l.run_id = $1
               AND (l.state IN ('returned', 'expired', 'revoked') OR l.epoch > 1)
             ORDER BY index, l.epoch DESC, l.id DESC",
        )
        .bind(run.0)
        .fetch_all(&self.pool)
        .await?;
        let mut slices: Vec<(i64, OpenSlice)> = Vec::new();
        for (index, lease, _, epoch, block, candidate) in rows.iter().filter(|row| row.2) {
            let candidate = candidate.map(count);
            let index = PairIndex(unsigned(*index));
            let (next_epoch, block) = (count(*epoch) + 1, unsigned(*block));
            match slices.last_mut() {
                Some((_, last))
                    if last.range.end() == index
                        && last.block == block
                        && last.candidate == candidate
                        && last.next_epoch == next_epoch =>
                {
                    last.range.count += 1;
                }
                _ => {
                    let range = PairRange { first: index, count: 1 };
                    let slice = OpenSlice { range, next_epoch, block, probe: None, candidate };
                    slices.push((*lease, slice));
                }
            }
        }
        let leases: Vec<i64> = slices.iter().map(|(lease, _)| *lease).collect();
        let probes: Vec<(i64, Option<String>)> =
            sqlx::query_as("SELECT id, probe FROM leases WHERE id = ANY ($1)")
                .bind(leases)
                .fetch_all(&self.pool)
                .await?;
        let probes: BTreeMap<i64, Option<String>> = probes.into_iter().collect();
        let with_probe = |(lease, slice): (i64, OpenSlice)| OpenSlice {
            probe: probes.get(&lease).cloned().flatten(),
            ..slice
        };
        Ok(slices.into_iter().map(with_probe).collect())
    }
}

fn count(column: i32) -> u32 {
    u32::try_from(column).unwrap_or(0)
}

/// A tally from its cells and the games that were won.
fn tally(cells: &[i16]) -> Tally {
    let at = |place: usize| cells.get(place).copied().map_or(0, |n| u64::try_from(n).unwrap_or(0));
    let pentanomial = Pentanomial([at(0), at(1), at(2), at(3), at(4)]);
    let (games, wins) = (2 * pentanomial.pairs().0, at(5));
    let half_points = at(1) + 2 * at(2) + 3 * at(3) + 4 * at(4);
    let draws = half_points.saturating_sub(2 * wins);
    let losses = games.saturating_sub(wins + draws);
    Tally { pentanomial, wdl: Wdl { wins, draws, losses } }
}
