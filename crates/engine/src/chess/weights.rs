//! The numbers of the chess evaluation: centipawns, by pairs for the middle game and for the end.

use super::squares;
use crate::taper::{Pair, pairs};
use crate::tunables::tunables;
use games::chess::{Color, Move, Piece};

/// Share of each piece in the phase, and that of all pieces together.
pub(super) const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
pub(super) const FULL_PHASE: i32 = 24;

tunables! {
    /// Every number of the evaluation.
    pub struct ChessWeights in Eval {
        piece: [Pair; 5] = pairs([69, 332, 344, 475, 960], [99, 305, 321, 541, 990]),
            20 => 2000, c_end 8, "A pawn, knight, bishop, rook and queen wherever they stand.";
        square_pawn: [Pair; 24] = squares::PAWN, -200 => 300, c_end 4,
            "A pawn on ranks 2 to 7, files a to d.";
        square_knight: [Pair; 32] = squares::KNIGHT, -200 => 200, c_end 4,
            "A knight on ranks 1 to 8, files a to d.";
        square_bishop: [Pair; 32] = squares::BISHOP, -200 => 200, c_end 4,
            "A bishop on ranks 1 to 8, files a to d.";
        square_rook: [Pair; 32] = squares::ROOK, -200 => 200, c_end 4,
            "A rook on ranks 1 to 8, files a to d.";
        square_queen: [Pair; 32] = squares::QUEEN, -200 => 200, c_end 4,
            "A queen on ranks 1 to 8, files a to d.";
        square_king: [Pair; 32] = squares::KING, -300 => 300, c_end 5,
            "The king on ranks 1 to 8, files a to d.";
        tempo: Pair = Pair::new(17, 12), 0 => 100, c_end 3, "The right to move.";

        knight_mobility: [Pair; 9] = pairs(
            [-39, -25, -10, -2, 3, 7, 10, 15, 20],
            [-48, -32, -16, -6, 2, 7, 12, 14, 16],
        ), -150 => 150, c_end 4, "A knight with so many free squares, from none.";
        bishop_mobility: [Pair; 14] = pairs(
            [-29, -16, -1, 5, 12, 16, 21, 24, 26, 28, 31, 34, 37, 40],
            [-40, -22, -8, 1, 8, 14, 19, 23, 26, 28, 30, 31, 33, 36],
        ), -150 => 150, c_end 4, "A bishop with so many free squares, from none.";
        rook_mobility: [Pair; 15] = pairs(
            [-36, -16, -7, -2, -3, -1, 1, 4, 7, 11, 13, 16, 18, 20, 22],
            [-50, -24, -6, 4, 12, 19, 25, 31, 36, 41, 45, 49, 52, 54, 56],
        ), -150 => 150, c_end 4, "A rook with so many free squares, from none.";
        queen_mobility: [Pair; 28] = pairs(
            [
                -24, -16, -10, -6, -3, 0, 2, 4, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                19, 20, 21, 22, 23, 24, 25,
            ],
            [
                -40, -28, -20, -12, -6, 0, 4, 8, 12, 16, 20, 23, 26, 28, 30, 32, 34, 36, 38, 40,
                42, 44, 46, 48, 50, 52, 54, 56,
            ],
        ), -150 => 150, c_end 4, "A queen with so many free squares, from none.";

        doubled: Pair = Pair::new(-8, -22), -100 => 50, c_end 3,
            "A pawn that has another of its side before it.";
        isolated: Pair = Pair::new(-8, -8), -100 => 50, c_end 3,
            "A pawn without neighbours on the files beside.";
        isolated_open: Pair = Pair::new(-8, -5), -100 => 50, c_end 3,
            "More for an isolated pawn with no pawn before it.";
        backward: Pair = Pair::new(-5, -7), -100 => 50, c_end 3,
            "A pawn that its neighbours have left and that cannot step on.";
        backward_open: Pair = Pair::new(-8, -6), -100 => 50, c_end 3,
            "More for a backward pawn with no pawn before it.";
        supported: [Pair; 5] = pairs([10, 10, 13, 28, 60], [8, 8, 13, 30, 70]), -50 => 200, c_end 3,
            "A pawn that a pawn protects, on ranks 3 to 7.";
        phalanx: [Pair; 6] = pairs([6, 4, 9, 20, 50, 60], [0, 3, 7, 24, 60, 80]),
            -50 => 250, c_end 3, "A pawn beside a pawn of its side, on ranks 2 to 7.";
        candidate: [Pair; 5] = pairs([0, 1, 6, 15, 30], [2, 6, 14, 29, 50]), -50 => 200, c_end 3,
            "A pawn on ranks 2 to 6 that may become a passed pawn.";
        passed: [Pair; 6] = pairs([0, 0, 6, 24, 50, 90], [10, 14, 28, 46, 90, 150]),
            -50 => 350, c_end 4, "A passed pawn on ranks 2 to 7.";
        passed_guarded: Pair = Pair::new(6, 8), -50 => 100, c_end 3,
            "A passed pawn that a pawn protects.";
        passed_own_king: [Pair; 4] = pairs([0, -1, 0, 0], [-2, -5, -8, -8]), -50 => 50, c_end 2,
            "For each step of the own king to the square before a passed pawn on ranks 4 to 7.";
        passed_other_king: [Pair; 4] = pairs([0, 0, 0, 0], [4, 10, 16, 18]), -50 => 60, c_end 2,
            "For each step of the other king to the square before a passed pawn on ranks 4 to 7.";
        passed_free: [Pair; 4] = pairs([2, 4, 10, 20], [2, 6, 14, 20]), -100 => 200, c_end 4,
            "A passed pawn on ranks 4 to 7 that can step on.";
        passed_step: [Pair; 3] = pairs([2, 4, 8], [4, 8, 16]), -100 => 200, c_end 4,
            "More on ranks 4 to 6 where nothing attacks the square before it.";
        passed_path: [Pair; 4] = pairs([4, 8, 20, 40], [8, 16, 40, 60]), -100 => 250, c_end 4,
            "More where nothing attacks its whole path.";
        passed_blocked: [Pair; 4] = pairs([-4, -8, -16, -24], [-6, -12, -20, -30]),
            -150 => 50, c_end 4, "A passed pawn on ranks 4 to 7 before which stands a piece of theirs.";
        passed_backed: Pair = Pair::new(4, 12), -50 => 100, c_end 3,
            "A rook or queen behind an own passed pawn.";
        passed_chased: Pair = Pair::new(-4, -14), -100 => 50, c_end 3,
            "A rook or queen of theirs behind a passed pawn.";
        unstoppable: Pair = Pair::new(100, 300), 0 => 800, c_end 10,
            "A passed pawn that a king alone comes too late to stop.";

        bishop_pair: Pair = Pair::new(29, 48), -50 => 150, c_end 4, "Bishops of both colours.";
        bishop_pawns: Pair = Pair::new(-1, -4), -20 => 20, c_end 1,
            "For each own pawn on a bishop's colour, times one and the blocked pawns of the centre.";
        bishop_ray: Pair = Pair::new(-2, -3), -30 => 30, c_end 1,
            "For each pawn of theirs on a bishop's diagonals.";
        bishop_outpost: Pair = Pair::new(22, 12), -50 => 100, c_end 3,
            "A protected bishop on ranks 4 to 6 that no pawn can drive away.";
        bishop_from_king: Pair = Pair::new(-3, -2), -20 => 20, c_end 1,
            "For each step between a bishop and its king.";
        knight_outpost: Pair = Pair::new(32, 22), -50 => 100, c_end 3,
            "A protected knight on ranks 4 to 6 that no pawn can drive away.";
        knight_to_outpost: Pair = Pair::new(14, 8), -50 => 100, c_end 3,
            "A knight that can reach such a square.";
        knight_from_king: Pair = Pair::new(-3, -2), -20 => 20, c_end 1,
            "For each step between a knight and its king.";
        minor_shielded: Pair = Pair::new(8, 2), -30 => 60, c_end 2,
            "A knight or bishop behind a pawn.";
        rook_open: Pair = Pair::new(28, 12), -50 => 120, c_end 3, "A rook on a file without pawns.";
        rook_half_open: Pair = Pair::new(13, 9), -50 => 100, c_end 3,
            "A rook on a file without own pawns.";
        rook_seventh: Pair = Pair::new(10, 20), -50 => 120, c_end 3,
            "A rook on the seventh rank with pawns or the king to attack.";
        rook_trapped: Pair = Pair::new(-32, -8), -150 => 50, c_end 4,
            "A rook that its king shuts in.";

        threat_pawn: Pair = Pair::new(54, 40), 0 => 200, c_end 4,
            "For each piece that a pawn attacks.";
        threat_step: Pair = Pair::new(18, 14), -50 => 120, c_end 3,
            "For each piece that a pawn can attack with a step.";
        threat_minor: [Pair; 5] = pairs([2, 20, 28, 46, 42], [10, 18, 22, 40, 50]),
            -50 => 200, c_end 4, "A pawn, knight, bishop, rook or queen that a minor piece attacks.";
        threat_rook: [Pair; 5] = pairs([0, 20, 22, 4, 36], [15, 22, 20, 12, 36]),
            -50 => 200, c_end 4, "A weak pawn, knight, bishop, rook or queen that a rook attacks.";
        threat_king: Pair = Pair::new(10, 34), -50 => 150, c_end 4,
            "A weak piece or pawn that the king attacks.";
        hanging: Pair = Pair::new(29, 20), -50 => 150, c_end 4,
            "A piece or pawn that is attacked and not protected.";
        restricted: Pair = Pair::new(2, 3), -20 => 30, c_end 1,
            "For each square that both sides attack and the other holds weakly.";
        queen_knight: Pair = Pair::new(8, 6), -50 => 100, c_end 3,
            "A square from which a knight would attack the queen.";
        queen_slider: Pair = Pair::new(21, 10), -50 => 120, c_end 3,
            "A protected square from which a bishop or rook would attack the queen.";
        space: Pair = Pair::new(2, 0), -20 => 30, c_end 1,
            "For each square of room in the centre, times an eighth of the pieces beyond four.";
        castling: Pair = Pair::new(12, 0), -50 => 100, c_end 3, "For each right to castle.";

        shelter: [[Pair; 7]; 4] = [
            pairs([-8, 23, 28, 12, 6, 4, 2], [0, -1, 0, 0, 0, 0, 0]),
            pairs([-20, 35, 22, -4, -6, -2, -2], [1, 0, 0, 0, 0, 0, 0]),
            pairs([-12, 22, 7, -5, -4, -2, -2], [1, -1, 0, 0, 0, 0, 0]),
            pairs([-18, 16, 3, -6, -6, -6, -4], [-1, 1, 0, 0, 0, 0, 0]),
        ], -150 => 150, c_end 4,
            "By file from the edge: the own pawn nearest to the king's rank, 1 to 6 before it; 0 is none.";
        storm: [[Pair; 7]; 4] = [
            pairs([0, -10, -36, -26, -12, -9, -4], [0, 0, 0, 0, 0, 0, 0]),
            pairs([-1, -8, -34, -20, -8, -4, -1], [0, 0, 0, 0, 0, 0, 0]),
            pairs([-2, -8, -34, -24, -10, -4, 0], [-1, 0, 0, 0, 1, 0, 0]),
            pairs([-1, -6, -24, -18, -7, -2, -4], [0, 0, 0, 0, 0, 0, 0]),
        ], -150 => 150, c_end 4, "The same for the pawn of theirs nearest to the king's rank.";
        storm_blocked: [Pair; 6] = pairs([0, -22, -8, -1, 0, 0], [0, -16, -10, -6, -4, -2]),
            -150 => 150, c_end 4, "A pawn of theirs that an own one stops, 1 to 6 ranks from the king's.";
        king_attacker: [i32; 4] = [16, 13, 13, 6], -40 => 80, c_end 3,
            "Units of danger for each knight, bishop, rook and queen near a king, times their number.";
        king_beside: i32 = 15, -30 => 80, c_end 3, "Units for each attack on a square beside it.";
        king_weak: i32 = 30, -30 => 120, c_end 4, "Units for each weak square around it.";
        king_check: [i32; 4] = [130, 90, 141, 121], -50 => 400, c_end 8,
            "Units for a safe check by a knight, bishop, rook and queen.";
        king_unsafe_check: i32 = 18, -30 => 100, c_end 4, "Units for each other check.";
        king_shield: i32 = 20, -30 => 100, c_end 4,
            "Units for each piece that alone stands before a slider.";
        king_flank: i32 = 6, -20 => 40, c_end 2, "Units for each attack on its side of the board.";
        king_flank_defence: i32 = -3, -40 => 20, c_end 2,
            "Units for each square there that its side defends.";
        king_shelter: i32 = -10, -60 => 30, c_end 3, "Units for 16 centipawns of shelter.";
        king_queenless: i32 = -159, -600 => 50, c_end 10, "Units where the attacker has no queen.";
        king_knight: i32 = -30, -150 => 50, c_end 4, "Units where a knight defends.";
        king_base: i32 = -19, -200 => 200, c_end 6, "Units that every king has.";

        scale_base: i32 = 45, 0 => 64, c_end 2, "Of 64 parts of a value, those held without pawns.";
        scale_pawn: i32 = 7, 0 => 16, c_end 1, "The parts more for each pawn of the better side.";
        scale_bare: i32 = 11, 0 => 64, c_end 2,
            "The parts held by a side without pawns that is at most a minor piece ahead.";
        scale_bishops: i32 = 16, 0 => 64, c_end 2, "The parts held with bishops of opposite colours alone.";
        scale_bishops_more: i32 = 44, 0 => 64, c_end 2,
            "The parts held with bishops of opposite colours and more.";
        scale_bishops_pawn: i32 = 3, 0 => 16, c_end 1,
            "The parts more for each pawn; twice so many for bishops alone.";
        mop_up_edge: i32 = 11, 0 => 40, c_end 2,
            "For each half step of a lone king from the middle, or step nearer to the fatal corner.";
        mop_up_near: i32 = 9, 0 => 40, c_end 2, "For each step that the kings are nearer.";
    }
}

/// What follows from the weights: everything that a node looks up.
pub struct ChessTables {
    pub(super) weights: ChessWeights,
    /// Piece and square in one pair, White's view: by colour, kind, square.
    pub(super) squares: [[[Pair; 64]; 6]; 2],
    /// What a piece counts in an exchange.
    pub(super) exchange: [i32; 6],
}

impl ChessTables {
    pub(super) fn of(weights: &ChessWeights) -> Self {
        let mut squares = [[[Pair::default(); 64]; 6]; 2];
        let blank = [Pair::default(); 4];
        let of_pawns: Vec<Pair> =
            blank.iter().chain(&weights.square_pawn).chain(&blank).copied().collect();
        let placed = [
            &of_pawns[..],
            &weights.square_knight,
            &weights.square_bishop,
            &weights.square_rook,
            &weights.square_queen,
            &weights.square_king,
        ];
        let [white, black] = &mut squares;
        for (kind, (white, black)) in white.iter_mut().zip(black).enumerate() {
            for square in 0..64usize {
                let (file, rank) = (square % 8, square / 8);
                let mut pair = placed[kind][4 * rank + file.min(7 - file)];
                pair += weights.piece.get(kind).copied().unwrap_or_default();
                white[square] = pair;
                black[square ^ 56] = pair.negated();
            }
        }
        let mut exchange = [10_000; 6];
        for (worth, pair) in exchange.iter_mut().zip(weights.piece) {
            *worth = i32::midpoint(pair.middle(), pair.end());
        }
        Self { weights: weights.clone(), squares, exchange }
    }

    /// What a piece counts in an exchange.
    #[inline]
    pub(super) fn worth(&self, piece: Piece) -> i32 {
        self.exchange[piece as usize]
    }

    /// What a quiet move's square is better by in the middle game.
    #[inline]
    pub(super) fn progress(&self, side: Color, piece: Piece, mv: Move) -> i32 {
        // Castling ends on the own rook: the king goes towards the corner.
        let table = &self.squares[side as usize][piece as usize];
        let gain = table[mv.to() as usize].middle() - table[mv.from() as usize].middle();
        if side == Color::White { gain } else { -gain }
    }
}
