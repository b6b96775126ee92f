//! What the usual sum gets wrong when little is left: edges that do not win, and wins that need a plan.

use super::board::{
    BISHOP, BLACK, Board, DARK, FILE_A, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE, count, distance,
    file,
};
use super::weights::ChessWeights;
use games::chess::Square;

/// The whole of a value, in parts of the scale.
pub(super) const WHOLE: i32 = 64;

/// Pawns and minor pieces of a side in pieces' worth: a minor counts 3, a rook 5, a queen 9.
fn force(pieces: &[u64; 6]) -> i32 {
    3 * count(pieces[KNIGHT] | pieces[BISHOP]) + 5 * count(pieces[ROOK]) + 9 * count(pieces[QUEEN])
}

/// What of the value of a position holds, in 64ths, if `strong` is the side that it favours.
#[inline]
pub(super) fn scale(weights: &ChessWeights, board: &Board, strong: usize) -> i32 {
    let (ours, theirs) = (&board.pieces[strong], &board.pieces[1 - strong]);
    let pawns = count(ours[PAWN]);
    if pawns == 0 {
        return without_pawns(weights, ours, theirs);
    }
    let bishops = [ours[BISHOP], theirs[BISHOP]];
    let opposite =
        bishops.map(count) == [1, 1] && (bishops[0] & DARK == 0) != (bishops[1] & DARK == 0);
    if opposite {
        let alone = force(ours) == 3 && force(theirs) == 3;
        let (base, each) = if alone {
            (weights.scale_bishops, 2 * weights.scale_bishops_pawn)
        } else {
            (weights.scale_bishops_more, weights.scale_bishops_pawn)
        };
        return (base + each * pawns).clamp(0, WHOLE);
    }
    if force(ours) == 3 * count(ours[BISHOP]) && wrong_corner(board, strong) {
        return 0;
    }
    (weights.scale_base + weights.scale_pawn * pawns).clamp(0, WHOLE)
}

/// A side without pawns that is no more than a minor piece ahead seldom wins.
fn without_pawns(weights: &ChessWeights, ours: &[u64; 6], theirs: &[u64; 6]) -> i32 {
    let (own, other) = (force(ours), force(theirs));
    let knights_alone = own == 6 && count(ours[KNIGHT]) == 2;
    if own <= 3 || knights_alone && other == 0 && theirs[PAWN] == 0 {
        return 0;
    }
    if own - other > 3 {
        return WHOLE;
    }
    weights.scale_bare
}

/// Whether only pawns on one edge are left, their corner has the colour that the bishops do not see
/// (or there are none), and the other king is there first.
fn wrong_corner(board: &Board, strong: usize) -> bool {
    let (pawns, bishops) = (board.pieces[strong][PAWN], board.pieces[strong][BISHOP]);
    let edge = [FILE_A, FILE_A << 7].into_iter().find(|edge| pawns & !edge == 0);
    let (Some(edge), true) = (edge, bishops != 0) else { return false };
    let corner = Square::ALL[if strong == WHITE { 56 } else { 0 } + edge.trailing_zeros() as usize];
    let dark = corner.bitboard().0 & DARK != 0;
    let seen = if dark { bishops & DARK } else { bishops & !DARK };
    seen == 0 && distance(board.kings[1 - strong], corner) <= 1
}

/// The plan against a lone king: to an edge, with a bishop and a knight to a corner of the bishop's
/// colour, the own king near. Centipawns for White; 0 when there is no lone king or nothing to mate
/// with.
#[inline]
pub(super) fn mop_up(weights: &ChessWeights, board: &Board) -> i32 {
    let lone = |side: usize| board.sides[side] == board.pieces[side][KING];
    if lone(BLACK) {
        plan(weights, board, WHITE)
    } else if lone(WHITE) {
        -plan(weights, board, BLACK)
    } else {
        0
    }
}

fn plan(weights: &ChessWeights, board: &Board, strong: usize) -> i32 {
    let pieces = &board.pieces[strong];
    let mates = pieces[ROOK] | pieces[QUEEN] != 0
        || count(pieces[BISHOP]) >= 2
        || pieces[BISHOP] != 0 && pieces[KNIGHT] != 0;
    if !mates {
        return 0;
    }
    let king = board.kings[1 - strong];
    let near = 7 - distance(board.kings[strong], king);
    let bishop_and_knight = force(pieces) == 6 && pieces[KNIGHT] != 0 && pieces[PAWN] == 0;
    let driven = if bishop_and_knight {
        let corners = if pieces[BISHOP] & DARK != 0 {
            [Square::A1, Square::H8]
        } else {
            [Square::A8, Square::H1]
        };
        2 * (7 - corners.into_iter().map(|corner| steps(king, corner)).min().unwrap_or(7))
    } else {
        let off = |line: usize| (2 * line as i32 - 7).abs();
        off(file(king)) + off(king as usize / 8)
    };
    weights.mop_up_edge * driven + weights.mop_up_near * near
}

/// Files and ranks between two squares, 7 at most.
fn steps(a: Square, b: Square) -> i32 {
    let (a, b) = (a as i32, b as i32);
    ((a % 8 - b % 8).abs() + (a / 8 - b / 8).abs()).min(7)
}
