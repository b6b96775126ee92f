//! Who attacks what: check, legality without making the move, and helpers for evaluators.

use super::tables::{self, FILE_LINE, FILE_SPREAD, RANK_LINE};
use super::{Move, PieceKind, Side, Square, SquareSet, Xiangqi};

impl Xiangqi {
    /// Whether a side's king is attacked, a facing king included.
    #[inline]
    pub(super) fn king_attacked(&self, side: Side) -> bool {
        self.king_attackable(side, self.king(side), self.occupied().0, !0)
    }

    /// Whether the king of the side to move is attacked, and the points whose change by one move of a
    /// piece could expose it, its own among them.
    ///
    /// A rook, or the other king, strikes when the only piece between goes away; a cannon, when one
    /// of two pieces between goes away or one comes to none; a horse, when its leg gets free.
    #[inline]
    pub(super) fn king_state(&self) -> (bool, SquareSet) {
        let us = self.side_to_move();
        let king = self.king(us);
        let at = king.index();
        let occupied = self.occupied().0;
        let enemies = self.side(us.other()).0;
        let pawns = tables::PAWN_TO[us.other().index()][at] & self.kind(PieceKind::Pawn).0;
        let mut attackers = pawns & enemies;
        let mut exposed = 1 << at;
        let horses = enemies & self.kind(PieceKind::Horse).0 & tables::HORSE_TO[at][0];
        if horses != 0 {
            attackers |= horses & tables::HORSE_TO[at][tables::diagonal_index(occupied, king)];
            exposed |= tables::DIAGONAL_NEIGHBOURS[at];
        }
        let lines = enemies & tables::CROSS[at];
        let between = &tables::BETWEEN[at];
        // The two kings can only share a file: on it the enemy's king acts as a rook.
        let straight = self.kind(PieceKind::Rook).0 | self.kind(PieceKind::King).0;
        SquareSet(lines & straight).each(|slider| {
            let between = between[slider.index()];
            match (between & occupied).count_ones() {
                0 => attackers |= 1 << slider.index(),
                1 => exposed |= between,
                _ => {}
            }
        });
        SquareSet(lines & self.kind(PieceKind::Cannon).0).each(|cannon| {
            let between = between[cannon.index()];
            match (between & occupied).count_ones() {
                1 => attackers |= 1 << cannon.index(),
                0 | 2 => exposed |= between,
                _ => {}
            }
        });
        (attackers != 0, SquareSet(exposed))
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
    ///
    /// Out of check, only moves from or to exposed points need a look.
    #[inline]
    pub(super) fn leaves_king_safe(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let king = self.king(us);
        let exposing = self.exposed.has(mv.from()) | self.exposed.has(mv.to());
        if !self.in_check && !exposing {
            return true;
        }
        let (from, to) = (1 << mv.from().index(), 1 << mv.to().index());
        let after = if mv.from() == king { mv.to() } else { king };
        !self.king_attackable(us, after, self.occupied().0 & !from | to, !to)
    }

    /// The enemies that give check to the side to move; a facing king is never among them in a
    /// position reached by legal moves.
    #[must_use]
    pub fn checkers(&self) -> SquareSet {
        let us = self.side_to_move();
        self.attackers_to(self.king(us), self.occupied()) & self.side(us.other())
    }

    /// The pieces of both sides that attack a point if exactly the given points are occupied: the
    /// building block of an exchange evaluation. Pieces on points outside `occupied` do not count.
    /// A king attacks its neighbours in the palace, and any attack may be illegal for its mover.
    #[must_use]
    pub fn attackers_to(&self, square: Square, occupied: SquareSet) -> SquareSet {
        let at = square.index();
        let between = &tables::BETWEEN[at];
        let mut attackers = tables::KING[at] & self.kind(PieceKind::King).0
            | tables::ADVISOR[at] & self.kind(PieceKind::Advisor).0
            | tables::ELEPHANT[at][tables::diagonal_index(occupied.0, square)]
                & self.kind(PieceKind::Elephant).0
            | tables::HORSE_TO[at][tables::diagonal_index(occupied.0, square)]
                & self.kind(PieceKind::Horse).0;
        for side in Side::ALL {
            attackers |= tables::PAWN_TO[side.index()][at] & self.pieces(side, PieceKind::Pawn).0;
        }
        attackers &= occupied.0;
        let lines = SquareSet(tables::CROSS[at]) & occupied;
        for rook in lines & self.kind(PieceKind::Rook) {
            if between[rook.index()] & occupied.0 == 0 {
                attackers |= 1 << rook.index();
            }
        }
        for cannon in lines & self.kind(PieceKind::Cannon) {
            if (between[cannon.index()] & occupied.0).count_ones() == 1 {
                attackers |= 1 << cannon.index();
            }
        }
        SquareSet(attackers)
    }

    /// The points that a rook on a point reaches or protects.
    #[inline]
    #[must_use]
    pub fn rook_attacks(&self, square: Square) -> SquareSet {
        let rank = RANK_LINE[square.file() as usize][self.rank_occupancy(square)].rook;
        let file = FILE_LINE[square.rank() as usize][self.file_occupancy(square)].rook;
        spread(square, rank, file)
    }

    /// The occupied points that a cannon on a point attacks or protects, over one screen.
    #[inline]
    #[must_use]
    pub fn cannon_attacks(&self, square: Square) -> SquareSet {
        let rank = RANK_LINE[square.file() as usize][self.rank_occupancy(square)].over;
        let file = FILE_LINE[square.rank() as usize][self.file_occupancy(square)].over;
        spread(square, rank, file)
    }

    /// The points that a horse on a point attacks or protects.
    #[inline]
    #[must_use]
    pub fn horse_attacks(&self, square: Square) -> SquareSet {
        let legs = tables::orthogonal_index(self.occupied().0, square);
        SquareSet(tables::HORSE[square.index()][legs])
    }

    /// The points that an elephant on a point attacks or protects.
    #[inline]
    #[must_use]
    pub fn elephant_attacks(&self, square: Square) -> SquareSet {
        let eyes = tables::diagonal_index(self.occupied().0, square);
        SquareSet(tables::ELEPHANT[square.index()][eyes])
    }

    /// What the piece on a point attacks or protects; nothing for an empty point. Cannons attack
    /// occupied points alone.
    #[must_use]
    pub fn attacks_from(&self, square: Square) -> SquareSet {
        let Some(piece) = self.piece_on(square) else { return SquareSet::EMPTY };
        let at = square.index();
        match piece.kind() {
            PieceKind::King => SquareSet(tables::KING[at]),
            PieceKind::Advisor => SquareSet(tables::ADVISOR[at]),
            PieceKind::Elephant => self.elephant_attacks(square),
            PieceKind::Horse => self.horse_attacks(square),
            PieceKind::Rook => self.rook_attacks(square),
            PieceKind::Cannon => self.cannon_attacks(square),
            PieceKind::Pawn => SquareSet(tables::PAWN[piece.side().index()][at]),
        }
    }

    /// How many points a rook on a point reaches, the first piece in each direction included.
    #[inline]
    #[must_use]
    pub fn rook_mobility(&self, square: Square) -> u32 {
        let rank = RANK_LINE[square.file() as usize][self.rank_occupancy(square)].rook;
        let file = FILE_LINE[square.rank() as usize][self.file_occupancy(square)].rook;
        rank.count_ones() + file.count_ones()
    }

    /// How many empty points a cannon on a point reaches, plus the pieces that it attacks or
    /// protects.
    #[inline]
    #[must_use]
    pub fn cannon_mobility(&self, square: Square) -> u32 {
        let (ranks, files) = (self.rank_occupancy(square), self.file_occupancy(square));
        let rank = RANK_LINE[square.file() as usize][ranks];
        let file = FILE_LINE[square.rank() as usize][files];
        (rank.rook & !ranks as u16 | rank.over).count_ones()
            + (file.rook & !files as u16 | file.over).count_ones()
    }

    /// How many points a horse on a point attacks or protects.
    #[inline]
    #[must_use]
    pub fn horse_mobility(&self, square: Square) -> u32 {
        self.horse_attacks(square).len()
    }
}

/// The bits of a rank and of a file, on the board.
#[inline]
fn spread(square: Square, rank: u16, file: u16) -> SquareSet {
    SquareSet(
        u128::from(rank) << (9 * square.rank())
            | FILE_SPREAD[(file & 0x3ff) as usize] << square.file(),
    )
}
