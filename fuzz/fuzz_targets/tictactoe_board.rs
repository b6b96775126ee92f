//! Position texts of tic-tac-toe.
#![no_main]

use fuzz::{claims, with_text};
use games::tictactoe::TicTacToe;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::position::<TicTacToe>));
