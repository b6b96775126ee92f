//! The search without its selective rules against plain negamax: the same value, to the centipawn.

use crate::{Evaluate, Limits, SearchGame, SearchParams, Searcher, StopSignal, Tunables};
use crate::{MATE, value::DRAW, value::mated_at};
use games::xiangqi::Xiangqi;
use games::{Game, MoveKind, MoveList, RuleWinner};

/// Few pieces, so that plain negamax gets to the end; mates, trades and repetitions are in reach.
const POSITIONS: [&str; 6] = [
    "4k4/9/R8/9/9/9/9/9/9/1R1K5 w",
    "3ak4/4a4/9/9/9/9/7n1/3A1A3/5K3/6r2 b",
    "3k5/4P4/5N3/9/9/9/9/2n2A3/4K4/3p1A3 w",
    "2b3b2/3k5/9/4PN3/9/9/1c7/4B4/3C5/2BAK4 w",
    "4k4/4a4/4b4/4p4/9/2P3C2/4P4/4B4/4A4/c3KA3 w",
    "3a1k3/9/4b4/p3C4/4n4/9/P7P/4B4/9/3AK4 b",
];

fn all_rules_off() -> SearchParams {
    Tunables {
        check_extension: 0,
        iir_min_depth: 64,
        razor_depth: 0,
        rfp_depth: 0,
        null_min_depth: 64,
        lmr_min_depth: 64,
        lmp_depth: 0,
        futility_depth: 0,
        qs_delta: 20_000,
        qs_exchange: 20_000,
        ..Tunables::default()
    }
    .prepare()
}

struct Reference {
    line: Vec<u64>,
}

impl Reference {
    fn leaf(&self, position: &Xiangqi) -> Option<i32> {
        let ply = self.line.len();
        if ply == 0 {
            return None;
        }
        if let Some(over) = position.over() {
            return Some(match over.winner {
                RuleWinner::SideToMove => MATE - ply as i32,
                RuleWinner::Opponent => mated_at(ply),
                RuleWinner::Draw => DRAW,
            });
        }
        let repeated = self.line.iter().rev().skip(1).step_by(2).any(|h| *h == position.hash());
        repeated.then_some(DRAW)
    }

    fn negamax(&mut self, position: &mut Xiangqi, depth: i32) -> i32 {
        if depth == 0 {
            return self.quiesce(position, -MATE, MATE);
        }
        if let Some(value) = self.leaf(position) {
            return value;
        }
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        let mut best = mated_at(self.line.len());
        for &mv in moves.iter() {
            self.line.push(position.hash());
            position.make(mv);
            best = best.max(-self.negamax(position, depth - 1));
            position.unmake();
            self.line.pop();
        }
        best
    }

    /// Fail-hard and unordered: only its exact values reach the comparison.
    fn quiesce(&mut self, position: &mut Xiangqi, mut alpha: i32, beta: i32) -> i32 {
        if let Some(value) = self.leaf(position) {
            return value;
        }
        let mut moves = MoveList::new();
        if position.in_check() {
            position.legal(&mut moves);
            if moves.is_empty() {
                return mated_at(self.line.len());
            }
        } else {
            let mut eval = <Xiangqi as SearchGame>::Eval::default();
            eval.reset(position);
            alpha = alpha.max(eval.evaluate(position));
            position.pseudo_legal(MoveKind::Noisy, &mut moves);
        }
        for &mv in moves.iter() {
            if alpha >= beta {
                break;
            }
            if !position.is_legal(mv) {
                continue;
            }
            self.line.push(position.hash());
            position.make(mv);
            alpha = alpha.max(-self.quiesce(position, -beta, -alpha));
            position.unmake();
            self.line.pop();
        }
        alpha
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
    for fen in POSITIONS {
        for depth in 1..=4 {
            let mut position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let expected = Reference { line: Vec::new() }.negamax(&mut position, depth);
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
        let params = all_rules_off();
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
