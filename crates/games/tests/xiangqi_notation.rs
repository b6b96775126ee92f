//! Move texts of xiangqi against the examples of the published rules, and each of them unambiguous.

use std::collections::BTreeSet;

use games::xiangqi::{Move, Xiangqi};
use games::{Game, MoveList};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

/// What a move is called: ICCS, WXF, Chinese.
fn names(fen: &str, mv: &str) -> [String; 3] {
    let position = Xiangqi::from_fen(fen).expect("a position");
    let mv = position.move_from_text(mv).expect("a legal move");
    let wxf = position.move_to_wxf(mv).expect("a piece stands there");
    let chinese = position.move_to_chinese(mv).expect("a piece stands there");
    [mv.to_iccs(), wxf, chinese]
}

#[test]
fn single_pieces_are_named_by_their_file() {
    let cases = [
        ("h2e2", ["H2-E2", "C2=5", "炮二平五"]),
        ("h0g2", ["H0-G2", "H2+3", "马二进三"]),
        ("c0e2", ["C0-E2", "E7+5", "相七进五"]),
        ("d0e1", ["D0-E1", "A6+5", "仕六进五"]),
        ("e0e1", ["E0-E1", "K5+1", "帅五进一"]),
        ("a0a2", ["A0-A2", "R9+2", "车九进二"]),
        ("b2b9", ["B2-B9", "C8+7", "炮八进七"]),
        ("h2h1", ["H2-H1", "C2-1", "炮二退一"]),
        ("c3c4", ["C3-C4", "P7+1", "兵七进一"]),
    ];
    for (mv, expected) in cases {
        assert_eq!(names(START, mv), expected);
    }
    let black = START.replace(" w", " b");
    let cases = [
        ("h7e7", ["H7-E7", "C8=5", "炮８平５"]),
        ("b9c7", ["B9-C7", "H2+3", "马２进３"]),
        ("c9e7", ["C9-E7", "E3+5", "象３进５"]),
        ("d9e8", ["D9-E8", "A4+5", "士４进５"]),
        ("e9e8", ["E9-E8", "K5+1", "将５进１"]),
        ("c6c5", ["C6-C5", "P3+1", "卒３进１"]),
    ];
    for (mv, expected) in cases {
        assert_eq!(names(&black, mv), expected);
    }
}

#[test]
fn two_on_a_file_are_front_and_rear_but_for_advisors_and_elephants() {
    let cannons = "5k3/9/9/9/9/9/9/4C4/4C4/3K5 w";
    assert_eq!(names(cannons, "e2c2")[1..], ["C+=7", "前炮平七"]);
    assert_eq!(names(cannons, "e1e0")[1..], ["C--1", "后炮退一"]);
    let horses = "3k1n3/9/9/5n3/9/9/9/9/9/4KC3 b";
    assert_eq!(names(horses, "f6e4")[1..], ["H++5", "前马进５"]);
    assert_eq!(names(horses, "f9g7")[1..], ["H-+7", "后马进７"]);
    let elephants = "4k4/9/9/9/9/2B6/9/9/9/2BK5 w";
    assert_eq!(names(elephants, "c4e2")[1..], ["E7-5", "相七退五"]);
    assert_eq!(names(elephants, "c0e2")[1..], ["E7+5", "相七进五"]);
    let advisors = "3a1k3/9/3a5/9/9/9/9/9/9/4K4 b";
    assert_eq!(names(advisors, "d9e8")[1..], ["A4+5", "士４进５"]);
    assert_eq!(names(advisors, "d7e8")[1..], ["A4-5", "士４退５"]);
    let pawns = "3k5/9/9/4P4/4P4/9/9/9/9/4K4 w";
    assert_eq!(names(pawns, "e6d6")[1..], ["P+=6", "前兵平六"]);
    assert_eq!(names(pawns, "e5d5")[1..], ["P-=6", "后兵平六"]);
}

#[test]
fn pawns_of_one_file_are_told_apart() {
    let three = "4k4/9/6P2/6P2/6P2/9/9/9/9/3K5 w";
    let all = ["g7f7", "g6f6", "g5f5"].map(|mv| names(three, mv));
    assert_eq!(all.each_ref().map(|name| name[1].as_str()), ["P+=4", "P3=4", "P-=4"]);
    assert_eq!(all.each_ref().map(|name| name[2].as_str()), ["前兵平四", "中兵平四", "后兵平四"]);
    let four = "4k4/6P2/6P2/6P2/6P2/9/9/9/9/3K5 w";
    let all = ["g8f8", "g7f7", "g6f6", "g5f5"].map(|mv| names(four, mv));
    assert_eq!(all.each_ref().map(|name| name[1].as_str()), ["++=4", "P+=4", "P-=4", "--=4"]);
    let chinese = ["一兵平四", "二兵平四", "三兵平四", "四兵平四"];
    assert_eq!(all.each_ref().map(|name| name[2].as_str()), chinese);
    let five = "3k5/9/9/9/9/6p2/6p2/6p2/6p2/4K1p2 b";
    let all = ["g0h0", "g1h1", "g2h2", "g3h3", "g4h4"].map(|mv| names(five, mv));
    let wxf = ["++=8", "P+=8", "P7=8", "P-=8", "--=8"];
    assert_eq!(all.each_ref().map(|name| name[1].as_str()), wxf);
    let chinese = ["一卒平８", "二卒平８", "三卒平８", "四卒平８", "五卒平８"];
    assert_eq!(all.each_ref().map(|name| name[2].as_str()), chinese);
}

#[test]
fn pawns_of_two_files_are_told_apart() {
    let position = "4k4/9/6P2/2P3P2/2P3P2/9/9/9/9/3K5 w";
    let all = ["g7f7", "g6f6", "g5f5", "c6d6", "c5d5"].map(|mv| names(position, mv));
    let wxf = ["3+=4", "33=4", "3-=4", "7+=6", "7-=6"];
    assert_eq!(all.each_ref().map(|name| name[1].as_str()), wxf);
    let chinese = ["一兵平四", "二兵平四", "三兵平四", "四兵平六", "五兵平六"];
    assert_eq!(all.each_ref().map(|name| name[2].as_str()), chinese);
    let third = "4k4/9/9/2P3P2/2P3P2/8P/9/9/9/3K5 w";
    assert_eq!(names(third, "i4i5")[1..], ["P1+1", "兵一进一"]);
}

#[test]
fn an_empty_point_has_no_move_text() {
    let start = Xiangqi::start();
    assert_eq!(start.move_to_wxf(Move::from_bits(9)), None, "no piece on a1");
    assert_eq!(start.move_to_chinese(Move::from_bits(9)), None, "no piece on a1");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        rng_seed: RngSeed::Fixed(0x0e10_3111),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_two_legal_moves_have_one_text(
        start in prop::sample::select(vec![
            START,
            "1nbakabn1/9/2P1P4/2P1P4/2P6/6p2/4p1p2/4p1p2/9/1NBAKABN1 w",
            "3k2b2/4a4/4ba3/1C2P2N1/1C2P2N1/1c2p2n1/1c2p2n1/9/4A4/3AK1B2 b",
        ]),
        picks in prop::collection::vec(any::<u32>(), 120),
    ) {
        let mut position = Xiangqi::from_fen(start).expect("a position");
        for pick in picks {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            let texts = |name: fn(&Xiangqi, Move) -> Option<String>| {
                moves.iter().filter_map(|&mv| name(&position, mv)).collect::<BTreeSet<_>>()
            };
            let wxf = texts(Xiangqi::move_to_wxf);
            prop_assert_eq!(wxf.len(), moves.len(), "{} {:?}", position.to_fen(), wxf);
            let chinese = texts(Xiangqi::move_to_chinese);
            prop_assert_eq!(chinese.len(), moves.len(), "{} {:?}", position.to_fen(), chinese);
            prop_assert!(chinese.iter().chain(&wxf).all(|text| text.chars().count() == 4));
            if moves.is_empty() {
                break;
            }
            position.make(moves[pick as usize % moves.len()]);
        }
    }
}
