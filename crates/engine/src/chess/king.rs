//! The safety of a king: the pawns before it, the storm against it, and the attack of the pieces in
//! units whose square is what it costs.

use super::board::{
    Attacks, BISHOP, Board, FILE_A, KING, KNIGHT, PAWN, QUEEN, ROOK, count, file, fill_up, rank,
    ranks, squares, up,
};
use super::pieces::{Pressure, zone};
use super::weights::ChessWeights;
use crate::taper::Pair;
use games::chess::{BitBoard, get_bishop_moves, get_knight_moves, get_rook_moves};

/// Units beyond this count no more, and the square of a unit in centipawns.
const MOST_UNITS: i32 = 1000;
const SQUARED: i32 = 1024;

/// The worth of pawns before and against a side's king.
#[inline]
pub(super) fn shelter<const US: usize>(weights: &ChessWeights, board: &Board) -> Pair {
    let king = board.kings[US];
    let height = rank::<US>(king);
    // What is behind the king neither shields nor storms.
    let from_here = fill_up::<US>(0xff << (8 * (king as usize / 8)));
    let (own, other) = (board.pieces[US][PAWN] & from_here, board.pieces[1 - US][PAWN] & from_here);
    let middle = file(king).clamp(1, 6);
    let nearest = |set: u64| {
        let near = if US == 0 { squares(set).next() } else { squares(set).last() };
        near.map_or(0, |square| (rank::<US>(square) - height).clamp(1, 6))
    };
    let mut sum = Pair::default();
    for at in middle - 1..=middle + 1 {
        let on_file = FILE_A << at;
        let place = at.min(7 - at);
        sum += weights.shelter[place][nearest(own & on_file)];
        let stormer = other & on_file;
        let stopped = up::<US>(own) & stormer != 0;
        let near = nearest(stormer);
        sum += if stopped { weights.storm_blocked[near - 1] } else { weights.storm[place][near] };
    }
    sum
}

/// What the attack of the other side's pieces on a side's king costs it.
#[inline]
pub(super) fn danger<const US: usize>(
    weights: &ChessWeights,
    board: &Board,
    attacks: &Attacks,
    pressure: &Pressure,
    shields: u64,
    shelter: Pair,
) -> Pair {
    let them = 1 - US;
    let king = board.kings[US];
    let (ours, theirs) = (&attacks.by[US], &attacks.by[them]);
    let by_queen_or_king = !attacks.all[US] | ours[KING] | ours[QUEEN];
    let weak = attacks.all[them] & !attacks.twice[US] & by_queen_or_king;
    let safe = !board.sides[them] & (!attacks.all[US] | weak & attacks.twice[them]);

    let through = BitBoard(board.occupied & !board.pieces[US][QUEEN]);
    let lines = get_rook_moves(king, through).0;
    let diagonals = get_bishop_moves(king, through).0;
    let mut units = weights.king_base;
    let mut unsafe_checks = 0;
    let checks = [
        get_knight_moves(king).0 & theirs[KNIGHT],
        diagonals & theirs[BISHOP],
        lines & theirs[ROOK],
        (lines | diagonals) & theirs[QUEEN] & !ours[QUEEN],
    ];
    for (checks, weight) in checks.into_iter().zip(weights.king_check) {
        if checks & safe != 0 {
            units += weight;
        } else {
            unsafe_checks |= checks;
        }
    }
    let flank = FLANKS[file(king)] & ranks::<US>(0, 4);
    let flank_attacks = count(flank & attacks.all[them]) + count(flank & attacks.twice[them]);
    units += pressure.attackers * pressure.weight;
    units += weights.king_beside * pressure.beside;
    units += weights.king_weak * count(zone(king) & weak);
    units += weights.king_unsafe_check * count(unsafe_checks & !board.sides[them]);
    units += weights.king_shield * count(shields);
    units += weights.king_flank * flank_attacks;
    units += weights.king_flank_defence * count(flank & attacks.all[US]);
    units += weights.king_shelter * shelter.middle() / 16;
    if board.pieces[them][QUEEN] == 0 {
        units += weights.king_queenless;
    }
    if ours[KNIGHT] & zone(king) != 0 {
        units += weights.king_knight;
    }
    let units = units.clamp(0, MOST_UNITS);
    Pair::new(-units * units / SQUARED, -units / 16)
}

/// The files that matter to a king on each file.
const FLANKS: [u64; 8] = {
    let mut flanks = [0; 8];
    let mut at = 0;
    while at < 8 {
        let low = if at < 3 {
            0
        } else if at < 5 {
            2
        } else {
            4
        };
        let high = if at < 3 {
            3
        } else if at < 5 {
            5
        } else {
            7
        };
        let mut file = low;
        while file <= high {
            flanks[at] |= FILE_A << file;
            file += 1;
        }
        at += 1;
    }
    flanks
};
