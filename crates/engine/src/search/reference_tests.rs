//! The search without its selective rules against plain negamax: the same value, to the centipawn, by
//! zero windows (PVS) and by whole ones (alpha-beta), in all games.

use crate::{Evaluate, Limits, SearchGame, SearchParams, Searcher, StopSignal};
use crate::{MATE, value::DRAW, value::mated_at};
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveKind, MoveList, RuleWinner};
use proptest::prelude::*;

/// Few pieces, so that plain negamax gets to the end; mates, trades and repetitions are in reach.
const POSITIONS: [&str; 8] = [
    "4k4/9/R8/9/9/9/9/9/9/1R1K5 w",
    "3ak4/4a4/9/9/9/9/7n1/3A1A3/5K3/6r2 b",
    "3k5/4P4/5N3/9/9/9/9/2n2A3/4K4/3p1A3 w",
    "2b3b2/3k5/9/4PN3/9/9/1c7/4B4/3C5/2BAK4 w",
    "4k4/4a4/4b4/4p4/9/2P3C2/4P4/4B4/4A4/c3KA3 w",
    "3a1k3/9/4b4/p3C4/4n4/9/P7P/4B4/9/3AK4 b",
    // Within four plies a perpetual check, and a perpetual chase.
    "4k4/9/9/9/9/p8/9/4R4/9/3K5 b",
    "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w",
];

/// Every selective rule off.
const OFF: &[(&str, f64)] = &[
    ("check_extension", 0.0),
    ("singular_depth", 64.0),
    ("iir_min_depth", 64.0),
    ("hindsight_deeper", 64.0),
    ("hindsight_shallower", 64.0),
    ("razor_depth", 0.0),
    ("rfp_depth", 0.0),
    ("null_min_depth", 64.0),
    ("probcut_depth", 64.0),
    ("small_probcut_margin", 20_000.0),
    ("lmr_min_depth", 64.0),
    ("lmp_depth", 0.0),
    ("history_prune_depth", 0.0),
    ("futility_depth", 0.0),
    ("noisy_futility_depth", 0.0),
    ("see_noisy_depth", 0.0),
    ("see_quiet_depth", 0.0),
    ("alpha_raise_reduction", 0.0),
    ("qs_delta", 20_000.0),
    ("qs_exchange", 20_000.0),
    ("qs_moves", 256.0),
    ("qs_evasions", 256.0),
    ("correction_pawns", 0.0),
    ("correction_minor", 0.0),
    ("correction_pieces", 0.0),
    ("correction_moves", 0.0),
];

pub(super) fn all_rules_off<G: SearchGame>() -> SearchParams<G> {
    let set = OFF.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    SearchParams::from_set(&set).expect("values in range")
}

/// The same with the whole window for every move.
fn alpha_beta<G: SearchGame>() -> SearchParams<G> {
    let mut set = all_rules_off::<G>().to_set();
    set.set("zero_windows", 0.0);
    SearchParams::from_set(&set).expect("values in range")
}

/// Plain negamax: each node's value from those of all its moves.
struct Reference<G: SearchGame> {
    params: SearchParams<G>,
    ply: usize,
    /// Positions that may still be looked at; without order some exchanges have no end in sight.
    left: u32,
}

impl<G: SearchGame> Reference<G> {
    fn new() -> Self {
        Self { params: SearchParams::default(), ply: 0, left: 3_000_000 }
    }

    /// The value of a node that is over, or else the range that the rules leave for it.
    fn ruling(&self, position: &G) -> Result<i32, (i32, i32)> {
        if self.ply == 0 {
            return Err((-MATE, MATE));
        }
        let value = |winner| match winner {
            RuleWinner::SideToMove => MATE - self.ply as i32,
            RuleWinner::Opponent => mated_at(self.ply),
            RuleWinner::Draw => DRAW,
        };
        if let Some(over) = position.rule_draw_or_loss() {
            return Ok(value(over.winner));
        }
        match position.repetition(self.ply) {
            None => Err((-MATE, MATE)),
            Some(repetition) if repetition.is_final => Ok(value(repetition.winner)),
            Some(repetition) => match repetition.winner {
                RuleWinner::Draw => Ok(DRAW),
                RuleWinner::SideToMove => Err((DRAW, MATE)),
                RuleWinner::Opponent => Err((-MATE, DRAW)),
            },
        }
    }

    /// The value of a node without a legal move, as the rules have it.
    fn without_moves(&self, position: &G) -> i32 {
        match position.result().map(|over| over.winner) {
            Some(RuleWinner::SideToMove) => MATE - self.ply as i32,
            Some(RuleWinner::Opponent) => mated_at(self.ply),
            Some(RuleWinner::Draw) | None => DRAW,
        }
    }

    /// What `value` says of the position after a move.
    fn after(
        &mut self,
        position: &mut G,
        mv: G::Move,
        value: impl FnOnce(&mut Self, &mut G) -> i32,
    ) -> i32 {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            return 0;
        }
        position.make(mv);
        self.ply += 1;
        let value = value(self, position);
        self.ply -= 1;
        position.unmake();
        value
    }

    fn static_value(&self, position: &G) -> i32 {
        let mut eval = G::Eval::default();
        eval.reset(self.params.eval(), position);
        eval.evaluate(self.params.eval(), position)
    }

    fn negamax(&mut self, position: &mut G, depth: i32) -> i32 {
        if depth == 0 {
            return self.quiesce(position, -MATE, MATE);
        }
        let (low, high) = match self.ruling(position) {
            Ok(value) => return value,
            Err(range) => range,
        };
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        let mut best = None;
        for &mv in moves.iter() {
            let value = -self.after(position, mv, |all, after| all.negamax(after, depth - 1));
            best = best.max(Some(value));
        }
        best.unwrap_or_else(|| self.without_moves(position)).clamp(low, high)
    }

    /// Fail-hard and unordered: only its exact values reach the comparison.
    fn quiesce(&mut self, position: &mut G, mut alpha: i32, beta: i32) -> i32 {
        let (low, high) = match self.ruling(position) {
            Ok(value) => return value,
            Err(range) => range,
        };
        if !G::QUIESCENCE {
            return self.static_value(position).clamp(low, high);
        }
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() {
            return self.without_moves(position);
        }
        if !position.in_check() {
            alpha = alpha.max(self.static_value(position));
            moves.clear();
            position.pseudo_legal(MoveKind::Noisy, &mut moves);
        }
        for &mv in moves.iter() {
            if alpha >= beta {
                break;
            }
            if !position.is_legal(mv) {
                continue;
            }
            let score = -self.after(position, mv, |all, after| all.quiesce(after, -beta, -alpha));
            alpha = alpha.max(score);
        }
        alpha.clamp(low, high)
    }
}

fn value_by<G: SearchGame>(
    searcher: &mut Searcher<G>,
    params: &SearchParams<G>,
    position: &G,
    depth: u32,
) -> i32 {
    let limits = Limits::depth(depth);
    searcher.search(&mut position.clone(), params, &limits, &StopSignal::never()).score.0
}

/// Plain negamax, PVS and alpha-beta, with a table and without, say the same of a position, if the
/// first comes to an end.
fn agree<G: SearchGame>(position: &G, depth: u32) {
    let mut reference = Reference::new();
    let expected = reference.negamax(&mut position.clone(), depth as i32);
    if reference.left == 0 {
        return;
    }
    let fen = position.to_fen();
    for (name, params) in [("PVS", all_rules_off()), ("alpha-beta", alpha_beta())] {
        let mut with_table = Searcher::new(1);
        with_table.table.same_depth_only = true;
        let found = value_by(&mut with_table, &params, position, depth);
        assert_eq!(found, expected, "{name} with a table, {fen} at depth {depth}");
        let mut without_table = Searcher::new(0);
        without_table.table.disabled = true;
        let found = value_by(&mut without_table, &params, position, depth);
        assert_eq!(found, expected, "{name} without a table, {fen} at depth {depth}");
    }
}

#[test]
fn without_selective_rules_the_value_is_that_of_plain_negamax() {
    for fen in POSITIONS {
        let position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for depth in 1..=4 {
            agree(&position, depth);
        }
    }
}

/// A position after so many random moves from the start, whose game goes on.
fn walk<G: SearchGame>(mut seed: u64, plies: usize) -> Option<G> {
    let mut position = G::start();
    for _ in 0..plies {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() || position.result().is_some() {
            return None;
        }
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        position.make(moves[(seed >> 33) as usize % moves.len()]);
    }
    position.result().is_none().then_some(position)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_position_of_chess(seed: u64, plies in 0usize..120) {
        walk::<Chess>(seed, plies).iter().for_each(|position| agree(position, 2));
    }

    #[test]
    fn any_position_of_xiangqi(seed: u64, plies in 0usize..120) {
        walk::<Xiangqi>(seed, plies).iter().for_each(|position| agree(position, 2));
    }

    #[test]
    fn any_position_of_shogi(seed: u64, plies in 0usize..60) {
        walk::<Shogi>(seed, plies).iter().for_each(|position| agree(position, 1));
    }

    #[test]
    fn any_position_of_othello(seed: u64, plies in 0usize..58) {
        walk::<Othello>(seed, plies).iter().for_each(|position| agree(position, 3));
    }

    #[test]
    fn any_position_of_tictactoe(seed: u64, plies in 0usize..8) {
        walk::<TicTacToe>(seed, plies).iter().for_each(|position| agree(position, 6));
    }
}

#[test]
fn a_zero_window_says_on_which_side_the_value_lies() {
    for fen in POSITIONS {
        let params = all_rules_off::<Xiangqi>();
        let mut searcher = Searcher::new(0);
        searcher.table.disabled = true;
        let mut position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        let value = value_by(&mut searcher, &params, &position, 3);
        for bound in [value - 40, value - 1, value, value + 1, value + 40] {
            let answer = searcher.probe_window(&mut position, &params, 3, bound);
            assert_eq!(answer > bound, value > bound, "{fen}: {value} against {bound}");
            if answer > bound {
                assert!(answer <= value, "{fen}: lower bound {answer} of {value}");
            } else {
                assert!(answer >= value, "{fen}: upper bound {answer} of {value}");
            }
        }
    }
}
