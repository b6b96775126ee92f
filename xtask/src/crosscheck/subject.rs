//! What is to be known about a game to compare it with an oracle: where lines begin, how positions and
//! moves are written there, and which of our verdicts the oracle can know.

use games::Game;
use model::Termination;
use rand_chacha::ChaCha8Rng;

use super::opinion::{Difference, Ours, Outcome, Theirs};

/// A game as one oracle sees it.
pub(super) trait Subject: Sync {
    /// Our position.
    type Position: Game;

    /// What the oracle calls the game.
    fn variant(&self) -> &'static str;

    /// A position to begin a line with.
    fn start(&self, rng: &mut ChaCha8Rng) -> Self::Position;

    /// The oracle's text of a position without history.
    fn fen(&self, position: &Self::Position) -> String {
        position.to_fen()
    }

    /// The oracle's text of a legal move.
    fn move_text(&self, position: &Self::Position, mv: <Self::Position as Game>::Move) -> String {
        position.move_to_text(mv)
    }

    /// Whether the side to move is in check; `None` in games without.
    fn check(&self, position: &Self::Position) -> Option<bool> {
        Some(position.in_check())
    }

    /// Whether the line is over by those of our rules that the oracle has, too.
    fn end(&self, position: &Self::Position) -> Option<(Outcome, Termination)> {
        position.result().map(|result| (Outcome::of(result.winner), result.reason))
    }

    /// The class of a difference that the README of `crates/games` explains.
    fn explain(&self, _case: &Case<'_, Self::Position>) -> Option<&'static str> {
        None
    }
}

/// A position on which the two differ.
pub(super) struct Case<'a, P> {
    /// With its history.
    pub(super) position: &'a P,
    pub(super) difference: Difference,
    pub(super) ours: &'a Ours,
    pub(super) theirs: &'a Theirs,
}
