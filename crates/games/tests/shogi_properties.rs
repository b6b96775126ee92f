//! The properties that every game holds, for shogi.

mod properties;

use games::shogi::{Move, Shogi};
use properties::{Subject, Symmetry};

#[test]
fn shogi_holds_the_properties_of_every_game() {
    Subject::<Shogi> {
        starts: &[
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "ln1g5/1r4k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b b BG2SLPnp 61",
            // Few pieces: checks, pins and mates are frequent, and so are hands full of drops.
            "4k4/9/4P4/9/9/9/9/9/4K4 b RB2G2S2N2L7Prb2g2s2n2l9p 1",
            "3g1ks2/6g2/4Sp3/9/9/9/9/4R4/4K4 w 2P2b2g3n 9990",
            "k8/1p7/K8/9/9/9/9/9/9 b GPrb 7",
            "+R+B1+P+P1K+P+P/+P+P+P4+L+S/9/9/9/9/4g4/3p1k3/4+p4 b GSNr 200",
        ],
        plies: 100,
        games: 21,
        any_move: |bits| Move::from_bits(bits as u16),
        symmetries: &[
            Symmetry { position: other_colours, mv: rotate },
            Symmetry { position: mirror_files, mv: swap_files },
        ],
    }
    .check();
}

/// The board turned by 180 degrees, colours swapped, the other side to move.
fn other_colours(text: &str) -> String {
    let [board, side, hands, number] = fields(text);
    let ranks: Vec<_> = board.split('/').rev().map(|rank| swap_case(&reversed(rank))).collect();
    let side = if side == "b" { "w" } else { "b" };
    // Black's pieces, which stand first, become White's.
    let whites = hands.find(|letter: char| letter.is_ascii_lowercase()).unwrap_or(hands.len());
    let blacks = hands[..whites].trim_end_matches(|letter: char| letter.is_ascii_digit());
    let hands = swap_case(&format!("{}{blacks}", &hands[blacks.len()..]));
    format!("{} {side} {hands} {number}", ranks.join("/"))
}

fn rotate(mv: &str) -> String {
    let turn = |letter: char| match letter {
        '1'..='9' => (b'1' + b'9' - letter as u8) as char,
        'a'..='i' => (b'a' + b'i' - letter as u8) as char,
        other => other,
    };
    mv.chars().map(turn).collect()
}

/// The board in a mirror: file 1 becomes file 9.
fn mirror_files(text: &str) -> String {
    let [board, side, hands, number] = fields(text);
    let ranks: Vec<_> = board.split('/').map(reversed).collect();
    format!("{} {side} {hands} {number}", ranks.join("/"))
}

fn swap_files(mv: &str) -> String {
    let swap = |letter: char| match letter {
        '1'..='9' => (b'1' + b'9' - letter as u8) as char,
        other => other,
    };
    mv.chars().map(swap).collect()
}

fn fields(text: &str) -> [&str; 4] {
    let fields: Vec<_> = text.split(' ').collect();
    fields.try_into().expect("a position text has four fields")
}

/// A rank from its other end, `+` staying before its piece.
fn reversed(rank: &str) -> String {
    let mut reversed = String::new();
    for letter in rank.chars().rev() {
        match letter {
            '+' => reversed.insert(reversed.len() - 1, '+'),
            other => reversed.push(other),
        }
    }
    reversed
}

fn swap_case(text: &str) -> String {
    let swap = |letter: char| match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    };
    text.chars().map(swap).collect()
}
