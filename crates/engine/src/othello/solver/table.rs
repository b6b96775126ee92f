//! What has been found out about boards: bounds and a good move.

use super::INFINITE;
use games::othello::{Board, Square};

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

    #[inline]
    pub(super) fn probe(&self, board: Board) -> Known {
        let bucket = &self.slots[self.index(board)];
        // A board without discs marks a free slot, and is never asked for.
        bucket.iter().find(|slot| is_of(slot, board)).map_or(NOTHING, |slot| unpack(slot[2]))
    }

    /// Keeps what a search of a board within a window has found.
    pub(super) fn store(
        &mut self,
        board: Board,
        empties: u32,
        alpha: i32,
        beta: i32,
        score: i32,
        best: Square,
    ) {
        debug_assert!(score.abs() < INFINITE);
        let index = self.index(board);
        let bucket = &mut self.slots[index];
        let known = bucket.iter().find(|slot| is_of(slot, board));
        let known = known.map_or(NOTHING, |slot| unpack(slot[2]));
        let lower = if score > alpha { score.max(known.lower) } else { known.lower };
        let upper = if score < beta { score.min(known.upper) } else { known.upper };
        // A search that failed low has no best move to tell.
        let best = known.best.filter(|_| score <= alpha).unwrap_or(best);
        let slot = [board.own(), board.other(), pack(lower, upper, best, empties)];
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

/// Bounds from 0 to 128, the square, the number of empty squares: a byte each.
#[inline]
fn pack(lower: i32, upper: i32, best: Square, empties: u32) -> u64 {
    (lower + 64) as u64
        | ((upper + 64) as u64) << 8
        | (best.index() as u64) << 16
        | u64::from(empties) << 24
}

#[inline]
fn unpack(packed: u64) -> Known {
    let byte = |place: u32| (packed >> (8 * place) & 0xff) as u8;
    Known {
        lower: i32::from(byte(0)) - 64,
        upper: i32::from(byte(1)) - 64,
        best: Square::new(byte(2)),
    }
}
