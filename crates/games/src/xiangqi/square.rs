//! The 90 points of the board, numbered `9 * rank + file`, and sets of them.

/// A point of the board, `0..90`: file a–i is `index % 9`, rank 0–9 (Red's back rank is 0) is
/// `index / 9`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of points.
    pub const COUNT: usize = 90;

    /// The point of this index, if it is below 90.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 90 { Some(Self(index)) } else { None }
    }

    /// The point at a file (0–8) and a rank (0–9).
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < 9 && rank < 10 { Some(Self(rank * 9 + file)) } else { None }
    }

    /// For numbers that are proven to be below 90.
    #[inline]
    pub(crate) const fn from_proven(index: u8) -> Self {
        debug_assert!(index < 90);
        Self(index)
    }

    /// The number of this point, `0..90`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 (a) to 8 (i), counted from Red's left.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % 9
    }

    /// The rank, 0 (Red's back rank) to 9.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / 9
    }

    /// The same point seen from the other side of the board: ranks swapped, files kept.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self((9 - self.rank()) * 9 + self.file())
    }

    /// The points strictly between two points of one rank or file; none for others.
    #[inline]
    #[must_use]
    pub fn between(self, other: Self) -> SquareSet {
        SquareSet(super::tables::BETWEEN[self.index()][other.index()])
    }

    /// The leg of a horse that jumps from here to a point.
    pub(crate) const fn leg_towards(self, to: Self) -> Self {
        let (file, rank) = (self.file() as i8, self.rank() as i8);
        // Halves are rounded to zero: the leg is beside the horse.
        let file = file + (to.file() as i8 - file) / 2;
        let rank = rank + (to.rank() as i8 - rank) / 2;
        Self((9 * rank + file) as u8)
    }

    /// Every point, a0 first, i9 last.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..90).map(Self)
    }

    /// The point of two bytes such as `h2`.
    pub(crate) fn from_text(text: &[u8]) -> Option<Self> {
        match text {
            [file @ b'a'..=b'i', rank @ b'0'..=b'9'] => Self::at(file - b'a', rank - b'0'),
            _ => None,
        }
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
    }
}

impl std::fmt::Debug for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A set of points: bit `n` is the point of index `n`; bits from 90 up are always clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SquareSet(pub(crate) u128);

impl SquareSet {
    /// No point at all.
    pub const EMPTY: Self = Self(0);

    /// The set of one point.
    #[inline]
    #[must_use]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// Whether the point is in the set.
    #[inline]
    #[must_use]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// A bit for each index.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The number of points.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no point.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The point of the lowest index.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(self.0.trailing_zeros() as u8)) }
    }

    /// Hands every point to a function, lowest index first: faster than the iterator, because each
    /// half is walked as one machine word.
    #[inline]
    pub(crate) fn each(self, mut visit: impl FnMut(Square)) {
        let mut low = self.0 as u64;
        while low != 0 {
            visit(Square(low.trailing_zeros() as u8));
            low &= low - 1;
        }
        let mut high = (self.0 >> 64) as u64;
        while high != 0 {
            visit(Square(64 + high.trailing_zeros() as u8));
            high &= high - 1;
        }
    }

    /// The points that are in this set and not in the other.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Iterator for SquareSet {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl std::ops::BitAnd for SquareSet {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl std::ops::BitOr for SquareSet {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitXor for SquareSet {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}
