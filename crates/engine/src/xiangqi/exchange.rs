//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; after each capture
//! the attackers are looked up again, since an emptied point opens lines and moves cannons' screens.

use super::weights::EXCHANGE;
use crate::exchange::exchange_wins;
use games::xiangqi::{Move, Piece, PieceKind, SquareSet, Xiangqi};

/// Kinds from the least to the most valuable.
const BY_VALUE: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Horse,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

/// A king may only take what nobody takes back.
const KING_VALUE: i32 = 10_000;

fn value(kind: PieceKind) -> i32 {
    if kind == PieceKind::King { KING_VALUE } else { EXCHANGE[kind.index()] }
}

/// Whether the exchange that a move begins wins at least so many centipawns.
#[inline]
pub(super) fn wins(position: &Xiangqi, mv: Move, threshold: i32) -> bool {
    let worth = |piece: Option<Piece>| piece.map_or(0, |piece| value(piece.kind()));
    let (attacker, victim) = (worth(position.moved(mv)), worth(position.captured(mv)));
    let target = mv.to();
    let mut occupied = position.occupied().without(SquareSet::of(mv.from()));
    let mut side = position.side_to_move().other();
    exchange_wins(victim, attacker, threshold, || {
        let attackers = position.attackers_to(target, occupied) & position.side(side);
        let (kind, mut from) = BY_VALUE
            .into_iter()
            .map(|kind| (kind, attackers & position.kind(kind)))
            .find(|(_, set)| !set.is_empty())?;
        occupied = occupied.without(from.next().map_or(SquareSet::EMPTY, SquareSet::of));
        side = side.other();
        Some(value(kind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Game;

    #[test]
    fn exchanges_are_counted_to_their_end() {
        for (fen, mv, expected) in [
            // A rook takes a pawn that nobody protects.
            ("3k5/9/9/9/p8/9/9/9/9/R4K3 w", "a0a5", 200),
            // The same pawn behind a rook.
            ("r2k5/9/9/9/p8/9/9/9/9/R4K3 w", "a0a5", 200 - 960),
            // Two rooks on the file: the second takes back.
            ("r2k5/9/9/9/p8/9/9/R8/9/R4K3 w", "a2a5", 200),
            // A cannon without a screen does not protect the pawn before it.
            ("3k5/9/c8/9/p8/9/9/R8/9/C4K3 w", "a2a5", 200),
            // A king does not take into a protected point.
            ("3k5/9/9/9/9/9/3n5/9/4p4/4K4 w", "e0e1", 200 - 10_000),
        ] {
            let position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let mut moves = games::MoveList::new();
            position.pseudo_legal(games::MoveKind::All, &mut moves);
            let mv = moves.iter().copied().find(|m| m.to_string() == mv).expect("a capture");
            assert!(wins(&position, mv, expected), "{fen}");
            assert!(!wins(&position, mv, expected + 1), "{fen}");
        }
    }
}
