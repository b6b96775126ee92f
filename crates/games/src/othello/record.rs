//! A game that was played, as a list of moves that were legal; what its readers have in common.

use super::{Move, Othello, Side};
use crate::Game;
use crate::error::name;

/// A game from a position on, finished or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it began.
    pub start: Othello,
    /// Its moves, each legal where it was made, passes included.
    pub moves: Vec<Move>,
}

impl Record {
    /// The position after the last move, with the history.
    #[must_use]
    pub fn end(&self) -> Othello {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|&mv| position.make(mv));
        position
    }
}

/// The text of a game that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} at column {column}: found `{found}`; allowed: {allowed}")]
pub struct RecordError {
    /// Which part of the text: `game`, `property`, the name of a property, `move`.
    pub field: &'static str,
    /// Where in the text, counted in characters from 1.
    pub column: usize,
    /// What stood there, made printable.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
}

impl RecordError {
    /// A part of `text` that starts at a byte is wrong.
    pub(super) fn part(
        field: &'static str,
        text: &str,
        at: usize,
        found: &str,
        allowed: impl Into<String>,
    ) -> Self {
        let at = text.floor_char_boundary(at);
        let found = if found.is_empty() { "nothing" } else { found };
        Self {
            field,
            column: text[..at].chars().count() + 1,
            found: model::printable(found, 60),
            allowed: allowed.into(),
        }
    }

    /// The character at a byte is wrong, or the text ends there too early.
    pub(super) fn character(
        field: &'static str,
        text: &str,
        at: usize,
        allowed: impl Into<String>,
    ) -> Self {
        let at = text.floor_char_boundary(at);
        Self::part(field, text, at, &name(text[at..].chars().next()), allowed)
    }

    /// A text of more bytes than `most`.
    pub(super) fn too_long(text: &str, most: usize) -> Self {
        let found = format!("{} bytes", text.len());
        Self::part("game", text, 0, &found, format!("at most {most} bytes"))
    }
}

/// A game that is being read.
pub(super) struct Reader<'a> {
    text: &'a str,
    start: Othello,
    position: Othello,
    moves: Vec<Move>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, start: Othello) -> Self {
        Self { text, position: start.clone(), start, moves: Vec::new() }
    }

    /// Whether no move was read so far.
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Makes a move that the text gives at a byte, after a pass where one was left out. `side` is who
    /// made it, if the text says so.
    pub(super) fn play(
        &mut self,
        mv: Move,
        side: Option<Side>,
        at: usize,
    ) -> Result<(), RecordError> {
        if mv != Move::PASS && self.position.must_pass() {
            self.push(Move::PASS);
        }
        let to_move = self.position.side_to_move();
        if side.is_some_and(|side| side != to_move) {
            let allowed = format!("a move of {to_move:?}");
            return Err(RecordError::part("move", self.text, at, &mv.to_string(), allowed));
        }
        // A game is bounded by its rules: every move fills a square, and no pass follows a pass.
        let text = self.position.move_to_text(mv);
        self.position
            .move_from_text(&text)
            .map_err(|error| RecordError::part("move", self.text, at, &text, error.allowed))?;
        self.push(mv);
        Ok(())
    }

    pub(super) fn finish(self) -> Record {
        Record { start: self.start, moves: self.moves }
    }

    fn push(&mut self, mv: Move) {
        self.position.make(mv);
        self.moves.push(mv);
    }
}
