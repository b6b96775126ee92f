//! The numbers of the shogi evaluation, in hundredths of a pawn on the board.

use crate::tunables::tunables;
use games::shogi::{Move, PieceKind, Shogi, Side, Square};

tunables! {
    /// Every number of the evaluation.
    pub struct ShogiWeights in Eval {
        piece: [i32; 7] = [100, 260, 280, 420, 700, 850, 490], 20 => 2000, c_end 10,
            "A pawn, lance, knight, silver, bishop, rook and gold on the board.";
        promoted: [i32; 6] = [420, 430, 440, 470, 1000, 1150], 20 => 2500, c_end 10,
            "A promoted pawn, lance, knight, silver, bishop and rook.";
        hand: [i32; 7] = [115, 290, 310, 450, 760, 930, 530], 20 => 2000, c_end 10,
            "A pawn, lance, knight, silver, bishop, rook and gold in hand.";
        tempo: i32 = 30, 0 => 150, c_end 5, "The right to move.";
        attacker: [i32; 8] = [48, 34, 20, 10, 4, 0, -4, -8], -100 => 200, c_end 4,
            "A gold or silver, or what moves as one, 1 to 8 steps of a king from the other king.";
        defender: [i32; 8] = [36, 22, 8, 0, -4, -6, -8, -8], -100 => 200, c_end 4,
            "The same by the distance from its own king.";
        king_pressure: i32 = 14, 0 => 80, c_end 2,
            "For the square of the number of attacked squares beside the other king, over 4, from 2 on.";
        hand_pressure: i32 = 6, 0 => 40, c_end 1,
            "That pressure more in percent, for each half piece in hand; pawns together are one.";
        bishop_mobility: i32 = 5, -10 => 30, c_end 1,
            "For each square that a bishop or horse reaches.";
        rook_mobility: i32 = 5, -10 => 30, c_end 1,
            "For each square that a rook or dragon reaches.";
        lance_mobility: i32 = 3, -10 => 30, c_end 1, "For each square that a lance reaches.";
        pawn_advance: i32 = 4, -20 => 40, c_end 1, "For each rank that a pawn has advanced.";
        king_advance: i32 = -30, -120 => 40, c_end 4,
            "For each rank that the king has left its back rank, up to 5.";
    }
}

/// What follows from the weights: everything that a node looks up.
pub struct ShogiTables {
    pub(super) weights: ShogiWeights,
    /// A piece on a square, the first side's view: by side, kind, square.
    pub(super) squares: Box<[[[i32; Square::COUNT]; 14]; 2]>,
    /// What a piece counts wherever it stands, by kind.
    board: [i32; 14],
    /// What a capture wins, by kind: the piece is gone there and in hand here.
    gain: [i32; 14],
}

impl ShogiTables {
    pub(super) fn of(weights: &ShogiWeights) -> Self {
        let (mut board, mut gain) = ([0; 14], [0; 14]);
        let of_kinds = weights.piece.iter().zip(PieceKind::HAND);
        for (&worth, kind) in of_kinds {
            board[kind.index()] = worth;
            if let Some(promoted) = kind.promoted() {
                board[promoted.index()] = weights.promoted[promoted.index() - FIRST_PROMOTED];
            }
            let held = weights.hand[kind.index()];
            gain[kind.index()] = worth + held;
            if let Some(promoted) = kind.promoted() {
                gain[promoted.index()] = board[promoted.index()] + held;
            }
        }
        let mut squares = Box::new([[[0; Square::COUNT]; 14]; 2]);
        for side in [Side::Black, Side::White] {
            let sign = if side == Side::Black { 1 } else { -1 };
            for (kind, of_kind) in squares[side.index()].iter_mut().enumerate() {
                for square in Square::all() {
                    let more = if kind == PieceKind::Pawn.index() {
                        weights.pawn_advance * height(side, square)
                    } else if kind == PieceKind::King.index() {
                        weights.king_advance * height(side, square).min(5)
                    } else {
                        0
                    };
                    of_kind[square.index()] = sign * (board[kind] + more);
                }
            }
        }
        Self { weights: weights.clone(), squares, board, gain }
    }

    /// What a capture wins: the piece is gone there and in hand here.
    #[inline]
    pub(super) fn capture_gain(&self, kind: PieceKind) -> i32 {
        self.gain[kind.index()]
    }

    /// What a piece counts in an exchange: half of what changing sides is worth. A king is everything.
    #[inline]
    pub(super) fn worth(&self, kind: PieceKind) -> i32 {
        if kind == PieceKind::King { 10_000 } else { self.gain[kind.index()] / 2 }
    }

    /// What a promotion is worth at once.
    #[inline]
    pub(super) fn promotion_gain(&self, position: &Shogi, mv: Move) -> i32 {
        let moved = position.moved(mv).filter(|_| mv.is_promotion()).map(|piece| piece.kind());
        let promoted = moved.and_then(|kind| Some((kind, kind.promoted()?)));
        promoted
            .map_or(0, |(kind, promoted)| self.board[promoted.index()] - self.board[kind.index()])
    }

    /// What a quiet move brings its piece nearer to the other king, and a promotion.
    #[inline]
    pub(super) fn progress(&self, position: &Shogi, mv: Move) -> i32 {
        let king = position.king(position.side_to_move().other());
        let near = |square: Square| by_steps(&self.weights.attacker, square, king);
        let gain = match mv.from() {
            Some(from) => near(mv.to()) - near(from),
            None => near(mv.to()),
        };
        gain + self.promotion_gain(position, mv) / 2
    }
}

/// The index of the first promoted kind.
const FIRST_PROMOTED: usize = 8;

/// The number for so many steps of a king from 1 on; 0 for none.
#[inline]
pub(super) fn by_steps(table: &[i32; 8], a: Square, b: Square) -> i32 {
    let steps = a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank()));
    usize::from(steps).checked_sub(1).map_or(0, |at| table[at])
}

/// Ranks from a side's own back rank, 0 to 8.
#[inline]
pub(super) fn height(side: Side, square: Square) -> i32 {
    let rank = i32::from(square.rank());
    if side == Side::Black { 8 - rank } else { rank }
}
