//! The exact end of a game of othello: the disc difference under best play by both sides.
//!
//! Principal variation search down to the last disc. What makes it quick is the order of moves:
//! *fastest first*, the move after which the other side has the fewest answers (after R. Feldmann and
//! others), the quadrants with an odd number of empty squares before the others, far from the end a
//! shallow look with the evaluation; then cut-offs by stable discs and by the table, also by what it
//! knows of the children (enhanced transposition cut-off, A. Plaat and others, 1996). The last four
//! squares have functions of their own.
//!
//! Scores are disc differences for the side to move, -64 to 64, empty squares counted for the winner.

mod ends;
mod stability;
mod table;

#[cfg(test)]
mod tests;

use super::value;
use crate::StopSignal;
use games::othello::{Board, Move, Othello, Square};
use model::Nodes;
use stability::stable_discs;
use table::{Known, Table};

/// More than every score.
const INFINITE: i32 = 65;
/// A board has fewer moves than this.
const MOST_MOVES: usize = 34;
/// Up to so many empty squares there is neither table nor order by answers.
const SHALLOW: u32 = 7;
/// From so many empty squares on the table is asked about children.
const ENHANCED: u32 = 10;
/// From so many empty squares on a stop signal is asked, once in so many nodes.
const SIGNAL_INTERVAL: u64 = 4096;
/// How far before the end a shallow search orders the moves: depth by empty squares.
const LOOKS: [(u32, u32); 4] = [(21, 3), (18, 2), (15, 1), (12, 0)];
const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The quadrants of the board.
const QUADRANTS: [u64; 4] = {
    let quarter = 0x0f0f_0f0f;
    [quarter, quarter << 4, quarter << 32, quarter << 36]
};

/// What is known when a position is solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The disc difference under best play, for the side to move.
    pub score: i32,
    /// A move that keeps it; `None` when the game is over.
    pub best: Option<Move>,
    /// Boards visited.
    pub nodes: Nodes,
}

/// What is known of a score while a position is being solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At least this, for the side to move.
    pub low: i32,
    /// At most this.
    pub high: i32,
    /// Boards visited so far.
    pub nodes: Nodes,
}

/// Solves positions; what it learns of one serves the next.
pub struct Solver {
    table: Table,
    nodes: u64,
    stopped: bool,
}

/// A move that is to be tried.
#[derive(Clone, Copy)]
struct Choice {
    square: u8,
    child: Board,
    rank: i32,
}

impl Solver {
    /// A solver with a table of at most so many MiB; 0 makes the smallest.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        Self { table: Table::new(megabytes), nodes: 0, stopped: false }
    }

    /// Solves a position; `None` when it was stopped before.
    ///
    /// The time grows about threefold with each further empty square; 20 take well under a second.
    pub fn solve(&mut self, position: &Othello, stop: &StopSignal<'_>) -> Option<Solution> {
        self.solve_watched(position, stop, &mut |_| {})
    }

    /// [`Solver::solve`] with a word after each window that narrows the score.
    pub fn solve_watched(
        &mut self,
        position: &Othello,
        stop: &StopSignal<'_>,
        watch: &mut dyn FnMut(Bounds),
    ) -> Option<Solution> {
        self.nodes = 0;
        self.stopped = false;
        let board = position.board();
        let done = |score, best, nodes| Some(Solution { score, best, nodes: Nodes(nodes) });
        if board.is_over() {
            return done(ends::final_score(board), None, 0);
        }
        if !board.can_move() {
            let mut seen_from_here = |bounds: Bounds| {
                watch(Bounds { low: -bounds.high, high: -bounds.low, ..bounds });
            };
            let (score, _) = self.root(board.passed(), stop, &mut seen_from_here)?;
            return done(-score, Some(Move::PASS), self.nodes);
        }
        let (score, best) = self.root(board, stop, watch)?;
        done(score, Some(Move::place(best)), self.nodes)
    }

    /// A board with a move: its value by narrow windows around a guess, moved until one fits.
    fn root(
        &mut self,
        board: Board,
        stop: &StopSignal<'_>,
        watch: &mut dyn FnMut(Bounds),
    ) -> Option<(i32, Square)> {
        let empties = board.empty().count_ones();
        let mut guess = 0;
        for depth in 1..=empties.saturating_sub(10).min(8) {
            guess = self.guess(board, depth, -6400, 6400) / 100;
        }
        // Scores are even, since empty squares count for the winner.
        let mut center = guess.clamp(-62, 62) / 2 * 2;
        let (mut low, mut high) = (-64, 64);
        let mut best = board.move_squares().next()?;
        while low < high {
            let (alpha, beta) = (center - 1, center + 1);
            let (score, square) = self.root_window(board, alpha, beta, best, stop);
            if self.stopped {
                return None;
            }
            if score > alpha {
                // A move that failed low is no better than any other.
                best = square;
                low = score;
            }
            if score < beta {
                high = score;
            }
            watch(Bounds { low, high, nodes: Nodes(self.nodes) });
            center = if score >= beta { (score + 2).min(high) } else { (score - 2).max(low) };
        }
        Some((low, best))
    }

    /// One window at the root, the move that was best so far first.
    fn root_window(
        &mut self,
        board: Board,
        mut alpha: i32,
        beta: i32,
        first: Square,
        stop: &StopSignal<'_>,
    ) -> (i32, Square) {
        let empties = board.empty().count_ones();
        let mut choices = [Choice { square: 0, child: board, rank: 0 }; MOST_MOVES];
        let known = Known { best: Some(first), ..table::NOTHING };
        let count = self.choose(board, board.moves(), &known, empties, &mut choices);
        let (mut best, mut best_square) = (-INFINITE, first);
        for index in 0..count {
            bring_best_forward(&mut choices[index..count]);
            let Choice { square, child, .. } = choices[index];
            let score = -self.node(child, -beta, -alpha, empties - 1, stop);
            if score > best {
                best = score;
                best_square = Square::new(square).unwrap_or(first);
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        (best, best_square)
    }

    /// The value of a board within (`alpha`, `beta`); outside, a bound (fail-soft).
    fn node(
        &mut self,
        board: Board,
        mut alpha: i32,
        beta: i32,
        empties: u32,
        stop: &StopSignal<'_>,
    ) -> i32 {
        if empties <= SHALLOW {
            return self.shallow(board, alpha, beta, empties);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(SIGNAL_INTERVAL) && stop.can_raise() && stop.is_raised() {
            self.stopped = true;
        }
        if self.stopped {
            return alpha;
        }
        let moves = board.moves();
        if moves == 0 {
            let passed = board.passed();
            if !passed.can_move() {
                return ends::final_score(board);
            }
            return -self.node(passed, -beta, -alpha, empties, stop);
        }
        if is_worth_counting(alpha, empties) {
            let most = 64 - 2 * stable_discs(board.passed()).count_ones() as i32;
            if most <= alpha {
                return most;
            }
        }
        let known = self.table.probe(board);
        if known.lower >= beta || known.lower == known.upper {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let first_alpha = alpha;
        let mut choices = [Choice { square: 0, child: board, rank: 0 }; MOST_MOVES];
        let count = self.choose(board, moves, &known, empties, &mut choices);
        let choices = &mut choices[..count];
        if choices.iter().any(|choice| choice.child.own() == 0) {
            return 64;
        }
        if empties >= ENHANCED {
            let bounds = choices.iter().map(|choice| -self.table.probe(choice.child).upper);
            if let Some(bound) = bounds.max().filter(|bound| *bound >= beta) {
                return bound;
            }
        }
        let mut best = -INFINITE;
        let mut best_square = choices[0].square;
        for index in 0..count {
            bring_best_forward(&mut choices[index..]);
            let Choice { square, child, .. } = choices[index];
            let mut score;
            if index == 0 {
                score = -self.node(child, -beta, -alpha, empties - 1, stop);
            } else {
                score = -self.node(child, -alpha - 1, -alpha, empties - 1, stop);
                if score > alpha && score < beta {
                    score = -self.node(child, -beta, -alpha, empties - 1, stop);
                }
            }
            if self.stopped {
                return alpha;
            }
            if score > best {
                (best, best_square) = (score, square);
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        self.table.store(board, empties, first_alpha, beta, best, best_square);
        best
    }

    /// The moves with the ranks by which they are tried.
    fn choose(
        &mut self,
        board: Board,
        moves: u64,
        known: &Known,
        empties: u32,
        choices: &mut [Choice; MOST_MOVES],
    ) -> usize {
        let odd = odd_quadrants(board.empty());
        let look = LOOKS.iter().find(|(from, _)| empties >= *from).map(|(_, depth)| *depth);
        let mut count = 0;
        for square in games::othello::Squares(moves) {
            let child = board.placed(square, board.flips(square));
            let rank = if known.best == Some(square) {
                i32::MAX
            } else {
                let answers = child.moves();
                let mobility = answers.count_ones() + (answers & CORNERS).count_ones();
                let mut rank = -256 * mobility as i32 + super::square_value(square) / 4;
                if square.bit() & odd != 0 {
                    rank += 160;
                }
                rank -= 24 * super::frontier(child).count_ones() as i32;
                if let Some(depth) = look {
                    rank -= 2 * self.guess(child, depth, -6400, 6400);
                }
                rank
            };
            choices[count] = Choice { square: square.index() as u8, child, rank };
            count += 1;
        }
        count
    }

    /// A few plies with the evaluation, in hundredths of a disc.
    fn guess(&mut self, board: Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if depth == 0 {
            return value(board).clamp(-6400, 6400);
        }
        let moves = board.moves();
        if moves == 0 {
            let passed = board.passed();
            if !passed.can_move() {
                return 100 * ends::final_score(board);
            }
            return -self.guess(passed, depth, -beta, -alpha);
        }
        let mut choices = [Choice { square: 0, child: board, rank: 0 }; MOST_MOVES];
        let mut count = 0;
        for square in games::othello::Squares(moves) {
            let child = board.placed(square, board.flips(square));
            let rank = if depth >= 2 { -value(child) } else { 0 };
            choices[count] = Choice { square: square.index() as u8, child, rank };
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

    /// Few empty squares: no table, the odd quadrants first.
    fn shallow(&mut self, board: Board, mut alpha: i32, beta: i32, empties: u32) -> i32 {
        if empties <= 4 {
            return ends::last(board, alpha, beta, empties, &mut self.nodes);
        }
        self.nodes += 1;
        let moves = board.moves();
        if moves == 0 {
            let passed = board.passed();
            if !passed.can_move() {
                return ends::final_score(board);
            }
            return -self.shallow(passed, -beta, -alpha, empties);
        }
        if is_worth_counting(alpha, empties) {
            let most = 64 - 2 * stable_discs(board.passed()).count_ones() as i32;
            if most <= alpha {
                return most;
            }
        }
        let odd = odd_quadrants(board.empty());
        let mut best = -INFINITE;
        for part in [moves & odd, moves & !odd] {
            for square in games::othello::Squares(part) {
                let child = board.placed(square, board.flips(square));
                let score = -self.shallow(child, -beta, -alpha, empties - 1);
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
}

/// Whether so many stable discs can be hoped for that a bound at or below alpha follows: the fewer
/// squares are empty, the more discs are stable.
#[inline]
fn is_worth_counting(alpha: i32, empties: u32) -> bool {
    alpha >= 2 * empties as i32 - 6
}

/// The quadrants with an odd number of empty squares.
#[inline]
fn odd_quadrants(empty: u64) -> u64 {
    QUADRANTS
        .into_iter()
        .filter(|quadrant| (empty & quadrant).count_ones() % 2 == 1)
        .fold(0, |odd, quadrant| odd | quadrant)
}

/// Swaps the highest rank to the front; of equal ones the first.
#[inline]
fn bring_best_forward(choices: &mut [Choice]) {
    let mut best = 0;
    for index in 1..choices.len() {
        if choices[index].rank > choices[best].rank {
            best = index;
        }
    }
    choices.swap(0, best);
}
