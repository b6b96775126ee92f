//! The properties that every game holds, for xiangqi.

mod properties;

use games::xiangqi::{Move, Xiangqi};
use properties::{Subject, Symmetry};

#[test]
fn xiangqi_holds_the_properties_of_every_game() {
    Subject::<Xiangqi> {
        starts: &[
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
            "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
            "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w - - 0 1",
            "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w - - 0 1",
            "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w - - 118 60",
            "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w - - 3 9",
        ],
        plies: 120,
        games: 48,
        any_move: |bits| Move::from_bits(bits as u16 & 0x3fff),
        symmetries: &[
            Symmetry { position: other_colours, mv: flip_ranks },
            Symmetry { position: mirror_files, mv: swap_files },
        ],
    }
    .check();
}

/// Ranks upside down, colours swapped, the other side to move.
fn other_colours(text: &str) -> String {
    let (board, rest) = text.split_once(' ').expect("a position text has fields");
    let ranks: Vec<_> = board.split('/').rev().collect();
    let swap = |letter: char| match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    };
    let board: String = ranks.join("/").chars().map(swap).collect();
    let side = if rest.starts_with('w') { "b" } else { "w" };
    format!("{board} {side}{}", &rest[1..])
}

fn flip_ranks(mv: &str) -> String {
    let flip = |letter: char| match letter {
        '0'..='9' => (b'9' - (letter as u8 - b'0')) as char,
        file => file,
    };
    mv.chars().map(flip).collect()
}

/// The board in a mirror: file a becomes file i.
fn mirror_files(text: &str) -> String {
    let (board, rest) = text.split_once(' ').expect("a position text has fields");
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

fn swap_files(mv: &str) -> String {
    let swap = |letter: char| match letter {
        'a'..='i' => (b'a' + b'i' - letter as u8) as char,
        rank => rank,
    };
    mv.chars().map(swap).collect()
}
