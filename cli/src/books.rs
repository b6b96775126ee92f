//! Opening books: one position a line, `#` before a comment, known by the SHA-256 of their bytes.
//!
//! Every game has a book that the program carries; how it was made stands in `books/README.md`.

use crate::output::hinted;
use anyhow::Context;
use games::{
    Game, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::GameKind;
use model::file::BookChoice;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::Path;

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
    /// The file cannot be read, or one of its lines is no position from which a game can be played.
    pub(crate) fn open(choice: &BookChoice, game: GameKind, folder: &Path) -> anyhow::Result<Self> {
        let bytes: Cow<'static, [u8]> = match choice {
            BookChoice::Builtin => builtin(game).into(),
            BookChoice::File(name) => {
                let path = folder.join(name);
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

    /// Positions of a file of EPD lines or in the game's own notation; only the positions are kept.
    ///
    /// # Errors
    /// The file cannot be read, or one of its lines is no position from which a game can be played.
    pub(crate) fn epd(game: GameKind, path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the openings {}", path.display()))?;
        let positions = match game {
            GameKind::Xiangqi => positions_of_epd::<Xiangqi>(&text),
            GameKind::Chess => positions_of_epd::<Chess>(&text),
            GameKind::Shogi => positions_of_epd::<Shogi>(&text),
            GameKind::Othello => positions_of_epd::<Othello>(&text),
            GameKind::TicTacToe => positions_of_epd::<TicTacToe>(&text),
        };
        let positions = positions.map_err(|error| {
            let hint = "one position a line, as EPD or in the game's own notation";
            hinted(format_args!("{}: {error}", path.display()), hint)
        })?;
        let bytes = positions.into_bytes();
        check(game, &bytes, path)?;
        Ok(Self::of(bytes.into()))
    }

    fn of(bytes: Cow<'static, [u8]>) -> Self {
        let sha256 = hex(&Sha256::digest(&bytes));
        Self { bytes, sha256 }
    }

    /// Its positions.
    pub(crate) fn positions(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        lines(&text).map(|(_, line)| line.to_owned()).collect()
    }
}

/// Every position of an EPD text on a line of its own; the numbers of the lines are kept.
fn positions_of_epd<G: Game>(text: &str) -> Result<String, games::epd::EpdError> {
    let mut positions = String::new();
    let mut line = 1;
    for record in games::epd::records::<G>(text.trim_start_matches('\u{feff}')) {
        let record = record?;
        while line < record.line() {
            positions.push('\n');
            line += 1;
        }
        positions.push_str(&record.position().to_fen());
    }
    positions.push('\n');
    Ok(positions)
}

/// The positions of a text with the numbers of their lines: what is neither empty nor a comment.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn check(game: GameKind, bytes: &[u8], path: &Path) -> anyhow::Result<()> {
    let hint = "a book has one position a line, in the game's own notation";
    let text = std::str::from_utf8(bytes)
        .map_err(|_| hinted(format_args!("{} is no text", path.display()), hint))?;
    let mut positions = 0;
    for (number, line) in lines(text) {
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
