//! Positions in which it is a burden to be to move: a search that passes (null move) and believes what
//! it finds sees the wrong thing.

use crate::suite::{Suite, search};
use engine::{MATE_BOUND, SearchGame};
use games::chess::Chess;
use games::xiangqi::Xiangqi;

fn value<G: SearchGame>(fen: &str, nodes: u64) -> i32 {
    search(&G::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}")), nodes).score.0
}

#[test]
fn zugzwang() {
    let nodes = 300_000;
    let suite = Suite::<Chess>::read("zugzwang", include_str!("zugzwang.epd"));
    suite.check(&nodes.to_string(), |problem, best| {
        search(problem.position(), nodes).best.is_some_and(|mv| best.contains(&mv))
    });
}

#[test]
fn whoever_is_to_move_loses_in_a_trebuchet() {
    // Each king guards its pawn and attacks the other's; the one that has to step aside loses it.
    for side in ["w", "b"] {
        let score = value::<Chess>(&format!("8/8/8/2Kp4/3Pk3/8/8/8 {side} - - 0 1"), 200_000);
        assert!(score < -500, "{side}: {score}");
    }
}

#[test]
fn the_last_pawn_wins_or_not_by_who_is_to_move() {
    // White has to let go of the pawn or to stalemate; Black has to let the king through.
    assert_eq!(value::<Chess>("3k4/3P4/4K3/8/8/8/8/8 w - - 0 1", 20_000), 0);
    assert!(value::<Chess>("3k4/3P4/4K3/8/8/8/8/8 b - - 0 1", 100_000) <= -MATE_BOUND);
}

#[test]
fn a_move_is_lost_in_xiangqi_to_take_every_move_away() {
    // Black's king is not attacked; it has no good step, so Red only has to wait.
    for (fen, moves) in [("3k5/9/9/4P4/9/9/9/9/9/4K4 w", 3), ("5k3/9/9/3P5/9/9/9/9/4A4/3K5 w", 3)] {
        assert_eq!(engine::MATE - value::<Xiangqi>(fen, 20_000), 2 * moves - 1, "{fen}");
    }
    // A horse wins against an advisor, which falls because Black may not pass.
    assert_eq!(engine::MATE - value::<Xiangqi>("3k5/9/3a5/9/9/4N4/9/9/9/4K4 w", 100_000), 11);
}
