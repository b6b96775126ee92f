//! The captured pieces that a side may drop.

use super::PieceKind;

/// How many pieces of each kind a side holds: one byte for each kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u64);

impl Hand {
    /// How many pieces of a kind are held; none of a kind that cannot be held.
    #[inline]
    #[must_use]
    pub const fn count(self, kind: PieceKind) -> u32 {
        match kind {
            PieceKind::King => 0,
            _ if kind.is_promoted() => 0,
            _ => (self.0 >> (8 * kind.index()) & 0xff) as u32,
        }
    }

    /// A byte for each kind, that of the lowest index lowest.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether nothing is held.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many pieces are held.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        // The sum of all bytes, at most 38, gathers in the highest one.
        (self.0.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// The kinds held and how many of each, in the order of [`PieceKind::HAND`].
    pub fn pieces(self) -> impl Iterator<Item = (PieceKind, u32)> {
        PieceKind::HAND
            .into_iter()
            .map(move |kind| (kind, self.count(kind)))
            .filter(|&(_, count)| count > 0)
    }

    /// One piece more of a kind that can be held.
    #[inline]
    pub(super) const fn add(&mut self, kind: PieceKind) {
        self.0 += 1 << (8 * kind.index());
    }

    /// One piece less of a kind that is held.
    #[inline]
    pub(super) const fn take(&mut self, kind: PieceKind) {
        self.0 -= 1 << (8 * kind.index());
    }
}

impl std::fmt::Debug for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.pieces()).finish()
    }
}
