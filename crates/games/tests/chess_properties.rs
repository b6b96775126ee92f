//! The properties that every game holds, for chess and Chess960, and those of its move texts.

mod properties;

use std::collections::BTreeSet;

use games::chess::{Chess, Move};
use games::{Game, MoveList};
use properties::{Subject, Symmetry};

/// Kings of Chess960 stand off the e-file: a right to castle that looks classical would make castling
/// in the image be written in the classical way.
const STARTS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 90 60",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "rk6/pppppppp/8/8/8/8/PPPPPPPP/RK3R2 w FAa - 0 1",
    "1r1k3r/8/8/8/8/8/8/1R1K3R w HBhb - 0 1",
    "rr4kr/8/8/8/8/8/8/RR4KR w HBhb - 0 1",
];

fn subject() -> Subject<Chess> {
    Subject {
        starts: &STARTS,
        plies: 120,
        games: 20,
        any_move: |bits| Move::from_bits(bits as u16),
        symmetries: &[Symmetry { position: other_colours, mv: flip_ranks }],
    }
}

#[test]
fn chess_holds_the_properties_of_every_game() {
    subject().check();
}

#[test]
fn no_bits_make_an_illegal_move_pass() {
    for start in STARTS {
        let position = Chess::from_fen(start).unwrap();
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        let passing: BTreeSet<_> = (0..=u16::MAX)
            .map(Move::from_bits)
            .filter(|&mv| position.is_pseudo_legal(mv))
            .collect();
        assert_eq!(passing, moves.iter().copied().collect(), "{start}");
    }
}

#[test]
fn algebraic_notation_tells_all_legal_moves_apart() {
    let mut seed = 0x0e10_3111_u64;
    for start in STARTS {
        for _ in 0..8 {
            let mut position = Chess::from_fen(start).unwrap();
            for _ in 0..60 {
                let mut moves = MoveList::new();
                position.legal(&mut moves);
                let texts: BTreeSet<_> = moves.iter().map(|&mv| position.move_to_san(mv)).collect();
                assert_eq!(texts.len(), moves.len(), "{}: {texts:?}", position.to_fen());
                for &mv in moves.iter() {
                    let text = position.move_to_san(mv);
                    assert_eq!(position.move_from_san(&text), Ok(mv), "{}", position.to_fen());
                    let bare = text.trim_end_matches(['+', '#']);
                    assert_eq!(position.move_from_san(bare), Ok(mv), "{}", position.to_fen());
                }
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                position.make(moves[(seed >> 33) as usize % moves.len()]);
            }
        }
    }
}

/// Ranks upside down, colours swapped, the other side to move.
fn other_colours(text: &str) -> String {
    let fields: Vec<_> = text.split(' ').collect();
    let ranks: Vec<_> = fields[0].split('/').rev().collect();
    let board = swap_case(&ranks.join("/"));
    let side = if fields[1] == "w" { "b" } else { "w" };
    let (white, black): (String, String) =
        swap_case(fields[2]).chars().partition(|letter| letter.is_ascii_uppercase());
    let en_passant = flip_ranks(fields[3]);
    format!("{board} {side} {white}{black} {en_passant} {} {}", fields[4], fields[5])
}

fn swap_case(text: &str) -> String {
    let swap = |letter: char| match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    };
    text.chars().map(swap).collect()
}

fn flip_ranks(text: &str) -> String {
    let flip = |letter: char| match letter {
        '1'..='8' => (b'9' - (letter as u8 - b'0')) as char,
        other => other,
    };
    text.chars().map(flip).collect()
}
