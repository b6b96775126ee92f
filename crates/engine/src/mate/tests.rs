//! Against trying everything, and on problems whose length is known.

use super::*;
use games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};

fn solve<G: Game>(fen: &str) -> MateAnswer<G::Move> {
    let mut position = G::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    let limits = MateLimits { nodes: Some(Nodes(2_000_000)), plies: None };
    MateSolver::new(4).solve(&mut position, &limits, &StopSignal::never())
}

fn line<G: Game>(fen: &str) -> Vec<String> {
    let MateAnswer::Mate(moves) = solve::<G>(fen) else { panic!("no mate: {fen}") };
    let mut position = G::from_fen(fen).expect("a position");
    let mut texts = Vec::new();
    for (ply, &mv) in moves.iter().enumerate() {
        assert!(position.is_pseudo_legal(mv) && position.is_legal(mv), "{fen}");
        texts.push(position.move_to_text(mv));
        position.make(mv);
        assert!(ply % 2 == 1 || position.in_check(), "{fen}: {texts:?}");
    }
    let mut replies = MoveList::new();
    position.legal(&mut replies);
    assert!(replies.is_empty() && position.in_check(), "{fen}: {texts:?}");
    texts
}

/// The length of the shortest mate by checks, by trying everything.
fn shortest<G: Game>(position: &mut G, turn: Turn, plies: u32) -> Option<u32> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    if turn == Turn::Attacker && plies == 0 {
        return None;
    }
    if turn == Turn::Defender && moves.is_empty() {
        return Some(0);
    }
    let mut best = None;
    for &mv in moves.iter() {
        position.make(mv);
        let counts = turn == Turn::Defender || position.in_check();
        let is_open = counts && plies > 0 && position.rule_draw_or_loss().is_none();
        let child = if is_open { shortest(position, turn.other(), plies - 1) } else { None };
        position.unmake();
        match (turn, child) {
            (Turn::Attacker, Some(length)) => {
                best = Some(best.map_or(length + 1, |least: u32| least.min(length + 1)));
            }
            (Turn::Attacker, None) => {}
            (Turn::Defender, Some(length)) => best = best.max(Some(length + 1)),
            (Turn::Defender, None) => return None,
        }
    }
    best
}

/// Positions of games of pseudo-random moves, from a text on.
fn agrees_with_trying_everything<G: Game>(start: &str, games: u32, plies: u32) -> u32 {
    let mut state = 17u32;
    let mut mates = 0;
    // One solver for all: what it has learnt of one position must not spoil the next.
    let mut solver = MateSolver::new(0);
    for _ in 0..games {
        let mut position = G::from_fen(start).expect("a position");
        for _ in 0..60 {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            if moves.is_empty() || position.rule_draw_or_loss().is_some() {
                break;
            }
            let expected = shortest(&mut position, Turn::Attacker, plies);
            let limits = MateLimits { plies: Some(plies), nodes: None };
            let found = solver.solve(&mut position, &limits, &StopSignal::never());
            match &found {
                MateAnswer::Mate(line) => {
                    let length = line.len() as u32;
                    assert!(length % 2 == 1 && Some(length) <= expected, "{}", position.to_fen());
                }
                MateAnswer::NoMate | MateAnswer::Unknown => {
                    assert_eq!(expected, None, "{}", position.to_fen());
                }
            }
            mates += u32::from(expected.is_some());
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            position.make(moves[(state >> 16) as usize % moves.len()]);
        }
    }
    mates
}

#[test]
fn every_short_mate_of_chess_is_found_and_no_other() {
    let start = "4k3/8/8/8/8/8/PPP5/R2QK2R w KQ - 0 1";
    let mates = agrees_with_trying_everything::<Chess>(start, 12, 5);
    assert!(mates > 20, "{mates}");
}

#[test]
fn every_short_mate_of_shogi_is_found_and_no_other() {
    let start = "4k4/9/4P4/9/9/9/9/9/4K4 b 2RGSNP 1";
    let mates = agrees_with_trying_everything::<Shogi>(start, 4, 3);
    assert!(mates > 10, "{mates}");
}

#[test]
fn every_short_mate_of_xiangqi_is_found_and_no_other() {
    let start = "3k5/9/9/9/9/9/9/4C4/R3N4/4K3R w - - 0 1";
    let mates = agrees_with_trying_everything::<Xiangqi>(start, 12, 5);
    assert!(mates > 20, "{mates}");
}

#[test]
fn mates_of_known_length() {
    // Two rooks drive the king to the rim.
    assert_eq!(line::<Chess>("6k1/R7/1R6/8/8/8/8/6K1 w - - 0 1"), ["b6b8"]);
    // The smothered mate of Philidor's time.
    let smothered = line::<Chess>("2r4k/6pp/8/4N3/8/1Q6/6PP/7K w - - 0 1");
    assert_eq!((smothered.len(), smothered[0].as_str()), (7, "e5f7"));
    assert_eq!(line::<Shogi>("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), ["G*5b"]);
}

#[test]
fn where_checks_do_not_mate_it_says_so() {
    assert_eq!(solve::<Chess>("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"), MateAnswer::NoMate);
    // A rook can go on for ever: nothing ends that but the limit.
    assert_eq!(solve::<Chess>("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), MateAnswer::Unknown);
    assert_eq!(solve::<Shogi>("4k4/9/9/9/9/9/9/9/4K4 b P 1"), MateAnswer::NoMate);
    // No mate by the drop of a pawn.
    let drop = "7nk/9/8S/9/9/9/9/9/4K4 b P 1";
    assert_ne!(solve::<Shogi>(drop), MateAnswer::Mate(Vec::new()));
}

#[test]
fn limits_are_kept_exactly() {
    let fen = "2r4k/6pp/8/4N3/8/1Q6/6PP/7K w - - 0 1";
    for nodes in [0, 1, 7, 100, 1000] {
        let mut position = Chess::from_fen(fen).expect("a position");
        let mut solver = MateSolver::new(1);
        let limits = MateLimits { nodes: Some(Nodes(nodes)), plies: None };
        let found = solver.solve(&mut position, &limits, &StopSignal::never());
        assert!(solver.nodes().0 <= nodes, "{nodes}");
        assert!(solver.nodes().0 == nodes || matches!(found, MateAnswer::Mate(_)), "{nodes}");
    }
    let flag = std::sync::atomic::AtomicBool::new(true);
    let mut position = Chess::from_fen(fen).expect("a position");
    let mut solver = MateSolver::new(1);
    let found = solver.solve(&mut position, &MateLimits::default(), &StopSignal::when(&flag));
    assert_eq!(found, MateAnswer::Unknown);
}
