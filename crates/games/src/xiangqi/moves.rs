//! A move in sixteen bits.

use super::Square;

/// From a point to another. [`Move::default`] goes from a0 to a0, which no piece ever does.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// The move between two points.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 7)
    }

    /// Where it starts.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::from_proven((self.0 & 127) as u8)
    }

    /// Where it ends.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_proven((self.0 >> 7) as u8)
    }

    /// Fourteen bits: the start in the low seven, the end in the next seven.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these bits; anything that names no two points is [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        if bits & 127 < 90 && bits >> 7 < 90 { Self(bits) } else { Self(0) }
    }

    /// The move of a text such as `h2e2`.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let (from, to) = text.as_bytes().split_at_checked(2)?;
        Some(Self::new(Square::from_text(from)?, Square::from_text(to)?))
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
