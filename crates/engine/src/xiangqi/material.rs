//! What depends on the numbers of pieces alone: which attackers work well together, what a palace
//! lacks against them, and which endings are hard to win.
//!
//! All of it changes by captures only and is kept along the line.

use super::sink::{Part, Sink};
use crate::taper::{Pair, pairs};
use crate::tunables::tunables;
use games::xiangqi::{Piece, PieceKind, Side};

tunables! {
    /// Weights of numbers of pieces.
    pub struct BalanceWeights in Eval {
        rook_and_horse: Pair = Pair::new(9, 22), -150 => 150, c_end 6,
            "A side with a rook and a horse.";
        rook_and_cannon: Pair = Pair::new(4, 0), -150 => 150, c_end 6,
            "A side with a rook and a cannon.";
        horse_and_cannon: Pair = Pair::new(4, 41), -150 => 150, c_end 6,
            "A side with a horse and a cannon.";
        both_rooks: Pair = Pair::new(-13, -6), -150 => 150, c_end 6, "A side with two rooks.";
        both_horses: Pair = Pair::new(10, 5), -150 => 150, c_end 6, "A side with two horses.";
        both_cannons: Pair = Pair::new(4, 12), -150 => 150, c_end 6, "A side with two cannons.";
        rooks_alone: Pair = Pair::new(57, 81), -200 => 300, c_end 8,
            "A side with a rook against one without.";
        lone_attacker: [Pair; 3] = pairs([-5, 22, -1], [-8, 53, -17]), -200 => 200, c_end 8,
            "A side whose only attacker is a horse, a rook, a cannon.";
        no_attacker: Pair = Pair::new(-2, -42), -300 => 200, c_end 8, "A side without an attacker.";
        horse_crowd: Pair = Pair::new(-2, 1), -20 => 20, c_end 1,
            "A horse, for each piece on the board beyond twenty.";
        cannon_crowd: Pair = Pair::new(2, 5), -20 => 20, c_end 1,
            "A cannon, for each piece on the board beyond twenty.";
        pawn_count: [Pair; 6] = pairs([-13, 3, 8, -8, 1, -2], [-35, -29, 3, 23, -15, 3]), -200 => 200, c_end 6,
            "A side with so many pawns.";
        bare_advisor: [Pair; 4] = pairs([13, 25, -26, 2], [17, 14, -27, 15]), -80 => 120, c_end 4,
            "An attacker (horse, rook, cannon, pawn), for each advisor that the other side lacks.";
        bare_elephant: [Pair; 4] = pairs([10, 6, -8, 13], [24, -18, -21, 29]), -80 => 120, c_end 4,
            "An attacker (horse, rook, cannon, pawn), for each elephant that the other side lacks.";
        guards: [Pair; 5] = pairs([-3, 2, 9, 7, -5], [-3, 11, -3, 6, 22]), -80 => 120, c_end 4,
            "An attacker against so many advisors and elephants.";
        phase_minor: i32 = 4, 1 => 8, c_end 1, "Share of a horse or cannon in the phase of the game.";
        phase_rook: i32 = 7, 1 => 16, c_end 1, "Share of a rook in the phase of the game.";
        win_by_pawn: [i32; 3] = [52, 33, 20], 0 => 64, c_end 4,
            "How much of its lead one pawn alone keeps against so many guards, in 64ths.";
        win_by_pawns: [i32; 3] = [64, 56, 28], 0 => 64, c_end 4,
            "How much of its lead a pair of pawns alone keeps against so many guards, in 64ths.";
        win_by_horse: [i32; 4] = [34, 20, 16, 13], 0 => 64, c_end 4,
            "How much of its lead a horse alone keeps against so many guards, in 64ths.";
        win_by_rook: [i32; 5] = [48, 45, 23, 14, 10], 0 => 64, c_end 4,
            "How much of its lead a rook alone keeps against so many guards, in 64ths.";
        win_by_cannon: [i32; 3] = [23, 20, 17], 0 => 64, c_end 4,
            "How much of its lead a cannon alone keeps against so many guards, in 64ths.";
        win_by_minor_and_pawn: [i32; 4] = [60, 64, 39, 30], 0 => 64, c_end 4,
            "How much of its lead a horse or cannon with a pawn keeps against so many guards, in 64ths.";
        win_by_minors: [i32; 5] = [62, 61, 33, 45, 31], 0 => 64, c_end 4,
            "How much of their lead two horses or cannons alone keep against so many guards, in 64ths.";
    }
}

/// A lead that counts in full.
pub(super) const FULL_SCALE: i32 = 64;

/// How many pieces of each code there are, four bits for each.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts(u64);

impl Counts {
    #[inline]
    pub(super) fn put(&mut self, piece: Piece) {
        self.0 += 1 << (4 * piece.code());
    }

    #[inline]
    pub(super) fn take(&mut self, piece: Piece) {
        self.0 -= 1 << (4 * piece.code());
    }

    #[inline]
    fn of(self, side: Side, kind: PieceKind) -> i32 {
        (self.0 >> (4 * Piece::new(side, kind).code()) & 15) as i32
    }

    /// Horses, rooks and cannons of a side.
    #[inline]
    pub(super) fn attackers(self, side: Side) -> [i32; 3] {
        [PieceKind::Horse, PieceKind::Rook, PieceKind::Cannon].map(|kind| self.of(side, kind))
    }

    #[inline]
    fn all(self) -> i32 {
        // The nibbles added up in pairs, then the bytes.
        let bytes = (self.0 & 0x0f0f_0f0f_0f0f_0f0f) + (self.0 >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
        (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as i32
    }

    fn guards(self, side: Side) -> usize {
        (self.of(side, PieceKind::Advisor) + self.of(side, PieceKind::Elephant)) as usize
    }
}

impl BalanceWeights {
    /// The weights of one side's numbers.
    pub(super) fn balance<S: Sink>(&self, counts: Counts, us: Side, sink: &mut S) {
        let them = us.other();
        let own = counts.attackers(us);
        let [horses, rooks, cannons] = own;
        let pawns = counts.of(us, PieceKind::Pawn);
        let mut add = |weight: Pair, count: i32| sink.add(Part::Balance, weight, count);
        for (together, weight) in [
            (rooks > 0 && horses > 0, self.rook_and_horse),
            (rooks > 0 && cannons > 0, self.rook_and_cannon),
            (horses > 0 && cannons > 0, self.horse_and_cannon),
            (rooks > 1, self.both_rooks),
            (horses > 1, self.both_horses),
            (cannons > 1, self.both_cannons),
            (rooks > 0 && counts.of(them, PieceKind::Rook) == 0, self.rooks_alone),
        ] {
            if together {
                add(weight, 1);
            }
        }
        let attackers = horses + rooks + cannons;
        match attackers {
            0 => add(self.no_attacker, 1),
            1 => {
                for (weight, count) in self.lone_attacker.into_iter().zip(own) {
                    add(weight, count);
                }
            }
            _ => {}
        }
        let crowd = counts.all() - 20;
        add(self.horse_crowd, horses * crowd);
        add(self.cannon_crowd, cannons * crowd);
        add(self.pawn_count[pawns as usize], 1);
        let lacking = |kind| 2 - counts.of(them, kind);
        let (advisors, elephants) = (lacking(PieceKind::Advisor), lacking(PieceKind::Elephant));
        for (i, count) in [horses, rooks, cannons, pawns].into_iter().enumerate() {
            add(self.bare_advisor[i], advisors * count);
            add(self.bare_elephant[i], elephants * count);
        }
        add(self.guards[counts.guards(them)], attackers);
    }

    /// The share of the middle game, up to [`BalanceWeights::full_phase`].
    #[inline]
    pub(super) fn phase(&self, kind: PieceKind) -> i32 {
        match kind {
            PieceKind::Rook => self.phase_rook,
            PieceKind::Horse | PieceKind::Cannon => self.phase_minor,
            _ => 0,
        }
    }

    /// The phase of the start.
    pub(super) const fn full_phase(&self) -> i32 {
        8 * self.phase_minor + 4 * self.phase_rook
    }

    /// How much of its lead a side keeps, in 64ths.
    pub(super) fn scale(&self, counts: Counts, us: Side) -> i32 {
        let guards = counts.guards(us.other());
        // Beyond the tables the guards are worth more than what attacks them.
        let against = |table: &[i32]| table.get(guards).copied().unwrap_or(0);
        match (counts.attackers(us), counts.of(us, PieceKind::Pawn)) {
            ([0, 0, 0], 0) => 0,
            ([0, 0, 0], 1) => against(&self.win_by_pawn),
            ([0, 0, 0], 2) => against(&self.win_by_pawns),
            ([1, 0, 0], 0) => against(&self.win_by_horse),
            ([0, 1, 0], 0) => against(&self.win_by_rook),
            ([0, 0, 1], 0) => against(&self.win_by_cannon),
            ([1, 0, 0] | [0, 0, 1], 1) => against(&self.win_by_minor_and_pawn),
            ([2, 0, 0] | [0, 0, 2] | [1, 0, 1], 0) => against(&self.win_by_minors),
            _ => FULL_SCALE,
        }
    }
}
