//! Who chases what: the threats that a position holds, as the rules of repetition count them.
//!
//! A side *chases* an enemy piece where it could capture it, the capture would be legal, and it would
//! gain by it: because the piece has no true protector, or is worth more than the one that captures.
//! Kings and pawns may threaten for ever; kings and pawns on their own half are nobody's chase, and an
//! offer to exchange equal pieces is none.

use super::{Piece, PieceKind, Side, Square, SquareSet, Xiangqi, tables};

/// The pieces of a position by number, 0 to 31, so that each can be followed while it moves.
pub(super) struct Pieces([u8; Square::COUNT]);

impl Pieces {
    /// The most pieces that stand on a board.
    const MOST: usize = 32;

    /// Numbers the pieces of a position.
    pub(super) fn of(position: &Xiangqi) -> Self {
        let mut numbers = [0; Square::COUNT];
        for (number, square) in (0..).zip(position.occupied()) {
            numbers[square.index()] = number;
        }
        Self(numbers)
    }

    /// Follows the last move of a position back; it has captured nothing.
    pub(super) fn take_back(&mut self, position: &Xiangqi) {
        if let Some(mv) = position.last_move() {
            self.0[mv.from().index()] = self.number(mv.to());
        }
    }

    fn number(&self, square: Square) -> u8 {
        self.0[square.index()]
    }
}

/// What each piece of a side attacks and chases: one set of numbers of enemy pieces for each number.
/// A chase is an attack, too.
pub(super) struct Threats {
    attacks: [u32; Pieces::MOST],
    chases: [u32; Pieces::MOST],
    /// Those chases that stand because every protector of the target is false.
    unrooted: [u32; Pieces::MOST],
}

impl Threats {
    /// The enemy pieces, by number, that any piece chases.
    pub(super) fn chased(&self) -> u32 {
        self.chases.iter().fold(0, |all, chased| all | chased)
    }

    /// The enemy pieces, by number, with a chase that the last move made: its attacker did not attack
    /// the piece `before`, or did not chase it and has now made its protectors false. A protector that
    /// merely went away, or was cut off, makes no new chase.
    pub(super) fn newly_chased(&self, before: &Self) -> u32 {
        (0..Pieces::MOST).fold(0, |all, attacker| {
            let fresh = self.chases[attacker] & !before.attacks[attacker];
            let unrooted = self.unrooted[attacker] & !before.chases[attacker];
            all | fresh | unrooted
        })
    }
}

impl Xiangqi {
    /// What a side attacks and chases, whoever is to move.
    pub(super) fn threats_by(&self, side: Side, pieces: &Pieces) -> Threats {
        let none = [0; Pieces::MOST];
        let mut threats = Threats { attacks: none, chases: none, unrooted: none };
        let free = self.pieces(side, PieceKind::King) | self.pieces(side, PieceKind::Pawn);
        for from in self.side(side).without(free) {
            let Some(attacker) = self.piece_on(from) else { continue };
            let mut targets = self.attacks_from(from) & self.chaseable(side.other());
            let pinners = self.pinners(side, from);
            if !pinners.is_empty() {
                targets = targets & pinners;
            }
            let number = usize::from(pieces.number(from));
            for to in targets {
                let target = 1 << pieces.number(to);
                threats.attacks[number] |= target;
                match self.chase(side, attacker.kind(), from, to) {
                    Chase::No => {}
                    Chase::Yes => threats.chases[number] |= target,
                    Chase::Unrooted => {
                        threats.chases[number] |= target;
                        threats.unrooted[number] |= target;
                    }
                }
            }
        }
        threats
    }

    /// The pieces of a side that can be chased: all but the king and the pawns on their own half.
    fn chaseable(&self, side: Side) -> SquareSet {
        let home = (1u128 << 45) - 1;
        let own_half = SquareSet(if side == Side::Red { home } else { !home });
        self.side(side)
            .without(self.pieces(side, PieceKind::King))
            .without(self.pieces(side, PieceKind::Pawn) & own_half)
    }

    /// Whether the attack of a piece on a chaseable one is a chase.
    fn chase(&self, side: Side, attacker: PieceKind, from: Square, to: Square) -> Chase {
        let Some(target) = self.piece_on(to).map(Piece::kind) else { return Chase::No };
        if !self.capture_is_safe(side, from, to) {
            return Chase::No;
        }
        if outweighs(target, attacker) {
            return Chase::Yes;
        }
        let captured = self.occupied().without(SquareSet::of(from));
        let protectors = self.attackers_to(to, captured) & self.side(side.other());
        if protectors.into_iter().any(|protector| self.protects(side.other(), protector, from, to))
        {
            return Chase::No;
        }
        // Equal pieces that attack each other offer an exchange, if the other one could take it up.
        let mutual = attacker == target && self.attacks_from(to).has(from);
        if mutual && self.capture_is_safe(side.other(), to, from) {
            return Chase::No;
        }
        if protectors.is_empty() { Chase::Yes } else { Chase::Unrooted }
    }

    /// Whether a capture opens no new attack on the own king.
    fn capture_is_safe(&self, side: Side, from: Square, to: Square) -> bool {
        let occupied = self.occupied();
        let alive = !SquareSet::of(to).0;
        let king = self.king(side);
        let after = self.king_threats(side, king, occupied.without(SquareSet::of(from)), alive);
        after.without(self.king_threats(side, king, occupied, alive)).is_empty()
    }

    /// Whether a protector of `side` may recapture on `to` after the enemy's piece on `from` has
    /// captured there: the recapture must open no attack on the king, answer a check that the capture
    /// gives, and a king must not step into an attack.
    fn protects(&self, side: Side, protector: Square, from: Square, to: Square) -> bool {
        let gone = SquareSet::of(from) | SquareSet::of(protector);
        let recaptured = self.occupied().without(gone);
        // The piece that captured is itself taken by the recapture.
        let alive = !(SquareSet::of(from) | SquareSet::of(to)).0;
        let king = self.king(side);
        if protector == king {
            return self.king_threats(side, to, recaptured, alive).is_empty();
        }
        let before = self.king_threats(side, king, self.occupied(), !0);
        self.king_threats(side, king, recaptured, alive).without(before).is_empty()
    }

    /// The enemies that attack a side's king only as soon as the piece on a point goes away.
    fn pinners(&self, side: Side, point: Square) -> SquareSet {
        let (king, occupied) = (self.king(side), self.occupied());
        let lifted = occupied.without(SquareSet::of(point));
        self.king_threats(side, king, lifted, !0)
            .without(self.king_threats(side, king, occupied, !0))
    }

    /// The enemies on `alive` points that attack a side's king on a point, the other king on an open
    /// file included, if exactly the given points are occupied.
    fn king_threats(
        &self,
        side: Side,
        king: Square,
        occupied: SquareSet,
        alive: u128,
    ) -> SquareSet {
        let enemies = self.side(side.other()) & SquareSet(alive);
        let other = self.king(side.other());
        let mut threats = self.attackers_to(king, occupied) & enemies;
        let between = tables::BETWEEN[king.index()][other.index()];
        if other.file() == king.file() && between & occupied.0 == 0 {
            threats = threats | SquareSet::of(other) & SquareSet(alive);
        }
        threats
    }
}

/// What an attack amounts to.
enum Chase {
    No,
    Yes,
    /// Yes, though the target has protectors: all of them are false.
    Unrooted,
}

/// Whether a piece is chased by another kind even where it is protected.
fn outweighs(target: PieceKind, attacker: PieceKind) -> bool {
    use PieceKind::{Advisor, Cannon, Elephant, Horse, Rook};
    match attacker {
        Horse | Cannon => target == Rook,
        Advisor | Elephant => matches!(target, Rook | Cannon | Horse),
        _ => false,
    }
}
