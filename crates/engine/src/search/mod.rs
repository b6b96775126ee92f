//! The search from the root: iterative deepening with aspiration windows, and its limits.
//!
//! A [`Searcher`] owns what outlives one search (table, history) and what every search reuses
//! (frames), so that a search of a few hundred nodes allocates and clears next to nothing.

mod node;
mod quiescence;

#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod tests;

use crate::history::History;
use crate::picker::Picker;
use crate::table::Table;
use crate::value::{INFINITE, MATE, MAX_PLY, NONE};
use crate::{Evaluate, Limits, SearchGame, SearchParams, StopSignal};
use games::MoveList;
use model::{Nodes, Score};

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 64;

/// A stop signal is asked once in so many nodes.
const SIGNAL_INTERVAL: u64 = 512;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The move to play; `None` only when there is no legal move.
    pub best: Option<M>,
    /// The value from the view of the side to move.
    pub score: Score,
    /// The last iteration that was completed, in plies.
    pub depth: u32,
    /// Positions visited beyond the root.
    pub nodes: Nodes,
    /// The expected line, beginning with `best`.
    pub pv: Vec<M>,
}

/// Quiet moves of one node that are remembered for their malus.
const TRIED: usize = 64;

/// What the search keeps for one ply of the current line.
struct Frame<M> {
    picker: Picker<M>,
    pv: Vec<M>,
    tried: [M; TRIED],
    killers: [M; 2],
    hash: u64,
    /// Static evaluation, [`NONE`] in check.
    eval: i32,
    /// Whether the side to move is in check.
    in_check: bool,
    /// Whether the move that led here was the null move.
    after_null: bool,
    /// The earliest ply that this position can be a repetition of.
    floor: usize,
    /// The earliest ply whose presence on the line this node's value rests on; `usize::MAX` when
    /// the value holds for every line to the node.
    rests_on: usize,
}

impl<M: Copy + Default + Eq> Frame<M> {
    fn new() -> Self {
        Self {
            picker: Picker::new(),
            pv: Vec::with_capacity(MAX_PLY),
            tried: [M::default(); TRIED],
            killers: [M::default(); 2],
            hash: 0,
            eval: NONE,
            in_check: false,
            after_null: false,
            floor: 0,
            rests_on: usize::MAX,
        }
    }
}

/// A player's memory between searches of one game.
pub struct Searcher<G: SearchGame> {
    table: Table<G::Move>,
    history: History,
    frames: Vec<Frame<G::Move>>,
    eval: G::Eval,
}

impl<G: SearchGame> Searcher<G> {
    /// A searcher with a transposition table of at most `hash_mb` MiB; 0 makes the smallest.
    #[must_use]
    pub fn new(hash_mb: usize) -> Self {
        Self {
            table: Table::new(hash_mb),
            history: History::new(G::MOVE_SLOTS),
            frames: (0..=MAX_PLY).map(|_| Frame::new()).collect(),
            eval: G::Eval::default(),
        }
    }

    /// Forgets the past: what follows is as with a new searcher of this size.
    pub fn new_game(&mut self) {
        self.table.new_game();
        self.history.clear();
    }

    /// Searches `position`, which is as before when this returns.
    ///
    /// Whenever there is a legal move one is returned, however small the limits. With
    /// [`StopSignal::never`] the result depends on the position with its history, the parameters,
    /// the limits and the searches since the last [`Searcher::new_game`] alone.
    pub fn search(
        &mut self,
        position: &mut G,
        params: &SearchParams,
        limits: &Limits,
        stop: &StopSignal<'_>,
    ) -> SearchResult<G::Move> {
        let depth = limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        self.worker(position, params, limits, stop).iterate(position, depth as i32)
    }

    /// Sets everything up for a search of `position`.
    fn worker<'a>(
        &'a mut self,
        position: &G,
        params: &'a SearchParams,
        limits: &Limits,
        stop: &'a StopSignal<'a>,
    ) -> Worker<'a, G> {
        self.table.new_search();
        self.eval.reset(position);
        for frame in &mut self.frames {
            frame.killers = [G::Move::default(); 2];
        }
        let root = &mut self.frames[0];
        root.hash = position.hash();
        root.in_check = position.in_check();
        root.after_null = false;
        root.floor = 0;
        root.pv.clear();
        Worker {
            table: &mut self.table,
            history: &mut self.history,
            frames: &mut self.frames,
            eval: &mut self.eval,
            params,
            node_limit: limits.nodes.map_or(u64::MAX, |nodes| nodes.0),
            stop,
            ask_stop: stop.can_raise(),
            nodes: 0,
            stopped: false,
            root_best: G::Move::default(),
            root_score: 0,
        }
    }

    /// One zero-window search of the root: is the value more than `bound`?
    #[cfg(test)]
    fn probe_window(
        &mut self,
        position: &mut G,
        params: &SearchParams,
        depth: i32,
        bound: i32,
    ) -> i32 {
        let stop = StopSignal::never();
        self.worker(position, params, &Limits::default(), &stop).node::<false>(
            position,
            depth,
            bound,
            bound + 1,
            0,
            false,
        )
    }
}

/// One search under way.
struct Worker<'a, G: SearchGame> {
    table: &'a mut Table<G::Move>,
    history: &'a mut History,
    frames: &'a mut [Frame<G::Move>],
    eval: &'a mut G::Eval,
    params: &'a SearchParams,
    node_limit: u64,
    stop: &'a StopSignal<'a>,
    ask_stop: bool,
    nodes: u64,
    /// Set once; every value returned afterwards is void.
    stopped: bool,
    /// The best move of the root so far, the default move before the first.
    root_best: G::Move,
    root_score: i32,
}

impl<G: SearchGame> Worker<'_, G> {
    fn iterate(mut self, position: &mut G, max_depth: i32) -> SearchResult<G::Move> {
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        let mut result = SearchResult {
            best: legal.first().copied(),
            score: Score(0),
            depth: 0,
            nodes: Nodes(0),
            pv: Vec::new(),
        };
        for depth in 1..=max_depth.max(1) {
            let score = self.aspirate(position, depth, result.score.0);
            if self.root_best != G::Move::default() {
                result.best = Some(self.root_best);
                result.score = Score(self.root_score);
                // A stop may leave the line of the root behind its best move.
                if self.frames[0].pv.first() == Some(&self.root_best) {
                    result.pv.clone_from(&self.frames[0].pv);
                } else if result.pv.first() != Some(&self.root_best) {
                    result.pv = vec![self.root_best];
                }
            }
            if self.stopped {
                break;
            }
            result.score = Score(score);
            result.depth = depth as u32;
            // A mate within the depth cannot be improved upon.
            if score.abs() >= MATE - depth || legal.is_empty() {
                break;
            }
        }
        if result.pv.is_empty() {
            result.pv.extend(result.best);
        }
        result.nodes = Nodes(self.nodes);
        result
    }

    /// One iteration: a window around the last score, widened on the failing side.
    fn aspirate(&mut self, position: &mut G, depth: i32, last: i32) -> i32 {
        let tunables = &self.params.tunables;
        let mut delta = f64::from(tunables.aspiration_delta);
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= tunables.aspiration_min_depth {
            alpha = (last - delta as i32).max(-INFINITE);
            beta = (last + delta as i32).min(INFINITE);
        }
        loop {
            let score = self.node::<true>(position, depth, alpha, beta, 0, false);
            if self.stopped {
                return score;
            }
            delta *= tunables.aspiration_widen;
            // Past any evaluation only a mate can lie outside.
            let width = if delta > 2000.0 { 2 * INFINITE } else { delta as i32 };
            if score <= alpha && alpha > -INFINITE {
                beta = (alpha + beta) / 2;
                alpha = (score - width).max(-INFINITE);
            } else if score >= beta && beta < INFINITE {
                beta = (score + width).min(INFINITE);
            } else {
                return score;
            }
        }
    }

    /// Whether one more position may be visited; counts it if so.
    #[inline]
    fn spend_node(&mut self) -> bool {
        if self.nodes >= self.node_limit
            || (self.ask_stop
                && self.nodes.is_multiple_of(SIGNAL_INTERVAL)
                && self.stop.is_raised())
        {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Makes a move and prepares the child's frame.
    #[inline]
    fn make(&mut self, position: &mut G, mv: G::Move, ply: usize, noisy: bool) {
        self.eval.push(position, Some(mv));
        position.make(mv);
        let floor = if noisy { ply + 1 } else { self.frames[ply].floor };
        let child = &mut self.frames[ply + 1];
        child.hash = position.hash();
        child.in_check = position.in_check();
        child.after_null = false;
        child.floor = floor;
    }

    #[inline]
    fn unmake(&mut self, position: &mut G) {
        position.unmake();
        self.eval.pop();
    }

    /// The earlier ply at which this line had the same position.
    #[inline]
    fn repeated_ply(&self, ply: usize) -> Option<usize> {
        let Frame { hash, floor, .. } = self.frames[ply];
        let mut earlier = ply;
        while earlier >= floor + 2 {
            earlier -= 2;
            if self.frames[earlier].hash == hash {
                return Some(earlier);
            }
        }
        None
    }

    /// Puts `mv` before the child's line.
    fn extend_pv(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let pv = &mut upper[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0].pv);
    }
}
