//! Plays through the games of strangers: whether their moves are legal, how they end by the rules, and
//! their moves in few bytes.
//!
//! What is said of a game is not asked here: whoever has a claim about its end compares it with what
//! comes out. Games are told apart by name, so that callers need no code of their own for each.

use crate::for_game;
use crate::movecode::{self, CodeError, Encoder};
use crate::{FenError, Game, MoveError, RuleWinner};
use model::{GameKind, Termination};

/// Who won, by the order of moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// Who made the first move from the opening.
    First,
    /// Who made the second.
    Second,
    /// Neither.
    Nobody,
}

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won.
    pub winner: Winner,
    /// Why it is over.
    pub reason: Termination,
}

/// A game that is as the rules want it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How it ends by the rules, or by the limit of length; `None` where it could go on.
    pub ending: Option<Ending>,
    /// Half-moves from the opening.
    pub plies: u64,
    /// Its moves, for [`moves_text`].
    pub code: Vec<u8>,
}

/// Why a game is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The opening is no position of the game.
    #[error("the opening is no position: {0}")]
    Opening(#[from] FenError),
    /// A text is no move, or no legal one.
    #[error("half-move {ply}: {source}")]
    Move {
        /// Which, from 1.
        ply: u64,
        /// What is wrong with it.
        source: MoveError,
    },
    /// Moves follow where the game is over.
    #[error("half-move {ply} comes after the end of the game by {}", reason.name())]
    Over {
        /// Which, from 1.
        ply: u64,
        /// Why it was over.
        reason: Termination,
    },
    /// The moves were stored with another opening or by other rules.
    #[error("the stored moves cannot be read: {0}")]
    Code(#[from] CodeError),
}

/// Plays `moves`, texts with one space between them, from the opening. A game that reaches `max_plies`
/// half-moves without an end by rule is a draw by [`Termination::PlyLimit`].
///
/// # Errors
/// The first thing that the rules do not allow.
pub fn replay(
    game: GameKind,
    opening: &str,
    moves: &str,
    max_plies: u64,
) -> Result<Replayed, ReplayError> {
    for_game!(game, G => replay_from(G::from_fen(opening)?, moves, max_plies))
}

/// The same from a position.
///
/// # Errors
/// The first thing that the rules do not allow.
pub fn replay_from<G: Game>(
    mut position: G,
    moves: &str,
    max_plies: u64,
) -> Result<Replayed, ReplayError> {
    let mut words = moves.split(' ').filter(|_| !moves.is_empty());
    let mut code = Encoder::default();
    let mut plies = 0;
    loop {
        let ending = ending(&position, plies, max_plies);
        let Some(word) = words.next() else {
            return Ok(Replayed { ending, plies, code: code.finish() });
        };
        let ply = plies + 1;
        if let Some(Ending { reason, .. }) = ending {
            return Err(ReplayError::Over { ply, reason });
        }
        let mv =
            position.move_from_text(word).map_err(|source| ReplayError::Move { ply, source })?;
        if !code.push(&position, mv) {
            let found = model::printable(word, 16);
            let allowed = "a legal move".to_owned();
            let source = MoveError { found, problem: "not legal here", allowed };
            return Err(ReplayError::Move { ply, source });
        }
        position.make(mv);
        plies = ply;
    }
}

/// How a game ends in a position so many half-moves after its opening, if it does: by rule, or as a draw
/// by the limit of length.
pub fn ending<G: Game>(position: &G, plies: u64, max_plies: u64) -> Option<Ending> {
    // The opening's side to move is the first.
    let (to_move, other) = match plies.is_multiple_of(2) {
        true => (Winner::First, Winner::Second),
        false => (Winner::Second, Winner::First),
    };
    match position.result() {
        Some(result) => {
            let winner = match result.winner {
                RuleWinner::SideToMove => to_move,
                RuleWinner::Opponent => other,
                RuleWinner::Draw => Winner::Nobody,
            };
            Some(Ending { winner, reason: result.reason })
        }
        None => (plies >= max_plies)
            .then_some(Ending { winner: Winner::Nobody, reason: Termination::PlyLimit }),
    }
}

/// The stored moves of a game as texts with one space between them.
///
/// # Errors
/// They are not of this opening, or were stored by other rules.
pub fn moves_text(
    game: GameKind,
    opening: &str,
    plies: u64,
    code: &[u8],
) -> Result<String, ReplayError> {
    for_game!(game, G => {
        let mut position = G::from_fen(opening)?;
        let mut text = String::new();
        for mv in movecode::decode(&position, plies, code)? {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&position.move_to_text(mv));
            position.make(mv);
        }
        Ok(text)
    })
}
