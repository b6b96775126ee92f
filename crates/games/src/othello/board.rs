//! The discs as two sets of squares, and the two questions that all rules rest on: where may a disc
//! be placed, and what does it flip.

use super::{Square, Squares};
use crate::Symmetry;

/// Files b to g: a run of discs along a rank or a diagonal that is to be flipped lies within them.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares beyond each square in four directions, those in which the index rises: by 1, 7, 8
/// and 9.
const RAYS: [[u64; 4]; 64] = {
    let steps: [(i8, i8); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut rays = [[0; 4]; 64];
    let mut i = 0;
    while i < 64 * 4 {
        let (file_step, rank_step) = steps[i % 4];
        let (mut file, mut rank) = ((i / 4 % 8) as i8 + file_step, (i / 32) as i8 + rank_step);
        while 0 <= file && file < 8 && rank < 8 {
            rays[i / 4][i % 4] |= 1 << (rank * 8 + file);
            (file, rank) = (file + file_step, rank + rank_step);
        }
        i += 1;
    }
    rays
};

/// Discs as the side to move sees them: its own and the other side's, never both on one square.
/// Bit = [`Square::index`].
///
/// A board is small and cheap to copy; a solver may well keep boards instead of a position with its
/// history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    own: u64,
    other: u64,
}

impl Board {
    /// The board of these discs; `None` where two would lie on one square.
    #[must_use]
    pub const fn new(own: u64, other: u64) -> Option<Self> {
        if own & other == 0 { Some(Self { own, other }) } else { None }
    }

    /// The discs of the side to move.
    #[inline]
    #[must_use]
    pub const fn own(self) -> u64 {
        self.own
    }

    /// The discs of the other side.
    #[inline]
    #[must_use]
    pub const fn other(self) -> u64 {
        self.other
    }

    /// The squares without a disc.
    #[inline]
    #[must_use]
    pub const fn empty(self) -> u64 {
        !(self.own | self.other)
    }

    /// The squares on which the side to move may place a disc: empty ones, from which a line of one or
    /// more of the other side's discs leads to one of its own.
    ///
    /// All lines at once, by parallel prefix (after Kogge and Stone 1973).
    #[inline]
    #[must_use]
    pub const fn moves(self) -> u64 {
        let inner = self.other & INNER_FILES;
        (beyond_runs(self.own, self.other, 8)
            | beyond_runs(self.own, inner, 1)
            | beyond_runs(self.own, inner, 7)
            | beyond_runs(self.own, inner, 9))
            & self.empty()
    }

    /// Whether the side to move may place a disc anywhere.
    #[inline]
    #[must_use]
    pub const fn can_move(self) -> bool {
        self.moves() != 0
    }

    /// Neither side may place a disc.
    #[inline]
    #[must_use]
    pub const fn is_over(self) -> bool {
        !self.can_move() && !self.passed().can_move()
    }

    /// The other side's discs that a disc of the side to move on an empty square turns over; none if
    /// it may not be placed there.
    #[inline]
    #[must_use]
    pub const fn flips(self, square: Square) -> u64 {
        let Self { own, other } = self;
        let [east, southwest, south, southeast] = RAYS[square.index()];
        let rising = run_on(own, other, east)
            | run_on(own, other, southwest)
            | run_on(own, other, south)
            | run_on(own, other, southeast);
        // Seen from below, three of the falling directions rise.
        let (own_below, other_below) = (own.swap_bytes(), other.swap_bytes());
        let [_, northwest, north, northeast] = RAYS[square.index() ^ 56];
        let falling = run_on(own_below, other_below, northwest)
            | run_on(own_below, other_below, north)
            | run_on(own_below, other_below, northeast);
        rising | falling.swap_bytes() | run_west(own, other, square)
    }

    /// The board after a disc on `square` that flips `flips`, seen by the side that moves next.
    #[inline]
    #[must_use]
    pub const fn placed(self, square: Square, flips: u64) -> Self {
        Self { own: self.other & !flips, other: self.own | flips | square.bit() }
    }

    /// The same board, seen by the other side.
    #[inline]
    #[must_use]
    pub const fn passed(self) -> Self {
        Self { own: self.other, other: self.own }
    }

    /// The squares on which the side to move may place a disc, lowest index first.
    #[inline]
    #[must_use]
    pub const fn move_squares(self) -> Squares {
        Squares(self.moves())
    }

    /// The board turned or reflected.
    #[must_use]
    pub const fn image(self, symmetry: Symmetry) -> Self {
        Self { own: map_squares(self.own, symmetry), other: map_squares(self.other, symmetry) }
    }

    /// The least of the eight images, equal for all boards that differ by a symmetry, and a symmetry
    /// that leads to it.
    #[must_use]
    pub fn canonical(self) -> (Self, Symmetry) {
        let images = Symmetry::ALL.map(|symmetry| (self.image(symmetry), symmetry));
        images.into_iter().min().expect("there are eight images")
    }
}

/// The squares that follow runs of `inner` which start beside a square of `own`, in the direction in
/// which the index rises by `step` and in the opposite one.
#[inline]
const fn beyond_runs(own: u64, inner: u64, step: u32) -> u64 {
    let mut up = inner & own << step;
    let mut down = inner & own >> step;
    up |= inner & up << step;
    down |= inner & down >> step;
    let pairs_up = inner & inner << step;
    let pairs_down = pairs_up >> step;
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    up << step | down >> step
}

/// The run of `other` at the near end of a ray of rising index, if a square of `own` ends it.
#[inline]
const fn run_on(own: u64, other: u64, ray: u64) -> u64 {
    let ends = ray & !other;
    let end = ends & ends.wrapping_neg() & own;
    ray & end.saturating_sub(1)
}

/// The same along the rank towards file a.
#[inline]
const fn run_west(own: u64, other: u64, square: Square) -> u64 {
    let ray = (square.bit() - 1) & 0xff << (square.index() & 56);
    let mut from_end = ray & !other;
    from_end |= from_end >> 1;
    from_end |= from_end >> 2;
    from_end |= from_end >> 4;
    let end = from_end & !(from_end >> 1);
    if end & own != 0 { ray & !from_end } else { 0 }
}

/// The images of a set of squares.
#[must_use]
pub const fn map_squares(squares: u64, symmetry: Symmetry) -> u64 {
    let mut squares = squares;
    if symmetry.transposes() {
        squares = swap_bits(squares, 0x0000_0000_f0f0_f0f0, 28);
        squares = swap_bits(squares, 0x0000_cccc_0000_cccc, 14);
        squares = swap_bits(squares, 0x00aa_00aa_00aa_00aa, 7);
    }
    if symmetry.reflects_files() {
        // Reversing all bits reflects files and ranks.
        squares = squares.reverse_bits().swap_bytes();
    }
    if symmetry.reflects_ranks() { squares.swap_bytes() } else { squares }
}

/// Exchanges the bits of `low << distance` with those `distance` below.
const fn swap_bits(squares: u64, low: u64, distance: u32) -> u64 {
    let differ = (squares ^ squares >> distance) & low;
    squares ^ differ ^ differ << distance
}
