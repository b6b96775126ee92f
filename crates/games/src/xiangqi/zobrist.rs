//! The random numbers of the incremental hash (Zobrist 1970).

use super::{Piece, Square};
use crate::splitmix;

/// Drawn once, from a constant seed; changing it changes every recorded node count.
const SEED: u64 = 0x0e10_3111_0000_0001;

const KEYS: ([[u64; Square::COUNT]; Piece::CODES], u64) = {
    let mut pieces = [[0; Square::COUNT]; Piece::CODES];
    let mut state = SEED;
    let mut code = 0;
    while code < Piece::CODES {
        let mut square = 0;
        while square < Square::COUNT {
            (state, pieces[code][square]) = splitmix::next(state);
            square += 1;
        }
        code += 1;
    }
    (pieces, splitmix::next(state).1)
};

static PIECES: [[u64; Square::COUNT]; Piece::CODES] = KEYS.0;

/// Toggled when it is Black's turn.
pub(crate) const BLACK_TO_MOVE: u64 = KEYS.1;

/// The number of a piece on a point.
#[inline]
pub(crate) fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.code()][square.index()]
}
