//! Transcripts: the moves of a game one after the other, `f5d6c3d3c4`.
//!
//! Squares stand in either case, with or without white space between them. A pass may be written
//! (`pass`, `pa`, `ps`) or left out, as is usual: where a side has no square, the turn goes on.

use super::record::{Reader, Record, RecordError};
use super::{Move, Othello, Square};
use crate::Game;

/// Longer texts are refused: a whole game with all passes written and spaced takes a quarter of it.
pub const MAX_BYTES: usize = 2048;

/// Reads a game from the initial position.
///
/// # Errors
/// The place, what was found and what is allowed: the text is too long, a character belongs to no
/// move, or a move is not legal.
pub fn read(text: &str) -> Result<Record, RecordError> {
    read_from(Othello::start(), text)
}

/// Reads a game from a position on.
///
/// # Errors
/// As [`read`].
pub fn read_from(start: Othello, text: &str) -> Result<Record, RecordError> {
    if text.len() > MAX_BYTES {
        return Err(RecordError::too_long(text, MAX_BYTES));
    }
    let mut game = Reader::new(text, start);
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        if letter.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (mv, length) = first_move(&text[at..]).map_err(|(offset, allowed)| {
            RecordError::character("move", text, at + offset, allowed)
        })?;
        game.play(mv, None, at)?;
        at += length;
    }
    Ok(game.finish())
}

/// Writes moves without spaces. Passes are left out.
#[must_use]
pub fn write(moves: &[Move]) -> String {
    moves.iter().filter_map(|mv| mv.square()).map(|square| square.to_string()).collect()
}

/// The move at the beginning of a text and its length; or the byte that is wrong, and what is allowed
/// there.
fn first_move(text: &str) -> Result<(Move, usize), (usize, &'static str)> {
    let starts_with =
        |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if let Some(pass) = ["pass", "pa", "ps"].iter().find(|word| starts_with(word)) {
        return Ok((Move::PASS, pass.len()));
    }
    match text.get(..2).and_then(Square::from_text) {
        Some(square) => Ok((Move::place(square), 2)),
        None => Err(super::moves::fault(text)),
    }
}
