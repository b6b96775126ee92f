//! Discs that can never be turned over again: a lower bound on their set.
//!
//! A disc is safe along an axis if its line is full, if it stands at the rim across that axis, or if a
//! stable disc of its own colour is its neighbour there; stable is what is safe along all four.

use games::othello::Board;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xff;
const RANK_8: u64 = RANK_1 << 56;
const RIM: u64 = FILE_A | FILE_H | RANK_1 | RANK_8;

/// The diagonals of three squares and more, in both directions.
const DIAGONALS: [[u64; 11]; 2] = {
    let mut found = [[0; 11]; 2];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        let rising = file + 7 - rank;
        let falling = file + rank;
        if 2 <= rising && rising <= 12 {
            found[0][rising - 2] |= 1 << square;
        }
        if 2 <= falling && falling <= 12 {
            found[1][falling - 2] |= 1 << square;
        }
        square += 1;
    }
    found
};

/// Discs of the side to move that nothing can turn over.
pub(super) fn stable_discs(board: Board) -> u64 {
    let own = board.own();
    let filled = !board.empty();
    let ranks = full_ranks(filled) | FILE_A | FILE_H;
    let files = full_files(filled) | RANK_1 | RANK_8;
    let rising = full_diagonals(filled, 0) | RIM;
    let falling = full_diagonals(filled, 1) | RIM;
    let mut stable = own & ranks & files & rising & falling;
    if stable == 0 {
        return 0;
    }
    loop {
        let east = (stable & !FILE_H) << 1 | (stable & !FILE_A) >> 1;
        let north = stable << 8 | stable >> 8;
        let northeast = (stable & !FILE_H) << 9 | (stable & !FILE_A) >> 9;
        let northwest = (stable & !FILE_A) << 7 | (stable & !FILE_H) >> 7;
        let more =
            own & (ranks | east) & (files | north) & (rising | northeast) & (falling | northwest);
        if more == stable {
            return stable;
        }
        stable = more;
    }
}

fn full_ranks(filled: u64) -> u64 {
    // The bit of file a stays where the whole rank is set.
    let mut full = filled & filled >> 4;
    full &= full >> 2;
    full &= full >> 1;
    (full & FILE_A) * 0xff
}

fn full_files(filled: u64) -> u64 {
    let mut full = filled & filled.rotate_right(32);
    full &= full.rotate_right(16);
    full & full.rotate_right(8)
}

fn full_diagonals(filled: u64, direction: usize) -> u64 {
    DIAGONALS[direction]
        .iter()
        .filter(|diagonal| filled & **diagonal == **diagonal)
        .fold(0, |full, diagonal| full | diagonal)
}
