//! Sides, kinds and pieces with their letters.

use std::num::NonZeroU8;

/// The two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Sente: moves first, capital letters, plays towards rank `a`.
    Black,
    /// Gote: small letters, plays towards rank `i`.
    White,
}

impl Side {
    /// Both sides, Black first.
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

    /// 0 for Black, 1 for White.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The fourteen kinds of pieces; a promoted kind is 8 more than the kind that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// One step forward.
    Pawn,
    /// Any distance forward.
    Lance,
    /// Two steps forward and one aside, over anything.
    Knight,
    /// One step diagonally or forward.
    Silver,
    /// Any distance diagonally.
    Bishop,
    /// Any distance along file and rank.
    Rook,
    /// One step along file and rank, or diagonally forward.
    Gold,
    /// One step in every direction.
    King,
    /// Tokin, the promoted pawn: moves as a gold.
    ProPawn,
    /// The promoted lance: moves as a gold.
    ProLance,
    /// The promoted knight: moves as a gold.
    ProKnight,
    /// The promoted silver: moves as a gold.
    ProSilver,
    /// The promoted bishop: bishop and king in one.
    Horse,
    /// The promoted rook: rook and king in one.
    Dragon,
}

impl PieceKind {
    /// Every kind, in the order of [`PieceKind::index`].
    pub const ALL: [Self; 14] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::ProPawn,
        Self::ProLance,
        Self::ProKnight,
        Self::ProSilver,
        Self::Horse,
        Self::Dragon,
    ];

    /// The kinds that can be held in hand, in the order of [`PieceKind::index`].
    pub const HAND: [Self; 7] =
        [Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Bishop, Self::Rook, Self::Gold];

    /// The kinds of four bits, the last two of which name none.
    const BY_BITS: [Self; 16] = {
        let mut kinds = [Self::Dragon; 16];
        let mut i = 0;
        while i < 14 {
            kinds[i] = Self::ALL[i];
            i += 1;
        }
        kinds
    };

    /// `0..14`, in the order of declaration.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What it becomes by promotion; golds, kings and promoted kinds have none.
    #[inline]
    #[must_use]
    pub const fn promoted(self) -> Option<Self> {
        if (self as u8) < Self::Gold as u8 { Some(Self::BY_BITS[self as usize | 8]) } else { None }
    }

    /// What it is in the hand of its captor: itself without promotion.
    #[inline]
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        Self::BY_BITS[self as usize & 7]
    }

    /// Whether it is a promoted kind.
    #[inline]
    #[must_use]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= 8
    }

    /// How many of them, promoted or not, on the board or in the hands, a set of pieces holds.
    #[must_use]
    pub const fn most(self) -> u32 {
        match self.unpromoted() {
            Self::Pawn => 18,
            Self::Bishop | Self::Rook | Self::King => 2,
            _ => 4,
        }
    }

    /// The capital letter, that of the unpromoted kind for promoted ones.
    #[must_use]
    pub const fn letter(self) -> char {
        b"PLNSBRGK"[self as usize & 7] as char
    }

    /// The unpromoted kind of a capital letter.
    pub(crate) const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'P' => Some(Self::Pawn),
            b'L' => Some(Self::Lance),
            b'N' => Some(Self::Knight),
            b'S' => Some(Self::Silver),
            b'B' => Some(Self::Bishop),
            b'R' => Some(Self::Rook),
            b'G' => Some(Self::Gold),
            b'K' => Some(Self::King),
            _ => None,
        }
    }
}

/// A kind of a side, in one byte: the kind in four bits, the side in the fifth, the sixth always set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// One more than the largest [`Piece::code`]; codes 14, 15, 30 and 31 name no piece.
    pub const CODES: usize = 32;

    /// The piece of this side and kind.
    #[inline]
    #[must_use]
    pub const fn new(side: Side, kind: PieceKind) -> Self {
        let code = 32 | (side as u8) << 4 | kind as u8;
        Self(NonZeroU8::new(code).expect("the sixth bit is set"))
    }

    /// Its kind.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> PieceKind {
        PieceKind::BY_BITS[(self.0.get() & 15) as usize]
    }

    /// Its side.
    #[inline]
    #[must_use]
    pub const fn side(self) -> Side {
        if self.0.get() & 16 == 0 { Side::Black } else { Side::White }
    }

    /// A number in `0..32` for tables: the kind's index, plus 16 for White.
    #[inline]
    #[must_use]
    pub const fn code(self) -> usize {
        (self.0.get() & 31) as usize
    }
}

/// The SFEN form: `+` before promoted kinds, small letters for White.
impl std::fmt::Display for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = self.kind().letter();
        let plus = if self.kind().is_promoted() { "+" } else { "" };
        match self.side() {
            Side::Black => write!(f, "{plus}{letter}"),
            Side::White => write!(f, "{plus}{}", letter.to_ascii_lowercase()),
        }
    }
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
