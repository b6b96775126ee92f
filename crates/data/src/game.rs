//! One game as it is stored.

use games::replay::Ending;
use model::evals::MoveEval;

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its number in the recipe.
    pub index: u64,
    /// The position that the engine began from, in the game's notation; random moves lie before it.
    pub opening: String,
    /// The moves, as [`games::movecode`] writes them.
    pub code: Vec<u8>,
    /// What the search said of each move; as many as there are half-moves.
    pub evals: Vec<MoveEval>,
    /// Whether the position before each move is kept.
    pub kept: Vec<bool>,
    /// How it ended.
    pub ending: Ending,
}

impl Game {
    /// Half-moves.
    #[must_use]
    pub fn plies(&self) -> u64 {
        self.evals.len() as u64
    }

    /// Positions that are kept.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.kept.iter().filter(|kept| **kept).count() as u64
    }
}

/// A game just played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The game, with every position kept that the filters let through.
    pub game: Game,
    /// The hashes of the positions before each move.
    pub hashes: Vec<u64>,
}
