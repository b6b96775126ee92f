//! The evaluation has no favourite side and no favourite wing, and its sums follow the moves.

use super::squares::SquareWeights;
use super::{XiangqiEval, XiangqiTables, XiangqiWeights};
use crate::{Evaluate, Group, SearchGame, SearchParams, definitions};
use games::xiangqi::{Piece, PieceKind, Side, Square, Xiangqi};
use games::{Game, MoveList};
use model::{GameKind, ParameterSet};

fn fresh(position: &Xiangqi) -> i32 {
    fresh_by(&XiangqiEval::tables(&XiangqiWeights::default()), position)
}

fn fresh_by(tables: &XiangqiTables, position: &Xiangqi) -> i32 {
    let mut eval = XiangqiEval::default();
    eval.reset(tables, position);
    eval.evaluate(tables, position)
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

/// Pieces scattered over the points that they can reach, few on some boards and many on others.
fn scattered(mut visit: impl FnMut(&Xiangqi)) {
    let mut state = 1u64;
    let mut draw = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let reach = SquareWeights::default();
    for _ in 0..20_000 {
        let mut board = [None; Square::COUNT];
        let tenths = 1 + draw(9);
        for (side, kind) in Side::ALL.into_iter().flat_map(|s| PieceKind::ALL.map(|k| (s, k))) {
            for _ in 0..kind.most() {
                let points: Vec<Square> = Square::all()
                    .filter(|&at| board[at.index()].is_none())
                    .filter(|&at| reach.square(side, kind, at).is_some())
                    .collect();
                // Advisors may find the palace full.
                let square = points.get(draw(points.len().max(1)));
                if let Some(square) = square
                    && (kind == PieceKind::King || draw(10) < tenths)
                {
                    board[square.index()] = Some(Piece::new(side, kind));
                }
            }
        }
        let rank = |rank: usize| -> String {
            let points = board[9 * rank..9 * rank + 9].iter();
            points.map(|piece| piece.map_or('1', Piece::letter)).collect()
        };
        let ranks: Vec<String> = (0..10).rev().map(rank).collect();
        // Where the side not to move stands in check, and the like, there is no such position.
        if let Ok(position) = Xiangqi::from_fen(&format!("{} w - - 0 1", ranks.join("/"))) {
            visit(&position);
        }
    }
}

#[test]
fn terms_add_up_to_the_value() {
    let tables = XiangqiEval::tables(&XiangqiWeights::default());
    let mut check = |position: &Xiangqi| {
        let mut eval = XiangqiEval::default();
        eval.reset(&tables, position);
        let value = eval.evaluate(&tables, position);
        let terms = eval.terms(&tables, position);
        let sum: i32 = terms.iter().map(|term| term.centipawns).sum();
        // Each of them is rounded for itself.
        assert!((sum - value).abs() <= terms.len() as i32, "{value} {terms:?}");
    };
    walks(|position| check(position));
    scattered(&mut check);
}

/// What is rare on scattered boards: few attackers against many guards, and all attackers at once.
fn rare(mut visit: impl FnMut(Xiangqi)) {
    let attackers = ["P8", "P1P6", "N8", "R8", "C8", "N1P6", "N1N6"];
    let guards = ["2bak1b2", "2bakab2"];
    let fens = attackers.iter().flat_map(|attackers| {
        guards.map(|guards| format!("{guards}/9/9/{attackers}/9/9/9/9/9/3K5 w"))
    });
    for fen in fens.chain(["1C1aka1C1/R7R/9/2N3N2/9/9/9/9/9/3K5 b".to_owned()]) {
        visit(Xiangqi::from_fen(&fen).unwrap_or_else(|e| panic!("{fen}: {e}")));
    }
}

/// A weight that no position shows would be one that nobody could tune.
#[test]
fn every_weight_counts_somewhere() {
    let tables = |name: &str, value: f64| {
        let set = ParameterSet::from_iter([(name.to_owned(), value)]);
        SearchParams::<Xiangqi>::from_set(&set).expect("a value in range")
    };
    let mut positions = Vec::new();
    walks(|position| positions.push(position.clone()));
    scattered(|position| positions.push(position.clone()));
    rare(|position| positions.push(position));
    let list = definitions(GameKind::Xiangqi);
    // Those of a network show where there is one: `tests/network.rs`.
    let by_hand = |name: &str| !name.starts_with("net_");
    let weights: Vec<_> =
        list.iter().filter(|def| def.group == Group::Eval && by_hand(&def.name)).collect();
    assert!(weights.len() > 500, "{}", weights.len());
    let mut silent = Vec::new();
    for def in weights {
        let (low, high) = (tables(&def.name, def.min), tables(&def.name, def.max));
        let shows =
            |position: &Xiangqi| fresh_by(low.eval(), position) != fresh_by(high.eval(), position);
        let counts = match def.name.strip_prefix("exchange_") {
            Some(_) => low.eval().exchange != high.eval().exchange,
            None => positions.iter().any(shows),
        };
        if !counts {
            silent.push(&def.name);
        }
    }
    assert!(silent.is_empty(), "{silent:?}");
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
    let tables = XiangqiEval::tables(&XiangqiWeights::default());
    walks(|position| {
        let mut eval = XiangqiEval::default();
        eval.reset(&tables, position);
        let before = eval.evaluate(&tables, position);
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        for &mv in moves.iter() {
            eval.push(&tables, position, Some(mv));
            position.make(mv);
            assert_eq!(eval.evaluate(&tables, position), fresh(position), "{}", position.to_fen());
            position.unmake();
            eval.pop();
        }
        assert_eq!(eval.evaluate(&tables, position), before);
    });
}

#[test]
fn every_attacker_is_worth_having() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let level = fresh(&Xiangqi::from_fen(start).expect("the start"));
    for (with, without, at_least) in
        [("/RNB", "/1NB", 700), ("/RNB", "/R1B", 240), ("/1C5C1", "/7C1", 250), ("/P1P", "/2P", 30)]
    {
        let odds = start.replacen(with, without, 1);
        let value = fresh(&Xiangqi::from_fen(&odds).unwrap_or_else(|e| panic!("{odds}: {e}")));
        assert!(value < level - at_least, "{odds}: {value}");
        let theirs = colours_swapped(&odds).replacen(" b ", " w ", 1);
        let position = Xiangqi::from_fen(&theirs).expect("odds for the other side");
        assert_eq!(position.side_to_move(), Side::Red);
        let value = fresh(&position);
        assert!(value > level + at_least, "{theirs}: {value}");
    }
}
