//! Texts, hashes, make and unmake in every position.

use std::collections::BTreeMap;

use super::{Place, TicTacToe};
use crate::{Game, MoveList};

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
