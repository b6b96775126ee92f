//! Weights that change in the course of a game: one number for the middle game, one for the end.

/// Middle game and end game in one integer: the end game in the upper half. Each has 32 bits, more than
/// the largest weights of every piece of a board add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair(i64);

impl Pair {
    /// Both numbers.
    #[must_use]
    pub const fn new(middle: i32, end: i32) -> Self {
        Self(((end as i64) << 32) + middle as i64)
    }

    /// The number of the middle game.
    #[inline]
    #[must_use]
    pub const fn middle(self) -> i32 {
        self.0 as i32
    }

    /// The number of the end game.
    #[inline]
    #[must_use]
    pub const fn end(self) -> i32 {
        // The lower half borrowed from the upper one when it was negative.
        ((self.0 + 0x8000_0000) >> 32) as i32
    }

    pub(crate) const fn negated(self) -> Self {
        Self(-self.0)
    }

    #[inline]
    pub(crate) const fn times(self, factor: i32) -> Self {
        Self(self.0 * factor as i64)
    }
}

/// A table of pairs from one of each half.
pub(crate) const fn pairs<const N: usize>(middle: [i32; N], end: [i32; N]) -> [Pair; N] {
    let mut table = [Pair::new(0, 0); N];
    let mut i = 0;
    while i < N {
        table[i] = Pair::new(middle[i], end[i]);
        i += 1;
    }
    table
}

impl std::ops::AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl std::ops::SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Pair;

    #[test]
    fn both_halves_keep_their_signs() {
        for (middle, end) in
            [(0, 0), (-1, 1), (1, -1), (-300, -7), (32_000, -32_000), (-900_000, 900_000)]
        {
            let pair = Pair::new(middle, end);
            assert_eq!((pair.middle(), pair.end()), (middle, end));
            assert_eq!((pair.negated().middle(), pair.negated().end()), (-middle, -end));
        }
        let mut sum = Pair::new(-5, 9).times(-3);
        sum += Pair::new(1, 1);
        sum -= Pair::new(-1, 2);
        assert_eq!((sum.middle(), sum.end()), (17, -28));
    }
}
