//! A position: board, side to move, the boards before it.

use super::{Board, Move, Scoring, Square};
use crate::splitmix;

/// Who moves. Black begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Dark discs, `X` in texts.
    Black,
    /// Light discs, `O` in texts.
    White,
}

impl Side {
    /// Both, Black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// A position of othello with the line of moves that led to it.
///
/// Two positions are equal when board and side to move are; line and scoring are not compared.
#[derive(Clone, Debug)]
pub struct Othello {
    board: Board,
    side: Side,
    pub(super) scoring: Scoring,
    /// The board before each move and pass made, as the side that moved saw it.
    history: Vec<Board>,
}

impl PartialEq for Othello {
    fn eq(&self, other: &Self) -> bool {
        (self.board, self.side) == (other.board, other.side)
    }
}

impl Eq for Othello {}

impl Othello {
    /// The position with this side to move; every board is one, whether or not a game can reach it.
    #[must_use]
    pub fn new(board: Board, side: Side) -> Self {
        Self { board, side, scoring: Scoring::default(), history: Vec::new() }
    }

    /// The board as the side to move sees it.
    #[inline]
    #[must_use]
    pub fn board(&self) -> Board {
        self.board
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Side {
        self.side
    }

    /// The discs of a side, bit = [`Square::index`].
    #[must_use]
    pub fn discs(&self, side: Side) -> u64 {
        if side == self.side { self.board.own() } else { self.board.other() }
    }

    /// Whose disc lies on a square.
    #[must_use]
    pub fn disc_on(&self, square: Square) -> Option<Side> {
        Side::ALL.into_iter().find(|side| self.discs(*side) & square.bit() != 0)
    }

    /// How many squares have no disc, 0 to 64.
    #[must_use]
    pub fn empties(&self) -> u32 {
        self.board.empty().count_ones()
    }

    /// The side to move has no square, the opponent has one: the only move is to pass.
    #[must_use]
    pub fn must_pass(&self) -> bool {
        !self.board.can_move() && self.board.passed().can_move()
    }

    /// Moves and passes made since the position was created.
    pub(super) fn made(&self) -> usize {
        self.history.len()
    }

    /// Both boards and the side, mixed from scratch: this is cheaper than to follow every flipped
    /// disc, and costs nothing where nobody asks.
    #[inline]
    pub(super) fn mixed(&self) -> u64 {
        let key = match self.side {
            Side::Black => 0,
            Side::White => 0xc3a5_c85c_97cb_3127,
        };
        let (_, own) = splitmix::next(self.board.own());
        splitmix::next(own ^ self.board.other() ^ key).1
    }

    /// Places the disc of a legal move, or passes.
    #[inline]
    pub(super) fn apply(&mut self, mv: Move) {
        self.history.push(self.board);
        self.side = self.side.other();
        self.board = match mv.square() {
            Some(square) => self.board.placed(square, self.board.flips(square)),
            None => self.board.passed(),
        };
    }

    /// Takes back the last move or pass.
    #[inline]
    pub(super) fn revert(&mut self) {
        if let Some(board) = self.history.pop() {
            self.board = board;
            self.side = self.side.other();
        }
    }
}
