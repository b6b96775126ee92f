//! What knights, bishops, rooks and queens are worth by where they can go; on the way the map of all
//! attacks is filled.

use super::board::{
    Attacks, BISHOP, Board, DARK, FILE_A, KING, KNIGHT, PAWN, QUEEN, ROOK, count, distance, down,
    file, pawn_attacks, pawn_attacks_twice, rank, ranks, squares,
};
use super::pawns::Pawns;
use super::weights::ChessWeights;
use crate::taper::Pair;
use games::chess::{
    BitBoard, Square, get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves,
    get_knight_moves, get_line_rays, get_rook_moves, get_rook_rays,
};

const CENTRE_FILES: u64 = FILE_A << 2 | FILE_A << 3 | FILE_A << 4 | FILE_A << 5;

/// How a side bears down on the other king.
#[derive(Clone, Copy, Default)]
pub(super) struct Pressure {
    /// Pieces that attack a square of its zone, and the sum of their weights.
    pub(super) attackers: i32,
    pub(super) weight: i32,
    /// Attacks on the squares beside the king, each piece for itself.
    pub(super) beside: i32,
}

/// The squares around a king that count: three by three, off the edge of the board.
#[inline]
pub(super) fn zone(king: Square) -> u64 {
    let (file, rank) = ((king as usize % 8).clamp(1, 6), (king as usize / 8).clamp(1, 6));
    let middle = Square::ALL[8 * rank + file];
    get_king_moves(middle).0 | middle.bitboard().0
}

/// The pieces of both sides that alone stand between a side's king and a slider of the other side.
#[inline]
pub(super) fn shields(board: &Board, side: usize) -> u64 {
    let (king, pieces) = (board.kings[side], &board.pieces[1 - side]);
    let lines = get_rook_rays(king).0 & (pieces[ROOK] | pieces[QUEEN]);
    let diagonals = get_bishop_rays(king).0 & (pieces[BISHOP] | pieces[QUEEN]);
    let mut shields = 0;
    for sniper in squares(lines | diagonals) {
        let between = get_between_rays(king, sniper).0 & board.occupied;
        if between & between.wrapping_sub(1) == 0 {
            shields |= between;
        }
    }
    shields
}

/// What pawns and king of a side attack.
#[inline]
pub(super) fn begin<const US: usize>(board: &Board, attacks: &mut Attacks) {
    let pawns = board.pieces[US][PAWN];
    attacks.add(US, PAWN, pawn_attacks::<US>(pawns));
    attacks.twice[US] |= pawn_attacks_twice::<US>(pawns);
    attacks.add(US, KING, get_king_moves(board.kings[US]).0);
}

/// Mobility, and everything else that belongs to one piece, of a side's pieces.
pub(super) fn side<const US: usize>(
    weights: &ChessWeights,
    board: &Board,
    pawns: &Pawns,
    shields: [u64; 2],
    attacks: &mut Attacks,
) -> (Pair, Pair, Pressure) {
    let them = 1 - US;
    let own = &board.pieces[US];
    let other = &board.pieces[them];
    let (king, their_king) = (board.kings[US], board.kings[them]);
    let pinned = shields[US] & board.sides[US];
    let stuck = own[PAWN] & (down::<US>(board.occupied) | ranks::<US>(1, 2));
    let area = !(stuck | own[KING] | attacks.by[them][PAWN]);
    let zone = zone(their_king) & !pawn_attacks_twice_of(board, them);
    let beside = get_king_moves(their_king).0;
    let outposts = ranks::<US>(3, 5) & attacks.by[US][PAWN] & !pawns.reach[them];

    let mut mobility = Pair::default();
    let mut placed = Pair::default();
    let mut pressure = Pressure::default();
    let mut press = |kind: usize, reach: u64| {
        if reach & zone != 0 {
            pressure.attackers += 1;
            pressure.weight += weights.king_attacker[kind - 1];
            pressure.beside += count(reach & beside);
        }
    };
    let free = |square: Square, reach: u64| {
        if pinned & square.bitboard().0 == 0 {
            reach
        } else {
            reach & get_line_rays(king, square).0
        }
    };

    for square in squares(own[KNIGHT]) {
        let reach = free(square, get_knight_moves(square).0);
        attacks.add(US, KNIGHT, reach);
        press(KNIGHT, reach);
        mobility += weights.knight_mobility[(reach & area).count_ones() as usize];
        if outposts & square.bitboard().0 != 0 {
            placed += weights.knight_outpost;
        } else if outposts & reach & !board.sides[US] != 0 {
            placed += weights.knight_to_outpost;
        }
        placed += weights.knight_from_king.times(distance(square, king));
    }
    let through = BitBoard(board.occupied & !(own[QUEEN] | other[QUEEN]));
    for square in squares(own[BISHOP]) {
        let reach = free(square, get_bishop_moves(square, through).0);
        attacks.add(US, BISHOP, reach);
        press(BISHOP, reach);
        mobility += weights.bishop_mobility[(reach & area).count_ones() as usize];
        if outposts & square.bitboard().0 != 0 {
            placed += weights.bishop_outpost;
        }
        let colour = if DARK & square.bitboard().0 != 0 { DARK } else { !DARK };
        let blocked = own[PAWN] & down::<US>(board.occupied) & CENTRE_FILES;
        placed += weights.bishop_pawns.times(count(own[PAWN] & colour) * (1 + count(blocked)));
        placed += weights.bishop_ray.times(count(get_bishop_rays(square).0 & other[PAWN]));
        placed += weights.bishop_from_king.times(distance(square, king));
    }
    if own[BISHOP] & DARK != 0 && own[BISHOP] & !DARK != 0 {
        placed += weights.bishop_pair;
    }
    let pawn_roofs = down::<US>(own[PAWN] | other[PAWN]);
    placed += weights.minor_shielded.times(count(pawn_roofs & (own[KNIGHT] | own[BISHOP])));
    let through = BitBoard(through.0 & !own[ROOK]);
    for square in squares(own[ROOK]) {
        let reach = free(square, get_rook_moves(square, through).0);
        attacks.add(US, ROOK, reach);
        press(ROOK, reach);
        let steps = (reach & area).count_ones() as usize;
        mobility += weights.rook_mobility[steps];
        let on_file = FILE_A << file(square);
        if own[PAWN] & on_file == 0 {
            let open = other[PAWN] & on_file == 0;
            placed += if open { weights.rook_open } else { weights.rook_half_open };
        } else if steps <= 3 && (file(king) < 4) == (file(square) < file(king)) {
            placed += weights.rook_trapped;
        }
        if rank::<US>(square) == 6
            && (other[KING] & ranks::<US>(7, 7) | other[PAWN] & ranks::<US>(6, 6)) != 0
        {
            placed += weights.rook_seventh;
        }
    }
    for square in squares(own[QUEEN]) {
        let lines = get_rook_moves(square, BitBoard(board.occupied)).0;
        let reach = free(square, lines | get_bishop_moves(square, BitBoard(board.occupied)).0);
        attacks.add(US, QUEEN, reach);
        press(QUEEN, reach);
        mobility += weights.queen_mobility[(reach & area).count_ones() as usize];
    }
    (mobility, placed, pressure)
}

#[inline]
fn pawn_attacks_twice_of(board: &Board, side: usize) -> u64 {
    let pawns = board.pieces[side][PAWN];
    if side == 0 { pawn_attacks_twice::<0>(pawns) } else { pawn_attacks_twice::<1>(pawns) }
}
