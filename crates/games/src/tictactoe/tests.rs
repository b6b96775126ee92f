//! The whole game, enumerated.

use std::collections::BTreeMap;

use super::{Place, TicTacToe};
use crate::{Game, MoveList, RuleResult, RuleWinner, perft};

use model::Termination;

/// Leaves by winner: x, o, neither.
fn count_games(position: &mut TicTacToe, counts: &mut [u32; 3]) {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let Some(RuleResult { winner, reason }) = position.result() else {
        for &mv in moves.iter() {
            position.make(mv);
            count_games(position, counts);
            position.unmake();
        }
        return;
    };
    assert_eq!(reason, Termination::Board);
    assert!(moves.is_empty(), "no move after the end of {}", position.to_fen());
    match winner {
        RuleWinner::Draw => counts[2] += 1,
        RuleWinner::Opponent => counts[usize::from(position.first_to_move())] += 1,
        RuleWinner::SideToMove => panic!("the side to move cannot have a line"),
    }
}

/// The value of every reachable position for the side to move: 1, 0 or -1.
fn solve(position: &mut TicTacToe, values: &mut BTreeMap<u32, i32>) -> i32 {
    if let Some(&value) = values.get(&position.code()) {
        return value;
    }
    let value = match position.result() {
        Some(result) => -i32::from(result.winner == RuleWinner::Opponent),
        None => {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            let mut best = -1;
            for &mv in moves.iter() {
                position.make(mv);
                best = best.max(-solve(position, values));
                position.unmake();
            }
            best
        }
    };
    values.insert(position.code(), value);
    value
}

#[test]
fn all_games_are_counted_by_winner() {
    let mut counts = [0; 3];
    count_games(&mut TicTacToe::start(), &mut counts);
    assert_eq!(counts, [131_184, 77_904, 46_080]);
    assert_eq!(counts.iter().sum::<u32>(), 255_168);
}

#[test]
fn tree_has_the_known_width_at_every_ply() {
    let widths = [1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872];
    for (depth, width) in (0..).zip(widths) {
        assert_eq!(perft(&mut TicTacToe::start(), depth), width, "depth {depth}");
    }
}

#[test]
fn best_play_draws_among_5478_positions() {
    let mut values = BTreeMap::new();
    assert_eq!(solve(&mut TicTacToe::start(), &mut values), 0);
    assert_eq!(values.len(), 5478);
}

#[test]
fn every_reachable_position_survives_text_hash_and_unmake() {
    fn walk(position: &mut TicTacToe, seen: &mut BTreeMap<u32, u64>) {
        let fresh = TicTacToe::from_fen(&position.to_fen()).expect("a reachable position");
        assert_eq!(fresh, *position);
        assert_eq!(fresh.hash(), position.hash(), "{}", position.to_fen());
        if seen.insert(position.code(), position.hash()).is_some() {
            return;
        }
        let before = position.clone();
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        for &mv in moves.iter() {
            assert_eq!(position.move_from_text(&position.move_to_text(mv)), Ok(mv));
            position.make(mv);
            walk(position, seen);
            position.unmake();
            assert_eq!((position.hash(), &*position), (before.hash(), &before));
        }
        position.make_null();
        assert_ne!(position.hash(), before.hash());
        position.unmake_null();
        assert_eq!((position.hash(), &*position), (before.hash(), &before));
    }
    let mut seen = BTreeMap::new();
    walk(&mut TicTacToe::start(), &mut seen);
    let mut hashes: Vec<_> = seen.into_values().collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 5478, "no two positions share a hash");
}

#[test]
fn wrong_texts_name_field_and_find() {
    let cases = [
        ("", "board", "nothing"),
        ("x.o/...", "board", "x.o/..."),
        ("x.o/..../...", "board", "x.o/..../..."),
        ("X../.../...", "board", "X at column 1"),
        (".../.\u{1b}./...", "board", "U+001B at column 6"),
        ("xx./.../...", "board", "2 of x and 0 of o"),
        ("o../.../...", "board", "0 of x and 1 of o"),
        ("x../.../... x", "side to move", "x"),
        (".../.../... x x", "text after the side to move", "x"),
        ("xxx/ooo/... x", "board", "xxx/ooo/..."),
    ];
    for (text, field, found) in cases {
        let error = TicTacToe::from_fen(text).expect_err(text);
        assert_eq!((error.field, error.found.as_str()), (field, found), "{text}");
    }
}

#[test]
fn wrong_moves_are_told_apart() {
    let position = TicTacToe::from_fen("x.o/.../...").expect("a position");
    let problem = |text| position.move_from_text(text).expect_err("no move").problem;
    assert_eq!(problem("a3"), "not legal here");
    assert_eq!(problem("d1"), "no move text");
    assert_eq!(problem(""), "no move text");
    assert!(!position.is_pseudo_legal(Place::default()));
}
