//! Tags: which there are, what a name and a value may hold, and the names of the games.

use super::{MAX_VALUE_BYTES, MAX_WORD_BYTES, PgnError};
use crate::error::character_at;
use model::GameKind;

/// The seven tag roster but for the result, in its order, with the values for what is not known.
pub const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// Tags that follow from the game itself.
pub(super) const DERIVED: [&str; 4] = ["Result", "SetUp", "FEN", "Variant"];

/// An error that stands in no file.
pub(super) fn error(field: &str, found: String, allowed: String) -> PgnError {
    PgnError { game: 0, line: 0, column: 0, field: field.to_owned(), found, allowed }
}

/// Whether a tag can be written and read back.
pub(super) fn check(name: &str, value: &str) -> Result<(), PgnError> {
    let wrong = name.find(|c: char| !is_name(c)).or_else(|| name.is_empty().then_some(0));
    if let Some(at) = wrong {
        let allowed = "letters, digits and _".to_owned();
        return Err(error("tag name", character_at(name, at), allowed));
    }
    let field = format!("tag {}", model::printable(name, 32));
    if let Some(at) = value.find(char::is_control) {
        let allowed = "no control characters".to_owned();
        return Err(error(&field, character_at(value, at), allowed));
    }
    for (text, most) in [(name, MAX_WORD_BYTES), (value, MAX_VALUE_BYTES)] {
        if text.len() > most {
            let found = format!("{} bytes", text.len());
            return Err(error(&field, found, format!("at most {most}")));
        }
    }
    Ok(())
}

pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What the tag `Variant` may say of a game; the first is what is written.
pub(super) fn variants(game: GameKind) -> &'static [&'static str] {
    match game {
        GameKind::Xiangqi => &["Xiangqi", "Chinese Chess"],
        GameKind::Chess => &[
            "Standard",
            "Chess",
            "Normal",
            "From Position",
            "Chess960",
            "Fischerandom",
            "Fischerrandom",
            "Chess 960",
        ],
        GameKind::Shogi => &["Shogi"],
        GameKind::Othello => &["Othello", "Reversi"],
        GameKind::TicTacToe => &["TicTacToe", "Tic-Tac-Toe"],
    }
}
