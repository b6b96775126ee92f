//! A selective search to the end of the game before the exact one, after Multi-ProbCut (M. Buro, 1997): what a
//! shallow search expects far outside of the window is believed.
//!
//! Its score is where the exact search begins, its moves are those that the exact search tries first; its
//! bounds count for nothing there.

use super::Solver;
use super::table::Certainty;
use games::othello::Board;

/// From so many empty squares on a rehearsal pays.
pub(super) const LEAST_EMPTIES: u32 = 18;
/// From so many empty squares on a node may be foretold.
const FORETOLD: u32 = 12;
/// Further empty squares for each ply that the forecast looks deeper.
const SQUARES_PER_PLY: u32 = 3;
/// How far outside of the window a forecast must lie, in hundredths of a disc.
const MARGIN: i32 = 800;

impl Solver {
    /// The bound of the window that a forecast lies beyond, in a rehearsal.
    pub(super) fn foretold(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        empties: u32,
    ) -> Option<i32> {
        if self.certainty == Certainty::Exact || empties < FORETOLD {
            return None;
        }
        let depth = (empties - FORETOLD) / SQUARES_PER_PLY;
        let low = (100 * alpha - MARGIN).max(-6400);
        let high = (100 * beta + MARGIN).min(6400);
        let score = self.guess(board, depth, low - 1, high + 1);
        if self.stopped || score < low {
            return Some(alpha);
        }
        (score > high).then_some(beta)
    }
}
