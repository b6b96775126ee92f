//! Opening books: one position a line, `#` before a comment, known by the SHA-256 of their bytes.
//!
//! Every game has a book that the program carries; how it was made stands in `books/README.md`.

mod read;

pub(crate) use read::{Format, OpeningRead};

use crate::output::hinted;
use anyhow::Context;
use model::GameKind;
use model::file::BookChoice;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::Path;

/// Openings of a file that are told to be none, one by one.
const MOST_ERRORS: usize = 20;

/// A book and its name.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    /// Its bytes, as they are hashed and sent.
    pub(crate) bytes: Cow<'static, [u8]>,
    /// SHA-256 of the bytes, in lower-case hex.
    pub(crate) sha256: String,
}

/// The book that the program carries for a game.
fn builtin(game: GameKind) -> &'static [u8] {
    match game {
        GameKind::Xiangqi => include_bytes!("../../books/xiangqi.epd"),
        GameKind::Chess => include_bytes!("../../books/chess.epd"),
        GameKind::Shogi => include_bytes!("../../books/shogi.epd"),
        GameKind::Othello => include_bytes!("../../books/othello.epd"),
        GameKind::TicTacToe => include_bytes!("../../books/tictactoe.epd"),
    }
}

impl Book {
    /// Opens what a run file chose; `folder` is where the run file stands.
    ///
    /// # Errors
    /// The file cannot be read, or one of its openings is no position from which a game can be played.
    pub(crate) fn open(choice: &BookChoice, game: GameKind, folder: &Path) -> anyhow::Result<Self> {
        let bytes: Cow<'static, [u8]> = match choice {
            BookChoice::Builtin => builtin(game).into(),
            BookChoice::Games { path, plies } => {
                let plies = usize::try_from(*plies).ok();
                return Self::read(game, &folder.join(path), None, plies);
            }
            BookChoice::File(name) => {
                let path = folder.join(name);
                if Format::of(&path) != Format::Epd {
                    return Self::read(game, &path, None, None);
                }
                let bytes = std::fs::read(&path)
                    .with_context(|| format!("cannot read the book {}", path.display()))?;
                check(game, &bytes, &path)?;
                bytes.into()
            }
        };
        Ok(Self::of(bytes))
    }

    /// The book that the program carries for a game.
    pub(crate) fn builtin(game: GameKind) -> Self {
        Self::of(builtin(game).into())
    }

    /// Openings of a file in any form that is known; only the positions are kept.
    ///
    /// # Errors
    /// The file cannot be read, it has no opening, or some of them are none: all that fit on a page.
    pub(crate) fn read(
        game: GameKind,
        path: &Path,
        format: Option<Format>,
        plies: Option<usize>,
    ) -> anyhow::Result<Self> {
        let (openings, errors) = openings(game, path, format, plies)?;
        if !errors.is_empty() {
            let shown: Vec<&str> = errors.iter().take(MOST_ERRORS).map(String::as_str).collect();
            let more = match errors.len().saturating_sub(MOST_ERRORS) {
                0 => String::new(),
                more => format!("\nand {more} more"),
            };
            let hint = "one position a line, as EPD or in the game's own notation; other forms by \
                        their ending or format=: .pgn, .moves, .ggf";
            let what = format!("{}: {}{more}", path.display(), shown.join("\n"));
            return Err(hinted(what, hint));
        }
        if openings.is_empty() {
            let hint = "one position a line; what begins with # is a comment";
            return Err(hinted(format_args!("{} has no opening", path.display()), hint));
        }
        let lines = openings.iter().map(|opening| format!("{}\n", opening.position));
        Ok(Self::of(lines.collect::<String>().into_bytes().into()))
    }

    /// SHA-256 of a file, in lower-case hex.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn hash_of(path: &Path) -> anyhow::Result<String> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(hex(&Sha256::digest(&bytes)))
    }

    fn of(bytes: Cow<'static, [u8]>) -> Self {
        let sha256 = hex(&Sha256::digest(&bytes));
        Self { bytes, sha256 }
    }

    /// Its positions.
    pub(crate) fn positions(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        read::lines(&text).map(|(_, line)| line.to_owned()).collect()
    }
}

/// The same number for equal positions, whatever their counters; `None` for what is no position.
pub(crate) fn key(game: GameKind, position: &str) -> Option<u64> {
    let opening = read::read(game, position, Format::Epd, None).pop()?.ok()?;
    Some(opening.key)
}

/// The openings of a file, and what is wrong with the others.
///
/// # Errors
/// The file cannot be read, or is no text.
pub(crate) fn openings(
    game: GameKind,
    path: &Path,
    format: Option<Format>,
    plies: Option<usize>,
) -> anyhow::Result<(Vec<OpeningRead>, Vec<String>)> {
    let bytes = std::fs::read(path)
        .with_context(|| format!("cannot read the openings {}", path.display()))?;
    // Old PGN files have names in Latin letters of one byte: they do not matter here.
    let text = String::from_utf8_lossy(&bytes);
    let format = format.unwrap_or_else(|| Format::of(path));
    let (mut openings, mut errors) = (Vec::new(), Vec::new());
    for found in read::read(game, &text, format, plies) {
        match found {
            Ok(opening) => openings.push(opening),
            Err(error) => errors.push(error),
        }
    }
    Ok((openings, errors))
}

fn check(game: GameKind, bytes: &[u8], path: &Path) -> anyhow::Result<()> {
    let hint = "a book has one position a line, in the game's own notation";
    let text = std::str::from_utf8(bytes)
        .map_err(|_| hinted(format_args!("{} is no text", path.display()), hint))?;
    let mut positions = 0;
    for (number, line) in read::lines(text) {
        arena::check_opening(game, line).map_err(|error| {
            hinted(format_args!("{}: line {number}: {error}", path.display()), hint)
        })?;
        positions += 1;
    }
    if positions == 0 {
        return Err(hinted(format_args!("the book {} is empty", path.display()), hint));
    }
    Ok(())
}

/// Bytes as lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_builtin_book_holds_distinct_playable_positions() {
        for game in GameKind::ALL {
            let least = if game == GameKind::TicTacToe { 20 } else { 1000 };
            check(game, builtin(game), Path::new("builtin")).unwrap();
            let book = Book::open(&BookChoice::Builtin, game, Path::new("")).unwrap();
            let positions = book.positions();
            let distinct: BTreeSet<_> = positions.iter().collect();
            assert_eq!(distinct.len(), positions.len(), "{game}");
            assert!(positions.len() >= least, "{game}: {}", positions.len());
            assert_eq!(book.sha256.len(), 64);
        }
    }

    #[test]
    fn a_bad_line_of_a_book_is_named() {
        for (text, part) in [
            ("x../.../... o\n\nnonsense\n", "line 3"),
            ("xxx/oo./... o\n", "line 1"),
            ("\n# nothing\n", "is empty"),
            ("# a book\nx../.../... o\nx../.../... #", "line 3"),
            ("\u{feff}x../.../... o", "line 1"),
        ] {
            let error = check(GameKind::TicTacToe, text.as_bytes(), Path::new("b.epd"));
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("\nhint: "), "{text:?}: {error}");
        }
    }
}
