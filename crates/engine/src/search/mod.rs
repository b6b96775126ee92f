//! The search from the root: iterative deepening with aspiration windows, and its limits.
//!
//! A [`Searcher`] owns what outlives one search (table, histories) and what every search reuses
//! (frames), so that a search of a few hundred nodes allocates and clears next to nothing.

mod extension;
mod forecast;
mod frame;
mod lmr;
mod moves;
mod node;
mod parallel;
mod pruning;
mod quiescence;
mod root;
mod root_moves;
mod ruling;
mod worker;

#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod repetition_tests;
#[cfg(test)]
mod root_tests;
#[cfg(test)]
mod tests;

pub use extension::Extension;
pub use lmr::Lmr;
pub use pruning::Pruning;
pub use quiescence::QuiescenceTunables;
pub use root::Aspiration;

use parallel::{Memory, Shared, elect};
use worker::Worker;

use crate::table::Table;
use crate::{Limits, SearchGame, SearchParams, StopSignal};
use model::{Nodes, Score};

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 64;

/// The most threads of a search.
pub const MAX_THREADS: usize = 256;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The move to play; `None` only when there is no legal move.
    pub best: Option<M>,
    /// The value from the view of the side to move.
    pub score: Score,
    /// The last iteration that was completed, in plies.
    pub depth: u32,
    /// Positions visited beyond the root, by all threads.
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
    /// Positions visited so far; of several threads, each of the others may be a few hundred behind.
    pub nodes: Nodes,
    /// How much of the table this search has filled, in thousandths.
    pub table_permille: u32,
    /// The expected moves.
    pub pv: &'a [M],
}

/// A root move with a line of its own.
#[derive(Clone)]
struct Line<M> {
    score: i32,
    pv: Vec<M>,
}

/// A player's memory between searches of one game.
pub struct Searcher<G: SearchGame> {
    table: Table,
    /// One for each thread, never none.
    memories: Vec<Memory<G>>,
    /// The score of the last search of this game.
    last_score: Option<i32>,
}

impl<G: SearchGame> Searcher<G> {
    /// A searcher of one thread with a transposition table of at most `hash_mb` MiB; 0 makes the
    /// smallest.
    #[must_use]
    pub fn new(hash_mb: usize) -> Self {
        Self { table: Table::new(hash_mb), memories: vec![Memory::new()], last_score: None }
    }

    /// Searches with so many threads from now on, at least 1 and at most [`MAX_THREADS`].
    ///
    /// They share the table, and nothing else. With more than one the answer is no longer the same
    /// every time.
    pub fn set_threads(&mut self, threads: usize) {
        self.memories.resize_with(threads.clamp(1, MAX_THREADS), Memory::new);
    }

    /// Gives the table another size, empty.
    pub fn resize(&mut self, hash_mb: usize) {
        // The old one goes first, so that there are never two.
        self.table = Table::new(0);
        self.table = Table::new(hash_mb);
    }

    /// Forgets the past: what follows is as with a new searcher of this size.
    pub fn new_game(&mut self) {
        self.table.new_game();
        self.memories.iter_mut().for_each(Memory::new_game);
        self.last_score = None;
    }

    /// Searches `position`, which is as before when this returns.
    ///
    /// Whenever there is a legal move one is returned, however small the limits. With one thread and
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
        self.table.new_search();
        let Self { table, memories, last_score } = self;
        let table = &*table;
        let limit = question.limits.nodes.map_or(u64::MAX, |nodes| nodes.0);
        let shared = Shared::new(limit, memories.len());
        let mut told = None;
        let mut hear = |words: &Report<'_, G::Move>| {
            if words.line == 1 {
                told = words.pv.first().copied();
            }
            report(words);
        };
        let mut found = std::thread::scope(|scope| {
            let mut numbered = memories.iter_mut().enumerate();
            let first = numbered.next().map(|(_, memory)| memory);
            let helpers: Vec<_> =
                numbered
                    .filter_map(|(number, memory)| {
                        let (mut position, shared) = (position.clone(), &shared);
                        let help =
                            move || {
                                Worker::new(number, memory, table, &position, params, shared)
                                    .iterate(&mut position, question, None, &mut |_| {})
                            };
                        // A thread that the system does not give is done without.
                        std::thread::Builder::new().spawn_scoped(scope, help).ok()
                    })
                    .collect();
            let end = shared.end_when_dropped();
            let mut found = Vec::with_capacity(1 + helpers.len());
            found.extend(first.map(|memory| {
                let mut worker = Worker::new(0, memory, table, position, params, &shared);
                worker.stop = Some(stop);
                worker.iterate(position, question, *last_score, &mut hear)
            }));
            drop(end);
            for helper in helpers {
                match helper.join() {
                    Ok(one) => found.push(one),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            found
        });
        let nodes = found.iter().map(|one| one.nodes).sum();
        // A depth or a mate was asked of the first thread, and lines of it as well.
        let is_vote = question.lines <= 1
            && question.limits.depth.is_none()
            && question.limits.mate.is_none()
            && !found[0].is_certain;
        let best = found.swap_remove(if is_vote { elect(&found) } else { 0 });
        *last_score = Some(best.line.score);
        if told.is_some() && told != best.line.pv.first().copied() {
            report(&Report {
                depth: best.depth,
                selective_depth: best.selective_depth as u32,
                line: 1,
                score: Score(best.line.score),
                nodes: Nodes(nodes),
                table_permille: table.permille(),
                pv: &best.line.pv,
            });
        }
        best.into_result(nodes)
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
        let shared = Shared::new(u64::MAX, 1);
        Worker::new(0, &mut self.memories[0], &self.table, position, params, &shared).node::<false>(
            position,
            depth,
            bound,
            bound + 1,
            0,
            false,
        )
    }
}
