//! Who attacks what, for move generation and for evaluators.

use super::tables::{self, FILE_LINE, FILE_SPREAD, Line, RANK_LINE};
use super::{PieceKind, Side, Square, SquareSet, Xiangqi};

impl Xiangqi {
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
        let (rank, file) = self.lines(square);
        spread(square, rank.rook(), file.rook())
    }

    /// The occupied points that a cannon on a point attacks or protects, over one screen.
    #[inline]
    #[must_use]
    pub fn cannon_attacks(&self, square: Square) -> SquareSet {
        let (rank, file) = self.lines(square);
        spread(square, rank.over(), file.over())
    }

    /// Where a cannon may go, its own side's pieces included: empty points as a rook, occupied ones
    /// over a screen.
    #[inline]
    pub(super) fn cannon_reach(&self, square: Square) -> SquareSet {
        let (rank, file) = self.lines(square);
        spread(square, rank.cannon_reach(), file.cannon_reach())
    }

    /// What a slider on a point meets on its rank and on its file.
    #[inline]
    fn lines(&self, square: Square) -> (Occupied, Occupied) {
        let (rank, file) = (self.rank_occupancy(square), self.file_occupancy(square));
        let inner = |occupied: u16, mask| usize::from(occupied >> 1 & mask);
        (
            Occupied { points: rank, line: RANK_LINE[square.file() as usize][inner(rank, 0x7f)] },
            Occupied { points: file, line: FILE_LINE[square.rank() as usize][inner(file, 0xff)] },
        )
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
        let (rank, file) = self.lines(square);
        rank.rook().count_ones() + file.rook().count_ones()
    }

    /// How many empty points a cannon on a point reaches, plus the pieces that it attacks or
    /// protects.
    #[inline]
    #[must_use]
    pub fn cannon_mobility(&self, square: Square) -> u32 {
        let (rank, file) = self.lines(square);
        rank.cannon_reach().count_ones() + file.cannon_reach().count_ones()
    }

    /// How many points a horse on a point attacks or protects.
    #[inline]
    #[must_use]
    pub fn horse_mobility(&self, square: Square) -> u32 {
        self.horse_attacks(square).len()
    }
}

/// A line of a slider with the points that are occupied on it.
struct Occupied {
    points: u16,
    line: Line,
}

impl Occupied {
    #[inline]
    fn rook(&self) -> u16 {
        self.line.rook
    }

    #[inline]
    fn over(&self) -> u16 {
        self.line.over & self.points
    }

    #[inline]
    fn cannon_reach(&self) -> u16 {
        self.line.rook & !self.points | self.over()
    }
}

/// The bits of a rank and of a file, on the board.
#[inline]
fn spread(square: Square, rank: u16, file: u16) -> SquareSet {
    let file = FILE_SPREAD[usize::from(file & 0x3ff)] << square.file();
    SquareSet(u128::from(rank) << (9 * square.rank()) | file)
}
