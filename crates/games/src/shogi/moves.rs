//! A move in sixteen bits.

use super::{PieceKind, Square};
use crate::MoveError;

/// From a square, or out of the hand, to a square. [`Move::default`] goes from 1a to 1a, which no piece
/// ever does.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

/// Seven bits for the target, seven for the start (81 plus the kind for a drop), one for promotion.
const START_SHIFT: u32 = 7;
const PROMOTION: u16 = 1 << 14;
const FIRST_DROP: u16 = 81;

impl Move {
    /// A move on the board without promotion.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(to.index() as u16 | (from.index() as u16) << START_SHIFT)
    }

    /// A move on the board with promotion.
    #[inline]
    #[must_use]
    pub const fn promoting(from: Square, to: Square) -> Self {
        Self(Self::new(from, to).0 | PROMOTION)
    }

    /// A drop; `None` for kinds that are never in hand.
    #[inline]
    #[must_use]
    pub const fn drop(kind: PieceKind, to: Square) -> Option<Self> {
        match kind {
            PieceKind::King => None,
            _ if kind.is_promoted() => None,
            _ => Some(Self::drop_proven(kind, to)),
        }
    }

    /// A drop of a kind that can be in hand.
    #[inline]
    pub(super) const fn drop_proven(kind: PieceKind, to: Square) -> Self {
        Self(to.index() as u16 | (FIRST_DROP + kind as u16) << START_SHIFT)
    }

    /// Where it starts; `None` for a drop.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Option<Square> {
        let start = self.start();
        if start < FIRST_DROP { Some(Square::from_proven(start as u8)) } else { None }
    }

    /// Where it ends.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_proven((self.0 & 127) as u8)
    }

    /// The kind that is dropped; `None` for a move on the board.
    #[inline]
    #[must_use]
    pub const fn dropped(self) -> Option<PieceKind> {
        let start = self.start();
        if start < FIRST_DROP { None } else { Some(PieceKind::HAND[(start - FIRST_DROP) as usize]) }
    }

    /// Whether the piece promotes.
    #[inline]
    #[must_use]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// The same move for the other player: on the board turned by 180 degrees.
    #[must_use]
    pub const fn rotate(self) -> Self {
        let to = self.to().rotate().index() as u16;
        let start = match self.from() {
            Some(from) => from.rotate().index() as u16,
            None => self.start(),
        };
        Self(self.0 & PROMOTION | to | start << START_SHIFT)
    }

    /// Fifteen bits: the target in the low seven, then seven for the start (81 plus the kind for a
    /// drop), then one for promotion.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these bits; anything that names no move is [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        let mv = Self(bits);
        let named = bits < 1 << 15 && bits & 127 < 81 && mv.start() < FIRST_DROP + 7;
        if !named || mv.is_promotion() && mv.start() >= FIRST_DROP { Self(0) } else { mv }
    }

    #[inline]
    const fn start(self) -> u16 {
        self.0 >> START_SHIFT & 127
    }

    /// The move of a USI text such as `7g7f`, `8h2b+` or `P*5e`.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        match *text.as_bytes() {
            [kind, b'*', file, rank] => {
                let kind = PieceKind::from_letter(kind)?;
                Self::drop(kind, Square::from_text(&[file, rank])?)
            }
            [a, b, c, d] => {
                Some(Self::new(Square::from_text(&[a, b])?, Square::from_text(&[c, d])?))
            }
            [a, b, c, d, b'+'] => {
                Some(Self::promoting(Square::from_text(&[a, b])?, Square::from_text(&[c, d])?))
            }
            _ => None,
        }
    }
}

/// The USI form.
impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "{from}{}", self.to())?,
            (None, kind) => {
                write!(f, "{}*{}", kind.map_or(' ', PieceKind::letter), self.to())?;
            }
        }
        f.write_str(if self.is_promotion() { "+" } else { "" })
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Says where a text departs from the form of a move. A letter at its start is taken for a drop.
pub(super) fn form_error(text: &str) -> MoveError {
    let (files, ranks) = ("123456789", "abcdefghi");
    let (file, rank) = ((files, "the file of the end"), (ranks, "the rank of the end"));
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        let start = [("PLNSBRG", "the dropped piece"), ("*", "the sign of a drop")];
        return MoveError::form(text, &[start[0], start[1], file, rank]);
    }
    let start = [(files, "the file of the start, or PLNSBRG"), (ranks, "the rank of the start")];
    let promotion = ("+", "the sign of a promotion, or nothing");
    MoveError::form(text, &[start[0], start[1], file, rank, promotion])
}
