//! A move in sixteen bits.

use cozy_chess::{Piece, Square};

/// From a square to another, with the piece that a pawn becomes. Castling is the king's move onto
/// the square of its own rook. [`Move::default`] goes from a1 to a1, which no piece ever does.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

/// Six bits of a square.
const SQUARE: u16 = 63;

impl Move {
    /// A move without promotion.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from as u16 | (to as u16) << 6)
    }

    /// A pawn's move onto the last rank. No pawn becomes a pawn or a king: these give
    /// [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn promoting(from: Square, to: Square, piece: Piece) -> Self {
        match piece {
            Piece::Pawn | Piece::King => Self(0),
            _ => Self(from as u16 | (to as u16) << 6 | (piece as u16) << 12),
        }
    }

    /// Where it starts.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::index_const((self.0 & SQUARE) as usize)
    }

    /// Where it ends; the rook's square in castling.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::index_const((self.0 >> 6 & SQUARE) as usize)
    }

    /// What the pawn becomes.
    #[inline]
    #[must_use]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }

    /// Fifteen bits: the start in the low six, the end in the next six, then the promotion: 0 none,
    /// 1 knight, 2 bishop, 3 rook, 4 queen.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these bits; anything that names no promotion is [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        if bits >> 12 <= 4 { Self(bits) } else { Self(0) }
    }

    /// The move in the words of cozy-chess.
    #[inline]
    pub(super) const fn to_cozy(self) -> cozy_chess::Move {
        cozy_chess::Move { from: self.from(), to: self.to(), promotion: self.promotion() }
    }
}

/// Start, end, and the small letter of a promotion: UCI, with castling as in Chess960.
impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.to_cozy(), f)
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
