//! Every number of the xiangqi evaluation in one table, and what is made of it for the search.

use super::activity::ActivityWeights;
use super::exchange::ExchangeWeights;
use super::formation::FormationWeights;
use super::material::BalanceWeights;
use super::squares::SquareWeights;
use crate::taper::Pair;
use crate::tunables::{groups, tunables};
use games::xiangqi::{Move, Piece, PieceKind, Side, Square};
use net::Network;
use std::sync::Arc;

tunables! {
    /// Weights of the turn.
    pub struct TurnWeights in Eval {
        tempo: Pair = Pair::new(21, 11), 0 => 60, c_end 3, "The right to move.";
    }
}

tunables! {
    /// How the value of a network is scaled; of no account without one.
    pub struct NetworkWeights in Eval {
        net_scale: i32 = 1024, 256 => 4096, c_end 48,
            "Network: factor of its value, in 1024ths.";
        net_attackers: i32 = 0, -64 => 64, c_end 4,
            "Network: what each rook, horse and cannon on the board adds to that factor, in 1024ths.";
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
        network: NetworkWeights,
    }
}

/// The weights made ready.
pub struct XiangqiTables {
    pub(super) weights: XiangqiWeights,
    /// Material and square of every piece, Red's positive, by piece code and point.
    pub(super) squares: Box<[[Pair; Square::COUNT]; Piece::CODES]>,
    /// What an exchange takes each kind for.
    pub(super) exchange: [i32; 7],
    /// What evaluates in place of all that.
    pub(super) network: Option<Arc<Network>>,
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
        Self {
            weights: weights.clone(),
            squares,
            exchange: weights.exchange.by_kind(),
            network: None,
        }
    }

    /// What a piece's square improves by, in centipawns of the middle game from its own view.
    #[inline]
    pub(super) fn progress(&self, piece: Piece, mv: Move) -> i32 {
        let table = &self.squares[piece.code()];
        let gain = table[mv.to().index()].middle() - table[mv.from().index()].middle();
        if piece.side() == Side::Red { gain } else { -gain }
    }
}
