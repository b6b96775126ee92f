//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; pins and promotions
//! on the way are not looked at.

use super::weights::ShogiTables;
use crate::exchange::exchange_wins;
use games::shogi::{Move, PieceKind, Shogi, SquareSet};

/// Whether the exchange that a move begins wins at least so many hundredths of a pawn.
#[inline]
pub(super) fn wins(position: &Shogi, tables: &ShogiTables, mv: Move, threshold: i32) -> bool {
    let Some(attacker) = position.moved(mv) else { return threshold <= 0 };
    let victim = position.captured(mv);
    let worth = |kind: PieceKind| tables.worth(kind);
    // What is lost with a piece that is taken; a king is the whole game.
    let stake = |kind: PieceKind| {
        if kind == PieceKind::King { 20_000 } else { tables.capture_gain(kind) }
    };
    let first = victim.map_or(0, |victim| tables.capture_gain(victim.kind()));
    let from = mv.from().map_or(SquareSet::EMPTY, SquareSet::of);
    let mut occupied = position.occupied().without(from);
    let mut side = position.side_to_move().other();
    let first = first + tables.promotion_gain(position, mv);
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

#[cfg(test)]
mod tests {
    use super::super::weights::ShogiWeights;
    use super::*;
    use games::Game;

    #[test]
    fn everybody_takes_back_while_it_pays() {
        let tables = ShogiTables::of(&ShogiWeights::default());
        let pawn = tables.capture_gain(PieceKind::Pawn);
        let rook = tables.capture_gain(PieceKind::Rook);
        for (sfen, mv, won) in [
            // A pawn that nobody protects, one protected by a gold, and that pawn with support of one's own: the gold stays.
            ("4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5e", pawn),
            ("4k4/9/9/4g4/4p4/9/9/4R4/4K4 b - 1", "5h5e", pawn - rook),
            ("4k4/9/9/4g4/4p4/9/4L4/4R4/4K4 b - 1", "5g5e", pawn),
        ] {
            let position = Shogi::from_fen(sfen).unwrap_or_else(|e| panic!("{sfen}: {e}"));
            let mv = position.move_from_text(mv).unwrap_or_else(|e| panic!("{sfen}: {e}"));
            assert!(wins(&position, &tables, mv, won), "{sfen}");
            assert!(!wins(&position, &tables, mv, won + 1), "{sfen}");
        }
    }
}
