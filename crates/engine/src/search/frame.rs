//! What the search keeps for one ply of the current line.

use crate::picker::Picker;
use crate::value::{MAX_PLY, NONE};
use arrayvec::ArrayVec;

/// Moves of one node that are remembered for their malus, of either kind.
const TRIED: usize = 32;

/// The moves of one search of a node.
pub(super) struct Work<M> {
    pub(super) picker: Picker<M>,
    /// Quiet moves that were searched, and noisy ones.
    pub(super) quiet: ArrayVec<M, TRIED>,
    pub(super) noisy: ArrayVec<M, TRIED>,
}

impl<M: Copy + Default + Eq> Work<M> {
    fn new() -> Self {
        Self { picker: Picker::new(), quiet: ArrayVec::new(), noisy: ArrayVec::new() }
    }
}

/// A ply of the line.
pub(super) struct Frame<M> {
    /// The search of the node, and the one that leaves out a move to see whether it is singular.
    pub(super) work: [Work<M>; 2],
    pub(super) pv: Vec<M>,
    pub(super) killers: [M; 2],
    pub(super) hash: u64,
    /// Static evaluation as the game's evaluation gives it; [`NONE`] in check.
    pub(super) raw_eval: i32,
    /// The same, corrected by what was learnt; [`NONE`] in check.
    pub(super) eval: i32,
    /// Whether the side to move is in check.
    pub(super) in_check: bool,
    /// Whether the move that led here was the null move.
    pub(super) after_null: bool,
    /// Whether the node is, or was once, part of a principal variation.
    pub(super) was_pv: bool,
    /// The move that is left out; the default move: none.
    pub(super) excluded: M,
    /// The move under way: itself, its piece slot, its number, whether it is noisy.
    pub(super) mv: M,
    pub(super) piece: usize,
    pub(super) count: i32,
    pub(super) noisy: bool,
    /// Plies by which the move under way is reduced.
    pub(super) reduction: i32,
    /// Nodes one ply on that failed high since this ply's parent was entered.
    pub(super) cutoffs: i32,
    /// The earliest ply whose presence on the line this node's value rests on; `usize::MAX` when
    /// the value holds for every line to the node.
    pub(super) rests_on: usize,
}

impl<M: Copy + Default + Eq> Frame<M> {
    pub(super) fn new() -> Self {
        Self {
            work: [Work::new(), Work::new()],
            pv: Vec::with_capacity(MAX_PLY),
            killers: [M::default(); 2],
            hash: 0,
            raw_eval: NONE,
            eval: NONE,
            in_check: false,
            after_null: false,
            was_pv: false,
            excluded: M::default(),
            mv: M::default(),
            piece: 0,
            count: 0,
            noisy: false,
            reduction: 0,
            cutoffs: 0,
            rests_on: usize::MAX,
        }
    }

    /// Makes it ready for another search.
    pub(super) fn forget(&mut self) {
        self.killers = [M::default(); 2];
        self.eval = NONE;
        self.was_pv = false;
        self.mv = M::default();
        self.count = 0;
        self.noisy = false;
        self.reduction = 0;
        self.cutoffs = 0;
    }
}
