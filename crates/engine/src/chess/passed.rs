//! Passed pawns among the pieces: who stands in the way, who helps, who is too late.

use super::board::{
    Attacks, Board, KING, PAWN, QUEEN, ROOK, distance, down, fill_down, fill_up, pawn_attacks,
    rank, squares, up,
};
use super::weights::ChessWeights;
use crate::taper::Pair;
use games::chess::{BitBoard, Square, get_rook_moves};

/// What the passed pawns of a side are worth beyond their ranks.
#[inline]
pub(super) fn side<const US: usize>(
    weights: &ChessWeights,
    board: &Board,
    attacks: &Attacks,
    passed: u64,
    their_turn: bool,
) -> Pair {
    let them = 1 - US;
    let mut sum = Pair::default();
    let guarded = pawn_attacks::<US>(board.pieces[US][PAWN]);
    for square in squares(passed) {
        let set = square.bitboard().0;
        if guarded & set != 0 {
            sum += weights.passed_guarded;
        }
        let Some(far) = rank::<US>(square).checked_sub(3) else { continue };
        let next = up::<US>(set);
        let Some(stop) = BitBoard(next).next_square() else { continue };
        sum += weights.passed_own_king[far].times(distance(board.kings[US], stop).min(6));
        sum += weights.passed_other_king[far].times(distance(board.kings[them], stop).min(6));
        let path = fill_up::<US>(next);
        if board.occupied & next == 0 {
            sum += weights.passed_free[far];
            if (attacks.all[them] | board.sides[them]) & path == 0 {
                sum += weights.passed_path[far];
            } else if attacks.all[them] & next == 0 {
                sum += weights.passed_step[far.min(2)];
            }
        } else if board.sides[them] & next != 0 {
            sum += weights.passed_blocked[far];
        }
        let behind =
            get_rook_moves(square, BitBoard(board.occupied)).0 & fill_down::<US>(down::<US>(set));
        let heavy = |side: usize| board.pieces[side][ROOK] | board.pieces[side][QUEEN];
        if behind & heavy(US) != 0 {
            sum += weights.passed_backed;
        }
        if behind & heavy(them) != 0 {
            sum += weights.passed_chased;
        }
        if board.officers(them) == board.pieces[them][KING] && board.occupied & path == 0 {
            // The rule of the square.
            let steps = 7 - rank::<US>(square) as i32;
            let last = Square::ALL[if US == 0 { 56 } else { 0 } + square as usize % 8];
            if distance(board.kings[them], last) - i32::from(their_turn) > steps {
                sum += weights.unstoppable;
            }
        }
    }
    sum
}
