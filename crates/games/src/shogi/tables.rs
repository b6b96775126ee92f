//! Attack tables, computed by the compiler.
//!
//! Steppers have one set of squares for each side and square; the squares *from* which a side's stepper
//! attacks a square are those that the other side's stepper would attack from there. Everything that
//! slides is answered by rays and full lines.

use super::{Square, SquareSet};

/// Sets indexed by square.
type BySquare = [SquareSet; Square::COUNT];

/// Eight directions as (file, rank), so ordered that `7 - n` is opposite to `n`; Black plays towards
/// [`UP`].
const DIRECTIONS: [(i32, i32); 8] =
    [(0, -1), (-1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1), (1, 0), (0, 1)];

/// The direction in which each side plays.
pub(crate) const FORWARD: [usize; 2] = [0, 7];

/// The direction of squares that lie on no common line.
const NOWHERE: u8 = 8;

const fn bit(file: i32, rank: i32) -> u128 {
    if file < 0 || file > 8 || rank < 0 || rank > 8 { 0 } else { 1 << (9 * file + rank) }
}

/// Steps (file, rank) as Black makes them, seen by both sides.
const fn steps<const N: usize>(steps: [(i32, i32); N]) -> [BySquare; 2] {
    let mut table = [[SquareSet::EMPTY; Square::COUNT]; 2];
    let mut square = 0;
    while square < 81 {
        let (file, rank) = (square / 9, square % 9);
        let mut i = 0;
        while i < N {
            let (f, r) = steps[i];
            table[0][square as usize].0 |= bit(file + f, rank + r);
            table[1][square as usize].0 |= bit(file - f, rank - r);
            i += 1;
        }
        square += 1;
    }
    table
}

/// Where a side's pawn on a square may step.
pub(crate) static PAWN: [BySquare; 2] = steps([(0, -1)]);
/// Where a side's knight on a square may jump.
pub(crate) static KNIGHT: [BySquare; 2] = steps([(-1, -2), (1, -2)]);
/// Where a side's silver on a square may step.
pub(crate) static SILVER: [BySquare; 2] = steps([(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)]);
/// Where a side's gold on a square may step.
pub(crate) static GOLD: [BySquare; 2] =
    steps([(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
/// Where a king on a square may step.
pub(crate) static KING: BySquare = steps(DIRECTIONS)[0];

/// The squares from a square to the edge of the board, by direction; nothing for the directions from 8
/// up, so that squares on no common line have nothing between them.
static RAYS: [[SquareSet; 16]; Square::COUNT] = {
    let mut table = [[SquareSet::EMPTY; 16]; Square::COUNT];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < 8 {
            let (f, r) = DIRECTIONS[i];
            let mut distance = 1;
            while distance < 9 {
                table[square as usize][i].0 |=
                    bit(square / 9 + distance * f, square % 9 + distance * r);
                distance += 1;
            }
            i += 1;
        }
        square += 1;
    }
    table
};

/// The direction from the first square to the second.
static DIRECTION: [[u8; Square::COUNT]; Square::COUNT] = {
    let mut table = [[NOWHERE; Square::COUNT]; Square::COUNT];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < 8 {
            let mut ray = RAYS[square][i].0;
            while ray != 0 {
                table[square][ray.trailing_zeros() as usize] = i as u8;
                ray &= ray - 1;
            }
            i += 1;
        }
        square += 1;
    }
    table
};

/// The squares from a square to the edge, in one of the directions of [`FORWARD`].
#[inline]
pub(crate) fn ray(square: Square, direction: usize) -> SquareSet {
    RAYS[square.index()][direction & 15]
}

/// The squares from the first square to the edge that lie in the direction of the second; nothing if
/// they share no line.
#[inline]
pub(crate) fn ray_through(from: Square, through: Square) -> SquareSet {
    RAYS[from.index()][(DIRECTION[from.index()][through.index()] & 15) as usize]
}

/// The squares between two squares, without these; nothing if they share no line.
#[inline]
pub(crate) fn between(a: Square, b: Square) -> SquareSet {
    let direction = (DIRECTION[a.index()][b.index()] & 15) as usize;
    RAYS[a.index()][direction] & RAYS[b.index()][direction ^ 7]
}

/// The lines through a square, without it.
pub(crate) struct Lines {
    pub(crate) file: SquareSet,
    pub(crate) rank: SquareSet,
    pub(crate) diagonals: [SquareSet; 2],
}

const fn union(a: SquareSet, b: SquareSet) -> SquareSet {
    SquareSet(a.0 | b.0)
}

/// The lines through each square.
pub(crate) static LINES: [Lines; Square::COUNT] = {
    let mut table = [const {
        Lines { file: SquareSet::EMPTY, rank: SquareSet::EMPTY, diagonals: [SquareSet::EMPTY; 2] }
    }; Square::COUNT];
    let mut square = 0;
    while square < 81 {
        let rays = &RAYS[square];
        table[square].file = union(rays[0], rays[7]);
        table[square].rank = union(rays[1], rays[6]);
        table[square].diagonals = [union(rays[2], rays[5]), union(rays[3], rays[4])];
        square += 1;
    }
    table
};

/// The squares of a file, as nine bits, that a rook on a rank reaches, by the seven inner squares that
/// are occupied.
static FILE_REACH: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut rank = 0;
    while rank < 9 {
        let mut inner = 0;
        while inner < 128 {
            let occupied = (inner as u16) << 1;
            let mut up = rank;
            while up > 0 {
                up -= 1;
                table[rank][inner] |= 1 << up;
                if occupied >> up & 1 != 0 {
                    break;
                }
            }
            let mut down = rank;
            while down < 8 {
                down += 1;
                table[rank][inner] |= 1 << down;
                if occupied >> down & 1 != 0 {
                    break;
                }
            }
            inner += 1;
        }
        rank += 1;
    }
    table
};

/// What a rook on a square reaches along its file.
#[inline]
pub(crate) fn file_attacks(square: Square, occupied: SquareSet) -> SquareSet {
    let shift = 9 * square.file();
    let inner = (occupied.0 >> (shift + 1) & 127) as usize;
    SquareSet(u128::from(FILE_REACH[square.rank() as usize][inner]) << shift)
}

/// What a slider on a square reaches along a rank or a diagonal through it.
///
/// Subtracting the slider from the occupied squares of its line flips everything up to the first
/// blocker above it; the same with the order of the squares reversed flips everything down to the first
/// one below. The squares of such a line stand at least eight bits apart, so reversing the bytes
/// reverses their order.
#[inline]
pub(crate) fn line_attacks(square: Square, line: SquareSet, occupied: SquareSet) -> SquareSet {
    let slider = 1_u128 << square.index();
    let blockers = occupied.0 & line.0;
    let above = blockers.wrapping_sub(slider);
    let below = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    SquareSet((above ^ below) & line.0)
}

/// The lowest square of each file, rank `a`.
const RANK_A: u128 = {
    let mut squares = 0;
    let mut file = 0;
    while file < 9 {
        squares |= bit(file, 0);
        file += 1;
    }
    squares
};

/// The ranks `first..=last`.
const fn ranks(first: u32, last: u32) -> SquareSet {
    let mut squares = 0;
    let mut rank = first;
    while rank <= last {
        squares |= RANK_A << rank;
        rank += 1;
    }
    SquareSet(squares)
}

/// Where each side's pieces promote, and where its king may declare a win from: its last three ranks.
pub(crate) const CAMP: [SquareSet; 2] = [ranks(0, 2), ranks(6, 8)];
/// The rank from which each side's pawns and lances could never move again.
pub(crate) const LAST_RANK: [SquareSet; 2] = [ranks(0, 0), ranks(8, 8)];
/// The ranks from which each side's knights could never move again.
pub(crate) const LAST_TWO_RANKS: [SquareSet; 2] = [ranks(0, 1), ranks(7, 8)];

/// Every square of the files that hold none of these pawns, of which a file holds at most one.
#[inline]
pub(crate) fn files_without(pawns: SquareSet) -> SquareSet {
    // In each file of nine bits the highest bit survives the subtraction where there is no pawn.
    const HIGHEST: u128 = RANK_A << 8;
    let free = (HIGHEST - pawns.0) & HIGHEST;
    SquareSet(free | (free - (free >> 8)))
}
