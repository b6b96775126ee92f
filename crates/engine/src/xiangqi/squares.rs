//! What pieces are worth, and how much their points add.
//!
//! The wings are alike: a table has files a to e, f to i mirror them; the first row is the farthest
//! rank from the owner's back rank. Points that a kind cannot reach have no number.

use crate::taper::{Pair, pairs};
use crate::tunables::tunables;
use games::xiangqi::{PieceKind, Side, Square};

tunables! {
    /// Material and piece-square tables, in centipawns.
    pub struct SquareWeights in Eval {
        advisor: Pair = Pair::new(167, 134), 60 => 400, c_end 10, "An advisor.";
        elephant: Pair = Pair::new(161, 95), 60 => 400, c_end 10, "An elephant.";
        horse: Pair = Pair::new(379, 491), 200 => 900, c_end 15, "A horse.";
        rook: Pair = Pair::new(974, 1264), 500 => 1800, c_end 25, "A rook.";
        cannon: Pair = Pair::new(425, 520), 200 => 900, c_end 15, "A cannon.";
        pawn: Pair = Pair::new(48, 126), 20 => 300, c_end 8, "A pawn.";
        king_square: [Pair; 6] = pairs([-70, -56, -48, -28, 1, 61], [-20, -24, 3, 0, -6, -3]), -200 => 200, c_end 8, "A king on this point of files d and e, its third rank first.";
        advisor_square: [Pair; 3] = pairs([-20, 28, -19], [-3, -7, -7]), -100 => 100, c_end 6,
            "An advisor on its third rank, in the centre, on the back rank.";
        elephant_square: [Pair; 4] = pairs([-24, -11, 29, -17], [-1, -34, 15, -25]), -100 => 100, c_end 6,
            "An elephant at the river, on the edge, in the centre, on the back rank.";
        horse_square: [Pair; 50] = pairs([
            -13, 5, 12, 7, 1,
            8, 19, 46, 48, 7,
            12, 31, 40, 53, 41,
            28, 51, 35, 55, 32,
            7, 39, 27, 56, 55,
            7, 32, 50, 28, 44,
            -14, 16, 17, 23, 24,
            -2, 3, -17, 27, 14,
            -37, -12, 11, -10, -67,
            -24, -73, -24, -28, -25,
        ], [
            -6, 5, 9, 7, 1,
            5, 10, 33, 36, 5,
            14, 26, 33, 44, 35,
            17, 35, 24, 36, 22,
            8, 33, 21, 37, 34,
            5, 27, 31, 28, 38,
            -3, 2, 20, 12, 22,
            -19, 5, -2, 6, -5,
            -20, -7, -1, -11, -43,
            -16, -32, -16, -17, -19,
        ]), -200 => 200, c_end 8, "A horse on this point of files a to e, the farthest rank first.";
        rook_square: [Pair; 50] = pairs([
            -2, -5, 8, 32, 26,
            18, 55, 24, 53, 44,
            10, 19, 18, 12, 30,
            -9, 31, 29, 47, 21,
            12, 12, 25, 0, 39,
            24, 16, 27, 28, 21,
            23, 34, 17, 24, 24,
            -12, 15, -1, 38, 26,
            -15, -18, 10, 14, 2,
            -48, -6, 15, 18, 0,
        ], [
            -3, -3, 4, 6, 15,
            12, 23, 7, 14, 21,
            8, 12, 5, 7, 6,
            -5, 6, 24, 15, 19,
            12, 9, 22, 11, 30,
            8, 17, 24, 12, 7,
            3, 11, 16, 21, 11,
            5, 1, 11, 2, 23,
            -6, 0, 7, 19, -1,
            -38, 2, 7, 4, 1,
        ]), -200 => 200, c_end 8, "A rook on this point of files a to e, the farthest rank first.";
        cannon_square: [Pair; 50] = pairs([
            19, 11, -9, -24, -29,
            4, -9, 21, -15, -21,
            8, 10, -18, -16, -14,
            -2, 8, 27, -6, 19,
            15, -20, -11, 27, 49,
            -2, 22, 25, -26, 41,
            -9, -23, -4, -14, 21,
            28, -6, -4, 43, 54,
            -7, 9, 10, 11, 21,
            -6, 8, -1, 0, 6,
        ], [
            17, 11, -2, -12, -6,
            4, 5, 11, 0, -5,
            5, 1, -6, -6, -4,
            8, 4, 1, -2, 7,
            11, 0, -4, 3, 15,
            -1, 6, 3, -1, 10,
            -7, -6, -6, 1, 6,
            7, -6, 15, 7, 20,
            3, 5, 1, 1, 2,
            -9, -3, -1, -4, 3,
        ]), -200 => 200, c_end 8, "A cannon on this point of files a to e, the farthest rank first.";
        pawn_square: [Pair; 31] = pairs([
            1, 5, 6, 11, 13,
            56, 93, 111, 136, 138,
            52, 87, 103, 119, 127,
            55, 82, 81, 104, 90,
            48, 69, 46, 66, 71,
            -13, 24, -2,
            40, -32, 45,
        ], [
            2, 4, 0, -10, -16,
            59, 90, 112, 149, 159,
            53, 90, 117, 135, 131,
            45, 80, 92, 121, 121,
            36, 76, 64, 71, 82,
            18, 1, 27,
            15, -16, 30,
        ]), -200 => 400, c_end 8,
            "A pawn on this point, the farthest rank first: files a to e beyond the river, a, c, e before it.";
    }
}

impl SquareWeights {
    /// What a kind is worth anywhere; nothing for the king.
    pub(super) fn material(&self, kind: PieceKind) -> Pair {
        match kind {
            PieceKind::King => Pair::default(),
            PieceKind::Advisor => self.advisor,
            PieceKind::Elephant => self.elephant,
            PieceKind::Horse => self.horse,
            PieceKind::Rook => self.rook,
            PieceKind::Cannon => self.cannon,
            PieceKind::Pawn => self.pawn,
        }
    }

    /// What a point adds for a side's piece; `None` where it cannot stand.
    pub(super) fn square(&self, side: Side, kind: PieceKind, square: Square) -> Option<Pair> {
        let rank = usize::from(super::masks::own_rank(side, square.rank()));
        let file = usize::from(square.file().min(8 - square.file()));
        let whole = 5 * (9 - rank) + file;
        match kind {
            PieceKind::King if rank < 3 && file > 2 => {
                Some(self.king_square[2 * (2 - rank) + file - 3])
            }
            PieceKind::Advisor if rank < 3 && file > 2 && (rank + file) % 2 == 1 => {
                Some(self.advisor_square[2 - rank])
            }
            PieceKind::Elephant => match (rank, file) {
                (4, 2) => Some(self.elephant_square[0]),
                (2, 0) => Some(self.elephant_square[1]),
                (2, 4) => Some(self.elephant_square[2]),
                (0, 2) => Some(self.elephant_square[3]),
                _ => None,
            },
            PieceKind::Horse => Some(self.horse_square[whole]),
            PieceKind::Rook => Some(self.rook_square[whole]),
            PieceKind::Cannon => Some(self.cannon_square[whole]),
            PieceKind::Pawn if rank > 4 => Some(self.pawn_square[whole]),
            PieceKind::Pawn if rank > 2 && file % 2 == 0 => {
                Some(self.pawn_square[25 + 3 * (4 - rank) + file / 2])
            }
            _ => None,
        }
    }
}
