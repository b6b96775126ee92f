//! Export format: the seven tag roster, the other tags in ASCII order, movetext in lines of fewer than
//! eighty characters, the result.

use super::tags::{ROSTER, variants};
use super::{Pgn, Played};
use crate::MoveText;
use model::GameKind;
use std::fmt;

/// Most characters of a line of movetext. A word that is longer has a line of its own.
const COLUMNS: usize = 79;

impl<G: MoveText> fmt::Display for Pgn<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", self.outcome.token())?;
        let mut others: Vec<_> =
            self.tags().filter(|(name, _)| ROSTER.iter().all(|(known, _)| known != name)).collect();
        let fen = self.start.to_fen();
        if fen != G::start().to_fen() {
            others.extend([("FEN", fen.as_str()), ("SetUp", "1")]);
        }
        if let Some(variant) = self.start.variant() {
            others.push(("Variant", variant));
        }
        others.sort_unstable();
        others.into_iter().try_for_each(|(name, value)| write_tag(f, name, value))?;
        writeln!(f, "\n{}", self.movetext())
    }
}

impl<G: MoveText> Pgn<G> {
    fn movetext(&self) -> String {
        let mut lines = Lines::default();
        lines.comment(&self.comment);
        let mut position = self.start.clone();
        let mut numbered = false;
        for Played { mv, glyphs, comment } in &self.moves {
            if position.first_to_move() {
                lines.word(&format!("{}.", position.move_number()));
            } else if !numbered {
                lines.word(&format!("{}...", position.move_number()));
            }
            lines.word(&position.write_move(*mv));
            glyphs.iter().for_each(|glyph| lines.word(&format!("${glyph}")));
            lines.comment(comment);
            numbered = comment.is_empty();
            position.make(*mv);
        }
        lines.word(self.outcome.token());
        lines.text
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(f, "[{name} \"{value}\"]")
}

/// What the tag `Variant` says of a game by default: chess has none.
pub(crate) fn variant(game: GameKind) -> Option<&'static str> {
    if game == GameKind::Chess { None } else { variants(game).first().copied() }
}

/// Words in lines.
#[derive(Default)]
struct Lines {
    text: String,
    /// Characters of the last line.
    column: usize,
}

impl Lines {
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            // At the start of a line these would be an escape or a tag, also within a comment.
            let bound = word.starts_with(['%', '[']);
            let fits = self.column + 1 + length <= COLUMNS || bound;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text.push_str(word);
        self.column += length;
    }

    fn comment(&mut self, comment: &str) {
        let mut words = comment.split(' ').peekable();
        let mut begin = "{";
        while let Some(word) = words.next().filter(|_| !comment.is_empty()) {
            let end = if words.peek().is_none() { "}" } else { "" };
            self.word(&format!("{begin}{word}{end}"));
            begin = "";
        }
    }
}
