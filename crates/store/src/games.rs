//! The games of pairs: their moves in, and everything that is known of them out.

use crate::batch::{NewReport, Tx, column};
use crate::groups::GroupedPair;
use crate::packed::PackedGame;
use crate::{Ledger, StoreError, signed, unsigned};
use model::lease::PairIndex;
use model::{GameScore, Nodes, Ply, RunId, Termination, WorkerId};
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::BTreeMap;

/// The records of a pair that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGames {
    /// The pair.
    pub index: PairIndex,
    /// Moves of both games, in the form of `games::movecode`.
    pub moves: [Vec<u8>; 2],
    /// What the searches said, in the form of `model::evals`, where that is kept.
    pub evals: Option<[Vec<u8>; 2]>,
    /// What the moves took, in the form of `model::evals`, where that is kept.
    pub times: Option<[Vec<u8>; 2]>,
}

/// What the ledger has of the moves of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredMoves {
    /// Nothing: the run does not keep them.
    Gone,
    /// Texts, of pairs from before there was another form.
    Text(String),
    /// The form of `games::movecode`.
    Code(Vec<u8>),
}

/// A game of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The result for the candidate.
    pub score: GameScore,
    /// Why it ended.
    pub termination: Termination,
    /// Half-moves from the opening.
    pub plies: Ply,
    /// Nodes of both sides.
    pub nodes: Nodes,
    /// Its moves.
    pub moves: StoredMoves,
    /// What the searches said, in the form of `model::evals`.
    pub evals: Option<Vec<u8>>,
    /// What its moves took, in the form of `model::evals`.
    pub times: Option<Vec<u8>>,
}

/// A pair of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPair {
    /// Its place in the run.
    pub index: PairIndex,
    /// Who played it.
    pub worker: WorkerId,
    /// When it came into the ledger; milliseconds since 1970, UTC.
    pub merged_at_unix_ms: i64,
    /// The game in which the candidate moved first, then the other.
    pub games: [StoredGame; 2],
}

/// The moves of a game, and what the searches said and took where that is kept.
type KeptGame = (Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Writes down what is kept of the games of reports.
pub(crate) async fn insert(tx: &mut Tx<'_>, reports: &[NewReport]) -> Result<(), StoreError> {
    let rows: Vec<(RunId, &KeptGames)> =
        reports.iter().flat_map(|r| r.kept.iter().map(|kept| (r.run, kept))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let evals = |game: usize| {
        move |(_, kept): &(RunId, &KeptGames)| kept.evals.as_ref().map(|both| both[game].clone())
    };
    let times = |game: usize| {
        move |(_, kept): &(RunId, &KeptGames)| kept.times.as_ref().map(|both| both[game].clone())
    };
    sqlx::query(
        "INSERT INTO pair_moves (run_id, pair_index, first_moves, second_moves,
                                 first_evals, second_evals, first_times, second_times)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[],
                              $6::bytea[], $7::bytea[], $8::bytea[])",
    )
    .bind(column(&rows, |(run, _)| run.0))
    .bind(column(&rows, |(_, kept)| signed(kept.index.0)))
    .bind(column(&rows, |(_, kept)| kept.moves[0].as_slice()))
    .bind(column(&rows, |(_, kept)| kept.moves[1].as_slice()))
    .bind(column(&rows, evals(0)))
    .bind(column(&rows, evals(1)))
    .bind(column(&rows, times(0)))
    .bind(column(&rows, times(1)))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

impl Ledger {
    /// Makes sure that moves of today and the next two days have a table to go to.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn make_days(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT pair_moves_make_days()").execute(&self.pool).await?;
        Ok(())
    }

    /// Drops the moves of days that are longer ago than this; how many days those were.
    ///
    /// # Errors
    /// Errors of the database; others read or write the moves just now, so that it has to be tried again.
    pub async fn drop_days(&self, keep_days: u32) -> Result<u32, StoreError> {
        let dropped: i32 = sqlx::query_scalar("SELECT pair_moves_drop_days($1)")
            .bind(i32::try_from(keep_days).unwrap_or(i32::MAX))
            .fetch_one(&self.pool)
            .await?;
        Ok(u32::try_from(dropped).unwrap_or(0))
    }

    /// At most `limit` pairs of a run from `first` on, in their order.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn pairs_from(
        &self,
        run: RunId,
        first: PairIndex,
        limit: u32,
    ) -> Result<Vec<StoredPair>, StoreError> {
        // The day is that of the report, so that one partition is looked into for each pair.
        let rows = sqlx::query(
            "SELECT p.pair_index, l.worker_id,
                    (extract(epoch FROM r.merged_at) * 1000)::bigint AS merged_ms,
                    p.first_score, p.first_termination, p.first_plies, p.first_nodes,
                    p.first_moves, m.first_moves AS first_code, m.first_evals, m.first_times,
                    p.second_score, p.second_termination, p.second_plies, p.second_nodes,
                    p.second_moves, m.second_moves AS second_code, m.second_evals, m.second_times
             FROM pairs_by_row p
             JOIN leases l ON l.id = p.lease_id
             JOIN reports_by_row r ON r.id = p.report_id
             LEFT JOIN pair_moves m
                    ON m.run_id = p.run_id AND m.pair_index = p.pair_index
                   AND m.day = (r.merged_at AT TIME ZONE 'UTC')::date
             WHERE p.run_id = $1 AND p.pair_index >= $2
             ORDER BY p.pair_index LIMIT $3",
        )
        .bind(run.0)
        .bind(signed(first.0))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let pair = |row: &PgRow| {
            Ok(StoredPair {
                index: PairIndex(unsigned(row.try_get("pair_index")?)),
                worker: WorkerId(row.try_get("worker_id")?),
                merged_at_unix_ms: row.try_get("merged_ms")?,
                games: [game(row, "first")?, game(row, "second")?],
            })
        };
        let mut pairs: Vec<StoredPair> =
            rows.iter().map(pair).collect::<Result<_, StoreError>>()?;
        let packed = self.grouped_pairs_from(run, first, limit).await?;
        pairs.append(&mut self.with_records(run, packed).await?);
        pairs.sort_by_key(|pair| pair.index);
        pairs.truncate(limit as usize);
        Ok(pairs)
    }

    /// Packed pairs with their workers and what is kept of their moves.
    async fn with_records(
        &self,
        run: RunId,
        pairs: Vec<GroupedPair>,
    ) -> Result<Vec<StoredPair>, StoreError> {
        let times = || pairs.iter().map(|pair| pair.merged_at.0);
        let (Some(first), Some(last)) = (times().min(), times().max()) else {
            return Ok(Vec::new());
        };
        let workers = self.workers_of_leases(pairs.iter().map(|pair| pair.lease)).await?;
        // The day is that of the report, so that no other partition is looked into.
        let rows = sqlx::query(
            "SELECT pair_index, first_moves, second_moves, first_evals, second_evals,
                    first_times, second_times
             FROM pair_moves
             WHERE run_id = $1 AND pair_index = ANY ($2)
               AND day BETWEEN (to_timestamp($3::bigint / 1000000) AT TIME ZONE 'UTC')::date
                           AND (to_timestamp($4::bigint / 1000000) AT TIME ZONE 'UTC')::date",
        )
        .bind(run.0)
        .bind(column(&pairs, |pair| signed(pair.index.0)))
        .bind(first)
        .bind(last)
        .fetch_all(&self.pool)
        .await?;
        let mut records: BTreeMap<PairIndex, [KeptGame; 2]> = BTreeMap::new();
        for row in &rows {
            let index = PairIndex(unsigned(row.try_get("pair_index")?));
            let of = |game: &str| {
                let column = |what: &str| format!("{game}_{what}");
                let moves = row.try_get(column("moves").as_str())?;
                let evals = row.try_get(column("evals").as_str())?;
                let times = row.try_get(column("times").as_str())?;
                Ok::<KeptGame, StoreError>((moves, evals, times))
            };
            records.insert(index, [of("first")?, of("second")?]);
        }
        let stored = |pair: GroupedPair| {
            let worker = workers.get(&pair.lease).copied().ok_or_else(|| {
                StoreError::unreadable("a pair of no lease", format!("pair {}", pair.index))
            })?;
            let [first, second] = pair.games;
            let games = match records.remove(&pair.index) {
                Some([one, two]) => [kept_game(first, Some(one)), kept_game(second, Some(two))],
                None => [kept_game(first, None), kept_game(second, None)],
            };
            let merged_at_unix_ms = pair.merged_at.0 / 1000;
            Ok(StoredPair { index: pair.index, worker, merged_at_unix_ms, games })
        };
        pairs.into_iter().map(stored).collect()
    }
}

/// A game with its moves and what the searches said, where they are kept.
fn kept_game(game: PackedGame, kept: Option<KeptGame>) -> StoredGame {
    let PackedGame { score, termination, plies, nodes } = game;
    let (moves, evals, times) = match kept {
        Some((moves, evals, times)) => (StoredMoves::Code(moves), evals, times),
        None => (StoredMoves::Gone, None, None),
    };
    StoredGame { score, termination, plies, nodes, moves, evals, times }
}

fn game(row: &PgRow, which: &str) -> Result<StoredGame, StoreError> {
    let name = |column: &str| format!("{which}_{column}");
    let unreadable = |what: &str, found: &dyn std::fmt::Display| {
        StoreError::unreadable(format!("the {what} of a pair"), found)
    };
    let score: i16 = row.try_get(name("score").as_str())?;
    let termination: String = row.try_get(name("termination").as_str())?;
    let plies: i32 = row.try_get(name("plies").as_str())?;
    let text: Option<String> = row.try_get(name("moves").as_str())?;
    let code: Option<Vec<u8>> = row.try_get(name("code").as_str())?;
    Ok(StoredGame {
        score: GameScore::from_half_points(score.into())
            .ok_or_else(|| unreadable("score", &score))?,
        termination: Termination::from_name(&termination)
            .ok_or_else(|| unreadable("termination", &termination))?,
        plies: Ply(u64::try_from(plies).unwrap_or(0)),
        nodes: Nodes(unsigned(row.try_get(name("nodes").as_str())?)),
        moves: match (code, text) {
            (Some(code), _) => StoredMoves::Code(code),
            (None, Some(text)) => StoredMoves::Text(text),
            (None, None) => StoredMoves::Gone,
        },
        evals: row.try_get(name("evals").as_str())?,
        times: row.try_get(name("times").as_str())?,
    })
}
