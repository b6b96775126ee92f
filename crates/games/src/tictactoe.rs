//! Tic-tac-toe: three in a row on nine squares, small enough to know the truth about every position.
//!
//! A position text holds the board from rank 3 down to rank 1, a letter or a dot for each square
//! (`x`, `o`, `.`), ranks divided by `/`, then the side to move: `x.o/.../... x`. The side may be left
//! out; the counts of the letters decide it anyway, since x begins and the turns alternate. A move is
//! its square, `a1` to `c3`.

mod symmetry;
mod truth;

pub use truth::{Truth, Value};

use model::{GameKind, Termination};

use crate::error::offset_in;
use crate::{FenError, Game, MoveError, MoveKind, MoveList, RuleResult, RuleWinner, splitmix};

/// The initial position.
const START: &str = ".../.../... x";

const FULL: u16 = 0x1ff;

/// Rows, columns and diagonals; bit = square.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Hash keys by player and square, then the one toggled when `o` is to move.
const KEYS: ([[u64; 9]; 2], u64) = {
    let mut keys = [[0; 9]; 2];
    let mut state = 0x0e10_3111_0000_0002;
    let mut i = 0;
    while i < 18 {
        (state, keys[i / 9][i % 9]) = splitmix::next(state);
        i += 1;
    }
    (keys, splitmix::next(state).1)
};

/// A square to mark. [`Place::default`] is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(u8);

impl Place {
    /// The square of an index in `0..9`, a1 first, then b1; [`Place::default`] beyond.
    #[must_use]
    pub const fn new(index: u8) -> Self {
        if index < 9 { Self(index + 1) } else { Self(0) }
    }

    /// The square's index, `0..9`; `None` for [`Place::default`].
    #[must_use]
    pub const fn index(self) -> Option<u8> {
        self.0.checked_sub(1)
    }

    /// As a set of one square; empty for none.
    const fn bit(self) -> u16 {
        (1 << self.0) >> 1
    }

    fn from_text(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [file @ b'a'..=b'c', rank @ b'1'..=b'3'] => {
                Some(Self::new((rank - b'1') * 3 + file - b'a'))
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index() {
            Some(index) => write!(f, "{}{}", (b'a' + index % 3) as char, index / 3 + 1),
            None => f.write_str("--"),
        }
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A position of tic-tac-toe with the line of moves that led to it.
///
/// Two positions are equal when board and side to move are; the line is not compared.
#[derive(Clone, Debug)]
pub struct TicTacToe {
    /// The squares of x and of o.
    marks: [u16; 2],
    /// 0 when x is to move.
    turn: usize,
    hash: u64,
    /// The default place for a pass.
    line: Vec<Place>,
}

impl PartialEq for TicTacToe {
    fn eq(&self, other: &Self) -> bool {
        (self.marks, self.turn) == (other.marks, other.turn)
    }
}

impl Eq for TicTacToe {}

impl TicTacToe {
    /// The squares that x and o have marked, bit = [`Place::index`].
    #[must_use]
    pub fn marks(&self) -> [u16; 2] {
        self.marks
    }

    /// The board as a number below 3⁹: one digit per square, a1 the lowest, 0 empty, 1 x, 2 o. In the
    /// course of a game it tells the side to move, too.
    #[must_use]
    pub fn code(&self) -> u32 {
        (0..9).rev().fold(0, |code, square| {
            let digit = self.marks[0] >> square & 1 | (self.marks[1] >> square & 1) << 1;
            code * 3 + u32::from(digit)
        })
    }

    fn has_line(&self, player: usize) -> bool {
        LINES.iter().any(|line| self.marks[player] & line == *line)
    }

    fn toggle(&mut self, place: Place) {
        self.marks[self.turn] ^= place.bit();
        if let Some(index) = place.index() {
            self.hash ^= KEYS.0[self.turn][usize::from(index)];
        }
    }

    fn flip(&mut self) {
        self.turn ^= 1;
        self.hash ^= KEYS.1;
    }
}

impl Game for TicTacToe {
    const KIND: GameKind = GameKind::TicTacToe;

    type Move = Place;

    fn start() -> Self {
        Self::from_fen(START).expect("the initial position is valid")
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let board = fields.next().unwrap_or("");
        let wrong = |(_, c): &(usize, char)| !matches!(c, 'x' | 'o' | '.' | '/');
        if let Some((at, _)) = board.char_indices().find(wrong) {
            let at = offset_in(fen, board) + at;
            return Err(FenError::character("board", fen, at, "x, o and ."));
        }
        let ranks: Vec<_> = board.split('/').collect();
        if ranks.len() != 3 || ranks.iter().any(|rank| rank.len() != 3) {
            let allowed = "three ranks of three squares such as x.o/.../...";
            return Err(FenError::part("board", board, allowed));
        }
        let mut position = Self { marks: [0; 2], turn: 0, hash: 0, line: Vec::new() };
        let letters = ranks.iter().rev().flat_map(|rank| rank.chars());
        for (letter, index) in letters.zip(0..) {
            position.turn = match letter {
                '.' => continue,
                'x' => 0,
                _ => 1,
            };
            position.toggle(Place::new(index));
        }
        let [x, o] = position.marks.map(u16::count_ones);
        position.turn = match x.checked_sub(o) {
            Some(0) => 0,
            Some(1) => 1,
            _ => {
                let found = format!("{x} of x and {o} of o");
                return Err(FenError::part("board", &found, "as many x as o, or one more"));
            }
        };
        let to_move = ["x", "o"][position.turn];
        match fields.next() {
            Some(side) if side != to_move => {
                let allowed = format!("{to_move}, by the counts of the letters");
                return Err(FenError::part("side to move", side, allowed));
            }
            _ => {}
        }
        if let Some(more) = fields.next() {
            return Err(FenError::part("text after the side to move", more, "nothing"));
        }
        if position.has_line(position.turn) {
            let allowed = "no line of the side to move: the game would have been over before";
            return Err(FenError::part("board", board, allowed));
        }
        position.hash ^= KEYS.1 * position.turn as u64;
        Ok(position)
    }

    fn to_fen(&self) -> String {
        let letter = |index: u16| match (self.marks[0] >> index & 1, self.marks[1] >> index & 1) {
            (0, 0) => '.',
            (0, _) => 'o',
            _ => 'x',
        };
        let rank = |rank: u16| (0..3).map(|file| letter(rank * 3 + file)).collect::<String>();
        format!("{}/{}/{} {}", rank(2), rank(1), rank(0), ["x", "o"][self.turn])
    }

    fn first_to_move(&self) -> bool {
        self.turn == 0
    }

    fn hash(&self) -> u64 {
        self.hash
    }

    /// Passes count as half-moves.
    fn plies_made(&self) -> usize {
        self.line.len()
    }

    /// Every move is quiet: no material changes. There is none once the game is over.
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Place>) {
        if kind == MoveKind::Noisy {
            return;
        }
        for place in (0..9).map(Place::new) {
            if self.is_pseudo_legal(place) {
                moves.push(place);
            }
        }
    }

    fn is_pseudo_legal(&self, mv: Place) -> bool {
        let free = FULL & !(self.marks[0] | self.marks[1]);
        free & mv.bit() != 0 && !self.has_line(self.turn ^ 1)
    }

    fn is_legal(&self, _: Place) -> bool {
        true
    }

    fn is_noisy(&self, _: Place) -> bool {
        false
    }

    fn make(&mut self, mv: Place) {
        self.toggle(mv);
        self.flip();
        self.line.push(mv);
    }

    fn unmake(&mut self) {
        if let Some(mv) = self.line.pop() {
            self.flip();
            self.toggle(mv);
        }
    }

    fn make_null(&mut self) {
        self.make(Place::default());
    }

    fn unmake_null(&mut self) {
        self.unmake();
    }

    fn in_check(&self) -> bool {
        false
    }

    /// Never: every move adds a mark.
    fn repetitions(&self) -> u32 {
        0
    }

    fn result(&self) -> Option<RuleResult> {
        let winner = if self.has_line(self.turn ^ 1) {
            RuleWinner::Opponent
        } else if self.marks[0] | self.marks[1] == FULL {
            RuleWinner::Draw
        } else {
            return None;
        };
        Some(RuleResult { winner, reason: Termination::Board })
    }

    /// The same as [`Game::result`]: the board decides this game, not the absence of moves.
    fn rule_draw_or_loss(&self) -> Option<RuleResult> {
        self.result()
    }

    fn move_to_text(&self, mv: Place) -> String {
        mv.to_string()
    }

    fn move_from_text(&self, text: &str) -> Result<Place, MoveError> {
        let place = Place::from_text(text)
            .ok_or_else(|| MoveError::form(text, &[("abc", "the file"), ("123", "the rank")]))?;
        if self.is_pseudo_legal(place) {
            return Ok(place);
        }
        let mut legal = MoveList::new();
        self.legal(&mut legal);
        Err(MoveError::not_legal(text, legal.iter().map(Place::to_string)))
    }
}

#[cfg(test)]
mod tests;
