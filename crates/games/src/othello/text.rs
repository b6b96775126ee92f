//! Position texts: 64 letters and the side to move.

use super::{Board, Othello, Side, Square};
use crate::FenError;
use crate::error::offset_in;

/// The initial position.
pub(super) const START: &str = "---------------------------OX------XO--------------------------- X";

/// What may stand on the board.
pub(super) const LETTERS: &str =
    "X, * or B for Black, O or W for White, - or . for an empty square";

/// What may stand as the side to move.
pub(super) const SIDES: &str = "X, * or B for Black, O or W for White";

/// The side that a letter stands for.
pub(super) fn side_of(letter: char) -> Option<Side> {
    match letter {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Side::Black),
        'O' | 'o' | 'W' | 'w' => Some(Side::White),
        _ => None,
    }
}

/// Whether a letter stands for a square without a disc.
pub(super) const fn is_empty_square(letter: char) -> bool {
    matches!(letter, '-' | '.')
}

/// The letter of a side on the board and as the side to move.
pub(super) const fn letter_of(side: Side) -> char {
    match side {
        Side::Black => 'X',
        Side::White => 'O',
    }
}

/// Reads a position text.
pub(super) fn read(text: &str) -> Result<Othello, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().unwrap_or("");
    let mut discs = [0; 2];
    let mut squares = Square::all();
    for (at, letter) in board.char_indices() {
        let at = offset_in(text, board) + at;
        let square = squares.next().ok_or_else(|| {
            FenError::character("board", text, at, "the end of the board after 64 letters")
        })?;
        match side_of(letter) {
            Some(side) => discs[side as usize] |= square.bit(),
            None if is_empty_square(letter) => {}
            None => return Err(FenError::character("board", text, at, LETTERS)),
        }
    }
    if squares.len() > 0 {
        let allowed = format!("64 letters, not {}", 64 - squares.len());
        return Err(FenError::part("board", board, allowed));
    }
    let side = fields.next().unwrap_or("");
    let mut letters = side.chars();
    let side = match (letters.next().and_then(side_of), letters.next()) {
        (Some(side), None) => side,
        _ => return Err(FenError::part("side to move", side, SIDES)),
    };
    if let Some(more) = fields.next() {
        return Err(FenError::part("text after the side to move", more, "nothing"));
    }
    Ok(from_discs(discs, side))
}

/// The position of the squares of Black and of White, which share none.
pub(super) fn from_discs([black, white]: [u64; 2], side: Side) -> Othello {
    let black_view = Board::new(black, white).expect("a letter is one disc");
    Othello::new(if side == Side::Black { black_view } else { black_view.passed() }, side)
}

/// Writes a position text.
pub(super) fn write(position: &Othello) -> String {
    let letter = |square| position.disc_on(square).map_or('-', letter_of);
    let mut text: String = Square::all().map(letter).collect();
    text.push(' ');
    text.push(letter_of(position.side_to_move()));
    text
}
