//! One search under way: what a thread has while it searches, and the way down to a child and back.

use super::SIGNAL_INTERVAL;
use super::frame::Frame;
use crate::history::Histories;
use crate::table::Table;
use crate::{Evaluate, SearchGame, SearchParams, StopSignal};

/// One search under way.
pub(super) struct Worker<'a, G: SearchGame> {
    pub(super) table: &'a Table,
    pub(super) histories: &'a mut Histories,
    pub(super) frames: &'a mut [Frame<G::Move>],
    pub(super) eval: &'a mut G::Eval,
    pub(super) params: &'a SearchParams<G>,
    pub(super) node_limit: u64,
    pub(super) stop: &'a StopSignal<'a>,
    pub(super) ask_stop: bool,
    pub(super) nodes: u64,
    /// Set once; every value returned afterwards is void.
    pub(super) stopped: bool,
    /// The best move of the root so far, the default move before the first.
    pub(super) root_best: G::Move,
    pub(super) root_score: i32,
    /// The root moves to look at; empty: all of them.
    pub(super) root_moves: Vec<G::Move>,
    pub(super) selective_depth: usize,
    /// Depth and width of the window of the root's present search.
    pub(super) root_depth: i32,
    pub(super) root_delta: i32,
    /// The ply from which null moves are tried, while one is verified; else 0.
    pub(super) null_from: usize,
}

impl<G: SearchGame> Worker<'_, G> {
    /// Whether one more position may be visited; counts it if so.
    #[inline]
    pub(super) fn spend_node(&mut self) -> bool {
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
    pub(super) fn make(&mut self, position: &mut G, mv: G::Move, ply: usize) {
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

    /// The static value for the side to move.
    #[inline]
    pub(super) fn evaluate(&self, position: &G) -> i32 {
        self.eval.evaluate(self.params.eval(), position)
    }
}
