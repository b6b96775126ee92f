//! Exactness: against trying everything, against published scores, with every size of table.

use super::*;
use games::{Game, MoveList};

/// The two smallest of the FFO endgame test suite that have one best move, 40 and 41: published facts
/// (Fédération Française d'Othello). The example `ffo` solves a whole file of them.
const FFO: [(&str, i32, &str); 2] = [
    ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, "a2"),
    ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, "h4"),
];

fn solve(position: &Othello) -> Solution {
    Solver::new(16).solve(position, &StopSignal::never()).expect("nothing stops it")
}

/// The disc difference by trying everything.
fn exact(position: &mut Othello) -> i32 {
    if position.result().is_some() {
        return position.disc_difference();
    }
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let tried = moves.iter().map(|&mv| {
        position.make(mv);
        let value = -exact(position);
        position.unmake();
        value
    });
    tried.max().expect("a game that is not over has a move")
}

/// Positions of games of pseudo-random moves, with so many empty squares at most.
fn endings(most: u32, games: u32) -> Vec<Othello> {
    let mut state = 11u32;
    let mut found = Vec::new();
    for _ in 0..games {
        let mut position = Othello::start();
        while position.result().is_none() {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            position.make(moves[(state >> 16) as usize % moves.len()]);
            if position.empties() <= most {
                found.push(position.clone());
            }
        }
    }
    found
}

#[test]
fn the_end_of_random_games_is_exact() {
    for mut position in endings(8, 60) {
        let found = solve(&position);
        let score = exact(&mut position);
        assert_eq!(found.score, score, "{}", position.to_fen());
        match found.best {
            None => assert!(position.result().is_some()),
            Some(best) => {
                assert!(position.is_pseudo_legal(best), "{}", position.to_fen());
                position.make(best);
                assert_eq!(-exact(&mut position), score, "{best} {}", position.to_fen());
            }
        }
    }
}

#[test]
fn neither_the_table_nor_what_was_solved_before_changes_an_answer() {
    let mut used = Solver::new(0);
    for position in endings(13, 12).iter().step_by(2) {
        let fresh = solve(position);
        let again = used.solve(position, &StopSignal::never()).expect("nothing stops it");
        assert_eq!(again.score, fresh.score, "{}", position.to_fen());
    }
}

#[test]
fn stable_discs_stay_to_the_end() {
    let mut state = 5u32;
    for start in endings(30, 12).iter().step_by(5) {
        let mut position = start.clone();
        let board = position.board();
        let (own, other) = (stable_discs(board), stable_discs(board.passed()));
        let us = position.side_to_move();
        while position.result().is_none() {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            position.make(moves[(state >> 16) as usize % moves.len()]);
            assert_eq!(position.discs(us) & own, own, "{}", start.to_fen());
            assert_eq!(position.discs(us.other()) & other, other, "{}", start.to_fen());
        }
    }
}

#[test]
fn published_endings_have_their_published_scores() {
    for (board, score, best) in FFO {
        let found = solve(&Othello::from_fen(board).expect("a position"));
        assert_eq!(found.score, score, "{board}");
        assert_eq!(found.best.expect("a move").to_string(), best, "{board}");
    }
}

#[test]
fn a_signal_stops_it() {
    let flag = std::sync::atomic::AtomicBool::new(true);
    let position = Othello::from_fen(FFO[1].0).expect("a position");
    assert_eq!(Solver::new(1).solve(&position, &StopSignal::when(&flag)), None);
}

#[test]
fn a_position_of_a_bug_elsewhere_is_right_here() {
    // Egaroucid issue 139: a wrong bound from the table gave +28.
    let board = "--OX-OO---OOOO-X-OOOO-OX-OOOOOXXXOOXXOXX-OOOOOOXXOXX-O-XO--XXXXX X";
    let Ok(position) = Othello::from_fen(board) else { panic!("a position") };
    let found = solve(&position);
    assert_eq!((found.score, found.best.map(|mv| mv.to_string())), (32, Some("g7".to_owned())));
}

#[test]
fn an_attempt_never_visits_one_node_too_many_and_claims_nothing_wrong() {
    for position in endings(14, 6).iter().step_by(3) {
        let exact = solve(position).score;
        let mut known = 0;
        for nodes in [0, 1, 50, 129, 500, 3000, 20_000, 5_000_000] {
            let mut solver = Solver::new(1);
            let found = solver.attempt(position, Nodes(nodes), &StopSignal::never());
            assert!(found.bounds.nodes.0 <= nodes, "{nodes} {}", position.to_fen());
            assert!(found.bounds.low <= exact && exact <= found.bounds.high);
            known += u32::from(found.score().is_some());
            if let Some(mv) = found.best.filter(|mv| *mv != Move::PASS) {
                let mut after = position.clone();
                after.make(mv);
                assert!(-solve(&after).score >= found.bounds.low, "{}", position.to_fen());
            }
        }
        assert!(known >= 1);
    }
}
