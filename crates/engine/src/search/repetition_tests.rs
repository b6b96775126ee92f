//! What the search makes of repetitions and of the move limit.

use super::reference_tests::all_rules_off;
use crate::value::DRAW;
use crate::{Limits, MATE, MATE_BOUND, SearchParams, SearchResult, Searcher, StopSignal};
use games::xiangqi::{Move, Xiangqi};
use games::{Game, RuleWinner};
use model::Termination;

fn read(fen: &str) -> Xiangqi {
    Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn make(position: &mut Xiangqi, text: &str) {
    let mv = position.move_from_text(text).unwrap_or_else(|e| panic!("{e}"));
    position.make(mv);
}

fn search(position: &mut Xiangqi, depth: u32) -> SearchResult<Move> {
    let stop = StopSignal::never();
    Searcher::new(1).search(position, &SearchParams::default(), &Limits::depth(depth), &stop)
}

/// The position before the last move of a line, that move, and how the line ends with it.
fn before_last(fen: &str, line: &str) -> (Xiangqi, String, Option<(RuleWinner, Termination)>) {
    let (line, last) = line.rsplit_once(' ').expect("a line of several moves");
    let mut position = read(fen);
    line.split(' ').for_each(|text| make(&mut position, text));
    let mut end = position.clone();
    make(&mut end, last);
    (position, last.to_owned(), end.result().map(|over| (over.winner, over.reason)))
}

fn best_text(position: &mut Xiangqi, depth: u32) -> String {
    let best = search(position, depth).best.expect("the game goes on");
    position.move_to_text(best)
}

#[test]
fn a_way_out_by_repetition_is_seen() {
    // Red is behind, but drives the king from d9 to d8 and back, with a check every other move only.
    let mut position = read("3k1a3/4a1P2/8r/9/2R6/9/2P6/1p7/4An2n/3CKA3 w");
    assert!(search(&mut position, 1).score.0 < -100);
    for depth in 14..=18 {
        assert_eq!(search(&mut position, depth).score.0, DRAW, "depth {depth}");
    }
    // Red's king threatens the cannon for ever, as kings may.
    let mut position = read("4ka3/4a4/4b4/p7p/9/4C4/4P4/4B4/3K5/3Ac1B2 w");
    assert!(search(&mut position, 1).score.0 < -50);
    for depth in 6..=12 {
        assert_eq!(search(&mut position, depth).score.0, DRAW, "depth {depth}");
    }
}

#[test]
fn perpetual_check_is_no_way_out() {
    // Red's rook could drive the bare king from e9 to f9 and back for ever.
    let mut position = read("4k4/9/9/nn7/9/ppp6/p8/8R/9/3K5 w");
    let stop = StopSignal::never();
    let (off, on) = (all_rules_off(), SearchParams::default());
    for (params, depths) in [(&off, 1..=5), (&on, 1..=12)] {
        for depth in depths {
            let limits = Limits::depth(depth);
            let found = Searcher::new(1).search(&mut position, params, &limits, &stop);
            assert!(found.score.0 < -50, "depth {depth}: {found:?}");
        }
    }
}

#[test]
fn a_move_that_looks_best_is_not_made_when_the_rules_punish_it() {
    let cases = [
        (
            // Only check after check keeps off the mate on b0.
            Termination::PerpetualCheck,
            "4k4/9/9/9/7R1/9/9/1r7/2r6/3K5 w",
            "h5e5 e9f9 e5f5 f9e9 f5e5 e9f9 e5f5 f9e9 f5e5",
        ),
        (
            Termination::PerpetualChase,
            "3k5/4P4/4b4/3C5/4c4/9/9/9/9/5K3 w",
            "d6e6 e7g5 e6d6 g5e7 d6e6 e7g5 e6d6 g5e7",
        ),
        (
            Termination::PerpetualChase,
            "4ka3/4a4/3Pb4/2p1r3p/2b6/2R6/1n7/4B4/4A4/4KAB2 w",
            "c4c3 b3a1 c3c1 a1b3 c1c3 b3a1 c3c1 a1b3 c1c3",
        ),
        (
            Termination::PerpetualChase,
            "2bak1r2/4a4/1C2b4/9/6p2/9/9/9/7R1/c1BAK4 w",
            "h1a1 a0b0 a1b1 b0a0 b1a1 a0b0 a1b1 b0a0 b1a1",
        ),
        (
            Termination::PerpetualChase,
            "2rakab2/9/8b/2NPP1p2/9/2P1c1P2/7R1/2n1B1p2/4A4/3AK1B2 w",
            "h3c3 c2a1 c3a3 a1c2 a3c3 c2a1 c3a3 a1c2 a3c3",
        ),
    ];
    for (reason, fen, line) in cases {
        let (mut position, last, end) = before_last(fen, line);
        assert_eq!(end, Some((RuleWinner::SideToMove, reason)), "{fen}");
        let mut without_history = read(&position.to_fen());
        assert_eq!(best_text(&mut without_history, 5), last, "{fen}");
        assert_ne!(best_text(&mut position, 5), last, "{fen}");
    }
}

#[test]
fn a_repetition_that_the_opponent_loses_is_completed() {
    let cases = [
        (
            Termination::PerpetualCheck,
            "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w",
            "f0e0 e8f8 e0f0 f8e8 f0e0 e8f8 e0f0 f8e8",
        ),
        (
            Termination::PerpetualChase,
            "1Pbak2r1/4a4/4b4/2p6/9/3R5/2P6/4p2p1/3CC2N1/5K3 w",
            "d4e4 e2d2 e4d4 d2e2 d4e4 e2d2 e4d4 d2e2",
        ),
    ];
    for (reason, fen, line) in cases {
        let (mut position, last, end) = before_last(fen, line);
        assert_eq!(end, Some((RuleWinner::Opponent, reason)), "{fen}");
        let found = search(&mut position, 5);
        assert_eq!(found.score.0, MATE - 1, "{fen}");
        assert_eq!(found.best.map(|mv| position.move_to_text(mv)), Some(last), "{fen}");
    }
}

/// Positions in which programs announced mates that were none, because they took the second occurrence
/// of a position for the third (Fairy-Stockfish, issue 635).
#[test]
fn a_provisional_verdict_is_no_mate() {
    let mut position = read("3aka3/4n4/9/9/9/9/9/7C1/7r1/3AK4 w");
    let scores: Vec<i32> = (8..=20).map(|depth| search(&mut position, depth).score.0).collect();
    assert!(scores.iter().all(|score| score.abs() < MATE_BOUND), "{scores:?}");
    // The rook cannot take the cannon for nothing: what remains is a horse that wins against no cannon.
    assert!(scores[8..].iter().all(|score| (-400..=0).contains(score)), "{scores:?}");
    assert_eq!(search(&mut position, 32).score.0, DRAW, "nor does that win by force");
    let mut position = read("5R3/4k4/9/4r4/9/9/5p3/5A3/5K3/9 b");
    for depth in 1..=12 {
        let score = search(&mut position, depth).score.0;
        assert!(score.abs() < MATE_BOUND, "{score} at depth {depth}");
    }
}

#[test]
fn what_the_table_knows_ends_at_the_move_limit() {
    let at = |quiet: u32| read(&format!("4k4/4a4/4b4/9/9/9/9/4B4/4A4/R2AK4 w - - {quiet} 90"));
    let params = all_rules_off();
    let mut searcher = Searcher::new(1);
    let far = searcher.search(&mut at(0), &params, &Limits::depth(6), &StopSignal::never()).score.0;
    assert!(far > 200 && far < MATE_BOUND, "{far}");
    // The rook is worth much, but two plies from the limit nothing can be won any more.
    for (quiet, expected) in [(0, true), (100, true), (118, false), (119, false)] {
        let answer = searcher.probe_window(&mut at(quiet), &params, 4, 200);
        assert_eq!(answer > 200, expected, "{quiet} quiet plies: {answer}");
    }
}
