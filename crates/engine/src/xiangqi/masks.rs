//! Sets of points that the evaluation asks for, as bits of [`SquareSet`](games::xiangqi::SquareSet).

use games::xiangqi::Side;

/// Points by their bits.
pub(super) type Bits = u128;

const BOARD: Bits = (1 << 90) - 1;
const FILE_A: Bits = {
    let (mut file, mut rank) = (0, 0);
    while rank < 10 {
        file |= 1 << (9 * rank);
        rank += 1;
    }
    file
};
const NOT_A: Bits = BOARD & !FILE_A;
const NOT_I: Bits = BOARD & !(FILE_A << 8);

/// The points beyond the river, for each side.
pub(super) const BEYOND: [Bits; 2] = [BOARD & !((1 << 45) - 1), (1 << 45) - 1];

/// The palaces, Red's first.
pub(super) const PALACE: [Bits; 2] = {
    let row: Bits = 0b111_000;
    [row | row << 9 | row << 18, row << 63 | row << 72 | row << 81]
};

/// The points of a file.
#[inline]
pub(super) const fn file(file: u8) -> Bits {
    FILE_A << file
}

/// The points of a rank.
#[inline]
pub(super) const fn rank(rank: u8) -> Bits {
    0x1ff << (9 * rank)
}

/// A rank counted from a side's own back rank.
#[inline]
pub(super) const fn own_rank(side: Side, rank: u8) -> u8 {
    match side {
        Side::Red => rank,
        Side::Black => 9 - rank,
    }
}

/// The points one step ahead of these.
#[inline]
pub(super) const fn ahead(side: Side, set: Bits) -> Bits {
    match side {
        Side::Red => set << 9 & BOARD,
        Side::Black => set >> 9,
    }
}

/// The points on the left of these.
#[inline]
pub(super) const fn left(set: Bits) -> Bits {
    (set & NOT_A) >> 1
}

/// The points that pawns attack.
#[inline]
pub(super) const fn pawn_attacks(side: Side, pawns: Bits) -> Bits {
    let crossed = pawns & BEYOND[side.index()];
    ahead(side, pawns) | left(crossed) | (crossed & NOT_I) << 1
}

/// The points that a king and advisors attack or protect.
#[inline]
pub(super) const fn palace_attacks(side: Side, king: Bits, advisors: Bits) -> Bits {
    let straight = king << 1 | king >> 1 | king << 9 | king >> 9;
    let diagonal = advisors << 8 | advisors >> 8 | advisors << 10 | advisors >> 10;
    (straight | diagonal) & PALACE[side.index()]
}
