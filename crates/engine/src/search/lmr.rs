//! Late move reductions.

use crate::tunables::tunables;

tunables! {
    /// Late move reductions.
    pub struct Lmr in Lmr {
        lmr_min_depth: i32 = 3, 1 => 64, c_end 0.7,
            "Depth in plies from which late moves are reduced.";
        lmr_min_moves: i32 = 4, 1 => 24, c_end 0.8,
            "Moves of a node that are searched before reductions begin.";
        lmr_base: f64 = 0.3, -1.0 => 3.0, c_end 0.12,
            "Late move reduction in plies: base + ln(depth) ln(move) / divisor (M. Romstad, 2005).";
        lmr_divisor: f64 = 3.0, 0.8 => 8.0, c_end 0.2,
            "Divisor of the logarithmic term of the late move reduction.";
        lmr_pv: f64 = 1.0, 0.0 => 3.0, c_end 0.15,
            "Plies taken off the reduction in a node of the principal variation.";
        lmr_check: f64 = 1.0, 0.0 => 3.0, c_end 0.15,
            "Plies taken off the reduction of a move that gives check.";
        lmr_cut: f64 = 0.0, 0.0 => 3.0, c_end 0.15,
            "Plies added to the reduction in a node that is expected to fail high.";
        lmr_worsening: f64 = 0.0, 0.0 => 2.0, c_end 0.15,
            "Plies added to the reduction when the evaluation is not rising.";
        lmr_history_div: i32 = 4096, 500 => 40000, c_end 800,
            "History score that takes one ply off the reduction.";
    }
}
