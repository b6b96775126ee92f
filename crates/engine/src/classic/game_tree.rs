//! A game to a fixed depth as a tree, with the engine's evaluation at the horizon.
//!
//! The tree has no memory: a position ends the game by its board alone, never by repetition or a
//! move limit. So equal positions at equal depth have equal subtrees, and a table may join them.

use super::tree::{Order, Tree, child_id, mix};
use crate::params::EvalTables;
use crate::{Evaluate, MATE, MAX_PLY, SearchGame};
use games::{MoveList, RuleResult, RuleWinner};
use model::Termination;

/// How the children are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ordering {
    order: Order,
    seed: u64,
}

/// The deepest look of [`Order::Good`] at a child, in plies.
const MAX_LOOK: u32 = 2;

/// What is known about a node of the line from the root to the present node.
#[derive(Clone, Debug)]
struct Node<M> {
    /// The legal moves in the tree's order; none at a leaf.
    moves: Vec<M>,
    /// The value of a leaf at which the game is over.
    over: Option<i32>,
}

/// The tree of a position.
pub struct GameTree<G: SearchGame> {
    position: G,
    evaluation: G::Eval,
    tables: EvalTables<G>,
    depth: u32,
    ordering: Ordering,
    /// A place for every ply.
    line: Vec<Node<G::Move>>,
    ply: usize,
}

impl<G: SearchGame> GameTree<G> {
    /// The greatest depth.
    pub const MAX_DEPTH: u32 = MAX_PLY as u32;

    /// The tree below `position`, `depth` plies high and [`GameTree::MAX_DEPTH`] at most.
    ///
    /// - [`Order::Good`] sorts by a search of the children to less than half of the remaining
    ///   depth, two plies at most. Before the last ply it looks at no leaf: captures come first.
    /// - [`Order::Worst`] is its reverse.
    /// - [`Order::Random`] depends on the seed.
    pub fn new(position: G, depth: u32, order: Order, seed: u64) -> Self {
        let depth = depth.min(Self::MAX_DEPTH);
        let mut evaluation = G::Eval::default();
        let tables = G::Eval::tables(&<G::Eval as Evaluate<G>>::Weights::default());
        evaluation.reset(&tables, &position);
        let line = vec![Node { moves: Vec::new(), over: None }; depth as usize + 1];
        Self {
            position,
            evaluation,
            tables,
            depth,
            ordering: Ordering { order, seed },
            line,
            ply: 0,
        }
    }

    /// Plies to the horizon.
    fn remaining(&self) -> u32 {
        self.depth - self.ply as u32
    }

    fn make(&mut self, mv: G::Move) {
        self.evaluation.push(&self.tables, &self.position, Some(mv));
        self.position.make(mv);
        self.ply += 1;
    }

    fn unmake(&mut self) {
        self.position.unmake();
        self.evaluation.pop();
        self.ply -= 1;
    }

    /// The value of the present position if the game is over here, by a result that the board
    /// alone decides. A win is worth more the sooner it comes.
    fn ended(&self, result: Option<RuleResult>) -> Option<i32> {
        use Termination::{Board, DeadPosition, Impasse, NoMove, Stalemate};
        let RuleResult { winner, reason } = result?;
        if !matches!(reason, Board | DeadPosition | Impasse | NoMove | Stalemate) {
            return None;
        }
        let win = MATE - self.ply as i32;
        Some(match winner {
            RuleWinner::SideToMove => win,
            RuleWinner::Opponent => -win,
            RuleWinner::Draw => 0,
        })
    }

    /// The legal moves, and the value if the game is over. Both are empty at the horizon of a game
    /// that goes on.
    fn expand(&self, remaining: u32, moves: &mut MoveList<G::Move>) -> Option<i32> {
        if remaining == 0 {
            return self.ended(self.position.result());
        }
        if let Some(value) = self.ended(self.position.rule_draw_or_loss()) {
            return Some(value);
        }
        self.position.legal(moves);
        if moves.is_empty() {
            return Some(self.ended(self.position.result()).unwrap_or(0));
        }
        None
    }

    /// A small alpha-beta search in the order of generation, for the order alone: not counted.
    fn look(&mut self, remaining: u32, mut alpha: i32, beta: i32) -> i32 {
        let mut moves = MoveList::new();
        if let Some(value) = self.expand(remaining, &mut moves) {
            return value;
        }
        if moves.is_empty() {
            return self.evaluation.evaluate(&self.tables, &self.position);
        }
        for &mv in moves.iter() {
            self.make(mv);
            alpha = alpha.max(-self.look(remaining - 1, -beta, -alpha));
            self.unmake();
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    /// Sorts the moves of the present node. Equal ones stay as they were generated.
    fn sort(&mut self, moves: &mut [G::Move]) {
        if moves.len() < 2 {
            return;
        }
        let remaining = self.remaining();
        if self.ordering.order == Order::Random {
            let here = self.ordering.seed ^ self.position.hash();
            let mut keyed: Vec<_> = (0..).map(|child| child_id(here, child)).zip(&*moves).collect();
            keyed.sort_unstable();
            let shuffled: Vec<_> = keyed.into_iter().map(|(_, &mv)| mv).collect();
            moves.copy_from_slice(&shuffled);
        } else if remaining == 1 {
            moves.sort_by_key(|&mv| !self.position.is_noisy(mv));
        } else {
            let depth = ((remaining - 1) / 2).min(MAX_LOOK);
            moves.sort_by_cached_key(|&mv| {
                self.make(mv);
                let value = self.look(depth, -MATE, MATE);
                self.unmake();
                value
            });
        }
        if self.ordering.order == Order::Worst {
            moves.reverse();
        }
    }
}

impl<G: SearchGame> Tree for GameTree<G> {
    fn width(&mut self) -> usize {
        let mut moves = MoveList::new();
        let over = self.expand(self.remaining(), &mut moves);
        self.sort(&mut moves);
        let node = &mut self.line[self.ply];
        node.over = over;
        node.moves.clear();
        node.moves.extend_from_slice(&moves);
        node.moves.len()
    }

    fn descend(&mut self, child: usize) {
        self.make(self.line[self.ply].moves[child]);
    }

    fn ascend(&mut self) {
        self.unmake();
    }

    fn value(&mut self) -> i32 {
        match self.line[self.ply].over {
            Some(value) => value,
            None => self.evaluation.evaluate(&self.tables, &self.position),
        }
    }

    fn height(&self) -> u32 {
        if self.line[self.ply].over.is_some() { 0 } else { self.remaining() }
    }

    fn key(&self) -> u64 {
        self.position.hash() ^ mix(u64::from(self.remaining()))
    }
}
