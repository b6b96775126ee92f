//! The techniques of the search one by one: how each is switched off, and what the search costs then.
//!
//! A technique is off when its constants have certain values of their ranges; nothing else in the
//! engine knows of this list.

use crate::{Limits, SearchGame, SearchParams, Searcher, StopSignal, TunableError, definition};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::{GameKind, Nodes, ParameterSet};
use std::sync::atomic::AtomicBool;

/// A technique and the constants without which it does nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Technique {
    /// Its name in tables.
    pub name: &'static str,
    /// The constants that switch it off.
    pub off: &'static [(&'static str, f64)],
}

impl Technique {
    /// The defaults of a game without this technique; `None` when the game does without it anyway.
    #[must_use]
    pub fn without(&self, game: GameKind) -> Option<ParameterSet> {
        let differs = |&(name, value): &(&str, f64)| {
            definition(game, name).is_some_and(|def| def.default != value)
        };
        let set = || self.off.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        self.off.iter().any(differs).then(set)
    }
}

/// Every technique that can be switched off by itself.
pub const TECHNIQUES: &[Technique] = &[
    Technique { name: "zero windows (PVS)", off: &[("zero_windows", 0.0)] },
    Technique { name: "aspiration windows", off: &[("aspiration_min_depth", 64.0)] },
    Technique { name: "late move reductions", off: &[("lmr_min_depth", 64.0)] },
    Technique {
        name: "deeper or shallower second look",
        off: &[("lmr_deeper", 400.0), ("lmr_shallower", -20.0)],
    },
    Technique { name: "null move", off: &[("null_min_depth", 64.0)] },
    Technique { name: "verified null move", off: &[("null_verify_depth", 64.0)] },
    Technique { name: "reverse futility", off: &[("rfp_depth", 0.0)] },
    Technique { name: "razoring", off: &[("razor_depth", 0.0)] },
    Technique { name: "ProbCut", off: &[("probcut_depth", 64.0)] },
    Technique { name: "small ProbCut", off: &[("small_probcut_margin", 20_000.0)] },
    Technique { name: "internal iterative reduction", off: &[("iir_min_depth", 64.0)] },
    Technique {
        name: "hindsight",
        off: &[("hindsight_deeper", 64.0), ("hindsight_shallower", 64.0)],
    },
    Technique { name: "late move pruning", off: &[("lmp_depth", 0.0)] },
    Technique { name: "history pruning", off: &[("history_prune_depth", 0.0)] },
    Technique { name: "futility of quiet moves", off: &[("futility_depth", 0.0)] },
    Technique { name: "futility of noisy moves", off: &[("noisy_futility_depth", 0.0)] },
    Technique { name: "exchange pruning of quiet moves", off: &[("see_quiet_depth", 0.0)] },
    Technique { name: "exchange pruning of noisy moves", off: &[("see_noisy_depth", 0.0)] },
    Technique { name: "less after a raised alpha", off: &[("alpha_raise_reduction", 0.0)] },
    Technique { name: "drawn towards beta", off: &[("fail_high_blend", 0.0)] },
    Technique { name: "check extension", off: &[("check_extension", 0.0)] },
    Technique { name: "singular extension", off: &[("singular_depth", 64.0)] },
    Technique { name: "multi-cut", off: &[("multi_cut", 0.0)] },
    Technique {
        name: "negative extension",
        off: &[("singular_negative", 0.0), ("singular_negative_cut", 0.0)],
    },
    Technique { name: "killer moves", off: &[("order_killers", 0.0)] },
    Technique {
        name: "butterfly history",
        off: &[("order_main", 0.0), ("history_main", 0.0), ("history_eval_scale", 0.0)],
    },
    Technique {
        name: "continuation history",
        off: &[
            ("history_cont_1", 0.0),
            ("history_cont_2", 0.0),
            ("history_cont_4", 0.0),
            ("history_cont_6", 0.0),
        ],
    },
    Technique { name: "pawn history", off: &[("history_pawns", 0.0)] },
    Technique { name: "history near the root", off: &[("history_low_ply", 0.0)] },
    Technique { name: "capture history", off: &[("history_capture", 0.0)] },
    Technique { name: "history by evaluation", off: &[("history_eval_scale", 0.0)] },
    Technique { name: "squares in the order", off: &[("order_square", 0.0)] },
    Technique { name: "checks in the order", off: &[("order_check", 0.0)] },
    Technique {
        name: "correction history",
        off: &[
            ("correction_pawns", 0.0),
            ("correction_minor", 0.0),
            ("correction_pieces", 0.0),
            ("correction_moves", 0.0),
        ],
    },
    Technique { name: "futility in quiescence", off: &[("qs_delta", 20_000.0)] },
    Technique { name: "exchanges in quiescence", off: &[("qs_exchange", 20_000.0)] },
    Technique { name: "few captures in quiescence", off: &[("qs_moves", 256.0)] },
    Technique { name: "few evasions in quiescence", off: &[("qs_evasions", 256.0)] },
];

/// Nodes to a depth for each bench position of a game, each with an empty table; fewer positions when
/// `stop` comes first.
///
/// # Errors
/// The set has an unknown name or a value out of range.
pub fn nodes_to_depth(
    game: GameKind,
    set: &ParameterSet,
    depth: u32,
    stop: &AtomicBool,
) -> Result<Vec<Nodes>, TunableError> {
    match game {
        GameKind::Xiangqi => measure::<Xiangqi>(set, depth, stop),
        GameKind::Chess => measure::<Chess>(set, depth, stop),
        GameKind::Shogi => measure::<Shogi>(set, depth, stop),
        GameKind::Othello => measure::<Othello>(set, depth, stop),
        GameKind::TicTacToe => measure::<TicTacToe>(set, depth, stop),
    }
}

/// The table of those searches: large enough that it does not decide.
const HASH_MB: usize = 64;

fn measure<G: SearchGame>(
    set: &ParameterSet,
    depth: u32,
    stop: &AtomicBool,
) -> Result<Vec<Nodes>, TunableError> {
    let params = SearchParams::<G>::from_set(set)?;
    let mut searcher = Searcher::<G>::new(HASH_MB);
    let mut counts = Vec::new();
    for fen in G::BENCH_POSITIONS {
        let Ok(mut position) = G::from_fen(fen) else { continue };
        searcher.new_game();
        let signal = StopSignal::when(stop);
        let found = searcher.search(&mut position, &params, &Limits::depth(depth), &signal);
        if found.depth < depth && stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        counts.push(found.nodes);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_is_a_value_of_its_constant() {
        let mut names = std::collections::BTreeSet::new();
        for technique in TECHNIQUES {
            assert!(names.insert(technique.name), "{} twice", technique.name);
            for (name, value) in technique.off {
                let def = definition(GameKind::Xiangqi, name)
                    .unwrap_or_else(|| panic!("{}: no constant {name}", technique.name));
                assert_eq!(def.accept(*value), Ok(*value), "{}", technique.name);
            }
            // Xiangqi does without some of them by now.
            assert!(technique.without(GameKind::Chess).is_some(), "{}", technique.name);
        }
    }

    #[test]
    fn each_technique_changes_what_is_searched() {
        let never = AtomicBool::new(false);
        let count = |set: &ParameterSet| {
            nodes_to_depth(GameKind::Chess, set, 9, &never).expect("known constants")
        };
        let whole = count(&ParameterSet::default());
        for technique in TECHNIQUES {
            let set = technique.without(GameKind::Chess).expect("chess has all of them");
            // A null move is verified from great depths only.
            if technique.name != "verified null move" {
                assert_ne!(count(&set), whole, "{}", technique.name);
            }
        }
    }
}
