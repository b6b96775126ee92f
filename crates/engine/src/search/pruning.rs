//! What is not searched, or less deeply: the constants, and the decisions that need nothing else.

use crate::tunables::tunables;

tunables! {
    /// What is not searched, or less deeply.
    pub struct Pruning in Pruning {
        iir_min_depth: i32 = 5, 2 => 64, c_end 1,
            "Depth in plies from which a node without a table move is reduced by one ply.";
        hindsight_deeper: i32 = 3, 1 => 64, c_end 0.7,
            "Hindsight: reduction in plies from which a move that did not lose ground is searched a ply deeper.";
        hindsight_shallower: i32 = 2, 1 => 64, c_end 0.7,
            "Hindsight: reduction in plies from which a move that lost ground is searched a ply less.";
        hindsight_margin: i32 = 80, 0 => 600, c_end 15,
            "Hindsight: centipawns of lost ground.";
        razor_depth: i32 = 3, 0 => 8, c_end 0.7,
            "Deepest remaining depth in plies at which razoring is tried.";
        razor_margin: i32 = 300, 20 => 2000, c_end 40,
            "Razoring: centipawns below alpha that send a node to quiescence, at depth zero.";
        razor_square: i32 = 120, 0 => 800, c_end 20,
            "Razoring: further centipawns for each squared ply of depth.";
        rfp_depth: i32 = 8, 0 => 16, c_end 1,
            "Deepest remaining depth in plies of reverse futility pruning.";
        rfp_margin: i32 = 80, 10 => 600, c_end 8,
            "Reverse futility: centipawns per ply above beta that end a node.";
        rfp_improving: i32 = 70, 0 => 300, c_end 10,
            "Reverse futility: centipawns taken off the margin when the evaluation is rising.";
        rfp_worsening: i32 = 15, 0 => 150, c_end 6,
            "Reverse futility: centipawns taken off the margin when the other side's is falling.";
        rfp_blend: i32 = 512, 0 => 1024, c_end 60,
            "Reverse futility: share of beta in the value that is returned, in 1024ths.";
        null_min_depth: i32 = 2, 1 => 64, c_end 0.7,
            "Depth in plies from which a null move is tried.";
        null_margin: i32 = 20, -200 => 400, c_end 15,
            "Null move: centipawns by which the evaluation must exceed beta, at depth zero.";
        null_slope: i32 = 8, 0 => 60, c_end 2,
            "Null move: centipawns less for each ply of depth.";
        null_base: f64 = 3.0, 0.5 => 8.0, c_end 0.3,
            "Null move: plies of reduction at depth zero.";
        null_depth_div: f64 = 3.5, 1.5 => 64.0, c_end 0.4,
            "Null move: plies of depth for each further ply of reduction.";
        null_eval_div: i32 = 200, 40 => 5000, c_end 25,
            "Null move: centipawns above beta for each further ply of reduction, three at most.";
        null_verify_depth: i32 = 14, 1 => 64, c_end 1,
            "Depth in plies from which a null move's cutoff is verified by a search without one.";
        probcut_depth: i32 = 4, 2 => 64, c_end 0.7,
            "Depth in plies from which ProbCut is tried.";
        probcut_margin: i32 = 180, 20 => 800, c_end 15,
            "ProbCut: centipawns above beta that a capture must reach.";
        probcut_improving: i32 = 50, 0 => 300, c_end 10,
            "ProbCut: centipawns less when the evaluation is rising.";
        probcut_reduction: i32 = 3, 1 => 8, c_end 0.5,
            "ProbCut: plies of reduction of its search.";
        small_probcut_margin: i32 = 350, 50 => 20000, c_end 30,
            "Small ProbCut: centipawns above beta that a table entry must promise.";
        small_probcut_depth: i32 = 4, 0 => 8, c_end 0.6,
            "Small ProbCut: plies by which the table entry may be shallower.";
        lmp_depth: i32 = 8, 0 => 16, c_end 1,
            "Deepest remaining depth in plies of late move pruning.";
        lmp_base: i32 = 4, 1 => 40, c_end 1,
            "Late move pruning: quiet moves that are tried at depth zero.";
        lmp_scale: f64 = 1.0, 0.2 => 12.0, c_end 0.15,
            "Late move pruning: further moves for each squared ply of depth.";
        lmp_worsening: i32 = 50, 10 => 100, c_end 5,
            "Late move pruning: percent of the moves that are tried when the evaluation is not rising.";
        history_prune_depth: i32 = 6, 0 => 16, c_end 0.8,
            "Deepest reduced depth in plies of history pruning.";
        history_prune_margin: i32 = 3500, 200 => 20000, c_end 250,
            "History pruning: units of bad record per ply for which a quiet move is left out.";
        futility_depth: i32 = 8, 0 => 16, c_end 0.8,
            "Deepest reduced depth in plies of futility pruning of quiet moves.";
        futility_base: i32 = 90, 0 => 1000, c_end 12,
            "Futility: centipawns of the margin at depth zero.";
        futility_margin: i32 = 90, 10 => 600, c_end 8,
            "Futility: further centipawns of the margin per ply.";
        futility_history: i32 = 24, 0 => 200, c_end 4,
            "Futility: centipawns of the margin for a record of 4096 units.";
        noisy_futility_depth: i32 = 6, 0 => 16, c_end 0.8,
            "Deepest reduced depth in plies of futility pruning of noisy moves.";
        noisy_futility_base: i32 = 200, 0 => 1000, c_end 20,
            "Futility of noisy moves: centipawns of the margin at depth zero.";
        noisy_futility_margin: i32 = 200, 10 => 800, c_end 18,
            "Futility of noisy moves: further centipawns of the margin per ply.";
        see_noisy_depth: i32 = 8, 0 => 16, c_end 0.8,
            "Deepest remaining depth in plies at which noisy moves are left out for their exchange.";
        see_noisy: i32 = 110, 5 => 500, c_end 10,
            "Exchange: centipawns per ply that a noisy move may lose.";
        see_quiet_depth: i32 = 8, 0 => 16, c_end 0.8,
            "Deepest reduced depth in plies at which quiet moves are left out for their exchange.";
        see_quiet: i32 = 24, 2 => 200, c_end 3,
            "Exchange: centipawns per squared ply that a quiet move may lose.";
        alpha_raise_reduction: i32 = 1, 0 => 4, c_end 0.5,
            "Plies that the moves after one that raised alpha are searched less.";
        alpha_raise_depth: i32 = 12, 4 => 24, c_end 1,
            "Depth in plies below which they are.";
        fail_high_blend: i32 = 1, 0 => 1, c_end 0.5,
            "Whether a value beyond beta is drawn towards beta, the more the shallower it is.";
    }
}
