//! Positions that differ by a turn or a reflection of the board.

use super::{KEYS, Place, TicTacToe};
use crate::Symmetry;

impl Place {
    /// Where a symmetry sends this square; [`Place::default`] stays.
    #[must_use]
    pub fn image(self, symmetry: Symmetry) -> Self {
        self.index().map_or(self, |index| {
            let (file, rank) = symmetry.map((index % 3, index / 3), 3);
            Self::new(rank * 3 + file)
        })
    }
}

impl TicTacToe {
    /// The position turned or reflected, with the same side to move and without a history.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let mut image = Self { marks: [0; 2], turn: self.turn, hash: 0, line: Vec::new() };
        image.hash = KEYS.1 * self.turn as u64;
        for index in 0..9 {
            let to = Place::new(index).image(symmetry).bit();
            for (player, marks) in self.marks.into_iter().enumerate() {
                if marks >> index & 1 != 0 {
                    image.marks[player] |= to;
                    image.hash ^= KEYS.0[player][to.trailing_zeros() as usize];
                }
            }
        }
        image
    }

    /// Of the eight images the one with the least [`TicTacToe::code`], and a symmetry that leads to it:
    /// equal for all positions that differ by a symmetry.
    #[must_use]
    pub fn canonical(&self) -> (Self, Symmetry) {
        let images = Symmetry::ALL.map(|symmetry| (self.image(symmetry), symmetry));
        let least = images.into_iter().min_by_key(|(image, _)| image.code());
        least.expect("there are eight images")
    }
}
