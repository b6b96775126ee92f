//! What the search asks of a game beyond its rules, and what an evaluation is.

use crate::StopSignal;
use crate::params::EvalTables;
use crate::tunables::Declared;
use games::{Game, RuleResult, RuleWinner};
use model::Nodes;
use net::Network;
use std::sync::Arc;

/// A static evaluation that may keep state along the line of moves.
///
/// The search calls `reset` at the root, `push` before every move or null move and `pop` after
/// taking one back, strictly nested, with the same tables from `reset` on. What is kept along the line
/// may be a few sums or the accumulator of a network.
pub trait Evaluate<G: Game>: Default + Send {
    /// The numbers that a tune can reach.
    type Weights: Declared;
    /// What is made of them once for many evaluations.
    type Tables: Send + Sync;

    /// Makes the weights ready.
    fn tables(weights: &Self::Weights) -> Self::Tables;

    /// Forgets everything and starts from this position.
    fn reset(&mut self, tables: &Self::Tables, position: &G);

    /// A legal move is about to be made in `position`; `None` is the null move.
    fn push(&mut self, tables: &Self::Tables, position: &G, mv: Option<G::Move>);

    /// The last move was taken back.
    fn pop(&mut self);

    /// Has the tables evaluate by a network from the next `reset` on, or without one; whether this
    /// evaluation can do that, and the network is of its game.
    fn attach(tables: &mut Self::Tables, network: Option<Arc<Network>>) -> bool {
        let _ = tables;
        network.is_none()
    }

    /// Centipawns from the view of the side to move, in the last position of the line. What was put off
    /// along the line may be done here.
    fn evaluate(&mut self, tables: &Self::Tables, position: &G) -> i32;

    /// The parts of the value; they add up to [`Evaluate::evaluate`], but for the rounding.
    fn terms(&mut self, tables: &Self::Tables, position: &G) -> Vec<Term> {
        vec![Term { name: "value", centipawns: self.evaluate(tables, position) }]
    }
}

/// A part of the value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it is about.
    pub name: &'static str,
    /// Its share, from the view of the side to move.
    pub centipawns: i32,
}

/// What a position is made of, mixed into numbers by which the search learns how far an evaluation
/// errs on positions of the same make. Equal parts give equal numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// The pawns of both sides.
    pub pawns: u32,
    /// The pieces of little value of both sides.
    pub minor: u32,
    /// All pieces but the pawns of the first side and of the second.
    pub pieces: [u32; 2],
}

/// What is certain about the end of a game, as far as a solver has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending<M> {
    /// A move and the value that it is sure to bring, in the scale of the search; `None`: not known.
    pub outcome: Option<(M, i32)>,
    /// Half-moves to the end, as far as they were looked at.
    pub plies: u32,
    /// Positions visited for it.
    pub nodes: Nodes,
}

/// How the value of a shallow search foretells that of a deeper one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Plies of the shallow search, fewer than those that are foretold.
    pub depth: i32,
    /// Deep value per shallow value; positive.
    pub slope: f64,
    /// Centipawns that the deep value is higher by.
    pub offset: f64,
    /// Centipawns by which the forecast has to lie outside of a window to be believed.
    pub margin: f64,
}

/// A game that the search can play.
pub trait SearchGame: Game {
    /// Its evaluation.
    type Eval: Evaluate<Self>;

    /// The constants of the search whose defaults for this game are others than the declared ones:
    /// by knowledge of the game, or found by tunes of it.
    const DEFAULTS: &'static [(&'static str, f64)];

    /// How many different values [`SearchGame::move_slot`] has.
    const MOVE_SLOTS: usize;

    /// How many different values [`SearchGame::piece_slot`] has.
    const PIECE_SLOTS: usize;

    /// How many different values [`SearchGame::victim`] has.
    const VICTIMS: usize;

    /// Whether unquiet leaves are searched on; `false` in games without captures.
    const QUIESCENCE: bool;

    /// Who wins when the side to move, not in check and its game not over by [`SearchGame::over`], has
    /// no move. In check it has lost.
    const STALEMATE: RuleWinner;

    /// Positions on which speed and behaviour are measured.
    const BENCH_POSITIONS: &'static [&'static str];

    /// Depth in plies to which each of them is searched.
    const BENCH_DEPTH: u32;

    /// A move in sixteen bits; 0 for the default move alone.
    fn pack(mv: Self::Move) -> u16;

    /// The move of these bits; the default move for bits that no move has.
    fn unpack(bits: u16) -> Self::Move;

    /// The index of a move in tables that are kept per move.
    fn move_slot(mv: Self::Move) -> usize;

    /// The index of a move, not yet made, in tables that are kept per piece, its side included, and
    /// target.
    fn piece_slot(&self, mv: Self::Move) -> usize;

    /// The index of what a move, not yet made, takes, in tables that are kept per kind of victim.
    fn victim(&self, mv: Self::Move) -> usize;

    /// What the position is made of.
    fn structure(&self) -> Structure {
        Structure::default()
    }

    /// How early a noisy move is tried: centipawns of the victim, less a little for the attacker.
    fn noisy_order(&self, tables: &EvalTables<Self>, mv: Self::Move) -> i32;

    /// The centipawns that a noisy move wins at most at once.
    fn noisy_gain(&self, tables: &EvalTables<Self>, mv: Self::Move) -> i32;

    /// Whether the exchange begun by a move wins at least so many centipawns (negative: loses at most
    /// so many).
    fn exchange_wins(&self, tables: &EvalTables<Self>, mv: Self::Move, threshold: i32) -> bool;

    /// Whether the piece that a move, not yet made, moves attacks the other king from its target. A
    /// check that it uncovers, or an own screen that it takes along, need not be seen.
    fn checks_directly(&self, _: Self::Move) -> bool {
        false
    }

    /// Whether two moves have the same target.
    fn same_target(a: Self::Move, b: Self::Move) -> bool;

    /// What a quiet move is thought to gain beforehand, in centipawns; orders the untried.
    fn quiet_order(&self, tables: &EvalTables<Self>, mv: Self::Move) -> i32;

    /// Whether passing can be trusted to be no better than the best move here.
    fn null_move_is_sound(&self) -> bool;

    /// The outcome of the game from here, found with a part of the nodes that are left; `None`, and nothing
    /// is spent, where there is no solver or no prospect.
    fn ending(
        &self,
        tables: &EvalTables<Self>,
        left: Nodes,
        stop: &StopSignal<'_>,
    ) -> Option<Ending<Self::Move>> {
        let _ = (tables, left, stop);
        None
    }

    /// What foretells the value of a search of so many plies (Multi-ProbCut); `None` where nothing does.
    #[inline]
    fn forecast(&self, tables: &EvalTables<Self>, depth: i32) -> Option<Forecast> {
        let _ = (tables, depth);
        None
    }

    /// The result by rule that a search must see at an inner node, where it also asks
    /// [`Game::repetition`]: results by repetition may be left to that.
    #[inline]
    fn over(&self) -> Option<RuleResult> {
        self.rule_draw_or_loss()
    }
}

/// Mixes sets of squares into one number, by multiplication and the finaliser of splitmix64 (S. Vigna,
/// 2015).
#[inline]
pub(crate) fn blend<const N: usize>(sets: [u128; N]) -> u32 {
    let mut sum = 0u64;
    for (index, set) in (1u64..).zip(sets) {
        let folded = set as u64 ^ ((set >> 64) as u64).rotate_left(29);
        let factor = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * index + 1) | 1;
        sum = (sum ^ folded).wrapping_mul(factor);
        sum ^= sum >> 32;
    }
    sum = sum.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (sum >> 32) as u32
}
