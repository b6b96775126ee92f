//! What is attacked and will have to go, and who has more room.

use super::board::{
    Attacks, BISHOP, Board, FILE_A, KING, KNIGHT, PAWN, QUEEN, ROOK, count, down, pawn_attacks,
    ranks, squares, up,
};
use super::weights::ChessWeights;
use crate::taper::Pair;
use games::chess::{BitBoard, get_bishop_moves, get_knight_moves, get_rook_moves};

/// A side's attacks on the pieces of the other.
#[inline]
pub(super) fn side<const US: usize>(
    weights: &ChessWeights,
    board: &Board,
    attacks: &Attacks,
) -> Pair {
    let them = 1 - US;
    let (own, other) = (&board.pieces[US], &board.pieces[them]);
    let (ours, theirs) = (&attacks.by[US], &attacks.by[them]);
    let officers = board.officers(them);
    // Guarded by a pawn, or oftener than attacked.
    let firm = theirs[PAWN] | attacks.twice[them] & !attacks.twice[US];
    let weak = board.sides[them] & !firm & attacks.all[US];
    let firm_officers = officers & firm;

    let mut sum = Pair::default();
    let by_minor = (weak | firm_officers) & (ours[KNIGHT] | ours[BISHOP]);
    let by_rook = weak & ours[ROOK];
    let scales = weights.threat_minor.into_iter().zip(weights.threat_rook);
    for (victims, (minor, rook)) in other.iter().zip(scales) {
        sum += minor.times(count(by_minor & victims));
        sum += rook.times(count(by_rook & victims));
    }
    sum += weights.threat_king.times(count(weak & ours[KING]));
    let hanging = weak & (!attacks.all[them] | officers & attacks.twice[US]);
    sum += weights.hanging.times(count(hanging));
    sum += weights.restricted.times(count(attacks.all[them] & !firm & attacks.all[US]));

    let safe = !attacks.all[them] | attacks.all[US];
    let struck = pawn_attacks::<US>(own[PAWN] & safe) & officers;
    sum += weights.threat_pawn.times(count(struck));
    let steps = up::<US>(own[PAWN]) & !board.occupied;
    let steps = steps | up::<US>(steps & ranks::<US>(2, 2)) & !board.occupied;
    let struck = pawn_attacks::<US>(steps & !theirs[PAWN] & safe) & officers;
    sum += weights.threat_step.times(count(struck));

    for queen in squares(other[QUEEN]) {
        let occupied = BitBoard(board.occupied);
        let reachable = !board.sides[US] & !firm;
        let knights = ours[KNIGHT] & get_knight_moves(queen).0;
        sum += weights.queen_knight.times(count(knights & reachable));
        let sliders = ours[BISHOP] & get_bishop_moves(queen, occupied).0
            | ours[ROOK] & get_rook_moves(queen, occupied).0;
        sum += weights.queen_slider.times(count(sliders & reachable & attacks.twice[US]));
    }
    sum
}

/// The room behind a side's pawns that the other's pawns do not attack; worth more with more pieces to
/// use it.
#[inline]
pub(super) fn space<const US: usize>(
    weights: &ChessWeights,
    board: &Board,
    attacks: &Attacks,
) -> Pair {
    const CENTRE: u64 = FILE_A << 2 | FILE_A << 3 | FILE_A << 4 | FILE_A << 5;
    let pawns = board.pieces[US][PAWN];
    let room = CENTRE & ranks::<US>(1, 3) & !pawns & !attacks.by[1 - US][PAWN];
    let mut behind = pawns | down::<US>(pawns);
    behind |= down::<US>(down::<US>(behind));
    let squares = count(room) + count(room & behind & !attacks.all[1 - US]);
    let pieces = count(board.sides[US]);
    weights.space.times(squares * (pieces - 4).max(0) / 8)
}
