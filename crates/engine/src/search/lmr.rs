//! Late move reductions: by how much a move that comes late in the order is searched less deeply.

use crate::params::PLY_UNIT;
use crate::tunables::tunables;
use crate::{SearchGame, SearchParams};

tunables! {
    /// Late move reductions; where nothing else is said in 1024ths of a ply.
    pub struct Lmr in Lmr {
        lmr_min_depth: i32 = 2, 1 => 64, c_end 0.6,
            "Depth in plies from which late moves are reduced.";
        lmr_min_moves: i32 = 1, 1 => 20, c_end 0.7,
            "Moves of a node that are never reduced.";
        lmr_base: f64 = 0.6, -1.0 => 3.0, c_end 0.1,
            "Reduction in plies of the first late move at depth one.";
        lmr_divisor: f64 = 2.3, 0.8 => 6.0, c_end 0.12,
            "Divisor of ln depth times ln move number.";
        lmr_worsening: i32 = 500, 0 => 2500, c_end 80,
            "More when the evaluation is not rising.";
        lmr_window: i32 = 400, 0 => 2000, c_end 80,
            "Less for a window that is still as wide as the root's.";
        lmr_pv: i32 = 900, 0 => 3000, c_end 100,
            "Less in a node of the principal variation.";
        lmr_was_pv: i32 = 700, 0 => 3000, c_end 100,
            "Less in a node that once was part of one.";
        lmr_table_above: i32 = 400, 0 => 2000, c_end 80,
            "Less there when the table's value is above alpha.";
        lmr_table_deep: i32 = 400, 0 => 2000, c_end 80,
            "Less there when the table's entry is deep enough.";
        lmr_cut: i32 = 1500, 0 => 4000, c_end 120,
            "More in a node that is expected to fail high.";
        lmr_cut_no_move: i32 = 700, 0 => 2500, c_end 80,
            "More there when the table has no move.";
        lmr_table_noisy: i32 = 700, 0 => 2500, c_end 80,
            "More for quiet moves when the table's move is noisy.";
        lmr_cutoffs: i32 = 700, 0 => 2500, c_end 80,
            "More when the moves before led to many nodes that failed high.";
        lmr_table_move: i32 = 1500, 0 => 4000, c_end 100,
            "Less for the table's move.";
        lmr_check: i32 = 800, 0 => 3000, c_end 100,
            "Less for a move that gives check.";
        lmr_noisy: i32 = 600, 0 => 3000, c_end 100,
            "Less for a noisy move.";
        lmr_killer: i32 = 600, 0 => 3000, c_end 100,
            "Less for a killer move.";
        lmr_history: i32 = 128, 0 => 600, c_end 12,
            "Less for a record of 1024 units.";
        lmr_history_offset: i32 = 0, -6000 => 12000, c_end 300,
            "Units of a record that count as level.";
        lmr_correction: i32 = 6, 0 => 40, c_end 2,
            "Less for each centipawn by which the evaluation is corrected.";
        lmr_deeper: i32 = 45, 0 => 400, c_end 8,
            "Centipawns above the best value at which the second search is a ply deeper.";
        lmr_shallower: i32 = 8, -20 => 100, c_end 3,
            "Centipawns above the best value below which it is a ply less deep.";
        lmr_bonus: i32 = 1000, 0 => 4000, c_end 100,
            "Units of record for a move whose second search is due.";
        lmr_late_no_move: i32 = 900, 0 => 2500, c_end 80,
            "More for the first moves of a node when the table has no move.";
        lmr_late_one: i32 = 3100, 500 => 9000, c_end 180,
            "Reduction from which a move that is not reduced otherwise loses a ply.";
        lmr_late_two: i32 = 4800, 500 => 12000, c_end 220,
            "Reduction from which it loses another.";
    }
}

/// What a reduction depends on, beside depth and number of the move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    pub(super) improving: bool,
    pub(super) pv_node: bool,
    pub(super) was_pv: bool,
    pub(super) cut_node: bool,
    pub(super) has_table_move: bool,
    pub(super) is_table_move: bool,
    pub(super) table_is_noisy: bool,
    pub(super) table_above_alpha: bool,
    pub(super) table_deep: bool,
    pub(super) many_cutoffs: bool,
    pub(super) noisy: bool,
    pub(super) killer: bool,
    pub(super) gives_check: bool,
    /// Width of the window, in 1024ths of the root's.
    pub(super) window: i32,
    /// The record of the move.
    pub(super) history: i32,
    /// Centipawns of the correction.
    pub(super) correction: i32,
}

/// The reduction before a move is made, as pruning uses it, in 1024ths of a ply.
#[inline]
pub(super) fn expected<G: SearchGame>(
    params: &SearchParams<G>,
    depth: i32,
    count: i32,
    late: &Late,
) -> i32 {
    let t = &params.tunables().lmr;
    let mut reduction = params.reduction(depth, count);
    if !late.improving {
        reduction += t.lmr_worsening;
    }
    reduction - late.window * t.lmr_window / PLY_UNIT
}

/// The reduction of a move, in 1024ths of a ply.
#[inline]
pub(super) fn adjusted<G: SearchGame>(params: &SearchParams<G>, expected: i32, late: &Late) -> i32 {
    let t = &params.tunables().lmr;
    let on = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let was_pv = late.was_pv;
    expected
        - on(late.pv_node, t.lmr_pv)
        - on(was_pv, t.lmr_was_pv)
        - on(was_pv && late.table_above_alpha, t.lmr_table_above)
        - on(was_pv && late.table_deep, t.lmr_table_deep)
        + on(late.cut_node, t.lmr_cut)
        + on(late.cut_node && !late.has_table_move, t.lmr_cut_no_move)
        + on(!late.noisy && late.table_is_noisy, t.lmr_table_noisy)
        + on(late.many_cutoffs, t.lmr_cutoffs)
        - on(late.is_table_move, t.lmr_table_move)
        - on(late.gives_check, t.lmr_check)
        - on(late.noisy, t.lmr_noisy)
        - on(late.killer, t.lmr_killer)
        - (late.history - t.lmr_history_offset) * t.lmr_history / 1024
        - late.correction * t.lmr_correction
}
