//! The 81 squares of the board, numbered `9 * file + rank`, and sets of them.
//!
//! A file is nine neighbouring bits, so a step forward of every pawn at once is one shift.

/// A square of the board, `0..81`: the file is `index / 9` (0 is the file written `1`, at Black's right
/// hand), the rank `index % 9` (0 is the rank written `a`, the farthest from Black).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 81;

    /// The square of this index, if it is below 81.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 81 { Some(Self(index)) } else { None }
    }

    /// The square at a file (0–8, written `1`–`9`) and a rank (0–8, written `a`–`i`).
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < 9 && rank < 9 { Some(Self(file * 9 + rank)) } else { None }
    }

    /// For numbers that are proven to be below 81.
    #[inline]
    pub(crate) const fn from_proven(index: u8) -> Self {
        debug_assert!(index < 81);
        Self(index)
    }

    /// The number of this square, `0..81`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 (written `1`) to 8 (written `9`), counted from Black's right.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 / 9
    }

    /// The rank, 0 (written `a`) to 8 (written `i`, Black's back rank).
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 % 9
    }

    /// The same square seen by the other player: the board turned by 180 degrees.
    #[inline]
    #[must_use]
    pub const fn rotate(self) -> Self {
        Self(80 - self.0)
    }

    /// Every square, in the order of [`Square::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        (0..81).map(Self)
    }

    /// The square of two bytes such as `7g`.
    pub(crate) fn from_text(text: &[u8]) -> Option<Self> {
        match text {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Self::at(file - b'1', rank - b'a'),
            _ => None,
        }
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.file() + 1, (b'a' + self.rank()) as char)
    }
}

impl std::fmt::Debug for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A set of squares: bit `n` is the square of index `n`; bits from 81 up are always clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SquareSet(pub(crate) u128);

impl SquareSet {
    /// No square at all.
    pub const EMPTY: Self = Self(0);

    /// Every square.
    pub const ALL: Self = Self((1 << 81) - 1);

    /// The set of one square.
    #[inline]
    #[must_use]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// Whether the square is in the set.
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

    /// The number of squares.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there are two squares or more.
    #[inline]
    #[must_use]
    pub const fn is_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The square of the lowest index.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(self.0.trailing_zeros() as u8)) }
    }

    /// Hands every square to a function, lowest index first: faster than the iterator, because each
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

    /// Whether a test holds for one of the squares; stops at the first.
    #[inline]
    pub(crate) fn any(self, mut test: impl FnMut(Square) -> bool) -> bool {
        let mut low = self.0 as u64;
        while low != 0 {
            if test(Square(low.trailing_zeros() as u8)) {
                return true;
            }
            low &= low - 1;
        }
        let mut high = (self.0 >> 64) as u64;
        while high != 0 {
            if test(Square(64 + high.trailing_zeros() as u8)) {
                return true;
            }
            high &= high - 1;
        }
        false
    }

    /// The squares that are in this set and not in the other.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a set, lowest index first.
#[derive(Clone, Debug)]
pub struct Squares(SquareSet);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
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

impl std::ops::BitOrAssign for SquareSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
