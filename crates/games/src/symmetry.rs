//! The eight symmetries of a square board: what othello and tic-tac-toe do not tell apart.

/// A turn or reflection of a square board, the identity among them.
///
/// Every symmetry is a transposition or none, then a reflection of the files or none, then one of the
/// ranks or none; these choices are its three bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All of them, the identity first.
    pub const ALL: [Self; 8] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// Leaves every square where it is.
    pub const IDENTITY: Self = Self(0);

    /// Whether files and ranks change places, before any reflection.
    #[inline]
    #[must_use]
    pub const fn transposes(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the first file becomes the last.
    #[inline]
    #[must_use]
    pub const fn reflects_files(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether the first rank becomes the last.
    #[inline]
    #[must_use]
    pub const fn reflects_ranks(self) -> bool {
        self.0 & 4 != 0
    }

    /// The symmetry that takes this one back.
    #[must_use]
    pub const fn inverse(self) -> Self {
        if self.transposes() { Self(1 | (self.0 & 2) << 1 | (self.0 & 4) >> 1) } else { self }
    }

    /// Where file and rank go on a board of `size` by `size` squares, all counted from 0.
    #[must_use]
    pub const fn map(self, (file, rank): (u8, u8), size: u8) -> (u8, u8) {
        let (file, rank) = if self.transposes() { (rank, file) } else { (file, rank) };
        let file = if self.reflects_files() { size - 1 - file } else { file };
        let rank = if self.reflects_ranks() { size - 1 - rank } else { rank };
        (file, rank)
    }
}

#[cfg(test)]
mod tests {
    use super::Symmetry;

    #[test]
    fn eight_different_symmetries_each_with_its_inverse() {
        let squares: Vec<(u8, u8)> =
            (0..3).flat_map(|rank| (0..3).map(move |file| (file, rank))).collect();
        let mut images: Vec<Vec<_>> = Symmetry::ALL
            .iter()
            .map(|symmetry| squares.iter().map(|&at| symmetry.map(at, 3)).collect())
            .collect();
        assert_eq!(images[0], squares);
        for (symmetry, image) in Symmetry::ALL.iter().zip(&images) {
            let back: Vec<_> = image.iter().map(|&at| symmetry.inverse().map(at, 3)).collect();
            assert_eq!(back, squares, "{symmetry:?}");
        }
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 8);
    }
}
