//! Othello against Fairy-Stockfish, which calls it `flipello`, counts ranks from below and has discs in
//! hand. Black, who begins, is White there.

use games::Game;
use games::othello::{Move, Othello, Side, Square};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::subject::Subject;

/// Othello as `ffish` and `pyffish` see it.
pub(super) struct FairyOthello;

impl Subject for FairyOthello {
    type Position = Othello;

    fn variant(&self) -> &'static str {
        "flipello"
    }

    /// Half of the lines begin with a random board, from a few discs to a full one. The middle is full:
    /// where it is not, the program begins a game with four discs placed freely.
    fn start(&self, rng: &mut ChaCha8Rng) -> Othello {
        if rng.random_bool(0.5) {
            return Othello::start();
        }
        let (full, black) = (rng.random_range(0.2..1.0), rng.random_range(0.1..0.9));
        let mut text = String::new();
        for square in Square::all() {
            let is_middle = [27, 28, 35, 36].contains(&square.index());
            let is_disc = is_middle || rng.random_bool(full);
            text.push(match rng.random_bool(black) {
                _ if !is_disc => '-',
                true => 'X',
                false => 'O',
            });
        }
        text.push_str(if rng.random_bool(0.5) { " X" } else { " O" });
        Othello::from_fen(&text).expect("every board is a position")
    }

    fn fen(&self, position: &Othello) -> String {
        let letter = |square| match position.disc_on(square) {
            Some(Side::Black) => 'P',
            Some(Side::White) => 'p',
            None => '1',
        };
        let squares: Vec<char> = Square::all().map(letter).collect();
        let mut rows: Vec<String> = squares.chunks(8).map(|row| row.iter().collect()).collect();
        for run in (2..=8).rev() {
            let (ones, number) = ("1".repeat(run), run.to_string());
            rows.iter_mut().for_each(|row| *row = row.replace(&ones, &number));
        }
        let board = rows.join("/");
        let hand = "P".repeat(64);
        let side = if position.side_to_move() == Side::Black { 'w' } else { 'b' };
        format!("{board}[{hand}{}] {side} - - 0 1", hand.to_lowercase())
    }

    fn move_text(&self, _: &Othello, mv: Move) -> String {
        mv.square().map_or_else(
            || "pass".into(),
            |square| {
                let file = char::from(b'a' + (square.index() % 8) as u8);
                format!("P@{file}{}", 8 - square.index() / 8)
            },
        )
    }

    fn check(&self, _: &Othello) -> Option<bool> {
        None
    }
}
