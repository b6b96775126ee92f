//! The evaluation has no favourite side and no favourite wing, and its sums follow the moves.

use super::XiangqiEval;
use crate::{Evaluate, SearchGame};
use games::xiangqi::{Side, Xiangqi};
use games::{Game, MoveList};

fn fresh(position: &Xiangqi) -> i32 {
    let mut eval = XiangqiEval::default();
    eval.reset(&(), position);
    eval.evaluate(&(), position)
}

/// The text with files a–i reversed.
fn mirrored(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect("a board and a side");
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

/// The text with the colours and the ranks swapped.
fn colours_swapped(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect("a board and a side");
    let swap = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let ranks: Vec<String> =
        board.split('/').rev().map(|r| r.chars().map(swap).collect()).collect();
    let side = if rest.starts_with('w') { "b" } else { "w" };
    format!("{} {side}{}", ranks.join("/"), &rest[1..])
}

/// Positions along a fixed walk through the legal moves from every bench position.
fn walks(mut visit: impl FnMut(&mut Xiangqi)) {
    for (start, fen) in Xiangqi::BENCH_POSITIONS.iter().enumerate() {
        let mut position = Xiangqi::from_fen(fen).expect("a bench position");
        for step in 0..60 {
            visit(&mut position);
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.make(moves[(step * 31 + start * 17 + 5) % moves.len()]);
        }
    }
}

#[test]
fn neither_wing_nor_colour_changes_the_value() {
    let mut seen = 0;
    walks(|position| {
        let fen = position.to_fen();
        let value = fresh(position);
        let read = |text: &str| Xiangqi::from_fen(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(fresh(&read(&mirrored(&fen))), value, "mirror of {fen}");
        assert_eq!(fresh(&read(&colours_swapped(&fen))), value, "colours of {fen}");
        seen += 1;
    });
    assert!(seen > 300, "{seen} positions");
}

#[test]
fn sums_kept_along_the_line_equal_those_counted_afresh() {
    walks(|position| {
        let mut eval = XiangqiEval::default();
        eval.reset(&(), position);
        let before = eval.evaluate(&(), position);
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        for &mv in moves.iter() {
            eval.push(&(), position, Some(mv));
            position.make(mv);
            assert_eq!(eval.evaluate(&(), position), fresh(position), "{}", position.to_fen());
            position.unmake();
            eval.pop();
        }
        assert_eq!(eval.evaluate(&(), position), before);
    });
}

#[test]
fn every_attacker_is_worth_having() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let level = fresh(&Xiangqi::from_fen(start).expect("the start"));
    for (with, without, at_least) in
        [("/RNB", "/1NB", 700), ("/RNB", "/R1B", 250), ("/1C5C1", "/7C1", 250), ("/P1P", "/2P", 30)]
    {
        let odds = start.replacen(with, without, 1);
        let value = fresh(&Xiangqi::from_fen(&odds).unwrap_or_else(|e| panic!("{odds}: {e}")));
        assert!(value < level - at_least, "{odds}: {value}");
        let theirs = colours_swapped(&odds).replacen(" b ", " w ", 1);
        let position = Xiangqi::from_fen(&theirs).expect("odds for the other side");
        assert_eq!(position.side_to_move(), Side::Red);
        assert!(fresh(&position) > level + at_least, "{theirs}");
    }
}
