//! In which order the moves of a board are tried: fastest first, odd quadrants before even ones, and far
//! from the end what a shallow look with the evaluation says.

use super::parity::Parity;
use super::table::Known;
use super::{Solver, ends};
use crate::othello::eval::{CORNERS, frontier};
use crate::othello::square_value;
use games::othello::{Board, Square, Squares};

/// A board has fewer moves than this.
pub(super) const MOST_MOVES: usize = 34;
/// Fills the places of moves that are not there.
pub(super) const ANY: Square = Square::new(0).expect("a square");
/// How far before the end a shallow search orders the moves: depth by empty squares.
const LOOKS: [(u32, u32); 4] = [(21, 3), (18, 2), (15, 1), (12, 0)];

/// A move that is to be tried.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) square: Square,
    pub(super) child: Board,
    pub(super) rank: i32,
}

impl Solver {
    /// The moves with the ranks by which they are tried.
    pub(super) fn choose(
        &mut self,
        board: Board,
        moves: u64,
        known: &Known,
        empties: u32,
        choices: &mut [Choice; MOST_MOVES],
    ) -> usize {
        let odd = Parity::of(board.empty()).squares();
        let look = LOOKS.iter().find(|(from, _)| empties >= *from).map(|(_, depth)| *depth);
        let mut count = 0;
        for square in Squares(moves) {
            let child = board.placed(square, board.flips(square));
            let rank = if known.best == Some(square) {
                i32::MAX
            } else {
                let answers = child.moves();
                let mobility = answers.count_ones() + (answers & CORNERS).count_ones();
                let mut rank = -256 * mobility as i32 + square_value(square) / 4;
                if square.bit() & odd != 0 {
                    rank += 80;
                }
                rank -= 24 * frontier(child).count_ones() as i32;
                if let Some(depth) = look {
                    rank -= 2 * self.guess(child, depth, -6400, 6400);
                }
                rank
            };
            choices[count] = Choice { square, child, rank };
            count += 1;
        }
        count
    }

    /// A few plies with the evaluation, in hundredths of a disc.
    pub(super) fn guess(&mut self, board: Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        if !self.spend() {
            return 0;
        }
        if depth == 0 {
            return self.eval.value(board).clamp(-6400, 6400);
        }
        let moves = board.moves();
        if moves == 0 {
            let passed = board.passed();
            if !passed.can_move() {
                return 100 * ends::final_score(board);
            }
            return -self.guess(passed, depth, -beta, -alpha);
        }
        let mut choices = [Choice { square: ANY, child: board, rank: 0 }; MOST_MOVES];
        let mut count = 0;
        for square in Squares(moves) {
            let child = board.placed(square, board.flips(square));
            let rank = if depth >= 2 { -self.eval.value(child) } else { 0 };
            choices[count] = Choice { square, child, rank };
            count += 1;
        }
        let mut best = -6500;
        for index in 0..count {
            bring_best_forward(&mut choices[index..count]);
            let score = -self.guess(choices[index].child, depth - 1, -beta, -alpha);
            if score > best {
                best = score;
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        best
    }
}

/// Swaps the highest rank to the front; of equal ones the first.
#[inline]
pub(super) fn bring_best_forward(choices: &mut [Choice]) {
    let mut best = 0;
    for index in 1..choices.len() {
        if choices[index].rank > choices[best].rank {
            best = index;
        }
    }
    choices.swap(0, best);
}
