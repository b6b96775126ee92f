//! The search from the root: iterative deepening with aspiration windows, and its limits.
//!
//! A [`Searcher`] owns what outlives one search (table, history) and what every search reuses
//! (frames), so that a search of a few hundred nodes allocates and clears next to nothing.

mod extension;
mod forecast;
mod frame;
mod lmr;
mod moves;
mod node;
mod pruning;
mod quiescence;
mod root;
mod ruling;
mod worker;

#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod repetition_tests;
#[cfg(test)]
mod tests;

pub use extension::Extension;
pub use lmr::Lmr;
pub use pruning::Pruning;
pub use quiescence::QuiescenceTunables;
pub use root::Aspiration;

use frame::Frame;
use worker::Worker;

use crate::history::Histories;
use crate::table::Table;
use crate::value::MAX_PLY;
use crate::{Evaluate, Limits, SearchGame, SearchParams, StopSignal};
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

/// What a search is asked, beside the position.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a, M> {
    /// When to end.
    pub limits: Limits,
    /// The only root moves to look at; empty: all of them.
    pub only: &'a [M],
    /// How many of the best root moves get a line of their own (MultiPV); 0 counts as 1.
    pub lines: usize,
}

impl<M> Question<'_, M> {
    /// One line over all moves.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, only: &[], lines: 1 }
    }
}

/// What one line of a completed iteration has found.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, M> {
    /// Its iteration, in plies.
    pub depth: u32,
    /// The deepest ply of the principal variations.
    pub selective_depth: u32,
    /// 1 for the best line.
    pub line: usize,
    /// The value from the view of the side to move.
    pub score: Score,
    /// Positions visited so far.
    pub nodes: Nodes,
    /// How much of the table this search has filled, in thousandths.
    pub table_permille: u32,
    /// The expected moves.
    pub pv: &'a [M],
}

/// A root move with a line of its own.
struct Line<M> {
    score: i32,
    pv: Vec<M>,
}

/// A player's memory between searches of one game.
pub struct Searcher<G: SearchGame> {
    table: Table,
    histories: Histories,
    frames: Vec<Frame<G::Move>>,
    eval: G::Eval,
}

impl<G: SearchGame> Searcher<G> {
    /// A searcher with a transposition table of at most `hash_mb` MiB; 0 makes the smallest.
    #[must_use]
    pub fn new(hash_mb: usize) -> Self {
        Self {
            table: Table::new(hash_mb),
            histories: Histories::new(G::MOVE_SLOTS, G::PIECE_SLOTS, G::VICTIMS),
            frames: (0..=MAX_PLY).map(|_| Frame::new()).collect(),
            eval: G::Eval::default(),
        }
    }

    /// Forgets the past: what follows is as with a new searcher of this size.
    pub fn new_game(&mut self) {
        self.table.new_game();
        self.histories.clear();
    }

    /// Searches `position`, which is as before when this returns.
    ///
    /// Whenever there is a legal move one is returned, however small the limits. With
    /// [`StopSignal::never`] the result depends on the position with its history, the parameters,
    /// the limits and the searches since the last [`Searcher::new_game`] alone.
    pub fn search(
        &mut self,
        position: &mut G,
        params: &SearchParams<G>,
        limits: &Limits,
        stop: &StopSignal<'_>,
    ) -> SearchResult<G::Move> {
        self.search_reporting(position, params, &Question::new(*limits), stop, &mut |_| {})
    }

    /// [`Searcher::search`] with more to ask, and a word after each line of each iteration.
    ///
    /// When `question.only` names moves of which none is legal, all are looked at.
    pub fn search_reporting(
        &mut self,
        position: &mut G,
        params: &SearchParams<G>,
        question: &Question<'_, G::Move>,
        stop: &StopSignal<'_>,
        report: &mut dyn FnMut(&Report<'_, G::Move>),
    ) -> SearchResult<G::Move> {
        self.worker(position, params, &question.limits, stop).iterate(position, question, report)
    }

    /// Sets everything up for a search of `position`.
    fn worker<'a>(
        &'a mut self,
        position: &G,
        params: &'a SearchParams<G>,
        limits: &Limits,
        stop: &'a StopSignal<'a>,
    ) -> Worker<'a, G> {
        self.table.new_search();
        self.histories.age(params.tunables().history.history_decay);
        self.eval.reset(params.eval(), position);
        self.frames.iter_mut().for_each(Frame::forget);
        let root = &mut self.frames[0];
        root.hash = position.hash();
        root.in_check = position.in_check();
        root.after_null = false;
        root.excluded = G::Move::default();
        root.pv.clear();
        Worker {
            table: &self.table,
            histories: &mut self.histories,
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
            root_moves: Vec::new(),
            selective_depth: 0,
            root_depth: 0,
            root_delta: 1,
            null_from: 0,
        }
    }

    /// One zero-window search of the root: is the value more than `bound`?
    #[cfg(test)]
    fn probe_window(
        &mut self,
        position: &mut G,
        params: &SearchParams<G>,
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
