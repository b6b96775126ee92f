//! Sides, kinds and pieces with their letters.

use std::num::NonZeroU8;

/// The two players; Red moves first and sits at the low ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Capital letters, ranks 0–4.
    Red,
    /// Small letters, ranks 5–9.
    Black,
}

impl Side {
    /// Both sides, Red first.
    pub const ALL: [Self; 2] = [Self::Red, Self::Black];

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }

    /// 0 for Red, 1 for Black.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The seven kinds of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// One step orthogonally inside the palace; kings may not face each other on an open file.
    King,
    /// One step diagonally inside the palace.
    Advisor,
    /// Two steps diagonally on the own half, not over a piece.
    Elephant,
    /// One step orthogonally to an empty point, then one diagonally outwards.
    Horse,
    /// Any distance along a line.
    Rook,
    /// Moves as a rook, captures over exactly one piece.
    Cannon,
    /// One step forward; sideways too on the far half.
    Pawn,
}

impl PieceKind {
    /// Every kind, in the order of [`PieceKind::index`].
    pub const ALL: [Self; 7] = [
        Self::King,
        Self::Advisor,
        Self::Elephant,
        Self::Horse,
        Self::Rook,
        Self::Cannon,
        Self::Pawn,
    ];

    /// `0..7`, in the order of declaration.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// How many of them one side has at the start, which is also the most it can ever have.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            Self::King => 1,
            Self::Pawn => 5,
            _ => 2,
        }
    }

    /// The canonical capital letter.
    const fn letter(self) -> u8 {
        b"KABNRCP"[self as usize]
    }
}

/// A kind of a side, in one byte: `kind + 1`, plus 8 for Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// One more than the largest [`Piece::code`]; codes 0 and 8 name no piece.
    pub const CODES: usize = 16;

    /// The piece of this side and kind.
    #[inline]
    #[must_use]
    pub const fn new(side: Side, kind: PieceKind) -> Self {
        let code = kind as u8 + 1 + 8 * side as u8;
        Self(NonZeroU8::new(code).expect("a code is at least 1"))
    }

    /// Its kind.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> PieceKind {
        match self.0.get() & 7 {
            1 => PieceKind::King,
            2 => PieceKind::Advisor,
            3 => PieceKind::Elephant,
            4 => PieceKind::Horse,
            5 => PieceKind::Rook,
            6 => PieceKind::Cannon,
            _ => PieceKind::Pawn,
        }
    }

    /// Its side.
    #[inline]
    #[must_use]
    pub const fn side(self) -> Side {
        if self.0.get() & 8 == 0 { Side::Red } else { Side::Black }
    }

    /// A number in `1..16` (never 8) for tables: `kind + 1`, plus 8 for Black.
    #[inline]
    #[must_use]
    pub const fn code(self) -> usize {
        (self.0.get() & 15) as usize
    }

    /// The canonical letter: `KABNRCP` for Red, small for Black.
    #[must_use]
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.side() {
            Side::Red => letter as char,
            Side::Black => letter.to_ascii_lowercase() as char,
        }
    }

    /// The piece of a letter; `E` is read as an elephant and `H` as a horse, too.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        let kind = match letter.to_ascii_uppercase() {
            'K' => PieceKind::King,
            'A' => PieceKind::Advisor,
            'B' | 'E' => PieceKind::Elephant,
            'N' | 'H' => PieceKind::Horse,
            'R' => PieceKind::Rook,
            'C' => PieceKind::Cannon,
            'P' => PieceKind::Pawn,
            _ => return None,
        };
        let side = if letter.is_ascii_uppercase() { Side::Red } else { Side::Black };
        Some(Self::new(side, kind))
    }
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.letter())
    }
}
