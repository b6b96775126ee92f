//! Every number of the xiangqi evaluation in one table, and what is made of it for the search.

use super::activity::ActivityWeights;
use super::exchange::ExchangeWeights;
use super::formation::FormationWeights;
use super::material::BalanceWeights;
use super::squares::SquareWeights;
use crate::taper::Pair;
use crate::tunables::{groups, tunables};
use games::xiangqi::{Move, Piece, PieceKind, Side, Square};

tunables! {
    /// Weights of the turn.
    pub struct TurnWeights in Eval {
        tempo: Pair = Pair::new(21, 11), 0 => 60, c_end 3, "The right to move.";
    }
}

groups! {
    /// The weights of the xiangqi evaluation: centipawns, first with all attackers on the board, then
    /// with none.
    pub struct XiangqiWeights {
        squares: SquareWeights,
        balance: BalanceWeights,
        activity: ActivityWeights,
        formation: FormationWeights,
        turn: TurnWeights,
        exchange: ExchangeWeights,
    }
}

/// The weights made ready.
pub struct XiangqiTables {
    pub(super) weights: XiangqiWeights,
    /// Material and square of every piece, Red's positive, by piece code and point.
    pub(super) squares: Box<[[Pair; Square::COUNT]; Piece::CODES]>,
    /// What an exchange takes each kind for.
    pub(super) exchange: [i32; 7],
}

impl XiangqiTables {
    pub(super) fn new(weights: &XiangqiWeights) -> Self {
        let mut squares = Box::new([[Pair::default(); Square::COUNT]; Piece::CODES]);
        for side in Side::ALL {
            for kind in PieceKind::ALL {
                let table = &mut squares[Piece::new(side, kind).code()];
                for (square, entry) in Square::all().zip(table.iter_mut()) {
                    let mut value = weights.squares.material(kind);
                    value += weights.squares.square(side, kind, square).unwrap_or_default();
                    *entry = if side == Side::Red { value } else { value.negated() };
                }
            }
        }
        Self { weights: weights.clone(), squares, exchange: weights.exchange.by_kind() }
    }

    /// What a piece's square improves by, in centipawns of the middle game from its own view.
    #[inline]
    pub(super) fn progress(&self, piece: Piece, mv: Move) -> i32 {
        let table = &self.squares[piece.code()];
        let gain = table[mv.to().index()].middle() - table[mv.from().index()].middle();
        if piece.side() == Side::Red { gain } else { -gain }
    }
}
