//! What the fuzz targets have in common: the claims, which the tests of `games` try too, and how bytes
//! become text.

use std::fmt::Display;

#[path = "../../crates/games/tests/hostile_texts/claims.rs"]
pub mod claims;

/// Tries a claim on bytes as the text that a lenient reader makes of them.
pub fn with_text(data: &[u8], claim: impl Fn(&str)) {
    claim(&String::from_utf8_lossy(data));
}

/// A refusal says what is allowed, and nothing of it can move a terminal.
pub fn refused(error: impl Display) {
    let said = error.to_string();
    assert!(said.contains("allowed"), "{said}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
}

/// The same for a parser that serves every game: the first byte says which (`c`, `x`, `s`, `o`, or
/// anything else), the rest is the text.
pub fn with_game(data: &[u8], claim: impl Fn(u8, &str)) {
    if let [game, rest @ ..] = data {
        with_text(rest, |text| claim(*game, text));
    }
}
