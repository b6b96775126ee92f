//! The numbers of the chess evaluation: pairs of centipawns, for the middle game and for the end.

use crate::taper::Pair;
use games::chess::{Color, Move, Piece};

/// What a piece counts in an exchange; kinds in the order pawn, knight, bishop, rook, queen, king.
pub(super) const EXCHANGE: [i32; 6] = [100, 320, 330, 500, 950, 10_000];

const MATERIAL: [Pair; 6] = [
    Pair::new(85, 105),
    Pair::new(330, 300),
    Pair::new(340, 315),
    Pair::new(480, 540),
    Pair::new(960, 990),
    Pair::new(0, 0),
];

/// Share of each piece in the phase, and that of all pieces together.
pub(super) const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
pub(super) const FULL_PHASE: i32 = 24;

pub(super) const TEMPO: i32 = 12;
pub(super) const BISHOP_PAIR: Pair = Pair::new(28, 48);

/// Per square that a knight, bishop, rook or queen reaches beyond the usual number.
pub(super) const MOBILITY: [Pair; 4] =
    [Pair::new(4, 4), Pair::new(4, 4), Pair::new(2, 5), Pair::new(1, 4)];
pub(super) const USUAL: [i32; 4] = [4, 6, 7, 13];

/// A pawn that no enemy pawn can stop or take, by its rank seen from its own side.
pub(super) const PASSED: [Pair; 8] = [
    Pair::new(0, 0),
    Pair::new(2, 8),
    Pair::new(2, 14),
    Pair::new(8, 30),
    Pair::new(25, 55),
    Pair::new(55, 100),
    Pair::new(95, 165),
    Pair::new(0, 0),
];
/// Per step that the enemy's king is farther than the own from the square before a passed pawn.
pub(super) const PASSED_KINGS: Pair = Pair::new(0, 7);
pub(super) const DOUBLED: Pair = Pair::new(-8, -18);
pub(super) const ISOLATED: Pair = Pair::new(-12, -14);
/// A pawn beside or behind which stands another of its side.
pub(super) const SUPPORTED: Pair = Pair::new(8, 6);

pub(super) const ROOK_OPEN: Pair = Pair::new(28, 12);
pub(super) const ROOK_HALF_OPEN: Pair = Pair::new(12, 8);

/// A pawn before the own king, one and two steps away.
pub(super) const SHELTER: [Pair; 2] = [Pair::new(14, 0), Pair::new(7, 0)];
/// Per attacked square beside the enemy's king, by the kind of attacker from knight to queen; then
/// what the sum is worth, once two pieces attack, in centipawns per squared unit and 64.
pub(super) const KING_UNITS: [i32; 4] = [3, 3, 4, 5];
pub(super) const KING_DANGER: i32 = 20;
pub(super) const KING_DANGER_MOST: i32 = 500;

/// Attacked by a pawn: a piece that will have to go.
pub(super) const PAWN_THREAT: Pair = Pair::new(40, 30);

/// Piece and square in one pair, White's view: by colour, kind, square.
pub(super) static SQUARES: [[[Pair; 64]; 6]; 2] = {
    let mut tables = [[[Pair::new(0, 0); 64]; 6]; 2];
    let mut index = 0;
    while index < 6 * 64 {
        let (kind, square) = (index / 64, index % 64);
        let (middle, end) = placed(kind, square % 8, square / 8);
        let pair = Pair::new(MATERIAL[kind].middle() + middle, MATERIAL[kind].end() + end);
        tables[0][kind][square] = pair;
        tables[1][kind][square ^ 56] = pair.negated();
        index += 1;
    }
    tables
};

/// Twice the distance from the middle of a line, 1 to 7.
const fn off(line: usize) -> i32 {
    let off = 2 * line as i32 - 7;
    if off < 0 { -off } else { off }
}

/// What a square is worth to a white piece, in the middle game and in the end.
const fn placed(kind: usize, file: usize, rank: usize) -> (i32, i32) {
    let (file_off, rank_off, forward) = (off(file), off(rank), rank as i32);
    let centre = 14 - file_off - rank_off;
    match kind {
        // Pawns take the middle and go on.
        0 => {
            let steps = forward - 1;
            let middle = if file_off <= 3 { 4 * steps + 6 - 2 * file_off } else { steps - 4 };
            let stay = if file_off <= 1 && forward == 1 { -14 } else { 0 };
            (middle + stay, 4 * steps)
        }
        1 => (5 * centre - 36 - if forward == 0 { 8 } else { 0 }, 4 * centre - 28),
        2 => (3 * centre - 18 - if forward == 0 { 8 } else { 0 }, 2 * centre - 12),
        3 => (
            if forward == 6 { 22 } else { 0 } + 6 - 2 * file_off,
            if forward >= 5 { 10 } else { 0 },
        ),
        4 => (centre - 6 - if forward > 4 { 4 } else { 0 }, 4 * centre - 24),
        // The king hides in a corner, and comes out in the end.
        _ => {
            let hidden = if forward == 0 { 4 * file_off - 8 } else { -14 * forward };
            (hidden, 6 * centre - 36)
        }
    }
}

/// What a quiet move's square is better by in the middle game.
#[inline]
pub(super) fn progress(side: Color, piece: Piece, mv: Move) -> i32 {
    // Castling ends on the own rook: the king goes towards the corner.
    let table = &SQUARES[side as usize][piece as usize];
    let gain = table[mv.to() as usize].middle() - table[mv.from() as usize].middle();
    if side == Color::White { gain } else { -gain }
}
