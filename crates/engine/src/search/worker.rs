//! One thread of a search under way: what it has while it searches, and the way down to a child and
//! back.

use super::frame::Frame;
use super::parallel::{Memory, Shared};
use super::root_moves::RootMoves;
use crate::history::Histories;
use crate::table::Table;
use crate::value::MATE_BOUND;
use crate::{Evaluate, SearchGame, SearchParams, StopSignal};

/// One thread of a search under way.
pub(super) struct Worker<'a, G: SearchGame> {
    pub(super) table: &'a Table,
    pub(super) histories: &'a mut Histories,
    pub(super) frames: &'a mut [Frame<G::Move>],
    pub(super) eval: &'a mut G::Eval,
    pub(super) params: &'a SearchParams<G>,
    /// 0 is the thread that listens to the outside.
    pub(super) number: usize,
    pub(super) shared: &'a Shared,
    /// The first thread's alone.
    pub(super) stop: Option<&'a StopSignal<'a>>,
    pub(super) nodes: u64,
    /// Nodes that may be visited before the next look at the outside.
    pub(super) granted: u64,
    /// Set once; every value returned afterwards is void.
    pub(super) stopped: bool,
    /// The best move of the root so far, the default move before the first.
    pub(super) root_best: G::Move,
    pub(super) root_score: i32,
    /// The root moves to look at; empty: all of them.
    pub(super) root_moves: Vec<G::Move>,
    /// What each root move has cost and scored.
    pub(super) ledger: RootMoves<G::Move>,
    pub(super) selective_depth: usize,
    /// Depth and width of the window of the root's present search.
    pub(super) root_depth: i32,
    pub(super) root_delta: i32,
    /// The ply from which null moves are tried, while one is verified; else 0.
    pub(super) null_from: usize,
}

impl<'a, G: SearchGame> Worker<'a, G> {
    /// Sets everything up for a search of `position`.
    pub(super) fn new(
        number: usize,
        memory: &'a mut Memory<G>,
        table: &'a Table,
        position: &G,
        params: &'a SearchParams<G>,
        shared: &'a Shared,
    ) -> Self {
        let Memory { histories, frames, eval } = memory;
        histories.age(params.tunables().history.history_decay);
        eval.reset(params.eval(), position);
        frames.iter_mut().for_each(Frame::forget);
        let root = &mut frames[0];
        root.hash = position.hash();
        root.in_check = position.in_check();
        root.after_null = false;
        root.excluded = G::Move::default();
        root.pv.clear();
        Self {
            table,
            histories,
            frames,
            eval,
            params,
            number,
            shared,
            stop: None,
            nodes: 0,
            granted: 0,
            stopped: false,
            root_best: G::Move::default(),
            root_score: 0,
            root_moves: Vec::new(),
            ledger: RootMoves::default(),
            selective_depth: 0,
            root_depth: 0,
            root_delta: 1,
            null_from: 0,
        }
    }

    /// Whether one more position may be visited; counts it if so.
    #[inline]
    pub(super) fn spend_node(&mut self) -> bool {
        if self.nodes == self.granted && !self.ask_for_nodes() {
            return false;
        }
        self.nodes += 1;
        true
    }

    #[cold]
    fn ask_for_nodes(&mut self) -> bool {
        self.stopped =
            self.stopped || self.shared.has_ended() || self.stop.is_some_and(StopSignal::is_raised);
        if !self.stopped {
            self.granted += self.shared.grant();
            self.stopped = self.nodes == self.granted;
        }
        !self.stopped
    }

    /// Has the table's line fetched for the node behind a move that is about to be made.
    #[inline]
    pub(super) fn prefetch(&self, position: &G, mv: G::Move) {
        if let Some(hash) = position.hash_after(mv) {
            self.table.prefetch(hash);
        }
    }

    /// Makes a move and prepares the child's frame.
    #[inline]
    pub(super) fn make(&mut self, position: &mut G, mv: G::Move, ply: usize) {
        if ply == 0 {
            self.ledger.begin(mv, self.nodes);
        }
        self.eval.push(self.params.eval(), position, Some(mv));
        position.make(mv);
        let child = &mut self.frames[ply + 1];
        child.hash = position.hash();
        child.in_check = position.in_check();
        child.after_null = false;
        child.excluded = G::Move::default();
    }

    #[inline]
    pub(super) fn unmake(&mut self, position: &mut G) {
        position.unmake();
        self.eval.pop();
    }

    /// Puts `mv` before the child's line.
    pub(super) fn extend_pv(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let pv = &mut upper[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0].pv);
    }

    /// The static value for the side to move; never a mate, whatever the weights.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &G) -> i32 {
        let value = self.eval.evaluate(self.params.eval(), position);
        value.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }
}
