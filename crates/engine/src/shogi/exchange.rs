//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; pins and promotions
//! on the way are not looked at.

use super::weights::{EXCHANGE, capture_gain, promotion_gain};
use games::shogi::{Move, PieceKind, Shogi, Square, SquareSet};

/// More captures on one square than any position has.
const LONGEST: usize = 40;

/// Hundredths of a pawn that a noisy move wins; 0 without looking when the victim is worth the attacker.
pub(super) fn exchange(position: &Shogi, mv: Move) -> i32 {
    let (Some(attacker), Some(from)) = (position.moved(mv), mv.from()) else { return 0 };
    let victim = position.captured(mv);
    let worth = |kind: PieceKind| EXCHANGE[kind.index()];
    if victim.is_some_and(|victim| worth(victim.kind()) >= worth(attacker.kind())) {
        return 0;
    }
    let first = victim.map_or(0, |victim| capture_gain(victim.kind()));
    swap_off(position, mv.to(), from, first + promotion_gain(position, mv), attacker.kind())
}

fn swap_off(
    position: &Shogi,
    target: Square,
    from: Square,
    first: i32,
    attacker: PieceKind,
) -> i32 {
    let mut occupied = position.occupied().without(SquareSet::of(from));
    let mut side = position.side_to_move().other();
    // gains[n]: what the side of the nth capture has won if the exchange ends with it.
    let mut gains = [0; LONGEST];
    gains[0] = first;
    let mut at_stake = attacker;
    let mut last = 0;
    while last + 1 < LONGEST {
        let attackers = position.attackers_to(target, occupied) & position.side(side);
        let pieces = attackers.into_iter().filter_map(|square| {
            position.piece_on(square).map(|piece| (EXCHANGE[piece.kind().index()], square))
        });
        let Some((_, square)) = pieces.min() else { break };
        last += 1;
        // A king that is taken is the whole game.
        let stake = if at_stake == PieceKind::King { 20_000 } else { capture_gain(at_stake) };
        gains[last] = stake - gains[last - 1];
        at_stake = position.piece_on(square).map_or(PieceKind::Pawn, |piece| piece.kind());
        occupied = occupied.without(SquareSet::of(square));
        side = side.other();
    }
    for n in (1..=last).rev() {
        gains[n - 1] = gains[n - 1].min(-gains[n]);
    }
    gains[0]
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
