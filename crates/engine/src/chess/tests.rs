//! Claims about the evaluation as a whole.

use super::{ChessEval, ChessTables, ChessWeights};
use crate::{Declared, Evaluate};
use games::chess::{Chess, Color, Piece};
use games::{Game, MoveList};

fn position(fen: &str) -> Chess {
    Chess::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn value_of(tables: &ChessTables, position: &Chess) -> i32 {
    let mut eval = ChessEval::default();
    eval.reset(tables, position);
    eval.evaluate(tables, position)
}

fn value(fen: &str) -> i32 {
    value_of(&ChessTables::of(&ChessWeights::default()), &position(fen))
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Where random moves lead from a start; every position on the way is shown with the move to it.
fn walk(seed: u64, start: &Chess, plies: usize, mut see: impl FnMut(&mut Chess)) {
    let (mut state, mut position) = (seed, start.clone());
    see(&mut position);
    for _ in 0..plies {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() {
            return;
        }
        position.make(moves[(splitmix(&mut state) % moves.len() as u64) as usize]);
        see(&mut position);
    }
}

/// Castling, en passant and promotions are near.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
];

#[test]
fn sums_along_a_line_are_those_of_a_fresh_start() {
    let tables = ChessTables::of(&ChessWeights::default());
    for (index, fen) in STARTS.into_iter().enumerate() {
        for seed in 0..40 {
            let (mut state, mut position) = (1000 * index as u64 + seed, position(fen));
            let mut along = ChessEval::default();
            along.reset(&tables, &position);
            let mut values = Vec::new();
            for ply in 0..60 {
                let mut moves = MoveList::new();
                position.legal(&mut moves);
                if moves.is_empty() {
                    break;
                }
                values.push(along.evaluate(&tables, &position));
                if ply % 7 == 3 && !position.in_check() {
                    along.push(&tables, &position, None);
                    position.make_null();
                } else {
                    let mv = moves[(splitmix(&mut state) % moves.len() as u64) as usize];
                    along.push(&tables, &position, Some(mv));
                    position.make(mv);
                }
                let fresh = value_of(&tables, &position);
                assert_eq!(along.evaluate(&tables, &position), fresh, "{}", position.to_fen());
            }
            for value in values.into_iter().rev() {
                position.unmake();
                along.pop();
                assert_eq!(along.evaluate(&tables, &position), value, "{}", position.to_fen());
            }
        }
    }
}

/// The same position with the colours swapped, the board turned over.
fn swapped(position: &Chess) -> Chess {
    let fen = position.to_fen();
    let mut fields = fen.split(' ');
    let mut next = || fields.next().unwrap_or("");
    let other_case = |text: &str| -> String {
        let swap = |c: char| {
            if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        text.chars().map(swap).collect()
    };
    let board: Vec<&str> = next().split('/').rev().collect();
    let board = other_case(&board.join("/"));
    let side = if next() == "w" { "b" } else { "w" };
    let castling = other_case(next());
    let en_passant = next().replace('3', "x").replace('6', "3").replace('x', "6");
    self::position(&format!("{board} {side} {castling} {en_passant} {} {}", next(), next()))
}

#[test]
fn colours_swapped_it_is_the_same() {
    let tables = ChessTables::of(&ChessWeights::default());
    for (index, fen) in STARTS.into_iter().enumerate() {
        for seed in 0..20 {
            walk(100 * index as u64 + seed, &position(fen), 80, |position| {
                let other = value_of(&tables, &swapped(position));
                assert_eq!(value_of(&tables, position), other, "{}", position.to_fen());
            });
        }
    }
}

#[test]
fn the_terms_add_up() {
    let tables = ChessTables::of(&ChessWeights::default());
    for (index, fen) in STARTS.into_iter().enumerate() {
        walk(index as u64, &position(fen), 80, |position| {
            let mut eval = ChessEval::default();
            eval.reset(&tables, position);
            let terms = eval.terms(&tables, position);
            let sum: i32 = terms.iter().map(|term| term.centipawns).sum();
            let off = (sum - eval.evaluate(&tables, position)).unsigned_abs() as usize;
            assert!(off <= terms.len(), "{off} {}", position.to_fen());
        });
    }
}

/// Endings that a walk from a full board seldom meets.
const ENDINGS: [&str; 12] = [
    "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
    "8/8/3k4/8/8/3K4/3B4/3N4 w - - 0 1",
    "8/8/2b1k3/3p4/3P4/4K1P1/1B3P2/8 w - - 0 1",
    "r5k1/5pp1/2b4p/8/P7/2P3P1/1B3P1P/R5K1 w - - 0 1",
    "4k3/8/8/3r4/8/5n2/R7/4K3 w - - 0 1",
    "8/P4k2/8/8/8/8/6K1/8 b - - 0 1",
    "8/5k2/1P6/P7/8/8/6KP/8 b - - 0 1",
    "4k3/1R2n3/3P4/2P5/1P6/P5p1/5rp1/4K3 b - - 0 1",
    "3r2k1/3P1ppp/8/4P3/2p5/1p3B2/R4PPP/3R2K1 w - - 0 1",
    "6k1/3n1ppp/2NP4/3pP3/2p1n3/1pN5/PP3PPP/6K1 b - - 0 1",
    "rk6/1p6/1P6/8/4Q3/8/2q3B1/6RK w - - 0 1",
    "8/8/1r3kp1/1P5p/7P/1K4P1/1R6/8 w - - 0 1",
];

#[test]
fn every_weight_counts_somewhere() {
    let defaults = ChessWeights::default();
    let tables = ChessTables::of(&defaults);
    let mut positions = Vec::new();
    for (index, fen) in ENDINGS.into_iter().chain(STARTS).enumerate() {
        for seed in 0..12 {
            walk(7000 + 50 * index as u64 + seed, &position(fen), 160, |p| {
                positions.push(p.clone())
            });
        }
    }
    let lines = include_str!("../../../../books/chess.epd").lines().skip(3);
    for (seed, line) in lines.step_by(40).enumerate() {
        walk(seed as u64, &position(line), 40, |p| positions.push(p.clone()));
    }
    let values: Vec<i32> = positions.iter().map(|p| value_of(&tables, p)).collect();
    let (mut list, mut numbers) = (Vec::new(), Vec::new());
    ChessWeights::declare(&mut list);
    defaults.read(&mut numbers);
    let mut dead = Vec::new();
    for (index, def) in list.iter().enumerate() {
        // Where one extreme is seen, the other mostly is too.
        let mut seen = 0;
        for extreme in [def.min, def.max] {
            let mut numbers = numbers.clone();
            numbers[index] = extreme;
            let mut weights = defaults.clone();
            weights.write(&mut numbers.into_iter());
            let tables = ChessTables::of(&weights);
            let mut eval = ChessEval::default();
            let mut places = (seen..positions.len()).chain(0..seen);
            let place = places.find(|&place| {
                eval.reset(&tables, &positions[place]);
                eval.evaluate(&tables, &positions[place]) != values[place]
            });
            match place {
                Some(place) => seen = place,
                None if extreme == def.default => {}
                None => dead.push(format!("{} at {extreme}", def.name)),
            }
        }
    }
    assert!(dead.is_empty(), "{} positions: {dead:?}", positions.len());
}

#[test]
fn what_every_player_knows_counts() {
    let better = |good: &str, bad: &str| {
        assert!(value(good) > value(bad) + 10, "{good} {} {bad} {}", value(good), value(bad));
    };
    better("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/3P4/8/8/4K3 w - - 0 1");
    better("4k3/pp6/8/8/2PP4/8/8/4K3 w - - 0 1", "4k3/pp6/8/8/3P4/3P4/8/4K3 w - - 0 1");
    better("4k3/p7/8/8/8/8/P7/2BBK3 w - - 0 1", "4k3/p7/8/8/8/8/P7/2BNK3 w - - 0 1");
    better(
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR w KQkq - 0 1",
    );
}

#[test]
fn what_cannot_be_won_is_a_draw_and_what_can_has_a_plan() {
    for fen in [
        "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1",
        "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1",
        "k7/8/8/P7/8/8/8/2B1K3 w - - 0 1",
    ] {
        assert_eq!(value(fen), 0, "{fen}");
    }
    assert!(value("k7/8/8/P7/8/8/8/3BK3 w - - 0 1") > 200);
    let plan = |good: &str, bad: &str| assert!(value(good) > value(bad), "{good} {bad}");
    plan("8/8/8/k2K4/8/8/8/7R w - - 0 1", "8/8/4k3/8/4K3/8/8/7R w - - 0 1");
    // The bishop's corner is the fatal one.
    plan("7k/8/5K2/8/8/8/8/2BN4 w - - 0 1", "k7/8/2K5/8/8/8/8/2BN4 w - - 0 1");
}

#[test]
fn the_phase_never_leaves_its_range() {
    let tables = ChessTables::of(&ChessWeights::default());
    let position = position("7k/8/8/8/8/8/QQQQQQQ1/KQQ5 b - - 0 1");
    assert_eq!(position.pieces(Color::White, Piece::Queen).len(), 9);
    assert!(value_of(&tables, &position) > -crate::MATE_BOUND);
}
