//! From a stored game to its positions.

use crate::game::Game;
use games::FenError;
use games::movecode::{self, CodeError};
use games::replay::Winner;
use model::Score;

/// A kept position of a game, its line of moves made.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a, G> {
    /// The position.
    pub position: &'a G,
    /// What the search said of it, for the side to move.
    pub score: Score,
    /// What the side to move got out of the game: 0, 0.5 or 1.
    pub result: f32,
    /// Half-moves since the engine began to play.
    pub ply: u64,
}

/// A stored game that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// Its opening is no position.
    #[error("game {index}: the opening is no position: {source}")]
    Opening {
        /// Its number.
        index: u64,
        /// What is wrong with it.
        source: FenError,
    },
    /// Its moves cannot be read.
    #[error("game {index}: {source}")]
    Moves {
        /// Its number.
        index: u64,
        /// What is wrong with them.
        source: CodeError,
    },
}

/// The opening of a game and its moves.
pub(crate) fn moves<G: games::Game>(game: &Game) -> Result<(G, Vec<G::Move>), WalkError> {
    let index = game.index;
    let opening =
        G::from_fen(&game.opening).map_err(|source| WalkError::Opening { index, source })?;
    let moves = movecode::decode(&opening, game.plies(), &game.code)
        .map_err(|source| WalkError::Moves { index, source })?;
    Ok((opening, moves))
}

/// Visits the kept positions of a game in order.
///
/// # Errors
/// The game is none.
pub fn positions<G: games::Game>(
    game: &Game,
    mut visit: impl FnMut(Position<'_, G>),
) -> Result<(), WalkError> {
    let (mut position, moves) = moves::<G>(game)?;
    let first = match game.ending.winner {
        Winner::First => 1.0,
        Winner::Second => 0.0,
        Winner::Nobody => 0.5,
    };
    for (ply, ((mv, eval), kept)) in
        (0_u64..).zip(moves.into_iter().zip(&game.evals).zip(&game.kept))
    {
        if *kept {
            let result = if ply.is_multiple_of(2) { first } else { 1.0 - first };
            visit(Position { position: &position, score: eval.score, result, ply });
        }
        position.make(mv);
    }
    Ok(())
}
