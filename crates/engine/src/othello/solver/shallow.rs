//! Few empty squares: no table. The odd quadrants come first, a little further from the end the moves with
//! the fewest answers.

use super::order::ANY;
use super::parity::{Parity, quadrant_of};
use super::stability::stable_discs;
use super::{INFINITE, Solver, ends, is_worth_counting};
use crate::othello::eval::CORNERS;
use games::othello::{Board, Squares};

/// Up to so many empty squares there is no table.
pub(super) const SHALLOW: u32 = 7;
/// From so many empty squares on it pays to count the answers to a move.
const FASTEST_FIRST: u32 = 6;
/// What an odd quadrant is worth, in quarters of an answer.
const ODD: i32 = 3;

impl Solver {
    /// The value of a board with few empty squares within (`alpha`, `beta`); outside, a bound.
    pub(super) fn shallow(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        empties: u32,
        parity: Parity,
    ) -> i32 {
        if empties <= 4 {
            if self.nodes + ends::MOST_NODES > self.limit {
                self.stopped = true;
                return alpha;
            }
            return ends::last(board, alpha, beta, parity, &mut self.nodes);
        }
        if !self.spend() {
            return alpha;
        }
        let moves = board.moves();
        if moves == 0 {
            let passed = board.passed();
            if !passed.can_move() {
                return ends::final_score(board);
            }
            return -self.shallow(passed, -beta, -alpha, empties, parity);
        }
        if is_worth_counting(alpha, empties) {
            let most = 64 - 2 * stable_discs(board.passed()).count_ones() as i32;
            if most <= alpha {
                return most;
            }
        }
        if empties >= FASTEST_FIRST && !moves.is_power_of_two() {
            self.fastest_first(board, moves, [alpha, beta], empties, parity)
        } else {
            self.odd_first(board, moves, [alpha, beta], empties, parity)
        }
    }

    fn odd_first(
        &mut self,
        board: Board,
        moves: u64,
        [mut alpha, beta]: [i32; 2],
        empties: u32,
        parity: Parity,
    ) -> i32 {
        let odd = parity.squares();
        let mut best = -INFINITE;
        for part in [moves & odd, moves & !odd] {
            for square in Squares(part) {
                let child = board.placed(square, board.flips(square));
                let after = parity.after(quadrant_of(square));
                let score = -self.shallow(child, -beta, -alpha, empties - 1, after);
                if score > best {
                    best = score;
                    if score >= beta {
                        return score;
                    }
                    alpha = alpha.max(score);
                }
            }
        }
        best
    }

    fn fastest_first(
        &mut self,
        board: Board,
        moves: u64,
        [mut alpha, beta]: [i32; 2],
        empties: u32,
        parity: Parity,
    ) -> i32 {
        let odd = parity.squares();
        let mut tried = [(0, ANY, board); SHALLOW as usize];
        let mut count = 0;
        for square in Squares(moves) {
            let child = board.placed(square, board.flips(square));
            let answers = child.moves();
            let mobility = answers.count_ones() + (answers & CORNERS).count_ones();
            let rank = 4 * mobility as i32 - ODD * i32::from(square.bit() & odd != 0);
            // Sorted by insertion: there are few.
            let mut place = count;
            while place > 0 && tried[place - 1].0 > rank {
                tried[place] = tried[place - 1];
                place -= 1;
            }
            tried[place] = (rank, square, child);
            count += 1;
        }
        let mut best = -INFINITE;
        for &(_, square, child) in &tried[..count] {
            let after = parity.after(quadrant_of(square));
            let score = -self.shallow(child, -beta, -alpha, empties - 1, after);
            if score > best {
                best = score;
                if score >= beta {
                    return score;
                }
                alpha = alpha.max(score);
            }
        }
        best
    }
}
