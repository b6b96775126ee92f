//! Pseudo-legal moves, generated and recognised.

use super::tables;
use super::{Move, Piece, PieceKind, Side, Square, SquareSet, Xiangqi};
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

    /// How many legal moves there are: the targets of most pieces need only be counted.
    pub(super) fn count_legal_moves(&self) -> u64 {
        let us = self.side_to_move();
        let own = self.side(us);
        let king = self.king(us);
        let free = own.without(self.safety.bound);
        let targets = self.safety.targets.without(own);
        let mut count = 0;
        let mut add = |to: SquareSet| count += (to & targets).len();
        (free & self.kind(PieceKind::Rook)).each(|from| add(self.rook_attacks(from)));
        (free & self.kind(PieceKind::Cannon)).each(|from| add(self.cannon_reach(from)));
        (free & self.kind(PieceKind::Horse)).each(|from| add(self.horse_attacks(from)));
        (free & self.kind(PieceKind::Elephant)).each(|from| add(self.elephant_attacks(from)));
        (free & self.kind(PieceKind::Advisor))
            .each(|from| add(SquareSet(tables::ADVISOR[from.index()])));
        pawn_steps(us, free & self.kind(PieceKind::Pawn)).for_each(add);
        let mut try_out = |from| {
            self.targets_from(from).without(own).each(|to| {
                count += u32::from(self.tried_out(Move::new(from, to)));
            });
        };
        (own & self.safety.bound).without(SquareSet::of(king)).each(&mut try_out);
        try_out(king);
        count.into()
    }

    /// Where the piece on a point may go, its own side's pieces included.
    #[inline]
    fn targets_from(&self, from: Square) -> SquareSet {
        match self.piece_on(from).map(Piece::kind) {
            Some(PieceKind::Cannon) => self.cannon_reach(from),
            _ => self.attacks_from(from),
        }
    }

    /// Whether the side to move has a piece that may move so.
    pub(super) fn reaches(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move();
        if !self.side(us).has(from) || self.side(us).has(to) {
            return false;
        }
        self.targets_from(from).has(to)
    }
}

/// Where a side's pawns step: each direction is one set, because no two of them meet.
#[inline]
fn pawn_steps(side: Side, pawns: SquareSet) -> impl Iterator<Item = SquareSet> {
    let pawns = pawns.0;
    let (ahead, crossed) = match side {
        Side::Red => (pawns << 9 & tables::BOARD, pawns & !tables::RED_HALF),
        Side::Black => (pawns >> 9, pawns & tables::RED_HALF),
    };
    let sideways = [(crossed & !tables::FILE_A) >> 1, crossed << 1 & !tables::FILE_A];
    let sideways = sideways.into_iter().filter(move |_| crossed != 0);
    [ahead].into_iter().chain(sideways).map(SquareSet)
}
