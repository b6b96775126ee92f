//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay. Pins are not looked
//! at.

use super::weights::ChessTables;
use crate::exchange::exchange_wins;
use games::chess::{
    BitBoard, Chess, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// Whether the exchange that a move begins wins at least so many centipawns. Castling begins none.
#[inline]
pub(super) fn wins(position: &Chess, tables: &ChessTables, mv: Move, threshold: i32) -> bool {
    let moved = position.moved(mv).filter(|_| !position.is_castling(mv));
    let Some(moved) = moved else { return threshold <= 0 };
    let value = |piece: Piece| tables.worth(piece);
    let victim = position.captured(mv).map_or(0, value);
    let promoted = mv.promotion();
    let attacker = value(promoted.unwrap_or(moved));
    let gained = promoted.map_or(0, |piece| value(piece) - value(Piece::Pawn));
    let mut occupied = position.occupied() & !mv.from().bitboard();
    if position.is_en_passant(mv) {
        occupied &= !Square::new(mv.to().file(), mv.from().rank()).bitboard();
    }
    let mut side = !position.side_to_move();
    exchange_wins(victim + gained, attacker, threshold, || {
        let (piece, from) = least_attacker(position, mv.to(), occupied, side)?;
        occupied &= !from.bitboard();
        side = !side;
        Some(value(piece))
    })
}

/// The least valuable piece of a side that attacks a square, if exactly these squares are occupied.
fn least_attacker(
    position: &Chess,
    target: Square,
    occupied: BitBoard,
    side: Color,
) -> Option<(Piece, Square)> {
    Piece::ALL.into_iter().find_map(|piece| {
        let candidates = position.pieces(side, piece) & occupied;
        if candidates.is_empty() {
            return None;
        }
        let seen = match piece {
            Piece::Pawn => get_pawn_attacks(target, !side),
            Piece::Knight => get_knight_moves(target),
            Piece::Bishop => get_bishop_moves(target, occupied),
            Piece::Rook => get_rook_moves(target, occupied),
            Piece::Queen => get_bishop_moves(target, occupied) | get_rook_moves(target, occupied),
            Piece::King => get_king_moves(target),
        };
        (seen & candidates).into_iter().next().map(|from| (piece, from))
    })
}

#[cfg(test)]
mod tests {
    use super::super::weights::ChessWeights;
    use super::*;
    use games::Game;

    #[test]
    fn everybody_takes_back_while_it_pays() {
        let tables = ChessTables::of(&ChessWeights::default());
        let [pawn, knight, _, rook, queen, _] = tables.exchange;
        for (fen, mv, won) in [
            ("4k3/8/2p5/3p4/8/4N3/8/4K3 w - - 0 1", "e3d5", pawn - knight),
            ("4k3/8/2p5/3p4/8/4N3/8/3RK3 w - - 0 1", "e3d5", 2 * pawn - knight),
            ("4k3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", pawn),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", pawn),
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", pawn - rook),
            // A king takes only what nobody takes back.
            ("8/8/2p1k3/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", pawn - rook),
            ("8/8/4k3/3p4/8/1B6/3R4/4K3 w - - 0 1", "d2d5", pawn),
            // A promotion wins a queen, and loses it again.
            ("8/4P3/8/8/8/8/k6K/8 w - - 0 1", "e7e8q", queen - pawn),
            ("r7/4P3/8/8/8/8/k6K/8 w - - 0 1", "e7e8q", -pawn),
        ] {
            let position = Chess::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let mv = position.move_from_text(mv).unwrap_or_else(|e| panic!("{fen}: {e}"));
            assert!(wins(&position, &tables, mv, won), "{fen}");
            assert!(!wins(&position, &tables, mv, won + 1), "{fen}");
        }
    }
}
