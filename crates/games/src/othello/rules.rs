//! The end of a game and what it is worth.

use model::Termination;

use super::Othello;
use crate::{RuleResult, RuleWinner};

/// To whom the squares count that are empty at the end. Either way the same side wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// To the winner, as in tournaments and in published endgame scores; half each in a draw.
    #[default]
    EmptiesToWinner,
    /// To nobody: discs alone are counted.
    EmptiesIgnored,
}

impl Othello {
    /// The same position, scored in this way.
    #[must_use]
    pub fn with_scoring(mut self, scoring: Scoring) -> Self {
        self.scoring = scoring;
        self
    }

    /// How the end of the game is scored.
    #[must_use]
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The discs of the side to move less those of its opponent, -64 to 64, scored as if the game
    /// ended here; exact where it does.
    #[must_use]
    pub fn disc_difference(&self) -> i32 {
        let board = self.board();
        let difference = board.own().count_ones() as i32 - board.other().count_ones() as i32;
        match self.scoring {
            Scoring::EmptiesToWinner => difference + difference.signum() * self.empties() as i32,
            Scoring::EmptiesIgnored => difference,
        }
    }

    /// The result where neither side can place a disc.
    pub(super) fn result_at_end(&self) -> Option<RuleResult> {
        if !self.board().is_over() {
            return None;
        }
        let winner = match self.disc_difference() {
            1.. => RuleWinner::SideToMove,
            0 => RuleWinner::Draw,
            _ => RuleWinner::Opponent,
        };
        Some(RuleResult { winner, reason: Termination::Board })
    }
}
