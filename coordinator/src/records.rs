//! The games of a run as people and programs read them: openings and moves put back in place.

use crate::dispatch::openings::Openings;
use crate::recover::{self, RecoverError};
use games::replay::{self, ReplayError};
use model::lease::{Opening, PairIndex};
use model::spec::RunSpec;
use model::view::{GameView, PairView};
use model::{GameKind, RunId, evals};
use store::{Ledger, StoreError, StoredGame, StoredMoves, StoredPair};

/// Pairs that are read at a time.
const PAGE: u32 = 100;

/// Games that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The ledger does not answer, or has a row that this version cannot read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The book of the run cannot be read.
    #[error(transparent)]
    Book(#[from] RecoverError),
    /// Stored moves are none.
    #[error("the moves of pair {pair} cannot be read: {source}")]
    Moves {
        /// The pair.
        pair: PairIndex,
        /// Why.
        source: ReplayError,
    },
    /// The thread that decoded them is gone.
    #[error("the games could not be decoded")]
    Panicked,
}

/// The games of one run, page by page.
pub struct Records {
    ledger: Ledger,
    run: RunId,
    game: GameKind,
    openings: Openings,
    next: PairIndex,
}

impl Records {
    /// Those of a run from a pair on.
    ///
    /// # Errors
    /// The book of the run cannot be read.
    pub async fn from(
        ledger: &Ledger,
        run: RunId,
        spec: &RunSpec,
        first: PairIndex,
    ) -> Result<Self, RecordError> {
        let openings = recover::openings(ledger, run, spec).await?;
        Ok(Self { ledger: ledger.clone(), run, game: spec.game, openings, next: first })
    }

    /// The next pairs, at most `limit`; none at the end.
    ///
    /// # Errors
    /// The ledger does not answer, or stored moves are none.
    pub async fn page(&mut self, limit: u64) -> Result<Vec<PairView>, RecordError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX).min(PAGE);
        let stored = self.ledger.pairs_from(self.run, self.next, limit).await?;
        if let Some(last) = stored.last() {
            self.next = PairIndex(last.index.0 + 1);
        }
        let openings: Vec<Opening> = stored.iter().map(|p| self.openings.one(p.index)).collect();
        let (run, game) = (self.run, self.game);
        let decode = move || {
            let pairs = stored.into_iter().zip(openings);
            pairs.map(|(pair, opening)| view(run, game, opening, pair)).collect()
        };
        tokio::task::spawn_blocking(decode).await.map_err(|_| RecordError::Panicked)?
    }
}

fn view(
    run: RunId,
    kind: GameKind,
    opening: Opening,
    pair: StoredPair,
) -> Result<PairView, RecordError> {
    let game = |game: StoredGame| {
        let moves = match game.moves {
            StoredMoves::Gone => None,
            StoredMoves::Text(text) => Some(text),
            StoredMoves::Code(code) => Some(
                replay::moves_text(kind, &opening.position, game.plies.0, &code)
                    .map_err(|source| RecordError::Moves { pair: pair.index, source })?,
            ),
        };
        Ok::<_, RecordError>(GameView {
            score: game.score,
            termination: game.termination,
            plies: game.plies,
            nodes: game.nodes,
            moves,
            evals: game.evals.and_then(|bytes| evals::unpack(&bytes)).unwrap_or_default(),
            times: game.times.and_then(|bytes| evals::unpack_times(&bytes)).unwrap_or_default(),
        })
    };
    let [first, second] = pair.games;
    Ok(PairView {
        run,
        pair: pair.index,
        worker: pair.worker,
        merged_at_unix_ms: pair.merged_at_unix_ms,
        candidate_first: game(first)?,
        base_first: game(second)?,
        opening: opening.position.clone(),
    })
}
