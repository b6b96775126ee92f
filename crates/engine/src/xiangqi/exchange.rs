//! Static exchange evaluation: what a capture wins once everybody has taken back.
//!
//! Both sides take with their least valuable piece and stop when it does not pay; after each capture
//! the attackers are looked up again, since an emptied point opens lines and moves cannons' screens.

use crate::exchange::exchange_wins;
use crate::tunables::tunables;
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

tunables! {
    /// What a capture wins at most at once: material plus what the best point adds.
    pub struct ExchangeWeights in Eval {
        exchange_advisor: i32 = 190, 60 => 400, c_end 10, "What an exchange takes an advisor for.";
        exchange_elephant: i32 = 190, 60 => 400, c_end 10, "What an exchange takes an elephant for.";
        exchange_horse: i32 = 440, 200 => 900, c_end 15, "What an exchange takes a horse for.";
        exchange_rook: i32 = 960, 500 => 1800, c_end 25, "What an exchange takes a rook for.";
        exchange_cannon: i32 = 460, 200 => 900, c_end 15, "What an exchange takes a cannon for.";
        exchange_pawn: i32 = 200, 40 => 400, c_end 8, "What an exchange takes a pawn for.";
    }
}

impl ExchangeWeights {
    /// The values in the order of [`PieceKind::index`]; a king cannot be exchanged.
    pub(super) const fn by_kind(&self) -> [i32; 7] {
        [
            0,
            self.exchange_advisor,
            self.exchange_elephant,
            self.exchange_horse,
            self.exchange_rook,
            self.exchange_cannon,
            self.exchange_pawn,
        ]
    }
}

/// Whether the exchange that a move begins wins at least so many centipawns, kinds being worth `values`.
#[inline]
pub(super) fn wins(values: &[i32; 7], position: &Xiangqi, mv: Move, threshold: i32) -> bool {
    let value = |kind: PieceKind| match kind {
        PieceKind::King => KING_VALUE,
        _ => values[kind.index()],
    };
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
        let values = ExchangeWeights::default().by_kind();
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
            assert!(wins(&values, &position, mv, expected), "{fen}");
            assert!(!wins(&values, &position, mv, expected + 1), "{fen}");
        }
    }
}
