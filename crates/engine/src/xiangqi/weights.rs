//! The numbers of the xiangqi evaluation: pairs of centipawns, first with all attackers on the
//! board, then with none.
//!
//! Tables show the board from Red's seat with rank 9 on top, files a to e; files f to i mirror them.

use crate::taper::Pair;
use games::xiangqi::{Move, Piece, Side};

/// Every number of the evaluation that is no table of squares; kinds in the order king, advisor,
/// elephant, horse, rook, cannon, pawn.
pub(super) struct Weights {
    pub(super) material: [Pair; 7],
    /// Share of each piece in the phase.
    pub(super) phase: [i32; 7],
    /// Per point reached beyond the usual number.
    pub(super) rook_mobility: Pair,
    pub(super) horse_mobility: Pair,
    pub(super) cannon_mobility: Pair,
    /// The usual number of points, by the same order.
    pub(super) usual: [i32; 3],
    /// Per point of the enemy's palace attacked by a rook or a horse.
    pub(super) rook_on_palace: Pair,
    pub(super) horse_on_palace: Pair,
    /// A cannon that sees the enemy's king along an empty file.
    pub(super) hollow_cannon: Pair,
    /// A cannon with exactly two pieces between itself and the enemy's king.
    pub(super) pinning_cannon: Pair,
    /// Per missing advisor and enemy rook or horse.
    pub(super) bare_advisor: Pair,
    /// Per missing elephant and enemy cannon.
    pub(super) bare_elephant: Pair,
    /// For the side to move.
    pub(super) tempo: i32,
}

/// The weights in use.
pub(super) const WEIGHTS: Weights = Weights {
    material: [
        Pair::new(0, 0),
        Pair::new(190, 180),
        Pair::new(185, 190),
        Pair::new(400, 440),
        Pair::new(930, 960),
        Pair::new(460, 430),
        Pair::new(80, 110),
    ],
    phase: [0, 0, 0, 3, 6, 3, 0],
    rook_mobility: Pair::new(4, 5),
    horse_mobility: Pair::new(10, 9),
    cannon_mobility: Pair::new(3, 4),
    usual: [9, 4, 8],
    rook_on_palace: Pair::new(7, 5),
    horse_on_palace: Pair::new(10, 9),
    hollow_cannon: Pair::new(90, 60),
    pinning_cannon: Pair::new(22, 12),
    bare_advisor: Pair::new(16, 12),
    bare_elephant: Pair::new(10, 6),
    tempo: 12,
};

/// The sum of the phase shares of both sides at the start.
pub(super) const FULL_PHASE: i32 = 48;

/// What a capture wins at most at once: material plus what the best square adds.
pub(super) const EXCHANGE: [i32; 7] = [0, 190, 190, 440, 960, 460, 200];

/// Half a board: ranks 9 to 0, files a to e.
type Half = [[i32; 5]; 10];

const KING: Half = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, -60, -50],
    [0, 0, 0, -28, -18],
    [0, 0, 0, 0, 16],
];

const ADVISOR: Half = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, -12, 0],
    [0, 0, 0, 0, 8],
    [0, 0, 0, 2, 0],
];

const ELEPHANT: Half = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, -8, 0, 0],
    [0, 0, 0, 0, 0],
    [-20, 0, 0, 0, 14],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
];

const HORSE: Half = [
    [-10, 4, 12, 10, 0],
    [2, 22, 46, 40, 6],
    [12, 26, 38, 48, 34],
    [14, 44, 34, 50, 38],
    [6, 30, 30, 42, 44],
    [2, 24, 28, 36, 40],
    [0, 8, 18, 16, 22],
    [-6, 2, 14, 8, 4],
    [-12, -8, 0, -4, -50],
    [-24, -20, -12, -14, -24],
];

const ROOK: Half = [
    [10, 14, 10, 26, 24],
    [16, 26, 18, 38, 46],
    [12, 16, 14, 28, 30],
    [12, 26, 22, 32, 34],
    [16, 22, 22, 30, 30],
    [14, 24, 22, 28, 30],
    [4, 14, 8, 20, 20],
    [-4, 10, 4, 18, 14],
    [-2, 8, 6, 16, 0],
    [-28, 4, 0, 14, 0],
];

const CANNON: Half = [
    [24, 18, 4, -20, -26],
    [12, 10, 2, -14, -18],
    [8, 8, 0, -12, -12],
    [0, 12, 12, 10, 20],
    [0, 4, 6, 6, 18],
    [-2, 2, 12, 8, 22],
    [0, 0, 2, 4, 14],
    [4, 2, 14, 12, 22],
    [0, 4, 6, 8, 8],
    [0, 0, 4, 8, 6],
];

const PAWN: Half = [
    [0, 4, 8, 14, 18],
    [60, 84, 110, 130, 136],
    [56, 82, 106, 120, 124],
    [50, 70, 84, 96, 100],
    [40, 52, 64, 78, 74],
    [8, 0, 20, 0, 22],
    [0, 0, 2, 0, 6],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
];

/// The end game keeps this share, in 16ths, of the table of each kind.
const END_SHARE: [i32; 7] = [6, 8, 12, 12, 8, 6, 17];

const HALVES: [Half; 7] = [KING, ADVISOR, ELEPHANT, HORSE, ROOK, CANNON, PAWN];

/// Material and square of every piece, Red's positive, by piece code and point.
pub(super) static SQUARES: [[Pair; 90]; 16] = {
    let mut table = [[Pair::new(0, 0); 90]; 16];
    let mut kind = 0;
    while kind < 7 {
        let mut square = 0;
        while square < 90 {
            let (file, rank) = (square % 9, square / 9);
            let half_file = if file < 5 { file } else { 8 - file };
            let material = WEIGHTS.material[kind];
            let red = HALVES[kind][9 - rank][half_file];
            let black = HALVES[kind][rank][half_file];
            table[kind + 1][square] =
                Pair::new(material.middle() + red, material.end() + red * END_SHARE[kind] / 16);
            table[kind + 9][square] =
                Pair::new(material.middle() + black, material.end() + black * END_SHARE[kind] / 16)
                    .negated();
            square += 1;
        }
        kind += 1;
    }
    table
};

/// What a piece's square improves by, in centipawns of the middle game from its own view.
#[inline]
pub(super) fn progress(piece: Piece, mv: Move) -> i32 {
    let table = &SQUARES[piece.code()];
    let gain = table[mv.to().index()].middle() - table[mv.from().index()].middle();
    if piece.side() == Side::Red { gain } else { -gain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_pair_add_up_on_their_own() {
        let mut sum = Pair::default();
        for (middle, end) in [(930, 960), (-80, 110), (-930, -1), (17, -300)] {
            sum += Pair::new(middle, end);
        }
        sum -= Pair::new(-5, 9).times(3);
        assert_eq!((sum.middle(), sum.end()), (-63 + 15, 769 - 27));
        assert_eq!((sum.negated().middle(), sum.negated().end()), (48, -742));
    }

    #[test]
    fn the_full_phase_is_that_of_the_start() {
        let each: i32 = WEIGHTS.phase.iter().sum::<i32>() * 2;
        assert_eq!(2 * each, FULL_PHASE);
    }
}
