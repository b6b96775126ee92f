//! Xiangqi as the search sees it.

mod eval;
mod weights;

#[cfg(test)]
mod tests;

pub use eval::XiangqiEval;

use crate::SearchGame;
use games::RuleWinner;
use games::xiangqi::{Move, Piece, Square, Xiangqi};

/// Order of victims and attackers: king, advisor, elephant, horse, rook, cannon, pawn.
const RANK: [i32; 7] = [9, 3, 2, 5, 7, 6, 1];

impl SearchGame for Xiangqi {
    type Eval = XiangqiEval;

    const MOVE_SLOTS: usize = Square::COUNT * Square::COUNT;
    const QUIESCENCE: bool = true;
    const NO_MOVE: RuleWinner = RuleWinner::Opponent;
    const BENCH_POSITIONS: &'static [&'static str] = &BENCH;
    const BENCH_DEPTH: u32 = 7;

    #[inline]
    fn move_slot(mv: Move) -> usize {
        mv.from().index() * Square::COUNT + mv.to().index()
    }

    #[inline]
    fn noisy_order(&self, mv: Move) -> i32 {
        let rank = |piece: Option<Piece>| piece.map_or(0, |p| RANK[p.kind().index()]);
        16 * rank(self.captured(mv)) - rank(self.moved(mv))
    }

    #[inline]
    fn noisy_gain(&self, mv: Move) -> i32 {
        self.captured(mv).map_or(0, |piece| weights::EXCHANGE[piece.kind().index()])
    }

    /// A side with a rook, a horse or a cannon is seldom in zugzwang.
    #[inline]
    fn null_move_is_sound(&self) -> bool {
        self.has_attackers(self.side_to_move())
    }
}

/// The start, openings, middle games with every kind of imbalance, endings with few pieces.
const BENCH: [&str; 3] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2",
    "3k5/9/9/9/9/4R4/9/9/4n4/4K4 w - - 0 1",
];
