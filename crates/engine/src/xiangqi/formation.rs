//! What stands together: pawns side by side, guards that protect each other, the king behind them;
//! and what stands badly: pieces that the other side attacks.

use super::activity::Attacks;
use super::masks::{self, BEYOND, Bits};
use super::sink::{Part, Sink};
use crate::taper::{Pair, pairs};
use crate::tunables::tunables;
use games::xiangqi::{PieceKind, Side, Xiangqi};

tunables! {
    /// Weights of pawns, of the king and its guards, of what is attacked.
    pub struct FormationWeights in Eval {
        pawns_crossed: [Pair; 6] = pairs([-1, 0, -2, 2, 0, 0], [9, -12, -4, 5, 1, 0]), -150 => 200, c_end 5,
            "So many pawns beyond the river.";
        pawns_linked: [Pair; 5] = pairs([9, 12, 14, 10, 0], [12, 17, 17, 12, 0]), -60 => 120, c_end 4,
            "Two pawns hand in hand, by their rank from the fifth on.";
        pawn_near_king: [Pair; 7] = pairs([0, 3, 2, 2, -8, -5, 10], [0, 2, 0, 6, -7, -2, 2]), -100 => 150, c_end 5,
            "A pawn beyond the river one step from the other king, two, up to seven or more.";
        pawn_unopposed: Pair = Pair::new(-5, 3), -60 => 80, c_end 3,
            "A pawn before the river without one of the other side on its file.";
        pawn_backed: Pair = Pair::new(7, 10), -60 => 80, c_end 3,
            "A pawn beyond the river that its side protects.";
        open_centre: Pair = Pair::new(-10, -5), -80 => 60, c_end 4,
            "Each cannon of the other side where no own pawn is left on the middle file.";
        advisors_linked: Pair = Pair::new(13, 2), -60 => 60, c_end 3,
            "Two advisors that protect each other.";
        elephants_linked: Pair = Pair::new(17, 10), -60 => 60, c_end 3,
            "Two elephants that protect each other.";
        king_up: [Pair; 2] = pairs([-22, -13], [-1, -8]), -80 => 40, c_end 3,
            "Each attacker of the other side, the own king on its second rank, on its third.";
        king_file: Pair = Pair::new(3, 13), -60 => 100, c_end 4,
            "A king that holds the file beside the other king: nothing stands before it.";
        pinned_by_king: Pair = Pair::new(-5, -4), -80 => 60, c_end 4,
            "A piece that must stay between the kings.";
        threat_by_pawn: [Pair; 3] = pairs([17, 25, 30], [13, 23, 30]), -60 => 150, c_end 5,
            "A pawn's attack on a guard, on a horse or cannon, on a rook.";
        threat_by_guard: Pair = Pair::new(8, 6), -60 => 150, c_end 5,
            "An attack of king, advisor or elephant on a horse, cannon or rook.";
        threat_on_rook: [Pair; 2] = pairs([24, 27], [21, 25]), -60 => 200, c_end 6,
            "A rook attacked by a horse, by a cannon.";
        hanging: [Pair; 6] = pairs([11, 23, 39, 16, 38, 3], [11, 18, 27, 9, 25, 23]), -60 => 200, c_end 6,
            "An attack on an unprotected advisor, elephant, horse, rook, cannon, pawn whose side moves.";
        lost: [Pair; 6] = pairs([23, 31, 59, 58, 45, 21], [21, 21, 47, 59, 44, 37]), -60 => 300, c_end 6,
            "The same where the attacker moves.";
        contested: [Pair; 3] = pairs([12, 6, 24], [15, 7, 8]), -60 => 100, c_end 4,
            "An attack on a protected horse, rook, cannon.";
        protected: [Pair; 3] = pairs([5, 4, 6], [0, 4, 4]), -60 => 80, c_end 3,
            "A protected horse, rook, cannon.";
    }
}

/// Kinds that [`FormationWeights::hanging`] has a weight for.
const VICTIMS: [PieceKind; 6] = [
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Horse,
    PieceKind::Rook,
    PieceKind::Cannon,
    PieceKind::Pawn,
];

#[inline]
fn count(set: Bits) -> i32 {
    set.count_ones() as i32
}

impl FormationWeights {
    /// Pawns, king and guards of one side; fills in what the guards attack.
    #[inline]
    pub(super) fn formation<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        guards: &mut Bits,
        sink: &mut S,
    ) {
        self.pawns(position, us, sink);
        let them = us.other();
        let (king, their_king) = (position.king(us), position.king(them));
        let advisors = position.pieces(us, PieceKind::Advisor).bits();
        *guards |= masks::palace_attacks(us, 1 << king.index(), advisors);
        let diagonal = masks::palace_attacks(us, 0, advisors);
        if diagonal & advisors != 0 {
            sink.add(Part::Defence, self.advisors_linked, 1);
        }
        let elephants = position.pieces(us, PieceKind::Elephant);
        let mut reached = 0;
        for square in elephants {
            reached |= position.elephant_attacks(square).bits();
        }
        *guards |= reached;
        if reached & elephants.bits() != 0 {
            sink.add(Part::Defence, self.elephants_linked, 1);
        }
        let rank = masks::own_rank(us, king.rank());
        if rank > 0 {
            let attackers = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon]
                .map(|kind| position.pieces(them, kind).bits());
            let attackers = attackers[0] | attackers[1] | attackers[2];
            sink.add(Part::Defence, self.king_up[usize::from(rank) - 1], count(attackers));
        }
        if king.file() == their_king.file() {
            let between = (king.between(their_king) & position.occupied()).bits();
            let own = between & position.side(us).bits();
            if own == between && between & between.wrapping_sub(1) == 0 {
                sink.add(Part::Defence, self.pinned_by_king, 1);
            }
        } else if king.file().abs_diff(their_king.file()) == 1 {
            let before = masks::file(king.file()) & !(1 << king.index());
            if before & position.occupied().bits() == 0 {
                sink.add(Part::Attack, self.king_file, 1);
            }
        }
    }

    #[inline]
    fn pawns<S: Sink>(&self, position: &Xiangqi, us: Side, sink: &mut S) {
        let them = us.other();
        let pawns = position.pieces(us, PieceKind::Pawn);
        let their_pawns = position.pieces(them, PieceKind::Pawn).bits();
        let their_king = position.king(them);
        let crossed = pawns.bits() & BEYOND[us.index()];
        sink.add(Part::Pawns, self.pawns_crossed[crossed.count_ones() as usize], 1);
        let linked = masks::left(crossed) & crossed;
        for square in pawns {
            let at = 1 << square.index();
            if crossed & at == 0 {
                if masks::file(square.file()) & their_pawns == 0 {
                    sink.add(Part::Pawns, self.pawn_unopposed, 1);
                }
                continue;
            }
            let steps = square.file().abs_diff(their_king.file())
                + square.rank().abs_diff(their_king.rank());
            sink.add(Part::Pawns, self.pawn_near_king[usize::from(steps.min(7)) - 1], 1);
            if linked & at != 0 {
                let rank = masks::own_rank(us, square.rank());
                sink.add(Part::Pawns, self.pawns_linked[usize::from(rank) - 5], 1);
            }
        }
        if pawns.bits() & masks::file(4) == 0 {
            let cannons = position.pieces(them, PieceKind::Cannon).bits();
            sink.add(Part::Defence, self.open_centre, count(cannons));
        }
    }

    /// What one side attacks of the other, and what it protects of its own.
    #[inline]
    pub(super) fn threats<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        attacks: &[Attacks; 2],
        sink: &mut S,
    ) {
        let them = us.other();
        let (own, other) = (&attacks[us.index()], &attacks[them.index()]);
        let (reach, shelter) = (own.all(), other.all());
        let theirs = |kind| position.pieces(them, kind).bits();
        let mut add = |weight: Pair, set: Bits| {
            if set != 0 {
                sink.add(Part::Threats, weight, count(set));
            }
        };
        let attacked = reach & position.side(them).bits();
        if attacked != 0 {
            let loose = attacked & !shelter;
            if loose != 0 {
                let table = if position.side_to_move() == us { &self.lost } else { &self.hanging };
                for (weight, kind) in table.iter().zip(VICTIMS) {
                    add(*weight, loose & theirs(kind));
                }
            }
            let [horses, rooks, cannons] =
                [PieceKind::Horse, PieceKind::Rook, PieceKind::Cannon].map(theirs);
            for (weight, set) in self.contested.iter().zip([horses, rooks, cannons]) {
                add(*weight, attacked & shelter & set);
            }
            let guards = theirs(PieceKind::Advisor) | theirs(PieceKind::Elephant);
            for (weight, set) in self.threat_by_pawn.iter().zip([guards, horses | cannons, rooks]) {
                add(*weight, own.pawns & set);
            }
            add(self.threat_by_guard, own.guards & (horses | rooks | cannons));
            add(self.threat_on_rook[0], own.horses & rooks);
            add(self.threat_on_rook[1], own.cannons & rooks);
        }
        let ours = |kind| position.pieces(us, kind).bits();
        for (weight, kind) in
            self.protected.iter().zip([PieceKind::Horse, PieceKind::Rook, PieceKind::Cannon])
        {
            add(*weight, reach & ours(kind));
        }
        add(self.pawn_backed, reach & ours(PieceKind::Pawn) & BEYOND[us.index()]);
    }
}
