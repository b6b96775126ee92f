//! How the moves of a game stand in files that people exchange (PGN, EPD).

use crate::chess::Chess;
use crate::tictactoe::TicTacToe;
use crate::xiangqi::Xiangqi;
use crate::{Game, MoveError};

/// A game whose moves can stand in PGN and EPD files.
///
/// Unless a game has a notation of its own for files (chess: SAN), its moves stand there as in
/// [`Game::move_to_text`].
pub trait MoveText: Game {
    /// The legal move of a text in a file.
    ///
    /// # Errors
    /// The text is no move, or the move is not legal here.
    fn read_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        self.move_from_text(text)
    }

    /// A legal move as it is written into a file.
    fn write_move(&self, mv: Self::Move) -> String {
        self.move_to_text(mv)
    }

    /// The number that the next move has in a game record: two half-moves have the same one. It starts
    /// from 1 where the position text counts no moves.
    fn move_number(&self) -> u32 {
        let seconds = usize::from(self.first_to_move() != self.plies_made().is_multiple_of(2));
        u32::try_from((self.plies_made() + seconds) / 2).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// What the PGN tag `Variant` says; chess has it only where the rules are not the usual ones.
    fn variant(&self) -> Option<&'static str> {
        crate::pgn::variant(Self::KIND)
    }
}

/// Standard algebraic notation.
impl MoveText for Chess {
    fn read_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        self.move_from_san(text)
    }

    fn write_move(&self, mv: Self::Move) -> String {
        self.move_to_san(mv)
    }

    fn move_number(&self) -> u32 {
        self.full_move()
    }

    fn variant(&self) -> Option<&'static str> {
        self.is_chess960().then_some("Chess960")
    }
}

/// UCI text (`h2e2`), also as most Chinese records have it (ICCS, `H2-E2`).
impl MoveText for Xiangqi {
    fn read_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        match text.as_bytes() {
            [b'A'..=b'I', b'0'..=b'9', b'-', b'A'..=b'I', b'0'..=b'9'] => {
                self.move_from_text(&text.replace('-', "").to_ascii_lowercase())
            }
            _ => self.move_from_text(text),
        }
    }

    fn move_number(&self) -> u32 {
        self.full_move()
    }
}

impl MoveText for TicTacToe {}
