//! Which quadrants of the board have an odd number of empty squares: whoever moves into one of them tends
//! to make the last move there.

use games::othello::Square;

/// The quadrants of the board.
const QUADRANTS: [u64; 4] = {
    let quarter = 0x0f0f_0f0f;
    [quarter, quarter << 4, quarter << 32, quarter << 36]
};

/// The squares of the odd quadrants, by the four bits of [`Parity`].
const ODD: [u64; 16] = {
    let mut odd = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut quadrant = 0;
        while quadrant < 4 {
            if set >> quadrant & 1 == 1 {
                odd[set] |= QUADRANTS[quadrant];
            }
            quadrant += 1;
        }
        set += 1;
    }
    odd
};

/// A bit for each quadrant with an odd number of empty squares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Parity(u8);

/// The bit of a square's quadrant.
#[inline]
pub(super) fn quadrant_of(square: Square) -> u8 {
    1 << ((square.index() >> 2 & 1) | (square.index() >> 4 & 2))
}

impl Parity {
    #[inline]
    pub(super) fn of(empty: u64) -> Self {
        let odd =
            |quadrant: usize| (((empty & QUADRANTS[quadrant]).count_ones() & 1) << quadrant) as u8;
        Self(odd(0) | odd(1) | odd(2) | odd(3))
    }

    /// Once a square of this quadrant is taken.
    #[inline]
    pub(super) fn after(self, quadrant: u8) -> Self {
        Self(self.0 ^ quadrant)
    }

    #[inline]
    pub(super) fn is_odd(self, square: Square) -> bool {
        self.0 & quadrant_of(square) != 0
    }

    /// The squares of the odd quadrants.
    #[inline]
    pub(super) fn squares(self) -> u64 {
        ODD[usize::from(self.0 & 15)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_follows_the_squares() {
        let mut empty = u64::MAX;
        let mut parity = Parity::of(empty);
        for square in Square::all() {
            let quadrant = QUADRANTS.iter().position(|set| set & square.bit() != 0);
            assert_eq!(quadrant.map(|index| 1 << index), Some(quadrant_of(square)));
            empty &= !square.bit();
            parity = parity.after(quadrant_of(square));
            assert!(parity == Parity::of(empty));
            let odd = parity.squares() & square.bit() != 0;
            assert_eq!(odd, parity.is_odd(square));
        }
    }
}
