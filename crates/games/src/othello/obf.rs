//! Othello board files, in which endgame suites are published: a position a line, then perhaps moves
//! with their scores, each after a semicolon.
//!
//! ```text
//! O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; C7:+36
//! ```

use super::record::RecordError;
use super::{Move, Othello, moves};
use crate::Game;

/// Longer lines are refused.
pub const MAX_BYTES: usize = 1024;

/// A position with what is known about its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Othello,
    /// Legal moves with the disc difference that each leads to, as the side to move sees it, -64 to
    /// 64; in the order of the line, which is mostly the best first.
    pub scores: Vec<(Move, i32)>,
}

/// Reads one line.
///
/// # Errors
/// The place, what was found and what is allowed: the position is none, a move is not legal or stands
/// twice, a score is none.
pub fn read(line: &str) -> Result<Problem, RecordError> {
    if line.len() > MAX_BYTES {
        return Err(RecordError::too_long(line, MAX_BYTES));
    }
    let mut parts = line.split(';');
    let position = Othello::from_fen(parts.next().unwrap_or(""))
        .map_err(|error| RecordError::part(error.field, line, 0, &error.found, error.allowed))?;
    let mut scores: Vec<(Move, i32)> = Vec::new();
    for part in parts.filter(|part| !part.trim().is_empty()) {
        let at = crate::error::offset_in(line, part.trim_start());
        let (text, score) = part.trim().split_once(':').ok_or_else(|| {
            let allowed = "a move, a colon and its score";
            RecordError::part("move", line, at, part.trim(), allowed)
        })?;
        let mv = Move::from_text(text).ok_or_else(|| {
            let (offset, allowed) = moves::fault(text);
            RecordError::character("move", line, at + offset, allowed)
        })?;
        let wrong = |allowed| Err(RecordError::part("move", line, at, text, allowed));
        if let Err(error) = position.move_from_text(text) {
            return wrong(error.allowed);
        }
        if scores.iter().any(|(other, _)| *other == mv) {
            return wrong("each move once".into());
        }
        let at = at + text.len() + 1;
        match score.trim().parse() {
            Ok(number @ -64..=64) => scores.push((mv, number)),
            _ => return Err(RecordError::part("score", line, at, score.trim(), "-64 to +64")),
        }
    }
    Ok(Problem { position, scores })
}
