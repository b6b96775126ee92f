//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; pins and promotions
//! on the way are not looked at.

use super::weights::{EXCHANGE, capture_gain, promotion_gain};
use crate::exchange::exchange_wins;
use games::shogi::{Move, PieceKind, Shogi, SquareSet};

/// Whether the exchange that a move begins wins at least so many hundredths of a pawn.
#[inline]
pub(super) fn wins(position: &Shogi, mv: Move, threshold: i32) -> bool {
    let Some(attacker) = position.moved(mv) else { return threshold <= 0 };
    let victim = position.captured(mv);
    let worth = |kind: PieceKind| EXCHANGE[kind.index()];
    let first = victim.map_or(0, |victim| capture_gain(victim.kind()));
    let from = mv.from().map_or(SquareSet::EMPTY, SquareSet::of);
    let mut occupied = position.occupied().without(from);
    let mut side = position.side_to_move().other();
    let first = first + promotion_gain(position, mv);
    exchange_wins(first, stake(attacker.kind()), threshold, || {
        let attackers = position.attackers_to(mv.to(), occupied) & position.side(side);
        let pieces = attackers.into_iter().filter_map(|square| {
            position.piece_on(square).map(|piece| (worth(piece.kind()), square, piece.kind()))
        });
        let (_, square, kind) = pieces.min_by_key(|(worth, square, _)| (*worth, *square))?;
        occupied = occupied.without(SquareSet::of(square));
        side = side.other();
        Some(stake(kind))
    })
}

/// What is lost with a piece that is taken; a king is the whole game.
fn stake(kind: PieceKind) -> i32 {
    if kind == PieceKind::King { 20_000 } else { capture_gain(kind) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Game;

    #[test]
    fn everybody_takes_back_while_it_pays() {
        let pawn = capture_gain(PieceKind::Pawn);
        let rook = capture_gain(PieceKind::Rook);
        for (sfen, mv, won) in [
            // A pawn that nobody protects, one protected by a gold, and that pawn with support of one's own: the gold stays.
            ("4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5e", pawn),
            ("4k4/9/9/4g4/4p4/9/9/4R4/4K4 b - 1", "5h5e", pawn - rook),
            ("4k4/9/9/4g4/4p4/9/4L4/4R4/4K4 b - 1", "5g5e", pawn),
        ] {
            let position = Shogi::from_fen(sfen).unwrap_or_else(|e| panic!("{sfen}: {e}"));
            let mv = position.move_from_text(mv).unwrap_or_else(|e| panic!("{sfen}: {e}"));
            assert!(wins(&position, mv, won), "{sfen}");
            assert!(!wins(&position, mv, won + 1), "{sfen}");
        }
    }
}
