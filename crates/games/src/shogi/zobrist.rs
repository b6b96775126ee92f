//! The random numbers of the incremental hash (Zobrist 1970).

use super::{Piece, PieceKind, Side, Square};
use crate::splitmix;

/// Drawn once, from a constant seed; changing it changes every recorded node count.
const SEED: u64 = 0x0e10_3111_0000_0003;

/// The most pieces of one kind that a hand can hold, and none.
const COUNTS: usize = 19;

struct Keys {
    pieces: [[u64; Square::COUNT]; Piece::CODES],
    hands: [[[u64; COUNTS]; 7]; 2],
    white_to_move: u64,
}

static KEYS: Keys = {
    let mut keys = Keys {
        pieces: [[0; Square::COUNT]; Piece::CODES],
        hands: [[[0; COUNTS]; 7]; 2],
        white_to_move: 0,
    };
    let mut state = SEED;
    (state, keys.white_to_move) = splitmix::next(state);
    let mut code = 0;
    while code < Piece::CODES {
        let mut square = 0;
        while square < Square::COUNT {
            (state, keys.pieces[code][square]) = splitmix::next(state);
            square += 1;
        }
        code += 1;
    }
    let mut i = 0;
    while i < 2 * 7 {
        // The key of no piece stays 0.
        let mut count = 1;
        while count < COUNTS {
            (state, keys.hands[i / 7][i % 7][count]) = splitmix::next(state);
            count += 1;
        }
        i += 1;
    }
    keys
};

/// Toggled when it is White's turn.
#[inline]
pub(crate) fn white_to_move() -> u64 {
    KEYS.white_to_move
}

/// The number of a piece on a square.
#[inline]
pub(crate) fn piece_key(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.code()][square.index()]
}

/// The number of so many pieces of a kind in a side's hand; 0 for none.
#[inline]
pub(crate) fn hand_key(side: Side, kind: PieceKind, count: u32) -> u64 {
    KEYS.hands[side.index()][kind.index()][count as usize]
}
