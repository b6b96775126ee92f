//! Who attacks what: check, pins, legality without making the move, and helpers for evaluators.

use super::tables::{self, FORWARD, GOLD, KING, KNIGHT, LINES, PAWN, SILVER};
use super::{Move, PieceKind, Shogi, Side, Square, SquareSet};

/// The squares that a lance of a side on a square reaches, given the occupied ones.
#[inline]
#[must_use]
pub fn lance_attacks(side: Side, square: Square, occupied: SquareSet) -> SquareSet {
    tables::file_attacks(square, occupied) & tables::ray(square, FORWARD[side.index()])
}

/// The squares that a bishop on a square reaches, given the occupied ones.
#[inline]
#[must_use]
pub fn bishop_attacks(square: Square, occupied: SquareSet) -> SquareSet {
    let [rising, falling] = LINES[square.index()].diagonals;
    tables::line_attacks(square, rising, occupied) | tables::line_attacks(square, falling, occupied)
}

/// The squares that a rook on a square reaches, given the occupied ones.
#[inline]
#[must_use]
pub fn rook_attacks(square: Square, occupied: SquareSet) -> SquareSet {
    let rank = LINES[square.index()].rank;
    tables::file_attacks(square, occupied) | tables::line_attacks(square, rank, occupied)
}

/// What a piece of a side and kind on a square attacks or protects, given the occupied squares.
#[must_use]
pub fn attacks(side: Side, kind: PieceKind, square: Square, occupied: SquareSet) -> SquareSet {
    let (us, at) = (side.index(), square.index());
    match kind {
        PieceKind::Pawn => PAWN[us][at],
        PieceKind::Lance => lance_attacks(side, square, occupied),
        PieceKind::Knight => KNIGHT[us][at],
        PieceKind::Silver => SILVER[us][at],
        PieceKind::Bishop => bishop_attacks(square, occupied),
        PieceKind::Rook => rook_attacks(square, occupied),
        PieceKind::King => KING[at],
        PieceKind::Horse => bishop_attacks(square, occupied) | KING[at],
        PieceKind::Dragon => rook_attacks(square, occupied) | KING[at],
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => GOLD[us][at],
    }
}

impl Shogi {
    /// The pieces of a side that attack a square by a single step or jump.
    #[inline]
    fn steppers_to(&self, side: Side, square: Square) -> SquareSet {
        // From where a side's piece attacks a square, the other side's would attack from the square.
        let (from, at) = (side.other().index(), square.index());
        let all_around =
            self.kind(PieceKind::King) | self.kind(PieceKind::Horse) | self.kind(PieceKind::Dragon);
        let steppers = PAWN[from][at] & self.kind(PieceKind::Pawn)
            | KNIGHT[from][at] & self.kind(PieceKind::Knight)
            | SILVER[from][at] & self.kind(PieceKind::Silver)
            | GOLD[from][at] & self.golds()
            | KING[at] & all_around;
        steppers & self.side(side)
    }

    /// The sliders of a side that would attack a square on an empty board.
    #[inline]
    fn sliders_towards(&self, side: Side, square: Square) -> SquareSet {
        let lines = &LINES[square.index()];
        let rooks = self.kind(PieceKind::Rook) | self.kind(PieceKind::Dragon);
        let bishops = self.kind(PieceKind::Bishop) | self.kind(PieceKind::Horse);
        let lances = tables::ray(square, FORWARD[side.other().index()]);
        let sliders = (lines.file | lines.rank) & rooks
            | (lines.diagonals[0] | lines.diagonals[1]) & bishops
            | lances & self.kind(PieceKind::Lance);
        sliders & self.side(side)
    }

    /// The pieces that give check to a side's king, and those of the side that stand alone between it
    /// and an enemy's slider, given the occupied squares.
    #[inline]
    pub(super) fn king_state(&self, side: Side, occupied: SquareSet) -> (SquareSet, SquareSet) {
        let king = self.king(side);
        let mut checkers = self.steppers_to(side.other(), king);
        let mut pinned = SquareSet::EMPTY;
        self.sliders_towards(side.other(), king).each(|slider| {
            let blockers = tables::between(king, slider) & occupied;
            if blockers.is_empty() {
                checkers |= SquareSet::of(slider);
            } else if !blockers.is_several() {
                pinned |= blockers;
            }
        });
        (checkers, pinned & self.side(side))
    }

    /// Whether a side attacks a square, given the occupied squares.
    #[inline]
    pub(super) fn is_attacked(&self, by: Side, square: Square, occupied: SquareSet) -> bool {
        !self.steppers_to(by, square).is_empty()
            || self
                .sliders_towards(by, square)
                .any(|slider| (tables::between(square, slider) & occupied).is_empty())
    }

    /// The pieces of both sides that attack a square if exactly the given squares are occupied: the
    /// building block of an exchange evaluation. Pieces on squares outside `occupied` do not count, and
    /// any attack may be illegal for its mover.
    #[must_use]
    pub fn attackers_to(&self, square: Square, occupied: SquareSet) -> SquareSet {
        let mut attackers = SquareSet::EMPTY;
        for side in Side::ALL {
            attackers |= self.steppers_to(side, square) & occupied;
            (self.sliders_towards(side, square) & occupied).each(|slider| {
                if (tables::between(square, slider) & occupied).is_empty() {
                    attackers |= SquareSet::of(slider);
                }
            });
        }
        attackers
    }

    /// What the piece on a square attacks or protects; nothing for an empty square.
    #[inline]
    #[must_use]
    pub fn attacks_from(&self, square: Square) -> SquareSet {
        self.piece_on(square).map_or(SquareSet::EMPTY, |piece| {
            attacks(piece.side(), piece.kind(), square, self.occupied())
        })
    }

    /// Whether the king of the side to move may step on a square that no piece of its own holds.
    #[inline]
    pub(super) fn is_safe_for_king(&self, to: Square) -> bool {
        let us = self.side_to_move();
        let without_king = self.occupied().without(SquareSet::of(self.king(us)));
        !self.is_attacked(us.other(), to, without_king)
    }

    /// Whether a pseudo-legal move leaves the mover's king unattacked and mates with no dropped pawn.
    ///
    /// In check, other moves than the king's are pseudo-legal only if they end the check.
    #[inline]
    pub(super) fn is_legal_move(&self, mv: Move) -> bool {
        let to = mv.to();
        let king = self.king(self.side_to_move());
        match mv.from() {
            None => mv.dropped() != Some(PieceKind::Pawn) || !self.mates_by_pawn(to),
            Some(from) if from == king => self.is_safe_for_king(to),
            Some(from) => !self.pinned.has(from) || tables::ray_through(king, from).has(to),
        }
    }

    /// Whether a pawn of the side to move, dropped on an empty square, is mate (uchifuzume).
    #[inline]
    pub(super) fn mates_by_pawn(&self, to: Square) -> bool {
        let us = self.side_to_move();
        let them = us.other();
        let king = self.king(them);
        PAWN[us.index()][to.index()].has(king) && self.no_answer_to_pawn(to)
    }

    /// Whether the opponent can neither capture a pawn dropped before its king nor escape from it.
    fn no_answer_to_pawn(&self, to: Square) -> bool {
        let us = self.side_to_move();
        let them = us.other();
        let king = self.king(them);
        let occupied = self.occupied() | SquareSet::of(to);
        let capturers = self.attackers_to(to, occupied) & self.side(them);
        let capturers = capturers.without(SquareSet::of(king));
        // A pinned piece cannot capture: the pawn stands beside the king, so the only line through both
        // is their file, and no piece on it before the pawn is pinned any more.
        if !capturers.is_empty() && !capturers.without(self.king_state(them, occupied).1).is_empty()
        {
            return false;
        }
        let without_king = occupied.without(SquareSet::of(king));
        let steps = KING[king.index()].without(self.side(them));
        !steps.any(|step| !self.is_attacked(us, step, without_king))
    }
}
