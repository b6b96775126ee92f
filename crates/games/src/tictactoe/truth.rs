//! The exact value of every position.

use super::{Place, TicTacToe};
use crate::{Game, MoveList, RuleWinner};

/// Boards of nine squares with three states each.
const BOARDS: usize = 19_683;

/// What a position is worth to the side to move if both sides play their best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// The opponent wins.
    Loss,
    /// Neither wins.
    Draw,
    /// The side to move wins.
    Win,
}

impl Value {
    /// The same as the opponent sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The value of every position that a game can reach, found by looking at every game.
#[derive(Clone, Debug)]
pub struct Truth {
    /// By [`TicTacToe::code`].
    values: Vec<Option<Value>>,
}

impl Default for Truth {
    fn default() -> Self {
        Self::new()
    }
}

impl Truth {
    /// Works all values out: each of 5,478 positions is looked at once.
    #[must_use]
    pub fn new() -> Self {
        let mut truth = Self { values: vec![None; BOARDS] };
        truth.solve(&mut TicTacToe::start());
        truth
    }

    /// The value of a position; `None` where the wrong side is to move after a pass.
    #[must_use]
    pub fn value(&self, position: &TicTacToe) -> Option<Value> {
        let [x, o] = position.marks().map(u16::count_ones);
        let by_turns = position.first_to_move() == (x == o);
        self.values[position.code() as usize].filter(|_| by_turns)
    }

    /// The moves that keep the value of a position, none where it has no value or is over.
    #[must_use]
    pub fn best_moves(&self, position: &TicTacToe) -> Vec<Place> {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        let keeps_value = |mv: &Place| {
            let mut next = position.clone();
            next.make(*mv);
            let value = self.value(&next).map(Value::reversed);
            value.is_some() && value == self.value(position)
        };
        moves.iter().copied().filter(keeps_value).collect()
    }

    /// Positions that a game can reach.
    pub fn positions(&self) -> impl Iterator<Item = (u32, Value)> {
        self.values.iter().zip(0..).filter_map(|(value, code)| Some((code, (*value)?)))
    }

    fn solve(&mut self, position: &mut TicTacToe) -> Value {
        let code = position.code() as usize;
        if let Some(value) = self.values[code] {
            return value;
        }
        let value = match position.result().map(|result| result.winner) {
            Some(RuleWinner::SideToMove) => Value::Win,
            Some(RuleWinner::Opponent) => Value::Loss,
            Some(RuleWinner::Draw) => Value::Draw,
            None => {
                let mut moves = MoveList::new();
                position.legal(&mut moves);
                let mut best = Value::Loss;
                for &mv in moves.iter() {
                    position.make(mv);
                    best = best.max(self.solve(position).reversed());
                    position.unmake();
                }
                best
            }
        };
        self.values[code] = Some(value);
        value
    }
}
