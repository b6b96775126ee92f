//! Leases as they move: what is merged of each, and how it ended.

use crate::batch::{LeaseMove, NewLease, NewReport, Tx, column, small};
use crate::{Ledger, StoreError, groups, signed};
use model::lease::LeaseEnd;
use model::view::RunState;
use model::{LeaseId, RunId, Tally, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is asked of a lease when a late report comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLease {
    /// Whose it was.
    pub worker: WorkerId,
    /// Its epoch.
    pub epoch: u32,
    /// Its pairs in the ledger.
    pub merged_pairs: u32,
    /// Where its run is.
    pub run_state: RunState,
}

impl Ledger {
    /// A lease, if there ever was one of this id.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn lease(&self, id: LeaseId) -> Result<Option<StoredLease>, StoreError> {
        let row: Option<(i64, i32, i32, String)> = sqlx::query_as(
            "SELECT l.worker_id, l.epoch, l.merged_pairs, r.state
             FROM leases l JOIN runs r ON r.id = l.run_id
             WHERE l.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|(worker, epoch, merged, state)| {
            let run_state = RunState::from_name(&state)
                .ok_or_else(|| StoreError::unreadable("the state of a run", &state))?;
            Ok(StoredLease {
                worker: WorkerId(worker),
                epoch: u32::try_from(epoch).unwrap_or(0),
                merged_pairs: u32::try_from(merged).unwrap_or(0),
                run_state,
            })
        })
        .transpose()
    }
}

/// Writes down what was given.
pub(crate) async fn insert(tx: &mut Tx<'_>, leases: &[NewLease]) -> Result<(), StoreError> {
    if leases.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO leases (id, run_id, worker_id, epoch, first_pair, pairs, block, probe,
                             candidate)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::bigint[],
                              $6::int[], $7::bigint[], $8::text[], $9::int[])",
    )
    .bind(column(leases, |l| l.id.0))
    .bind(column(leases, |l| l.run.0))
    .bind(column(leases, |l| l.worker.0))
    .bind(column(leases, |l| small(l.epoch)))
    .bind(column(leases, |l| signed(l.range.first.0)))
    .bind(column(leases, |l| small(l.range.count)))
    .bind(column(leases, |l| signed(l.block)))
    .bind(column(leases, |l| l.probe.as_deref()))
    .bind(column(leases, |l| l.candidate.map(small)))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// What one commit does to a lease.
#[derive(Default)]
struct Merge {
    merged_pairs: Option<u32>,
    end: Option<LeaseEnd>,
    sequence: u32,
    fresh: Vec<i64>,
    tally: Tally,
}

/// Moves leases on, and takes their new pairs into them. A pair that a lease has already, or has not at
/// all, and a report whose number does not grow, are refused by name. Comes back with those that ended.
pub(crate) async fn merge(
    tx: &mut Tx<'_>,
    moves: &[LeaseMove],
    reports: &[NewReport],
) -> Result<Vec<(RunId, LeaseEnd)>, StoreError> {
    let mut merges: BTreeMap<LeaseId, Merge> = BTreeMap::new();
    for moved in moves {
        let merge = merges.entry(moved.id).or_default();
        (merge.merged_pairs, merge.end) = (Some(moved.merged_pairs), moved.end);
    }
    for report in reports {
        let merge = merges.entry(report.lease).or_default();
        merge.sequence = merge.sequence.max(report.sequence);
        merge.fresh.extend(report.pairs.iter().map(|pair| signed(pair.index.0)));
        merge.tally += report.tally;
    }
    if merges.is_empty() {
        return Ok(Vec::new());
    }
    let merges: Vec<(LeaseId, Merge)> = merges.into_iter().collect();
    let cell = |which: usize| column(&merges, move |(_, m)| groups::cells(&m.tally)[which]);
    let moved: Vec<(i64, i64)> = sqlx::query_as(
        "UPDATE leases SET
             merged_pairs = coalesce(m.merged, leases.merged_pairs + m.pairs::int),
             last_sequence = greatest(leases.last_sequence, m.sequence),
             state = coalesce(m.ended_as, leases.state),
             ended_at = CASE WHEN m.ended_as IS NULL THEN NULL ELSE now() END,
             merged_set = CASE WHEN m.ended_as = 'completed' THEN NULL
                 ELSE nullif(coalesce(leases.merged_set, '{}') + m.fresh, '{}') END,
             merged_tally = CASE WHEN m.ended_as IS NULL THEN ARRAY[
                 coalesce(leases.merged_tally[1], 0) + m.ll,
                 coalesce(leases.merged_tally[2], 0) + m.ld,
                 coalesce(leases.merged_tally[3], 0) + m.dd,
                 coalesce(leases.merged_tally[4], 0) + m.dw,
                 coalesce(leases.merged_tally[5], 0) + m.ww,
                 coalesce(leases.merged_tally[6], 0) + m.wins] END
         FROM unnest($1::bigint[], $2::int[], $3::text[], $4::int[],
                     $5::text[]::int8multirange[],
                     $6::bigint[], $7::smallint[], $8::smallint[], $9::smallint[],
                     $10::smallint[], $11::smallint[], $12::smallint[])
             AS m (id, merged, ended_as, sequence, fresh, pairs, ll, ld, dd, dw, ww, wins)
         WHERE leases.id = m.id
           AND (m.sequence = 0 OR m.sequence > leases.last_sequence)
           AND int8range(leases.first_pair, leases.first_pair + leases.pairs) @> m.fresh
           AND NOT coalesce(leases.merged_set, '{}') && m.fresh
           AND m.pairs = (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(m.fresh) r)
         RETURNING leases.id, leases.run_id",
    )
    .bind(column(&merges, |(id, _)| id.0))
    .bind(column(&merges, |(_, m)| m.merged_pairs.map(small)))
    .bind(column(&merges, |(_, m)| m.end.map(LeaseEnd::name)))
    .bind(column(&merges, |(_, m)| small(m.sequence)))
    .bind(column(&merges, |(_, m)| multirange(&m.fresh)))
    .bind(column(&merges, |(_, m)| m.fresh.len() as i64))
    .bind(cell(0))
    .bind(cell(1))
    .bind(cell(2))
    .bind(cell(3))
    .bind(cell(4))
    .bind(cell(5))
    .fetch_all(&mut **tx)
    .await?;
    let moved: BTreeMap<i64, i64> = moved.into_iter().collect();
    for (id, merge) in merges.iter().filter(|(id, _)| !moved.contains_key(&id.0)) {
        // Fails with the name of the rule.
        sqlx::query("SELECT leases_refuse($1, $2::text::int8multirange, $3)")
            .bind(id.0)
            .bind(multirange(&merge.fresh))
            .bind(merge.fresh.len() as i64)
            .execute(&mut **tx)
            .await?;
    }
    let ended = |(id, merge): &(LeaseId, Merge)| Some((RunId(*moved.get(&id.0)?), merge.end?));
    Ok(merges.iter().filter_map(ended).collect())
}

/// Numbers as the text of a multirange, neighbours together.
fn multirange(numbers: &[i64]) -> String {
    let numbers: BTreeSet<i64> = numbers.iter().copied().collect();
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end == number => *end += 1,
            _ => ranges.push((number, number.saturating_add(1))),
        }
    }
    let mut text = String::from("{");
    for (place, (from, to)) in ranges.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}[{from},{to})");
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::multirange;

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(multirange(&[]), "{}");
        assert_eq!(multirange(&[9, 7, 8, 3]), "{[3,4),[7,10)}");
    }
}
