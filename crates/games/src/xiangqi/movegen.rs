//! Pseudo-legal moves, generated and recognised.

use super::tables;
use super::{Move, PieceKind, Square, SquareSet, Xiangqi};
use crate::{MoveKind, MoveList};

impl Xiangqi {
    /// Appends the pseudo-legal moves of a kind, by kind of piece, square and target.
    pub(super) fn generate(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        let us = self.side_to_move();
        let enemies = self.side(us.other());
        let targets = SquareSet(match kind {
            MoveKind::All => !self.side(us).0,
            MoveKind::Noisy => enemies.0,
            MoveKind::Quiet => !self.occupied().0,
        });
        let mut push = |from, to: SquareSet| {
            (to & targets).each(|to| moves.push(Move::new(from, to)));
        };
        for from in self.pieces(us, PieceKind::Rook) {
            push(from, self.rook_attacks(from));
        }
        for from in self.pieces(us, PieceKind::Cannon) {
            push(from, self.cannon_reach(from));
        }
        for from in self.pieces(us, PieceKind::Horse) {
            push(from, self.horse_attacks(from));
        }
        for from in self.pieces(us, PieceKind::Pawn) {
            push(from, SquareSet(tables::PAWN[us.index()][from.index()]));
        }
        for from in self.pieces(us, PieceKind::Elephant) {
            push(from, self.elephant_attacks(from));
        }
        for from in self.pieces(us, PieceKind::Advisor) {
            push(from, SquareSet(tables::ADVISOR[from.index()]));
        }
        let king = self.king(us);
        push(king, SquareSet(tables::KING[king.index()]));
    }

    /// Where a cannon may go: empty points as a rook, occupied ones over a screen.
    #[inline]
    fn cannon_reach(&self, from: Square) -> SquareSet {
        self.rook_attacks(from).without(self.occupied()) | self.cannon_attacks(from)
    }

    /// Whether the side to move has a piece that may move so.
    pub(super) fn reaches(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
        let Some(piece) = self.piece_on(from).filter(|piece| piece.side() == us) else {
            return false;
        };
        if self.side(us).has(to) {
            return false;
        }
        match piece.kind() {
            PieceKind::Cannon => self.cannon_reach(from),
            _ => self.attacks_from(from),
        }
        .has(to)
    }
}
