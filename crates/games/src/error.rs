//! What is said about a text that is no position or no move: the field, the very character with its
//! column, and what may stand there.

/// Characters of a text that are echoed.
const ECHOED: usize = 60;

/// A position text that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found `{found}`; allowed: {allowed}")]
pub struct FenError {
    /// Which part of the text.
    pub field: &'static str,
    /// What stood there, made printable. One wrong character comes with its column in the whole text,
    /// counted in characters from 1: `q at column 5`.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
}

impl FenError {
    /// A part of the text that is wrong as a whole, or empty.
    pub(crate) fn part(field: &'static str, found: &str, allowed: impl Into<String>) -> Self {
        Self { field, found: shown(found, ECHOED), allowed: allowed.into() }
    }

    /// The character of `text` at a byte is wrong, or the text ends there too early.
    pub(crate) fn character(
        field: &'static str,
        text: &str,
        at: usize,
        allowed: impl Into<String>,
    ) -> Self {
        Self { field, found: character_at(text, at), allowed: allowed.into() }
    }
}

/// A move text that is none, or no legal move here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move `{found}` is {problem}; allowed: {allowed}")]
pub struct MoveError {
    /// What was given, made printable; in a text that is no move, with the wrong character and its
    /// column, counted from 1: `h2z2: z at column 3`.
    pub found: String,
    /// `no move text`, `not legal here`, or `ambiguous here` where several moves fit.
    pub problem: &'static str,
    /// The form of a move or what may stand in the place of the character, or some of the legal moves.
    pub allowed: String,
}

impl MoveError {
    /// The character of `text` at a byte is wrong, or the text ends there too early.
    pub(crate) fn character(text: &str, at: usize, allowed: impl Into<String>) -> Self {
        let found = format!("{}: {}", model::printable(text, 16), character_at(text, at));
        Self { found, problem: "no move text", allowed: allowed.into() }
    }

    /// Says where a text departs from the form of a move: its places in order, each with the
    /// characters that may stand there and its name. Meant for texts that the game's own reader has
    /// refused.
    pub(crate) fn form(text: &str, places: &[(&str, &str)]) -> Self {
        let mut chars = text.char_indices();
        for (letters, name) in places {
            match chars.next() {
                Some((_, c)) if letters.contains(c) => {}
                other => {
                    let at = other.map_or(text.len(), |(at, _)| at);
                    return Self::character(text, at, format!("{} as {name}", range(letters)));
                }
            }
        }
        let at = chars.next().map_or(text.len(), |(at, _)| at);
        Self::character(text, at, "nothing more")
    }

    /// A move text that names no legal move, with some of those that are.
    pub(crate) fn not_legal(text: &str, legal: impl ExactSizeIterator<Item = String>) -> Self {
        let count = legal.len();
        let mut allowed: Vec<_> = legal.take(8).collect();
        match count {
            0 => allowed.push("none, the game is over".into()),
            1..=8 => {}
            more => allowed.push(format!("and {} more", more - 8)),
        }
        let found = model::printable(text, 16);
        Self { found, problem: "not legal here", allowed: allowed.join(" ") }
    }
}

/// `a-i` for letters that follow each other, else the letters.
fn range(letters: &str) -> String {
    let codes: Vec<_> = letters.chars().map(u32::from).collect();
    match codes[..] {
        [first, .., last] if codes.len() > 2 && codes.windows(2).all(|w| w[0] + 1 == w[1]) => {
            let end = |code| char::from_u32(code).unwrap_or_default();
            format!("{}-{}", end(first), end(last))
        }
        _ => letters.to_owned(),
    }
}

/// The beginning of a text, made printable; `nothing` if it is empty.
pub(crate) fn shown(text: &str, max_chars: usize) -> String {
    model::printable(if text.is_empty() { "nothing" } else { text }, max_chars)
}

/// Where `part`, a slice of `text`, begins in it, in bytes; its end if it is no slice of it.
pub(crate) fn offset_in(text: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    offset.min(text.len())
}

/// The character at a byte of a text, named so that it can be found: `q at column 5`,
/// `К (U+041A) at column 5`, `U+001B at column 5`, `the end at column 5`.
pub(crate) fn character_at(text: &str, at: usize) -> String {
    let at = text.floor_char_boundary(at);
    let column = text[..at].chars().count() + 1;
    format!("{} at column {column}", name(text[at..].chars().next()))
}

/// A character by its look where it has an unmistakable one, by its code point where it has not.
pub(crate) fn name(c: Option<char>) -> String {
    match c {
        None => "the end".into(),
        Some(' ') => "a space".into(),
        Some(c) if c.is_ascii_graphic() => c.into(),
        Some(c) if c.is_alphanumeric() => format!("{c} (U+{:04X})", u32::from(c)),
        Some(c) => format!("U+{:04X}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_named_with_its_column_in_characters() {
        let text = "a車 К\u{1b}\u{202e}";
        let names: Vec<_> = text.char_indices().map(|(at, _)| character_at(text, at)).collect();
        assert_eq!(
            names,
            [
                "a at column 1",
                "車 (U+8ECA) at column 2",
                "a space at column 3",
                "К (U+041A) at column 4",
                "U+001B at column 5",
                "U+202E at column 6"
            ]
        );
        assert_eq!(character_at(text, 2), names[1], "inside of a character");
        assert_eq!(character_at(text, 100), "the end at column 7");
    }

    #[test]
    fn a_part_knows_where_it_stands() {
        let text = "board w - 3";
        let third = text.split(' ').nth(2).unwrap();
        assert_eq!(offset_in(text, third), 8);
        assert!(offset_in(text, "elsewhere") <= text.len());
    }

    #[test]
    fn the_place_that_departs_from_the_form_is_named() {
        let form = [("abcdefghi", "the file of the start"), ("02", "the rank of the start")];
        let cases = [
            (
                "",
                "move `: the end at column 1` is no move text; allowed: a-i as the file of the start",
            ),
            (
                "zz",
                "move `zz: z at column 1` is no move text; allowed: a-i as the file of the start",
            ),
            (
                "a",
                "move `a: the end at column 2` is no move text; allowed: 02 as the rank of the start",
            ),
            ("a0x", "move `a0x: x at column 3` is no move text; allowed: nothing more"),
        ];
        for (text, message) in cases {
            assert_eq!(MoveError::form(text, &form).to_string(), message);
        }
    }
}
