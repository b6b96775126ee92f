//! The exact end of a game of othello: the disc difference under best play by both sides.
//!
//! Principal variation search down to the last disc. What makes it quick is the order of moves:
//! *fastest first*, the move after which the other side has the fewest answers (after R. Feldmann and
//! others), the quadrants with an odd number of empty squares before the others, far from the end a
//! shallow look with the evaluation; then cut-offs by stable discs and by the table, also by what it
//! knows of the children (enhanced transposition cut-off, A. Plaat and others, 1996). The last four
//! squares have functions of their own. Far from the end a selective rehearsal comes first: it says about
//! where the score lies and leaves good first moves in the table.
//!
//! Scores are disc differences for the side to move, -64 to 64, empty squares counted for the winner.

mod ends;
mod order;
mod parity;
mod rehearsal;
mod shallow;
mod stability;
mod table;

#[cfg(test)]
mod tests;

use super::eval::OthelloTables;
use crate::StopSignal;
use games::othello::{Board, Move, Othello, Square};
use model::Nodes;
use order::{ANY, Choice, MOST_MOVES, bring_best_forward};
use parity::Parity;
use shallow::SHALLOW;
use stability::stable_discs;
use table::{Certainty, Found, Known, Table};

/// More than every score.
const INFINITE: i32 = 65;
/// From so many empty squares on the table is asked about children.
const ENHANCED: u32 = 10;
/// From so many empty squares on a stop signal is asked, once in so many nodes.
const SIGNAL_INTERVAL: u64 = 4096;

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

/// What an attempt at a position has found out before its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The disc difference under best play lies between these; where they meet it is known.
    pub bounds: Bounds,
    /// A move that reaches the lower bound; `None` when nothing was proven of any move.
    pub best: Option<Move>,
}

impl Attempt {
    /// The disc difference under best play, if it is known.
    #[must_use]
    pub fn score(&self) -> Option<i32> {
        (self.bounds.low == self.bounds.high).then_some(self.bounds.low)
    }
}

/// Which question about the score comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Where a shallow search expects it.
    Guess,
    /// Who wins.
    Winner,
}

/// Solves positions; what it learns of one serves the next.
pub struct Solver {
    table: Table,
    /// Orders moves; no answer depends on it.
    eval: &'static OthelloTables,
    nodes: u64,
    limit: u64,
    /// The node count at which the signal is asked next.
    ask_at: u64,
    /// Whether the search that goes on may trust forecasts.
    certainty: Certainty,
    stopped: bool,
}

impl Solver {
    /// A solver with a table of at most so many MiB; 0 makes the smallest.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        Self {
            table: Table::new(megabytes),
            eval: OthelloTables::standard(),
            nodes: 0,
            limit: u64::MAX,
            ask_at: 0,
            certainty: Certainty::Exact,
            stopped: false,
        }
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
        let attempt = self.run(position, u64::MAX, Aim::Guess, stop, watch);
        let score = attempt.score()?;
        Some(Solution { score, best: attempt.best, nodes: attempt.bounds.nodes })
    }

    /// Finds out who wins, and then by how many discs, as far as so many nodes go: never one more.
    pub fn attempt(&mut self, position: &Othello, nodes: Nodes, stop: &StopSignal<'_>) -> Attempt {
        self.run(position, nodes.0, Aim::Winner, stop, &mut |_| {})
    }

    /// Forgets what was learnt.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    fn run(
        &mut self,
        position: &Othello,
        limit: u64,
        aim: Aim,
        stop: &StopSignal<'_>,
        watch: &mut dyn FnMut(Bounds),
    ) -> Attempt {
        (self.nodes, self.limit, self.ask_at, self.stopped) = (0, limit, 0, false);
        self.certainty = Certainty::Exact;
        let board = position.board();
        if board.is_over() {
            let score = ends::final_score(board);
            let bounds = Bounds { low: score, high: score, nodes: Nodes(0) };
            return Attempt { bounds, best: None };
        }
        if board.can_move() {
            return self.root(board, aim, stop, watch);
        }
        let from_here = |bounds: Bounds| Bounds { low: -bounds.high, high: -bounds.low, ..bounds };
        let other = self.root(board.passed(), aim, stop, &mut |bounds| watch(from_here(bounds)));
        Attempt { bounds: from_here(other.bounds), best: Some(Move::PASS) }
    }

    /// A board with a move: a guess, a rehearsal, and the proof.
    fn root(
        &mut self,
        board: Board,
        aim: Aim,
        stop: &StopSignal<'_>,
        watch: &mut dyn FnMut(Bounds),
    ) -> Attempt {
        let empties = board.empty().count_ones();
        let mut guess = 0;
        for depth in 1..=empties.saturating_sub(10).min(8) {
            guess = even(self.guess(board, depth, -6400, 6400) / 100);
        }
        let mut first = board.move_squares().next().unwrap_or(ANY);
        if empties >= rehearsal::LEAST_EMPTIES {
            self.certainty = Certainty::Selective;
            let rehearsed = self.narrow(board, [guess, guess], first, stop, &mut |_| {});
            self.certainty = Certainty::Exact;
            guess = even(rehearsed.bounds.low);
            first = rehearsed.best.and_then(Move::square).unwrap_or(first);
        }
        let start = if aim == Aim::Winner { 0 } else { guess };
        self.narrow(board, [start, guess], first, stop, watch)
    }

    /// The value of a board by narrow windows, moved until one fits: the first at one score, the second
    /// at another, if the first has not refuted it.
    fn narrow(
        &mut self,
        board: Board,
        [start, guess]: [i32; 2],
        mut first: Square,
        stop: &StopSignal<'_>,
        watch: &mut dyn FnMut(Bounds),
    ) -> Attempt {
        let mut center = start;
        let (mut low, mut high) = (-64, 64);
        let mut best = None;
        let mut second = Some(guess).filter(|guess| *guess != start);
        while low < high && !self.stopped {
            let (alpha, beta) = (center - 1, center + 1);
            let (score, square) = self.root_window(board, alpha, beta, first, stop);
            if self.stopped {
                break;
            }
            // A selective search may contradict itself: bounds must meet all the same.
            if score > alpha {
                // A move that failed low is no better than any other.
                first = square;
                best = Some(Move::place(square));
                low = score.min(high);
            }
            if score < beta {
                high = score.max(low);
            }
            watch(Bounds { low, high, nodes: Nodes(self.nodes) });
            let next = if score >= beta { (score + 2).min(high) } else { (score - 2).max(low) };
            center = second.take().map_or(next, |guess| guess.clamp(low, high));
        }
        Attempt { bounds: Bounds { low, high, nodes: Nodes(self.nodes) }, best }
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
        let mut choices = [Choice { square: ANY, child: board, rank: 0 }; MOST_MOVES];
        let known = Known { best: Some(first), ..table::NOTHING };
        let count = self.choose(board, board.moves(), &known, empties, &mut choices);
        let (mut best, mut best_square) = (-INFINITE, first);
        for index in 0..count {
            bring_best_forward(&mut choices[index..count]);
            let Choice { square, child, .. } = choices[index];
            let score = -self.node(child, -beta, -alpha, empties - 1, stop);
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                best_square = square;
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
            return self.shallow(board, alpha, beta, empties, Parity::of(board.empty()));
        }
        if !self.spend() {
            return alpha;
        }
        if self.nodes >= self.ask_at && stop.can_raise() {
            self.ask_at = self.nodes + SIGNAL_INTERVAL;
            self.stopped |= stop.is_raised();
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
        let known = self.table.probe(board, self.certainty);
        if known.lower >= beta || known.lower == known.upper {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        if let Some(bound) = self.foretold(board, alpha, beta, empties) {
            return bound;
        }
        let first_alpha = alpha;
        let mut choices = [Choice { square: ANY, child: board, rank: 0 }; MOST_MOVES];
        let count = self.choose(board, moves, &known, empties, &mut choices);
        if self.stopped {
            return alpha;
        }
        let choices = &mut choices[..count];
        if choices.iter().any(|choice| choice.child.own() == 0) {
            return 64;
        }
        if empties >= ENHANCED {
            let upper = |choice: &Choice| self.table.probe(choice.child, self.certainty).upper;
            let bounds = choices.iter().map(|choice| -upper(choice));
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
        let slot = Found { empties, certainty: self.certainty, score: best, best: best_square };
        self.table.store(board, first_alpha, beta, slot);
        best
    }

    /// Counts a node if there is one left.
    #[inline]
    fn spend(&mut self) -> bool {
        self.stopped |= self.nodes >= self.limit;
        self.nodes += u64::from(!self.stopped);
        !self.stopped
    }
}

/// The nearest score towards a draw that a window can stand at: scores are even, since empty squares count
/// for the winner.
fn even(score: i32) -> i32 {
    score.clamp(-62, 62) / 2 * 2
}

/// Whether so many stable discs can be hoped for that a bound at or below alpha follows: the fewer
/// squares are empty, the more discs are stable.
#[inline]
fn is_worth_counting(alpha: i32, empties: u32) -> bool {
    alpha >= 2 * empties as i32 - 6
}
