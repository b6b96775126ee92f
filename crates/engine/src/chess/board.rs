//! Sets of squares as the evaluation needs them: the steps of pawns for either side, the files, and
//! what every kind of piece attacks.

use games::chess::{BitBoard, Chess, Color, Piece, Square};

pub(super) const WHITE: usize = 0;
pub(super) const BLACK: usize = 1;

pub(super) const PAWN: usize = 0;
pub(super) const KNIGHT: usize = 1;
pub(super) const BISHOP: usize = 2;
pub(super) const ROOK: usize = 3;
pub(super) const QUEEN: usize = 4;
pub(super) const KING: usize = 5;

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const RANK_1: u64 = 0xff;
const NOT_A: u64 = !FILE_A;
const NOT_H: u64 = !(FILE_A << 7);
/// The squares of the colour of a1.
pub(super) const DARK: u64 = 0xaa55_aa55_aa55_aa55;

/// One step forward for a side.
#[inline(always)]
pub(super) const fn up<const US: usize>(set: u64) -> u64 {
    if US == WHITE { set << 8 } else { set >> 8 }
}

/// One step back for a side.
#[inline(always)]
pub(super) const fn down<const US: usize>(set: u64) -> u64 {
    if US == WHITE { set >> 8 } else { set << 8 }
}

/// A set and all squares before it, seen from a side.
#[inline(always)]
pub(super) const fn fill_up<const US: usize>(mut set: u64) -> u64 {
    if US == WHITE {
        set |= set << 8;
        set |= set << 16;
        set | set << 32
    } else {
        set |= set >> 8;
        set |= set >> 16;
        set | set >> 32
    }
}

/// A set and all squares behind it, seen from a side.
#[inline(always)]
pub(super) const fn fill_down<const US: usize>(set: u64) -> u64 {
    if US == WHITE { fill_up::<BLACK>(set) } else { fill_up::<WHITE>(set) }
}

/// The squares beside a set.
#[inline(always)]
pub(super) const fn wings(set: u64) -> u64 {
    (set & NOT_H) << 1 | (set & NOT_A) >> 1
}

/// What the pawns of a side attack.
#[inline(always)]
pub(super) const fn pawn_attacks<const US: usize>(pawns: u64) -> u64 {
    wings(up::<US>(pawns))
}

/// What two pawns of a side attack at once.
#[inline(always)]
pub(super) const fn pawn_attacks_twice<const US: usize>(pawns: u64) -> u64 {
    let ahead = up::<US>(pawns);
    (ahead & NOT_H) << 1 & (ahead & NOT_A) >> 1
}

/// A rank counted from a side's own, 0 to 7.
#[inline(always)]
pub(super) const fn rank<const US: usize>(square: Square) -> usize {
    if US == WHITE { square as usize / 8 } else { 7 - square as usize / 8 }
}

#[inline(always)]
pub(super) const fn file(square: Square) -> usize {
    square as usize % 8
}

/// The ranks between two, both included, counted from a side's own.
pub(super) const fn ranks<const US: usize>(low: usize, high: usize) -> u64 {
    let (low, high) = if US == WHITE { (low, high) } else { (7 - high, 7 - low) };
    let mut set = 0;
    let mut rank = low;
    while rank <= high {
        set |= RANK_1 << (8 * rank);
        rank += 1;
    }
    set
}

/// Steps of a king.
#[inline(always)]
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let (a, b) = (a as i32, b as i32);
    (a % 8 - b % 8).abs().max((a / 8 - b / 8).abs())
}

#[inline(always)]
pub(super) fn count(set: u64) -> i32 {
    set.count_ones() as i32
}

/// The squares of a set.
#[inline(always)]
pub(super) fn squares(set: u64) -> impl Iterator<Item = Square> {
    BitBoard(set).into_iter()
}

/// The pieces by side and kind.
pub(super) struct Board {
    pub(super) pieces: [[u64; 6]; 2],
    pub(super) sides: [u64; 2],
    pub(super) occupied: u64,
    pub(super) kings: [Square; 2],
}

impl Board {
    #[inline]
    pub(super) fn of(position: &Chess) -> Self {
        let sides = [position.color(Color::White).0, position.color(Color::Black).0];
        let kinds = Piece::ALL.map(|piece| position.kind(piece).0);
        Self {
            pieces: sides.map(|side| kinds.map(|kind| kind & side)),
            occupied: sides[WHITE] | sides[BLACK],
            kings: [position.king(Color::White), position.king(Color::Black)],
            sides,
        }
    }

    /// Pieces of a side that are no pawns.
    #[inline]
    pub(super) fn officers(&self, side: usize) -> u64 {
        self.sides[side] & !self.pieces[side][PAWN]
    }
}

/// What the sides attack: by kind, with anything, with two pieces or more.
#[derive(Default)]
pub(super) struct Attacks {
    pub(super) by: [[u64; 6]; 2],
    pub(super) all: [u64; 2],
    pub(super) twice: [u64; 2],
}

impl Attacks {
    /// Adds what one piece attacks.
    #[inline(always)]
    pub(super) fn add(&mut self, side: usize, kind: usize, attacks: u64) {
        self.twice[side] |= self.all[side] & attacks;
        self.all[side] |= attacks;
        self.by[side][kind] |= attacks;
    }
}
