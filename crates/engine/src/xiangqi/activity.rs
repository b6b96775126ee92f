//! What the pieces do where they stand: mobility, lines, posts near the other king, and the points
//! that each side attacks.

use super::masks::{self, BEYOND, Bits, PALACE};
use super::sink::{Part, Sink};
use crate::taper::{Pair, pairs};
use crate::tunables::tunables;
use games::xiangqi::{PieceKind, Side, Square, Xiangqi};

tunables! {
    /// Weights of rooks, horses and cannons by what they reach.
    pub struct ActivityWeights in Eval {
        rook_mobility: [Pair; 16] = pairs(
            [-26, -29, -32, -19, -6, -5, 1, 2, 10, 1, 5, 27, 13, 32, 34, 27],
            [-35, -34, -29, -23, -17, -7, -5, 0, 9, 17, 19, 20, 28, 33, 44, 32],
        ), -150 => 150, c_end 5,
            "A rook that reaches so many points beyond two, pieces included.";
        rook_on_palace: Pair = Pair::new(8, -2), -30 => 60, c_end 2,
            "Each point of the other palace that a rook attacks.";
        rook_open: Pair = Pair::new(12, 4), -60 => 80, c_end 4, "A rook on a file without pawns.";
        rook_half_open: Pair = Pair::new(18, 15), -60 => 80, c_end 4,
            "A rook on a file with pawns of the other side alone.";
        rook_flank: Pair = Pair::new(6, 1), -60 => 100, c_end 4,
            "A rook on one of the palace's outer files, the other king on the middle one.";
        rook_linked: Pair = Pair::new(8, 5), -60 => 60, c_end 3, "A rook that protects the other one.";
        rook_to_king_file: [Pair; 4] = pairs([16, 24, 6, -3], [12, 12, 6, 0]), -100 => 150, c_end 5,
            "A rook with so many pieces (3: or more) before the other king on a file.";
        rook_to_king_rank: [Pair; 4] = pairs([16, 8, -6, 0], [12, 6, -3, 0]), -100 => 150, c_end 5,
            "A rook with so many pieces (3: or more) before the other king on a rank.";
        horse_mobility: [Pair; 7] = pairs([-42, -38, -29, -19, 0, 25, 60], [-36, -30, -19, -15, 6, 26, 37]), -150 => 150, c_end 5,
            "A horse that reaches 0, 1, 2, 3, 4, 6, 8 points, its legs considered, pieces included.";
        horse_on_palace: Pair = Pair::new(13, 8), -30 => 60, c_end 2,
            "Each point of the other palace that a horse attacks.";
        horse_obstructed: Pair = Pair::new(-3, -2), -40 => 40, c_end 2,
            "Each of its points that a horse finds taken by its side or guarded by a pawn.";
        horse_leg: [Pair; 2] = pairs([-5, -11], [-6, -5]), -60 => 60, c_end 3,
            "A horse before the river whose way forward is blocked by its own side, by the other.";
        horse_near_king: [Pair; 15] = pairs(
            [1, 4, -1, 1, 5, 2, 1, 2, 0, 2, 2, 1, -4, 0, 2],
            [0, 5, -1, 2, 1, 2, 0, 3, 0, 4, 1, 3, -7, 0, 2],
        ), -120 => 150, c_end 5,
            "A horse up to three files and three ranks from the other king: one less than four times the files plus the ranks.";
        cannon_mobility: [Pair; 18] = pairs(
            [-24, -23, -20, -13, -4, -16, -1, 1, 6, -2, -2, 12, 14, 16, 12, 20, 26, 24],
            [-32, -29, -23, -20, -15, -11, -6, 0, 0, 4, 6, 21, 13, 20, 21, 24, 33, 39],
        ), -150 => 150, c_end 5,
            "A cannon that reaches so many points, targets over a screen included.";
        cannon_on_palace: Pair = Pair::new(8, 5), -30 => 60, c_end 2,
            "Each piece in the other palace that a cannon attacks.";
        cannon_to_king_file: [Pair; 5] = pairs([101, 0, 36, 8, 2], [51, 0, 23, 2, 2]), -100 => 300, c_end 6,
            "A cannon with so many pieces (4: or more) before the other king on a file; none: a hollow cannon.";
        cannon_to_king_rank: [Pair; 5] = pairs([12, 6, 16, 1, 0], [9, 3, 16, -1, 0]), -100 => 300, c_end 6,
            "A cannon with so many pieces (4: or more) before the other king on a rank.";
        hollow_and_rook: Pair = Pair::new(31, 13), -100 => 200, c_end 6,
            "A hollow cannon with a rook on its side.";
        hollow_and_cannon: Pair = Pair::new(34, 24), -100 => 200, c_end 6,
            "A hollow cannon with a second cannon on its side.";
        bottom_cannon_and_rook: Pair = Pair::new(15, 19), -100 => 150, c_end 6,
            "A cannon on the rank of the other king with a rook on its side.";
        cannons_on_king: Pair = Pair::new(11, 7), -100 => 200, c_end 6,
            "Two cannons on the lines of the other king.";
        crossed: [Pair; 7] = pairs([8, -14, 3, 4, 0, 0, 0], [-11, -1, 2, 9, 0, 0, 0]), -150 => 150, c_end 5,
            "So many rooks, horses and cannons beyond the river.";
        on_palace: [Pair; 7] = pairs([-7, -12, 19, 17, 29, 40, 50], [-1, -1, 2, 13, 20, 28, 34]), -150 => 250, c_end 5,
            "So many rooks, horses and cannons that attack the other palace.";
        on_bare_palace: Pair = Pair::new(12, 2), -40 => 60, c_end 2,
            "Each of them, for each advisor and elephant that the other side lacks.";
    }
}

/// The points that a side attacks or protects, by kinds of attackers.
#[derive(Clone, Copy, Default)]
pub(super) struct Attacks {
    pub(super) rooks: Bits,
    pub(super) horses: Bits,
    pub(super) cannons: Bits,
    pub(super) pawns: Bits,
    /// King, advisors, elephants.
    pub(super) guards: Bits,
}

impl Attacks {
    #[inline]
    pub(super) fn all(&self) -> Bits {
        self.rooks | self.horses | self.cannons | self.pawns | self.guards
    }
}

/// What one side aims at.
struct Target {
    king: Square,
    palace: Bits,
    /// The king's file and rank.
    lines: Bits,
}

impl ActivityWeights {
    /// The weights of one side's attackers; fills in what they attack. The attacks of pawns are known.
    #[inline]
    pub(super) fn activity<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        attacks: &mut [Attacks; 2],
        sink: &mut S,
    ) {
        let them = us.other();
        let king = position.king(them);
        let lines = masks::file(king.file()) | masks::rank(king.rank());
        let target = Target { king, palace: PALACE[them.index()], lines };
        let their_pawns = attacks[them.index()].pawns;
        let own = &mut attacks[us.index()];
        let mut on_palace = 0;
        let rooks = position.pieces(us, PieceKind::Rook);
        if !rooks.is_empty() {
            own.rooks = self.rooks(position, us, &target, &mut on_palace, sink);
        }
        let horses = position.pieces(us, PieceKind::Horse);
        if !horses.is_empty() {
            own.horses = self.horses(position, us, &target, their_pawns, &mut on_palace, sink);
        }
        let cannons = position.pieces(us, PieceKind::Cannon);
        if !cannons.is_empty() {
            own.cannons = self.cannons(position, us, &target, &mut on_palace, sink);
        }
        let crossed = (rooks | horses | cannons).bits() & BEYOND[us.index()];
        sink.add(Part::Attack, self.crossed[crossed.count_ones() as usize], 1);
        sink.add(Part::Attack, self.on_palace[on_palace], 1);
        let guards = position.kind(PieceKind::Advisor) | position.kind(PieceKind::Elephant);
        let lacking = 4 - (guards & position.side(them)).len() as i32;
        sink.add(Part::Attack, self.on_bare_palace, on_palace as i32 * lacking);
    }

    #[inline]
    fn rooks<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        target: &Target,
        on_palace: &mut usize,
        sink: &mut S,
    ) -> Bits {
        let rooks = position.pieces(us, PieceKind::Rook);
        let own_pawns = position.pieces(us, PieceKind::Pawn).bits();
        let pawns = position.kind(PieceKind::Pawn).bits();
        let mut reached = 0;
        for square in rooks {
            let attacks = position.rook_attacks(square).bits();
            reached |= attacks;
            let mobility = position.rook_mobility(square) as usize - 2;
            sink.add(Part::Rooks, self.rook_mobility[mobility], 1);
            let hits = attacks & target.palace;
            if hits != 0 {
                *on_palace += 1;
                sink.add(Part::Attack, self.rook_on_palace, hits.count_ones() as i32);
            }
            let file = masks::file(square.file());
            if file & own_pawns == 0 {
                let open = file & pawns == 0;
                sink.add(Part::Rooks, if open { self.rook_open } else { self.rook_half_open }, 1);
            }
            if target.king.file() == 4 && (square.file() == 3 || square.file() == 5) {
                sink.add(Part::Attack, self.rook_flank, 1);
            }
            if attacks & rooks.bits() != 0 {
                sink.add(Part::Rooks, self.rook_linked, 1);
            }
            if target.lines >> square.index() & 1 != 0 {
                let between = between(position, square, target.king).min(3);
                let on_file = square.file() == target.king.file();
                let table = if on_file { &self.rook_to_king_file } else { &self.rook_to_king_rank };
                sink.add(Part::Attack, table[between], 1);
            }
        }
        reached
    }

    #[inline]
    fn horses<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        target: &Target,
        their_pawns: Bits,
        on_palace: &mut usize,
        sink: &mut S,
    ) -> Bits {
        let own = position.side(us).bits();
        let occupied = position.occupied().bits();
        let mut reached = 0;
        for square in position.pieces(us, PieceKind::Horse) {
            let attacks = position.horse_attacks(square).bits();
            reached |= attacks;
            // Beyond four they come in pairs.
            let points = attacks.count_ones() as usize;
            sink.add(Part::Horses, self.horse_mobility[points.min(points / 2 + 2)], 1);
            let hits = attacks & target.palace;
            if hits != 0 {
                *on_palace += 1;
                sink.add(Part::Attack, self.horse_on_palace, hits.count_ones() as i32);
            }
            let obstructed = attacks & (own | their_pawns);
            if obstructed != 0 {
                sink.add(Part::Horses, self.horse_obstructed, obstructed.count_ones() as i32);
            }
            let leg = masks::ahead(us, 1 << square.index());
            if leg & occupied & !BEYOND[us.index()] != 0 {
                sink.add(Part::Horses, self.horse_leg[usize::from(leg & own == 0)], 1);
            }
            let files = usize::from(square.file().abs_diff(target.king.file()));
            let ranks = usize::from(square.rank().abs_diff(target.king.rank()));
            if files < 4 && ranks < 4 {
                sink.add(Part::Attack, self.horse_near_king[4 * files + ranks - 1], 1);
            }
        }
        reached
    }

    #[inline]
    fn cannons<S: Sink>(
        &self,
        position: &Xiangqi,
        us: Side,
        target: &Target,
        on_palace: &mut usize,
        sink: &mut S,
    ) -> Bits {
        let cannons = position.pieces(us, PieceKind::Cannon);
        let has_rook = !position.pieces(us, PieceKind::Rook).is_empty();
        let mut reached = 0;
        for square in cannons {
            let attacks = position.cannon_attacks(square).bits();
            reached |= attacks;
            let mobility = position.cannon_mobility(square) as usize;
            sink.add(Part::Cannons, self.cannon_mobility[mobility], 1);
            let hits = attacks & target.palace;
            if hits != 0 {
                *on_palace += 1;
                sink.add(Part::Attack, self.cannon_on_palace, hits.count_ones() as i32);
            }
            if target.lines >> square.index() & 1 == 0 {
                continue;
            }
            let between = between(position, square, target.king).min(4);
            if square.file() != target.king.file() {
                sink.add(Part::Attack, self.cannon_to_king_rank[between], 1);
                if has_rook {
                    sink.add(Part::Attack, self.bottom_cannon_and_rook, 1);
                }
                continue;
            }
            sink.add(Part::Attack, self.cannon_to_king_file[between], 1);
            if between == 0 {
                if has_rook {
                    sink.add(Part::Attack, self.hollow_and_rook, 1);
                }
                if cannons.bits() & (cannons.bits() - 1) != 0 {
                    sink.add(Part::Attack, self.hollow_and_cannon, 1);
                }
            }
        }
        let aimed = cannons.bits() & target.lines;
        if aimed & aimed.wrapping_sub(1) != 0 {
            sink.add(Part::Attack, self.cannons_on_king, 1);
        }
        reached
    }
}

/// How many pieces stand strictly between two points of a line.
#[inline]
fn between(position: &Xiangqi, a: Square, b: Square) -> usize {
    (a.between(b) & position.occupied()).len() as usize
}
