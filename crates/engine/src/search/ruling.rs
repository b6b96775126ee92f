//! What the rules say about a node before it is searched: over, a repetition, a limit in sight.
//!
//! A value that rests on the line to its node (a repetition, a move limit) is not kept for other
//! lines: a frame's `rests_on` names the earliest ply that it needs.

use super::worker::Worker;
use crate::SearchGame;
use crate::table::{Bound, Entry};
use crate::value::{DRAW, INFINITE, MATE, MATE_BOUND, MAX_PLY, from_table, mated_at};
use games::{Repetition, RuleWinner};
use model::Termination;

/// What is known of a node without a search.
pub(super) enum Ruling {
    /// Nothing.
    Open,
    /// Its value.
    Value(i32),
    /// That it is on one side of a draw.
    Bound(DrawBound),
}

/// A node whose position stood before on the line, where the rules would give the game to one side
/// if the line went on like that. The other side can still leave it, so nobody has won; but that
/// side could have left it at once as well, so that here it cannot have more than a draw.
pub(super) struct DrawBound {
    low: i32,
    high: i32,
    /// The ply at which the position stood.
    earlier: usize,
}

impl DrawBound {
    /// The value of the node, by a search of what the bound leaves of the window.
    #[inline]
    pub(super) fn search<G: SearchGame>(
        self,
        worker: &mut Worker<'_, G>,
        ply: usize,
        alpha: i32,
        beta: i32,
        expand: impl FnOnce(&mut Worker<'_, G>, i32, i32) -> i32,
    ) -> i32 {
        let (alpha, beta) = (alpha.max(self.low), beta.min(self.high));
        let score = if alpha < beta { expand(worker, alpha, beta) } else { DRAW };
        // What lies strictly within is the value by itself.
        if score <= self.low || score >= self.high {
            let rests_on = &mut worker.frames[ply].rests_on;
            *rests_on = self.earlier.min(*rests_on);
        }
        score.clamp(self.low, self.high)
    }
}

impl<G: SearchGame> Worker<'_, G> {
    /// Asks the rules about a node; the root is always open, for somebody wants a move there.
    #[inline]
    pub(super) fn ruling(&mut self, position: &G, ply: usize) -> Ruling {
        self.frames[ply].rests_on = usize::MAX;
        if ply == 0 {
            return Ruling::Open;
        }
        if let Some(repetition) = position.repetition(ply) {
            return self.repeated(repetition, ply);
        }
        if let Some(over) = position.over() {
            self.frames[ply].rests_on = match over.reason {
                Termination::Repetition | Termination::MoveLimit => 0,
                _ => usize::MAX,
            };
            return Ruling::Value(value_of(over.winner, ply));
        }
        if ply >= MAX_PLY - 1 {
            return Ruling::Value(self.evaluate(position));
        }
        Ruling::Open
    }

    /// What a draw by repetition within reach says about a node that the rules leave open: a side that
    /// would be content with it has it, whatever its other moves are worth, and need not look for it.
    #[inline]
    pub(super) fn draw_in_reach(&self, position: &mut G, ply: usize, alpha: i32) -> Ruling {
        if alpha >= DRAW || ply == 0 {
            return Ruling::Open;
        }
        match position.repeating_move() {
            Some(mv) => Self::by_repeating(position, ply, mv),
            None => Ruling::Open,
        }
    }

    #[cold]
    fn by_repeating(position: &mut G, ply: usize, mv: G::Move) -> Ruling {
        if !position.is_legal(mv) {
            return Ruling::Open;
        }
        position.make(mv);
        let found = position.repetition(ply + 1);
        position.unmake();
        match found {
            Some(Repetition { winner: RuleWinner::Draw, plies_ago, is_final }) => {
                let earlier = if is_final { 0 } else { (ply + 1).saturating_sub(plies_ago) };
                Ruling::Bound(DrawBound { low: DRAW, high: INFINITE, earlier })
            }
            _ => Ruling::Open,
        }
    }

    /// A second occurrence that makes a draw stands for the last: what could be done better in between
    /// can be done at once.
    #[cold]
    fn repeated(&mut self, repetition: Repetition, ply: usize) -> Ruling {
        let Repetition { winner, plies_ago, is_final } = repetition;
        let earlier = if is_final { 0 } else { ply.saturating_sub(plies_ago) };
        self.frames[ply].rests_on = earlier;
        let (low, high) = match winner {
            _ if is_final => return Ruling::Value(value_of(winner, ply)),
            RuleWinner::Draw => return Ruling::Value(DRAW),
            _ if ply >= MAX_PLY - 1 => return Ruling::Value(DRAW),
            RuleWinner::SideToMove => (DRAW, INFINITE),
            RuleWinner::Opponent => (-INFINITE, DRAW),
        };
        self.frames[ply].rests_on = usize::MAX;
        Ruling::Bound(DrawBound { low, high, earlier })
    }

    /// The value that the table has for a node, if it is deep enough and settles the window.
    ///
    /// What lies behind a move limit the table cannot know: it finds a position by its hash alone.
    #[inline]
    pub(super) fn known_value(
        &self,
        position: &G,
        entry: Entry,
        depth: i32,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        if !self.table.deep_enough(entry.depth, depth) {
            return None;
        }
        let score = from_table(entry.score, ply);
        let fits = match entry.bound {
            Bound::None => false,
            Bound::Upper => score <= alpha,
            Bound::Lower => score >= beta,
            Bound::Exact => true,
        };
        if !fits {
            return None;
        }
        self.fits_limit(position, entry).then_some(score)
    }

    /// Notes what a node's value rests on; only earlier plies of the line count.
    #[inline]
    pub(super) fn rest_on(&mut self, ply: usize, rests_on: usize) {
        self.frames[ply].rests_on = if rests_on < ply { rests_on } else { usize::MAX };
    }

    /// What a searched value says about the true one, for a table that finds a node by any line.
    #[inline]
    pub(super) fn bound_of(&self, ply: usize, best: i32, alpha: i32, beta: i32) -> Bound {
        if self.frames[ply].rests_on < ply {
            Bound::None
        } else if best >= beta {
            Bound::Lower
        } else if best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a move limit is further away than what an entry knows.
    #[inline]
    pub(super) fn fits_limit(&self, position: &G, entry: Entry) -> bool {
        let mate_in = if entry.score.abs() >= MATE_BOUND { MATE - entry.score.abs() } else { 0 };
        let reach = entry.depth.max(mate_in);
        position.plies_to_limit().is_none_or(|left| reach < left as i32)
    }
}

/// The value of a game that is over.
fn value_of(winner: RuleWinner, ply: usize) -> i32 {
    match winner {
        RuleWinner::SideToMove => MATE - ply as i32,
        RuleWinner::Opponent => mated_at(ply),
        RuleWinner::Draw => DRAW,
    }
}
