//! Attack tables, computed by the compiler.
//!
//! Steppers have one set of points per square. Elephants and horses are indexed by the four points
//! that can block them as well. Sliders read their line's occupancy (9 bits for a rank, 10 for a
//! file) without its ends and get the reachable points of that line as bits.

use super::{Side, Square};

/// Sets indexed by square.
type BySquare = [u128; 90];

const fn bit(file: i32, rank: i32) -> u128 {
    if file < 0 || file > 8 || rank < 0 || rank > 9 { 0 } else { 1 << (rank * 9 + file) }
}

/// The set of each point alone.
///
/// Where a set in memory is changed, this is faster than a shift: the compiler makes of the shift a
/// change of the one 32-bit word that holds the point, and the next read of the whole set then has to
/// wait until that narrow write has reached the cache.
pub(crate) static POINT: BySquare = {
    let mut table = [0; 90];
    let mut square = 0;
    while square < 90 {
        table[square] = 1 << square;
        square += 1;
    }
    table
};

const fn in_palace(file: i32, rank: i32) -> bool {
    file >= 3 && file <= 5 && (rank >= 0 && rank <= 2 || rank >= 7 && rank <= 9)
}

const ORTHOGONAL: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// One step in four directions, inside the palace.
const fn palace_steps(steps: [(i32, i32); 4]) -> BySquare {
    let mut table = [0; 90];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let mut i = 0;
        while i < 4 {
            let (f, r) = (file + steps[i].0, rank + steps[i].1);
            if in_palace(file, rank) && in_palace(f, r) {
                table[square as usize] |= bit(f, r);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// Where a king on a square may step.
pub(crate) static KING: BySquare = palace_steps(ORTHOGONAL);
/// Where an advisor on a square may step.
pub(crate) static ADVISOR: BySquare = palace_steps(DIAGONAL);

/// The points that a side's pawn on a square attacks.
pub(crate) static PAWN: [BySquare; 2] = [pawn(1, false), pawn(-1, false)];
/// The points from which a side's pawn attacks a square.
pub(crate) static PAWN_TO: [BySquare; 2] = [pawn(1, true), pawn(-1, true)];

const fn pawn(forward: i32, reverse: bool) -> BySquare {
    let mut table = [0; 90];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let crossed = if forward > 0 { rank > 4 } else { rank < 5 };
        let step = if reverse { -forward } else { forward };
        table[square as usize] |= bit(file, rank + step);
        // A step sideways stays on its rank, so the far half is the same seen from both ends.
        if crossed {
            table[square as usize] |= bit(file - 1, rank) | bit(file + 1, rank);
        }
        square += 1;
    }
    table
}

/// The elephant's targets by square and by which of the four eyes are occupied.
pub(crate) static ELEPHANT: [[u128; 16]; 90] = {
    let mut table = [[0; 16]; 90];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let mut blocked = 0;
        while blocked < 16 {
            let mut i = 0;
            while i < 4 {
                let (f, r) = (file + 2 * DIAGONAL[i].0, rank + 2 * DIAGONAL[i].1);
                if blocked >> i & 1 == 0 && (rank < 5) == (r < 5) {
                    table[square as usize][blocked] |= bit(f, r);
                }
                i += 1;
            }
            blocked += 1;
        }
        square += 1;
    }
    table
};

/// The horse's targets by square and by which of the four legs are occupied.
pub(crate) static HORSE: [[u128; 16]; 90] = horse(false);
/// The squares from which a horse attacks a square, by which of the four points diagonally beside
/// it, the legs of those horses, are occupied.
pub(crate) static HORSE_TO: [[u128; 16]; 90] = horse(true);

const fn horse(reverse: bool) -> [[u128; 16]; 90] {
    let mut table = [[0; 16]; 90];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let mut blocked = 0;
        while blocked < 16 {
            let mut i = 0;
            while i < 4 {
                if blocked >> i & 1 == 0 {
                    table[square as usize][blocked] |= if reverse {
                        let (f, r) = DIAGONAL[i];
                        bit(file + 2 * f, rank + r) | bit(file + f, rank + 2 * r)
                    } else {
                        let (f, r) = ORTHOGONAL[i];
                        bit(file + 2 * f + r, rank + 2 * r + f)
                            | bit(file + 2 * f - r, rank + 2 * r - f)
                    };
                }
                i += 1;
            }
            blocked += 1;
        }
        square += 1;
    }
    table
}

/// Which of the four orthogonal neighbours are occupied, as a table index. A neighbour beyond the
/// edge reads some other bit; the tables have no target behind it.
#[inline]
pub(crate) fn orthogonal_index(occupied: u128, square: Square) -> usize {
    let near = ((occupied << 9) >> square.index()) as u32;
    (near & 1 | near >> 7 & 2 | near >> 8 & 4 | near >> 15 & 8) as usize
}

/// Which of the four diagonal neighbours are occupied, as a table index.
#[inline]
pub(crate) fn diagonal_index(occupied: u128, square: Square) -> usize {
    let near = ((occupied << 10) >> square.index()) as u32;
    (near & 1 | near >> 1 & 2 | near >> 16 & 4 | near >> 17 & 8) as usize
}

/// What a slider reaches on its line, as bits, if both ends of the line are occupied: what stands on
/// the ends changes nothing for a rook, and a cannon's captures are to be cut to the occupied points.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// Points up to and including the first occupied one, each way.
    pub(crate) rook: u16,
    /// The second occupied point, each way.
    pub(crate) over: u16,
}

/// `inner` is the occupancy of the line without its two ends.
const fn line(position: i32, length: i32, inner: u32) -> Line {
    let occupied = inner << 1 | 1 | 1 << (length - 1);
    let mut result = Line { rook: 0, over: 0 };
    let mut direction = -1;
    while direction <= 1 {
        let mut screens = 0;
        let mut at = position + direction;
        while at >= 0 && at < length && screens < 2 {
            if screens == 0 {
                result.rook |= 1 << at;
            }
            if occupied >> at & 1 != 0 {
                screens += 1;
                if screens == 2 {
                    result.over |= 1 << at;
                }
            }
            at += direction;
        }
        direction += 2;
    }
    result
}

/// By file of the slider and occupancy of files b to h on its rank.
pub(crate) static RANK_LINE: [[Line; 128]; 9] = {
    let mut table = [[Line { rook: 0, over: 0 }; 128]; 9];
    let mut file = 0;
    while file < 9 {
        let mut inner = 0;
        while inner < 128 {
            table[file][inner] = line(file as i32, 9, inner as u32);
            inner += 1;
        }
        file += 1;
    }
    table
};

/// By rank of the slider and occupancy of ranks 1 to 8 on its file.
pub(crate) static FILE_LINE: [[Line; 256]; 10] = {
    let mut table = [[Line { rook: 0, over: 0 }; 256]; 10];
    let mut rank = 0;
    while rank < 10 {
        let mut inner = 0;
        while inner < 256 {
            table[rank][inner] = line(rank as i32, 10, inner as u32);
            inner += 1;
        }
        rank += 1;
    }
    table
};

/// The ten bits of a file, spread over the board's file a.
pub(crate) static FILE_SPREAD: [u128; 1024] = {
    let mut table = [0; 1024];
    let mut bits = 0;
    while bits < 1024 {
        let mut rank = 0;
        while rank < 10 {
            if bits >> rank & 1 != 0 {
                table[bits] |= 1 << (9 * rank);
            }
            rank += 1;
        }
        bits += 1;
    }
    table
};

/// The points strictly between two points of one line; empty for others.
pub(crate) static BETWEEN: [BySquare; 90] = {
    let mut table = [[0; 90]; 90];
    let mut from = 0;
    while from < 90 {
        let mut i = 0;
        while i < 4 {
            let (mut f, mut r) = (from % 9 + ORTHOGONAL[i].0, from / 9 + ORTHOGONAL[i].1);
            let mut between = 0;
            while bit(f, r) != 0 {
                table[from as usize][(r * 9 + f) as usize] = between;
                between |= bit(f, r);
                f += ORTHOGONAL[i].0;
                r += ORTHOGONAL[i].1;
            }
            i += 1;
        }
        from += 1;
    }
    table
};

/// The other points of a square's rank and file.
pub(crate) static CROSS: BySquare = {
    let mut table = [0; 90];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let whole = 0x1ff << (9 * rank) | FILE_A << file;
        table[square as usize] = whole & !bit(file, rank);
        square += 1;
    }
    table
};

/// The points diagonally beside a square: the legs of the horses that attack it.
pub(crate) static DIAGONAL_NEIGHBOURS: BySquare = {
    let mut table = [0; 90];
    let mut square = 0;
    while square < 90 {
        let mut i = 0;
        while i < 4 {
            let (file, rank) = (square % 9 + DIAGONAL[i].0, square / 9 + DIAGONAL[i].1);
            table[square as usize] |= bit(file, rank);
            i += 1;
        }
        square += 1;
    }
    table
};

/// Every point.
pub(crate) const BOARD: u128 = (1 << 90) - 1;

/// Ranks 0 to 4.
pub(crate) const RED_HALF: u128 = (1 << 45) - 1;

/// File a.
pub(crate) const FILE_A: u128 = {
    let mut file = 0;
    let mut rank = 0;
    while rank < 10 {
        file |= bit(0, rank);
        rank += 1;
    }
    file
};

/// The points on which a side's kind may stand at all.
pub(crate) static HOME: [[u128; 7]; 2] = [home(Side::Red), home(Side::Black)];

const fn home(side: Side) -> [u128; 7] {
    let all = (1_u128 << 90) - 1;
    let mut sets = [0, 0, 0, all, all, all, 0];
    let mut square = 0;
    while square < 90 {
        let (file, rank) = (square % 9, square / 9);
        let here = bit(file, rank);
        // Ranks counted from the side's own back rank.
        let own = if side as u8 == 0 { rank } else { 9 - rank };
        if in_palace(file, rank) && own < 3 {
            sets[0] |= here;
            if (file + own) % 2 == 1 {
                sets[1] |= here;
            }
        }
        let elephant = match own {
            0 | 4 => file == 2 || file == 6,
            2 => file % 4 == 0,
            _ => false,
        };
        if elephant {
            sets[2] |= here;
        }
        if own > 4 || own > 2 && file % 2 == 0 {
            sets[6] |= here;
        }
        square += 1;
    }
    sets
}
