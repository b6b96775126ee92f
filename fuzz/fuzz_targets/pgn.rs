//! PGN files of every game.
#![no_main]

use fuzz::{claims, with_game};
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_game(data, |game, text| match game {
    b'c' => claims::pgn::<Chess>(text),
    b'x' => claims::pgn::<Xiangqi>(text),
    b's' => claims::pgn::<Shogi>(text),
    b'o' => claims::pgn::<Othello>(text),
    _ => claims::pgn::<TicTacToe>(text),
}));
