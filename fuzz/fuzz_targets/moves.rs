//! Move texts of every game (UCI, ICCS, USI, SAN, squares), played from the start as far as they are
//! legal.
#![no_main]

use fuzz::{claims, with_game};
use games::MoveText;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;

fn from_start<G: MoveText>(text: &str) {
    claims::moves(&G::start(), text);
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_game(data, |game, text| match game {
    b'c' => from_start::<Chess>(text),
    b'x' => from_start::<Xiangqi>(text),
    b's' => from_start::<Shogi>(text),
    b'o' => from_start::<Othello>(text),
    _ => from_start::<TicTacToe>(text),
}));
