//! Who plays whom under which limits, checked and made ready once for all pairs of a lease.

use crate::{ArenaError, Clock};
use games::{
    Game, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::spec::GameLimit;
use model::{GameKind, ParameterSet, printable};
use std::sync::Arc;

/// Two parameter sets that the engine takes, and the limits of their games. Slots share it, and each
/// makes the sets ready once.
#[derive(Clone, Debug)]
pub struct Matchup {
    /// The game.
    pub game: GameKind,
    /// Limits of every game.
    pub limit: GameLimit,
    /// Whether what the searches say of the moves stays in the records.
    pub record_evals: bool,
    /// What moves are timed by; their times are then in the records.
    pub clock: Option<Clock>,
    /// The candidate's numbers, then the base's; known and in range.
    pub(crate) sets: Arc<[ParameterSet; 2]>,
}

impl Matchup {
    /// Checks both sets; what they do not name keeps the engine's defaults.
    ///
    /// # Errors
    /// A set has an unknown name or a value out of range.
    pub fn new(
        game: GameKind,
        limit: GameLimit,
        candidate: &ParameterSet,
        base: &ParameterSet,
    ) -> Result<Self, ArenaError> {
        for (side, set) in [("candidate", candidate), ("base", base)] {
            engine::check_set(game, set)
                .map_err(|source| ArenaError::Parameters { side, source })?;
        }
        let sets = Arc::new([candidate.clone(), base.clone()]);
        Ok(Self { game, limit, record_evals: false, clock: None, sets })
    }

    /// The same, with what the searches say of the moves in the records, or without.
    #[must_use]
    pub fn recording_evals(self, record_evals: bool) -> Self {
        Self { record_evals, ..self }
    }

    /// The same, with the times of the moves in the records, by this clock.
    #[must_use]
    pub fn timed_by(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }
}

/// Whether a position text is a position of the game from which there is something to play.
///
/// # Errors
/// It is no position, or its game is over.
pub fn check_opening(game: GameKind, text: &str) -> Result<(), ArenaError> {
    match game {
        GameKind::Xiangqi => read_opening::<Xiangqi>(text).map(drop),
        GameKind::Chess => read_opening::<Chess>(text).map(drop),
        GameKind::Shogi => read_opening::<Shogi>(text).map(drop),
        GameKind::Othello => read_opening::<Othello>(text).map(drop),
        GameKind::TicTacToe => read_opening::<TicTacToe>(text).map(drop),
    }
}

/// The position of an opening.
pub(crate) fn read_opening<G: Game>(text: &str) -> Result<G, ArenaError> {
    let found = || printable(text, 120);
    let position = G::from_fen(text)
        .map_err(|source| ArenaError::OpeningUnreadable { found: found(), source })?;
    match position.result() {
        Some(over) => Err(ArenaError::OpeningOver { found: found(), reason: over.reason }),
        None => Ok(position),
    }
}
