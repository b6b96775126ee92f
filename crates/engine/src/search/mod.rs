//! The search from the root: iterative deepening with aspiration windows, and its limits.
//!
//! A [`Searcher`] owns what outlives one search (table, history) and what every search reuses
//! (frames), so that a search of a few hundred nodes allocates and clears next to nothing.

mod node;
mod quiescence;
mod ruling;

#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod repetition_tests;
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
        self.search_reporting(position, params, &Question::new(*limits), stop, &mut |_| {})
    }

    /// [`Searcher::search`] with more to ask, and a word after each line of each iteration.
    ///
    /// When `question.only` names moves of which none is legal, all are looked at.
    pub fn search_reporting(
        &mut self,
        position: &mut G,
        params: &SearchParams,
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
            root_moves: Vec::new(),
            selective_depth: 0,
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
    /// The root moves to look at; empty: all of them.
    root_moves: Vec<G::Move>,
    selective_depth: usize,
}

impl<G: SearchGame> Worker<'_, G> {
    fn iterate(
        mut self,
        position: &mut G,
        question: &Question<'_, G::Move>,
        report: &mut dyn FnMut(&Report<'_, G::Move>),
    ) -> SearchResult<G::Move> {
        let Limits { depth: max_depth, mate, .. } = question.limits;
        let mut wanted = MoveList::new();
        position.legal(&mut wanted);
        let all = wanted.len();
        if question.only.iter().any(|mv| wanted.contains(mv)) {
            wanted.retain_from(0, |mv| question.only.contains(&mv));
        }
        let is_restricted = wanted.len() < all;
        let count = question.lines.clamp(1, wanted.len().max(1));
        let mut lines: Vec<Line<G::Move>> =
            (0..count).map(|_| Line { score: 0, pv: Vec::new() }).collect();
        let mut depth_done = 0;
        let mut unrest = 0.0;
        for depth in 1..=max_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) as i32 {
            let (best_before, score_before) = (lines[0].pv.first().copied(), lines[0].score);
            self.selective_depth = 0;
            for number in 0..count {
                self.root_moves.clear();
                if is_restricted || number > 0 {
                    let earlier = &lines[..number];
                    let taken = |mv| earlier.iter().any(|line| line.pv.first() == Some(&mv));
                    self.root_moves.extend(wanted.iter().filter(|&&mv| !taken(mv)));
                }
                let last = lines[number].score;
                if count > 1 {
                    // What this line thought best, unless an earlier line has taken it since.
                    let own = lines[number].pv.first().copied();
                    let own = own.filter(|mv| self.looks_at(*mv)).unwrap_or_default();
                    self.root_best = own;
                }
                let score = self.aspirate(position, depth, last);
                self.keep_line(&mut lines[number]);
                if self.stopped {
                    break;
                }
                lines[number].score = score;
                if count == 1 {
                    self.tell(report, depth, 1, &lines[0]);
                }
            }
            if count > 1 {
                lines.sort_by_key(|line| std::cmp::Reverse(line.score));
                for (number, line) in (1..).zip(&lines).filter(|(_, line)| !line.pv.is_empty()) {
                    self.tell(report, depth, number, line);
                }
            }
            if self.stopped {
                break;
            }
            depth_done = depth;
            let score = lines[0].score;
            let is_mate_found = mate.is_some_and(|plies| score >= MATE - plies as i32);
            // A mate within the depth cannot be improved upon.
            let is_mate = score.abs() >= MATE - depth && count == 1;
            if is_mate_found || is_mate || wanted.is_empty() {
                break;
            }
            let has_changed = best_before.is_some() && lines[0].pv.first() != best_before.as_ref();
            unrest = unrest / 2.0 + f64::from(u8::from(has_changed));
            let drop =
                if depth > 1 { f64::from((score_before - score).clamp(0, 200)) } else { 0.0 };
            if self.stop.is_late((0.6 + 0.4 * unrest + drop / 150.0).min(2.0)) {
                break;
            }
        }
        let best = &mut lines[0];
        if best.pv.is_empty() {
            best.pv.extend(wanted.first());
        }
        SearchResult {
            best: best.pv.first().copied(),
            score: Score(best.score),
            depth: depth_done as u32,
            nodes: Nodes(self.nodes),
            pv: std::mem::take(&mut best.pv),
        }
    }

    /// Takes over what the root has found for this line, also when it was stopped on the way.
    fn keep_line(&self, line: &mut Line<G::Move>) {
        if self.root_best == G::Move::default() {
            return;
        }
        line.score = self.root_score;
        // A stop may leave the line of the root behind its best move.
        if self.frames[0].pv.first() == Some(&self.root_best) {
            line.pv.clone_from(&self.frames[0].pv);
        } else if line.pv.first() != Some(&self.root_best) {
            line.pv = vec![self.root_best];
        }
    }

    fn tell(
        &self,
        report: &mut dyn FnMut(&Report<'_, G::Move>),
        depth: i32,
        number: usize,
        line: &Line<G::Move>,
    ) {
        report(&Report {
            depth: depth as u32,
            selective_depth: self.selective_depth as u32,
            line: number,
            score: Score(line.score),
            nodes: Nodes(self.nodes),
            table_permille: self.table.permille(),
            pv: &line.pv,
        });
    }

    /// Whether a root move is to be looked at.
    #[inline]
    fn looks_at(&self, mv: G::Move) -> bool {
        self.root_moves.is_empty() || self.root_moves.contains(&mv)
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
    fn make(&mut self, position: &mut G, mv: G::Move, ply: usize) {
        self.eval.push(position, Some(mv));
        position.make(mv);
        let child = &mut self.frames[ply + 1];
        child.hash = position.hash();
        child.in_check = position.in_check();
        child.after_null = false;
    }

    #[inline]
    fn unmake(&mut self, position: &mut G) {
        position.unmake();
        self.eval.pop();
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
