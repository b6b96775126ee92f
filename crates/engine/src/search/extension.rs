//! What is searched deeper: singular moves, and answers to a check.

use crate::tunables::tunables;

tunables! {
    /// What is searched deeper.
    pub struct Extension in Extension {
        check_extension: i32 = 1, 0 => 1, c_end 0.5,
            "Plies added to a node in check.";
        singular_depth: i32 = 6, 3 => 64, c_end 0.8,
            "Depth in plies from which it is asked whether the table's move is singular.";
        singular_table_depth: i32 = 3, 1 => 8, c_end 0.5,
            "Singular: plies by which the table's entry may be shallower.";
        singular_margin: i32 = 60, 5 => 400, c_end 8,
            "Singular: 64ths of a centipawn per ply below the table's value that all other moves must stay.";
        singular_was_pv: i32 = 60, 0 => 400, c_end 8,
            "Singular: more of them where a principal variation went through.";
        singular_double: i32 = 15, -50 => 200, c_end 5,
            "Singular: centipawns further below for a second ply.";
        singular_double_pv: i32 = 150, 0 => 600, c_end 15,
            "Singular: more of them in a node of the principal variation.";
        singular_triple: i32 = 70, 0 => 500, c_end 10,
            "Singular: centipawns further below for a third ply.";
        singular_triple_noisy: i32 = 200, 0 => 1000, c_end 20,
            "Singular: more of them for a noisy move.";
        singular_negative: i32 = 3, 0 => 5, c_end 0.6,
            "Singular: plies less when the table's move is not singular and its value fails high.";
        singular_negative_cut: i32 = 2, 0 => 5, c_end 0.6,
            "Singular: plies less when it is not singular in a node that is expected to fail high.";
        zero_windows: i32 = 1, 0 => 1, c_end 0.5,
            "Whether moves after the first are asked by a zero window (PVS) instead of the whole one (alpha-beta).";
        multi_cut: i32 = 1, 0 => 1, c_end 0.5,
            "Whether a node fails high when another move than the table's does, too.";
    }
}

/// How often the plies of the root's depth may be passed on a line with extensions.
pub(super) const MOST_PLIES: usize = 2;
