//! Portable game notation (PGN): whole games as text, in and out, for every game.
//!
//! After the standard (S. Edwards 1994). Reading is tolerant of form and strict about content: blank
//! space, order and line ends are free, every move is replayed and must be legal. Writing gives the
//! standard's export format, one text for one game. White is the side that moves first in the initial
//! position. Variations are checked for their brackets and left out; a comment and annotation glyphs
//! stay with their move.
//!
//! Games that are not chess carry the tag `Variant` with their name, and their moves stand as in
//! [`MoveText`].

mod lexer;
mod reader;
mod tags;
mod writer;

pub use reader::{Games, games};
pub use tags::ROSTER;
pub(crate) use writer::variant;

use crate::{FenError, MoveError, MoveText};
use std::collections::BTreeMap;
use std::fmt;

/// Most tags of a game, the seven tag roster included.
pub const MAX_TAGS: usize = 64;
/// Longest tag name and longest word of movetext in bytes (the standard's limit of a symbol).
pub const MAX_WORD_BYTES: usize = 255;
/// Longest value of a tag in bytes.
pub const MAX_VALUE_BYTES: usize = 1024;
/// Longest comment in bytes; also of all comments after one move together.
pub const MAX_COMMENT_BYTES: usize = 16 * 1024;
/// Most annotation glyphs of one move.
pub const MAX_GLYPHS: usize = 16;
/// Deepest nesting of variations.
pub const MAX_NESTING: usize = 32;
/// Most half-moves of a game; the longest game of chess that the fifty-move rule allows is shorter.
pub const MAX_PLIES: usize = 20_000;

/// A PGN text that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// Which game of the file, from 1; 0 for what came from no file.
    pub game: usize,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in the line, in characters from 1.
    pub column: usize,
    /// What is wrong: a tag by its name, a move by its number (`move 3...` is Black's), a comment.
    pub field: String,
    /// What stood there, made printable.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.game > 0 {
            write!(f, "game {}, line {}, column {}: ", self.game, self.line, self.column)?;
        }
        write!(f, "{}: found `{}`; allowed: {}", self.field, self.found, self.allowed)
    }
}

impl std::error::Error for PgnError {}

/// How a game ended, or that it has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The side that moves first in the initial position won.
    WhiteWins,
    /// The other side won.
    BlackWins,
    /// Neither won.
    Draw,
    /// In progress, abandoned or unknown.
    #[default]
    Unknown,
}

impl Outcome {
    /// The token that ends the movetext.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    pub(crate) fn from_token(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown]
            .into_iter()
            .find(|outcome| outcome.token() == text)
    }
}

/// A move as it was played, with what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played<M> {
    /// The move.
    pub mv: M,
    /// Numeric annotation glyphs (`$1` is a good move).
    pub glyphs: Vec<u8>,
    /// The comment after it; empty if there is none.
    pub comment: String,
}

/// A game: where it started, the legal moves that were played, what is known of it.
#[derive(Clone, Debug)]
pub struct Pgn<G: MoveText> {
    tags: BTreeMap<String, String>,
    start: G,
    comment: String,
    moves: Vec<Played<G::Move>>,
    position: G,
    outcome: Outcome,
}

impl<G: MoveText> Pgn<G> {
    /// A game from the initial position, with no move yet.
    #[must_use]
    pub fn new() -> Self {
        Self::at(G::start())
    }

    /// A game from another position, with no move yet.
    ///
    /// # Errors
    /// The text is no position.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        G::from_fen(fen).map(Self::at)
    }

    fn at(start: G) -> Self {
        let roster = ROSTER.map(|(name, unknown)| (name.to_owned(), unknown.to_owned()));
        Self {
            tags: roster.into(),
            position: start.clone(),
            start,
            comment: String::new(),
            moves: Vec::new(),
            outcome: Outcome::Unknown,
        }
    }

    /// The value of a tag. `Result`, `SetUp`, `FEN` and `Variant` follow from the game and are none.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// Every tag, in ASCII order; those of the seven tag roster are always there.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Sets a tag.
    ///
    /// # Errors
    /// The name or the value cannot be written, the tag follows from the game, or there are too many.
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), PgnError> {
        tags::check(name, value)?;
        if tags::DERIVED.contains(&name) {
            let allowed = "another tag; this one follows from the game".to_owned();
            return Err(tags::error("tag name", name.to_owned(), allowed));
        }
        let most = MAX_TAGS - tags::DERIVED.len();
        if self.tags.len() >= most && !self.tags.contains_key(name) {
            let allowed = format!("at most {most} tags beside {}", tags::DERIVED.join(", "));
            return Err(tags::error("tag name", name.to_owned(), allowed));
        }
        self.tags.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Where the game started.
    #[must_use]
    pub fn start(&self) -> &G {
        &self.start
    }

    /// The position after the last move, with the line that led to it.
    #[must_use]
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The moves.
    #[must_use]
    pub fn moves(&self) -> &[Played<G::Move>] {
        &self.moves
    }

    /// The comment before the first move; empty if there is none.
    #[must_use]
    pub fn comment(&self) -> &str {
        &self.comment
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The move is not legal in the last position, or the game has [`MAX_PLIES`] moves.
    pub fn push(&mut self, mv: G::Move) -> Result<(), MoveError> {
        let refused = |allowed: &str| MoveError {
            found: format!("{mv:?}"),
            problem: "not legal here",
            allowed: allowed.into(),
        };
        if self.moves.len() == MAX_PLIES {
            return Err(refused("no more moves in one game"));
        }
        if !self.position.is_pseudo_legal(mv) || !self.position.is_legal(mv) {
            return Err(refused("a legal move"));
        }
        self.push_legal(mv);
        Ok(())
    }

    fn push_legal(&mut self, mv: G::Move) {
        self.position.make(mv);
        self.moves.push(Played { mv, glyphs: Vec::new(), comment: String::new() });
    }

    /// Adds to the comment after the last move, or before the first. Every stretch of blanks and
    /// control characters becomes one blank, `}` becomes `)`, and what is beyond
    /// [`MAX_COMMENT_BYTES`] is left out.
    pub fn add_comment(&mut self, text: &str) {
        let comment = self.moves.last_mut().map_or(&mut self.comment, |last| &mut last.comment);
        let blank = |c: char| c.is_whitespace() || c.is_control();
        for word in text.split(blank).filter(|word| !word.is_empty()) {
            if comment.len() + 1 + word.len() > MAX_COMMENT_BYTES {
                break;
            }
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(&word.replace('}', ")"));
        }
    }

    /// Adds a numeric annotation glyph to the last move. Before the first move, and where the move has
    /// [`MAX_GLYPHS`] already, nothing happens.
    pub fn add_glyph(&mut self, glyph: u8) {
        if let Some(last) = self.moves.last_mut().filter(|last| last.glyphs.len() < MAX_GLYPHS) {
            last.glyphs.push(glyph);
        }
    }

    /// How the game ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Says how the game ended. Whether the rules agree is not asked: games end by resignation too.
    pub fn set_outcome(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl<G: MoveText> Default for Pgn<G> {
    fn default() -> Self {
        Self::new()
    }
}
