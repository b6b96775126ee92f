//! An opening book that came from outside: one position a line, checked before it counts.

use games::{
    Game, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::{Finding, FindingList, GameKind};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Largest book that is taken.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Findings that are shown of a bad book.
const MAX_FINDINGS: usize = 10;

/// SHA-256 of a book's bytes, in lower-case hex: its name everywhere.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The positions of a book: every line that is neither empty nor a `#` comment.
#[must_use]
pub fn positions(text: &str) -> Arc<[String]> {
    lines(text).map(|(_, line)| line.to_owned()).collect()
}

/// Checks a book for a game: that it is text, that every position is one of the game and not over,
/// and that none comes twice. Gives back its positions.
///
/// # Errors
/// The first few findings, with their lines.
pub fn check(game: GameKind, bytes: &[u8]) -> Result<Arc<[String]>, FindingList> {
    let one = |found: String, allowed: &str, mend: &str| {
        FindingList(vec![Finding::new("book", found, allowed, mend)])
    };
    if bytes.len() > MAX_BYTES {
        let found = format!("{} bytes", bytes.len());
        return Err(one(found, "at most 8 MiB", "use a part of the book"));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|e| one(e.to_string(), "UTF-8 text", "write one position text a line"))?;
    if text.contains('\0') {
        let found = "a NUL character".to_owned();
        return Err(one(found, "plain text", "save the book as plain UTF-8 text"));
    }
    let mut findings = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (number, line) in lines(text) {
        let wrong = match game {
            GameKind::Xiangqi => wrong_position::<Xiangqi>(line),
            GameKind::Chess => wrong_position::<Chess>(line),
            GameKind::Shogi => wrong_position::<Shogi>(line),
            GameKind::Othello => wrong_position::<Othello>(line),
            GameKind::TicTacToe => wrong_position::<TicTacToe>(line),
        };
        let wrong = wrong.or_else(|| {
            (!seen.insert(line))
                .then(|| ("a second time".to_owned(), "each position once".to_owned()))
        });
        if let Some((found, allowed)) = wrong {
            let mend = "correct or remove the line";
            let mut finding = Finding::new("book", found, allowed, mend);
            finding.line = Some(number);
            findings.push(finding);
            if findings.len() == MAX_FINDINGS {
                break;
            }
        }
    }
    if findings.is_empty() && seen.is_empty() {
        return Err(one(
            "no position".to_owned(),
            "at least one",
            "write one position text a line",
        ));
    }
    if findings.is_empty() { Ok(positions(text)) } else { Err(FindingList(findings)) }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn wrong_position<G: Game>(line: &str) -> Option<(String, String)> {
    match G::from_fen(line) {
        Err(e) => Some((format!("`{}` as {}", e.found, e.field), e.allowed)),
        Ok(position) => position.result().map(|_| {
            (
                format!("`{}`, where the game is over", model::printable(line, 100)),
                "a position to play on from".to_owned(),
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        let start = Xiangqi::start().to_fen();
        let text = format!("# a book\n{start}\n\nrubbish\n{start}\n");
        let FindingList(findings) = check(GameKind::Xiangqi, text.as_bytes()).unwrap_err();
        let lines: Vec<_> = findings.iter().map(|f| f.line).collect();
        assert_eq!(lines, [Some(4), Some(5)]);
        assert_eq!(check(GameKind::Xiangqi, start.as_bytes()).unwrap().len(), 1);
        assert!(check(GameKind::Xiangqi, b"# nothing\n").is_err());
        // Postgres keeps no such text.
        assert!(check(GameKind::Xiangqi, format!("# \0\n{start}").as_bytes()).is_err());
    }
}
