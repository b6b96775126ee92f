//! What is not searched, or less deeply.

use crate::tunables::tunables;

tunables! {
    /// What is not searched, or less deeply.
    pub struct Pruning in Pruning {
        iir_min_depth: i32 = 6, 2 => 64, c_end 1,
            "Depth in plies from which a node without a table move is reduced by one ply.";
        razor_depth: i32 = 2, 0 => 6, c_end 0.7,
            "Deepest remaining depth in plies at which razoring is tried.";
        razor_margin: i32 = 350, 20 => 2000, c_end 40,
            "Razoring: centipawns per ply below alpha that send a node to quiescence.";
        rfp_depth: i32 = 3, 0 => 12, c_end 0.8,
            "Deepest remaining depth in plies of reverse futility pruning.";
        rfp_margin: i32 = 200, 10 => 600, c_end 15,
            "Reverse futility: centipawns per ply above beta that end a node.";
        rfp_improving: i32 = 0, 0 => 300, c_end 15,
            "Reverse futility: centipawns taken off the margin when the evaluation is rising.";
        null_min_depth: i32 = 3, 1 => 64, c_end 0.7,
            "Depth in plies from which a null move is tried.";
        null_margin: i32 = 0, -200 => 300, c_end 15,
            "Null move: centipawns by which the evaluation must exceed beta.";
        null_base: f64 = 2.0, 0.5 => 6.0, c_end 0.25,
            "Null move: plies of reduction at depth zero.";
        null_depth_div: f64 = 16.0, 1.5 => 64.0, c_end 1.5,
            "Null move: plies of depth for each further ply of reduction.";
        null_eval_div: i32 = 2000, 40 => 5000, c_end 60,
            "Null move: centipawns above beta for each further ply of reduction, three at most.";
        lmp_depth: i32 = 3, 0 => 12, c_end 0.8,
            "Deepest remaining depth in plies of late move pruning.";
        lmp_base: i32 = 3, 1 => 40, c_end 1,
            "Late move pruning: quiet moves that are tried at depth zero.";
        lmp_scale: f64 = 1.0, 0.2 => 12.0, c_end 0.4,
            "Late move pruning: further moves for each squared ply of depth.";
        futility_depth: i32 = 2, 0 => 12, c_end 0.8,
            "Deepest remaining depth in plies of futility pruning.";
        futility_base: i32 = 200, 0 => 1000, c_end 20,
            "Futility: centipawns of the margin at depth zero.";
        futility_margin: i32 = 200, 10 => 600, c_end 15,
            "Futility: further centipawns of the margin per ply.";
    }
}
