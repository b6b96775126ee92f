//! The search without its selective rules against plain negamax: the same value, to the centipawn.

use crate::{Evaluate, Limits, SearchGame, SearchParams, Searcher, StopSignal};
use crate::{MATE, value::DRAW, value::mated_at};
use games::xiangqi::{Move, Xiangqi};
use games::{Game, MoveKind, MoveList, RuleWinner};

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

/// Plain negamax: each node's value from those of all its moves.
struct Reference {
    params: SearchParams<Xiangqi>,
    ply: usize,
}

impl Reference {
    /// The value of a node that is over, or else the range that the rules leave for it.
    fn ruling(&self, position: &Xiangqi) -> Result<i32, (i32, i32)> {
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
        match position.repetition(self.ply).map(|repetition| repetition.winner) {
            None => Err((-MATE, MATE)),
            Some(RuleWinner::Draw) => Ok(DRAW),
            Some(RuleWinner::SideToMove) => Err((DRAW, MATE)),
            Some(RuleWinner::Opponent) => Err((-MATE, DRAW)),
        }
    }

    /// What `value` says of the position after a move.
    fn after(
        &mut self,
        position: &mut Xiangqi,
        mv: Move,
        value: impl FnOnce(&mut Self, &mut Xiangqi) -> i32,
    ) -> i32 {
        position.make(mv);
        self.ply += 1;
        let value = value(self, position);
        self.ply -= 1;
        position.unmake();
        value
    }

    fn negamax(&mut self, position: &mut Xiangqi, depth: i32) -> i32 {
        if depth == 0 {
            return self.quiesce(position, -MATE, MATE);
        }
        let (low, high) = match self.ruling(position) {
            Ok(value) => return value,
            Err(range) => range,
        };
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        let mut best = mated_at(self.ply);
        for &mv in moves.iter() {
            best = best.max(-self.after(position, mv, |all, after| all.negamax(after, depth - 1)));
        }
        best.clamp(low, high)
    }

    /// Fail-hard and unordered: only its exact values reach the comparison.
    fn quiesce(&mut self, position: &mut Xiangqi, mut alpha: i32, beta: i32) -> i32 {
        let (low, high) = match self.ruling(position) {
            Ok(value) => return value,
            Err(range) => range,
        };
        let mut moves = MoveList::new();
        if position.in_check() {
            position.legal(&mut moves);
            if moves.is_empty() {
                return mated_at(self.ply);
            }
        } else {
            let mut all = MoveList::new();
            position.legal(&mut all);
            if all.is_empty() {
                return mated_at(self.ply);
            }
            let mut eval = <Xiangqi as SearchGame>::Eval::default();
            eval.reset(self.params.eval(), position);
            alpha = alpha.max(eval.evaluate(self.params.eval(), position));
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

fn value_by(searcher: &mut Searcher<Xiangqi>, fen: &str, depth: u32) -> i32 {
    let mut position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    let found = searcher.search(
        &mut position,
        &all_rules_off(),
        &Limits::depth(depth),
        &StopSignal::never(),
    );
    found.score.0
}

#[test]
fn without_selective_rules_the_value_is_that_of_plain_negamax() {
    let mut reference = Reference { params: SearchParams::default(), ply: 0 };
    for fen in POSITIONS {
        for depth in 1..=4 {
            let mut position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let expected = reference.negamax(&mut position, depth);
            let mut with_table = Searcher::new(16);
            with_table.table.same_depth_only = true;
            let found = value_by(&mut with_table, fen, depth as u32);
            assert_eq!(found, expected, "with a table, {fen} at depth {depth}");
            let mut without_table = Searcher::new(0);
            without_table.table.disabled = true;
            let found = value_by(&mut without_table, fen, depth as u32);
            assert_eq!(found, expected, "without a table, {fen} at depth {depth}");
        }
    }
}

#[test]
fn a_zero_window_says_on_which_side_the_value_lies() {
    for fen in POSITIONS {
        let params = all_rules_off::<Xiangqi>();
        let mut searcher = Searcher::new(0);
        searcher.table.disabled = true;
        let value = value_by(&mut searcher, fen, 3);
        for bound in [value - 40, value - 1, value, value + 1, value + 40] {
            let mut position = Xiangqi::from_fen(fen).expect("read above");
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
