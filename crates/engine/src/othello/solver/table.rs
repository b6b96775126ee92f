//! What has been found out about boards: bounds and a good move.

use super::INFINITE;
use games::othello::{Board, Square};

/// How far a bound may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// A rehearsal has found it, which believes forecasts.
    Selective,
    /// It is proven.
    Exact,
}

/// What a search of a board has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) empties: u32,
    pub(super) certainty: Certainty,
    pub(super) score: i32,
    pub(super) best: Square,
}

/// What the table knows of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) lower: i32,
    pub(super) upper: i32,
    pub(super) best: Option<Square>,
}

/// What is known of a board that was never seen.
pub(super) const NOTHING: Known = Known { lower: -64, upper: 64, best: None };

/// Own discs, other discs, and the rest packed: all zero is a free slot, so that a new table is memory
/// which nobody has touched.
type Slot = [u64; 3];

/// Buckets of two slots: one for what was dear, one for what came last.
pub(super) struct Table {
    slots: Vec<[Slot; 2]>,
    mask: u64,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Self {
        let fitting = (megabytes << 20) / size_of::<[Slot; 2]>();
        let buckets = 1usize << fitting.max(1).ilog2();
        Self { slots: vec![[[0; 3]; 2]; buckets], mask: buckets as u64 - 1 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill([[0; 3]; 2]);
    }

    #[inline]
    fn index(&self, board: Board) -> usize {
        let mixed = board.own().wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ board.other().wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
        ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 20 & self.mask) as usize
    }

    /// What is known of a board: bounds if they are certain enough, a good move in any case.
    #[inline]
    pub(super) fn probe(&self, board: Board, wanted: Certainty) -> Known {
        let bucket = &self.slots[self.index(board)];
        // A board without discs marks a free slot, and is never asked for.
        bucket
            .iter()
            .find(|slot| is_of(slot, board))
            .map_or(NOTHING, |slot| unpack(slot[2], wanted))
    }

    /// Keeps what a search of a board within a window has found, unless something surer is there.
    pub(super) fn store(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        Found { empties, certainty, score, best }: Found,
    ) {
        debug_assert!(score.abs() < INFINITE);
        let index = self.index(board);
        let bucket = &mut self.slots[index];
        let known = bucket.iter().find(|slot| is_of(slot, board));
        if known.is_some_and(|slot| certainty < certainty_of(slot[2])) {
            return;
        }
        let known = known.map_or(NOTHING, |slot| unpack(slot[2], certainty));
        let lower = if score > alpha { score.max(known.lower) } else { known.lower };
        let upper = if score < beta { score.min(known.upper) } else { known.upper };
        // A search that failed low has no best move to tell.
        let best = known.best.filter(|_| score <= alpha).unwrap_or(best);
        let packed = pack(lower, upper, best, empties, certainty);
        let slot = [board.own(), board.other(), packed];
        let place = if is_of(&bucket[0], board) {
            0
        } else if empties >= empties_of(&bucket[0]) {
            // What was there goes to the other place.
            bucket[1] = bucket[0];
            0
        } else {
            1
        };
        bucket[place] = slot;
    }
}

#[inline]
fn is_of(slot: &Slot, board: Board) -> bool {
    slot[0] == board.own() && slot[1] == board.other()
}

#[inline]
fn empties_of(slot: &Slot) -> u32 {
    (slot[2] >> 24 & 0xff) as u32
}

#[inline]
fn certainty_of(packed: u64) -> Certainty {
    if packed >> 32 & 1 == 1 { Certainty::Exact } else { Certainty::Selective }
}

/// Bounds from 0 to 128, the square, the number of empty squares, the certainty: a byte each.
#[inline]
fn pack(lower: i32, upper: i32, best: Square, empties: u32, certainty: Certainty) -> u64 {
    (lower + 64) as u64
        | ((upper + 64) as u64) << 8
        | (best.index() as u64) << 16
        | u64::from(empties) << 24
        | u64::from(certainty == Certainty::Exact) << 32
}

#[inline]
fn unpack(packed: u64, wanted: Certainty) -> Known {
    let byte = |place: u32| (packed >> (8 * place) & 0xff) as u8;
    let best = Square::new(byte(2));
    if certainty_of(packed) < wanted {
        return Known { best, ..NOTHING };
    }
    Known { lower: i32::from(byte(0)) - 64, upper: i32::from(byte(1)) - 64, best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_leaves_moves_and_no_bounds() {
        let mut table = Table::new(0);
        let board = Board::new(1, 2).expect("no square twice");
        let best = Square::new(9).expect("a square");
        let found = |certainty, score| Found { empties: 12, certainty, score, best };
        table.store(board, -1, 1, found(Certainty::Selective, 6));
        let known = table.probe(board, Certainty::Exact);
        assert_eq!((known.lower, known.upper, known.best), (-64, 64, Some(best)));
        assert_eq!(table.probe(board, Certainty::Selective).lower, 6);
        table.store(board, -1, 1, found(Certainty::Exact, 2));
        table.store(board, 3, 5, found(Certainty::Selective, 0));
        for wanted in [Certainty::Selective, Certainty::Exact] {
            let known = table.probe(board, wanted);
            assert_eq!((known.lower, known.upper), (2, 64));
        }
    }
}
