//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; pins and promotions
//! on the way are not looked at.

use super::weights::{EXCHANGE, capture_gain, promotion_gain};
use crate::exchange::swap_off;
use games::shogi::{Move, PieceKind, Shogi, SquareSet};

/// Hundredths of a pawn that a noisy move wins; 0 without looking when the victim is worth the attacker.
pub(super) fn exchange(position: &Shogi, mv: Move) -> i32 {
    let (Some(attacker), Some(from)) = (position.moved(mv), mv.from()) else { return 0 };
    let victim = position.captured(mv);
    let worth = |kind: PieceKind| EXCHANGE[kind.index()];
    if victim.is_some_and(|victim| worth(victim.kind()) >= worth(attacker.kind())) {
        return 0;
    }
    let first = victim.map_or(0, |victim| capture_gain(victim.kind()));
    let mut occupied = position.occupied().without(SquareSet::of(from));
    let mut side = position.side_to_move().other();
    swap_off(first + promotion_gain(position, mv), stake(attacker.kind()), || {
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
            assert_eq!(exchange(&position, mv), won, "{sfen}");
        }
    }
}
