//! What has been found out about boards: bounds and a good move.

use super::INFINITE;
use games::othello::{Board, Square};

#[derive(Clone, Copy)]
struct Slot {
    board: Board,
    lower: i8,
    upper: i8,
    /// 64: none.
    best: u8,
    empties: u8,
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

/// Buckets of two slots: one for what was dear, one for what came last.
pub(super) struct Table {
    slots: Vec<[Slot; 2]>,
    mask: u64,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Self {
        let fitting = (megabytes << 20) / size_of::<[Slot; 2]>();
        let buckets = 1usize << fitting.max(1).ilog2();
        let empty = Slot { board: Board::default(), lower: 0, upper: 0, best: 64, empties: 0 };
        Self { slots: vec![[empty; 2]; buckets], mask: buckets as u64 - 1 }
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
        match bucket.iter().find(|slot| slot.board == board) {
            Some(slot) => Known {
                lower: slot.lower.into(),
                upper: slot.upper.into(),
                best: Square::new(slot.best),
            },
            None => NOTHING,
        }
    }

    /// Keeps what a search of a board within a window has found.
    pub(super) fn store(
        &mut self,
        board: Board,
        empties: u32,
        alpha: i32,
        beta: i32,
        score: i32,
        best: u8,
    ) {
        debug_assert!(score.abs() < INFINITE);
        let known = self.probe(board);
        let lower = if score > alpha { score.max(known.lower) } else { known.lower };
        let upper = if score < beta { score.min(known.upper) } else { known.upper };
        // A search that failed low has no best move to tell.
        let best = match known.best {
            Some(kept) if score <= alpha => kept.index() as u8,
            _ => best,
        };
        let slot =
            Slot { board, lower: lower as i8, upper: upper as i8, best, empties: empties as u8 };
        let index = self.index(board);
        let bucket = &mut self.slots[index];
        let place = if bucket[0].board == board || slot.empties >= bucket[0].empties {
            // What was there goes to the other place.
            if bucket[0].board != board {
                bucket[1] = bucket[0];
            }
            0
        } else {
            1
        };
        bucket[place] = slot;
    }
}
