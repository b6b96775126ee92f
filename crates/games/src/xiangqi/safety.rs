//! The safety of the king: check, and legality without making the move.
//!
//! When a side's turn comes, one look at the enemies around its king ([`Xiangqi::look_at_king`]) finds
//! where its pieces may go. Most moves are then legal or not by two tests of bits; only those of the
//! king, and of pieces that stand between it and an enemy, are tried out.

use super::tables;
use super::{Move, PieceKind, Side, Square, SquareSet, Xiangqi};

/// What the safety of the king asks of the other pieces of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Safety {
    /// The king is attacked.
    pub(super) in_check: bool,
    /// Where a piece may go, if it is neither the king nor among the bound ones.
    pub(super) targets: SquareSet,
    /// Points from which a move may let an enemy through to the king.
    pub(super) bound: SquareSet,
}

impl Safety {
    /// No enemy is near the king.
    pub(super) const FREE: Self =
        Self { in_check: false, targets: SquareSet(!0), bound: SquareSet::EMPTY };
}

impl Xiangqi {
    /// Whether a side's king is attacked, a facing king included.
    #[inline]
    pub(super) fn king_attacked(&self, side: Side) -> bool {
        self.king_attackable(side, self.king(side), self.occupied().0, !0)
    }

    /// The safety of the king of the side to move.
    ///
    /// One move takes a piece from a point and puts it on another. A rook, or the other king, is let
    /// through when the only piece between goes away. A cannon is, when one of two pieces between goes
    /// away or one comes to none; a horse, when its leg gets free. An enemy that attacks already must
    /// be captured or stopped.
    #[inline]
    pub(super) fn look_at_king(&self) -> Safety {
        let us = self.side_to_move();
        let king = self.king(us);
        let at = king.index();
        let occupied = self.occupied().0;
        let enemies = self.side(us.other()).0;
        let mut safety = Safety::FREE;
        let pawns =
            enemies & self.kind(PieceKind::Pawn).0 & tables::PAWN_TO[us.other().index()][at];
        SquareSet(pawns).each(|pawn| safety.answer(1 << pawn.index()));
        let horses = enemies & self.kind(PieceKind::Horse).0 & tables::HORSE_TO[at][0];
        if horses != 0 {
            let attackers = horses & tables::HORSE_TO[at][tables::diagonal_index(occupied, king)];
            safety.bound.0 |= tables::DIAGONAL_NEIGHBOURS[at] & occupied;
            SquareSet(attackers).each(|horse| {
                safety.answer(1 << horse.index() | 1 << horse.leg_towards(king).index());
            });
        }
        let lines = enemies & tables::CROSS[at];
        let between = &tables::BETWEEN[at];
        // The two kings can only share a file: on it the enemy's king acts as a rook.
        let straight = self.kind(PieceKind::Rook).0 | self.kind(PieceKind::King).0;
        SquareSet(lines & straight).each(|slider| {
            let between = between[slider.index()];
            match (between & occupied).count_ones() {
                0 => safety.answer(between | 1 << slider.index()),
                1 => safety.bound.0 |= between,
                _ => {}
            }
        });
        SquareSet(lines & self.kind(PieceKind::Cannon).0).each(|cannon| {
            let between = between[cannon.index()];
            match (between & occupied).count_ones() {
                0 => safety.targets.0 &= !between,
                1 => {
                    safety.answer(between & !occupied | 1 << cannon.index());
                    safety.bound.0 |= between;
                }
                2 => safety.bound.0 |= between,
                _ => {}
            }
        });
        safety
    }

    /// Whether a side's king on a point would be attacked, given the occupied points and those
    /// enemies that stand on `alive`.
    #[inline]
    fn king_attackable(&self, side: Side, king: Square, occupied: u128, alive: u128) -> bool {
        let at = king.index();
        let enemies = self.side(side.other()).0 & alive;
        if tables::PAWN_TO[side.other().index()][at] & enemies & self.kind(PieceKind::Pawn).0 != 0 {
            return true;
        }
        let horses = enemies & self.kind(PieceKind::Horse).0 & tables::HORSE_TO[at][0];
        if horses != 0 {
            let legs = tables::diagonal_index(occupied, king);
            if tables::HORSE_TO[at][legs] & horses != 0 {
                return true;
            }
        }
        // The two kings can only share a file: on it the enemy's king acts as a rook.
        let straight = self.kind(PieceKind::Rook).0 | self.kind(PieceKind::King).0;
        let lines = enemies & tables::CROSS[at];
        let between = &tables::BETWEEN[at];
        if SquareSet(lines & straight).any(|slider| between[slider.index()] & occupied == 0) {
            return true;
        }
        SquareSet(lines & self.kind(PieceKind::Cannon).0).any(|cannon| {
            let screens = between[cannon.index()] & occupied;
            screens != 0 && screens & (screens - 1) == 0
        })
    }

    /// Whether a pseudo-legal move leaves the mover's king unattacked.
    #[inline]
    pub(super) fn leaves_king_safe(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if from == self.king(self.side_to_move()) || self.safety.bound.has(from) {
            self.tried_out(mv)
        } else {
            self.safety.targets.has(to)
        }
    }

    /// The same for every pseudo-legal move, by looking at the board after it.
    #[inline]
    pub(super) fn tried_out(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let king = self.king(us);
        let (from, to) = (1 << mv.from().index(), 1 << mv.to().index());
        let after = if mv.from() == king { mv.to() } else { king };
        !self.king_attackable(us, after, self.occupied().0 & !from | to, !to)
    }
}

impl Safety {
    /// There is a check, and these are the targets that answer it.
    #[inline]
    fn answer(&mut self, targets: u128) {
        self.in_check = true;
        self.targets.0 &= targets;
    }
}
