//! The Generic Game Format (Durdanovic), in which othello servers and programs keep games:
//!
//! ```text
//! (;GM[Othello]PB[name]PW[name]RE[+12]TY[8]BO[8 ---…--- *]B[F5//1.2]W[D6/0.5]…;)
//! ```
//!
//! One game is read: the board that it begins with, its moves, who played and the result. Evaluations
//! and times of moves are left out, and so are the other properties. A pass is `PA` or left out.

use super::record::{Reader, Record, RecordError};
use super::{Move, Othello, Side, Square, moves, text};
use crate::Game;

/// Longer texts are refused; a long game with evaluations and times takes a tenth of it.
pub const MAX_BYTES: usize = 1 << 16;

/// Letters of a property's name.
const MAX_NAME: usize = 8;

/// A game with what its text says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ggf {
    /// Who played Black, at most 60 printable characters; empty if the text does not say it.
    pub black: String,
    /// Who played White, likewise.
    pub white: String,
    /// The result as it was written, likewise: mostly the disc difference as Black sees it, with `:r`
    /// after a resignation and `:t` after a loss on time.
    pub result: String,
    /// Where the game began and its moves.
    pub record: Record,
}

/// Reads one game.
///
/// # Errors
/// The property, the place, what was found and what is allowed. The game must be othello on eight by
/// eight squares; a property that says where it begins stands before the moves, and once.
pub fn read(text: &str) -> Result<Ggf, RecordError> {
    if text.len() > MAX_BYTES {
        return Err(RecordError::too_long(text, MAX_BYTES));
    }
    let mut scanner = Scanner { text, at: 0 };
    scanner.expect("(", "(; at the start")?;
    scanner.expect(";", "(; at the start")?;
    let [mut black, mut white, mut result] = [const { String::new() }; 3];
    let mut is_othello = false;
    let mut has_board = false;
    let mut game = Reader::new(text, Othello::start());
    while let Some(Property { name, value, at }) = scanner.property()? {
        match name {
            "GM" if value.trim().eq_ignore_ascii_case("othello") => is_othello = true,
            "GM" => return Err(RecordError::part("GM", text, at, value, "Othello")),
            "PB" => black = model::printable(value, 60),
            "PW" => white = model::printable(value, 60),
            "RE" => result = model::printable(value, 60),
            "BO" if has_board || !game.is_empty() => {
                return Err(RecordError::part(
                    "BO",
                    text,
                    at,
                    value,
                    "one board, before the moves",
                ));
            }
            "BO" => {
                game = Reader::new(text, read_board(text, value, at)?);
                has_board = true;
            }
            "B" => game.play(read_move("B", text, value, at)?, Some(Side::Black), at)?,
            "W" => game.play(read_move("W", text, value, at)?, Some(Side::White), at)?,
            _ => {}
        }
    }
    if !is_othello {
        return Err(RecordError::part("GM", text, 0, "", "GM[Othello]"));
    }
    Ok(Ggf { black, white, result, record: game.finish() })
}

/// `8`, 64 letters and the side to move, with any white space between.
fn read_board(whole: &str, value: &str, at: usize) -> Result<Othello, RecordError> {
    let trimmed = value.trim_start();
    let size = trimmed.split_ascii_whitespace().next().unwrap_or("");
    let size_at = at + value.len() - trimmed.len();
    if size != "8" {
        return Err(RecordError::part("BO", whole, size_at, size, "8 as the size of the board"));
    }
    let mut discs = [0; 2];
    let mut squares = Square::all();
    let mut to_move = None;
    let letters = value.char_indices().map(|(offset, letter)| (at + offset, letter));
    for (at, letter) in letters.filter(|(at, letter)| *at > size_at && !letter.is_whitespace()) {
        let wrong = |allowed| RecordError::character("BO", whole, at, allowed);
        let side = text::side_of(letter);
        match (squares.next(), side) {
            (Some(square), Some(side)) => discs[side as usize] |= square.bit(),
            (Some(_), None) if text::is_empty_square(letter) => {}
            (Some(_), None) => return Err(wrong(text::LETTERS)),
            (None, Some(_)) if to_move.is_none() => to_move = side,
            (None, None) if to_move.is_none() => return Err(wrong(text::SIDES)),
            (None, _) => return Err(wrong("the end of the board")),
        }
    }
    let side = to_move.ok_or_else(|| {
        let allowed = "64 letters and the side to move";
        RecordError::character("BO", whole, at + value.len(), allowed)
    })?;
    Ok(text::from_discs(discs, side))
}

/// A move, perhaps followed by an evaluation and a time, each after a slash.
fn read_move(
    field: &'static str,
    whole: &str,
    value: &str,
    at: usize,
) -> Result<Move, RecordError> {
    let mv = value.split('/').next().unwrap_or("");
    let start = at + mv.len() - mv.trim_start().len();
    Move::from_text(mv.trim()).ok_or_else(|| {
        let (offset, allowed) = moves::fault(mv.trim());
        RecordError::character(field, whole, start + offset, allowed)
    })
}

/// `name[value]`, and the byte at which the value begins.
struct Property<'a> {
    name: &'a str,
    value: &'a str,
    at: usize,
}

/// A place in the text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// What is left after white space.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_ascii_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn expect(&mut self, token: &str, allowed: &str) -> Result<(), RecordError> {
        if !self.rest().starts_with(token) {
            return Err(RecordError::character("game", self.text, self.at, allowed));
        }
        self.at += token.len();
        Ok(())
    }

    /// The next property; `None` at the end of the game, after which nothing may follow.
    fn property(&mut self) -> Result<Option<Property<'a>>, RecordError> {
        let rest = self.rest();
        if rest.starts_with(';') {
            self.at += 1;
            self.expect(")", ";) at the end")?;
            return match self.rest() {
                "" => Ok(None),
                _ => Err(RecordError::character("game", self.text, self.at, "one game")),
            };
        }
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, rest) = rest.split_at(length);
        if !(1..=MAX_NAME).contains(&length) {
            let allowed = format!("a name of 1-{MAX_NAME} letters, or ;) at the end");
            return Err(match name {
                "" => RecordError::character("property", self.text, self.at, allowed),
                _ => RecordError::part("property", self.text, self.at, name, allowed),
            });
        }
        self.at += length;
        let Some(value) = rest.strip_prefix('[') else {
            return Err(RecordError::character("property", self.text, self.at, "[ after its name"));
        };
        let at = self.at + 1;
        let Some((value, _)) = value.split_once(']') else {
            return Err(RecordError::part("property", self.text, at, value, "a value that ] ends"));
        };
        self.at = at + value.len() + 1;
        Ok(Some(Property { name, value, at }))
    }
}
