//! What pawns are worth among themselves, kept for the next position with the same pawns.

use super::board::{
    BLACK, FILE_A, WHITE, count, down, file, fill_down, fill_up, pawn_attacks, rank, squares, up,
    wings,
};
use super::weights::ChessWeights;
use crate::taper::Pair;
use std::cell::Cell;

/// The pawns of a position and what follows from them alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pawns {
    /// White's and Black's.
    pawns: [u64; 2],
    /// Before how many changes of the weights they were counted; 0 is never.
    age: u64,
    /// What they are worth, White's view.
    pub(super) sum: Pair,
    /// Those that no pawn can stop or take any more.
    pub(super) passed: [u64; 2],
    /// What they attack or may come to attack by stepping on.
    pub(super) reach: [u64; 2],
}

const SLOTS: usize = 1024;

/// Remembers pawns.
#[derive(Debug)]
pub(super) struct PawnMemory {
    slots: Box<[Cell<Pawns>]>,
    age: u64,
}

impl Default for PawnMemory {
    fn default() -> Self {
        Self { slots: vec![Cell::default(); SLOTS].into(), age: 1 }
    }
}

impl PawnMemory {
    /// Forgets everything: other weights may come.
    pub(super) fn clear(&mut self) {
        self.age += 1;
    }

    /// What these pawns are worth, counted or remembered.
    #[inline]
    pub(super) fn look(&self, weights: &ChessWeights, pawns: [u64; 2]) -> Pawns {
        let mixed = pawns[0].wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ pawns[1].rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let slot = &self.slots[(mixed >> 54) as usize % SLOTS];
        let known = slot.get();
        if known.age == self.age && known.pawns == pawns {
            return known;
        }
        let counted = Pawns { age: self.age, ..Pawns::count(weights, pawns) };
        slot.set(counted);
        counted
    }
}

impl Pawns {
    fn count(weights: &ChessWeights, pawns: [u64; 2]) -> Self {
        let (white, passed_white) = side::<WHITE>(weights, pawns[WHITE], pawns[BLACK]);
        let (black, passed_black) = side::<BLACK>(weights, pawns[BLACK], pawns[WHITE]);
        let mut sum = white;
        sum -= black;
        let reach = [
            fill_up::<WHITE>(pawn_attacks::<WHITE>(pawns[WHITE])),
            fill_up::<BLACK>(pawn_attacks::<BLACK>(pawns[BLACK])),
        ];
        Self { pawns, age: 0, sum, passed: [passed_white, passed_black], reach }
    }
}

/// The worth of one side's pawns beyond their squares, and which of them are passed.
fn side<const US: usize>(weights: &ChessWeights, own: u64, other: u64) -> (Pair, u64) {
    let their_attacks =
        if US == WHITE { pawn_attacks::<BLACK>(other) } else { pawn_attacks::<WHITE>(other) };
    let files = fill_up::<WHITE>(own) | fill_up::<BLACK>(own);
    let behind_own = fill_down::<US>(down::<US>(own));
    let behind_other = fill_down::<US>(down::<US>(other));
    let open = own & !behind_other & !behind_own;
    let isolated = own & !wings(files);
    // No neighbour beside or behind, and the step forward is guarded.
    let backward = own & !isolated & !fill_up::<US>(wings(own)) & down::<US>(their_attacks);
    let supported = own & pawn_attacks::<US>(own);
    let phalanx = own & wings(own);
    let passed = open & !wings(behind_other);

    let mut sum = weights.doubled.times(count(own & behind_own));
    sum += weights.isolated.times(count(isolated));
    sum += weights.isolated_open.times(count(isolated & open));
    sum += weights.backward.times(count(backward));
    sum += weights.backward_open.times(count(backward & open));
    for square in squares(supported) {
        sum += weights.supported[rank::<US>(square) - 2];
    }
    for square in squares(phalanx) {
        sum += weights.phalanx[rank::<US>(square) - 1];
    }
    for square in squares(passed) {
        sum += weights.passed[rank::<US>(square) - 1];
    }
    for square in squares(open & !passed) {
        let ahead = fill_up::<US>(up::<US>(square.bitboard().0));
        let beside = wings(FILE_A << file(square));
        let sentries = count(other & wings(ahead));
        let helpers = count(own & beside & !wings(ahead));
        if helpers >= sentries {
            sum += weights.candidate[rank::<US>(square) - 1];
        }
    }
    (sum, passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluate;
    use games::Game;
    use games::chess::{Chess, Color, Piece};

    #[test]
    fn what_is_remembered_is_what_is_counted() {
        let weights = <crate::ChessEval as Evaluate<Chess>>::Weights::default();
        let memory = PawnMemory::default();
        for _ in 0..2 {
            for line in include_str!("../../../../books/chess.epd").lines().skip(3).take(500) {
                let position = Chess::from_fen(line).unwrap_or_else(|e| panic!("{line}: {e}"));
                let pawns =
                    [Color::White, Color::Black].map(|color| position.pieces(color, Piece::Pawn).0);
                let (known, counted) =
                    (memory.look(&weights, pawns), Pawns::count(&weights, pawns));
                assert_eq!((known.sum, known.passed), (counted.sum, counted.passed), "{line}");
                assert_eq!((known.pawns, known.reach), (pawns, counted.reach), "{line}");
            }
        }
    }
}
