//! Extended position description (EPD): a position a line, with operations on it.
//!
//! After the portable game notation standard (S. Edwards 1994, section 16.2), for every game: the
//! fields of the game's own position text, then operations `opcode operand …;`. A line without
//! operations, a bare position text as in an opening book, is one too. Operands are numbers, moves and
//! words, or strings in quotes, in which `\"` and `\\` stand for a quote and a backslash.

mod read;

use crate::error::character_at;
use crate::{Game, MoveError, MoveText};
use model::GameKind;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// Longest line in bytes.
pub const MAX_LINE_BYTES: usize = 4096;
/// Most operations on a position.
pub const MAX_OPERATIONS: usize = 64;
/// Longest opcode in characters (the standard's).
pub const MAX_OPCODE: usize = 15;

/// An EPD line that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdError {
    /// The number of the line, from 1; 0 for what came from no file.
    pub line: usize,
    /// The field of the position, or the opcode.
    pub field: String,
    /// What stood there, made printable, a single character with its column in the line.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "{}: found `{}`; allowed: {}", self.field, self.found, self.allowed)
    }
}

impl std::error::Error for EpdError {}

/// One operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A move, a number or a word: no blanks, no `;`, no `"`, not empty.
    Word(String),
    /// A string in quotes.
    Quoted(String),
}

impl Operand {
    /// What it says, without quotes.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
        }
    }

    /// Whether it can be written and read back.
    fn check(&self) -> Result<(), (String, &'static str)> {
        let (text, allowed) = match self {
            Self::Word(text) if text.is_empty() => return Err(("nothing".into(), "a word")),
            Self::Word(text) => (text, "a word without blanks, quotes and semicolons"),
            Self::Quoted(text) => (text, "a string without control characters"),
        };
        let wrong = |c: char| match self {
            Self::Word(_) => ends_word(c) || c == '"' || c.is_control(),
            Self::Quoted(_) => c.is_control(),
        };
        text.find(wrong).map_or(Ok(()), |at| Err((character_at(text, at), allowed)))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) => f.write_str(text),
            Self::Quoted(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}

/// A position with what is said about it.
#[derive(Clone, Debug)]
pub struct Record<G> {
    line: usize,
    position: G,
    operations: BTreeMap<String, Vec<Operand>>,
}

/// How the position text of a game is laid out.
struct Layout {
    /// Fields before the counters.
    fields: usize,
    /// The opcodes that stand for the counters at the end of the position text, and the value of a
    /// counter that is left out.
    counters: &'static [(&'static str, &'static str)],
}

const fn layout(game: GameKind) -> Layout {
    match game {
        GameKind::Chess | GameKind::Xiangqi => {
            Layout { fields: 4, counters: &[("hmvc", "0"), ("fmvn", "1")] }
        }
        GameKind::Shogi => Layout { fields: 3, counters: &[] },
        GameKind::Othello | GameKind::TicTacToe => Layout { fields: 2, counters: &[] },
    }
}

/// The records of a file: every line that is neither blank nor a `#` comment.
pub fn records<G: Game>(text: &str) -> impl Iterator<Item = Result<Record<G>, EpdError>> {
    text.lines().zip(1..).filter_map(|(line, number)| {
        let begin = line.trim_start();
        (!begin.is_empty() && !begin.starts_with('#')).then(|| read::line(line, number))
    })
}

impl<G: Game> Record<G> {
    /// A position about which nothing is said.
    #[must_use]
    pub fn new(position: G) -> Self {
        Self { line: 0, position, operations: BTreeMap::new() }
    }

    /// Reads one line.
    ///
    /// # Errors
    /// The field of the position or the opcode, what was found and what is allowed.
    pub fn from_line(line: &str) -> Result<Self, EpdError> {
        read::line(line, 0)
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The number of its line in the file, from 1; 0 if it came from none.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The operations by opcode. The counters of a position belong to the position and are not among
    /// them.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &[Operand])> {
        self.operations.iter().map(|(opcode, operands)| (opcode.as_str(), operands.as_slice()))
    }

    /// The operands of an operation, if there is one.
    #[must_use]
    pub fn operands(&self, opcode: &str) -> Option<&[Operand]> {
        self.operations.get(opcode).map(Vec::as_slice)
    }

    /// The only operand of an operation as a number, such as that of `acd` or `ce`.
    #[must_use]
    pub fn number<N: std::str::FromStr>(&self, opcode: &str) -> Option<N> {
        match self.operands(opcode)? {
            [Operand::Word(text)] => text.parse().ok(),
            _ => None,
        }
    }

    /// Sets an operation, in place of an earlier one of this opcode.
    ///
    /// # Errors
    /// The opcode or an operand cannot be written, the opcode is a counter of the position, or there
    /// are too many operations.
    pub fn set(&mut self, opcode: &str, operands: Vec<Operand>) -> Result<(), EpdError> {
        let error = |field: &str, found, allowed: &str| {
            Err(EpdError { line: 0, field: field.to_owned(), found, allowed: allowed.into() })
        };
        if let Err(at) = check_opcode(opcode) {
            return error("opcode", character_at(opcode, at), OPCODE);
        }
        if layout(G::KIND).counters.iter().any(|(name, _)| *name == opcode) {
            return error("opcode", opcode.into(), "another; counters belong to the position");
        }
        for operand in &operands {
            if let Err((found, allowed)) = operand.check() {
                return error(opcode, found, allowed);
            }
        }
        self.operations.insert(opcode.into(), operands);
        if self.operations.len() > MAX_OPERATIONS {
            self.operations.remove(opcode);
            return error("opcode", opcode.into(), "at most 64 operations");
        }
        Ok(())
    }

    fn operand_error(&self, opcode: &str, error: MoveError) -> EpdError {
        let MoveError { found, problem, allowed } = error;
        let found = format!("{found} ({problem})");
        EpdError { line: self.line, field: opcode.into(), found, allowed }
    }
}

impl<G: MoveText> Record<G> {
    /// The moves of an operation that names several for this position (`bm`, `am`, `sm`); none if the
    /// operation is not there.
    ///
    /// # Errors
    /// An operand is no legal move here, neither in the notation of files nor in UCI form.
    pub fn moves(&self, opcode: &str) -> Result<Vec<G::Move>, EpdError> {
        let operands = self.operands(opcode).unwrap_or_default();
        operands.iter().map(|one| self.resolve(&self.position, opcode, one)).collect()
    }

    /// The moves of an operation that holds a line of play from this position (`pv`).
    ///
    /// # Errors
    /// As for [`Record::moves`].
    pub fn line_of_play(&self, opcode: &str) -> Result<Vec<G::Move>, EpdError> {
        let mut position = self.position.clone();
        let mut moves = Vec::new();
        for operand in self.operands(opcode).unwrap_or_default() {
            let mv = self.resolve(&position, opcode, operand)?;
            position.make(mv);
            moves.push(mv);
        }
        Ok(moves)
    }

    fn resolve(&self, at: &G, opcode: &str, operand: &Operand) -> Result<G::Move, EpdError> {
        let text = operand.text();
        at.read_move(text)
            .or_else(|error| at.move_from_text(text).map_err(|_| error))
            .map_err(|error| self.operand_error(opcode, error))
    }
}

/// The canonical line, without its end: counters as operations where they are not those of a first
/// move, opcodes in ASCII order.
impl<G: Game> fmt::Display for Record<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { fields, counters } = layout(G::KIND);
        let fen = self.position.to_fen();
        let mut parts = fen.split(' ');
        if counters.is_empty() {
            f.write_str(&fen)?;
        } else {
            let kept: Vec<_> = parts.by_ref().take(fields).collect();
            f.write_str(&kept.join(" "))?;
        }
        let mut operations = BTreeMap::new();
        for ((opcode, default), value) in counters.iter().zip(parts) {
            if value != *default {
                operations.insert(*opcode, format!(" {value}"));
            }
        }
        for (opcode, operands) in &self.operations {
            let text = operands.iter().fold(String::new(), |mut text, operand| {
                let _ = write!(text, " {operand}");
                text
            });
            operations.insert(opcode, text);
        }
        operations.iter().try_for_each(|(opcode, operands)| write!(f, " {opcode}{operands};"))
    }
}

const OPCODE: &str = "a letter, then letters, digits and _, 15 characters in all";

/// The byte at which a text ceases to be an opcode.
fn check_opcode(text: &str) -> Result<(), usize> {
    let fits = |(i, c): &(usize, char)| {
        c.is_ascii_alphabetic() || *i > 0 && (c.is_ascii_digit() || *c == '_')
    };
    let wrong = text.char_indices().find(|part| part.0 == MAX_OPCODE || !fits(part));
    match wrong {
        Some((at, _)) => Err(at),
        None if text.is_empty() => Err(0),
        None => Ok(()),
    }
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || c == ';'
}
