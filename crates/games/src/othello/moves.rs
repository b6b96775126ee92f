//! Squares and moves, and their texts.

/// One of 64 squares. Index 0 is a1, the upper left corner, 1 is b1, 8 is a2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of an index in `0..64`.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on a file (0 is a) and a rank (0 is 1).
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 { Some(Self(rank * 8 + file)) } else { None }
    }

    /// All 64, in the order of their indices.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..64).map(Self)
    }

    /// `0..64`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// `0..8`, 0 is a.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// `0..8`, 0 is 1.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// As a set of one square.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self.index()
    }

    /// The square of a text such as `d3` or `D3`.
    #[must_use]
    pub const fn from_text(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [file @ (b'a'..=b'h' | b'A'..=b'H'), rank @ b'1'..=b'8'] => {
                Self::at(file.to_ascii_lowercase() - b'a', *rank - b'1')
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank() + 1)
    }
}

impl std::fmt::Debug for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The squares of a set, lowest index first.
#[derive(Clone, Copy, Debug)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let index = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        Square::new(index as u8)
    }
}

/// A disc on a square, or a pass. [`Move::default`] is neither and never legal.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

impl Move {
    /// The turn goes to the opponent.
    pub const PASS: Self = Self(65);

    /// A disc on this square.
    #[inline]
    #[must_use]
    pub const fn place(square: Square) -> Self {
        Self(square.0 + 1)
    }

    /// Where the disc goes; `None` for a pass and for [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn square(self) -> Option<Square> {
        Square::new(self.0.wrapping_sub(1))
    }

    /// 0 for [`Move::default`], 1 to 64 for the squares, 65 for a pass.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The move of these bits; anything that names none is [`Move::default`].
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        if bits <= Self::PASS.0 { Self(bits) } else { Self(0) }
    }

    /// The move of a text, in either case: a square, or `pass`, `pa`, `ps`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        if ["pass", "pa", "ps"].iter().any(|pass| text.eq_ignore_ascii_case(pass)) {
            return Some(Self::PASS);
        }
        Square::from_text(text).map(Self::place)
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.square() {
            Some(square) => square.fmt(f),
            None if *self == Self::PASS => f.write_str("pass"),
            None => f.write_str("--"),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The byte at which a text that is no move departs from one, and what may stand there.
pub(super) fn fault(text: &str) -> (usize, &'static str) {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, 'a'..='h' | 'A'..='H')) => {}
        _ => return (0, "a-h as the file, or pass"),
    }
    match chars.next() {
        Some((_, '1'..='8')) => {}
        other => return (other.map_or(text.len(), |(at, _)| at), "1-8 as the rank"),
    }
    (chars.next().map_or(text.len(), |(at, _)| at), "nothing more")
}
